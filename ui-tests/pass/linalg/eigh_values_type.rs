// The eigenvalues of Hermitian matrices are real.

use vierbein::{Rank, Tensor, c64};

pub fn main() {
    let a: Tensor<c64, Rank<2>> = Tensor::eye(3);
    let _w: Tensor<f64, Rank<1>> = a.eigvalsh();
}
