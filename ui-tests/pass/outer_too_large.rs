// The rank of an outer product is the sum of the operands' ranks, at most 16.

use vierbein::{Rank, Tensor};

pub fn main() {
    let a: Tensor<f64, Rank<8>> = Tensor::ones([1; 8]);
    let _ = a.outer(&a);
}
