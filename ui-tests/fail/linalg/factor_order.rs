// The factors have the memory order of the operand.

use vierbein::{ColMajor, Rank, RowMajor, Tensor, qr};

fn main() {
    let x: Tensor<f64, Rank<2>, ColMajor> = Tensor::ones([2, 3]);
    let (_q, _r): (Tensor<f64, Rank<2>, RowMajor>, _) = qr!("ab -> ak, kb", &x);
}
