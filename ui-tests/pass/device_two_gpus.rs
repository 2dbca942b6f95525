// The operands are on two GPUs. Move one: `.to_device::<Cuda<0>>()?`.

use vierbein::{Cuda, Error, Rank, RowMajor, Tensor};

fn product(
    a: &Tensor<f64, Rank<2>, RowMajor, Cuda<0>>,
    b: &Tensor<f64, Rank<2>, RowMajor, Cuda<1>>,
) -> Result<Tensor<f64, Rank<2>, RowMajor, Cuda<0>>, Error> {
    Ok(a.matmul(&b.to_device::<Cuda<0>>()?))
}

pub fn main() {
    let _ = product;
}
