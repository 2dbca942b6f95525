// Floating-point numbers have no bitwise operators. Compare them first.

use vierbein::tensor;

fn main() {
    let a = tensor![1.0, 2.0];
    let _ = &a & &a;
}
