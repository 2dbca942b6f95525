// A stack has one axis more than its parts.

use vierbein::prelude::*;

pub fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let _: Tensor<f64, Rank<3>> = stack(0, [&a, &a]);
}
