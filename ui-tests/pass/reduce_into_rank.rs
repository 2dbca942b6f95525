use vierbein::op;
use vierbein::prelude::*;

pub fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let mut out = Tensor::<f64, Rank<1>>::zeros([2]);
    a.reduce_into(op::Sum, [0], &mut out);
}
