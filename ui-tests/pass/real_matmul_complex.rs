// Converted, or as a contraction whose first operand is the complex one.

use vierbein::{Complex, einsum, tensor};

pub fn main() {
    let x = tensor![[0.0, 1.0], [2.0, 0.0]];
    let z = tensor![Complex::new(1.0, 2.0), Complex::new(0.0, 3.0)];
    let product = x.cast::<Complex<f64>>().matmul(&z);
    assert_eq!(product, einsum!("j,ij->i", &z, &x));
    assert_eq!(product, z.matmul(x.t()));
}
