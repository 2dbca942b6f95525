// A constant in generic code: `T::from_f64(0.5)`.

use vierbein::{Rank, RealScalar, Scalar, Tensor, tensor};

fn half<T: Scalar>(x: &Tensor<T, Rank<1>>) -> Tensor<T, Rank<1>> {
    x * T::from_f64(0.5)
}

fn halve<T: Scalar>(x: &mut Tensor<T, Rank<1>>) {
    *x *= T::from_f64(0.5);
}

fn is_large<T: RealScalar>(x: &Tensor<T, Rank<1>>) -> Tensor<bool, Rank<1>> {
    x.gt(T::from_f64(0.5))
}

pub fn main() {
    let mut x = half(&tensor![1.0, 2.0]);
    halve(&mut x);
    let _ = is_large(&x);
}
