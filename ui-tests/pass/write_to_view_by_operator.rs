// A `TensorView` is read-only. Take a `TensorViewMut`.

use vierbein::{Rank, TensorViewMut, tensor};

fn double(mut x: TensorViewMut<'_, f64, Rank<1>>) {
    x *= 2.0;
}

pub fn main() {
    let mut x = tensor![1.0, 2.0];
    double(x.view_mut());
}
