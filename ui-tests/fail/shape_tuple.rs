// A shape is an array: `[2, 3]`.

use vierbein::Tensor;

fn main() {
    let _ = Tensor::<f64, _>::zeros((2, 3));
}
