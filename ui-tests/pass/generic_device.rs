// A generic device needs a bound for arithmetic: `Dev: Backend<T>`.

use vierbein::{Backend, Dim, Order, Scalar, TensorView, tensor};

fn f<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(x: TensorView<'_, T, D, O, Dev>) {
    let _ = x + x;
}

pub fn main() {
    f(tensor![1.0, 2.0].view());
}
