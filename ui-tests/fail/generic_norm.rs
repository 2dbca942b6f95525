// A norm is a real number. In generic code it has another type than the elements: `T::from_magnitude(norm)`.

use vierbein::{Inexact, Rank, Tensor, tensor};

fn unit<T: Inexact>(x: &Tensor<T, Rank<1>>) -> Tensor<T, Rank<1>> {
    x / x.norm().item()
}

fn main() {
    let _ = unit(&tensor![3.0, 4.0]);
}
