// A tensor of rank 0 has no matrix axes. Scale with `*`.

use vierbein::{Tensor, tensor};

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let two = Tensor::scalar(2.0);
    let _ = x.matmul(&two);
}
