// `linspace` is defined for floating-point numbers only. For integers, use `Tensor::arange(0..5)`.

use vierbein::Tensor;

pub fn main() {
    let _ = Tensor::<i32, _>::arange(0..5);
}
