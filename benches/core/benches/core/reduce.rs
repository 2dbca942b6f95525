//! Reductions of all elements and over one axis.

use crate::suite::{Number, Real, Suite, check, filled};
use vierbein::prelude::*;

pub(crate) fn rows<T: Number>(suite: &mut Suite<'_>) {
    suite.row::<T, _, _>("sum 10⁷", || {
        let x = filled::<T, _>(1, [10_000_000]);
        check(&x.sum(), |[]| x.as_slice().iter().copied().sum());
        move || x.sum()
    });
    let n = 4000;
    suite.row::<T, _, _>("sum axis 0 4000²", || {
        let x = filled::<T, _>(1, [n, n]);
        check(&x.sum_axis(0), |[j]| (0..n).map(|i| x[[i, j]]).sum());
        move || x.sum_axis(0)
    });
    suite.row::<T, _, _>("sum axis 1 4000²", || {
        let x = filled::<T, _>(1, [n, n]);
        check(&x.sum_axis(1), |[i]| (0..n).map(|j| x[[i, j]]).sum());
        move || x.sum_axis(1)
    });
    suite.row::<T, _, _>("sum ijk->ik 100³", || {
        let x = filled::<T, _>(1, [100; 3]);
        check(&x.sum_axis(1), |[i, k]| (0..100).map(|j| x[[i, j, k]]).sum());
        move || x.sum_axis(1)
    });
    suite.row::<T, _, _>("sum a[::2, ::2] 2000²", || {
        let x = filled::<T, _>(1, [4000, 4000]);
        let terms = || (0..4_000_000).map(|i| x[[i / 2000 * 2, i % 2000 * 2]]);
        check(&x.slice(s![..;2, ..;2]).sum(), |[]| terms().sum());
        move || x.slice(s![..;2, ..;2]).sum()
    });
    suite.row::<T, _, _>("sum a[kij] axis 0 200³", || {
        let x = filled::<T, _>(1, [200; 3]);
        check(&x.permute([2, 0, 1]).sum_axis(0), |[i, j]| (0..200).map(|k| x[[i, j, k]]).sum());
        move || x.permute([2, 0, 1]).sum_axis(0)
    });
    suite.row::<T, _, _>("norm 10⁷", || {
        let x = filled::<T, _>(1, [10_000_000]);
        // The sum of squares is exact, but its square root is rounded.
        let squares = x.as_slice().iter().map(|&x| x * x.conj()).sum::<T>();
        assert!((T::norm_of(&x) / squares.re_f64().sqrt() - 1.0).abs() < 1e-6);
        move || T::norm_of(&x)
    });
}

pub(crate) fn of_reals<T: Real>(suite: &mut Suite<'_>) {
    suite.row::<T, _, _>("argmax 10⁷", || {
        // The elements are random, so few of them are larger than all elements before them. The running maximum rarely changes.
        let mut state = 1u32;
        let x = Tensor::<T, _>::from_fn([10_000_000], |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            T::whole((state >> 9) as i32, 0)
        });
        let data = x.as_slice();
        let first = (1..data.len()).fold(0, |best, i| if data[i] > data[best] { i } else { best });
        assert_eq!(x.argmax().item(), first as i64);
        move || x.argmax()
    });
}
