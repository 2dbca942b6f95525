// Axes are counted from 0: the last of three is `Axis::<2>`.

use vierbein::{Axis, Rank, Tensor};

fn main() {
    let x: Tensor<f64, Rank<3>> = Tensor::ones([2, 3, 4]);
    let _ = x.sum_axis(Axis::<3>);
}
