// Slice indices must be integers: `1`.

use vierbein::{s, tensor};

pub fn main() {
    let x = tensor![[1, 2, 3], [4, 5, 6]];
    let _ = x.slice(s![.., 1]);
}
