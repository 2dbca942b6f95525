// The result for a matrix and a row is a matrix, so the output must be a matrix.

use vierbein::prelude::*;
use vierbein::op;

fn main() {
    let (a, row) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![1.0, 2.0]);
    let mut out = Tensor::<f64, Rank<1>>::zeros([2]);
    a.apply2_into(op::Add, &row, &mut out);
}
