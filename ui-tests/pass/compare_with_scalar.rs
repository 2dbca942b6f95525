// Compare the elements, which gives a mask, or one number.

use vierbein::tensor;

pub fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = x.gt(1.5);
    let _ = x.sum() > 1.5;
}
