// An axis is a `usize` or an `Axis::<K>`.

use vierbein::tensor;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let _ = x.sum_axis(1.0);
}
