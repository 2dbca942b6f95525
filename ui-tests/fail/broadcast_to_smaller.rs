// A matrix does not broadcast to a row. Sum over the extra axis: `.sum_axis(0)`.

use vierbein::tensor;

fn main() {
    let matrix = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = matrix.broadcast_to([2]);
}
