// An axis is an integer, or `Axis::<K>`.

use vierbein::prelude::*;

fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let _ = concatenate(0.0, [&a, &a]);
}
