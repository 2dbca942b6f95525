// A generic element type needs a bound for arithmetic: `T: Scalar`.

use vierbein::{Element, Rank, Scalar, TensorView, tensor};

fn f<T: Element>(x: TensorView<'_, T, Rank<1>>) {
    let _ = x + x;
}

fn main() {
    f(tensor![1.0, 2.0].view());
    fn _bound<T: Scalar>() {}
}
