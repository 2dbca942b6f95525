// The eigenvalues of a matrix are a vector, so the result has one axis fewer than the matrix.

use vierbein::{Rank, Tensor};

pub fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::eye(3);
    let _w: Tensor<f64, Rank<1>> = a.eigvalsh();
}
