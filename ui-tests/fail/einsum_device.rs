// The operands of a contraction must be on the same device.

use vierbein::{Cuda, Rank, Tensor, einsum};

fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 2]);
    if let Ok(b) = a.to_device::<Cuda>() {
        let _ = einsum!("ij,jk->ik", &a, &b);
    }
}
