//! Checks that a function is defined for all elements, such as that no sum of integers overflows.

use super::operands::{Arrays, Operands, arrays};
use crate::device::cpu::loops::strips::{Addresses, First, RawOperand, for_blocks};
use crate::device::function::MAX_ARGUMENTS;
use crate::device::{Arguments, Function};
use crate::element::Element;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::simd::kernel;
use core::sync::atomic::{AtomicBool, Ordering};

kernel! {
    /// Returns whether `op` is defined for all `n` elements. Checks every element, because a loop without early exit is vectorised.
    ///
    /// # Safety
    /// The caller must ensure that each operand has `n` readable elements, of the types `A`.
    unsafe fn defined_contiguous[A: Arguments, F: Function<A>][A, F](op: F, n: usize, operands: &Arrays) -> bool {
        // SAFETY: the caller ensures that each operand has `n` elements of the types `A`, and that they may be read.
        unsafe { A::defined_contiguous(op, n, operands) }
    }
}

/// Checks that `op` is defined for all elements. Called before any element is written. `first` is the index of the function's first
/// operand in `operands`.
///
/// # Errors
/// [`Error::Arithmetic`] if `op` is undefined at some index. The error has the operands' elements at the first such index in row-major
/// order.
#[inline(never)]
pub(super) fn check<A: Arguments, F: Function<A>>(
    op: &F,
    operands: Operands<'_>,
    first: usize,
) -> Result<(), Error> {
    // SAFETY: the callers of this closure pass the addresses of `n` contiguous elements of each operand, of the types `A`, which may be
    // read.
    let is_defined = |n, at: &Arrays| unsafe { defined_contiguous::<A, F>(*op, n, at) };
    let short = operands.short_strip(F::COST).map(|n| is_defined(n, arrays(&operands.addresses(), first)));
    let (shape, operands) = (operands.shape, &operands.list()[first..]);
    let all_defined = short.unwrap_or_else(|| {
        let undefined = AtomicBool::new(false);
        let block = |n, at: &Addresses| {
            if !is_defined(n, arrays(at, 0)) {
                undefined.store(true, Ordering::Relaxed);
            }
        };
        // SAFETY: each of `operands` was made from an `Operand` of this shape, which guarantees that its elements are readable. The
        // closure writes none of them.
        unsafe { for_blocks(shape, operands, First::Read, F::COST, &block) };
        !undefined.into_inner()
    });
    if all_defined {
        return Ok(());
    }
    first_error(shape, operands, &|at| {
        // SAFETY: `at` has the offset of one index in each operand. All operands have the same shape, so `Operand` guarantees that
        // these elements may be read.
        let arguments = unsafe { A::read(|k| (operands[k].address().cast_const(), at[k])) };
        let error = || Error::Arithmetic {
            op: F::NAME,
            dtype: A::First::DTYPE.name(),
            values: op.describe(arguments),
        };
        (!op.is_defined(arguments)).then(error)
    })
    .map_or(Ok(()), Err)
}

/// Returns the first error of `f`, which is called with the offsets of the operands at each index, in row-major order. Not generic, so
/// it is compiled once.
#[cold]
fn first_error(
    shape: &[usize],
    operands: &[RawOperand<'_>],
    f: &dyn Fn([isize; MAX_ARGUMENTS]) -> Option<Error>,
) -> Option<Error> {
    let strides = core::array::from_fn(|k| operands.get(k).unwrap_or(&operands[0]).strides());
    let mut index = Odometer::row_major(shape, strides);
    (0..shape.iter().product()).find_map(|_| {
        let error = f(index.offsets());
        index.advance();
        error
    })
}
