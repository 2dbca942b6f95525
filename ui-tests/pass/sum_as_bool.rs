// `bool` is not a number, so it is no type of a sum. Compare the sum.

use vierbein::tensor;

pub fn main() {
    let a = tensor![1, 0];
    let _ = a.not_equal(0).any();
}
