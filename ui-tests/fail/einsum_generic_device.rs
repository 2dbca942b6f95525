// Generic code needs a bound on the device: `Dev: Backend<f64>`.

use vierbein::{Rank, RowMajor, Tensor, einsum, tensor};

fn main() {
    fn product<Dev: vierbein::Device>(x: &Tensor<f64, Rank<2>, RowMajor, Dev>) -> Tensor<f64, Rank<2>, RowMajor, Dev> {
        einsum!("ij,jk->ik", x, x)
    }
    let _ = product(&tensor![[1.0]]);
}
