//! Elementwise operations: one loop over dense operands for each, twice where the output is also an input.

use super::blocks::{First, Lane, for_blocks};
use super::simd::kernel;
use super::threads::over_parts;
use super::{Cpu, HostPtr};
use crate::device::{BinaryOp, Elementwise, Generator, Operand, Output, Permute, TernaryOp, UnaryOp};
use crate::element::Element;
use crate::error::Error;
use crate::layout::plan::Plan;
use crate::layout::walk::Walk;
use core::slice::{from_raw_parts, from_raw_parts_mut};
use core::sync::atomic::{AtomicBool, Ordering};

// ------------------------------------------------------------------ loops

kernel! {
    /// `out[i] = op(k + i)`.
    ///
    /// # Safety
    /// `out` has `n` elements that are ours to write.
    unsafe fn generate_dense[T: Element, F: Generator<T>][T, F](op: &F, k: usize, n: usize, out: *mut T) -> () {
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
    unsafe fn unary[T: Element, F: UnaryOp<T>][T, F](op: &F, n: usize, out: *mut F::Output, a: *const T) -> () {
        // SAFETY: the caller's.
        let (out, a) = unsafe { (from_raw_parts_mut(out, n), from_raw_parts(a, n)) };
        for (r, &x) in out.iter_mut().zip(a) {
            *r = op.apply(x);
        }
    }
}

kernel! {
    /// `a = op(a)`.
    ///
    /// # Safety
    /// `a` has `n` elements that are ours alone.
    unsafe fn unary_in_place[T: Element, F: UnaryOp<T, Output = T>][T, F](op: &F, n: usize, a: *mut T) -> () {
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
        op: &F,
        n: usize,
        out: *mut F::Output,
        a: *const T,
        b: *const U,
    ) -> () {
        // SAFETY: the caller's.
        let (out, a, b) = unsafe { (from_raw_parts_mut(out, n), from_raw_parts(a, n), from_raw_parts(b, n)) };
        for ((r, &x), &y) in out.iter_mut().zip(a).zip(b) {
            *r = op.apply(x, y);
        }
    }
}

kernel! {
    /// `a = op(a, b)`.
    ///
    /// # Safety
    /// There are `n` elements each; those of `a` are ours alone, and not among those of `b`.
    unsafe fn binary_in_place[T: Element, U: Element, F: BinaryOp<T, U, Output = T>][T, U, F](
        op: &F,
        n: usize,
        a: *mut T,
        b: *const U,
    ) -> () {
        // SAFETY: the caller's.
        let (a, b) = unsafe { (from_raw_parts_mut(a, n), from_raw_parts(b, n)) };
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
        op: &F,
        n: usize,
        out: *mut F::Output,
        a: *const T,
        b: *const U,
        c: *const V,
    ) -> () {
        // SAFETY: the caller's.
        let (a, b, c) = unsafe { (from_raw_parts(a, n), from_raw_parts(b, n), from_raw_parts(c, n)) };
        // SAFETY: the caller's.
        let out = unsafe { from_raw_parts_mut(out, n) };
        for (((r, &x), &y), &z) in out.iter_mut().zip(a).zip(b).zip(c) {
            *r = op.apply(x, y, z);
        }
    }
}

kernel! {
    /// Whether `op` has a value everywhere. Looks at every element: what never stops early works on several at a time.
    ///
    /// # Safety
    /// There are `n` elements.
    unsafe fn unary_defined[T: Element, F: UnaryOp<T>][T, F](op: &F, n: usize, a: *const T) -> bool {
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
        op: &F,
        n: usize,
        a: *const T,
        b: *const U,
    ) -> bool {
        // SAFETY: the caller's.
        let (a, b) = unsafe { (from_raw_parts(a, n), from_raw_parts(b, n)) };
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
            // SAFETY: rows of the output's own plan lie within it, and it is ours to write.
            unsafe {
                if stride == 1 {
                    generate_dense(op, k, n, row);
                } else {
                    (0..n).for_each(|i| row.offset(i as isize * stride).write(op.apply(k + i)));
                }
            }
            k += n;
        });
        Ok(())
    }

    fn unary<F: UnaryOp<T>>(
        &self,
        op: &F,
        out: Output<'_, F::Output, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        assert_eq!(out.shape(), a.shape(), "operands of one shape");
        check_unary(op, a)?;
        let (strides, lanes) = ([out.strides(), a.strides()], [Lane::new(out.ptr()), Lane::new(a.ptr())]);
        // SAFETY: the operands vouch for their elements; the output is ours alone. Blocks are theirs.
        unsafe {
            for_blocks(out.shape(), strides, lanes, First::Written, &|n, [o, x]| {
                unary(op, n, o.cast(), x.cast::<T>());
            });
        }
        Ok(())
    }

    fn unary_assign<F: UnaryOp<T, Output = T>>(&self, op: &F, a: Output<'_, T, Cpu>) -> Result<(), Error> {
        check_unary(op, a.as_operand())?;
        // SAFETY: the operand vouches for its elements, which are ours alone. Blocks are its.
        unsafe {
            for_blocks(a.shape(), [a.strides()], [Lane::new(a.ptr())], First::Updated, &|n, [x]| {
                unary_in_place(op, n, x.cast());
            });
        }
        Ok(())
    }

    fn binary<U: Element, F: BinaryOp<T, U>>(
        &self,
        op: &F,
        out: Output<'_, F::Output, Cpu>,
        a: Operand<'_, T, Cpu>,
        b: Operand<'_, U, Cpu>,
    ) -> Result<(), Error> {
        assert_eq!(out.shape(), a.shape(), "operands of one shape");
        assert_eq!(out.shape(), b.shape(), "operands of one shape");
        check_binary(op, a, b)?;
        let strides = [out.strides(), a.strides(), b.strides()];
        let lanes = [Lane::new(out.ptr()), Lane::new(a.ptr()), Lane::new(b.ptr())];
        // SAFETY: the operands vouch for their elements; the output is ours alone. Blocks are theirs.
        unsafe {
            for_blocks(out.shape(), strides, lanes, First::Written, &|n, [o, x, y]| {
                binary(op, n, o.cast(), x.cast::<T>(), y.cast::<U>());
            });
        }
        Ok(())
    }

    fn binary_assign<U: Element, F: BinaryOp<T, U, Output = T>>(
        &self,
        op: &F,
        a: Output<'_, T, Cpu>,
        b: Operand<'_, U, Cpu>,
    ) -> Result<(), Error> {
        assert_eq!(a.shape(), b.shape(), "operands of one shape");
        check_binary(op, a.as_operand(), b)?;
        let (strides, lanes) = ([a.strides(), b.strides()], [Lane::new(a.ptr()), Lane::new(b.ptr())]);
        // SAFETY: the operands vouch for their elements; those of `a` are ours alone. Blocks are theirs.
        unsafe {
            for_blocks(a.shape(), strides, lanes, First::Updated, &|n, [x, y]| {
                binary_in_place(op, n, x.cast(), y.cast::<U>());
            });
        }
        Ok(())
    }

    fn ternary<U: Element, V: Element, F: TernaryOp<T, U, V>>(
        &self,
        op: &F,
        out: Output<'_, F::Output, Cpu>,
        a: Operand<'_, T, Cpu>,
        b: Operand<'_, U, Cpu>,
        c: Operand<'_, V, Cpu>,
    ) -> Result<(), Error> {
        for shape in [a.shape(), b.shape(), c.shape()] {
            assert_eq!(out.shape(), shape, "operands of one shape");
        }
        let strides = [out.strides(), a.strides(), b.strides(), c.strides()];
        let lanes = [Lane::new(out.ptr()), Lane::new(a.ptr()), Lane::new(b.ptr()), Lane::new(c.ptr())];
        // SAFETY: the operands vouch for their elements; the output is ours alone. Blocks are theirs.
        unsafe {
            for_blocks(out.shape(), strides, lanes, First::Written, &|n, [o, x, y, z]| {
                ternary(op, n, o.cast(), x.cast::<T>(), y.cast::<U>(), z.cast::<V>());
            });
        }
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
    // SAFETY: the operand vouches for its elements. Blocks are its.
    unsafe {
        for_blocks(a.shape(), [a.strides()], [Lane::new(a.ptr())], First::Read, &|n, [x]| {
            if !unary_defined(op, n, x.cast::<T>()) {
                undefined.store(true, Ordering::Relaxed);
            }
        });
    }
    if !undefined.into_inner() {
        return Ok(());
    }
    // SAFETY: the walk goes over the operand's own shape.
    let values = positions(a.shape(), [a.strides()]).map(|[i]| unsafe { a.ptr().offset(i).get().read() });
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
    // SAFETY: the operands vouch for their elements. Blocks are theirs.
    unsafe {
        for_blocks(a.shape(), strides, lanes, First::Read, &|n, [x, y]| {
            if !binary_defined(op, n, x.cast::<T>(), y.cast::<U>()) {
                undefined.store(true, Ordering::Relaxed);
            }
        });
    }
    if !undefined.into_inner() {
        return Ok(());
    }
    let values = positions(a.shape(), strides)
        // SAFETY: the walk goes over the operands' own shape.
        .map(|[i, j]| unsafe { (a.ptr().offset(i).get().read(), b.ptr().offset(j).get().read()) });
    without_value::<T>(F::NAME, values.into_iter().find(|&(x, y)| !op.defined(x, y)).map(|(x, y)| op.operands(x, y)))
}

