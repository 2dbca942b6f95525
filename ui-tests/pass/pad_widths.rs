// `pad` takes one pair of widths for each axis.

use vierbein::prelude::*;

pub fn main() {
    let a: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let _ = a.pad([(1, 1), (0, 0)], Pad::Edge);
}
