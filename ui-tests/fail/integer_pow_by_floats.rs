// Integers have powers with integer exponents. Convert them for other exponents.

use vierbein::tensor;

fn main() {
    let a = tensor![2, 3];
    let _ = a.pow(&tensor![0.5, 1.5]);
}
