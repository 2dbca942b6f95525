// Floating-point numbers have no bitwise operators.

use vierbein::tensor;

pub fn main() {
    let a = tensor![1.0, 2.0];
    let _ = -&a;
}
