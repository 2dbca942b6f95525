// Tensors on a GPU are not accessible from the host. Copy first: `.to_device::<Cpu>()?`.

use vierbein::{Cpu, Cuda, Error, Rank, RowMajor, Tensor};

fn total(a: &Tensor<f64, Rank<2>, RowMajor, Cuda>) -> Result<f64, Error> {
    let mut total = 0.0;
    for x in a {
        total += x;
    }
    Ok(total)
}

fn main() {
    let _ = (total, Cpu);
}
