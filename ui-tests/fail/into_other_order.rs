// A result in the order of the operands does not fit into a tensor of the other order. Where `out` is to be written in its own
// order, write through a view of it in the operands': `&mut out.as_order_mut::<RowMajor>()`.

use vierbein::prelude::*;
use vierbein::op;

fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let mut out = Tensor::<f64, Rank<2>, ColMajor>::zeros([2, 2]);
    a.apply2_into(op::Add, &a, &mut out);
}
