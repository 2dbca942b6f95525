// A mask must have the rank of the tensor.

use vierbein::tensor;

pub fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let rows = tensor![true, false];
    let _ = x.masked(rows.broadcast_to([2, 2]));
    let _ = x.compress(0, &rows);
}
