// The largest rank is 16. Merge axes, or use an array of tensors.

use vierbein::Tensor;

pub fn main() {
    let _ = Tensor::<f64, _>::zeros([1; 16]);
}
