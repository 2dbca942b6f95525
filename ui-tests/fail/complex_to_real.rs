// A cast to real numbers would lose the imaginary part. Choose a part: `.re()`.

use vierbein::{Complex, tensor};

fn main() {
    let x = tensor![Complex::new(3.0, 4.0)];
    let _ = x.cast::<f64>();
}
