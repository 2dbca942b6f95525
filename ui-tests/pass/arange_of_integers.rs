// The bounds of a range have the element type.

use vierbein::Tensor;

pub fn main() {
    let _ = Tensor::<f64, _>::arange(0.0..5.0);
}
