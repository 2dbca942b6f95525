// Polynomials are fitted to floating-point or complex numbers. Convert integers first.

use vierbein::tensor;

pub fn main() {
    let (x, y) = (tensor![0, 1, 2], tensor![1, 3, 5]);
    let _ = x.cast::<f64>().polyfit(y.cast::<f64>(), 1);
}
