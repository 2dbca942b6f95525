// Only matrices and batches of matrices have triangles.

use vierbein::prelude::*;

pub fn main() {
    let v = tensor![[1.0, 2.0]];
    let _ = v.tril(0);
}
