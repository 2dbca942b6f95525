// The operands differ in memory order. Convert one: `&b.to_order::<RowMajor>()` copies, `&b.as_order::<RowMajor>()` is
// a free view.

use vierbein::{ColMajor, Rank, RowMajor, Tensor};

fn main() {
    let a: Tensor<f64, Rank<2>, RowMajor> = Tensor::ones([2, 3]);
    let b: Tensor<f64, Rank<2>, ColMajor> = Tensor::ones([2, 3]);
    let _ = &a + &b;
}
