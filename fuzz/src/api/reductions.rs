//! Steps of random programs that compute typed reductions, scans and traces, including user-defined reductions.

use super::elementwise::{erased, with_output};
use super::record::{attempt, may_panic};
use super::source::{Source, is_small};
use std::cell::Cell;
use vierbein::device::Reduction;
use vierbein::prelude::*;
use vierbein::{RemoveAxes, op};

/// Returns whether a reduction of a tensor of this shape takes little time.
fn feasible(shape: &[usize]) -> bool {
    is_small(shape) && shape.iter().all(|&extent| extent <= 1 << 16)
}

/// Reduces all axes of a tensor of any rank.
pub(super) fn whole<T: Scalar, D: Dim, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>) {
    if !feasible(x.shape().as_ref()) {
        return;
    }
    match s.below(5) {
        0 => {
            let sum = attempt("try_sum", || x.try_sum());
            let dynamic = attempt("DynTensor::sum", || erased(x).sum());
            assert_eq!(sum.is_some(), dynamic.is_some());
            sum.into_iter().for_each(|sum| s.keep(sum));
        }
        1 => drop(attempt("try_prod", || x.try_prod())),
        2 => drop(attempt("try_mean", || x.try_mean())),
        3 => {
            let ddof = if s.rarely(4) { s.hostile() } else { s.below(2) };
            attempt("try_var", || x.try_var(ddof));
        }
        _ => drop(attempt("try_norm", || x.try_norm())),
    }
}

/// Reduces one axis of a tensor of rank 1 or more, or computes a scan along it.
pub(super) fn one<T: Scalar, D, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>)
where
    D: RemoveAxes<1>,
{
    if !feasible(x.shape().as_ref()) {
        return;
    }
    let axis = s.axis(D::NDIM.expect("a rank known at compile time"));
    let kept = |x: &TensorView<'_, T, D, O>| {
        let shape = x.shape();
        let kept = shape.as_ref().iter().enumerate().filter(|&(k, _)| k != axis);
        kept.map(|(_, &n)| n).collect::<Vec<usize>>()
    };
    match s.below(9) {
        0 => {
            let sum = attempt("try_sum_axis", || x.try_sum_axis(axis));
            let dynamic = attempt("DynTensor::sum of an axis", || erased(x).sum_axis(axis));
            assert_eq!(sum.is_some(), dynamic.is_some());
            sum.into_iter().for_each(|sum| s.keep(sum));
        }
        1 => drop(attempt("try_mean_axis", || x.try_mean_axis(axis))),
        2 => {
            let sum = attempt("try_prod_keepdims", || x.try_prod_keepdims(axis));
            sum.into_iter().for_each(|sum| s.keep(sum));
        }
        3 => {
            let axes = [axis, s.axis(D::NDIM.expect("a rank known at compile time"))];
            attempt("try_sum_keepdims of two axes", || x.try_sum_keepdims(axes));
        }
        4 => {
            let shape = kept(&x);
            with_output(s, &shape, |out| {
                attempt("try_reduce_into", || x.try_reduce_into(op::Sum, [axis], out));
            });
        }
        5 => {
            let sum = attempt("try_cumsum", || x.try_cumsum(axis));
            sum.into_iter().for_each(|sum| s.keep(sum));
        }
        6 => {
            with_output(s, x.shape().as_ref(), |out| {
                attempt("try_cumprod_into", || x.try_cumprod_into(axis, out));
            });
        }
        7 => {
            let (other, ddof) = (s.axis(D::NDIM.expect("a rank known at compile time")), s.below(3));
            let fickle = super::user_types::Fickle(axis, other);
            attempt("try_std_axis of a fickle axis", || x.try_std_axis(fickle, ddof));
            attempt("try_cumsum of a fickle axis", || x.try_cumsum(fickle));
        }
        _ => {
            let axes = [axis, s.axis(D::NDIM.expect("a rank known at compile time"))];
            let fickle = super::user_types::FickleAxes::new(axes);
            attempt("try_sum_keepdims of fickle axes", || x.try_sum_keepdims(fickle));
            let claims = super::user_types::ClaimsRemaining::<Rank<1>>::new(axes);
            super::record::may_panic("try_sum_axes of false claims", || drop(x.try_sum_axes(claims)));
            super::record::may_panic("AnyRank: try_prod_axes of false claims", || {
                drop(x.into_any_rank().try_prod_axes(claims))
            });
        }
    }
}

