// Complex numbers are not ordered. Take the smallest absolute values: `.abs()`.

use vierbein::{Complex, tensor};

pub fn main() {
    let x = tensor![Complex::new(3.0, 4.0), Complex::new(0.0, 1.0)];
    let _ = x.abs().bottom_k(0, 1);
}
