// A permutation has one number for each axis.

use vierbein::Tensor;

fn main() {
    let x = Tensor::<f64, _>::zeros([2, 3, 4]);
    let _ = x.permute([1, 0]);
}
