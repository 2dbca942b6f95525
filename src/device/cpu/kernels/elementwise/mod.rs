//! Implements [`Elementwise`] for [`Cpu`]. Each function is compiled to two loops over contiguous operands: `map` writes a separate
//! output, and `update` writes the first operand.
//!
//! ```text
//! if the function may be undefined: check all elements, before any is written      (check)
//! if there are few elements: compute them one by one                               (few)
//! if all are contiguous, and too few for several threads: compute one strip        (short_strip)
//! otherwise, compute each strip of contiguous elements, in parallel                (map_blocks, update_blocks)
//!
//! a strip:                                                                         (map_strip, update_strip)
//!     an elementary function: the vectorised loops of module `elementary`          (map_elementary)
//!     a function with `bool` results, with AVX2: the loop of module `masks`        (map_masks)
//!     any other function: its loop, compiled for the registers of the processor    (map_contiguous, update_contiguous)
//! ```

#[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
mod masks;

use crate::device::cpu::Cpu;
use crate::device::cpu::loops::few::Few;
use crate::device::cpu::loops::strips::{
    Addresses, First, MAX_LOOP_OPERANDS, RawOperand, for_blocks, is_short,
};
use crate::device::function::MAX_ARGUMENTS;
use crate::device::{Arguments, ElementTuple, Elementwise, Function, Generator, Operand, Output, Visit};
use crate::element::{DType, Element, Elementary, PairFunction};
use crate::elementary::{numbers32, numbers64};
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::layout::is_contiguous;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::simd::CACHE_LINE_BYTES;
use crate::simd::{Level, kernel, prefetch, prefetches_rows};
use core::ptr::null_mut;
use core::slice::from_raw_parts_mut;
use core::sync::atomic::{AtomicBool, Ordering};
#[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
use masks::map_masks;

// ------------------------------------------------------------------ loops

// The kernels take functions by value: the compiler then knows that writes to the output do not change the fields of a function.

kernel! {
    /// Computes `out[i] = op(k + i)` for `i < n`.
    ///
    /// # Safety
    /// The caller must ensure that `out` points to `n` initialised elements, and exclusive access to them.
    unsafe fn generate_contiguous[T: Element, F: Generator<T>][T, F](op: F, k: usize, n: usize, out: *mut T) -> () {
        // SAFETY: the caller ensures that `out` points to `n` initialised elements, and exclusive access to them.
        let out = unsafe { from_raw_parts_mut(out, n) };
        for (i, r) in out.iter_mut().enumerate() {
            *r = op.apply(k + i);
        }
    }
}

/// The addresses of a function's operands. Unused entries are null.
pub(super) type Arrays = [*mut u8; MAX_ARGUMENTS];

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
/// Measured: blocks of 4 take longer than a plain loop, and for blocks of 16, the compiler does not vectorise `b += 2i · a` of `c64`.
const COMPLEX_BLOCK: usize = 8;

/// Returns whether a function is computed in blocks of [`COMPLEX_BLOCK`] elements: whether it multiplies complex numbers.
const fn in_blocks<A: Arguments, F: Function<A>>() -> bool {
    use DType::{C32, C64};
    F::MULTIPLIES && matches!((A::First::DTYPE, F::Output::DTYPE), (C32, C32) | (C64, C64))
}

