// A `TensorView` is read-only and cannot be an output.

use vierbein::prelude::*;
use vierbein::op;

fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let out = Tensor::<f64, Rank<2>>::zeros([2, 2]);
    a.apply_into(op::Exp, &mut out.view());
}
