// Zeros of what? Name the element type: `Tensor::<f64, _>`.

use vierbein::Tensor;

pub fn main() {
    let _ = Tensor::<f64, _>::zeros([2, 3]);
}
