//! Sums of floating-point and complex numbers. This crate compiles their kernels once, because programs with contractions need them. Kernels
//! for integers are not included, because they would make the build of this crate longer.

use super::few::result_of_line;
use super::reduce_many;
use crate::device::cpu::precompiled::precompiled;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::op::reduction::Sum;
use crate::device::{Operand, Output};
use crate::element::{Inexact, Scalar};
use crate::error::Error;

type ReduceMany<T> = fn(Output<'_, T, Cpu>, Operand<'_, T, Cpu>) -> Result<(), Error>;

/// Returns [`reduce_many`] for sums of `T`, which must not be an integer type.
#[inline]
pub(in crate::device) fn sum_of_many<T: Scalar>() -> ReduceMany<T> {
    fn sum<T: Inexact>(out: Output<'_, T, Cpu>, a: Operand<'_, T, Cpu>) -> Result<(), Error> {
        reduce_many(&Sum, out, a)
    }
    precompiled!(T: Inexact, ReduceMany, fn sum(out: Output<'_, S, Cpu>, a: Operand<'_, S, Cpu>) -> Result<(), Error>)
}

/// The contract of such a function is that of [`result_of_line`].
type SumOfLine<T> = unsafe fn(HostPtr<T>, usize, isize) -> T;

/// Returns [`result_of_line`] for sums of `T`, which must not be an integer type.
#[inline]
pub(in crate::device) fn sum_of_line<T: Scalar>() -> SumOfLine<T> {
    /// # Safety
    /// The contract of [`result_of_line`].
    unsafe fn sum<T: Inexact>(line: HostPtr<T>, n: usize, stride: isize) -> T {
        // SAFETY: `result_of_line` has the contract of this function.
        unsafe { result_of_line(&Sum, line, n, stride) }.expect("sums of inexact numbers are representable")
    }
    precompiled!(T: Inexact, SumOfLine, unsafe fn sum(line: HostPtr<S>, n: usize, stride: isize) -> S)
}
