// A slice has an argument for each axis. Write `..` for what stays whole: `s![0, ..]`.

use vierbein::{s, tensor};

pub fn main() {
    let x = tensor![[1, 2, 3], [4, 5, 6]];
    let _ = x.slice(s![0, ..]);
}