/// If module `elementary` has a vectorised loop for `op`: computes `op` of the first `n` elements of the operands, writes the
/// results to `out`, and returns `true`. Otherwise writes nothing and returns `false`.
///
/// # Safety
/// The contract of [`map_contiguous`], except that `out` may be the first operand.
#[inline(always)]
unsafe fn map_elementary<A: Arguments, F: Function<A>>(
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
const fn is_inexact(dtype: DType) -> bool {
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
/// and complex elements in L1 faster (measured). Loops that write a separate output gain less.
const fn is_wide_update<A: Arguments, F: Function<A>>() -> bool {
    A::LEN > 1 && F::COST == 0 && is_inexact(A::First::DTYPE) && !in_blocks::<A, F>()
}

/// Prefetch distance, in bytes, of a loop that updates its only operand, if [`prefetches_rows`]. Measured: prefetching makes
/// `b += α · b` faster if the elements are in memory. Loops with several operands gain nothing.
const UPDATE_PREFETCH_BYTES: usize = 2 << 10;
/// The number of bytes that such a loop prefetches at a time.
const UPDATE_BLOCK_BYTES: usize = 512;

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

// ------------------------------------------------------------------ operations

/// The operands of a loop, and their common shape.
#[derive(Clone, Copy)]
struct Operands<'a> {
    shape: &'a [usize],
    list: [RawOperand<'a>; MAX_LOOP_OPERANDS],
    len: usize,
}

impl<'a> Operands<'a> {
    #[inline(always)]
    fn new<T: Element>(first: Operand<'a, T, Cpu>) -> Self {
        let (shape, first) = (first.shape(), RawOperand::new(first.ptr(), first.strides()));
        Operands { shape, list: [first; MAX_LOOP_OPERANDS], len: 1 }
    }

    #[inline(always)]
    fn list(&self) -> &[RawOperand<'a>] {
        &self.list[..self.len]
    }

    /// Returns the address of the first element of each operand.
    #[inline(always)]
    fn addresses(&self) -> Addresses {
        self.list.map(|operand| operand.address())
    }

    /// Returns the number of elements if there are any, all operands are contiguous in the same memory order, and a single thread computes
    /// the elements. Otherwise returns `None`. `cost` is that of an element: see [`for_blocks`].
    // Always inlined: if the compiler knows the rank, this takes less time than passing the operands to `for_blocks`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn short_strip(&self, cost: usize) -> Option<usize> {
        let n = self.shape.iter().product::<usize>();
        let contiguous = self.are_contiguous(true) || self.are_contiguous(false);
        (n > 0 && contiguous && is_short(self.list(), n, cost)).then_some(n)
    }

    /// Returns whether all operands are contiguous in a memory order.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn are_contiguous(&self, row_major: bool) -> bool {
        let mut contiguous = true;
        for operand in self.list() {
            contiguous = contiguous && is_contiguous(self.shape, operand.strides(), row_major);
        }
        contiguous
    }

    /// Returns the loops over the elements of the first `K` operands, if there are few elements.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn few<const K: usize>(&self) -> Option<Few<K>> {
        Few::new(self.shape, &core::array::from_fn(|k| self.list[k].strides()))
    }
}

impl<'a> Visit<'a, Cpu> for Operands<'a> {
    /// # Panics
    /// If the shape of the operand is not `self.shape`. The kernels rely on this check.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit<T: Element>(&mut self, operand: Operand<'a, T, Cpu>) {
        assert!(same(operand.shape(), self.shape), "the operands must have the same shape");
        self.list[self.len] = RawOperand::new(operand.ptr(), operand.strides());
        self.len += 1;
    }
}

/// Returns the addresses of a function's operands: the entries of `addresses` from index `first` on.
#[inline(always)]
fn arrays(addresses: &Addresses, first: usize) -> &Arrays {
    addresses[first..].first_chunk().expect("a loop has one operand more than a function")
}

/// Computes the elements if there are only a few, and returns `true`. If there are more, calls neither closure and returns `false`.
///
/// If the elements are contiguous and there are at least two, calls `contiguous` with their number. If `contiguous` is not called or
/// returns `false`, calls `element` for each index, with the offset of this index in each operand.
#[cfg_attr(not(debug_assertions), inline(always))]
fn few<const K: usize>(
    operands: &Operands<'_>,
    contiguous: impl FnOnce(usize) -> bool,
    mut element: impl FnMut(&[isize]),
) -> bool {
    let Some(few) = operands.few::<K>() else { return false };
    if let Some(len @ 2..) = few.contiguous_len()
        && contiguous(len)
    {
        return true;
    }
    few.for_each(|at| element(&at));
    true
}

/// [`few`] for `$len` operands. `$len` is a constant, so only one of the branches is compiled.
macro_rules! few {
    ($len:expr, $operands:expr, $contiguous:expr, $element:expr) => {
        if const { $len == 1 } {
            few::<1>($operands, $contiguous, $element)
        } else if const { $len == 2 } {
            few::<2>($operands, $contiguous, $element)
        } else if const { $len == 3 } {
            few::<3>($operands, $contiguous, $element)
        } else {
            few::<4>($operands, $contiguous, $element)
        }
    };
}

#[diagnostic::do_not_recommend]
impl<T: Element> Elementwise<T> for Cpu {
    fn generate<F: Generator<T>>(&self, op: &F, out: Output<'_, T, Cpu>) -> Result<(), Error> {
        let plan = Plan::ordered(out.shape(), [out.strides()]);
        let (base, [stride], n) = (out.ptr(), plan.inner_strides(), plan.inner_len());
        let mut k = 0;
        for_rows(&plan, |[offset]| {
            let row = base.offset(offset).get();
            if stride == 1 {
                // SAFETY: the plan is that of `out`, so a row consists of `n` of its elements, to which `Output` guarantees
                // exclusive access. Elements of a buffer are initialised.
                unsafe { generate_contiguous(*op, k, n, row) };
            } else {
                for i in 0..n {
                    let to = row.wrapping_offset(i as isize * stride);
                    // SAFETY: `i < n`, so `to` points to an element of the row, and the row is part of `out`. `Output` guarantees
                    // exclusive access to it.
                    unsafe { to.write(op.apply(k + i)) };
                }
            }
            k += n;
        });
        Ok(())
    }

