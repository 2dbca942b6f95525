//! Copies with permuted axes.

use crate::suite::{Number, Suite, check, filled};
use vierbein::prelude::*;

pub(crate) fn rows<T: Number>(suite: &mut Suite<'_>) {
    for n in [1000, 1024, 4000, 4096] {
        permute::<T, Rank<2>>(suite, &format!("transpose {n}²"), [n, n], [1, 0]);
    }
    permute::<T, Rank<4>>(suite, "ijkl->ljki 30⁴", [30; 4], [3, 1, 2, 0]);
    permute::<T, Rank<4>>(suite, "ijkl->lkji 64⁴", [64; 4], [3, 2, 1, 0]);
    permute::<T, Rank<6>>(suite, "permute 305142 16⁶", [16; 6], [3, 0, 5, 1, 4, 2]);
}

/// Times copies of a tensor with permuted axes. All axes have the same extent.
fn permute<T: Number, D: Dim>(suite: &mut Suite<'_>, name: &str, shape: D::Shape, axes: D::Shape) {
    let compare = |found: &Tensor<T, D>, x: &Tensor<T, D>| {
        check(found, |index| {
            let mut from = index;
            for (&i, &axis) in index.as_ref().iter().zip(axes.as_ref()) {
                from.as_mut()[axis] = i;
            }
            let extents = shape.as_ref().iter();
            x.as_slice()[from.as_ref().iter().zip(extents).fold(0, |flat, (i, extent)| flat * extent + i)]
        });
    };
    suite.row::<T, _, _>(name, || {
        let x = filled::<T, _>(1, shape);
        compare(&x.permute(axes).to_owned(), &x);
        move || x.permute(axes).to_owned()
    });
    suite.row::<T, _, _>(format!("{name} into"), || {
        let x = filled::<T, _>(1, shape);
        let mut out = Tensor::<T, D>::zeros(shape);
        out.assign(&x.permute(axes));
        compare(&out, &x);
        move || out.assign(&x.permute(axes))
    });
}
