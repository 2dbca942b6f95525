// The device has no decompositions. Copy the operand to the host: `.to_device::<Cpu>()`.

use remote::Remote;
use vierbein::{Rank, RowMajor, Tensor, svd};

#[path = "../../remote.rs"]
mod remote;

fn main() {
    let x: Tensor<f64, Rank<2>, RowMajor, Remote> = Tensor::ones([2, 3]);
    let (_u, _s, _vh) = svd!("ab -> ak, kb", &x);
}
