// The specification must be known at compile time.

use vierbein::{Rank, Tensor, einsum};

pub fn main() {
    let a: Tensor<f64, Rank<1>> = Tensor::ones([2]);
    const SPEC: &str = "i->";
    let _ = einsum!(SPEC, &a);
}
