// The names of these methods in this crate are `insert_axis` and `cast`.

#![deny(deprecated)]

use vierbein::prelude::*;

pub fn main() {
    let x = tensor![1.0, 2.0];
    assert_eq!(x.insert_axis(0).cast::<f32>(), tensor![[1.0f32, 2.0]]);
}
