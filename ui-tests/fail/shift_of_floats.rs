// Only integers have shifts. Multiply floating-point numbers by a power of two.

use vierbein::tensor;

fn main() {
    let a = tensor![1.0, 2.0];
    let _ = &a << &tensor![3.0, 1.0];
}
