// Two mutable views of one tensor might overlap. Split it: `.split_at_mut(0, 1)`.

use vierbein::tensor;

fn main() {
    let mut x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let mut first = x.index_axis_mut(0, 0);
    let second = x.index_axis_mut(0, 1);
    first += &second;
}
