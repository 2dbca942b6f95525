//! Elementwise operations: one loop over dense operands for each, twice where the output is also an input.

use crate::device::cpu::Cpu;
use crate::device::cpu::loops::few::Few;
use crate::device::cpu::loops::strips::{First, Lane, for_blocks};
use crate::device::cpu::simd::kernel;
use crate::device::{BinaryOp, Elementwise, Generator, Operand, Output, TernaryOp, UnaryOp};
use crate::element::Element;
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use core::mem::MaybeUninit;
use core::slice::{from_raw_parts, from_raw_parts_mut};
use core::sync::atomic::{AtomicBool, Ordering};

// ------------------------------------------------------------------ loops

// Operations go in by value: what they carry may not be changed by what is written, and the compiler can see it.

/// Elements to write, which may have no value yet: results go through buffers, too.
///
/// # Safety
/// There are `n` elements, which are ours alone during `'a`.
#[inline(always)]
unsafe fn fresh<'a, R>(out: *mut R, n: usize) -> &'a mut [MaybeUninit<R>] {
    // SAFETY: the caller's; these may be without a value.
    unsafe { from_raw_parts_mut(out.cast(), n) }
}

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

kernel! {
    /// `out = op(a)`.
    ///
    /// # Safety
    /// There are `n` elements each; those of `out` are ours to write, and not among the others.
    unsafe fn unary[T: Element, F: UnaryOp<T>][T, F](op: F, n: usize, out: *mut F::Output, a: *const T) -> () {
        // SAFETY: the caller's.
        let out = unsafe { fresh(out, n) };
        // SAFETY: the caller's; they are not among those of `out`.
        let a = unsafe { from_raw_parts(a, n) };
        for (r, &x) in out.iter_mut().zip(a) {
            r.write(op.apply(x));
        }
    }
}

kernel! {
    /// `a = op(a)`.
    ///
    /// # Safety
    /// `a` has `n` elements that are ours alone.
    unsafe fn unary_in_place[T: Element, F: UnaryOp<T, Output = T>][T, F](op: F, n: usize, a: *mut T) -> () {
        // SAFETY: the caller's.
        for x in unsafe { from_raw_parts_mut(a, n) } {
            *x = op.apply(*x);
        }
    }
}

kernel! {
    /// `out = op(a, b)`.
    ///
    /// # Safety
    /// There are `n` elements each; those of `out` are ours to write, and not among the others.
    unsafe fn binary[T: Element, U: Element, F: BinaryOp<T, U>][T, U, F](
        op: F,
        n: usize,
        out: *mut F::Output,
        a: *const T,
        b: *const U,
    ) -> () {
        // SAFETY: the caller's.
        let out = unsafe { fresh(out, n) };
        // SAFETY: the caller's; they are not among those of `out`.
        let a = unsafe { from_raw_parts(a, n) };
        // SAFETY: as for `a`.
        let b = unsafe { from_raw_parts(b, n) };
        for ((r, &x), &y) in out.iter_mut().zip(a).zip(b) {
            r.write(op.apply(x, y));
        }
    }
}

kernel! {
    /// `a = op(a, b)`.
    ///
    /// # Safety
    /// There are `n` elements each; those of `a` are ours alone, and not among those of `b`.
    unsafe fn binary_in_place[T: Element, U: Element, F: BinaryOp<T, U, Output = T>][T, U, F](
        op: F,
        n: usize,
        a: *mut T,
        b: *const U,
    ) -> () {
        // SAFETY: the caller's.
        let a = unsafe { from_raw_parts_mut(a, n) };
        // SAFETY: the caller's; they are not among those of `a`.
        let b = unsafe { from_raw_parts(b, n) };
        for (x, &y) in a.iter_mut().zip(b) {
            *x = op.apply(*x, y);
        }
    }
}

