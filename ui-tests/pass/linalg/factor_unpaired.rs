// The labels of rows and columns of a Hermitian matrix are paired by their order in the two factors.

use vierbein::{Rank, Tensor, eigh};

pub fn main() {
    let h: Tensor<f64, Rank<4>> = Tensor::ones([2, 3, 2, 3]);
    let (_w, _v) = eigh!("ijkl -> ijn, nkl", &h);
}
