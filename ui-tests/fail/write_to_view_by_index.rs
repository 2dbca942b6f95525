// A `TensorView` is read-only. Take a `TensorViewMut`.

use vierbein::{Rank, TensorView, TensorViewMut, tensor};

fn clear(mut x: TensorView<'_, f64, Rank<1>>) {
    x[[0]] = 0.0;
}

fn main() {
    let mut x = tensor![1.0, 2.0];
    let _: TensorViewMut<'_, f64, Rank<1>> = x.view_mut();
    clear(x.view());
}
