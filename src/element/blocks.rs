//! Sums of blocks and of rows of integers, in loops that the compiler vectorises. Reductions call them through
//! [`Scalar::acc_sum`](super::Scalar::acc_sum) and [`Scalar::small_sum`](super::Scalar::small_sum).
//!
//! A vector register holds fewer accumulators if these are wider than elements. So the loops below first add some elements in lanes that
//! are as narrow as possible, and then add the lanes to accumulators:
//!
//! | elements | lanes |
//! |---|---|
//! | integers of 8 and 16 bits | [`Parts`]: a type of twice the size. It holds the sum of 255 elements |
//! | the same, if the result must fit the element type | [`Saturating`]: the element type, with a test for overflow |
//! | integers of 32 and 64 bits | [`Halves`]: twice the element type |

use super::{Arithmetic, RealScalar, Scalar};
use crate::element::lanes::{FOLD_BLOCK_BYTES, MAX_ROWS, halve, prefetch_after};
use crate::simd::prefetches_rows;
use core::marker::PhantomData;
use core::ops::AddAssign;

/// The loops for elements `T`.
pub(super) trait Blocks<T: Scalar> {
    /// The sum of a column of at most [`MAX_ROWS`] elements.
    type Part: Copy + Into<T::Accumulator>;
    /// Sums contiguous elements.
    fn sum(elements: &[T]) -> T::Accumulator;
    /// [`sum`](Blocks::sum), faster if partial sums fit the element type.
    #[inline(always)]
    fn small_sum(elements: &[T]) -> T::Accumulator {
        Self::sum(elements)
    }
    /// Returns the sums of `N` columns, from column `first` on. `SMALL` means that partial sums probably fit the element type.
    fn tile<const SMALL: bool, const N: usize>(rows: &[&[T]], first: usize) -> [Self::Part; N];
    /// Adds element `j` of each of at most [`MAX_ROWS`] rows to `sums[j]`. Each row has at least as many elements as there are sums.
    ///
    /// ```text
    /// for each tile of columns that fits in registers:
    ///     add the rows                                  (tile)
    ///     add the tile to the sums
    /// ```
    #[inline(always)]
    fn add_rows<const SMALL: bool>(sums: &mut [T::Accumulator], rows: &[&[T]]) {
        let mut done = 0;
        // The largest tile has 128 bytes.
        match const { size_of::<T>() } {
            1 => Self::add_tiles::<SMALL, 128>(sums, rows, &mut done),
            2 => Self::add_tiles::<SMALL, 64>(sums, rows, &mut done),
            _ => {}
        }
        if const { size_of::<T>() <= 4 } {
            Self::add_tiles::<SMALL, 32>(sums, rows, &mut done);
        }
        Self::add_tiles::<SMALL, LAST>(sums, rows, &mut done);
        if done == sums.len() {
            return;
        }
        let Some(first) = sums.len().checked_sub(LAST) else {
            for row in rows {
                sums.iter_mut().zip(*row).for_each(|(sum, x)| *sum = T::acc_add(*sum, x.widen()));
            }
            return;
        };
        // The last tile overlaps the one before.
        let tile = Self::tile::<SMALL, LAST>(rows, first);
        for k in done - first..LAST {
            sums[first + k] = T::acc_add(sums[first + k], tile[k].into());
        }
    }
    /// Adds tiles of `N` columns, from column `done` on, to their sums. Increases `done` by the number of these columns.
    #[inline(always)]
    fn add_tiles<const SMALL: bool, const N: usize>(
        sums: &mut [T::Accumulator],
        rows: &[&[T]],
        done: &mut usize,
    ) {
        for sums in sums[*done..].as_chunks_mut::<N>().0 {
            let tile = Self::tile::<SMALL, N>(rows, *done);
            for k in 0..N {
                sums[k] = T::acc_add(sums[k], tile[k].into());
            }
            *done += N;
        }
    }
}

/// Number of columns of the smallest tile.
const LAST: usize = 16;

/// Returns `N` elements of a row, from element `first` on.
#[inline(always)]
fn part<T: Copy, const N: usize>(row: &[T], first: usize) -> [T; N] {
    *row[first..].first_chunk().expect("a tile of columns that all rows have")
}

/// Returns a row with the last `n` elements, after zeros, if `n` is not 0 and there are enough elements for a row.
#[inline(always)]
fn last_row<T: Scalar, const LANES: usize>(elements: &[T], n: usize) -> Option<[T; LANES]> {
    const { assert!(LANES <= 128) };
    if n == 0 {
        return None;
    }
    // In 8 bits, because the compiler compares as many lanes at a time as they are wide.
    let zeros = (LANES - n) as u8;
    let mut row = *elements.last_chunk::<LANES>()?;
    for (k, x) in row.iter_mut().enumerate() {
        *x = if (k as u8) < zeros { T::zero() } else { *x };
    }
    Some(row)
}

