// Equal steps between two integers are seldom integers. Count them, `Tensor::arange(0..5)`, or give floating ends.

use vierbein::Tensor;

pub fn main() {
    let _ = Tensor::<i32, _>::arange(0..5);
}
