// A slice has one argument for each axis, and a matrix has two axes. Write `NewAxis` for a new axis.

use vierbein::{NewAxis, s, tensor};

pub fn main() {
    let x = tensor![[1, 2, 3], [4, 5, 6]];
    let _ = x.slice(s![0, .., NewAxis]);
}
