// A tensor of rank 0 has no axis.

use vierbein::tensor;

fn main() {
    let total = tensor![1.0, 2.0].sum();
    let _ = total.take(0, [0]);
}