    // `map` and `update` are always inlined: for few elements and a known rank, passing the operands would take longer than the
    // loop.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map<A: Arguments<First = T>, F: Function<A>>(
        &self,
        op: &F,
        out: Output<'_, F::Output, Cpu>,
        operands: A::Operands<'_, Cpu>,
    ) -> Result<(), Error> {
        let mut all = Operands::new(out.as_operand());
        A::each(operands, &mut all);
        if const { F::CHECKED } && op.is_checked() {
            check::<A, F>(op, all, 1)?;
        }
        let element = |at: &[isize]| {
            // SAFETY: `at` has the offset of one index in each operand. All operands have the same shape, so `Operand` guarantees that
            // these elements may be read.
            let arguments = unsafe { A::read(|k| (all.list[k + 1].address().cast_const(), at[k + 1])) };
            // SAFETY: `at[0]` is the offset of the same index in `out`. `Output` guarantees exclusive access to this element.
            unsafe { out.ptr().offset(at[0]).get().write(op.call(arguments)) };
        };
        let contiguous = |n| {
            let at = all.addresses();
            // SAFETY: `few!` calls this closure only if `out` and all operands consist of `n` contiguous elements. `Operand` guarantees
            // that those of the operands, of the types `A`, may be read. `Output` guarantees exclusive access to those of `out`.
            unsafe { map_elementary::<A, F>(op, n, at[0], arrays(&at, 1)) }
        };
        if few!(A::LEN + 1, &all, contiguous, element) {
            return Ok(());
        }
        if let Some(n) = all.short_strip(F::COST) {
            // SAFETY: `out` and all operands consist of `n` contiguous elements. `Operand` guarantees that those of the operands, of the
            // types `A`, may be read. `Output` guarantees exclusive access to those of `out`.
            unsafe { map_strip::<A, F>(op, n, &all.addresses()) };
            return Ok(());
        }
        // SAFETY: the first of `all` is `out`. `Output` guarantees exclusive access to its elements, and that different indices address
        // different ones. The others are the operands, of the types `A`, and `Operand` guarantees that they may be read. All have the
        // same shape.
        unsafe { map_blocks::<A, F>(op, all) };
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn update<A: Arguments<First = T>, F: Function<A, Output = T>>(
        &self,
        op: &F,
        a: Output<'_, T, Cpu>,
        rest: <A::Rest as ElementTuple>::Operands<'_, Cpu>,
    ) -> Result<(), Error> {
        let mut all = Operands::new(a.as_operand());
        A::Rest::each(rest, &mut all);
        if const { F::CHECKED } && op.is_checked() {
            check::<A, F>(op, all, 0)?;
        }
        let element = |at: &[isize]| {
            // SAFETY: `at` has the offset of one index in `a` and in each operand of `rest`. All have the same shape, so `Output` and
            // `Operand` guarantee that these elements may be read.
            let arguments = unsafe { A::read(|k| (all.list[k].address().cast_const(), at[k])) };
            // SAFETY: `at[0]` is the offset of the same index in `a`. `Output` guarantees exclusive access to this element.
            unsafe { a.ptr().offset(at[0]).get().write(op.call(arguments)) };
        };
        let contiguous = |n| {
            let at = all.addresses();
            // SAFETY: `few!` calls this closure only if `a` and all operands of `rest` consist of `n` contiguous elements. `Operand`
            // guarantees that those of `rest` may be read. `Output` guarantees exclusive access to those of `a`.
            unsafe { map_elementary::<A, F>(op, n, at[0], arrays(&at, 0)) }
        };
        if few!(A::LEN, &all, contiguous, element) {
            return Ok(());
        }
        if let Some(n) = all.short_strip(F::COST) {
            // SAFETY: `a` and all operands of `rest` consist of `n` contiguous elements; together they are of the types `A`. `Operand`
            // guarantees that those of `rest` may be read. `Output` guarantees exclusive access to those of `a`.
            unsafe { update_strip::<A, F>(op, n, &all.addresses()) };
            return Ok(());
        }
        // SAFETY: the first of `all` is `a`. `Output` guarantees exclusive access to its elements, and that different indices address
        // different ones. The others are the operands of `rest`, and `Operand` guarantees that they may be read. All have the same
        // shape, and together they are of the types `A`.
        unsafe { update_blocks::<A, F>(op, all) };
        Ok(())
    }
}

// `map_blocks` and `update_blocks` take the operands by value. So only the copies are in memory, and the caller's operands stay in
// registers.

