// `t` transposes matrices only. Name the axes: `.swap_axes(1, 2)`.

use vierbein::{Rank, Tensor};

fn main() {
    let x: Tensor<f64, Rank<3>> = Tensor::ones([2, 3, 4]);
    let _ = x.t();
}