/// Reduces two axes of a tensor of rank 2 or more.
pub(super) fn two<T: Scalar, D, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>)
where
    D: RemoveAxes<2>,
{
    if !feasible(x.shape().as_ref()) {
        return;
    }
    let (a, b) = s.two_axes(D::NDIM.expect("a rank known at compile time"));
    let shape = x.shape();
    let kept = shape.as_ref().iter().enumerate().filter(|&(k, _)| k != a && k != b);
    let kept: Vec<usize> = kept.map(|(_, &n)| n).collect();
    match s.below(4) {
        0 => {
            let trace = attempt("try_trace", || x.try_trace(a, b));
            let dynamic = attempt("DynTensor::trace", || erased(x).trace(a, b));
            assert_eq!(trace.is_some(), dynamic.is_some());
            trace.into_iter().for_each(|trace| s.keep(trace));
        }
        1 => with_output(s, &kept, |out| {
            attempt("try_trace_into", || x.try_trace_into(a, b, out));
        }),
        2 => {
            let sum = attempt("try_sum_axes", || x.try_sum_axes([a, b]));
            sum.into_iter().for_each(|sum| s.keep(sum));
        }
        _ => with_output(s, &kept, |out| {
            attempt("try_reduce_into over two axes", || x.try_reduce_into(op::Prod, [a, b], out));
        }),
    }
}

/// Computes a reduction that only real element types have.
pub(super) fn real<T: RealScalar, D, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>)
where
    D: RemoveAxes<1>,
{
    if !feasible(x.shape().as_ref()) {
        return;
    }
    let axis = s.axis(D::NDIM.expect("a rank known at compile time"));
    match s.below(4) {
        0 => drop(attempt("try_max", || x.try_max())),
        1 => {
            let at = attempt("try_argmax_axis", || x.try_argmax_axis(axis));
            at.into_iter().for_each(|at| s.keep(at));
        }
        2 => drop(attempt("try_min_keepdims", || x.try_min_keepdims(axis))),
        _ => {
            if let Some(at) = attempt("try_argmin", || x.try_argmin()) {
                assert!(usize::try_from(at.item()).is_ok_and(|at| at < x.len()));
            }
        }
    }
}

pub(super) fn masks<D, O: Order>(x: TensorView<'_, bool, D, O>, s: &mut Source<'_>)
where
    D: RemoveAxes<1>,
{
    if !feasible(x.shape().as_ref()) {
        return;
    }
    let axis = s.axis(D::NDIM.expect("a rank known at compile time"));
    match s.below(3) {
        0 => drop(attempt("try_all_axis", || x.try_all_axis(axis))),
        1 => drop(attempt("try_any", || x.try_any())),
        _ => drop(attempt("try_count_keepdims", || x.try_count_keepdims(axis))),
    }
}

// ------------------------------------------------------------------ user-defined reductions

thread_local! {
    /// Number of calls of [`tick`] until a user-defined reduction panics; 0 for never.
    static PANIC_IN: Cell<usize> = const { Cell::new(0) };
}

fn tick() {
    let left = PANIC_IN.get();
    if left > 0 {
        PANIC_IN.set(left - 1);
        assert_ne!(left, 1, "as asked for");
    }
}

/// An accumulator of `BYTES` bytes, aligned to a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Line<const BYTES: usize>([u8; BYTES]);

/// An accumulator of `BYTES` bytes.
#[derive(Debug, Clone, Copy)]
struct Block<const BYTES: usize>([u8; BYTES]);

