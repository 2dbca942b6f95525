// Casts to a generic element type need a bound: `T: Scalar`. Casts from it, too: `T: CastTo<f64>`.

use vierbein::{CastTo, Element, Rank, Scalar, Tensor, tensor};

fn weights<T: Scalar>() -> Tensor<T, Rank<1>> {
    tensor![0.5, 1.5].cast::<T>()
}

// The bound that the compiler suggests. It holds for all numbers.
fn converted<T: Element>(x: &Tensor<f64, Rank<1>>) -> Tensor<T, Rank<1>>
where
    f64: CastTo<T>,
{
    x.cast()
}

fn numbers<T: Scalar + CastTo<f64>>(x: &Tensor<T, Rank<1>>) -> Tensor<f64, Rank<1>> {
    x.cast()
}

pub fn main() {
    let _ = numbers(&weights::<f32>());
    let _ = converted::<f32>(&tensor![1.0]);
}
