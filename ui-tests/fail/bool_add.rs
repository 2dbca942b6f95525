// `bool` has no arithmetic. Combine masks with `|`, or convert them to numbers: `.cast::<u8>()`.

use vierbein::tensor;

fn main() {
    let a = tensor![true, false];
    let b = tensor![true, true];
    let _ = &a + &b;
}
