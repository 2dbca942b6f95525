// Indices are `usize`: `x[[i as usize, 0]]`.

use vierbein::tensor;

pub fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let i: i32 = 1;
    let _ = x[[i as usize, 0]];
}
