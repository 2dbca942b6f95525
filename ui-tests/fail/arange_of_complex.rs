// Complex numbers have no order to count in. Count real ones and convert them: `.cast::<Complex<f64>>()`.

use vierbein::{Complex, Tensor};

fn main() {
    let zero = Complex::new(0.0, 0.0);
    let _ = Tensor::<Complex<f64>, _>::arange(zero..zero);
}