kernel! {
    /// `out = op(a, b, c)`.
    ///
    /// # Safety
    /// There are `n` elements each; those of `out` are ours to write, and not among the others.
    unsafe fn ternary[T: Element, U: Element, V: Element, F: TernaryOp<T, U, V>][T, U, V, F](
        op: F,
        n: usize,
        out: *mut F::Output,
        a: *const T,
        b: *const U,
        c: *const V,
    ) -> () {
        // SAFETY: the caller's.
        let out = unsafe { fresh(out, n) };
        // SAFETY: the caller's; they are not among those of `out`.
        let a = unsafe { from_raw_parts(a, n) };
        // SAFETY: as for `a`.
        let b = unsafe { from_raw_parts(b, n) };
        // SAFETY: as for `a`.
        let c = unsafe { from_raw_parts(c, n) };
        for (((r, &x), &y), &z) in out.iter_mut().zip(a).zip(b).zip(c) {
            r.write(op.apply(x, y, z));
        }
    }
}

kernel! {
    /// Whether `op` has a value everywhere. Looks at every element: what never stops early works on several at a time.
    ///
    /// # Safety
    /// There are `n` elements.
    unsafe fn unary_defined[T: Element, F: UnaryOp<T>][T, F](op: F, n: usize, a: *const T) -> bool {
        // SAFETY: the caller's.
        unsafe { from_raw_parts(a, n) }.iter().fold(true, |all, &x| all & op.defined(x))
    }
}

kernel! {
    /// The same for two operands.
    ///
    /// # Safety
    /// There are `n` elements each.
    unsafe fn binary_defined[T: Element, U: Element, F: BinaryOp<T, U>][T, U, F](
        op: F,
        n: usize,
        a: *const T,
        b: *const U,
    ) -> bool {
        // SAFETY: the caller's.
        let a = unsafe { from_raw_parts(a, n) };
        // SAFETY: as for `a`.
        let b = unsafe { from_raw_parts(b, n) };
        a.iter().zip(b).fold(true, |all, (&x, &y)| all & op.defined(x, y))
    }
}

