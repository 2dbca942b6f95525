//! Sums of products: dot products, products of a matrix and a vector, accumulated elementwise products. `engine::matmul`,
//! `engine::contract` and `ops::products` call [`sum_products`] through the trait [`Gemm`](crate::device::Gemm).
//!
//! ```text
//! at most 16 outputs of at most 8 terms: one sum after the other, without a plan      (module few)
//! a short dot product: also without a plan                                            (module lines)
//! one term per output: an elementwise product                                         (module elementwise)
//! otherwise: a reduction whose elements are pairs, which are multiplied               (module pairs)
//!     few terms, or smaller strides along the outputs than along the terms: Sweep::Columns, with the kernel of module rows
//!     otherwise: one output after the other, with the kernel of module lines
//! ```
//!
//! The loops of these reductions, and how they run on several threads, are those of [`kernels::reduce`](crate::device::cpu::kernels::reduce).
//! A plan ([`Plan`]) sorts and fuses the axes that the loops run over.
//!
//! As in reductions, the partial sums of blocks are combined pairwise, so that the error grows as O(log n · ε). How a sum is split
//! depends on extents and strides alone, and not on the number of threads. As in BLAS, `a` and `b` are not read if `alpha` is zero,
//! and the output is not read if `beta` is zero.

mod elementwise;
mod few;
mod finish;
mod integers;
mod lines;
mod narrow;
mod pairs;
mod rows;
mod sums;
mod unchecked;
mod zipped;

use crate::device::cpu::kernels::reduce::{Sweep, reduce_outputs};
use crate::device::cpu::loops::threads::{PARALLEL_SUM_LEN, over_parts};
use crate::device::cpu::precompiled::precompiled;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::{MatrixOperand, Operand, Output, ProductArgs, Scaling};
use crate::element::Scalar;
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::layout::plan::Plan;
use core::marker::PhantomData;
use core::sync::atomic::AtomicBool;
use elementwise::products;
use few::sum_a_few;
use finish::Finish;
use integers::{Bytes, Checked, Shorts, Words};
use lines::dot;
use pairs::PairTask;
use sums::Sums;
use unchecked::{Parts, Plain};

/// Computes `out = alpha · Σ a · b + beta · out`, summed over the trailing axes of `a` and `b`.
// Always inlined: if the ranks are known at compile time, the compiler removes most of the code.
#[inline(always)]
pub(in crate::device::cpu) fn sum_products<T: Scalar>(args: ProductArgs<'_, T, Cpu>) -> Result<(), Error> {
    // Each condition is `const`, so the compiler instantiates only the branch that is taken.
    let few = if const { T::COMPLEX } {
        sum_a_few::<T, Parts>(&args)
    } else if const { !T::SUMS_CHECKED } {
        sum_a_few::<T, Plain>(&args)
    } else if const { size_of::<T>() == 1 } {
        sum_a_few::<T, Bytes>(&args)
    } else if const { size_of::<T>() == 2 } {
        sum_a_few::<T, Shorts>(&args)
    } else if const { size_of::<T>() == 4 } {
        sum_a_few::<T, Words>(&args)
    } else {
        sum_a_few::<T, Checked>(&args)
    };
    match few {
        Some(true) => Ok(()),
        Some(false) => Err(does_not_fit::<T>()),
        None => instance::<T>()(args),
    }
}

#[cold]
fn does_not_fit<T: Scalar>() -> Error {
    Error::Arithmetic {
        op: "sum of products",
        dtype: T::DTYPE.name(),
        values: "operands whose products overflow".into(),
    }
}

