//! Matrix products on the CPU: implements [`Gemm`] for [`Cpu`]. The callers are `engine::matmul`, `engine::contract`, and devices
//! that use the host fallback for [`Gemm`].
//!
//! ```text
//! Cpu::gemm
//!     select ScaleOnly if k = 0 or alpha = 0, otherwise an implementation of the table below    (compute)
//!     split the batch in half while the multiplications of a half are enough for a thread       (multiply_batch)
//!     for each product of the batch
//!         C = alpha · A · B + beta · C; a large product is itself split for threads             (MatrixProduct::multiply)
//! ```
//!
//! | elements | computed by |
//! |---|---|
//! | floating-point, on x86-64 with AVX2 or AVX-512 | `simd`: register tiles by intrinsics; small products without packing |
//! | floating-point, elsewhere | [`portable`]: the crate `matrixmultiply` |
//! | floating-point, large, with the feature `blas` | `blas`: the CBLAS that the application links, if it supports the strides |
//! | integers | [`integer`]: a blocked loop with wide accumulators |
//!
//! Operands may have strides of any sign and size, and may be conjugated. Implementations copy tiles of bounded size, never a
//! whole large operand. How a sum is split into partial sums does not depend on the number of threads, so the result has the same
//! bits on any number of threads. Products computed by CBLAS have this property only if the BLAS has it.
//!
//! As in BLAS, `a` and `b` are not read if `alpha` is zero, and `c` is not read if `beta` is zero. A NaN in an operand that is
//! not read does not propagate.

#[cfg(feature = "blas")]
mod blas;
mod integer;
mod portable;
mod product;
pub(in crate::device::cpu) mod products;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) mod simd;
#[cfg(test)]
mod tests;
mod tiny;

use crate::device::cpu::Cpu;
use crate::device::cpu::loops::threads::{enter, join};
use crate::device::cpu::precompiled::precompiled;
use crate::device::{Gemm, ProductArgs};
use crate::element::Scalar;
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::layout::odometer::Odometer;
use core::ops::Range;
use integer::Integers;
use portable::Portable;
use product::{Matrix, MatrixProduct, Product, ScaleOnly};

/// Minimum number of multiplications in a thread's part of a product or batch. With smaller parts, a second thread makes the
/// product slower, because handing over work takes time.
pub(super) const PARALLEL_WORK: usize = 1 << 20;

#[diagnostic::do_not_recommend]
impl<T: Scalar> Gemm<T> for Cpu {
    // Always inlined: if the compiler knows the ranks and the scaling factors, a product of tiny matrices takes less than two thirds
    // of the time.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gemm(&self, args: ProductArgs<'_, T, Cpu>) -> Result<(), Error> {
        let ProductArgs { scaling, a, b, out } = args;
        let conjugate = [a.conjugate, b.conjugate];
        let (a, b) = (a.operand, b.operand);
        let (batch, &[m, n]) = split_matrix(out.shape());
        let (batch_a, &[m_a, k]) = split_matrix(a.shape());
        let (batch_b, &[k_b, n_b]) = split_matrix(b.shape());
        assert!(
            same(batch, batch_a) && same(batch, batch_b) && (m, n, k) == (m_a, n_b, k_b),
            "the shapes of a batched matrix product must match"
        );
        let (a_steps, &a_strides) = split_matrix(a.strides());
        let (b_steps, &b_strides) = split_matrix(b.strides());
        let (c_steps, &c_strides) = split_matrix(out.strides());
        let product = Product {
            m,
            k,
            n,
            a: Matrix::new(a.ptr(), a_strides),
            b: Matrix::new(b.ptr(), b_strides),
            c: Matrix::new(out.ptr(), c_strides),
            alpha: scaling.alpha,
            beta: scaling.beta,
            conjugate,
        };
        if batch.is_empty() {
            // `Operand` guarantees that `a` and `b` are readable at all their indices; `Output` guarantees exclusive access to `c`,
            // with distinct elements at distinct indices. `m`, `k` and `n` are their extents, as was asserted.
            if const { !T::INTEGER } && !product.alpha.is_zero() {
                // SAFETY: `tiny::multiply` needs the conditions of `MatrixProduct::multiply`. They are stated above, except that no extent
                // may be zero. It computes nothing unless `m`, `k` and `n` are at least 2.
                if unsafe { tiny::multiply(&product) } {
                    return Ok(());
                }
            }
            // SAFETY: `compute` needs the conditions of `MatrixProduct::multiply`, except that `m`, `k`, `n` and `alpha` may be zero. They are
            // stated above.
            return unsafe { compute_for::<T>()(&product, None) };
        }
        let walk = Odometer::row_major(batch, [c_steps, a_steps, b_steps]);
        // SAFETY: `Operand` guarantees that `a` and `b` may be read at every batch index. `Output` guarantees exclusive access to the
        // matrix `c` of each product, and that no two of these matrices overlap. `walk` has one position per product: one for each batch
        // index.
        unsafe { compute_for::<T>()(&product, Some((&walk, batch.iter().product()))) }
    }

    #[inline(always)]
    fn sum_products(&self, args: ProductArgs<'_, T, Cpu>) -> Result<(), Error> {
        self::products::sum_products(args)
    }
}

/// Splits the extents or strides of all axes in two: those of the batch axes, and those of the last two axes, which are the axes of
/// the matrices.
fn split_matrix<V>(all: &[V]) -> (&[V], &[V; 2]) {
    all.split_last_chunk::<2>().expect("a matrix has two axes")
}

