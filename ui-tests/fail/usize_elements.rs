// `usize` is not an element type, because its size depends on the machine. Use `u64` or `i64`.

use vierbein::{Rank, Tensor};

fn main() {
    let _: Tensor<usize, Rank<1>> = Tensor::zeros([3]);
}
