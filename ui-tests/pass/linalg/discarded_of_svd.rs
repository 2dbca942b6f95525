// `svd!` returns three factors. `svd_truncated!` also returns what the truncation discards.

use vierbein::prelude::*;

pub fn main() {
    let x = tensor![[2.0, 0.0], [0.0, 1.0]];
    let (_u, _s, _vh, discarded) = svd_truncated!("ij -> ik, kj", &x; max_rank = 1);
    println!("{}", discarded.weight);
}
