// The parts of a concatenation must have the same memory order.

use vierbein::prelude::*;

pub fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let b = a.to_order::<ColMajor>();
    let _ = concatenate(0, [a.view(), b.as_order()]);
}
