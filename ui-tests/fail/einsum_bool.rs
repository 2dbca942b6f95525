// Masks have no arithmetic. Convert to integers to count: `.cast::<i64>()`.

use vierbein::{einsum, tensor};

fn main() {
    let a = tensor![[true, false], [true, true]];
    let _ = einsum!("ij->i", &a);
}
