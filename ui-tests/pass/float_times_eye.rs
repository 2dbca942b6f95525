// Name the element type.

use vierbein::Tensor;

pub fn main() {
    let x = 10.0 * Tensor::<f64, _>::eye(2);
    let _ = x.sum();
}
