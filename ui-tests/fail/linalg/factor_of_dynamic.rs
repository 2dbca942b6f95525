// The specification of a `DynTensor` is checked at run time, by `dyn_tensor::svd`.

use vierbein::{DynTensor, svd, tensor};

fn main() {
    let x = DynTensor::from(tensor![[1.0, 2.0], [3.0, 4.0]]);
    let (_u, _s, _vh) = svd!("ab -> ak, kb", &x);
}
