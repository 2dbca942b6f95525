// A `TensorView` is read-only. Take a `TensorViewMut`.

use vierbein::{Rank, TensorViewMut, tensor};

fn clear(mut x: TensorViewMut<'_, f64, Rank<1>>) {
    x[[0]] = 0.0;
}

pub fn main() {
    let mut x = tensor![1.0, 2.0];
    clear(x.view_mut());
}
