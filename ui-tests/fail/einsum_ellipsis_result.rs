// Axes without names cannot be summed; the result says where they go.

use vierbein::{Rank, Tensor, einsum};

fn main() {
    let a: Tensor<f64, Rank<3>> = Tensor::ones([2, 3, 4]);
    let _ = einsum!("i...->i", &a);
}
