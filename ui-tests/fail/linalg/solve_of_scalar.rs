// A tensor of rank 0 is no right-hand side. Pass a vector, or right-hand sides as the columns of a matrix.

use vierbein::{Tensor, tensor};

fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = a.solve(Tensor::scalar(2.0));
}
