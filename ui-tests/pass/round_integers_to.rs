// Integers have no decimals.

use vierbein::tensor;

pub fn main() {
    let a = tensor![12, 13];
    let _ = a.cast::<f64>().round_to(1);
}
