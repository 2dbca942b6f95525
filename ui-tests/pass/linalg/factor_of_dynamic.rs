// The specification of a `DynTensor` is checked at run time, by `dyn_tensor::svd`.

use vierbein::linalg::Truncation;
use vierbein::{DynTensor, dyn_tensor, tensor};

pub fn main() {
    let x = DynTensor::from(tensor![[1.0, 2.0], [3.0, 4.0]]);
    let (_u, _s, _vh) = dyn_tensor::svd("ab -> ak, kb", &x, Truncation::new()).unwrap();
}
