// The rank of an outer product is the sum of the operands' ranks, at most 16.

use vierbein::{Rank, Tensor};

fn main() {
    let a: Tensor<f64, Rank<9>> = Tensor::ones([1; 9]);
    let _ = a.outer(&a);
}