/// [`Elementwise::map`] of many elements. The first operand is the output.
///
/// # Safety
/// The caller must ensure:
/// * The operands are of the types `F::Output` and `A`, in this order, and all of their elements are readable.
/// * The first operand's elements may be written, and nothing else accesses them. No two of its indices share an element.
#[inline(never)]
unsafe fn map_blocks<A: Arguments, F: Function<A>>(op: &F, operands: Operands<'_>) {
    // SAFETY: `for_blocks` passes the addresses of `n` contiguous elements of each operand. The first address is that of the output. Access
    // to its `n` elements is exclusive, so they overlap no operand.
    let block = |n, at: &Addresses| unsafe { map_strip::<A, F>(op, n, at) };
    // SAFETY: the caller ensures that all elements may be read. It also ensures exclusive access to those of the first operand, no two
    // of which have the same address.
    unsafe { for_blocks(operands.shape, operands.list(), First::Written, F::COST, &block) };
}

/// [`Elementwise::map`] of `n` contiguous elements. `at` has the addresses of the output and of the operands.
///
/// # Safety
/// The caller must ensure:
/// * Each operand has `n` readable elements, of the types `A`.
/// * The output has `n` elements that may be written. They do not overlap the operands, and nothing else accesses them.
#[inline(never)]
unsafe fn map_strip<A: Arguments, F: Function<A>>(op: &F, n: usize, at: &Addresses) {
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
    // At the level AVX-512, products of complex numbers use registers of 64 bytes instead of blocks.
    if const { is_wide::<A, F>() } && (const { !in_blocks::<A, F>() } || Level::get() == Level::Avx512) {
        // SAFETY: `map_contiguous_wide` has the contract of `map_strip`, which the caller ensures.
        unsafe { map_contiguous_wide::<A, F>(*op, n, out, operands) };
    } else {
        // SAFETY: `map_contiguous` has the contract of `map_strip`, which the caller ensures.
        unsafe { map_contiguous::<A, F>(*op, n, out, operands) };
    }
}

/// [`Elementwise::update`] of many elements.
///
/// # Safety
/// The caller must ensure:
/// * The operands are of the types `A`, and all of their elements are readable.
/// * The first operand's elements may be written, and nothing else accesses them. No two of its indices share an element.
#[inline(never)]
unsafe fn update_blocks<A: Arguments, F: Function<A, Output = A::First>>(op: &F, operands: Operands<'_>) {
    // SAFETY: `for_blocks` passes the addresses of `n` contiguous elements of each operand, of the types `A`. Access to the `n` elements of
    // the first operand is exclusive, so they do not overlap the others.
    let block = |n, at: &Addresses| unsafe { update_strip::<A, F>(op, n, at) };
    // SAFETY: the caller ensures that all elements may be read. It also ensures exclusive access to those of the first operand, no two
    // of which have the same address.
    unsafe { for_blocks(operands.shape, operands.list(), First::Updated, F::COST, &block) };
}

/// [`Elementwise::update`] of `n` contiguous elements. `at` has the addresses of the operands.
///
/// # Safety
/// The caller must ensure:
/// * Each operand has `n` readable elements, of the types `A`.
/// * The elements of the first operand may be written. They do not overlap the others, and nothing else accesses them.
#[inline(never)]
unsafe fn update_strip<A: Arguments, F: Function<A, Output = A::First>>(op: &F, n: usize, at: &Addresses) {
    // SAFETY: `map_elementary` has the contract of `update_strip`, which the caller ensures, if the output is the first operand.
    if unsafe { map_elementary::<A, F>(op, n, at[0], arrays(at, 0)) } {
        return;
    }
    // SAFETY: `update_contiguous` has the contract of `update_strip`, which the caller ensures.
    unsafe { update_contiguous::<A, F>(*op, n, arrays(at, 0)) };
}

// ------------------------------------------------------------------ undefined results

/// Checks that `op` is defined for all elements. Called before any element is written. `first` is the index of the function's first
/// operand in `operands`.
///
/// # Errors
/// [`Error::Arithmetic`] if `op` is undefined at some index. The error has the operands' elements at the first such index in row-major
/// order.
#[inline(never)]
fn check<A: Arguments, F: Function<A>>(op: &F, operands: Operands<'_>, first: usize) -> Result<(), Error> {
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

/// Calls `row` for each inner loop of the plan, with the offset of its first element in each operand.
///
/// Does not call `row` for empty inner loops, so that no slice is made from the pointer of an empty buffer.
fn for_rows<const K: usize>(plan: &Plan<K>, mut row: impl FnMut([isize; K])) {
    if plan.inner_len() == 0 {
        return;
    }
    let mut walk = Odometer::outer(plan);
    for _ in 0..plan.outer_shape().iter().product() {
        row(walk.offsets());
        walk.advance();
    }
}
