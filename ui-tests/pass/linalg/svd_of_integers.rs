// Integers have no decompositions. Convert them: `.cast::<f64>()`.

use vierbein::tensor;

pub fn main() {
    let a = tensor![[1, 2], [3, 4]];
    let _ = a.cast::<f64>().svd();
}
