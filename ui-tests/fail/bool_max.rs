// `bool` has no maximum. Ask whether any element is `true`, or for the index of the first one.

use vierbein::tensor;

fn main() {
    let mask = tensor![false, true];
    let _ = mask.max();
}
