// A specification determines the rank of each operand, so the rank cannot be generic.

use vierbein::{Dim, Rank, Tensor, TensorView, einsum, tensor};

fn main() {
    fn squares<D: Dim>(x: TensorView<'_, f64, D>) -> Tensor<f64, Rank<0>> {
        einsum!("i,i->", x, x)
    }
    let _ = squares(tensor![1.0, 2.0].view());
}
