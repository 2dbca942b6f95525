//! Elementwise functions: one loop over contiguous operands for each, and one for an output that is also an operand.

use crate::device::cpu::Cpu;
use crate::device::cpu::loops::few::Few;
use crate::device::cpu::loops::strips::{Addresses, First, MAX_OPERANDS, RawOperand, for_blocks};
use crate::device::cpu::simd::kernel;
use crate::device::function::MAX_ARGUMENTS;
use crate::device::{Arguments, ElementTuple, Elementwise, Function, Generator, Operand, Output, Visit};
use crate::element::Element;
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use core::slice::from_raw_parts_mut;
use core::sync::atomic::{AtomicBool, Ordering};

// ------------------------------------------------------------------ loops

// Operations go in by value: what they carry may not be changed by what is written, and the compiler can see it.

kernel! {
    /// `out[i] = op(k + i)`.
    ///
    /// # Safety
    /// `out` has `n` elements that are ours to write.
    unsafe fn generate_dense[T: Element, F: Generator<T>][T, F](op: F, k: usize, n: usize, out: *mut T) -> () {
        // SAFETY: the caller's.
        let out = unsafe { from_raw_parts_mut(out, n) };
        for (i, r) in out.iter_mut().enumerate() {
            *r = op.apply(k + i);
        }
    }
}

/// The addresses of a function's operands; those behind the last one are null.
type Arrays = [*const u8; MAX_ARGUMENTS];

kernel! {
    /// Writes `op` of the operands to `out`.
    ///
    /// # Safety
    /// Each operand has `n` elements, of the types `A`; so does `out`, whose may be written and are not among the others.
    unsafe fn map_contiguous[A: Arguments, F: Function<A>][A, F](op: F, n: usize, out: *mut F::Output, operands: Arrays) -> () {
        // SAFETY: the caller ensures it.
        unsafe { A::map_contiguous(op, n, out, operands) };
    }
}

kernel! {
    /// Writes `op` of the operands to the first of them.
    ///
    /// # Safety
    /// Each operand has `n` elements, of the types `A`; those of the first one may be written and are not among the others.
    unsafe fn update_contiguous[A: Arguments, F: Function<A, Output = A::First>][A, F](op: F, n: usize, operands: Arrays) -> () {
        // SAFETY: the caller ensures it.
        unsafe { A::map_contiguous(op, n, operands[0].cast_mut().cast(), operands) };
    }
}

kernel! {
    /// Returns whether `op` is defined for all elements. Looks at every one: a loop that never ends early is vectorised.
    ///
    /// # Safety
    /// Each operand has `n` elements, of the types `A`.
    unsafe fn defined_contiguous[A: Arguments, F: Function<A>][A, F](op: F, n: usize, operands: Arrays) -> bool {
        // SAFETY: the caller ensures it.
        unsafe { A::defined_contiguous(op, n, operands) }
    }
}

// ------------------------------------------------------------------ operations

/// The operands of a loop, and the shape that they have in common.
#[derive(Clone, Copy)]
struct Operands<'a> {
    shape: &'a [usize],
    list: [RawOperand<'a>; MAX_OPERANDS],
    len: usize,
}

impl<'a> Operands<'a> {
    #[inline(always)]
    fn new<T: Element>(first: Operand<'a, T, Cpu>) -> Self {
        let (shape, first) = (first.shape(), RawOperand::new(first.ptr(), first.strides()));
        Operands { shape, list: [first; MAX_OPERANDS], len: 1 }
    }

    #[inline(always)]
    fn list(&self) -> &[RawOperand<'a>] {
        &self.list[..self.len]
    }
}

impl<'a> Visit<'a, Cpu> for Operands<'a> {
    /// # Panics
    /// If the operand has another shape. Kernels rely on it.
    #[inline(always)]
    fn visit<T: Element>(&mut self, operand: Operand<'a, T, Cpu>) {
        assert!(same(operand.shape(), self.shape), "operands of one shape");
        self.list[self.len] = RawOperand::new(operand.ptr(), operand.strides());
        self.len += 1;
    }
}

/// The addresses of a function's operands, which begin with the `first` of a loop's.
#[inline(always)]
fn arrays(addresses: Addresses, first: usize) -> Arrays {
    core::array::from_fn(|k| {
        addresses.get(first + k).map_or(core::ptr::null(), |address| address.cast_const())
    })
}

/// Computes a few elements, each by `element`, which is given the offsets of one in each operand. Returns whether it did: there are not
/// too many.
#[inline(always)]
fn few<const K: usize>(operands: &Operands<'_>, mut element: impl FnMut(&[isize])) -> bool {
    let strides = core::array::from_fn(|k| operands.list[k].strides());
    let Some(few) = Few::<K>::new(operands.shape, &strides) else { return false };
    few.for_each(|at| element(&at));
    true
}

