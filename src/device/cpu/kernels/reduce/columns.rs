//! Kernels for rows: each folds rows, of one element per output, into one accumulator per output.
//!
//! ```text
//! the elements of a row are contiguous                                       (fold_contiguous_rows)
//!     for each 8, 3 or 1 rows
//!         for j in 0..accs.len()
//!             accs[j] = combine(accs[j], fold(.. fold(identity, row0[j]) .., row7[j]))
//! the stride within a row is at least MIN_FAR_BYTES: without gathering       (fold_bands)
//!     for each FAR_ROWS rows, for each few columns: fold the rows of these columns
//! otherwise                                                                  (fold_rows_apart)
//!     for each 8 rows: gather tiles of them, then fold these as contiguous rows
//! ```

use super::gather::{Gathered, gather};
use crate::device::Reduction;
use crate::device::cpu::HostPtr;
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
    let apart = step.unsigned_abs() * size_of::<T>();
    match step {
        // SAFETY: the caller ensures that these rows are readable. The elements of a row are contiguous: `step` is 1.
        1 => unsafe { fold_contiguous_rows(op, accs, rows, stride, count, index) },
        // SAFETY: the caller ensures that these rows, whose elements have stride `step`, are readable.
        _ if apart >= MIN_DISTANT_BYTES => unsafe {
            fold_bands::<T, R, DISTANT_COLUMNS>(op, accs, rows, step, stride, count, index)
        },
        // SAFETY: the caller ensures that these rows, whose elements have stride `step`, are readable.
        _ if apart >= MIN_FAR_BYTES => unsafe {
            fold_bands::<T, R, FAR_COLUMNS>(op, accs, rows, step, stride, count, index)
        },
        // SAFETY: the caller ensures that these rows, whose elements have stride `step`, are readable.
        _ => unsafe { fold_rows_apart(op, accs, rows, step, stride, count, index) },
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

/// Returns `COLUMNS` elements of each of `COUNT` rows. `stride` is the stride between rows, `step` between columns.
///
/// # Safety
/// The caller must ensure that these elements are readable.
#[inline(always)]
unsafe fn tile<T: Element, const COUNT: usize, const COLUMNS: usize>(
    rows: HostPtr<T>,
    stride: isize,
    step: isize,
) -> [[T; COLUMNS]; COUNT] {
    // SAFETY: the caller ensures that the element in row 0 and column 0 is readable.
    let mut tile = [[unsafe { *rows.get() }; COLUMNS]; COUNT];
    for (r, row) in tile.iter_mut().enumerate() {
        for (c, element) in row.iter_mut().enumerate() {
            let at = rows.offset(r as isize * stride + c as isize * step);
            // SAFETY: `r < COUNT` and `c < COLUMNS`, so the caller ensures that this element is readable.
            *element = unsafe { *at.get() };
        }
    }
    tile
}

/// Number of columns that [`fold_far_rows`] folds together. Fewer remaining columns are folded one by one.
const FAR_COLUMNS: usize = 8;
/// Number of columns that it folds together if the stride between them is at least [`MIN_DISTANT_BYTES`]. Measured on traces over axes 0 and
/// 2: 4 and 8 columns are slower.
const DISTANT_COLUMNS: usize = 2;
const MIN_DISTANT_BYTES: usize = 2 << 10;
/// Maximum number of rows that one call of [`fold_far_rows`] folds. A multiple of 8, because rows are folded 8 at a time. Measured:
/// traces over axes 0 and 2 are slower with all rows at a time.
const FAR_ROWS: usize = 32;
/// Minimum stride between columns, in bytes, at which they count as far apart. The adjacent cache lines that the hardware
/// prefetches along a row are then not used.
const MIN_FAR_BYTES: usize = 256;

/// [`fold_contiguous_rows`] for a few columns that are far apart; `step` is the stride between columns. The caller folds several rows of these
/// columns before it folds the next columns, because the hardware prefetches this access pattern well.
///
/// # Safety
/// The contract of [`fold_contiguous_rows`], with stride `step` between the elements of a row.
unsafe fn fold_far_rows<T: Element, R: Reduction<T>, const COLUMNS: usize>(
    op: &R,
    accs: &mut [R::Acc; COLUMNS],
    rows: HostPtr<T>,
    step: isize,
    stride: isize,
    count: usize,
    index: usize,
) {
    let mut first = 0;
    while first < count {
        let (rows, index) = (rows.offset(first as isize * stride), index + first);
        macro_rules! fold {
            ($few:literal) => {{
                // SAFETY: `rows` begins at row `first`, and `first + $few <= count`. So the caller ensures that the `COLUMNS` elements of
                // each of these `$few` rows may be read.
                let tile = unsafe { tile::<T, $few, COLUMNS>(rows, stride, step) };
                let mut slices: [&[T]; $few] = [&[]; $few];
                for r in 0..$few {
                    slices[r] = &tile[r];
                }
                op.fold_rows(accs, slices, index);
                $few
            }};
        }
        // Folds 8, 3 or 1 rows at a time, as `fold_contiguous_rows` does.
        first += match count - first {
            8.. => fold!(8),
            3.. => fold!(3),
            _ => fold!(1),
        };
    }
}

/// [`fold_contiguous_rows`] for columns that are far apart; `step` is the stride between columns. Calls [`fold_far_rows`] for [`FAR_ROWS`] rows of
/// `COLUMNS` columns at a time.
///
/// # Safety
/// The contract of [`fold_contiguous_rows`], with stride `step` between the elements of a row.
unsafe fn fold_bands<T: Element, R: Reduction<T>, const COLUMNS: usize>(
    op: &R,
    accs: &mut [R::Acc],
    rows: HostPtr<T>,
    step: isize,
    stride: isize,
    count: usize,
    index: usize,
) {
    let (chunks, rest) = accs.as_chunks_mut();
    let at = |first: usize, column: usize| rows.offset(first as isize * stride + column as isize * step);
    for first in (0..count).step_by(FAR_ROWS) {
        let (some, index) = (FAR_ROWS.min(count - first), index + first);
        for (k, accs) in chunks.iter_mut().enumerate() {
            let rows = at(first, k * COLUMNS);
            // SAFETY: `first + some <= count`, so these are `some` of the `count` rows, in the columns of `accs`. The caller ensures that
            // their elements may be read.
            unsafe { fold_far_rows::<T, R, COLUMNS>(op, accs, rows, step, stride, some, index) };
        }
        for (k, acc) in rest.iter_mut().enumerate() {
            let rows = at(first, chunks.len() * COLUMNS + k);
            // SAFETY: `first + some <= count`, so these are `some` of the `count` rows, in the column of `acc`. The caller ensures that
            // its elements may be read.
            unsafe { fold_far_rows(op, core::array::from_mut(acc), rows, step, stride, some, index) };
        }
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
    step: isize,
    stride: isize,
    count: usize,
    index: usize,
) {
    const ROWS: usize = 8;
    let mut memory = Gathered::new();
    let (gathered, width) = (memory.address::<T>(), const { Gathered::room::<T>() / ROWS });
    for first in (0..count).step_by(ROWS) {
        let some = ROWS.min(count - first);
        for (tile, accs) in accs.chunks_mut(width).enumerate() {
            let from = rows.offset(first as isize * stride + (tile * width) as isize * step);
            for row in 0..some {
                let (from, to) = (from.offset(row as isize * stride), gathered.wrapping_add(row * width));
                // SAFETY: `first + row < count`, so the caller ensures that the elements of this row may be read. `memory` has space for
                // `ROWS` rows of `width` elements; `row < ROWS`, and `accs.len() <= width`. `memory` is a local variable, so it does not
                // overlap the row.
                unsafe { gather(from, accs.len(), step, to) };
            }
            // SAFETY: the loop has just written `some` rows of `accs.len()` contiguous elements to `memory`, which begins at `gathered`.
            // The stride between these rows is `width`.
            unsafe {
                fold_contiguous_rows(op, accs, HostPtr::new(gathered), width as isize, some, index + first)
            };
        }
    }
}
