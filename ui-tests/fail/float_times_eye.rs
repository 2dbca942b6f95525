// Nothing says whether the elements are `f32`, `f64` or complex.

use vierbein::Tensor;

fn main() {
    let x = 10.0 * Tensor::eye(2);
    let _ = x.sum();
}
