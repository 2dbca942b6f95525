// `map` runs the closure on several threads, so it cannot change outside state. Use `.iter()` instead.

use std::cell::Cell;
use vierbein::tensor;

fn main() {
    let x = tensor![1.0, 2.0];
    let total = Cell::new(0.0);
    let _ = x.map(|x| {
        total.set(total.get() + x);
        x
    });
    assert_eq!(total.get(), 3.0);
}
