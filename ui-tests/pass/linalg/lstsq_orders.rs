// The operands differ in memory order. Convert one: `.to_order::<RowMajor>()` copies, `.as_order::<RowMajor>()` is a
// free view.

use vierbein::{ColMajor, Rank, RowMajor, Tensor};

pub fn main() {
    let a: Tensor<f64, Rank<2>, RowMajor> = Tensor::ones([4, 2]);
    let b: Tensor<f64, Rank<1>, ColMajor> = Tensor::ones([4]);
    let _ = a.lstsq(b.as_order::<RowMajor>());
}
