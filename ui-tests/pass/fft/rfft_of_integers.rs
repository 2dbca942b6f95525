// Integers have no Fourier transform. Convert them: `.cast::<f64>()`.

use vierbein::tensor;

pub fn main() {
    let x = tensor![4_i64, 9];
    let _ = x.cast::<f64>().rfft(0);
}
