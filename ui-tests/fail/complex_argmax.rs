// Complex numbers are not ordered. Find the largest absolute value: `.abs()`.

use vierbein::{Complex, tensor};

fn main() {
    let x = tensor![Complex::new(3.0, 4.0), Complex::new(0.0, 1.0)];
    let _ = x.argmax();
}
