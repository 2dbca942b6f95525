//! Computes a function of contiguous operands, which are called a strip.
//!
//! The kernels take functions by value: the compiler then knows that writes to the output do not change the fields of a function.

use super::elementary::{is_inexact, map_elementary};
#[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
use super::masks::map_masks;
use super::operands::{Arrays, arrays};
use crate::device::cpu::loops::strips::Addresses;
use crate::device::{Arguments, Function};
use crate::element::{DType, Element};
use crate::simd::{CACHE_LINE_BYTES, has_cache_line_registers, kernel, prefetch, prefetches_rows};
use core::ptr::null_mut;

/// [`Elementwise::map`] of `n` contiguous elements. `at` has the addresses of the output and of the operands.
///
/// # Safety
/// The caller must ensure:
/// * Each operand has `n` readable elements, of the types `A`.
/// * The output has `n` elements that may be written. They do not overlap the operands, and nothing else accesses them.
#[inline(never)]
pub(super) unsafe fn map_strip<A: Arguments, F: Function<A>>(op: &F, n: usize, at: &Addresses) {
    let (out, operands) = (at[0].cast(), arrays(at, 1));
    // SAFETY: `map_elementary` has the contract of `map_strip`, which the caller ensures.
    if unsafe { map_elementary::<A, F>(op, n, at[0], operands) } {
        return;
    }
    #[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
    // SAFETY: `map_masks` has the contract of `map_strip`, which the caller ensures.
    if unsafe { map_masks::<A, F>(*op, n, out, operands) } {
        return;
    }
    // With registers of 64 bytes, products of complex numbers are computed in a plain loop, without blocks.
    if const { is_wide::<A, F>() } && (const { !in_blocks::<A, F>() } || has_cache_line_registers()) {
        // SAFETY: `map_contiguous_wide` has the contract of `map_strip`, which the caller ensures.
        unsafe { map_contiguous_wide::<A, F>(*op, n, out, operands) };
    } else {
        // SAFETY: `map_contiguous` has the contract of `map_strip`, which the caller ensures.
        unsafe { map_contiguous::<A, F>(*op, n, out, operands) };
    }
}

/// [`Elementwise::update`] of `n` contiguous elements. `at` has the addresses of the operands.
///
/// # Safety
/// The caller must ensure:
/// * Each operand has `n` readable elements, of the types `A`.
/// * The elements of the first operand may be written. They do not overlap the others, and nothing else accesses them.
#[inline(never)]
pub(super) unsafe fn update_strip<A: Arguments, F: Function<A, Output = A::First>>(
    op: &F,
    n: usize,
    at: &Addresses,
) {
    // SAFETY: `map_elementary` has the contract of `update_strip`, which the caller ensures, if the output is the first operand.
    if unsafe { map_elementary::<A, F>(op, n, at[0], arrays(at, 0)) } {
        return;
    }
    // SAFETY: `update_contiguous` has the contract of `update_strip`, which the caller ensures.
    unsafe { update_contiguous::<A, F>(*op, n, arrays(at, 0)) };
}

kernel! {
    /// Computes `op` of the first `n` elements of the operands, and writes the results to `out`.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * Each operand has `n` initialised elements, of the types `A`.
    /// * `out` has `n` elements that may be written. They do not overlap the operands, and nothing else accesses them.
    unsafe fn map_contiguous[A: Arguments, F: Function<A>][A, F](op: F, n: usize, out: *mut F::Output, operands: &Arrays) -> () {
        // SAFETY: the caller ensures that each operand has `n` initialised elements of the types `A`. It also ensures exclusive access
        // to the `n` elements of `out`, which overlap no operand.
        unsafe { run::<A, F>(op, n, out, operands) };
    }
}

kernel! {
    /// [`map_contiguous`] for functions that are faster with registers of 64 bytes: see [`is_wide`].
    ///
    /// # Safety
    /// The contract of [`map_contiguous`].
    wide unsafe fn map_contiguous_wide[A: Arguments, F: Function<A>][A, F](op: F, n: usize, out: *mut F::Output, operands: &Arrays) -> () {
        // SAFETY: the caller ensures that each operand has `n` initialised elements of the types `A`. It also ensures exclusive access
        // to the `n` elements of `out`, which overlap no operand.
        unsafe { A::map_contiguous::<F, 1>(op, n, out, operands) };
    }
}

/// Calls [`Arguments::map_contiguous`] with the block length for the function.
///
/// # Safety
/// The contract of [`Arguments::map_contiguous`].
#[inline(always)]
unsafe fn run<A: Arguments, F: Function<A>>(op: F, n: usize, out: *mut F::Output, operands: &Arrays) {
    if const { in_blocks::<A, F>() } {
        // SAFETY: the caller ensures the contract of `Arguments::map_contiguous`.
        unsafe { A::map_contiguous::<F, COMPLEX_BLOCK>(op, n, out, operands) };
    } else {
        // SAFETY: the caller ensures the contract of `Arguments::map_contiguous`.
        unsafe { A::map_contiguous::<F, 1>(op, n, out, operands) };
    }
}

