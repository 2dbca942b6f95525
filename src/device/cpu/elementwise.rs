//! Elementwise kernels: rows of a plan, with loops of their own for the strides that matter (1 and 0).

use super::threads::over_parts;
use super::{Cpu, HostPtr};
use crate::device::{BinaryOp, Elementwise, Generator, Operand, Output, TernaryOp, UnaryOp};
use crate::element::Element;
use crate::error::Error;
use crate::layout::plan::Plan;
use crate::layout::walk::Walk;
use core::slice;

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

/// Whether `f` holds for every row; stops at the first where it does not.
fn all_rows<const K: usize>(plan: &Plan<K>, mut f: impl FnMut([isize; K]) -> bool) -> bool {
    let mut walk = Walk::outer(plan);
    (0..plan.outer_shape().iter().product()).all(|_| {
        let holds = f(walk.offsets());
        walk.advance();
        holds
    })
}

fn undefined<T: Element>(op: &'static str, values: String) -> Error {
    Error::Arithmetic { op, dtype: T::DTYPE.name(), values }
}

/// One operand of an inner loop: where it begins and how far it steps.
#[derive(Clone, Copy)]
struct Lane<T> {
    ptr: HostPtr<T>,
    stride: isize,
}

impl<T: Copy> Lane<T> {
    fn new(base: HostPtr<T>, offset: isize, stride: isize) -> Self {
        Lane { ptr: base.offset(offset), stride }
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
        unsafe { slice::from_raw_parts(self.ptr.get(), n) }
    }

    /// # Safety
    /// The lane has `n` elements side by side (stride 1) that nothing else accesses during `'a`.
    #[inline]
    unsafe fn slice_mut<'a>(self, n: usize) -> &'a mut [T] {
        // SAFETY: the caller's.
        unsafe { slice::from_raw_parts_mut(self.ptr.get(), n) }
    }
}