/// [`few`] for as many operands as there are. `LEN` is a constant, so that one branch of three is compiled.
macro_rules! few {
    ($len:expr, $operands:expr, $element:expr) => {
        if const { $len == 1 } {
            few::<1>($operands, $element)
        } else if const { $len == 2 } {
            few::<2>($operands, $element)
        } else if const { $len == 3 } {
            few::<3>($operands, $element)
        } else {
            few::<4>($operands, $element)
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
                // SAFETY: rows of the output's own plan lie within it, and it is ours to write.
                unsafe { generate_dense(*op, k, n, row) };
            } else {
                for i in 0..n {
                    let to = row.wrapping_offset(i as isize * stride);
                    // SAFETY: as above.
                    unsafe { to.write(op.apply(k + i)) };
                }
            }
            k += n;
        });
        Ok(())
    }

    // `map` and `update` are always inlined: where the rank is known, little is left of the loop over few elements, and to pass the
    // operands would take longer than that.
    #[inline(always)]
    fn map<A: Arguments<First = T>, F: Function<A>>(
        &self,
        op: &F,
        out: Output<'_, F::Output, Cpu>,
        operands: A::Operands<'_, Cpu>,
    ) -> Result<(), Error> {
        let mut all = Operands::new(out.as_operand());
        A::each(operands, &mut all);
        if F::CHECKED {
            check::<A, F>(op, all, 1)?;
        }
        let element = |at: &[isize]| {
            // SAFETY: the offsets are those of one index, which is within the shape of all operands.
            let arguments = unsafe { A::read(|k| (all.list[k + 1].address().cast_const(), at[k + 1])) };
            // SAFETY: as above, and access to the output is exclusive.
            unsafe { out.ptr().offset(at[0]).get().write(op.call(arguments)) };
        };
        if few!(A::LEN + 1, &all, element) {
            return Ok(());
        }
        // SAFETY: operands may be read, and access to the output is exclusive.
        unsafe { map_blocks::<A, F>(op, all) };
        Ok(())
    }

    #[inline(always)]
    fn update<A: Arguments<First = T>, F: Function<A, Output = T>>(
        &self,
        op: &F,
        a: Output<'_, T, Cpu>,
        rest: <A::Rest as ElementTuple>::Operands<'_, Cpu>,
    ) -> Result<(), Error> {
        let mut all = Operands::new(a.as_operand());
        A::Rest::each(rest, &mut all);
        if F::CHECKED {
            check::<A, F>(op, all, 0)?;
        }
        let element = |at: &[isize]| {
            // SAFETY: the offsets are those of one index, which is within the shape of all operands.
            let arguments = unsafe { A::read(|k| (all.list[k].address().cast_const(), at[k])) };
            // SAFETY: as above, and access to the output is exclusive.
            unsafe { a.ptr().offset(at[0]).get().write(op.call(arguments)) };
        };
        if few!(A::LEN, &all, element) {
            return Ok(());
        }
        // SAFETY: operands may be read, and access to the output is exclusive.
        unsafe { update_blocks::<A, F>(op, all) };
        Ok(())
    }
}

// These take the operands by value: their addresses are taken here, and the originals stay in registers.

/// [`Elementwise::map`] of many elements, to the first of the operands.
///
/// # Safety
/// The elements of the operands, which are of `F::Output` and `A`, may be read, and those of the first one written.
#[inline(never)]
unsafe fn map_blocks<A: Arguments, F: Function<A>>(op: &F, operands: Operands<'_>) {
    let block = |n, at: Addresses| {
        // SAFETY: `for_blocks` gives `n` elements of each operand, of which only those of the output are written.
        unsafe { map_contiguous::<A, F>(*op, n, at[0].cast(), arrays(at, 1)) };
    };
    // SAFETY: the caller ensures it.
    unsafe { for_blocks(operands.shape, operands.list(), First::Written, F::COST, block) };
}

/// [`Elementwise::update`] of many elements.
///
/// # Safety
/// The elements of the operands, which are of `A`, may be read, and those of the first one written.
#[inline(never)]
unsafe fn update_blocks<A: Arguments, F: Function<A, Output = A::First>>(op: &F, operands: Operands<'_>) {
    let block = |n, at: Addresses| {
        // SAFETY: `for_blocks` gives `n` elements of each operand, of which only those of the output are written.
        unsafe { update_contiguous::<A, F>(*op, n, arrays(at, 0)) };
    };
    // SAFETY: the caller ensures it.
    unsafe { for_blocks(operands.shape, operands.list(), First::Updated, F::COST, block) };
}

// ------------------------------------------------------------------ undefined results

/// Checks that `op` is defined for all elements, before anything is written. Its operands begin with the `first` of these.
///
/// # Errors
/// [`Error::Arithmetic`] with the first elements, in row-major order, for which it is not.
#[inline(never)]
fn check<A: Arguments, F: Function<A>>(op: &F, operands: Operands<'_>, first: usize) -> Result<(), Error> {
    let (shape, operands) = (operands.shape, &operands.list()[first..]);
    let undefined = AtomicBool::new(false);
    let block = |n, at: Addresses| {
        // SAFETY: `for_blocks` gives `n` elements of each operand.
        if !unsafe { defined_contiguous::<A, F>(*op, n, arrays(at, 0)) } {
            undefined.store(true, Ordering::Relaxed);
        }
    };
    // SAFETY: these are operands, which may be read.
    unsafe { for_blocks(shape, operands, First::Read, F::COST, block) };
    if !undefined.into_inner() {
        return Ok(());
    }
    let strides = core::array::from_fn(|k| operands.get(k).unwrap_or(&operands[0]).strides());
    let mut index = Odometer::row_major(shape, strides);
    for _ in 0..shape.iter().product() {
        let at: [isize; MAX_ARGUMENTS] = index.offsets();
        // SAFETY: the offsets are those of one index, which is within the shape of all operands.
        let arguments = unsafe { A::read(|k| (operands[k].address().cast_const(), at[k])) };
        if !op.is_defined(arguments) {
            let (dtype, values) = (A::First::DTYPE.name(), op.describe(arguments));
            return Err(Error::Arithmetic { op: F::NAME, dtype, values });
        }
        index.advance();
    }
    Ok(())
}

/// Calls `row` with the offset of each operand at the beginning of each inner loop.
///
/// Inner loops are never empty, so that no slice is made of the pointer of an empty buffer.
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
