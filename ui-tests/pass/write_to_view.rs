// A `TensorView` is read-only. Take a mutable view: `.view_mut()`.

use vierbein::tensor;

pub fn main() {
    let mut x = tensor![1.0, 2.0];
    x.view_mut().fill(1.0);
    x.view_mut().fill(0.0);
}
