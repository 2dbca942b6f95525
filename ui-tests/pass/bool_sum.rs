// `bool` has no sum. Convert to integers to count: `.cast::<i64>()`.

use vierbein::tensor;

pub fn main() {
    let x = tensor![true, false];
    let _ = x.cast::<i64>().sum();
}
