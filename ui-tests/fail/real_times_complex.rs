// A real tensor on the left of a complex one. Convert it, or put the complex tensor first.

use vierbein::{Complex, tensor};

fn main() {
    let weights = tensor![0.5, 2.0];
    let z = tensor![Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)];
    let _ = &weights * &z;
}
