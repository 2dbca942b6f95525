//! Chooses the loop of the module [`elementary`](crate::elementary) for a function.

use super::operands::Arrays;
use crate::device::{Arguments, Function};
use crate::element::{DType, Element, Elementary, PairFunction};
use crate::elementary::{numbers32, numbers64};

/// If module `elementary` has a vectorised loop for `op`: computes `op` of the first `n` elements of the operands, writes the
/// results to `out`, and returns `true`. Otherwise writes nothing and returns `false`.
///
/// # Safety
/// The contract of [`map_contiguous`], except that `out` may be the first operand.
#[inline(always)]
pub(super) unsafe fn map_elementary<A: Arguments, F: Function<A>>(
    op: &F,
    n: usize,
    out: *mut u8,
    operands: &Arrays,
) -> bool {
    if const { A::LEN > 2 || !A::SAME_TYPE || !is_inexact(A::First::DTYPE) } {
        return false;
    }
    let Some(f) = op.elementary() else { return false };
    // SAFETY: the caller ensures the contract of `map_elementary`, which `map_elementary_of` requires. `A::SAME_TYPE` is true, so all
    // `A::LEN` operands have the type of `A::First`. The elements of `out` have type `F::Output`.
    unsafe { map_elementary_of(f, A::LEN, [A::First::DTYPE, F::Output::DTYPE], n, out, operands) }
}

/// Returns whether a type has elementary functions: floating-point and complex types.
pub(super) const fn is_inexact(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64 | DType::C32 | DType::C64)
}

/// [`map_elementary`] for the function `f` of `len` operands of type `from`. Not generic, so it is compiled once. The
/// method `elementary` of a [`Function`] in another crate may return an [`Elementary`] that does not exist for its types. So
/// `map_elementary_of` checks the types, and returns `false` if there is no loop for them.
///
/// # Safety
/// The contract of [`map_elementary`]. The operands must have type `from`, and the elements of `out` must have type `to`.
unsafe fn map_elementary_of(
    f: Elementary,
    len: usize,
    [from, to]: [DType; 2],
    n: usize,
    out: *mut u8,
    &[left, right, _]: &Arrays,
) -> bool {
    use DType::{C32, C64, F32, F64};
    // The functions called below have this function's contract, for elements of the matched types: `n` elements of each operand are
    // readable, access to `n` elements of `out` is exclusive, and `out` is the first operand or overlaps no operand.
    match (len, from, to, f) {
        // SAFETY: `numbers32::map` has the contract of `map_elementary_of`, which the caller ensures. Operand and output have type
        // `f32`.
        (1, F32, F32, f) => unsafe { numbers32::map(f, left.cast(), out.cast(), n) },
        // SAFETY: `numbers64::map` has the contract of `map_elementary_of`, which the caller ensures. Operand and output have type
        // `f64`.
        (1, F64, F64, f) => unsafe { numbers64::map(f, left.cast(), out.cast(), n) },
        // SAFETY: `numbers32::map_complex` has the contract of `map_elementary_of`, which the caller ensures. Operand and output have
        // type `c32`.
        (1, C32, C32, f) => unsafe { numbers32::map_complex(f, left.cast(), out.cast(), n) },
        // SAFETY: `numbers64::map_complex` has the contract of `map_elementary_of`, which the caller ensures. Operand and output have
        // type `c64`.
        (1, C64, C64, f) => unsafe { numbers64::map_complex(f, left.cast(), out.cast(), n) },
        // SAFETY: the caller ensures the contract of `map_elementary_of`, for an operand of type `c32` and an output of type `f32`. In
        // addition, `numbers32::map_arg` requires that they do not overlap. They do not, because their types differ, so the output is
        // not the operand.
        (1, C32, F32, Elementary::Arg) => unsafe { numbers32::map_arg(left.cast(), out.cast(), n) },
        // SAFETY: the caller ensures the contract of `map_elementary_of`, for an operand of type `c64` and an output of type `f64`. In
        // addition, `numbers64::map_arg` requires that they do not overlap. They do not, because their types differ, so the output is
        // not the operand.
        (1, C64, F64, Elementary::Arg) => unsafe { numbers64::map_arg(left.cast(), out.cast(), n) },
        (2, F32, F32, Elementary::Pair(f)) => {
            // SAFETY: `numbers32::map_pairs` has the contract of `map_elementary_of`, which the caller ensures. Both operands and the
            // output have type `f32`.
            unsafe { numbers32::map_pairs(f, left.cast(), right.cast(), out.cast(), n) }
        }
        (2, F64, F64, Elementary::Pair(f)) => {
            // SAFETY: `numbers64::map_pairs` has the contract of `map_elementary_of`, which the caller ensures. Both operands and the
            // output have type `f64`.
            unsafe { numbers64::map_pairs(f, left.cast(), right.cast(), out.cast(), n) }
        }
        (2, C32, C32, Elementary::Pair(PairFunction::Div)) => {
            // SAFETY: `numbers32::map_quotients` has the contract of `map_elementary_of`, which the caller ensures. Both operands and the
            // output have type `c32`.
            unsafe { numbers32::map_quotients::<false, false>(left.cast(), right.cast(), out.cast(), n) }
        }
        (2, C64, C64, Elementary::Pair(PairFunction::Div)) => {
            // SAFETY: `numbers64::map_quotients` has the contract of `map_elementary_of`, which the caller ensures. Both operands and the
            // output have type `c64`.
            unsafe { numbers64::map_quotients::<false, false>(left.cast(), right.cast(), out.cast(), n) }
        }
        (2, C32, C32, Elementary::Pair(PairFunction::DivInto)) => {
            // SAFETY: `numbers32::map_quotients` has the contract of `map_elementary_of` also for exchanged operands, and the caller ensures
            // it. Both operands and the output have type `c32`.
            unsafe { numbers32::map_quotients::<false, false>(right.cast(), left.cast(), out.cast(), n) }
        }
        (2, C32, C32, Elementary::Pair(PairFunction::Pow)) => {
            // SAFETY: `numbers32::map_powers` has the contract of `map_elementary_of`, which the caller ensures. Both operands and the
            // output have type `c32`.
            unsafe { numbers32::map_powers(left.cast(), right.cast(), out.cast(), n) }
        }
        (2, C64, C64, Elementary::Pair(PairFunction::DivInto)) => {
            // SAFETY: `numbers64::map_quotients` has the contract of `map_elementary_of` also for exchanged operands, and the caller ensures
            // it. Both operands and the output have type `c64`.
            unsafe { numbers64::map_quotients::<false, false>(right.cast(), left.cast(), out.cast(), n) }
        }
        (2, C64, C64, Elementary::Pair(PairFunction::Pow)) => {
            // SAFETY: `numbers64::map_powers` has the contract of `map_elementary_of`, which the caller ensures. Both operands and the
            // output have type `c64`.
            unsafe { numbers64::map_powers(left.cast(), right.cast(), out.cast(), n) }
        }
        _ => false,
    }
}
