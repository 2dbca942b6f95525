// A view must not outlive the tensor that it borrows. Return a copy: `.to_owned()`.

use vierbein::{Rank, Tensor, tensor};

pub fn main() {
    let row = {
        let x: Tensor<f64, Rank<2>> = tensor![[1.0, 2.0], [3.0, 4.0]];
        x.index_axis(0, 0).to_owned()
    };
    assert_eq!(row, tensor![1.0, 2.0]);
}
