// Unsigned integers cannot be negated. Convert them: `.cast::<i64>()`.

use vierbein::tensor;

pub fn main() {
    let x = tensor![1u8, 2];
    let _ = -&x.cast::<i64>();
}
