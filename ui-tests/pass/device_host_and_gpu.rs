// One operand is on the host, the other on a GPU. Move one: `.to_device::<Cuda>()?`.

use vierbein::{Cuda, Error, Rank, RowMajor, Tensor};

fn sum(
    a: &Tensor<f64, Rank<2>>,
    b: &Tensor<f64, Rank<2>, RowMajor, Cuda>,
) -> Result<Tensor<f64, Rank<2>, RowMajor, Cuda>, Error> {
    Ok(a.to_device::<Cuda>()? + b)
}

pub fn main() {
    let _ = sum;
}
