// A dot product needs two tensors of the same rank. Multiply matrices with `matmul`.

use vierbein::{Rank, Tensor};

fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let _ = a.dot(&Tensor::<f64, _>::ones([3]));
}
