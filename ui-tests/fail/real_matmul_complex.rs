// A real matrix cannot be the left operand of a product with a complex one: the left operand determines the element type of the result.

use vierbein::{Complex, tensor};

fn main() {
    let x = tensor![[0.0, 1.0], [2.0, 0.0]];
    let z = tensor![Complex::new(1.0, 2.0), Complex::new(0.0, 3.0)];
    let _ = x.matmul(&z);
}
