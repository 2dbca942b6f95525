// Casts to a generic element type need a bound: `T: Scalar`. Casts from it, too: `T: CastTo<f64>`.

use vierbein::{Element, Rank, Scalar, Tensor, tensor};

fn weights<T: Element>() -> Tensor<T, Rank<1>> {
    tensor![0.5, 1.5].cast::<T>()
}

fn converted<T: Element>(x: &Tensor<f64, Rank<1>>) -> Tensor<T, Rank<1>> {
    x.cast()
}

fn numbers<T: Scalar>(x: &Tensor<T, Rank<1>>) -> Tensor<f64, Rank<1>> {
    x.cast()
}

fn main() {
    let _ = numbers(&weights::<f32>());
    let _ = converted::<f32>(&tensor![1.0]);
}
