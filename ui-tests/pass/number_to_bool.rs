// Numbers cannot be cast to `bool`. Make masks by a comparison: `.not_equal(0)`.

use vierbein::tensor;

pub fn main() {
    let x = tensor![1, 0];
    let _ = x.not_equal(0);
}
