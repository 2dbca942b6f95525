// An index has one number per axis.

use vierbein::tensor;

pub fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = x.at([[0, 0], [1, 0]]);
}
