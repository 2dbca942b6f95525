// A vector is no matrix. Insert an axis to get a matrix with one row.

use vierbein::tensor;

fn main() {
    let x = tensor![1.0, 2.0];
    let _ = x.svd();
}
