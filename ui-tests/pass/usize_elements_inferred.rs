// `usize` is no element type, for its size differs between machines. Store `u64` or `i64`.

use vierbein::tensor;

pub fn main() {
    let n = [1, 2, 3].len();
    let _ = tensor![n as u64, 2 * n as u64];
}
