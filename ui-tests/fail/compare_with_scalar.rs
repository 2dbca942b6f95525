// A matrix does not compare with a scalar as a whole.

use vierbein::tensor;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = x > 1.5;
}
