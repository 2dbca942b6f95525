// A scalar operand must have the type of the elements: `1.0`, not `1`.

use vierbein::{Rank, Tensor};

pub fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let _ = &a + 1.0;
}
