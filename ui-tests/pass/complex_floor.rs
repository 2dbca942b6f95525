// Complex numbers cannot be rounded. Round their parts: `.re().floor()`.

use vierbein::{Complex, tensor};

pub fn main() {
    let x = tensor![Complex::new(3.5, 4.0)];
    let _ = x.re().floor();
}
