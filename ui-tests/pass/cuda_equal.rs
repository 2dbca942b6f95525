// `==` cannot compare tensors on a GPU. Compare on the GPU, `a.equal(b).all()`, or copy first:
// `.to_device::<Cpu>()?`.

use vierbein::{Cuda, Rank, RowMajor, Tensor};

fn same(a: &Tensor<f64, Rank<2>, RowMajor, Cuda>, b: &Tensor<f64, Rank<2>, RowMajor, Cuda>) -> bool {
    a.equal(b).all().item()
}

pub fn main() {
    let _ = same;
}
