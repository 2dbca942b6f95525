// Only tensors of rank 0 and 1 change their memory order for free. Copy the matrix: `.to_order::<ColMajor>()`.

use vierbein::{ColMajor, tensor};

pub fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = x.to_order::<ColMajor>();
}
