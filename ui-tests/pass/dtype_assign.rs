// The assigned tensor and the target differ in element type. Convert the tensor: `.cast::<f64>()`.

use vierbein::{Rank, Tensor};

pub fn main() {
    let mut a: Tensor<f64, Rank<2>> = Tensor::zeros([2, 3]);
    let b: Tensor<f32, Rank<2>> = Tensor::ones([2, 3]);
    a.assign(&b.cast::<f64>());
}
