//! Implements [`Elementwise`] for [`Cpu`]. Each function is compiled to two loops over contiguous operands: `map` writes a separate
//! output, and `update` writes the first operand.
//!
//! ```text
//! if the function may be undefined: check all elements, before any is written      (check)
//! if there are few elements: compute them one by one                               (operands::few)
//! if all are contiguous, and too few for several threads: compute one strip        (operands::short_strip)
//! otherwise, compute each strip of contiguous elements, in parallel                (map_blocks, update_blocks)
//!
//! a strip:                                                                         (strip)
//!     an elementary function: the vectorised loops of `crate::elementary`          (elementary)
//!     a function with `bool` results, with AVX2: a loop that narrows masks         (masks)
//!     any other function: its loop, compiled for the registers of the processor    (map_contiguous, update_contiguous)
//! ```

mod check;
mod elementary;
#[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
mod masks;
mod operands;
mod strip;

use crate::device::cpu::Cpu;
use crate::device::cpu::loops::strips::{Addresses, First, for_blocks};
use crate::device::{Arguments, ElementTuple, Elementwise, Function, Generator, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::simd::kernel;
use check::check;
use core::slice::from_raw_parts_mut;
use elementary::map_elementary;
use operands::{Operands, arrays, few};
use strip::{map_strip, update_strip};

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
