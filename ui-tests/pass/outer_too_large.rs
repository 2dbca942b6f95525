// The ranks of an outer product add up, to 16 at most.

use vierbein::{Rank, Tensor};

pub fn main() {
    let a: Tensor<f64, Rank<8>> = Tensor::ones([1; 8]);
    let _ = a.outer(&a);
}
