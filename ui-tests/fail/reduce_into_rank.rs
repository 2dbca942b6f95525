// The sum over one axis of a matrix has one axis, so the output must have one axis.

use vierbein::prelude::*;
use vierbein::op;

fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let mut out = Tensor::<f64, Rank<2>>::zeros([2, 2]);
    a.reduce_into(op::Sum, [0], &mut out);
}
