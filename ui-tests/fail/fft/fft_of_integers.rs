// Integers have no Fourier transform. Convert them: `.cast::<f64>()`.

use vierbein::tensor;

fn main() {
    let x = tensor![4, 9];
    let _ = x.fft(0);
}