// ------------------------------------------------------------------ wider lanes

/// Lanes of the type `P`, which holds the sum of 255 elements.
pub(super) struct Parts<P>(PhantomData<P>);

impl<T: Small, P: Copy + Default + AddAssign + From<T> + Into<T::Accumulator>> Blocks<T> for Parts<P>
where
    T::Accumulator: From<P> + Default + AddAssign,
{
    type Part = P;
    #[inline(always)]
    fn sum(elements: &[T]) -> T::Accumulator {
        sum_of_parts(elements, P::from)
    }
    #[inline(always)]
    fn small_sum(elements: &[T]) -> T::Accumulator {
        let sum: Option<P> = match (const { size_of::<T>() }, elements.len()) {
            (1, 128..) => saturating_sum::<T, P, 128>(elements),
            (1, _) => saturating_sum::<T, P, 16>(elements),
            _ => saturating_sum::<T, P, 64>(elements),
        };
        sum.map_or_else(|| Self::sum(elements), T::Accumulator::from)
    }
    #[inline(always)]
    fn tile<const SMALL: bool, const N: usize>(rows: &[&[T]], first: usize) -> [P; N] {
        const { assert!(MAX_ROWS <= 255) };
        let mut parts = [P::default(); N];
        if const { SMALL } {
            let mut lanes = Saturating::<T, N>::new();
            rows.iter().for_each(|row| lanes.add(&part(row, first)));
            if let Some(sums) = lanes.exact() {
                for k in 0..N {
                    parts[k] = sums[k].into();
                }
                return parts;
            }
        }
        for row in rows {
            let row: [T; N] = part(row, first);
            for k in 0..N {
                parts[k] += row[k].into();
            }
        }
        parts
    }
}

/// Sums `part(x)` over contiguous elements `x`. Each lane, of type `P`, first adds at most 255 values, so `P` must be able to hold the sum
/// of 255 values. Then the lanes are added to a sum of type `A`.
///
/// ```text
/// for each chunk of 64 · 255 elements:
///     64 lanes of `P` add every 64th value      (vectorised)
///     add the lanes, and the values that do not fill a row of lanes, to the sum of type `A`
/// ```
#[inline(always)]
pub(crate) fn sum_of_parts<T: Copy, P: Copy + Default + AddAssign, A: From<P> + Default + AddAssign>(
    elements: &[T],
    part: impl Fn(T) -> P,
) -> A {
    const LANES: usize = 64;
    let mut sum = A::default();
    for some in elements.chunks(LANES * 255) {
        let mut parts = [P::default(); LANES];
        let (rows, rest) = some.as_chunks::<LANES>();
        for row in rows {
            for k in 0..LANES {
                parts[k] += part(row[k]);
            }
        }
        parts.into_iter().for_each(|part| sum += A::from(part));
        rest.iter().for_each(|&x| sum += A::from(part(x)));
    }
    sum
}

// ------------------------------------------------------------------ lanes of the element type

/// Integers that processors can add with saturation.
pub(super) trait Small: RealScalar {
    const SIGNED: bool;
    fn saturating_sum(self, by: Self) -> Self;
}

macro_rules! small {
    ($($t:ident)*) => {$(
        impl Small for $t {
            const SIGNED: bool = $t::MIN != 0;
            #[inline(always)]
            fn saturating_sum(self, by: $t) -> $t { self.saturating_add(by) }
        }
    )*};
}
small!(i8 i16 u8 u16);

/// `N` sums in the element type, which saturate.
///
/// A sum of unsigned integers is exact if it is less than the maximum. For signed integers, there is a second set of sums, which begin
/// with 1 instead of 0. Each addition keeps the difference of both sums, unless one of them saturates. Then the difference becomes 0, and no later
/// addition makes it larger. So a sum is exact if the difference is 1 at the end.
struct Saturating<T, const N: usize> {
    sums: [T; N],
    above: [T; N],
}

impl<T: Small, const N: usize> Saturating<T, N> {
    #[inline(always)]
    fn new() -> Self {
        Saturating { sums: [T::zero(); N], above: [T::one(); N] }
    }
    #[inline(always)]
    fn add(&mut self, row: &[T; N]) {
        for (sum, &x) in self.sums.iter_mut().zip(row) {
            *sum = sum.saturating_sum(x);
        }
        if const { T::SIGNED } {
            for (sum, &x) in self.above.iter_mut().zip(row) {
                *sum = sum.saturating_sum(x);
            }
        }
    }
    /// Returns the sums if they are exact.
    #[inline(always)]
    fn exact(self) -> Option<[T; N]> {
        let mut exact = true;
        for k in 0..N {
            exact &= if const { T::SIGNED } {
                T::wrapping(Arithmetic::Sub, self.above[k], self.sums[k]) == T::one()
            } else {
                self.sums[k] != T::HIGHEST
            };
        }
        exact.then_some(self.sums)
    }
}

