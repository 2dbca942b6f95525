// Equal steps between two integers are seldom integers. Count them, `Tensor::arange(0..5)`, or give floating ends.

use vierbein::Tensor;

fn main() {
    let _ = Tensor::<i32, _>::linspace(0, 4, 5);
}
