// The assigned tensor and the target differ in memory order. Assign a free view of the tensor: `.as_order::<RowMajor>()`.

use vierbein::{ColMajor, Rank, RowMajor, Tensor};

pub fn main() {
    let mut a: Tensor<f64, Rank<2>, RowMajor> = Tensor::zeros([2, 3]);
    let b: Tensor<f64, Rank<2>, ColMajor> = Tensor::ones([2, 3]);
    a.assign(&b.as_order::<RowMajor>());
}