/// Sums contiguous elements in `LANES` sums of the element type. Returns `None` if one of them overflows, or there are fewer elements.
#[inline(always)]
fn saturating_sum<T: Small, P: Copy + Default + AddAssign + From<T>, const LANES: usize>(
    elements: &[T],
) -> Option<P> {
    const { assert!(LANES <= 255) };
    let (rows, rest) = elements.as_chunks::<LANES>();
    if rows.is_empty() {
        return None;
    }
    let far = size_of_val(elements) >= FOLD_BLOCK_BYTES && prefetches_rows();
    let mut lanes = Saturating::<T, LANES>::new();
    for row in rows {
        if far {
            prefetch_after(row);
        }
        lanes.add(row);
    }
    if let Some(row) = last_row(elements, rest.len()) {
        lanes.add(&row);
    }
    let sums = lanes.exact()?;
    let mut parts = [P::default(); 16];
    for sums in sums.as_chunks::<16>().0 {
        for k in 0..16 {
            parts[k] += sums[k].into();
        }
    }
    let mut sum = P::default();
    parts.into_iter().for_each(|part| sum += part);
    Some(sum)
}

// ------------------------------------------------------------------ sums of halves

/// Lanes of twice the element type: the sum of the elements, which wraps, and the sum of their upper halves. From both, the exact sum
/// is computed.
pub(super) struct Halves;

/// Maximum number of elements that are added. The sum of so many upper halves fits the element type.
const MAX_HALVES: usize = 1 << 15;

/// Integers of 32 and 64 bits.
pub(super) trait Halved: RealScalar {
    /// Returns the upper half of the bits.
    fn high(self) -> Self;
    /// Returns the exact sum of at most [`MAX_HALVES`] elements from their sum, wrapped, and from the sum of their upper halves.
    fn exact(sum: Self, high: Self) -> Self::Accumulator;
}

macro_rules! halved {
    ($($t:ident $unsigned:ident $acc:ident $bits:literal;)*) => {$(
        impl Halved for $t {
            #[inline(always)]
            fn high(self) -> $t { self >> $bits }
            #[inline(always)]
            fn exact(sum: $t, high: $t) -> $acc {
                // The sum of the lower halves is not negative.
                let low = sum.wrapping_sub(high << $bits) as $unsigned;
                ($acc::from(high) << $bits) + $acc::from(low)
            }
        }
    )*};
}
halved! {
    i32 u32 i64 16;
    u32 u32 u64 16;
    i64 u64 i128 32;
    u64 u64 u128 32;
}

impl<T: Halved> Blocks<T> for Halves {
    type Part = T::Accumulator;
    #[inline(always)]
    fn sum(elements: &[T]) -> T::Accumulator {
        const LANES: usize = 32;
        let add = |a: T, b: T| T::wrapping(Arithmetic::Add, a, b);
        let mut total = T::zero().widen();
        // A loop, because a closure of `fold` might not be compiled for the instructions of the caller.
        for some in elements.chunks(MAX_HALVES) {
            // The compiler vectorises the last loop, with fewer instructions than the loop over lanes.
            let (mut sum, mut high) = (T::zero(), T::zero());
            let mut rest = some;
            if size_of_val(some) >= FOLD_BLOCK_BYTES && prefetches_rows() {
                let (rows, last) = some.as_chunks::<LANES>();
                let (mut sums, mut highs) = ([T::zero(); LANES], [T::zero(); LANES]);
                for row in rows {
                    prefetch_after(row);
                    add_halves(&mut sums, &mut highs, row);
                }
                (sum, high) = (halve(sums, add), halve(highs, add));
                rest = last;
            }
            for &x in rest {
                sum = add(sum, x);
                high = add(high, x.high());
            }
            total = T::acc_add(total, T::exact(sum, high));
        }
        total
    }
    #[inline(always)]
    fn tile<const SMALL: bool, const N: usize>(rows: &[&[T]], first: usize) -> [T::Accumulator; N] {
        const { assert!(MAX_ROWS <= MAX_HALVES) };
        let (mut sums, mut highs) = ([T::zero(); N], [T::zero(); N]);
        for row in rows {
            add_halves(&mut sums, &mut highs, &part(row, first));
        }
        let mut exact = [T::zero().widen(); N];
        for k in 0..N {
            exact[k] = T::exact(sums[k], highs[k]);
        }
        exact
    }
}

/// Adds a row to the sums of the elements, which wrap, and to the sums of their upper halves.
#[inline(always)]
fn add_halves<T: Halved, const N: usize>(sums: &mut [T; N], highs: &mut [T; N], row: &[T; N]) {
    for k in 0..N {
        sums[k] = T::wrapping(Arithmetic::Add, sums[k], row[k]);
        highs[k] = T::wrapping(Arithmetic::Add, highs[k], row[k].high());
    }
}