/// A batch of products: an odometer, and the number of products. Each position of the odometer has the offsets of the matrices `c`,
/// `a` and `b` of one product.
type Batch<'a> = (&'a Odometer<3>, usize);
type Compute<T> = unsafe fn(&Product<T>, Option<Batch<'_>>) -> Result<(), Error>;

/// Returns [`compute`] for `T`.
#[inline]
fn compute_for<T: Scalar>() -> Compute<T> {
    precompiled!(
        T, Compute, unsafe fn compute(product: &Product<S>, batch: Option<Batch<'_>>) -> Result<(), Error>
    )
}

/// Computes one product, or the products of a batch. Large ones run on several threads.
///
/// # Safety
/// The caller must ensure:
/// * `product`, or each product of the batch, satisfies the conditions of [`MatrixProduct::multiply`], except that `m`, `k`, `n`
///   and `alpha` may be zero.
/// * No element of `c` belongs to two products.
/// * The odometer has at least as many positions as there are products.
unsafe fn compute<T: Scalar>(product: &Product<T>, batch: Option<Batch<'_>>) -> Result<(), Error> {
    let count = batch.map_or(1, |(_, count)| count);
    if product.m == 0 || product.n == 0 || count == 0 {
        return Ok(());
    }
    let by = unless_empty(product, backend());
    // `enter` measures work as the bytes that could be copied in the same time. A vectorised multiplication with addition counts
    // as 1 byte for `f32` and as 2 bytes for `f64`. Integer kernels are slower, because they widen the elements first: 8 bytes.
    let each = if T::INTEGER { 8 } else { size_of::<T>() / 4 };
    let work = product.work().saturating_mul(count).saturating_mul(each);
    match batch {
        // SAFETY: `m` and `n` are not zero, as was checked. If `k` or `alpha` is zero, `unless_empty` returned `ScaleOnly`, which accepts
        // zeros. The caller of `compute` ensures the other conditions of `multiply`.
        None => enter(work, || unsafe { by.multiply(product) }),
        // SAFETY: `m` and `n` are not zero, as was checked. If `k` or `alpha` is zero, `unless_empty` returned `ScaleOnly`, which accepts
        // zeros. The caller of `compute` ensures the other conditions of `multiply_batch`, including that `walk` has `count` positions.
        Some((walk, count)) => enter(work, || unsafe { multiply_batch(by, product, walk, 0..count) }),
    }
}

/// Returns the implementation for `T`: CBLAS if the feature `blas` is on and `T` is not an integer, otherwise [`own`].
fn backend<T: Scalar>() -> &'static dyn MatrixProduct<T> {
    #[cfg(feature = "blas")]
    if const { !T::INTEGER } {
        return &blas::Blas;
    }
    own()
}

/// Returns the implementation for `T` that needs no CBLAS, even if the feature `blas` is on.
fn own<T: Scalar>() -> &'static dyn MatrixProduct<T> {
    // With `const` in the condition, the compiler does not instantiate the other branch for `T`.
    if const { T::INTEGER } { &Integers } else { own_for_floats() }
}

fn own_for_floats<T: Scalar>() -> &'static dyn MatrixProduct<T> {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if let Some(by) = simd::detect() {
        return by;
    }
    &Portable
}

/// Returns [`ScaleOnly`] if `k` or `alpha` is zero, because no terms are then added to `beta · c`. Otherwise returns `by`.
fn unless_empty<'a, T: Scalar>(
    product: &Product<T>,
    by: &'a dyn MatrixProduct<T>,
) -> &'a dyn MatrixProduct<T> {
    if product.k == 0 || product.alpha.is_zero() { &ScaleOnly } else { by }
}

/// Computes the products `part` of a batch. If they have enough work together, computes them on several threads. `walk` has the
/// offsets of all products of the batch.
///
/// # Safety
/// The caller must ensure:
/// * Each product of `part` satisfies the conditions of [`MatrixProduct::multiply`] of `by`.
/// * No element of `c` belongs to two products.
/// * All indices of `part` are positions of `walk`.
unsafe fn multiply_batch<T: Scalar>(
    by: &dyn MatrixProduct<T>,
    product: &Product<T>,
    walk: &Odometer<3>,
    part: Range<usize>,
) -> Result<(), Error> {
    if part.len() > 1 && product.work().saturating_mul(part.len()) >= 2 * PARALLEL_WORK {
        let middle = part.start + part.len() / 2;
        let (one, other) = join(
            // SAFETY: the first half is within `part`, for which the caller ensures the conditions of `multiply_batch`. The halves have no
            // element of `c` in common, so they may run in parallel.
            || unsafe { multiply_batch(by, product, walk, part.start..middle) },
            // SAFETY: the second half is within `part`, for which the caller ensures the conditions of `multiply_batch`. The halves have no
            // element of `c` in common, so they may run in parallel.
            || unsafe { multiply_batch(by, product, walk, middle..part.end) },
        );
        return one.and(other);
    }
    let mut walk = walk.at(part.start);
    // SAFETY: `walk` is at position `part.start`, and has the other `part.len() - 1` positions after it. The caller ensures the conditions
    // of `MatrixProduct::multiply` for the products at these positions.
    unsafe { by.multiply_all(product, &mut walk, part.len()) }
}