type SumProducts<T> = fn(ProductArgs<'_, T, Cpu>) -> Result<(), Error>;

/// Returns [`sum`] for `T`.
#[inline]
fn instance<T: Scalar>() -> SumProducts<T> {
    precompiled!(T, SumProducts, fn sum(args: ProductArgs<'_, S, Cpu>) -> Result<(), Error>)
}

fn sum<T: Scalar>(args: ProductArgs<'_, T, Cpu>) -> Result<(), Error> {
    if const { T::INTEGER && !T::SUMS_CHECKED } {
        // Results wrap, so signed and unsigned integers share the code.
        let ProductArgs { scaling: Scaling { alpha, beta }, a, b, out } = args;
        let ptr = HostPtr::new(out.ptr().get().cast());
        // SAFETY: `Output` guarantees exclusive access to the elements of `out`, which are distinct. `T` and `T::Wrapping` are integer
        // types of the same size, so the bits of each are a valid value of the other.
        let out = unsafe { Output::from_raw(ptr, out.shape(), out.strides()) };
        let scaling = Scaling { alpha: alpha.to_wrapping(), beta: beta.to_wrapping() };
        sum_of(ProductArgs { scaling, a: wrapping(a), b: wrapping(b), out })
    } else {
        sum_of(args)
    }
}

/// Returns an operand of integers as an operand with elements of type [`Scalar::Wrapping`].
fn wrapping<'a, T: Scalar>(x: MatrixOperand<'a, T, Cpu>) -> MatrixOperand<'a, T::Wrapping, Cpu> {
    assert!(T::INTEGER && size_of::<T>() == size_of::<T::Wrapping>());
    let ptr = HostPtr::new(x.operand.ptr().get().cast());
    // SAFETY: `Operand` guarantees that its elements are readable. By the assertion, `T` is an integer type of the size of `T::Wrapping`.
    // So the bits of each element are a valid `T::Wrapping`.
    let operand = unsafe { Operand::from_raw(ptr, x.operand.shape(), x.operand.strides()) };
    MatrixOperand { operand, conjugate: x.conjugate }
}

fn sum_of<T: Scalar>(args: ProductArgs<'_, T, Cpu>) -> Result<(), Error> {
    // There are as many accumulators as fit in registers. A complex accumulator consists of four numbers. Each condition is `const`, so
    // the compiler instantiates only the branch that is taken. A `match` on a tuple would instantiate all branches.
    if const { T::COMPLEX } {
        compute::<T, Parts, 8>(args)
    } else if const { T::SUMS_CHECKED && size_of::<T>() == 1 } {
        compute::<T, Bytes, 32>(args)
    } else if const { T::SUMS_CHECKED && size_of::<T>() == 2 } {
        compute::<T, Shorts, 32>(args)
    } else if const { T::SUMS_CHECKED && size_of::<T>() == 4 } {
        compute::<T, Words, 64>(args)
    } else if const { T::SUMS_CHECKED } {
        compute::<T, Checked, 8>(args)
    } else if const { size_of::<T::Real>() < 8 } {
        compute::<T, Plain, 32>(args)
    } else {
        compute::<T, Plain, 16>(args)
    }
}

/// Plans the loops and selects one of the algorithms of the module documentation.
fn compute<T: Scalar, S: Sums<T>, const LANES: usize>(args: ProductArgs<'_, T, Cpu>) -> Result<(), Error> {
    let ProductArgs { scaling: Scaling { alpha, beta }, a, b, out } = args;
    let shape = a.operand.shape();
    assert!(same(shape, b.operand.shape()), "the operands must have the same shape");
    // For sums of several terms, the plans put the smallest strides of `a` in the inner loops. The operand with more distinct elements
    // gains most from this order, so `a` and `b` are swapped if it is `b`.
    let elements = |factor: &MatrixOperand<'_, T, Cpu>| {
        let axes = shape.iter().zip(factor.operand.strides()).filter(|&(_, &stride)| stride != 0);
        axes.fold(1, |n: usize, (&extent, _)| n.saturating_mul(extent))
    };
    let (a, b) = if elements(&a) < elements(&b) { (b, a) } else { (a, b) };
    let (kept_shape, summed_shape) = shape.split_at(out.shape().len());
    assert!(same(out.shape(), kept_shape), "the leading axes must have the shape of the output");
    let (kept_a, summed_a) = a.operand.strides().split_at(kept_shape.len());
    let (kept_b, summed_b) = b.operand.strides().split_at(kept_shape.len());
    // If `alpha` is zero, the sum is over zero terms, so that `a` and `b` are not read.
    let (summed_shape, summed_a, summed_b): (&[usize], &[isize], &[isize]) =
        if alpha.is_zero() { (&[0], &[0], &[0]) } else { (summed_shape, summed_a, summed_b) };
    let terms: usize = summed_shape.iter().product();
    if terms as u64 > S::MAX_TERMS {
        return Err(does_not_fit::<T>());
    }
    let task = PairTask::<T, S, LANES> {
        a: a.operand.ptr(),
        b: b.operand.ptr(),
        out: out.ptr(),
        finishing: Finish::new(alpha, beta, [a.conjugate, b.conjugate]),
        inexact: AtomicBool::new(false),
        sums: PhantomData,
    };
    if let ([], &[n]) = (kept_shape, summed_shape)
        && n < 2 * PARALLEL_SUM_LEN
    {
        // A short dot product: planning would take longer than the sum.
        // SAFETY: `n` is the extent of the only axis of both operands, or 0. `Operand` guarantees that these elements are readable.
        let sum = unsafe { dot::<T, S, LANES>(task.a, task.b, [summed_a[0], summed_b[0]], n) };
        // SAFETY: the output has no axes, so offset 0 is its only element; `Output` guarantees exclusive access to it.
        unsafe { task.put(0, sum) };
    } else if terms == 1 {
        let plan = Plan::unordered(kept_shape, [out.strides(), kept_a, kept_b]);
        // SAFETY: `plan` visits the kept axes, and the summed axes have extent 1. So it visits elements of the operands, which `Operand`
        // guarantees to be readable. It also visits elements of the output, to which `Output` guarantees exclusive access. Different parts
        // of `plan` visit different outputs.
        over_parts(&plan, 3 * size_of::<T>(), &|_| 1, &|part| unsafe { products(&task, part) });
    } else {
        let kept = Plan::unordered_by(kept_shape, [out.strides(), kept_a, kept_b], 1);
        let summed = Plan::unordered_by(summed_shape, [summed_a, summed_b], 0);
        let order = sweeps(&kept, &summed).then_some(Sweep::Columns);
        // SAFETY: `kept` and `summed` together visit the elements of the operands, which `Operand` guarantees to be readable. `Output`
        // guarantees exclusive access to the outputs, which are distinct.
        unsafe { reduce_outputs(&task, &kept, &summed, order) };
    }
    if task.inexact.into_inner() {
        return Err(does_not_fit::<T>());
    }
    Ok(())
}

/// Returns whether the inner loop is over outputs rather than over the terms of one sum. Returns `true` if there are few terms.
/// Also returns `true` if the strides along the outputs are smaller than along the terms, and at least 6 outputs are in the inner
/// loop.
fn sweeps(kept: &Plan<3>, summed: &Plan<2>) -> bool {
    let [_, ka, kb] = kept.inner_strides();
    // The cost of one iteration of the inner loop, in elements that are fetched from memory. An operand with stride 0 costs 0. An
    // operand with a large stride costs 8, the elements of a cache line of `f64`.
    let cost = |strides: [isize; 2]| strides.map(|s| s.unsigned_abs().min(8)).iter().sum::<usize>();
    let short = summed.len() < 8 && summed.len() < kept.inner_len();
    short || (kept.inner_len() >= 6 && cost([ka, kb]) < cost(summed.inner_strides()))
}

#[cfg(test)]
mod tests;
