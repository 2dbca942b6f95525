// A specification determines the rank of each operand, so the rank cannot be generic.

use vierbein::{Rank, Tensor, TensorView, einsum, tensor};

pub fn main() {
    fn squares(x: TensorView<'_, f64, Rank<1>>) -> Tensor<f64, Rank<0>> {
        einsum!("i,i->", x, x)
    }
    let _ = squares(tensor![1.0, 2.0].view());
}