/// The number of complex products in a block. In a plain loop over complex numbers, the compiler separates real and imaginary parts by many
/// shuffles. A block, which it unrolls, has a pattern for which it uses the instruction that subtracts even and adds odd elements.
/// Blocks of 4 take longer than a plain loop, and for blocks of 16, the compiler does not vectorise `b += 2i · a` of `c64`.
const COMPLEX_BLOCK: usize = 8;

/// Returns whether a function is computed in blocks of [`COMPLEX_BLOCK`] elements: whether it multiplies complex numbers.
const fn in_blocks<A: Arguments, F: Function<A>>() -> bool {
    use DType::{C32, C64};
    F::MULTIPLIES && matches!((A::First::DTYPE, F::Output::DTYPE), (C32, C32) | (C64, C64))
}

/// Returns whether a function is also compiled for registers of 64 bytes. The speed of most functions is limited by loads and
/// stores, so they gain nothing from wider registers. The exceptions are functions for which AVX2 needs more instructions than
/// AVX-512. AVX2 has no mask instructions for `bool` results. It lacks many instructions for 64-bit integers. It needs more
/// shuffles to separate the parts of complex numbers, to narrow numbers, and for quotients of 8 bits, which are computed in 16 bits.
const fn is_wide<A: Arguments, F: Function<A>>() -> bool {
    use DType::{Bool, C32, C64, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    match F::Output::DTYPE {
        Bool => size_of::<A::First>() >= 8,
        I64 | U64 => is_inexact(A::First::DTYPE) || size_of::<A::First>() == 8,
        I16 | I32 | U16 | U32 => is_inexact(A::First::DTYPE),
        // Of the functions of 8-bit integers, quotients and remainders have a cost.
        I8 | U8 => size_of::<A::First>() > 1 || F::COST > 0,
        C32 | C64 => A::LEN > 1,
        // Of the functions from complex to real numbers, the modulus has a cost.
        F32 | F64 => {
            matches!(A::First::DTYPE, I64 | U64) || matches!(A::First::DTYPE, C32 | C64) && F::COST > 0
        }
    }
}

kernel! {
    /// Computes `op` of the first `n` elements of the operands, and writes the results to the first operand.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * Each operand has `n` initialised elements, of the types `A`.
    /// * The first operand's elements may be written. They do not overlap the other operands, and nothing else accesses them.
    wide if (const { is_wide_update::<A, F>() }) unsafe fn update_contiguous[A: Arguments, F: Function<A, Output = A::First>][A, F](
        op: F,
        n: usize,
        operands: &Arrays,
    ) -> () {
        let to = operands[0].cast::<A::First>();
        let mut done = 0;
        if const { A::LEN == 1 } && prefetches_rows() {
            let count = const { UPDATE_BLOCK_BYTES / size_of::<A::First>() };
            while done + count <= n {
                let to = to.wrapping_add(done);
                for byte in (0..UPDATE_BLOCK_BYTES).step_by(CACHE_LINE_BYTES) {
                    prefetch(to.cast::<u8>().wrapping_add(UPDATE_PREFETCH_BYTES + byte));
                }
                let operands = [to.cast(), null_mut(), null_mut()];
                // SAFETY: `done + count <= n`, so these are `count` of the `n` elements of the only operand, whose type is `A::First`. The
                // caller ensures that they are initialised, and exclusive access to them.
                unsafe { run::<A, F>(op, count, to, &operands) };
                done += count;
            }
        }
        let to = to.wrapping_add(done);
        let operands = if const { A::LEN == 1 } { &[to.cast(), null_mut(), null_mut()] } else { operands };
        // SAFETY: the caller ensures that each operand has `n` initialised elements of the types `A`. If there is one operand, its first
        // `done` elements are left out; otherwise, `done` is 0. The output consists of the elements of the first operand, which have type
        // `A::First`. The caller ensures exclusive access to them, and that they do not overlap the other operands.
        unsafe { run::<A, F>(op, n - done, to, operands) };
    }
}

/// Returns whether the loop that updates the first operand is also compiled for registers of 64 bytes. They make `a += b` of floating-point
/// and complex elements in L1 faster. Loops that write a separate output gain less.
const fn is_wide_update<A: Arguments, F: Function<A>>() -> bool {
    A::LEN > 1 && F::COST == 0 && is_inexact(A::First::DTYPE) && !in_blocks::<A, F>()
}

/// Prefetch distance, in bytes, of a loop that updates its only operand, if [`prefetches_rows`]. Prefetching makes
/// `b += α · b` faster if the elements are in memory: a row of `benches/core/benches/core/elementwise.rs`. Loops with several operands gain
/// nothing.
const UPDATE_PREFETCH_BYTES: usize = 2 << 10;
/// The number of bytes that such a loop prefetches at a time.
const UPDATE_BLOCK_BYTES: usize = 512;
