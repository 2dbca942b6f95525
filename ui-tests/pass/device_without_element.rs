// The device has no elementwise operations on `f32`. Copy the tensor to the host, or implement `Elementwise<f32>` for it.

use vierbein::{Cpu, Error, Rank, RowMajor, Tensor};

#[path = "../remote.rs"]
mod remote;
use remote::Remote;

pub fn main() -> Result<(), Error> {
    let a: Tensor<f32, Rank<2>, RowMajor, Remote> = Tensor::zeros([2, 2]);
    let a = a.to_device::<Cpu>()?;
    let _ = &a + &a;
    Ok(())
}
