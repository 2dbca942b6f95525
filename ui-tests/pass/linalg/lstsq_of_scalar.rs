// A tensor of rank 0 cannot be a right-hand side. Generic code needs a bound on the ranks: `D: SolveRanks<E>`.

use vierbein::linalg::{LinalgElement, SolveRanks};
use vierbein::{Dim, MatrixStack, Tensor};

fn fit<T: LinalgElement, D: MatrixStack + SolveRanks<E>, E: Dim>(a: &Tensor<T, D>, b: &Tensor<T, E>) {
    let _ = a.lstsq(b);
}

pub fn main() {
    fit(&Tensor::<f64, _>::ones([3, 2]), &Tensor::ones([3]));
}
