// All rows must have the same length.

use vierbein::tensor;

fn main() {
    let _ = tensor![[1, 2, 3], [4, 5]];
}
