// `usize` is no element type, for its size differs between machines. Store `u64` or `i64`.

use vierbein::{Rank, Tensor};

pub fn main() {
    let _: Tensor<u64, Rank<1>> = Tensor::zeros([3]);
}
