// The operand must be a tensor: borrowed, owned, or a view.

use vierbein::{svd, tensor};

pub fn main() {
    let rows = tensor![[1.0, 2.0], [3.0, 4.0]];
    let (_u, _s, _vh) = svd!("ab -> ak, kb", &rows);
}
