// Positions are integers.

use vierbein::tensor;

pub fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let at = tensor![0.0, 1.0];
    let _ = x.take(0, x.take(0, [0]).gt(2.0).nonzero().index_axis(1, 0));
    let _ = x.take(0, at.map(|x| x as i64));
}
