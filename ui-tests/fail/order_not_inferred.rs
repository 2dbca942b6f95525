// Element type and rank have no default. Leave the rank to the shape: `Tensor::<f64, _>`.

use vierbein::Tensor;

fn main() {
    let _ = Tensor::<f64>::zeros([2, 3]);
}
