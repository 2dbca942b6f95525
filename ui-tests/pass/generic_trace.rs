// A generic rank needs a bound for a trace: `D: RemoveAxes<2>`.

use vierbein::{Backend, Order, RemoveAxes, Scalar, TensorView, tensor};

fn f<T: Scalar, D: RemoveAxes<2>, O: Order, Dev: Backend<T>>(x: TensorView<'_, T, D, O, Dev>) {
    x.trace(0, 1);
}

pub fn main() {
    f(tensor![[1.0, 2.0], [3.0, 4.0]].view());
}