/// Where the elements of each operand lie, in row-major sequence.
fn positions<const K: usize>(shape: &[usize], strides: [&[isize]; K]) -> impl Iterator<Item = [isize; K]> {
    let mut walk = Walk::row_major(shape, strides);
    (0..shape.iter().product::<usize>()).map(move |_| {
        let at = walk.offsets();
        walk.advance();
        at
    })
}

fn without_value<T: Element>(op: &'static str, values: Option<String>) -> Result<(), Error> {
    values.map_or(Ok(()), |values| Err(Error::Arithmetic { op, dtype: T::DTYPE.name(), values }))
}

// ------------------------------------------------------------------ copies

/// Calls `row` with the offset of each operand at the beginning of each inner loop.
///
/// Inner loops are never empty, so that no slice is made of the pointer of an empty buffer.
fn for_rows<const K: usize>(plan: &Plan<K>, mut row: impl FnMut([isize; K])) {
    if plan.inner_len() == 0 {
        return;
    }
    let mut walk = Walk::outer(plan);
    for _ in 0..plan.outer_shape().iter().product() {
        row(walk.offsets());
        walk.advance();
    }
}

/// One operand of an inner loop: where it begins and how far it steps.
#[derive(Clone, Copy)]
struct Strided<T> {
    ptr: HostPtr<T>,
    stride: isize,
}

