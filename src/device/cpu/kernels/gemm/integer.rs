//! Products of integer matrices: a blocked loop. Its accumulators are as narrow as the operands allow: 32 bits if no sum of products can
//! exceed them, otherwise 64 bits for elements of up to 32 bits, and 128 bits for elements of 64 bits.
//!
//! ```text
//! split C in half along its longer side, for threads                (in_parts)
//! find bounds of the elements of A and B, select the accumulators   (part)
//! for each 64 columns of C, then for each 16                        (part_of)
//!     block = these columns of B, contiguous, padded with zeros     (columns_by)
//!     for each row i of C
//!         sums = 0                                                  64 or 16 accumulators
//!         for p in 0..k
//!             sums += A[i, p] · block[p, ..]                        vectorised by the compiler
//!         C[i, ..] = narrow(alpha · sums + beta · C[i, ..])
//! ```
//!
//! Sums that may exceed 64 bits are computed 16 columns at a time, by a version that is compiled once for each type
//! ([`columns_exactly`]). Wrapping sums of 64-bit elements need no bounds: they are computed in the element type.
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
use crate::element::{Arithmetic, RealScalar, Scalar};
use crate::error::Error;
use crate::simd::kernel;
use num_traits::Zero;

/// Number of columns of the result that are accumulated at the same time.
const WIDE: usize = 64;
/// Number of columns that are accumulated at the same time at the right edge of the result. Fewer columns are padded with zeros.
const NARROW: usize = 16;
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
    if const { !T::SUMS_CHECKED } {
        // SAFETY: `part_of` has the contract of this function, and these are kernels of its widths.
        return unsafe {
            part_of(&product, [columns::<T, Wrapped<T>, WIDE>, columns::<T, Wrapped<T>, NARROW>])
        };
    }
    if const { size_of::<T>() == 8 } {
        // SAFETY: `part_of` has the contract of this function, and these are kernels of its widths.
        return unsafe { part_of(&product, [columns_exactly::<T, WIDE>, columns_exactly::<T, NARROW>]) };
    }
    let Product { m, k, n, a, b, .. } = product;
    // SAFETY: the caller ensures that the elements of `a` may be read.
    let x = unsafe { bound(a, m, k) };
    // SAFETY: the caller ensures that the elements of `b` may be read.
    let y = unsafe { bound(b, k, n) };
    let sum = (u128::from(x) * u128::from(y)).saturating_mul(k as u128);
    // Elements of 8 bits need more than 32 bits only for more than 32768 terms.
    let columns: [Columns<T>; 2] = if sum <= i32::MAX as u128 {
        [columns::<T, i32, WIDE>, columns::<T, i32, NARROW>]
    } else if const { size_of::<T>() > 1 } && sum <= i64::MAX as u128 {
        [columns::<T, Whole<T::Accumulator>, WIDE>, columns::<T, Whole<T::Accumulator>, NARROW>]
    } else {
        [columns_exactly::<T, WIDE>, columns_exactly::<T, NARROW>]
    };
    // SAFETY: `part_of` has the contract of this function, and these are kernels of its widths.
    unsafe { part_of(&product, columns) }
}

/// Returns an upper bound of the magnitudes in a matrix of integers.
///
/// # Safety
/// The caller must ensure that the elements of the matrix may be read.
unsafe fn bound<T: Scalar>(matrix: Matrix<T>, rows: usize, columns: usize) -> u64 {
    // Rows are contiguous after a transposition, if columns are.
    let (matrix, rows, columns) =
        if matrix.down == 1 { (matrix.transposed(), columns, rows) } else { (matrix, rows, columns) };
    let all_bits = if matrix.right == 1 { all_bits::<T, true> } else { all_bits::<T, false> };
    // SAFETY: these are the rows and columns of the matrix, whose elements may be read. `right` is 1 for `CONTIGUOUS`.
    let bits = unsafe { all_bits(matrix, rows, columns) };
    bits.re().in_i128() as u64
}

kernel! {
    /// Returns the bits that are set in the magnitude of any element of a matrix of integers. `CONTIGUOUS` is whether `right` is 1.
    ///
    /// # Safety
    /// The caller must ensure that the elements of the matrix may be read, and that `right` is 1 if `CONTIGUOUS`.
    wide unsafe fn all_bits[T: Scalar, const CONTIGUOUS: bool][T, CONTIGUOUS](
        matrix: Matrix<T>,
        rows: usize,
        columns: usize,
    ) -> T::Wrapping {
        // SAFETY: the caller ensures that the elements may be read.
        unsafe { all_bits_of(Matrix { right: if CONTIGUOUS { 1 } else { matrix.right }, ..matrix }, rows, columns) }
    } else {
        // SAFETY: the caller ensures that the elements may be read.
        unsafe { all_bits_of(matrix, rows, columns) }
    }
}

