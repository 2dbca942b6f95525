// The fields of the struct have names.

use vierbein::linalg::Svd;
use vierbein::tensor;

pub fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let Svd { u: _u, s: _s, vh: _vh } = a.svd();
}
