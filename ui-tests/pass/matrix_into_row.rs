// A matrix does not broadcast to a row. Sum over the extra axis: `.sum_axis(0)`.

use vierbein::tensor;

pub fn main() {
    let mut row = tensor![1.0, 2.0];
    let matrix = tensor![[1.0, 2.0], [3.0, 4.0]];
    row += &matrix.sum_axis(0);
}
