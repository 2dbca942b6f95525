// A complex tensor on the left accepts a real one. A real tensor on the left is converted.

use vierbein::{Complex, c64, tensor};

pub fn main() {
    let weights = tensor![0.5, 2.0];
    let z = tensor![Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)];
    let _ = &z * &weights;
    let _ = weights.cast::<c64>() * &z;
}
