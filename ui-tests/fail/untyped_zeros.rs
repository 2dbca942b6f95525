// The element type cannot be inferred. Name it: `Tensor::<f64, _>`.

use vierbein::Tensor;

fn main() {
    let _ = Tensor::zeros([2, 3]);
}
