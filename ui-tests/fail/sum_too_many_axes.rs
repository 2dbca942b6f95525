// A matrix has only two axes to sum over.

use vierbein::tensor;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = x.sum_axes([0, 1, 2]);
}
