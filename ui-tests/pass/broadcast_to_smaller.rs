// A matrix does not fit into a row. Sum the axis away that the row lacks: `.sum_axis(0)`.

use vierbein::tensor;

pub fn main() {
    let matrix = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = matrix.sum_axis(0).broadcast_to([2]);
}
