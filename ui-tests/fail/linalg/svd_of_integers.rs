// Integers have no decompositions. Convert them: `.cast::<f64>()`.

use vierbein::tensor;

fn main() {
    let a = tensor![[1, 2], [3, 4]];
    let _ = a.svd();
}
