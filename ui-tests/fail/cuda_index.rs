// Tensors on a GPU are not accessible from the host. Copy first: `.to_device::<Cpu>()?`.

use vierbein::{Cpu, Cuda, Error, Rank, RowMajor, Tensor};

fn first(a: &Tensor<f64, Rank<2>, RowMajor, Cuda>) -> Result<f64, Error> {
    Ok(a[[0, 0]])
}

fn main() {
    let _ = (first, Cpu);
}