// ------------------------------------------------------------------ operations

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

    #[inline]
    fn unary<F: UnaryOp<T>>(
        &self,
        op: &F,
        out: Output<'_, F::Output, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        one_shape([out.shape(), a.shape()]);
        check_unary(op, a)?;
        if let Some(few) = Few::new(out.shape(), &[out.strides(), a.strides()]) {
            few.for_each(|[o, x]| {
                // SAFETY: `x` is the offset of an index of the operand.
                let value = op.apply(unsafe { a.ptr().offset(x).get().read() });
                // SAFETY: `o` is the offset of the same index of the output, to which access is exclusive.
                unsafe { out.ptr().offset(o).get().write(value) };
            });
            return Ok(());
        }
        let (strides, lanes) = ([out.strides(), a.strides()], [Lane::new(out.ptr()), Lane::new(a.ptr())]);
        // SAFETY: blocks are of the operands.
        let block = |n, [o, x]: [*mut u8; 2]| unsafe { unary(*op, n, o.cast(), x.cast::<T>()) };
        // SAFETY: the operands vouch for their elements; the output is ours alone.
        unsafe { for_blocks(out.shape(), &strides, &lanes, First::Written, F::COST, &block) };
        Ok(())
    }

    #[inline]
    fn unary_assign<F: UnaryOp<T, Output = T>>(&self, op: &F, a: Output<'_, T, Cpu>) -> Result<(), Error> {
        check_unary(op, a.as_operand())?;
        if let Some(few) = Few::new(a.shape(), &[a.strides()]) {
            few.for_each(|[at]| {
                let element = a.ptr().offset(at).get();
                // SAFETY: `at` is the offset of an index of the output, to which access is exclusive.
                let value = op.apply(unsafe { element.read() });
                // SAFETY: as above.
                unsafe { element.write(value) };
            });
            return Ok(());
        }
        let (strides, lanes) = ([a.strides()], [Lane::new(a.ptr())]);
        // SAFETY: blocks are of the operand.
        let block = |n, [x]: [*mut u8; 1]| unsafe { unary_in_place(*op, n, x.cast()) };
        // SAFETY: the operand vouches for its elements, which are ours alone.
        unsafe { for_blocks(a.shape(), &strides, &lanes, First::Updated, F::COST, &block) };
        Ok(())
    }

    #[inline]
    fn binary<U: Element, F: BinaryOp<T, U>>(
        &self,
        op: &F,
        out: Output<'_, F::Output, Cpu>,
        a: Operand<'_, T, Cpu>,
        b: Operand<'_, U, Cpu>,
    ) -> Result<(), Error> {
        one_shape([out.shape(), a.shape(), b.shape()]);
        check_binary(op, a, b)?;
        let strides = [out.strides(), a.strides(), b.strides()];
        if let Some(few) = Few::new(out.shape(), &strides) {
            few.for_each(|[o, x, y]| {
                // SAFETY: `x` is the offset of an index of the left operand.
                let x = unsafe { a.ptr().offset(x).get().read() };
                // SAFETY: `y` is the offset of the same index of the right operand.
                let y = unsafe { b.ptr().offset(y).get().read() };
                // SAFETY: `o` is the offset of the same index of the output, to which access is exclusive.
                unsafe { out.ptr().offset(o).get().write(op.apply(x, y)) };
            });
            return Ok(());
        }
        let lanes = [Lane::new(out.ptr()), Lane::new(a.ptr()), Lane::new(b.ptr())];
        let block = |n, [o, x, y]: [*mut u8; 3]| {
            // SAFETY: blocks are of the operands.
            unsafe { binary(*op, n, o.cast(), x.cast::<T>(), y.cast::<U>()) };
        };
        // SAFETY: the operands vouch for their elements; the output is ours alone.
        unsafe { for_blocks(out.shape(), &strides, &lanes, First::Written, F::COST, &block) };
        Ok(())
    }

    #[inline]
    fn binary_assign<U: Element, F: BinaryOp<T, U, Output = T>>(
        &self,
        op: &F,
        a: Output<'_, T, Cpu>,
        b: Operand<'_, U, Cpu>,
    ) -> Result<(), Error> {
        one_shape([a.shape(), b.shape()]);
        check_binary(op, a.as_operand(), b)?;
        if let Some(few) = Few::new(a.shape(), &[a.strides(), b.strides()]) {
            few.for_each(|[x, y]| {
                let element = a.ptr().offset(x).get();
                // SAFETY: `y` is the offset of an index of the operand.
                let y = unsafe { b.ptr().offset(y).get().read() };
                // SAFETY: `x` is the offset of the same index of the output, to which access is exclusive.
                let value = op.apply(unsafe { element.read() }, y);
                // SAFETY: as above.
                unsafe { element.write(value) };
            });
            return Ok(());
        }
        let (strides, lanes) = ([a.strides(), b.strides()], [Lane::new(a.ptr()), Lane::new(b.ptr())]);
        // SAFETY: blocks are of the operands.
        let block = |n, [x, y]: [*mut u8; 2]| unsafe { binary_in_place(*op, n, x.cast(), y.cast::<U>()) };
        // SAFETY: the operands vouch for their elements; those of `a` are ours alone.
        unsafe { for_blocks(a.shape(), &strides, &lanes, First::Updated, F::COST, &block) };
        Ok(())
    }

    #[inline]
    fn ternary<U: Element, V: Element, F: TernaryOp<T, U, V>>(
        &self,
        op: &F,
        out: Output<'_, F::Output, Cpu>,
        a: Operand<'_, T, Cpu>,
        b: Operand<'_, U, Cpu>,
        c: Operand<'_, V, Cpu>,
    ) -> Result<(), Error> {
        one_shape([out.shape(), a.shape(), b.shape(), c.shape()]);
        let strides = [out.strides(), a.strides(), b.strides(), c.strides()];
        if let Some(few) = Few::new(out.shape(), &strides) {
            few.for_each(|[o, x, y, z]| {
                // SAFETY: `x` is the offset of an index of the first operand.
                let x = unsafe { a.ptr().offset(x).get().read() };
                // SAFETY: `y` is the offset of the same index of the second operand.
                let y = unsafe { b.ptr().offset(y).get().read() };
                // SAFETY: `z` is the offset of the same index of the third operand.
                let z = unsafe { c.ptr().offset(z).get().read() };
                // SAFETY: `o` is the offset of the same index of the output, to which access is exclusive.
                unsafe { out.ptr().offset(o).get().write(op.apply(x, y, z)) };
            });
            return Ok(());
        }
        let lanes = [Lane::new(out.ptr()), Lane::new(a.ptr()), Lane::new(b.ptr()), Lane::new(c.ptr())];
        let block = |n, [o, x, y, z]: [*mut u8; 4]| {
            // SAFETY: blocks are of the operands.
            unsafe { ternary(*op, n, o.cast(), x.cast::<T>(), y.cast::<U>(), z.cast::<V>()) };
        };
        // SAFETY: the operands vouch for their elements; the output is ours alone.
        unsafe { for_blocks(out.shape(), &strides, &lanes, First::Written, F::COST, &block) };
        Ok(())
    }
}

