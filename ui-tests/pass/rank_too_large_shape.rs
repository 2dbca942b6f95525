// Ranks end at 16. Merge axes, or keep an array of tensors.

use vierbein::Tensor;

pub fn main() {
    let _ = Tensor::<f64, _>::zeros([1; 16]);
}
