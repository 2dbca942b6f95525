// The natural logarithm is `ln`; `log` takes the base.

use vierbein::tensor;

fn main() {
    let x = tensor![1.0, 2.0];
    let _ = x.log();
}
