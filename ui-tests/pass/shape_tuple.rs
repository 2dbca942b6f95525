// A shape is an array: `[2, 3]`.

use vierbein::Tensor;

pub fn main() {
    let _ = Tensor::<f64, _>::zeros([2, 3]);
}
