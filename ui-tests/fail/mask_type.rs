// A mask is a tensor of `bool`.

use vierbein::tensor;

fn main() {
    let x = tensor![1.0, 2.0];
    let _ = x.masked(tensor![1, 0]);
}
