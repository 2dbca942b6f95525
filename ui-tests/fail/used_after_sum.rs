// `a + b` consumes both operands, to reuse a buffer for the sum. Borrow them: `&a + &b`.

use vierbein::tensor;

fn main() {
    let a = tensor![1.0, 2.0];
    let b = tensor![3.0, 4.0];
    let _ = a + b;
    assert_eq!(a.len(), 2);
}
