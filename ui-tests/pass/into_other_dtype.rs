use vierbein::op;
use vierbein::prelude::*;

pub fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let mut out = Tensor::<bool, Rank<2>>::full([2, 2], false);
    a.apply2_into(op::Lt, 2.0, &mut out);
}
