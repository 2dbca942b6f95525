// The operator `+=` needs a variable or another place on the left, and `slice_mut` returns a view.

use vierbein::prelude::*;

fn main() {
    let mut x = tensor![[1.0, 2.0], [3.0, 4.0]];
    x.slice_mut(s![0, ..]) += 1.0;
}
