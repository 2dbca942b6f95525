// The device does not implement all that the bound `Backend` requires. Copy the tensor to the host: `.to_device::<Cpu>()?`.

use vierbein::{Backend, Cpu, Dim, Error, Order, Rank, RowMajor, Scalar, Tensor, TensorView};

#[path = "../remote.rs"]
mod remote;
use remote::Remote;

fn energy<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(x: TensorView<'_, T, D, O, Dev>) -> T::Magnitude {
    x.norm().item()
}

fn main() -> Result<(), Error> {
    let a: Tensor<f64, Rank<2>, RowMajor, Remote> = Tensor::ones([2, 2]);
    let _ = energy(a.view());
    let _ = Cpu;
    Ok(())
}
