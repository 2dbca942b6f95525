// The element type cannot be inferred. Name it: `Tensor::<f64, _>`.

use vierbein::Tensor;

pub fn main() {
    let _ = Tensor::<f64, _>::zeros([2, 3]);
}
