// Floating-point numbers have no bitwise operators. Compare them first.

use vierbein::tensor;

pub fn main() {
    let a = tensor![1.0, 2.0];
    let _ = a.greater(0.0) & a.less(2.0);
}
