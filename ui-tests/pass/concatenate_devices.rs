// The parts of a concatenation must be on the same device.

use vierbein::prelude::*;
use vierbein::{Cuda, Error};

fn joined(a: &Tensor<f64, Rank<2>>, b: &Tensor<f64, Rank<2>, RowMajor, Cuda>) -> Result<(), Error> {
    let _ = concatenate(0, [a, &b.to_device::<Cpu>()?]);
    Ok(())
}

pub fn main() {
    let _ = joined;
}
