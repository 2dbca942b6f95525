// `item` is defined for rank 0 only. Sum the vector, or index it: `x[[0]]`.

use vierbein::tensor;

fn main() {
    let x = tensor![1.0, 2.0];
    let _ = x.item();
}
