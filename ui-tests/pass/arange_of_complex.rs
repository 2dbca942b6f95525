// Complex numbers are not ordered. Make a range of real numbers and convert it: `.cast::<Complex<f64>>()`.

use vierbein::{Complex, Tensor};

pub fn main() {
    let _ = Tensor::<f64, _>::arange(0.0..4.0).cast::<Complex<f64>>();
}
