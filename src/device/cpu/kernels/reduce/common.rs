//! The functions that are called for a reduction of unknown type. For common reductions, they call kernels that are compiled in this crate:
//! compiling those of one reduction takes about a second. Those for other integers than `i64` are not included, because they would make the
//! build of this crate longer.

use super::again::again_in_line;
use super::reduce_many;
use super::rows::reduce_one_line;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::op::reduction::Sum;
#[cfg(any(test, not(debug_assertions)))]
use crate::device::op::reduction::{All, Any, ArgMax, ArgMin, Count, Max, Mean, Min, Norm, Prod, Spread};
use crate::device::op::visitor::ReductionVisitor;
use crate::device::{Operand, Output, Reduction};
use crate::element::{Element, c32, c64};
use crate::error::Error;
use core::any;
use core::marker::PhantomData;

/// Returns the result for `n` elements with stride `stride`, or `None` if it is not representable.
///
/// # Safety
/// The contract of [`reduce_one_line`].
#[inline]
unsafe fn result_of_line<T: Element, R: Reduction<T>>(
    op: &R,
    line: HostPtr<T>,
    n: usize,
    stride: isize,
) -> Option<R::Output> {
    // SAFETY: `reduce_one_line` has the contract of this function.
    match op.finish(unsafe { reduce_one_line(op, line, n, stride) }, n) {
        Some(value) if const { R::RESCALES } && op.is_doubtful(value) => {
            // SAFETY: the caller ensures that the `n` elements are readable.
            Some(unsafe { again_in_line(op, value, line, n, stride) })
        }
        value => value,
    }
}

/// Computes all outputs: see [`reduce_many`].
pub(super) struct ManyOutputs<'a>(PhantomData<&'a ()>);

impl<'a, T: Element> ReductionVisitor<T> for ManyOutputs<'a> {
    type Arguments<U: Element> = (Output<'a, U, Cpu>, Operand<'a, T, Cpu>);
    type Result<U: Element> = Result<(), Error>;

    #[inline]
    fn common<R: Reduction<T> + 'static>(op: &R, (out, a): Self::Arguments<R::Output>) -> Result<(), Error> {
        instance_of_many::<T, R>()(op, out, a)
    }
    #[inline]
    fn any<R: Reduction<T>>(op: &R, (out, a): Self::Arguments<R::Output>) -> Result<(), Error> {
        reduce_many(op, out, a)
    }
}

/// Returns the result of one line, or `None` if it is not representable: see [`result_of_line`].
pub(super) struct OneLine<T> {
    line: HostPtr<T>,
    n: usize,
    stride: isize,
}

impl<T> OneLine<T> {
    /// # Safety
    /// The contract of [`result_of_line`].
    #[inline(always)]
    pub(super) unsafe fn new(line: HostPtr<T>, n: usize, stride: isize) -> Self {
        Self { line, n, stride }
    }
}

impl<T: Element> ReductionVisitor<T> for OneLine<T> {
    type Arguments<U: Element> = Self;
    type Result<U: Element> = Option<U>;

    #[inline]
    fn common<R: Reduction<T> + 'static>(op: &R, Self { line, n, stride }: Self) -> Option<R::Output> {
        // SAFETY: the caller of `new` ensured the conditions.
        unsafe { instance_of_line::<T, R>()(op, line, n, stride) }
    }
    #[inline]
    fn any<R: Reduction<T>>(op: &R, Self { line, n, stride }: Self) -> Option<R::Output> {
        // SAFETY: the caller of `new` ensured the conditions.
        unsafe { result_of_line(op, line, n, stride) }
    }
}

type Many<T, R> =
    fn(&R, Output<'_, <R as Reduction<T>>::Output, Cpu>, Operand<'_, T, Cpu>) -> Result<(), Error>;
type Line<T, R> = unsafe fn(&R, HostPtr<T>, usize, isize) -> Option<<R as Reduction<T>>::Output>;

/// Defines functions that compute a reduction, one for each listed reduction and element type. They are not generic, so they are compiled in
/// this crate.
macro_rules! common_reductions {
    ($($Op:ty: $($T:ty),*;)*) => {
        /// Returns [`reduce_many`] for one of the common reductions.
        fn instance_of_many<T: Element, R: Reduction<T> + 'static>() -> Many<T, R> {
            $($({
                #[inline(never)]
                fn instance(
                    op: &$Op,
                    out: Output<'_, <$Op as Reduction<$T>>::Output, Cpu>,
                    a: Operand<'_, $T, Cpu>,
                ) -> Result<(), Error> {
                    reduce_many(op, out, a)
                }
                let instance: Many<$T, $Op> = instance;
                if let Some(found) = (&instance as &dyn any::Any).downcast_ref::<Many<T, R>>() {
                    return *found;
                }
            })*)*
            unreachable!("no instance of {} for {}", R::NAME, T::DTYPE.name())
        }

        /// Returns [`result_of_line`] for one of the common reductions.
        fn instance_of_line<T: Element, R: Reduction<T> + 'static>() -> Line<T, R> {
            $($({
                /// # Safety
                /// The contract of [`result_of_line`].
                #[inline(never)]
                unsafe fn instance(
                    op: &$Op,
                    line: HostPtr<$T>,
                    n: usize,
                    stride: isize,
                ) -> Option<<$Op as Reduction<$T>>::Output> {
                    // SAFETY: `result_of_line` has the contract of this function.
                    unsafe { result_of_line(op, line, n, stride) }
                }
                let instance: Line<$T, $Op> = instance;
                if let Some(found) = (&instance as &dyn any::Any).downcast_ref::<Line<T, R>>() {
                    return *found;
                }
            })*)*
            unreachable!("no instance of {} for {}", R::NAME, T::DTYPE.name())
        }
    };
}
// Those whose function `visit` calls `visit_common`.
#[cfg(any(test, not(debug_assertions)))]
common_reductions! {
    Sum: f64, f32, c64, c32, i64;
    Prod: f64, f32;
    Mean: f64, f32;
    Max: f64, f32, i64;
    Min: f64, f32, i64;
    ArgMax: f64, f32;
    ArgMin: f64, f32;
    Norm<f64>: f64, c64;
    Norm<f32>: f32, c32;
    Spread: f64, f32;
    All: bool;
    Any: bool;
    Count: bool;
}
#[cfg(not(any(test, not(debug_assertions))))]
common_reductions! {
    Sum: f64, f32, c64, c32, i64;
}
