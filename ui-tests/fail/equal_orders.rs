// `==` compares tensors of the same memory order. `.as_order::<RowMajor>()` is a view in the other order, without a copy.

use vierbein::{ColMajor, RowMajor, tensor};

fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let b = a.to_order::<ColMajor>();
    assert!(a == b.as_order::<ColMajor>());
    let _ = RowMajor;
}
