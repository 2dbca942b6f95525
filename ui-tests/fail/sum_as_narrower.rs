// A sum has a type that has all values of the elements. Convert the elements first, if they may be rounded.

use vierbein::tensor;

fn main() {
    let a = tensor![1.0_f64, 2.0];
    let _ = a.sum_as::<f32>();
}
