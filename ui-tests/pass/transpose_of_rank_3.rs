// `t` transposes matrices only. Name the axes: `.swap_axes(1, 2)`.

use vierbein::{Rank, Tensor};

pub fn main() {
    let x: Tensor<f64, Rank<3>> = Tensor::ones([2, 3, 4]);
    let _ = x.swap_axes(1, 2);
}
