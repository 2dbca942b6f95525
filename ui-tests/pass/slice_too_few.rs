// A slice needs an argument for each axis. Write `..` for a whole axis: `s![0, ..]`.

use vierbein::{s, tensor};

pub fn main() {
    let x = tensor![[1, 2, 3], [4, 5, 6]];
    let _ = x.slice(s![0, ..]);
}
