// Integers have powers with integer exponents. Convert them for other exponents.

use vierbein::tensor;

pub fn main() {
    let a = tensor![2, 3];
    let _ = a.cast::<f64>().powf(0.5);
}
