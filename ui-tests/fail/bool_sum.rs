// Truth values have no sum. Count them as numbers: `.cast::<i64>()`.

use vierbein::tensor;

fn main() {
    let x = tensor![true, false];
    let _ = x.sum();
}
