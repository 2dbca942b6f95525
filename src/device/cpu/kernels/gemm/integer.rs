//! Products of integer matrices: a blocked loop with wide accumulators. An accumulator has 64 bits for elements of up to 32 bits,
//! and 128 bits for elements of 64 bits.
//!
//! ```text
//! split C in half along its longer side, for threads                (in_parts)
//! for each TILE_COLUMNS columns of C                                (part)
//!     block = these columns of B, contiguous                        (columns)
//!     for each row i of C
//!         sums = 0                                                  TILE_COLUMNS accumulators
//!         for p in 0..k
//!             sums += widen(A[i, p]) · widen(block[p, ..])          vectorised by the compiler
//!         C[i, ..] = narrow(alpha · sums + beta · C[i, ..])
//! ```
//!
//! If `k` exceeds [`MAX_PACKED_TERMS`], or the block cannot be allocated, the loop over `p` reads elements of B instead of a block.
//!
//! A product with a result that does not fit in an element of up to 32 bits returns an error. For 64-bit elements, only builds with debug
//! assertions do so; otherwise such results wrap. If an accumulator may overflow, its carries are added up: a sum is exact if they add up to
//! zero.

use super::PARALLEL_WORK;
use super::product::{Matrix, MatrixProduct, Product, checked};
use crate::device::cpu::loops::threads::join;
use crate::device::cpu::memory::scratch::{Side, with_scratch};
use crate::element::{RealScalar, Scalar};
use crate::error::Error;

/// Number of columns of the result that are accumulated at the same time.
const TILE_COLUMNS: usize = 64;
/// Maximum number of terms for which a block of `b` is packed. For longer sums, the block would need more than 4 MiB. Longer sums therefore
/// read `b` in place.
const MAX_PACKED_TERMS: usize = 1 << 13;

/// The implementation for integers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Integers;

impl<T: Scalar> MatrixProduct<T> for Integers {
    unsafe fn multiply(&self, product: &Product<T>) -> Result<(), Error> {
        checked::<T>(if const { T::SUMS_CHECKED } {
            // SAFETY: `in_parts` needs the conditions of `MatrixProduct::multiply` for the same `product`. The caller ensures these.
            unsafe { in_parts(*product) }
        } else {
            // Results wrap, so signed and unsigned integers share the code.
            // SAFETY: `in_parts` needs the conditions of `MatrixProduct::multiply`, which the caller ensures for `product`. The
            // wrapping product has the same matrices. `T` and `T::Wrapping` are integers of the same size, so each is valid with the
            // bits of the other.
            unsafe { in_parts(product.wrapping()) }
        })
    }
}

/// Computes a product, on several threads if it is large. Returns whether all results are exact; this value is reliable only if `T` is
/// [`Scalar::SUMS_CHECKED`]. The split depends only on the sizes, not on the number of threads.
///
/// # Safety
/// The caller must ensure the conditions of [`MatrixProduct::multiply`].
unsafe fn in_parts<T: Scalar>(product: Product<T>) -> bool {
    if product.work() >= 2 * PARALLEL_WORK && product.m.max(product.n) >= 2 {
        let (low, high) = if product.m >= product.n {
            product.split_rows(product.m / 2)
        } else {
            product.split_columns(product.n / 2)
        };
        // SAFETY: the caller ensures the conditions of `MatrixProduct::multiply` for `product`. The extent that is split is at least 2,
        // so neither part is empty, and the conditions hold for both. The parts write different elements of `c`, so they may run in
        // parallel.
        let (low, high) = join(|| unsafe { in_parts(low) }, || unsafe { in_parts(high) });
        return low & high;
    }
    // SAFETY: `part` needs the conditions of `MatrixProduct::multiply` for the same `product`. The caller ensures these.
    unsafe { part(product) }
}

/// Computes a product on the current thread. Returns whether all results are exact; see [`in_parts`].
///
/// # Safety
/// The caller must ensure the conditions of [`MatrixProduct::multiply`].
unsafe fn part<T: Scalar>(product: Product<T>) -> bool {
    if const { T::SUMS_CHECKED && size_of::<T>() >= 4 } && may_carry(&product) {
        // SAFETY: `part_of` has the contract of this function.
        return unsafe { part_of::<T, true>(&product) };
    }
    // SAFETY: `part_of` has the contract of this function.
    unsafe { part_of::<T, false>(&product) }
}

/// Returns whether a sum of products may overflow an accumulator. Accumulators of 64 bits hold the sum of 2^31 products of 16-bit integers,
/// but not of two products of 32-bit integers.
fn may_carry<T: Scalar>(product: &Product<T>) -> bool {
    if size_of::<T>() == 8 {
        return true;
    }
    let largest = |x: Matrix<T>, rows: usize, columns: usize| {
        let mut largest = 0f64;
        for i in 0..rows {
            for j in 0..columns {
                // SAFETY: `i` and `j` are less than the extents of the matrix, whose elements may be read.
                largest = largest.max(unsafe { *x.from(i, j).ptr.get() }.re().in_f64().abs());
            }
        }
        largest
    };
    let Product { m, k, n, a, b, .. } = *product;
    // Half of the range of an `i64`, because the factors of this bound are rounded.
    largest(a, m, k) * largest(b, k, n) * k as f64 >= (1u64 << 62) as f64
}

