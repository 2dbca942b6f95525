// The operands differ in element type. Convert one: `.cast::<f64>()`.

use vierbein::{Rank, Tensor};

pub fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::eye(3);
    let b: Tensor<f32, Rank<2>> = Tensor::ones([3, 4]);
    let _ = a.solve(b.cast::<f64>());
}
