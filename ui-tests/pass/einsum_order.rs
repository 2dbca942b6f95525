// The operands of a contraction must have the same memory order. Convert one: `.to_order::<RowMajor>()` copies,
// `.as_order::<RowMajor>()` is a free view.

use vierbein::{ColMajor, Rank, RowMajor, Tensor, einsum};

pub fn main() {
    let a: Tensor<f64, Rank<2>, RowMajor> = Tensor::ones([2, 2]);
    let b: Tensor<f64, Rank<2>, ColMajor> = Tensor::ones([2, 2]);
    let _ = einsum!("ij,jk->ik", &a, b.as_order::<RowMajor>());
}
