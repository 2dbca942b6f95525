// Elements under a mask: `x.masked(&mask)`.

use vierbein::tensor;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let mask = x.gt(2.0);
    let _ = x[mask];
}
