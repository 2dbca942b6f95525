// The eigenvalues of Hermitian matrices are real.

use vierbein::{Rank, Tensor, c64};

fn main() {
    let a: Tensor<c64, Rank<2>> = Tensor::eye(3);
    let _w: Tensor<c64, Rank<1>> = a.eigvalsh();
}
