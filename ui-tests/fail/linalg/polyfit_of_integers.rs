// Polynomials are fitted to floating-point or complex numbers. Convert integers first.

use vierbein::tensor;

fn main() {
    let (x, y) = (tensor![0, 1, 2], tensor![1, 3, 5]);
    let _ = x.polyfit(&y, 1);
}
