// A closure cannot run on a GPU. Apply an operation, `.apply(op::Square)`, or copy the tensor first: `.to_device::<Cpu>()?`.

use vierbein::{Cuda, Rank, RowMajor, Tensor, op};

fn squared(a: &Tensor<f64, Rank<2>, RowMajor, Cuda>) -> Tensor<f64, Rank<2>, RowMajor, Cuda> {
    let _ = op::Square;
    a.map(|x| x * x)
}

fn main() {
    let _ = squared;
}
