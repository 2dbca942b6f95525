// Other crates cannot add element types. Instead of a tensor of structs, use one tensor for each field of the struct.

use vierbein::{DType, Element, Rank, Tensor};

#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Spin(i8);

impl Element for Spin {
    const DTYPE: DType = DType::I8;
}

fn up(n: usize) -> Tensor<Spin, Rank<1>> {
    Tensor::zeros([n])
}

fn main() {
    let _ = up(3);
}
