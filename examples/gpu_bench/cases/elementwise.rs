//! Elementwise operations.

use super::{Fallible, Number, differ, filled, runs_largest};
use crate::{Bench, Limit};
use vierbein::device::{CudaSource, Scalars, TernaryOp, UnaryOp};
use vierbein::prelude::*;
use vierbein::{CastTo, Inexact};

/// The operation `a · b + c · z` with a scalar `z`, as an example of a user-defined fused operation. It runs in one kernel.
#[derive(Clone, Copy)]
struct Fused<T>(T);

impl<T: Inexact> TernaryOp<T, T, T> for Fused<T> {
    type Output = T;
    const NAME: &'static str = "fuse";
    // SAFETY: the text is an expression of floating-point values, and accesses no memory.
    const CUDA: CudaSource = unsafe { CudaSource::new("a * b + c * z") };
    fn apply(&self, a: T, b: T, c: T) -> T {
        a * b + c * self.0
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("z", self.0);
    }
}

/// The operation `a + z · a` with a scalar `z`.
#[derive(Clone, Copy)]
struct AddOwn<T>(T);

impl<T: Inexact> UnaryOp<T> for AddOwn<T> {
    type Output = T;
    const NAME: &'static str = "add its own multiple to";
    // SAFETY: the text is an expression of floating-point values, and accesses no memory.
    const CUDA: CudaSource = unsafe { CudaSource::new("a + z * a") };
    fn apply(&self, a: T) -> T {
        a + self.0 * a
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("z", self.0);
    }
}

