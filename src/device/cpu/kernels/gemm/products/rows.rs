//! The kernel of products of a vector and a matrix: adds rows of products to accumulators, one for each output.

use super::sums::{CHAIN_LEN, Sums};
use super::zipped::{REPEATED, Zipped};
use crate::device::cpu::HostPtr;
use crate::element::Scalar;
use crate::simd::kernel;

/// Adds the products of `count` rows to accumulators: `sums[j] += a[r, j] · b[r, j]` for each row `r`. `rows` are the operands'
/// strides from one row to the next, and `steps` those from one element of a row to the next.
///
/// # Safety
/// The caller must ensure:
/// * `count` rows of `sums.len()` elements from `a` and from `b`, with these strides, are readable.
/// * `steps[0]` is `A` and `steps[1]` is `B`, unless these constants are [`ANY_STRIDE`].
pub(super) unsafe fn add_rows<T: Scalar, S: Sums<T>, const A: isize, const B: isize>(
    sums: &mut [S::Sum],
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    rows: [isize; 2],
    count: usize,
) {
    let mut first = 0;
    while first < count {
        let (a, b) = (a.offset(first as isize * rows[0]), b.offset(first as isize * rows[1]));
        macro_rules! add {
            ($few:expr) => {
                // SAFETY: `first + $few <= count`, so the caller ensures that these `$few` rows are readable. `A`, `B` and `steps` are
                // passed on unchanged, and the caller ensures that they agree.
                unsafe { add_few_rows::<T, S, A, B, $few>(sums, a, b, steps, rows) }
            };
        }
        // The narrow sums of `CHAIN_LEN` rows of integers are added to the accumulators at a time.
        first += match count - first {
            1 | 2 => add!(1),
            3..8 => add!(3),
            CHAIN_LEN.. if const { T::SUMS_CHECKED } => add!(CHAIN_LEN),
            _ => add!(8),
        };
    }
}

kernel! {
    /// [`add_rows`] for `COUNT` rows. Each accumulator is loaded and stored once for all these rows. Returns `COUNT`.
    ///
    /// # Safety
    /// The contract of [`add_rows`], for `COUNT` rows.
    wide if (const { T::SUMS_CHECKED }) unsafe fn add_few_rows[T: Scalar, S: Sums<T>, const A: isize, const B: isize, const COUNT: usize][T, S, A, B, COUNT](
        sums: &mut [S::Sum],
        a: HostPtr<T>,
        b: HostPtr<T>,
        steps: [isize; 2],
        rows: [isize; 2],
    ) -> usize {
        let mut pairs = [Zipped::<T, A, B>::new(a, b, steps); COUNT];
        for (r, pair) in pairs.iter_mut().enumerate() {
            let r = r as isize;
            *pair = Zipped::new(a.offset(r * rows[0]), b.offset(r * rows[1]), steps);
        }
        // SAFETY: `add_rows` asks for `r < COUNT` and `j < sums.len()` only. The caller ensures that `sums.len()` elements of each of the
        // `COUNT` rows are readable.
        S::add_rows::<COUNT>(sums, B == REPEATED, |r, j| unsafe { pairs[r].at(j) });
        COUNT
    }
}