/// [`part`], with a count of the carries of the accumulators if `CARRIES`.
///
/// # Safety
/// The contract of [`part`].
unsafe fn part_of<T: Scalar, const CARRIES: bool>(product: &Product<T>) -> bool {
    // Each block of `b` is copied once and then used for all rows of `a`. The block is contiguous, so that the compiler vectorises the inner
    // loop.
    let blocks = (0..product.n).step_by(TILE_COLUMNS);
    if product.k > MAX_PACKED_TERMS {
        // SAFETY: `blocks` contains only numbers less than `n`, so `first < n`. The caller ensures the conditions of
        // `MatrixProduct::multiply`. No `block` is passed, so `columns` has no conditions on it.
        return blocks
            .fold(true, |exact, first| exact & unsafe { columns::<T, CARRIES>(product, first, None) });
    }
    let room = product.k * TILE_COLUMNS.min(product.n);
    with_scratch(Side::B, room, 0, |block: *mut T, len| {
        let block = (len == room).then_some(block);
        // SAFETY: `blocks` contains only numbers less than `n`, so `first < n`. The caller ensures the conditions of
        // `MatrixProduct::multiply`. `block` has space for `k` rows of `min(TILE_COLUMNS, n)` columns, which is enough for any `first`.
        // Only this closure accesses `block`.
        blocks.fold(true, |exact, first| exact & unsafe { columns::<T, CARRIES>(product, first, block) })
    })
}

/// Computes at most [`TILE_COLUMNS`] columns of `c`, from column `first` on. Returns whether they are exact; see [`in_parts`].
/// Packs the columns of `b` into `block`. If `block` is `None`, reads `b` in place.
///
/// # Safety
/// The caller must ensure:
/// * The conditions of [`MatrixProduct::multiply`].
/// * `first < n`.
/// * `block` has space for `k` rows of these columns, and the caller has exclusive access to it.
unsafe fn columns<T: Scalar, const CARRIES: bool>(
    product: &Product<T>,
    first: usize,
    block: Option<*mut T>,
) -> bool {
    let Product { m, k, n, a, b, c, alpha, beta, .. } = *product;
    let columns = TILE_COLUMNS.min(n - first);
    // SAFETY: both calls below pass `p < k` and `j < columns`. `columns <= n - first`, so `first + j < n`, and this is an element of
    // `b`. The caller ensures that the elements of `b` may be read.
    let value = |p: usize, j: usize| unsafe { *b.from(p, first + j).ptr.get() };
    let block = block.map(|block| {
        for p in 0..k {
            for j in 0..columns {
                // SAFETY: `p < k` and `j < columns`, so this is one of the `k · columns` elements of `block`. The caller ensures exclusive
                // access to `block`.
                unsafe { block.wrapping_add(p * columns + j).write(value(p, j)) };
            }
        }
        // SAFETY: the loop above has written all `k · columns` elements. Nothing writes to them while the slice exists.
        unsafe { core::slice::from_raw_parts(block, k * columns) }
    });
    let mut exact = true;
    for i in 0..m {
        let mut sums = [T::zero().widen(); TILE_COLUMNS];
        let mut carries = [0i64; TILE_COLUMNS];
        let mut here = [T::zero(); TILE_COLUMNS];
        for p in 0..k {
            let row = match block {
                Some(block) => &block[p * columns..][..columns],
                None => {
                    here.iter_mut().enumerate().take(columns).for_each(|(j, y)| *y = value(p, j));
                    &here[..columns]
                }
            };
            // SAFETY: `i < m` and `p < k`, so this is an element of `a`. The caller ensures that the elements of `a` may be read.
            let x = unsafe { *a.from(i, p).ptr.get() }.widen();
            for ((sum, carry), &y) in sums.iter_mut().zip(&mut carries).zip(row) {
                let product = T::acc_mul(x, y.widen()).0;
                if CARRIES {
                    *carry += T::acc_add_carry(*sum, product);
                }
                *sum = T::acc_add(*sum, product);
            }
        }
        for (j, (&sum, carry)) in sums.iter().zip(carries).enumerate().take(columns) {
            let (scaled, wrapped) = T::acc_mul(alpha.widen(), sum);
            let to = c.from(i, first + j).ptr.get();
            let value = if beta.is_zero() {
                scaled
            } else {
                // SAFETY: `i < m` and `first + j < n`, so `to` points to an element of `c`. The caller ensures exclusive access to `c`.
                let (kept, overflows) = T::acc_mul(beta.widen(), unsafe { *to }.widen());
                exact &= !overflows && T::acc_add_carry(scaled, kept) == 0;
                T::acc_add(scaled, kept)
            };
            let (value, fits) = T::narrow(value);
            exact &= fits && !wrapped && carry == 0;
            // SAFETY: `i < m` and `first + j < n`, so `to` points to an element of `c`. The caller ensures exclusive access to `c`.
            unsafe { *to = value };
        }
    }
    exact
}
