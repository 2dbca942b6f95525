// All rows must have the same length.

use vierbein::tensor;

pub fn main() {
    let _ = tensor![[1, 2, 3], [4, 5, 6]];
}
