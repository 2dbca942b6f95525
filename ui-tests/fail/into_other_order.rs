// The output must have the memory order of the operands. To write to a tensor of the other memory order, pass a view of it in the
// operands' memory order: `&mut out.as_order_mut::<RowMajor>()`.

use vierbein::prelude::*;
use vierbein::op;

fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let mut out = Tensor::<f64, Rank<2>, ColMajor>::zeros([2, 2]);
    a.apply2_into(op::Add, &a, &mut out);
}
