// An array of positions must contain integers.

use vierbein::tensor;

pub fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = x.take(1, [0, 1]);
}
