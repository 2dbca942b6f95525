//! Binary search in sorted elements, and membership.

use super::key::Key;
use super::lines::WORK_BYTES;
use super::{AnyOperand, for_keys, line};
use crate::device::cpu::loops::threads::enter;
use crate::device::{Cpu, Device, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::ops::ordering::SEARCH;

/// Returns the number of elements for which `is_before` is `true`. They must all come before the others. No branch depends on the
/// elements.
#[inline]
fn partition_point<T: Copy>(x: &[T], is_before: impl Fn(T) -> bool) -> usize {
    let (mut first, mut len) = (0, x.len());
    while len > 1 {
        let half = len / 2;
        first += if is_before(x[first + half - 1]) { half } else { 0 };
        len -= half;
    }
    first + usize::from(len == 1 && is_before(x[first]))
}

/// Calls `f` with each element of `a`, and writes the results to `out`.
fn map<T: Element, U: Element>(out: Output<'_, U, Cpu>, a: Operand<'_, T, Cpu>, f: impl Fn(T) -> U) {
    assert_eq!(out.shape(), a.shape(), "the operands must have the same shape");
    let plan = Plan::unordered(out.shape(), [out.strides(), a.strides()]);
    let (to, from, [step_to, step_from]) = (out.ptr(), a.ptr(), plan.inner_strides());
    let mut walk = Odometer::outer(&plan);
    for _ in 0..plan.outer_shape().iter().product() {
        let [o, k] = walk.offsets();
        walk.advance();
        for i in 0..plan.inner_len() as isize {
            // SAFETY: the plan visits the indices of the operand, whose elements are readable.
            let x = unsafe { *from.offset(k + i * step_from).get() };
            // SAFETY: the plan visits the indices of the output, to whose elements access is exclusive.
            unsafe { *to.offset(o + i * step_to).get() = f(x) };
        }
    }
}

/// Writes, for each element of `a`, the index at which it can be inserted in `sorted`, which has rank 1, so that the elements stay sorted:
/// after equal elements if `right`, otherwise before them.
///
/// # Errors
/// If an allocation fails. In builds with debug assertions, also if `sorted` is not sorted.
pub(in crate::device::cpu::kernels) fn search(
    out: Output<'_, i64, Cpu>,
    sorted: AnyOperand<'_>,
    a: AnyOperand<'_>,
    right: bool,
) -> Result<(), Error> {
    for_keys!(a.dtype(), T => search_in::<T>(out, sorted.typed(), a.typed(), right))
}

fn search_in<T: Key>(
    out: Output<'_, i64, Cpu>,
    sorted: Operand<'_, T, Cpu>,
    a: Operand<'_, T, Cpu>,
    right: bool,
) -> Result<(), Error> {
    let copy;
    let sorted = match sorted.into_slice(true) {
        Some(slice) => slice,
        None => {
            copy = Cpu.gather(sorted)?;
            &copy
        }
    };
    if cfg!(debug_assertions)
        && let Some(i) = sorted.windows(2).position(|pair| pair[0].key() > pair[1].key())
    {
        let reason = format!(
            "the tensor to search is not sorted: element {} is {}, after {}; sort it first",
            i + 1,
            sorted[i + 1],
            sorted[i]
        );
        return Err(Error::Argument { op: SEARCH, reason });
    }
    if right {
        map(out, a, |x| partition_point(sorted, |y| y.key() <= x.key()) as i64);
    } else {
        map(out, a, |x| partition_point(sorted, |y| y.key() < x.key()) as i64);
    }
    Ok(())
}

/// Writes whether each element of `a` is equal to an element of `of`. NaN is not equal to NaN.
pub(in crate::device::cpu::kernels) fn contains(
    out: Output<'_, bool, Cpu>,
    a: AnyOperand<'_>,
    of: AnyOperand<'_>,
) -> Result<(), Error> {
    for_keys!(a.dtype(), T => contains_in::<T>(out, a.typed(), of.typed()))
}

fn contains_in<T: Key>(
    out: Output<'_, bool, Cpu>,
    a: Operand<'_, T, Cpu>,
    of: Operand<'_, T, Cpu>,
) -> Result<(), Error> {
    let mut sorted = Cpu.gather(of)?;
    enter(sorted.len().saturating_mul(WORK_BYTES), || line::sort(&mut sorted, false))?;
    map(out, a, |x| sorted.get(partition_point(&sorted, |y| y.key() < x.key())) == Some(&x));
    Ok(())
}
