//

use vierbein::{Complex, Tensor};

pub fn main() {
    let _ = Tensor::<f64, _>::arange(0.0..4.0).cast::<Complex<f64>>();
}
