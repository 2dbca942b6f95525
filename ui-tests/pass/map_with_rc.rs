// `map` runs the closure on several threads, so the closure cannot change outside state. Use `.iter()` instead.

use std::cell::Cell;
use vierbein::tensor;

pub fn main() {
    let x = tensor![1.0, 2.0];
    let total = Cell::new(0.0);
    for x in &x {
        total.set(total.get() + x);
    }
    assert_eq!(total.get(), 3.0);
}
