// The bound `Backend` does not include decompositions. Add `Decompose<T>` to the bounds of the device.

use vierbein::linalg::{Decompose, LinalgElement};
use vierbein::{Backend, Order, Rank, Tensor, TensorView, tensor};

fn condition<T: LinalgElement, O: Order, Dev: Backend<T> + Decompose<T>>(
    a: TensorView<'_, T, Rank<2>, O, Dev>,
) -> Tensor<T::Magnitude, Rank<0>, O, Dev> {
    a.cond()
}

pub fn main() {
    let _ = condition(tensor![[1.0, 2.0], [3.0, 4.0]].view());
}
