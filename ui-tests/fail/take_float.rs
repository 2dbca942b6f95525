// Positions are integers.

use vierbein::tensor;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let at = tensor![0.0, 1.0];
    let _ = x.take(0, &at);
}
