//! Kernels for rows: each folds rows, of one element per output, into one accumulator per output.
//!
//! ```text
//! the elements of a row are contiguous                                       (fold_contiguous_rows)
//!     for each 8, 3 or 1 rows
//!         for j in 0..accs.len()
//!             accs[j] = combine(accs[j], fold(.. fold(identity, row0[j]) .., row7[j]))
//! otherwise                                                                  (fold_rows_apart)
//!     gather tiles of a few rows, then fold these as contiguous rows
//! ```

use super::gather::Gathered;
use crate::device::Reduction;
use crate::device::cpu::HostPtr;
use crate::device::cpu::loops::pack::gather_rows;
use crate::element::Element;
use crate::element::lanes::MAX_ROWS;
use crate::simd::kernel;
use core::mem::MaybeUninit;

/// Size, in bytes, of the rows that [`fold_in_bands`] folds together, if they are at least [`MIN_BAND_ROWS`].
const BAND_BYTES: usize = 128 << 10;
/// Minimum number of rows that [`fold_in_bands`] folds together. With fewer rows, updating the accumulators takes much of the time.
const MIN_BAND_ROWS: usize = 32;

/// Folds `count` rows into accumulators: element `j` of each row into `accs[j]`. `step` is the stride within a row, `stride` that from each
/// row to the next. `index` is the index of the first row.
///
/// # Safety
/// The caller must ensure that the `accs.len()` elements of each of these rows are readable.
pub(super) unsafe fn fold_rows<T: Element, R: Reduction<T>>(
    op: &R,
    accs: &mut [R::Acc],
    rows: HostPtr<T>,
    [step, stride]: [isize; 2],
    [count, index]: [usize; 2],
) {
    match step {
        // SAFETY: the caller ensures that these rows are readable. The elements of a row are contiguous: `step` is 1.
        1 => unsafe { fold_contiguous_rows(op, accs, rows, stride, count, index) },
        // SAFETY: the caller ensures that these rows, whose elements have stride `step`, are readable.
        _ => unsafe { fold_rows_apart(op, accs, rows, [step, stride], [count, index]) },
    }
}

kernel! {
    /// Folds `count` rows into accumulators: element `j` of each row into `accs[j]`. The elements of a row are contiguous. `stride`
    /// is the stride from each row to the next. `index` is the index of the first row.
    ///
    /// # Safety
    /// The caller must ensure that `count` rows of `accs.len()` elements, with this stride between rows, are readable.
    wide unsafe fn fold_contiguous_rows[T: Element, R: Reduction<T>][T, R](
        op: &R,
        accs: &mut [R::Acc],
        rows: HostPtr<T>,
        stride: isize,
        count: usize,
        index: usize,
    ) -> () {
        if const { R::FOLDS_MANY_ROWS } {
            // SAFETY: `fold_in_bands` has the contract of `fold_contiguous_rows`, which the caller ensures.
            return unsafe { fold_in_bands(op, accs, rows, stride, count) };
        }
        let mut first = 0;
        while first < count {
            let (rows, index) = (rows.offset(first as isize * stride), index + first);
            macro_rules! fold {
                ($few:literal) => {
                    // SAFETY: `rows` begins at row `first`, and `first + $few <= count`. So these `$few` rows are among the `count` rows
                    // whose `accs.len()` contiguous elements may be read, as the caller ensures.
                    unsafe { fold_few_rows::<T, R, $few>(op, accs, rows, stride, index) }
                };
            }
            first += match count - first {
                8.. => fold!(8),
                3.. => fold!(3),
                _ => fold!(1),
            };
        }
    }
}

/// [`fold_contiguous_rows`] for reductions that fold many rows: those of a band at a time.
///
/// # Safety
/// The contract of [`fold_contiguous_rows`].
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
unsafe fn fold_in_bands<T: Element, R: Reduction<T>>(
    op: &R,
    accs: &mut [R::Acc],
    rows: HostPtr<T>,
    stride: isize,
    count: usize,
) {
    let len = accs.len();
    // `fold_many_rows` may visit a few columns at a time, so a band must stay in cache.
    let band = (BAND_BYTES / (len * size_of::<T>()).max(1)).clamp(MIN_BAND_ROWS, MAX_ROWS);
    for first in (0..count).step_by(band) {
        let mut slices = [const { MaybeUninit::<&[T]>::uninit() }; MAX_ROWS];
        let slices = &mut slices[..band.min(count - first)];
        for (r, slice) in slices.iter_mut().enumerate() {
            let row = rows.offset((first + r) as isize * stride).get();
            // SAFETY: `first + r < count`, so the caller ensures that the `len` elements of this row are contiguous and readable.
            slice.write(unsafe { core::slice::from_raw_parts(row, len) });
        }
        // SAFETY: the loop has just written all of `slices`.
        op.fold_many_rows(accs, unsafe { slices.assume_init_ref() });
    }
}

