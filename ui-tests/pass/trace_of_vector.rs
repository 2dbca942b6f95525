// A trace needs two axes, but a vector has one. The sum of a vector is `.sum()`.

use vierbein::tensor;

pub fn main() {
    let x = tensor![1.0, 2.0, 3.0];
    let _ = x.sum();
}
