// The right operand and the target differ in memory order. Add a free view of the operand: `.as_order::<RowMajor>()`.

use vierbein::{ColMajor, Rank, RowMajor, Tensor};

pub fn main() {
    let mut a: Tensor<f64, Rank<2>, RowMajor> = Tensor::zeros([2, 3]);
    let b: Tensor<f64, Rank<2>, ColMajor> = Tensor::ones([2, 3]);
    a += &b.as_order::<RowMajor>();
}
