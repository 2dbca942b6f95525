// Integers have no decimals.

use vierbein::tensor;

fn main() {
    let a = tensor![12, 13];
    let _ = a.round_to(1);
}
