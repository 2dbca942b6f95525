// A sum over one axis of a matrix is a vector. Bind it to `Rank<1>`, or keep the axis: `.sum_keepdims(0)`.

use vierbein::{Rank, Tensor};

fn main() {
    let x: Tensor<f64, Rank<2>> = Tensor::ones([2, 3]);
    let _total: Tensor<f64, Rank<2>> = x.sum_axis(0);
}
