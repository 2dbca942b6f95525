// A trace needs two different axes.

use vierbein::{Axis, Rank, Tensor};

fn main() {
    let x: Tensor<f64, Rank<3>> = Tensor::ones([2, 3, 2]);
    let _ = x.trace(Axis::<0>, Axis::<0>);
}
