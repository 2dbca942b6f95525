// Two mutable views of one tensor might overlap. Split the tensor: `.split_at_mut(0, 1)`.

use vierbein::tensor;

pub fn main() {
    let mut x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let (mut first, second) = x.split_at_mut(0, 1);
    first += &second;
}
