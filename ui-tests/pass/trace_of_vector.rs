// A trace needs two axes, a vector has one. Its sum is `.sum()`.

use vierbein::tensor;

pub fn main() {
    let x = tensor![1.0, 2.0, 3.0];
    let _ = x.sum();
}
