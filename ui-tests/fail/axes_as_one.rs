// One axis is removed by `sum_axis`, several by `sum_axes`.

use vierbein::tensor;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = x.sum_axis([0, 1]);
}
