// Other crates cannot add element types. Instead of a tensor of structs, use one tensor for each field of the struct.

use vierbein::{Rank, Tensor};

type Spin = i8;

fn up(n: usize) -> Tensor<Spin, Rank<1>> {
    Tensor::zeros([n])
}

pub fn main() {
    let _ = up(3);
}
