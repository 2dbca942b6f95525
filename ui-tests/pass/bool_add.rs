// Truth values have no arithmetic. Combine them with `|`, or turn them into numbers: `.cast::<u8>()`.

use vierbein::tensor;

pub fn main() {
    let a = tensor![true, false];
    let b = tensor![true, true];
    let _ = &a | &b;
}