pub(super) fn rows<T: Number>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
{
    let size = size_of::<T>();
    let two: T = 2.cast_to();
    for (name, full) in [("10³", 1000), ("10⁵", 100_000), ("10⁷", 10_000_000), ("10⁸", 100_000_000)] {
        let n = if bench.quick { full.min(5000) } else { full };
        if full == 100_000_000 && !runs_largest::<T>()
            || !bench.fits(&format!("vectors of {name}"), 5 * n * size)
        {
            continue;
        }
        let row = |what: &str| format!("{what} {name}");
        case!(
            bench,
            T,
            &row("a + b"),
            3 * n * size,
            Limit::Copy,
            [a = filled::<T, 1>([n]), b = filled::<T, 1>([n]) + two],
            &a + &b
        );
        case!(bench, T, &row("a + b into"), 3 * n * size, Limit::Copy,
            [a = filled::<T, 1>([n]), b = filled::<T, 1>([n]) + two], into out = filled::<T, 1>([n]), a.apply2_into(vierbein::op::Add, &b, &mut out));
        case!(
            bench,
            T,
            &row("a·b + 2c"),
            4 * n * size,
            Limit::Copy,
            [a = filled::<T, 1>([n]), b = filled::<T, 1>([n]) + two, c = filled::<T, 1>([n]) * two],
            a.apply3(Fused(two), &b, &c)
        );
        case!(bench, T, &row("a += b"), 3 * n * size, Limit::Copy,
            [b = filled::<T, 1>([n]) + two], into a = filled::<T, 1>([n]), a += &b);
        case!(bench, T, &row("a·b + 2c into"), 4 * n * size, Limit::Copy,
            [a = filled::<T, 1>([n]), b = filled::<T, 1>([n]) + two, c = filled::<T, 1>([n]) * two],
            into out = filled::<T, 1>([n]), a.apply3_into(Fused(two), &b, &c, &mut out));
        case!(bench, T, &row("copy into"), 2 * n * size, Limit::Copy,
            [a = filled::<T, 1>([n])], into out = filled::<T, 1>([n]) + two, out.assign(&a));
        case!(bench, T, &row("copy"), 2 * n * size, Limit::Copy, [a = filled::<T, 1>([n])], a.to_owned());
        case!(bench, T, &row("fill"), n * size, Limit::Copy, [a = filled::<T, 1>([1])], {
            let _ = &a;
            full_like(&a, n, two)
        });
    }
    let n = if bench.quick { 5000 } else { 10_000_000 };
    case!(bench, T, "b += α·a 10⁷", 3 * n * size, Limit::Copy,
        [a = filled::<T, 1>([n])], into b = filled::<T, 1>([n]) * T::zero(), { b.fill(two); b.add_scaled(two, &a) });
    // With α = −2, each call only changes the signs, so many calls do not overflow.
    let minus_two: T = (-2).cast_to();
    case!(bench, T, "b += α·b 10⁷", 2 * n * size, Limit::Copy,
        [], into b = filled::<T, 1>([n]), b.apply_inplace(AddOwn(minus_two)));
    for (name, full) in [("2000²", 2000), ("8192²", 8192)] {
        let n = bench.size(full);
        let half = n.div_ceil(2);
        let row = |what: &str| format!("{what} {name}");
        let into = |what: &str| format!("{what} {name} into");
        case!(
            bench,
            T,
            &row("a + row"),
            2 * n * n * size,
            Limit::Copy,
            [a = filled::<T, 2>([n, n]), b = filled::<T, 1>([n])],
            &a + &b
        );
        case!(bench, T, &into("a + row"), 2 * n * n * size, Limit::Copy,
            [a = filled::<T, 2>([n, n]), b = filled::<T, 1>([n])],
            into out = filled::<T, 2>([n, n]), a.apply2_into(vierbein::op::Add, &b, &mut out));
        case!(
            bench,
            T,
            &row("a + column"),
            2 * n * n * size,
            Limit::Copy,
            [a = filled::<T, 2>([n, n]), b = filled::<T, 2>([n, 1])],
            &a + &b
        );
        case!(bench, T, &into("a + column"), 2 * n * n * size, Limit::Copy,
            [a = filled::<T, 2>([n, n]), b = filled::<T, 2>([n, 1])],
            into out = filled::<T, 2>([n, n]), a.apply2_into(vierbein::op::Add, &b, &mut out));
        case!(
            bench,
            T,
            &row("a + bᵀ"),
            3 * n * n * size,
            Limit::Copy,
            [a = filled::<T, 2>([n, n]), b = filled::<T, 2>([n, n])],
            &a + b.t()
        );
        case!(bench, T, &into("a + bᵀ"), 3 * n * n * size, Limit::Copy,
            [a = filled::<T, 2>([n, n]), b = filled::<T, 2>([n, n])],
            into out = filled::<T, 2>([n, n]), a.apply2_into(vierbein::op::Add, &b.t(), &mut out));
        // With stride 2, each memory sector contains elements of the view. So the GPU reads both matrices completely.
        case!(
            bench,
            T,
            &row("a[:, ::2] + b[:, ::2]"),
            5 * n * n * size / 2,
            Limit::Copy,
            [a = filled::<T, 2>([n, n]), b = filled::<T, 2>([n, n])],
            a.slice(s![.., ..;2]) + b.slice(s![.., ..;2])
        );
        case!(
            bench,
            T,
            &row("a[:, ::2] + b"),
            2 * n * n * size,
            Limit::Copy,
            [a = filled::<T, 2>([n, n]), b = filled::<T, 2>([n, half])],
            a.slice(s![.., ..;2]) + &b
        );
        case!(bench, T, &into("a[:, ::2] + b"), 2 * n * n * size, Limit::Copy,
            [a = filled::<T, 2>([n, n]), b = filled::<T, 2>([n, half])],
            into out = filled::<T, 2>([n, half]),
            a.slice(s![.., ..;2]).apply2_into(vierbein::op::Add, &b, &mut out));
    }
    for (name, full) in [("200³", 200), ("400³", 400)] {
        let n = bench.size(full);
        case!(
            bench,
            T,
            &format!("a[kij] + b {name}"),
            3 * n * n * n * size,
            Limit::Copy,
            [a = filled::<T, 3>([n, n, n]), b = filled::<T, 3>([n, n, n])],
            a.permute([2, 0, 1]) + &b
        );
    }
    Ok(())
}

/// Returns a vector filled with a value, on the device of another vector.
fn full_like<T: Scalar, Dev: Backend<T> + Default>(
    _: &Tensor<T, Rank<1>, RowMajor, Dev>,
    n: usize,
    value: T,
) -> Tensor<T, Rank<1>, RowMajor, Dev> {
    Tensor::full([n], value)
}
