// `linspace` is defined for floating-point numbers only. For integers, use `Tensor::arange(0..5)`.

use vierbein::Tensor;

fn main() {
    let _ = Tensor::<i32, _>::linspace(0, 4, 5);
}
