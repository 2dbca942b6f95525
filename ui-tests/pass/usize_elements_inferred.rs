// `usize` is not an element type, because its size depends on the machine. Use `u64` or `i64`.

use vierbein::tensor;

pub fn main() {
    let n = [1, 2, 3].len();
    let _ = tensor![n as u64, 2 * n as u64];
}