// ------------------------------------------------------------------ results that do not exist

/// Asks a checked operation about every element before anything is written.
fn check_unary<T: Element, F: UnaryOp<T>>(op: &F, a: Operand<'_, T, Cpu>) -> Result<(), Error> {
    if !F::CHECKED {
        return Ok(());
    }
    let undefined = AtomicBool::new(false);
    let (strides, lanes) = ([a.strides()], [Lane::new(a.ptr())]);
    let block = |n, [x]: [*mut u8; 1]| {
        // SAFETY: blocks are of the operand.
        if !unsafe { unary_defined(*op, n, x.cast::<T>()) } {
            undefined.store(true, Ordering::Relaxed);
        }
    };
    // SAFETY: the operand vouches for its elements.
    unsafe { for_blocks(a.shape(), &strides, &lanes, First::Read, F::COST, &block) };
    if !undefined.into_inner() {
        return Ok(());
    }
    let values = positions(a.shape(), strides).map(|[i]| {
        // SAFETY: the walk goes over the operand's own shape.
        unsafe { a.ptr().offset(i).get().read() }
    });
    without_value::<T>(F::NAME, values.into_iter().find(|&x| !op.defined(x)).map(|x| op.operands(x)))
}

/// The same for two operands.
fn check_binary<T: Element, U: Element, F: BinaryOp<T, U>>(
    op: &F,
    a: Operand<'_, T, Cpu>,
    b: Operand<'_, U, Cpu>,
) -> Result<(), Error> {
    if !F::CHECKED {
        return Ok(());
    }
    let undefined = AtomicBool::new(false);
    let (strides, lanes) = ([a.strides(), b.strides()], [Lane::new(a.ptr()), Lane::new(b.ptr())]);
    let block = |n, [x, y]: [*mut u8; 2]| {
        // SAFETY: blocks are of the operands.
        if !unsafe { binary_defined(*op, n, x.cast::<T>(), y.cast::<U>()) } {
            undefined.store(true, Ordering::Relaxed);
        }
    };
    // SAFETY: the operands vouch for their elements.
    unsafe { for_blocks(a.shape(), &strides, &lanes, First::Read, F::COST, &block) };
    if !undefined.into_inner() {
        return Ok(());
    }
    let values = positions(a.shape(), strides).map(|[i, j]| {
        // SAFETY: the walk goes over the operands' own shape.
        let x = unsafe { a.ptr().offset(i).get().read() };
        // SAFETY: as above.
        (x, unsafe { b.ptr().offset(j).get().read() })
    });
    without_value::<T>(
        F::NAME,
        values.into_iter().find(|&(x, y)| !op.defined(x, y)).map(|(x, y)| op.operands(x, y)),
    )
}

/// Where the elements of each operand lie, in row-major sequence.
fn positions<const K: usize>(shape: &[usize], strides: [&[isize]; K]) -> impl Iterator<Item = [isize; K]> {
    let mut walk = Odometer::row_major(shape, strides);
    (0..shape.iter().product::<usize>()).map(move |_| {
        let at = walk.offsets();
        walk.advance();
        at
    })
}

fn without_value<T: Element>(op: &'static str, values: Option<String>) -> Result<(), Error> {
    values.map_or(Ok(()), |values| Err(Error::Arithmetic { op, dtype: T::DTYPE.name(), values }))
}

/// Kernels rest on it.
#[inline]
fn one_shape<const K: usize>(shapes: [&[usize]; K]) {
    assert!(shapes.iter().all(|shape| same(shape, shapes[0])), "operands of one shape");
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
