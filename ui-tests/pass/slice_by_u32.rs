// Slice indices must be `usize`, `isize` or `i32`. An index of another type must be converted: `n as usize`.

use vierbein::{s, tensor};

pub fn main() {
    let x = tensor![[1, 2, 3], [4, 5, 6]];
    let n: u32 = 1;
    let _ = x.slice(s![.., n as usize]);
}
