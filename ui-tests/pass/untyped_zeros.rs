//

use vierbein::Tensor;

pub fn main() {
    let _ = Tensor::<f64, _>::zeros([2, 3]);
}
