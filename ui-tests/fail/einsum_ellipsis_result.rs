// Axes of an ellipsis cannot be summed, so the result must contain the ellipsis.

use vierbein::{Rank, Tensor, einsum};

fn main() {
    let a: Tensor<f64, Rank<3>> = Tensor::ones([2, 3, 4]);
    let _ = einsum!("i...->i", &a);
}