impl<T: Copy> Strided<T> {
    fn new(base: HostPtr<T>, offset: isize, stride: isize) -> Self {
        Strided { ptr: base.offset(offset), stride }
    }

    /// Element `i` of the lane.
    ///
    /// # Safety
    /// Element `i` lies within the lane and may be read.
    #[inline]
    unsafe fn get(self, i: usize) -> T {
        // SAFETY: the caller's.
        unsafe { *self.ptr.get().offset(i as isize * self.stride) }
    }

    /// # Safety
    /// Element `i` lies within the lane and is ours to write.
    #[inline]
    unsafe fn set(self, i: usize, value: T) {
        // SAFETY: the caller's.
        unsafe { *self.ptr.get().offset(i as isize * self.stride) = value }
    }

    /// # Safety
    /// The lane has `n` elements side by side (stride 1) that may be read and that nothing writes to during `'a`.
    #[inline]
    unsafe fn slice<'a>(self, n: usize) -> &'a [T] {
        // SAFETY: the caller's.
        unsafe { from_raw_parts(self.ptr.get(), n) }
    }

    /// # Safety
    /// The lane has `n` elements side by side (stride 1) that nothing else accesses during `'a`.
    #[inline]
    unsafe fn slice_mut<'a>(self, n: usize) -> &'a mut [T] {
        // SAFETY: the caller's.
        unsafe { from_raw_parts_mut(self.ptr.get(), n) }
    }
}

