// The scalar has another type than the elements. Write `1.0`.

use vierbein::{Rank, Tensor};

fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let _ = &a + 1;
}
