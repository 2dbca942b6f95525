// A generic rank needs a bound for a trace: `D: RemoveAxes<2>`.

use vierbein::{Backend, Dim, Order, RemoveAxes, Scalar, TensorView, tensor};

fn f<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(x: TensorView<'_, T, D, O, Dev>) {
    x.trace(0, 1);
}

fn main() {
    f(tensor![[1.0, 2.0], [3.0, 4.0]].view());
    fn _bound<D: RemoveAxes<2>>() {}
}
