// The bounds of a range have the element type.

use vierbein::Tensor;

fn main() {
    let _ = Tensor::<f64, _>::arange(0..5);
}
