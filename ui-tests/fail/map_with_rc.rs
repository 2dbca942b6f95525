// `map` runs a closure on several threads. What is counted outside goes through `.iter()`.

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
