// An axis is a `usize`, an `isize`, an `i32` or an `Axis::<K>`.

use vierbein::tensor;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let k: i64 = 1;
    let _ = x.sum_axis(k);
}
