// A tensor of rank 0 has no axis.

use vierbein::tensor;

pub fn main() {
    let total = tensor![1.0, 2.0].sum_keepdims(0);
    let _ = total.take(0, [0]);
}
