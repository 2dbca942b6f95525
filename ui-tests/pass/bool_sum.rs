// Truth values have no sum. Count them as numbers: `.cast::<i64>()`.

use vierbein::tensor;

pub fn main() {
    let x = tensor![true, false];
    let _ = x.cast::<i64>().sum();
}
