// `sum` sums all elements and has no argument.

use vierbein::tensor;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = x.sum(0);
}
