// Floating-point numbers have no bitwise operators. Compare them first.

use vierbein::tensor;

pub fn main() {
    let a = tensor![1.0, 2.0];
    let _ = a.gt(0.0) & a.lt(2.0);
}
