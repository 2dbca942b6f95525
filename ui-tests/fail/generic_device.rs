// A generic device needs a bound for arithmetic: `Dev: Backend<T>`.

use vierbein::{Backend, Cpu, Device, Dim, Order, Scalar, TensorView, tensor};

fn f<T: Scalar, D: Dim, O: Order, Dev: Device>(x: TensorView<'_, T, D, O, Dev>) {
    let _ = x + x;
}

fn main() {
    f(tensor![1.0, 2.0].view());
    fn _bound<Dev: Backend<f64>>() {}
    _bound::<Cpu>();
}