/// `out = f(a)`.
///
/// # Safety
/// Both lanes have `n` elements; `out`'s are ours to write, and no input lies among them.
#[inline]
unsafe fn map1<A: Copy, R: Copy>(n: usize, out: Strided<R>, a: Strided<A>, f: impl Fn(A) -> R) {
    if (out.stride, a.stride) == (1, 1) {
        // SAFETY: unit strides; the lanes hold `n` elements each and do not overlap.
        let (out, a) = unsafe { (out.slice_mut(n), a.slice(n)) };
        for (r, &x) in out.iter_mut().zip(a) {
            *r = f(x);
        }
    } else {
        for i in 0..n {
            // SAFETY: `i < n`.
            unsafe { out.set(i, f(a.get(i))) };
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Permute<T> for Cpu {
    fn copy(&self, out: Output<'_, T, Cpu>, a: Operand<'_, T, Cpu>) -> Result<(), Error> {
        assert_eq!(out.shape(), a.shape(), "operands of one shape");
        let plan = Plan::unordered(out.shape(), [out.strides(), a.strides()]);
        let [so, sa] = plan.inner_strides();
        let (o, x) = (out.ptr(), a.ptr());
        over_parts(&plan, &|part| {
            // SAFETY: parts of a plan of the operands' shape; the output is ours alone to write.
            unsafe { copy_part(part, o, x, [so, sa]) }
        });
        Ok(())
    }
}

/// The side of a square block of a transpose: two blocks of 16-byte elements fit the first-level cache.
const BLOCK: usize = 16;

/// Copies one part. Where the inner loop is not dense in the source but another loop is, the two are walked in square
/// blocks, so that each cache line that is fetched is used whole.
///
/// # Safety
/// All elements that the part visits from `x` may be read, and those from `o` are ours alone to write.
unsafe fn copy_part<T: Element>(part: &Plan<2>, o: HostPtr<T>, x: HostPtr<T>, [so, sa]: [isize; 2]) {
    let n = part.inner_len();
    let outer = part.outer_strides();
    let across = outer.iter().position(|s| s[1] == 1 && sa != 1 && so == 1);
    let Some(across) = across else {
        return for_rows(part, |[i, j]| {
            let (out, a) = (Strided::new(o, i, so), Strided::new(x, j, sa));
            // SAFETY: rows of a plan of the operands' shape lie within them; the output is ours alone to write.
            unsafe { map1(n, out, a, |x| x) }
        });
    };
    let [to_row, _] = outer[across];
    let rows = part.outer_shape()[across];
    for_rows(&part.without_outer(across), |[i, j]| {
        for row in (0..rows).step_by(BLOCK) {
            for column in (0..n).step_by(BLOCK) {
                for r in row..rows.min(row + BLOCK) {
                    for c in column..n.min(column + BLOCK) {
                        let (to, from) =
                            (i + r as isize * to_row + c as isize, j + r as isize + c as isize * sa);
                        // SAFETY: `r` and `c` run within the lengths of two loops of the plan, so both elements lie within
                        // their operands; the output is ours alone to write.
                        unsafe { *o.offset(to).get() = *x.offset(from).get() };
                    }
                }
            }
        }
    });
}