/// [`all_bits`], compiled for the instructions of the caller.
///
/// # Safety
/// The caller must ensure that the elements of the matrix may be read.
#[inline(always)]
unsafe fn all_bits_of<T: Scalar>(matrix: Matrix<T>, rows: usize, columns: usize) -> T::Wrapping {
    let mut bits = T::Wrapping::zero();
    for i in 0..rows {
        let row = matrix.from(i, 0).ptr.get().cast_const();
        for j in 0..columns as isize {
            // SAFETY: `i` and `j` are less than the extents of the matrix. The caller ensures that its elements may be read.
            bits = unsafe { *row.wrapping_offset(j * matrix.right) }.with_bits(bits);
        }
    }
    bits
}

/// An accumulator of products of integers `T`.
trait Lane<T: Scalar>: Copy {
    fn zero() -> Self;
    /// Returns `self + x · y`.
    fn plus(self, x: T, y: T) -> Self;
    /// Returns the sum, and whether it is exact.
    fn total(self) -> (T::Accumulator, bool);
}

impl<T: Scalar> Lane<T> for i32 {
    #[inline(always)]
    fn zero() -> i32 {
        0
    }
    #[inline(always)]
    fn plus(self, x: T, y: T) -> i32 {
        self.wrapping_add((x.re().in_i128() as i32).wrapping_mul(y.re().in_i128() as i32))
    }
    #[inline(always)]
    fn total(self) -> (T::Accumulator, bool) {
        (T::acc_from(self), true)
    }
}

/// An accumulator that does not overflow.
#[derive(Debug, Clone, Copy)]
struct Whole<A>(A);

impl<T: Scalar> Lane<T> for Whole<T::Accumulator> {
    #[inline(always)]
    fn zero() -> Self {
        Whole(T::zero().widen())
    }
    #[inline(always)]
    fn plus(self, x: T, y: T) -> Self {
        Whole(T::acc_add(self.0, T::acc_mul(x.widen(), y.widen()).0))
    }
    #[inline(always)]
    fn total(self) -> (T::Accumulator, bool) {
        (self.0, true)
    }
}

/// An accumulator of the element type, which wraps.
#[derive(Debug, Clone, Copy)]
struct Wrapped<T>(T);

impl<T: Scalar> Lane<T> for Wrapped<T> {
    #[inline(always)]
    fn zero() -> Self {
        Wrapped(T::zero())
    }
    #[inline(always)]
    fn plus(self, x: T, y: T) -> Self {
        Wrapped(T::wrapping(Arithmetic::Add, self.0, T::wrapping(Arithmetic::Mul, x, y)))
    }
    #[inline(always)]
    fn total(self) -> (T::Accumulator, bool) {
        (self.0.widen(), true)
    }
}

/// An accumulator that may overflow, and the sum of its carries.
#[derive(Debug, Clone, Copy)]
struct Carried<A>(A, i64);

impl<T: Scalar> Lane<T> for Carried<T::Accumulator> {
    #[inline(always)]
    fn zero() -> Self {
        Carried(T::zero().widen(), 0)
    }
    #[inline(always)]
    fn plus(self, x: T, y: T) -> Self {
        let product = T::acc_mul(x.widen(), y.widen()).0;
        Carried(T::acc_add(self.0, product), self.1 + T::acc_add_carry(self.0, product))
    }
    #[inline(always)]
    fn total(self) -> (T::Accumulator, bool) {
        (self.0, self.1 == 0)
    }
}

/// A function that computes some columns of `c`: see [`columns`].
type Columns<T> = unsafe fn(&Product<T>, usize, Option<*mut T>) -> bool;

/// [`part`], by the kernels for [`WIDE`] and for [`NARROW`] columns.
///
/// # Safety
/// The contract of [`part`]. The functions must have the contract of [`columns`] for these widths.
unsafe fn part_of<T: Scalar>(product: &Product<T>, [wide, narrow]: [Columns<T>; 2]) -> bool {
    let Product { k, n, .. } = *product;
    // Each block of `b` is copied once and then used for all rows of `a`. The block is contiguous, so that the compiler vectorises the inner
    // loop.
    let room = if k > MAX_PACKED_TERMS { 0 } else { k * if n >= WIDE { WIDE } else { NARROW } };
    with_scratch(Side::B, room, 0, |block: *mut T, len| {
        let block = (len == room && room > 0).then_some(block);
        let mut exact = true;
        let mut first = 0;
        while first < n {
            let (columns, width) = if n - first >= WIDE { (wide, WIDE) } else { (narrow, NARROW) };
            // SAFETY: `first < n`. The caller ensures the conditions of `MatrixProduct::multiply`. `block` has space for `k` rows of `WIDE`
            // columns if `n` is at least `WIDE`, otherwise for `k` rows of `NARROW` columns. Only this closure accesses `block`.
            exact &= unsafe { columns(product, first, block) };
            first += width;
        }
        exact
    })
}

