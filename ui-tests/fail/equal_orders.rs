// `==` compares tensors of the same memory order. Use a free view: `.as_order::<RowMajor>()`.

use vierbein::{ColMajor, RowMajor, tensor};

fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let b = a.to_order::<ColMajor>();
    assert!(a == b.as_order::<ColMajor>());
    let _ = RowMajor;
}
