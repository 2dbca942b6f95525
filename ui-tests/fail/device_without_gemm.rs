// The device does not support matrix products. Copy the operands to the host: `.to_device::<Cpu>()?`.

use vierbein::{Cpu, Error, Rank, RowMajor, Tensor};

#[path = "../remote.rs"]
mod remote;
use remote::Remote;

fn main() -> Result<(), Error> {
    let a: Tensor<f64, Rank<2>, RowMajor, Remote> = Tensor::ones([2, 2]);
    let _ = a.matmul(&a);
    let _ = Cpu;
    Ok(())
}
