// Indices are integers.

use vierbein::tensor;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let i = 1.0_f64;
    let _ = x[[i, 0.0]];
}
