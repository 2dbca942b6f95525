// `svd` returns a struct.

use vierbein::tensor;

fn main() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let (_u, _s, _vh) = a.svd();
}