trait Accumulator: Copy + Send + Sync {
    const ZERO: Self;
    fn bytes(&mut self) -> &mut [u8];
}
impl<const BYTES: usize> Accumulator for Line<BYTES> {
    const ZERO: Self = Line([0; BYTES]);
    fn bytes(&mut self) -> &mut [u8] {
        &mut self.0
    }
}
impl<const BYTES: usize> Accumulator for Block<BYTES> {
    const ZERO: Self = Block([0; BYTES]);
    fn bytes(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// A user-defined reduction that counts elements. Both the first and the last byte of an accumulator contain the count. The result
/// is undefined if the number of elements is `without`.
#[derive(Debug, Clone, Copy)]
struct Custom<A, const USES_INDEX: bool> {
    without: usize,
    zero: A,
}

impl<T: Element, A: Accumulator, const USES_INDEX: bool> Reduction<T> for Custom<A, USES_INDEX> {
    type Acc = A;
    type Output = u8;
    const NAME: &'static str = "reduction of a user";
    const USES_INDEX: bool = USES_INDEX;
    const DEFINED_ON_EMPTY: bool = USES_INDEX;
    fn identity(&self) -> A {
        tick();
        self.zero
    }
    fn fold(&self, mut acc: A, _: T, _: usize) -> A {
        tick();
        if let [first, .., last] = acc.bytes() {
            (*first, *last) = (first.wrapping_add(1), last.wrapping_add(1));
        }
        acc
    }
    fn combine(&self, mut a: A, mut b: A) -> A {
        tick();
        if let ([first, .., last], [other, ..]) = (a.bytes(), b.bytes()) {
            (*first, *last) = (first.wrapping_add(*other), last.wrapping_add(*other));
        }
        a
    }
    fn finish(&self, mut acc: A, count: usize) -> Option<u8> {
        tick();
        if let [first, .., last] = acc.bytes() {
            assert_eq!((*first, *last), (count as u8, count as u8), "every element is folded once");
        }
        (count != self.without).then(|| acc.bytes().first().copied().unwrap_or(0))
    }
}

/// Evaluates `$reduce` with a user-defined reduction as `$op`. The accumulator type of the reduction is chosen at random.
macro_rules! with_custom {
    ($name:literal, $s:ident, |$op:ident| $reduce:expr) => {{
        let without = if $s.rarely(4) { 1 } else { usize::MAX };
        let panic_in = if $s.rarely(4) { 1 + $s.below(100) } else { 0 };
        macro_rules! run {
            ($A:ty, $ordered:literal) => {{
                let $op = Custom::<$A, $ordered> { without, zero: <$A as Accumulator>::ZERO };
                PANIC_IN.set(panic_in);
                if panic_in > 0 {
                    may_panic(concat!($name, " that may panic"), || $reduce.map(drop));
                } else {
                    attempt($name, || $reduce);
                }
                PANIC_IN.set(0);
            }};
        }
        match $s.below(5) {
            0 => run!(Block<0>, false),
            1 => run!(Block<3>, true),
            2 => run!(Block<100>, false),
            3 => run!(Line<192>, true),
            _ => run!(Block<5000>, false),
        }
    }};
}

/// Computes a user-defined reduction. The type `Custom` does not depend on the rank, so its kernels are compiled once for all
/// ranks.
pub(super) fn of_users<T: Element, D: Dim, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>) {
    if !feasible(x.shape().as_ref()) {
        return;
    }
    match s.below(3) {
        0 => with_custom!("try_reduce of a user", s, |op| x.try_reduce(op)),
        1 => {
            let axis = s.axis(D::NDIM.expect("a rank known at compile time"));
            with_custom!("try_reduce_keepdims of a user", s, |op| x.try_reduce_keepdims(axis, op));
        }
        _ => {
            let axes = [
                s.axis(D::NDIM.expect("a rank known at compile time")),
                s.axis(D::NDIM.expect("a rank known at compile time")),
            ];
            with_custom!("try_reduce_keepdims of a user", s, |op| x.try_reduce_keepdims(axes, op));
        }
    }
}
