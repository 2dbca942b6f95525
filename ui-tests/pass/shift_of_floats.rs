// Only integers have shifts. Multiply floating-point numbers by a power of two.

use vierbein::tensor;

pub fn main() {
    let a = tensor![1.0, 2.0];
    let _ = &a * &tensor![8.0, 2.0];
}
