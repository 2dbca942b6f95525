// A dot product is of two tensors of one rank; matrices are multiplied with `matmul`.

use vierbein::{Rank, Tensor};

fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let _ = a.dot(&Tensor::<f64, _>::ones([3]));
}
