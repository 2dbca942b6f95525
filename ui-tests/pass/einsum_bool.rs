// A mask is no number: count with `.cast::<i64>()`.

use vierbein::{einsum, tensor};

pub fn main() {
    let a = tensor![[true, false], [true, true]];
    let _ = einsum!("ij->i", &a.cast::<i64>());
}
