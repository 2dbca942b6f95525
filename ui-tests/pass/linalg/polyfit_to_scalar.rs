// The values at the points are a vector, or the columns of a matrix, not one number.

use vierbein::{Tensor, tensor};

pub fn main() {
    let x = tensor![0.0, 1.0];
    let _ = x.polyfit(Tensor::full([2], 2.0), 1);
}
