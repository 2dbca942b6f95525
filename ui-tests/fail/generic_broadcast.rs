// Generic ranks need a bound to broadcast: `D: Broadcast<E>`.

use vierbein::{Backend, Broadcast, Dim, Order, Scalar, TensorView, tensor};

fn f<T, D, E, O, Dev>(x: TensorView<'_, T, D, O, Dev>, y: TensorView<'_, T, E, O, Dev>)
where
    T: Scalar,
    D: Dim,
    E: Dim,
    O: Order,
    Dev: Backend<T>,
{
    let _ = x + y;
}

fn main() {
    f(tensor![[1.0, 2.0], [3.0, 4.0]].view(), tensor![1.0, 2.0].view());
    fn _bound<D: Broadcast<E>, E>() {}
}
