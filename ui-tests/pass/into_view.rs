use vierbein::op;
use vierbein::prelude::*;

pub fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let mut out = Tensor::<f64, Rank<2>>::zeros([2, 2]);
    a.apply_into(op::Exp, &mut out.view_mut());
}