/// `out = f(a)`.
///
/// # Safety
/// Both lanes have `n` elements; `out`'s are ours to write, and no input lies among them.
#[inline]
unsafe fn map1<A: Copy, R: Copy>(n: usize, out: Lane<R>, a: Lane<A>, f: impl Fn(A) -> R) {
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

/// `out = f(a, b)`.
///
/// # Safety
/// All lanes have `n > 0` elements; `out`'s are ours to write, and no input lies among them.
#[inline]
unsafe fn map2<A: Copy, B: Copy, R: Copy>(
    n: usize,
    out: Lane<R>,
    a: Lane<A>,
    b: Lane<B>,
    f: impl Fn(A, B) -> R,
) {
    // SAFETY: every lane holds `n > 0` elements and `i < n`; slices are made of unit-stride lanes only, and inputs do not
    // overlap the output.
    unsafe {
        match (out.stride, a.stride, b.stride) {
            (1, 1, 1) => {
                let (out, a, b) = (out.slice_mut(n), a.slice(n), b.slice(n));
                for ((r, &x), &y) in out.iter_mut().zip(a).zip(b) {
                    *r = f(x, y);
                }
            }
            (1, 1, 0) => map1(n, out, a, |x| f(x, b.get(0))),
            (1, 0, 1) => map1(n, out, b, |y| f(a.get(0), y)),
            _ => {
                for i in 0..n {
                    out.set(i, f(a.get(i), b.get(i)));
                }
            }
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Elementwise<T> for Cpu {
    fn generate<F: Generator<T>>(&self, op: &F, out: Output<'_, T, Cpu>) -> Result<(), Error> {
        let plan = Plan::ordered(out.shape(), [out.strides()]);
        let (base, [stride], n) = (out.ptr(), plan.inner_strides(), plan.inner_len());
        let mut k = 0;
        for_rows(&plan, |[offset]| {
            let lane = Lane::new(base, offset, stride);
            for i in 0..n {
                // SAFETY: rows of the output's own plan lie within it, and it is ours to write.
                unsafe { lane.set(i, op.apply(k + i)) };
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
        let plan = Plan::unordered(out.shape(), [out.strides(), a.strides()]);
        let [so, sa] = plan.inner_strides();
        let (o, x) = (out.ptr(), a.ptr());
        // SAFETY: a plan of the operands' own shape.
        unsafe { check_unary(op, x, &plan, 1) }?;
        over_parts(&plan, &|part| {
            let n = part.inner_len();
            for_rows(part, |[i, j]| {
                // SAFETY: rows of a plan of the operands' shape lie within them; the output is ours alone to write.
                unsafe { map1(n, Lane::new(o, i, so), Lane::new(x, j, sa), |x| op.apply(x)) }
            });
        });
        Ok(())
    }

    fn unary_assign<F: UnaryOp<T, Output = T>>(&self, op: &F, a: Output<'_, T, Cpu>) -> Result<(), Error> {
        let plan = Plan::unordered(a.shape(), [a.strides()]);
        let (x, [sa]) = (a.ptr(), plan.inner_strides());
        // SAFETY: a plan of the operands' own shape.
        unsafe { check_unary(op, x, &plan, 0) }?;
        over_parts(&plan, &|part| {
            let n = part.inner_len();
            for_rows(part, |[i]| {
                let lane = Lane::new(x, i, sa);
                // SAFETY: rows of the operand's own plan lie within it, and it is ours alone to read and write.
                unsafe {
                    if sa == 1 {
                        lane.slice_mut(n).iter_mut().for_each(|x| *x = op.apply(*x));
                    } else {
                        (0..n).for_each(|i| lane.set(i, op.apply(lane.get(i))));
                    }
                }
            });
        });
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
        let plan = Plan::unordered(out.shape(), [out.strides(), a.strides(), b.strides()]);
        let [so, sa, sb] = plan.inner_strides();
        let (o, x, y) = (out.ptr(), a.ptr(), b.ptr());
        // SAFETY: a plan of the operands' own shape.
        unsafe { check_binary(op, x, y, &plan, [1, 2]) }?;
        over_parts(&plan, &|part| {
            let n = part.inner_len();
            for_rows(part, |[i, j, k]| {
                let (o, x, y) = (Lane::new(o, i, so), Lane::new(x, j, sa), Lane::new(y, k, sb));
                // SAFETY: rows of a plan of the operands' shape lie within them; the output is ours alone to write.
                unsafe { map2(n, o, x, y, |x, y| op.apply(x, y)) }
            });
        });
        Ok(())
    }

    fn binary_assign<U: Element, F: BinaryOp<T, U, Output = T>>(
        &self,
        op: &F,
        a: Output<'_, T, Cpu>,
        b: Operand<'_, U, Cpu>,
    ) -> Result<(), Error> {
        assert_eq!(a.shape(), b.shape(), "operands of one shape");
        let plan = Plan::unordered(a.shape(), [a.strides(), b.strides()]);
        let [sa, sb] = plan.inner_strides();
        let (x, y) = (a.ptr(), b.ptr());
        // SAFETY: a plan of the operands' own shape.
        unsafe { check_binary(op, x, y, &plan, [0, 1]) }?;
        over_parts(&plan, &|part| {
            let n = part.inner_len();
            for_rows(part, |[i, j]| {
                let (x, y) = (Lane::new(x, i, sa), Lane::new(y, j, sb));
                // SAFETY: rows of a plan of the operands' shape lie within them; `a` is ours alone to read and write.
                unsafe {
                    match (sa, sb) {
                        (1, 1) => {
                            for (x, &y) in x.slice_mut(n).iter_mut().zip(y.slice(n)) {
                                *x = op.apply(*x, y);
                            }
                        }
                        (1, 0) => {
                            let y = y.get(0);
                            x.slice_mut(n).iter_mut().for_each(|x| *x = op.apply(*x, y));
                        }
                        _ => (0..n).for_each(|i| x.set(i, op.apply(x.get(i), y.get(i)))),
                    }
                }
            });
        });
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
        let plan = Plan::unordered(out.shape(), strides);
        let [so, sa, sb, sc] = plan.inner_strides();
        let (o, x, y, z) = (out.ptr(), a.ptr(), b.ptr(), c.ptr());
        over_parts(&plan, &|part| {
            let n = part.inner_len();
            for_rows(part, |[i, j, k, l]| {
                let (o, x) = (Lane::new(o, i, so), Lane::new(x, j, sa));
                let (y, z) = (Lane::new(y, k, sb), Lane::new(z, l, sc));
                // SAFETY: rows of a plan of the operands' shape lie within them; the output is ours alone to write, and
                // slices are made of unit-stride lanes only.
                unsafe {
                    if (so, sa, sb, sc) == (1, 1, 1, 1) {
                        let inputs = x.slice(n).iter().zip(y.slice(n)).zip(z.slice(n));
                        for (r, ((&x, &y), &z)) in o.slice_mut(n).iter_mut().zip(inputs) {
                            *r = op.apply(x, y, z);
                        }
                    } else {
                        (0..n).for_each(|i| o.set(i, op.apply(x.get(i), y.get(i), z.get(i))));
                    }
                }
            });
        });
        Ok(())
    }
}

/// Asks a checked operation about every element before anything is written. Operand `at` of the plan is `a`.
///
/// # Safety
/// All elements that the plan visits from `a` may be read.
unsafe fn check_unary<T: Element, F: UnaryOp<T>, const K: usize>(
    op: &F,
    a: HostPtr<T>,
    plan: &Plan<K>,
    at: usize,
) -> Result<(), Error> {
    if !F::CHECKED {
        return Ok(());
    }
    let mut culprit = None;
    all_rows(plan, |offsets| {
        let lane = Lane::new(a, offsets[at], plan.inner_strides()[at]);
        culprit = (0..plan.inner_len())
            // SAFETY: rows of a plan of the operand's shape lie within it.
            .map(|i| unsafe { lane.get(i) })
            .find(|&x| !op.defined(x));
        culprit.is_none()
    });
    culprit.map_or(Ok(()), |x| Err(undefined::<T>(F::NAME, op.operands(x))))
}

/// The same for two operands, which are `at` in the plan.
///
/// # Safety
/// All elements that the plan visits from `a` and `b` may be read.
unsafe fn check_binary<T: Element, U: Element, F: BinaryOp<T, U>, const K: usize>(
    op: &F,
    a: HostPtr<T>,
    b: HostPtr<U>,
    plan: &Plan<K>,
    at: [usize; 2],
) -> Result<(), Error> {
    if !F::CHECKED {
        return Ok(());
    }
    let mut culprit = None;
    let strides = plan.inner_strides();
    all_rows(plan, |offsets| {
        let x = Lane::new(a, offsets[at[0]], strides[at[0]]);
        let y = Lane::new(b, offsets[at[1]], strides[at[1]]);
        culprit = (0..plan.inner_len())
            // SAFETY: rows of a plan of the operands' shape lie within them.
            .map(|i| unsafe { (x.get(i), y.get(i)) })
            .find(|&(x, y)| !op.defined(x, y));
        culprit.is_none()
    });
    culprit.map_or(Ok(()), |(x, y)| Err(undefined::<T>(F::NAME, op.operands(x, y))))
}
