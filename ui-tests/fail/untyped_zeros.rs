// Zeros of what? Name the element type: `Tensor::<f64, _>`.

use vierbein::Tensor;

fn main() {
    let _ = Tensor::zeros([2, 3]);
}
