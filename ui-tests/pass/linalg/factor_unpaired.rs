// The two factors must have equal numbers of row labels and column labels, which are paired in order: here `i` with `k`, and `j` with `l`.

use vierbein::{Rank, Tensor, eigh};

pub fn main() {
    let h: Tensor<f64, Rank<4>> = Tensor::ones([2, 3, 2, 3]);
    let (_w, _v) = eigh!("ijkl -> ijn, nkl", &h);
}
