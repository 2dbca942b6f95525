// Element type and rank have no default. Let the shape determine the rank: `Tensor::<f64, _>`.

use vierbein::Tensor;

pub fn main() {
    let _ = Tensor::<f64, _>::zeros([2, 3]);
}
