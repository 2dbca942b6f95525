// `bool` is not a number, so it is no type of a sum. Compare the sum.

use vierbein::tensor;

fn main() {
    let a = tensor![1, 0];
    let _ = a.sum_as::<bool>();
}
