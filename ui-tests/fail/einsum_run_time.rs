// The specification must be known at compile time.

use vierbein::{Rank, Tensor, einsum};

fn main() {
    let a: Tensor<f64, Rank<1>> = Tensor::ones([2]);
    let spec = "i->";
    let _ = einsum!(spec, &a);
}
