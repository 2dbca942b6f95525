// A matrix is indexed by two numbers: `x[[1, 0]]`. A whole row is `x.index_axis(0, 1)`.

use vierbein::tensor;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = x[[1]];
}
