// A tensor of rank 0 is no right-hand side, also in generic code. Bound the ranks.

use vierbein::linalg::LinalgElement;
use vierbein::{Dim, MatrixStack, Tensor};

fn fit<T: LinalgElement, D: MatrixStack, E: Dim>(a: &Tensor<T, D>, b: &Tensor<T, E>) {
    let _ = a.lstsq(b);
}

fn main() {
    fit(&Tensor::<f64, _>::ones([3, 2]), &Tensor::ones([3]));
}
