// A mask has the rank of the tensor.

use vierbein::tensor;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let rows = tensor![true, false];
    let _ = x.masked(&rows);
}
