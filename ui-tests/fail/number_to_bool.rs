// Numbers cannot be cast to `bool`. Make masks by a comparison: `.not_equal(0)`.

use vierbein::tensor;

fn main() {
    let x = tensor![1, 0];
    let _ = x.cast::<bool>();
}
