// The largest rank is 16. Merge axes first: `.reshape(..)`.

use vierbein::{Rank, Tensor};

fn main() {
    let x: Tensor<f64, Rank<16>> = Tensor::ones([1; 16]);
    let _ = x.insert_axis(0);
}