kernel! {
    /// Computes at most `N` columns of `c`, from column `first` on. Returns whether they are exact; see [`in_parts`]. Packs the columns of
    /// `b` into `block`. If `block` is `None`, reads `b` in place.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The conditions of [`MatrixProduct::multiply`].
    /// * `first < n`.
    /// * `block` is aligned and has space for `k` rows of `N` columns, and the caller has exclusive access to it.
    wide unsafe fn columns[T: Scalar, A: Lane<T>, const N: usize][T, A, N](
        product: &Product<T>,
        first: usize,
        block: Option<*mut T>,
    ) -> bool {
        // SAFETY: `columns_by` has the contract of this function.
        unsafe { columns_by::<T, A, N>(product, first, block) }
    } else {
        // SAFETY: `columns_exactly` has the contract of this function.
        unsafe { columns_exactly::<T, N>(product, first, block) }
    }
}

/// [`columns`], with accumulators for all integers: for products whose sums may exceed 64 bits, and for processors without AVX2.
///
/// # Safety
/// The contract of [`columns`].
unsafe fn columns_exactly<T: Scalar, const N: usize>(
    product: &Product<T>,
    first: usize,
    block: Option<*mut T>,
) -> bool {
    let mut exact = true;
    for first in (first..product.n.min(first + N)).step_by(NARROW) {
        // SAFETY: `first < n`, and `block` has space for `N` columns, which are at least `NARROW`. The caller ensures the other conditions.
        exact &= unsafe { narrow_columns_exactly(product, first, block) };
    }
    exact
}

/// [`columns_exactly`] for [`NARROW`] columns.
///
/// # Safety
/// The contract of [`columns`].
#[inline(never)]
unsafe fn narrow_columns_exactly<T: Scalar>(
    product: &Product<T>,
    first: usize,
    block: Option<*mut T>,
) -> bool {
    if const { T::SUMS_CHECKED } {
        // SAFETY: `columns_by` has the contract of this function.
        unsafe { columns_by::<T, Carried<T::Accumulator>, NARROW>(product, first, block) }
    } else {
        // SAFETY: `columns_by` has the contract of this function.
        unsafe { columns_by::<T, Wrapped<T>, NARROW>(product, first, block) }
    }
}

/// [`columns`], compiled for the instructions of the caller.
///
/// # Safety
/// The contract of [`columns`].
#[inline(always)]
unsafe fn columns_by<T: Scalar, A: Lane<T>, const N: usize>(
    product: &Product<T>,
    first: usize,
    block: Option<*mut T>,
) -> bool {
    let Product { m, k, n, a, b, c, alpha, beta, .. } = *product;
    let columns = N.min(n - first);
    // Returns a row of the columns, padded with zeros.
    let row = |p: usize| {
        let mut row = [T::zero(); N];
        for (j, y) in row.iter_mut().enumerate().take(columns) {
            // SAFETY: `p < k` in the calls below. `j < columns <= n - first`, so this is an element of `b`. The caller ensures that the
            // elements of `b` may be read.
            *y = unsafe { *b.from(p, first + j).ptr.get() };
        }
        row
    };
    let block = block.map(|block| {
        let block = block.cast::<[T; N]>();
        for p in 0..k {
            // SAFETY: `p < k`, so this is one of the `k` rows of `block`, to which the caller ensures exclusive access.
            unsafe { block.wrapping_add(p).write(row(p)) };
        }
        // SAFETY: the loop above has written all `k` rows. Nothing writes to them while the slice exists.
        unsafe { core::slice::from_raw_parts(block, k) }
    });
    let plain = alpha.is_one() && beta.is_zero();
    let mut exact = true;
    for i in 0..m {
        // SAFETY: `i < m` and `p < k` in the calls below, so this is an element of `a`. The caller ensures that the elements of `a` may
        // be read.
        let x = |p: usize| unsafe { *a.from(i, p).ptr.get() };
        let mut sums = [A::zero(); N];
        let mut add = |x: T, row: &[T; N]| {
            for j in 0..N {
                sums[j] = sums[j].plus(x, row[j]);
            }
        };
        match block {
            Some(block) => block.iter().enumerate().for_each(|(p, row)| add(x(p), row)),
            None => (0..k).for_each(|p| add(x(p), &row(p))),
        }
        for (j, sum) in sums.into_iter().enumerate().take(columns) {
            let (sum, whole) = sum.total();
            let to = c.from(i, first + j).ptr.get();
            let (value, whole) = if plain {
                (sum, whole)
            } else {
                let (scaled, wrapped) = T::acc_mul(alpha.widen(), sum);
                // SAFETY: `i < m` and `first + j < n`, so `to` points to an element of `c`. The caller ensures exclusive access to `c`.
                let old = if beta.is_zero() { T::zero() } else { unsafe { *to } };
                let (kept, overflows) = T::acc_mul(beta.widen(), old.widen());
                let carry = T::acc_add_carry(scaled, kept);
                (T::acc_add(scaled, kept), whole & !wrapped & !overflows & (carry == 0))
            };
            let (value, fits) = T::narrow(value);
            exact &= fits & whole;
            // SAFETY: `i < m` and `first + j < n`, so `to` points to an element of `c`. The caller ensures exclusive access to `c`.
            unsafe { *to = value };
        }
    }
    exact
}
