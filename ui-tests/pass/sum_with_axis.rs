// `sum_axis` sums over one axis.

use vierbein::tensor;

pub fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = x.sum_axis(0);
}
