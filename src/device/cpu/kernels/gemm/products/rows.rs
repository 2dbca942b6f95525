//! The kernel of products of a vector and a matrix: adds rows of products to accumulators, one for each output.

use super::sums::Sums;
use super::zipped::{ANY_STRIDE, CONTIGUOUS, REPEATED, Rows, Zipped};
use crate::device::cpu::HostPtr;
use crate::element::Scalar;
use crate::simd::kernel;

/// Calls a kernel with the constants `A` and `B` that are the strides of the rows, or [`ANY_STRIDE`].
macro_rules! with_strides {
    ($rows:expr, |$a:ident, $b:ident| $call:expr) => {
        match $rows.steps {
            [1, 1] => {
                const $a: isize = CONTIGUOUS;
                const $b: isize = CONTIGUOUS;
                $call
            }
            [1, 0] => {
                const $a: isize = CONTIGUOUS;
                const $b: isize = REPEATED;
                $call
            }
            _ => {
                const $a: isize = ANY_STRIDE;
                const $b: isize = ANY_STRIDE;
                $call
            }
        }
    };
}
pub(super) use with_strides;

/// Adds the products of `count` rows to accumulators: `sums[j] += a[r, j] · b[r, j]` for each row `r`.
///
/// # Safety
/// The caller must ensure that `count` rows of `sums.len()` elements are readable.
#[inline]
pub(super) unsafe fn add_rows<T: Scalar, S: Sums<T>>(sums: &mut [S::Sum], rows: Rows<T>, count: usize) {
    // SAFETY: the caller ensures that the rows are readable. The macro selects constants that agree with their strides.
    with_strides!(rows, |A, B| unsafe { add_rows_by::<T, S, A, B>(sums, rows, count) });
}

/// [`add_rows`], if the strides of the elements are `A` and `B`, unless these constants are [`ANY_STRIDE`].
///
/// # Safety
/// The contract of [`add_rows`]. In addition, the constants must agree with the strides.
unsafe fn add_rows_by<T: Scalar, S: Sums<T>, const A: isize, const B: isize>(
    sums: &mut [S::Sum],
    rows: Rows<T>,
    count: usize,
) {
    let mut first = 0;
    while first < count {
        let rows @ Rows { a, b, steps, strides } = rows.from(first);
        let left = count - first;
        macro_rules! add {
            ($few:literal) => {{
                // SAFETY: `first + $few <= count`, so the caller ensures that these `$few` rows are readable, and that the constants agree with
                // the strides.
                unsafe { add_rows_at_once::<T, S, A, B, $few>(sums, a, b, steps, strides) };
                $few
            }};
        }
        // A fixed number of rows is added at a time, so that each accumulator is loaded and stored once for all these rows.
        first += match left {
            // Elements that are apart are not loaded as vectors, so one loop adds all rows, whatever their number.
            1..8 if const { T::SUMS_CHECKED && A == ANY_STRIDE } => {
                // SAFETY: the caller ensures that the rows are readable.
                unsafe { add_any_rows::<T, S>(sums, rows, left) };
                left
            }
            1 | 2 => add!(1),
            3..8 if const { !T::SUMS_CHECKED } => add!(3),
            3..8 => add!(1),
            _ => add!(8),
        };
    }
}

kernel! {
    /// [`add_rows`] for `COUNT` rows.
    ///
    /// # Safety
    /// The contract of [`add_rows`], for `COUNT` rows. In addition, the strides of the elements must be `A` and `B`, unless these constants are
    /// [`ANY_STRIDE`].
    wide if (const { T::SUMS_CHECKED }) unsafe fn add_rows_at_once[T: Scalar, S: Sums<T>, const A: isize, const B: isize, const COUNT: usize][T, S, A, B, COUNT](
        sums: &mut [S::Sum],
        a: HostPtr<T>,
        b: HostPtr<T>,
        steps: [isize; 2],
        strides: [isize; 2],
    ) -> () {
        let rows = Rows { a, b, steps, strides };
        let rows: [Zipped<T, A, B>; COUNT] = rows.first();
        for (j, sum) in sums.iter_mut().enumerate() {
            // SAFETY: `r < COUNT` and `j < sums.len()`. The caller ensures that these elements are readable.
            *sum = S::add_some(*sum, COUNT, |r| unsafe { rows[r].at(j) });
        }
    } else {
        // SAFETY: the caller ensures that these rows are readable.
        unsafe { add_any_rows::<T, S>(sums, Rows { a, b, steps, strides }, COUNT) }
    }
}

/// [`add_rows_at_once`] for any strides and any number of rows.
///
/// # Safety
/// The contract of [`add_rows`].
#[inline(never)]
unsafe fn add_any_rows<T: Scalar, S: Sums<T>>(sums: &mut [S::Sum], rows: Rows<T>, count: usize) {
    for (j, sum) in sums.iter_mut().enumerate() {
        // SAFETY: `r < count` and `j < sums.len()`. The caller ensures that these elements are readable.
        *sum = S::add_some(*sum, count, |r| unsafe { rows.at(r, j) });
    }
}
