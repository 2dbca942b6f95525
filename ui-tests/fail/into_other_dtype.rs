// The result of a comparison is `bool`, so the output must be `bool`.

use vierbein::prelude::*;
use vierbein::op;

fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let mut out = Tensor::<f64, Rank<2>>::zeros([2, 2]);
    a.apply2_into(op::Lt, 2.0, &mut out);
}
