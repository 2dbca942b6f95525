// A generic element type needs a bound for arithmetic: `T: Scalar`.

use vierbein::{Rank, Scalar, TensorView, tensor};

fn f<T: Scalar>(x: TensorView<'_, T, Rank<1>>) {
    let _ = x + x;
}

pub fn main() {
    f(tensor![1.0, 2.0].view());
}
