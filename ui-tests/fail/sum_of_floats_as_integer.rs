// Floating-point numbers are not summed in an integer type. Convert the sum.

use vierbein::tensor;

fn main() {
    let a = tensor![1.5, 2.5];
    let _ = a.sum_as::<i64>();
}
