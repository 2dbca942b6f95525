//! Sorts short lines, several at a time: SIMD instructions compare the elements of several lines.
//!
//! ```text
//! for each tile of lines, in parallel if there is enough work:                                    (module lines)
//!     copy it such that elements with the same index in different lines are adjacent
//!     compute the rank of each element: its index in the sorted line                              (ranks)
//!     write each element, or its index, to its rank
//! ```

use super::erased::AnySlice;
use super::lines::{LineTile, Lines, gather, over_lines, reuse, sort_work};
use crate::element::{DType, Element};
use crate::error::Error;
use crate::simd::kernel;

/// Maximum number of elements of a line whose sorted elements or indices are written. The number of comparisons grows with its square.
pub(super) const MAX_LEN: usize = 16;
/// [`MAX_LEN`] for lines of 8-byte elements of which no indices are needed: longer ones are sorted faster one after the other.
pub(super) const MAX_LEN_OF_WORDS: usize = 14;
/// Number of lines whose elements are compared together.
const LANES: usize = 16;

/// Returns whether lines are sorted by this module: they have at most `max_len` elements, and there are several of them.
pub(super) fn are_short<T>(lines: &Lines<'_, T>, max_len: usize) -> bool {
    (1..=max_len).contains(&lines.len) && lines.shape.iter().product::<usize>() >= LANES
}

kernel! {
    /// Computes the ranks of the elements of `count` lines from their keys. `keys[i * count + k]` is the key of element `i` of line `k`,
    /// and `ranks` has the same layout. `count` must be a multiple of [`LANES`]. The rank of an element is the number of elements with
    /// lesser keys, and of earlier elements with the same key. The keys become unspecified.
    wide fn ranks[][](keys: &mut [u64], count: usize, ranks: &mut [u64]) -> () {
        // AVX2 compares signed numbers only.
        keys.iter_mut().for_each(|key| *key ^= 1 << 63);
        let n = keys.len() / count;
        for first in (0..count).step_by(LANES) {
            // References to arrays, because the compiler then keeps the ranks of the lines in registers.
            let at = |i: usize| -> &[u64; LANES] {
                keys[i * count + first..][..LANES].try_into().expect("the slice has this length")
            };
            for i in 0..n {
                let (own, mut rank) = (at(i), [0; LANES]);
                for j in 0..i {
                    let other = at(j);
                    for k in 0..LANES {
                        rank[k] += u64::from(other[k].cast_signed() <= own[k].cast_signed());
                    }
                }
                for j in i + 1..n {
                    let other = at(j);
                    for k in 0..LANES {
                        rank[k] += u64::from(other[k].cast_signed() < own[k].cast_signed());
                    }
                }
                ranks[i * count + first..][..LANES].copy_from_slice(&rank);
            }
        }
    }
}

/// Writes a value for each element of each line: `value(copy, i, at)` for element `i`, which is `copy[at]`, at the index that the element
/// has in the sorted line. Elements that are equal keep their order. `dtype` is the type of the elements, whose bits are read.
///
/// # Errors
/// If an allocation fails.
///
/// # Safety
/// The caller must ensure:
/// * `to` and `from` have the same shape. Lines of `to` share no elements.
/// * The elements of `from` are readable, and access to those of `to` is exclusive.
/// * If `to` and `from` share elements, a line of `to` shares them with the line of `from` at the same index only.
pub(super) unsafe fn sort<U: Element, V: Element>(
    to: Lines<'_, V>,
    from: Lines<'_, U>,
    dtype: DType,
    descending: bool,
    value: impl Fn(&[U], usize, usize) -> V + Sync,
) -> Result<(), Error> {
    let n = from.len;
    let bytes = n * size_of::<u64>();
    over_lines(from.shape, [to.strides, from.strides], bytes, sort_work(n), &|tiles| {
        let (mut copy, mut keys, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for LineTile { count, offsets: [to_at, from_at], strides: [to_step, from_step] } in tiles {
            // In `keys` and `places`, unused lines are added.
            let pitch = count.next_multiple_of(LANES);
            let copy = reuse(&mut copy, n, count)?;
            let (keys, places) = (reuse(&mut keys, n, pitch)?, reuse(&mut places, n, pitch)?);
            // SAFETY: index `[i, k]` addresses element `i` of line `k` of the tile. The caller ensures that it is readable. Nothing writes
            // to it during the call: this thread writes to the lines of its tile only, and after the call.
            unsafe { gather(from.first.offset(from_at), n, from.stride, &[count], &[from_step], copy)? };
            let elements = AnySlice::from_bits(dtype, copy);
            for (i, keys) in keys.chunks_exact_mut(pitch).enumerate() {
                elements.part(i * count, count).write_keys(&mut keys[..count], descending);
            }
            ranks(keys, pitch, places);
            let first = to.first.offset(to_at).get();
            for (i, places) in places.chunks_exact(pitch).enumerate() {
                for (k, &rank) in places[..count].iter().enumerate() {
                    let there = first.wrapping_offset(k as isize * to_step + rank as isize * to.stride);
                    // SAFETY: `k < count`, and the rank is the number of some of the other `n - 1` elements, so it is less than `n`. So
                    // this is an element of the tile, and the caller ensures exclusive access to it.
                    unsafe { there.write(value(copy, i, i * count + k)) };
                }
            }
        }
        Ok(())
    })
}
