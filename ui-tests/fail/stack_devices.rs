// The parts of a stack are on the same device.

use vierbein::prelude::*;
use vierbein::{Cuda, Error};

fn stacked(a: &Tensor<f64, Rank<1>>, b: &Tensor<f64, Rank<1>, RowMajor, Cuda>) -> Result<(), Error> {
    let _ = stack(0, [a, b]);
    Ok(())
}

fn main() {
    let _ = stacked;
}
