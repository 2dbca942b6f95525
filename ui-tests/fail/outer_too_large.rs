// The ranks of an outer product add up, to 16 at most.

use vierbein::{Rank, Tensor};

fn main() {
    let a: Tensor<f64, Rank<9>> = Tensor::ones([1; 9]);
    let _ = a.outer(&a);
}
