// Integers have no Fourier transform. Convert them: `.cast::<f64>()`.

use vierbein::tensor;

fn main() {
    let x = tensor![4_i64, 9];
    let _ = x.rfft(0);
}
