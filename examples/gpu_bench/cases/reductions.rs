//! Reductions and cumulative sums.

use super::{Fallible, Number, differ, filled, runs_largest};
use crate::{Bench, Limit};
use vierbein::prelude::*;

pub(super) fn rows<T: Number>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
{
    let size = size_of::<T>();
    for (name, full) in [("10⁷", 10_000_000), ("10⁸", 100_000_000)] {
        if full == 100_000_000 && !runs_largest::<T>() {
            continue;
        }
        let n = if bench.quick { 5000 } else { full };
        case!(bench, T, &format!("sum {name}"), n * size, Limit::Copy, [a = filled::<T, 1>([n])], a.sum());
        case!(
            bench,
            T,
            &format!("norm {name}"),
            n * size,
            Limit::Copy,
            [a = filled::<T, 1>([n])],
            a.norm().cast::<T>()
        );
    }
    for (name, full) in [("4000²", 4000), ("8192²", 8192)] {
        let n = bench.size(full);
        case!(
            bench,
            T,
            &format!("sum axis 0 {name}"),
            n * n * size,
            Limit::Copy,
            [a = filled::<T, 2>([n, n])],
            a.sum_axis(0)
        );
        case!(
            bench,
            T,
            &format!("sum axis 1 {name}"),
            n * n * size,
            Limit::Copy,
            [a = filled::<T, 2>([n, n])],
            a.sum_axis(1)
        );
    }
    for (name, full) in [("2000²", 2000), ("8192²", 8192)] {
        let n = bench.size(full);
        case!(
            bench,
            T,
            &format!("sum a[::2, ::2] {name}"),
            n * n * size / 2,
            Limit::Copy,
            [a = filled::<T, 2>([n, n])],
            a.slice(s![..;2, ..;2]).sum()
        );
    }
    for (name, full) in [("100³", 100), ("400³", 400)] {
        let n = bench.size(full);
        case!(
            bench,
            T,
            &format!("sum ijk->ik {name}"),
            n * n * n * size,
            Limit::Copy,
            [a = filled::<T, 3>([n, n, n])],
            a.sum_axis(1)
        );
    }
    for (name, full) in [("200³", 200), ("400³", 400)] {
        let n = bench.size(full);
        case!(
            bench,
            T,
            &format!("sum a[kij] axis 0 {name}"),
            n * n * n * size,
            Limit::Copy,
            [a = filled::<T, 3>([n, n, n])],
            a.permute([2, 0, 1]).sum_axis(0)
        );
    }
    let n = bench.size(4096);
    case!(
        bench,
        T,
        "running sum 4096²",
        2 * n * n * size,
        Limit::Copy,
        [a = filled::<T, 2>([n, n])],
        a.cumsum(1)
    );
    let n = if bench.quick { 5000 } else { 10_000_000 };
    // The mean of `value` is subtracted, so that the sums stay small and are exact also in `f32`.
    case!(
        bench,
        T,
        "running sum 10⁷",
        2 * n * size,
        Limit::Copy,
        [a = filled::<T, 1>([n]) - T::from_f64(47.5)],
        a.cumsum(0)
    );
    Ok(())
}

/// Runs reductions that compare elements.
pub(super) fn rows_of_reals<T: Number + RealScalar>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
{
    for (name, full) in [("10⁷", 10_000_000), ("10⁸", 100_000_000)] {
        if full == 100_000_000 && !runs_largest::<T>() {
            continue;
        }
        let n = if bench.quick { 5000 } else { full };
        let bytes = n * size_of::<T>();
        case!(bench, T, &format!("argmax {name}"), bytes, Limit::Copy, [a = filled::<T, 1>([n])], a.argmax());
    }
    Ok(())
}
