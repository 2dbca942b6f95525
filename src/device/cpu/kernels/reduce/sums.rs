//! The functions that are called for a reduction of unknown type. For sums of floating-point and complex numbers, they call kernels that are
//! compiled in this crate, because programs with contractions need them. Kernels for integers are not included, because they would make the
//! build of this crate longer.

use super::again::again_in_line;
use super::reduce_many;
use super::rows::reduce_one_line;
use crate::device::cpu::precompiled::precompiled;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::op::reduction::Sum;
use crate::device::op::visitor::ReductionVisitor;
use crate::device::{Operand, Output, Reduction};
use crate::element::{Element, Inexact, Scalar};
use crate::error::Error;
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

type ReduceMany<T> = fn(Output<'_, T, Cpu>, Operand<'_, T, Cpu>) -> Result<(), Error>;

impl<'a, T: Element> ReductionVisitor<T> for ManyOutputs<'a> {
    type Arguments<U: Element> = (Output<'a, U, Cpu>, Operand<'a, T, Cpu>);
    type Result<U: Element> = Result<(), Error>;

    #[inline]
    fn sum((out, a): Self::Arguments<T>) -> Result<(), Error>
    where
        T: Scalar,
    {
        fn sum<T: Inexact>(out: Output<'_, T, Cpu>, a: Operand<'_, T, Cpu>) -> Result<(), Error> {
            reduce_many(&Sum, out, a)
        }
        // The condition is `const`, so the compiler instantiates only the branch that is taken.
        if const { T::INTEGER } {
            return reduce_many(&Sum, out, a);
        }
        let function: ReduceMany<T> = precompiled!(
            T: Inexact, ReduceMany, fn sum(out: Output<'_, S, Cpu>, a: Operand<'_, S, Cpu>) -> Result<(), Error>
        );
        function(out, a)
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

type SumOfLine<T> = unsafe fn(HostPtr<T>, usize, isize) -> T;

impl<T: Element> ReductionVisitor<T> for OneLine<T> {
    type Arguments<U: Element> = Self;
    type Result<U: Element> = Option<U>;

    #[inline]
    fn sum(Self { line, n, stride }: Self) -> Option<T>
    where
        T: Scalar,
    {
        /// # Safety
        /// The contract of [`result_of_line`].
        unsafe fn sum<T: Inexact>(line: HostPtr<T>, n: usize, stride: isize) -> T {
            // SAFETY: `result_of_line` has the contract of this function.
            unsafe { result_of_line(&Sum, line, n, stride) }
                .expect("sums of inexact numbers are representable")
        }
        if const { T::INTEGER } {
            // SAFETY: the caller of `new` ensured the conditions.
            return unsafe { result_of_line(&Sum, line, n, stride) };
        }
        let function: SumOfLine<T> = precompiled!(T: Inexact, SumOfLine, unsafe fn sum(line: HostPtr<S>, n: usize, stride: isize) -> S);
        // SAFETY: the caller of `new` ensured the conditions.
        Some(unsafe { function(line, n, stride) })
    }
    #[inline]
    fn any<R: Reduction<T>>(op: &R, Self { line, n, stride }: Self) -> Option<R::Output> {
        // SAFETY: the caller of `new` ensured the conditions.
        unsafe { result_of_line(op, line, n, stride) }
    }
}
