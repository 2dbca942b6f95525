// `irfft` takes the result of `rfft`. For real numbers, convert them first: `.cast::<Complex<f64>>()`.

use vierbein::{Complex, tensor};

pub fn main() {
    let x = tensor![1.0, 2.0];
    let _ = x.cast::<Complex<f64>>().irfft(0, 2);
}
