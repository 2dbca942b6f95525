// Call the operator's method, or bind the view to a variable.

use vierbein::prelude::*;

pub fn main() {
    let mut x = tensor![[1.0, 2.0], [3.0, 4.0]];
    x.slice_mut(s![0, ..]).add_assign(1.0);
    let mut row = x.slice_mut(s![0, ..]);
    row += 1.0;
}
