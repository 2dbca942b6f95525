// Numbers do not become truth values by themselves. Compare: `.not_equal(0)`.

use vierbein::tensor;

fn main() {
    let x = tensor![1, 0];
    let _ = x.cast::<bool>();
}
