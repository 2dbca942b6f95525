// A mask must be `bool`. Make one by a comparison: `.not_equal(0)`.

use vierbein::tensor;

pub fn main() {
    let mask = tensor![1, 0];
    let a = tensor![1.0, 2.0];
    let _ = mask.not_equal(0).select(&a, &a);
}
