// Complex numbers are not ordered. Make a range of real numbers and convert it: `.cast::<Complex<f64>>()`.

use vierbein::{Complex, Tensor};

fn main() {
    let zero = Complex::new(0.0, 0.0);
    let _ = Tensor::<Complex<f64>, _>::arange(zero..zero);
}
