// An index is an array: `x[[1, 0]]`.

use vierbein::tensor;

pub fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = x[[1, 0]];
}
