// A vector has more than one item. Sum it, or choose one: `x[[0]]`.

use vierbein::tensor;

pub fn main() {
    let x = tensor![1.0, 2.0];
    let _ = x[[0]];
}
