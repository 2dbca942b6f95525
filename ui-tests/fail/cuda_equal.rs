// The host cannot compare elements on a GPU with `==`. Compare there, `a.equal(b).all()`, or copy them first:
// `.to_device::<Cpu>()?`.

use vierbein::{Cuda, Rank, RowMajor, Tensor};

fn same(a: &Tensor<f64, Rank<2>, RowMajor, Cuda>, b: &Tensor<f64, Rank<2>, RowMajor, Cuda>) -> bool {
    a == b
}

fn main() {
    let _ = same;
}