/// [`fold_contiguous_rows`] for `COUNT` rows. Each accumulator is loaded and stored once for all these rows. Returns `COUNT`.
///
/// # Safety
/// The contract of [`fold_contiguous_rows`], for `COUNT` rows.
#[cfg_attr(any(test, not(debug_assertions)), inline(always))]
unsafe fn fold_few_rows<T: Element, R: Reduction<T>, const COUNT: usize>(
    op: &R,
    accs: &mut [R::Acc],
    rows: HostPtr<T>,
    stride: isize,
    index: usize,
) -> usize {
    // SAFETY: the caller ensures that the `accs.len()` elements of each of the `COUNT` rows are contiguous and may be read. The slices are
    // used during this call only.
    op.fold_rows(accs, unsafe { slices::<T, COUNT>(rows, stride, accs.len()) }, index);
    COUNT
}

/// Returns `COUNT` rows of `len` elements as slices.
///
/// # Safety
/// The caller must ensure that the rows' elements are readable and contiguous, as long as the result is used.
#[inline(always)]
unsafe fn slices<'a, T, const COUNT: usize>(rows: HostPtr<T>, stride: isize, len: usize) -> [&'a [T]; COUNT] {
    let mut slices: [&[T]; COUNT] = [&[]; COUNT];
    for (r, slice) in slices.iter_mut().enumerate() {
        // SAFETY: `r < COUNT`; the caller ensures that this row has `len` readable, contiguous elements.
        *slice = unsafe { core::slice::from_raw_parts(rows.offset(r as isize * stride).get(), len) };
    }
    slices
}

/// Returns the numbers of rows and columns of the tiles that [`fold_rows_apart`] gathers. The number of rows is a multiple of 8, because
/// [`fold_contiguous_rows`] folds 8 at a time. `apart` is the distance between columns, in bytes.
///
/// If columns are far apart, the tiles have many rows and few columns: the hardware prefetches this access pattern well, and the adjacent
/// cache lines that it prefetches along a row are not used. Measured on traces over axes 0 and 2.
const fn tile<T>(apart: usize) -> [usize; 2] {
    match apart {
        2048.. => [32, 2],
        256.. => [32, 8],
        _ => [8, Gathered::room::<T>() / 8],
    }
}

/// [`fold_contiguous_rows`] for rows whose elements have stride `step`. Gathers tiles of a few rows, then folds them.
///
/// # Safety
/// The contract of [`fold_contiguous_rows`], with stride `step` between the elements of a row.
unsafe fn fold_rows_apart<T: Element, R: Reduction<T>>(
    op: &R,
    accs: &mut [R::Acc],
    rows: HostPtr<T>,
    [step, stride]: [isize; 2],
    [count, index]: [usize; 2],
) {
    let mut memory = Gathered::new();
    let gathered = memory.address::<T>();
    let [height, width] = tile::<T>(step.unsigned_abs() * size_of::<T>());
    for first in (0..count).step_by(height) {
        let some = height.min(count - first);
        for (tile, accs) in accs.chunks_mut(width).enumerate() {
            let from = rows.offset(first as isize * stride + (tile * width) as isize * step).get();
            // SAFETY: `first + some <= count`, so the caller ensures that the elements of these rows may be read. `memory` is a local
            // variable, so it does not overlap them, and has space for `height` rows of `width` elements, which are not fewer.
            unsafe {
                gather_rows(size_of::<T>(), from.cast(), [step, stride], gathered.cast(), [some, accs.len()])
            };
            let (tile, stride) = (HostPtr::new(gathered), accs.len() as isize);
            // SAFETY: `gather_rows` has just written `some` rows of `accs.len()` contiguous elements, one after the other.
            unsafe { fold_contiguous_rows(op, accs, tile, stride, some, index + first) };
        }
    }
}
