//! Positions along an axis: their conversion to indices, and the check that they are valid.

use crate::device::Operand;
use crate::device::cpu::Cpu;
use crate::device::cpu::loops::threads::over_parts;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;
use crate::simd::kernel;
use core::sync::atomic::{AtomicBool, Ordering};

/// Number of positions between the one that is used and the one whose element is prefetched. Half of this distance is no
/// faster than no prefetching. Chosen by the rows `take` of `benches/peers/src/rows/everyday/choose.rs`.
pub(super) const PREFETCH_DISTANCE: usize = 128;
/// Minimum size of an axis, in bytes, for prefetching its elements. The size is the extent times the stride. The elements of
/// smaller axes stay in L2.
const MIN_PREFETCHED_BYTES: usize = 1 << 20;
/// Maximum number of contiguous positions that are checked at once. They take 8 KiB, so they stay in L1.
pub(super) const CHECKED_POSITIONS: usize = 1024;
/// Minimum number of positions to check at once.
pub(super) const MIN_CHECKED_POSITIONS: usize = 16;
/// Work for one position: the number of bytes that could be copied in the same time.
pub(super) const POSITION_WORK_BYTES: usize = 64;
/// Positions are split between threads at multiples of this number.
pub(super) const POSITIONS_GRAIN: usize = 256;

/// Which positions along an axis of extent `len` are valid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) enum Sign {
    /// Positions from `-len` to `len - 1`. Negative ones count from the end.
    Signed,
    /// Positions from 0 to `len - 1`, converted from `usize` without a change of bits. A negative one was a `usize` that exceeds `i64`.
    Unsigned,
}

impl Sign {
    /// Returns the number to add to negative positions: the extent for `Signed`, or 0 for `Unsigned`, so that they stay invalid.
    fn wrap(self, len: u64) -> u64 {
        if self == Sign::Signed { len } else { 0 }
    }
}

/// Converts a position to an index counted from the start. For an axis of extent `len`, `wrap` is [`Sign::wrap`]. The index is less than
/// `len` if and only if the position is valid. Positions and extents are compared as numbers of 64 bits: a conversion of 2³² to a `usize`
/// of 32 bits gives 0, which is valid.
#[inline(always)]
pub(super) fn from_start(position: i64, wrap: u64) -> u64 {
    // A negative position has its sign in all bits of `position >> 63`.
    (position as u64).wrapping_add((position >> 63) as u64 & wrap)
}

/// Returns whether to prefetch elements along an axis: whether the axis exceeds L2. `size` is the size of an element in bytes.
fn is_far(len: usize, stride: isize, size: usize) -> bool {
    len.saturating_mul(stride.unsigned_abs()).saturating_mul(size) > MIN_PREFETCHED_BYTES
}

/// The axis to which positions refer: its extent, the number that is added to negative positions, its stride in elements, and
/// whether to prefetch its elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct SelectedLine {
    pub(super) len: u64,
    pub(super) wrap: u64,
    pub(super) stride: isize,
    pub(super) far: bool,
}

impl SelectedLine {
    /// Describes an axis of elements of `size` bytes.
    pub(super) fn new(len: usize, stride: isize, sign: Sign, size: usize) -> SelectedLine {
        let far = is_far(len, stride, size);
        let len = len as u64;
        SelectedLine { len, wrap: sign.wrap(len), stride, far }
    }
}

/// Returns a position as the index that an error message states.
#[cold]
pub(super) fn index_of(position: i64, sign: Sign) -> isize {
    let beyond = if position < 0 { isize::MIN } else { isize::MAX };
    match sign {
        // The position has the bits of a `usize` that exceeds `i64`. The message states the maximum instead.
        Sign::Unsigned if position < 0 => isize::MAX,
        _ => isize::try_from(position).unwrap_or(beyond),
    }
}

kernel! {
    /// Returns the minimum of `n` positions and 0, and the maximum of the positions and -1.
    ///
    /// # Safety
    /// The caller must ensure that `n` elements with this stride, from `first` on, are readable.
    wide unsafe fn range[][](first: *const i64, stride: isize, n: usize) -> (i64, i64) {
        let (mut least, mut greatest) = (0, -1);
        if stride == 1 {
            for i in 0..n {
                // SAFETY: `i < n`, and the caller ensures that the `n` elements from `first` on may be read.
                let position = unsafe { *first.wrapping_add(i) };
                (least, greatest) = (position.min(least), position.max(greatest));
            }
        } else {
            for i in 0..n {
                // SAFETY: `i < n`, and the caller ensures that the `n` elements from `first` on may be read.
                let position = unsafe { *first.wrapping_offset(i as isize * stride) };
                (least, greatest) = (position.min(least), position.max(greatest));
            }
        }
        (least, greatest)
    }
}

/// Returns whether `n` adjacent positions are less than `len` and not negative.
///
/// # Safety
/// The caller must ensure that `n` positions may be read from `at` on.
#[inline(always)]
pub(super) unsafe fn all_in_range(at: *const i64, n: usize, len: u64) -> bool {
    // SAFETY: the stride is 1, and the caller ensures that the positions may be read.
    let (least, greatest) = unsafe { range(at, 1, n) };
    least >= 0 && (greatest.max(0) as u64) < len
}

/// Returns whether all positions from `least` to `greatest` are valid. `least` is at most 0, and `greatest` at least -1: see [`range`].
#[inline(always)]
fn in_range((least, greatest): (i64, i64), len: u64, wrap: u64) -> bool {
    // Only the extent of an axis with stride 0 can exceed `isize::MAX`; `i64::MAX` replaces it.
    let limit = |n| i64::try_from(n).unwrap_or(i64::MAX);
    least >= -limit(wrap) && greatest < limit(len)
}

/// Implements [`Select::check_positions`](crate::device::Select::check_positions) for the operation `op`.
pub(in super::super) fn check(
    op: &'static str,
    at: Operand<'_, i64, Cpu>,
    len: usize,
    sign: Sign,
) -> Result<(), Error> {
    if at.shape().contains(&0) {
        return Ok(());
    }
    // Axes with stride 0 repeat the positions, so they are left out.
    let (mut shape, mut strides, mut rank) = ([1; MAX_RANK], [0; MAX_RANK], 0);
    for (&n, &stride) in at.shape().iter().zip(at.strides()).filter(|(_, stride)| **stride != 0) {
        (shape[rank], strides[rank]) = (n, stride);
        rank += 1;
    }
    let plan = Plan::unordered(&shape[..rank], [&strides[..rank]]);
    let invalid = AtomicBool::new(false);
    let last = plan.shape().len().saturating_sub(1);
    let grain = |axis| if axis == last { POSITIONS_GRAIN } else { 1 };
    over_parts(&plan, size_of::<i64>(), &grain, &|part| {
        let mut walk = Odometer::outer(part);
        let (mut least, mut greatest) = (0, -1);
        for _ in 0..part.outer_shape().iter().product() {
            let [offset] = walk.offsets();
            let [stride] = part.inner_strides();
            // SAFETY: `plan` visits only indices of `at`: it omits the axes of `at` with stride 0, where the index is 0. `Operand`
            // guarantees that the elements of `at` may be read.
            let (low, high) = unsafe { range(at.ptr().offset(offset).get(), stride, part.inner_len()) };
            (least, greatest) = (low.min(least), high.max(greatest));
            walk.advance();
        }
        if !in_range((least, greatest), len as u64, sign.wrap(len as u64)) {
            invalid.store(true, Ordering::Relaxed);
        }
    });
    if invalid.into_inner() { Err(first_invalid(op, at, len, sign)) } else { Ok(()) }
}

/// Returns the error with the first invalid position in row-major order. At least one position must be invalid.
#[cold]
pub(super) fn first_invalid(op: &'static str, at: Operand<'_, i64, Cpu>, len: usize, sign: Sign) -> Error {
    let mut walk = Odometer::row_major(at.shape(), [at.strides()]);
    for _ in 0..at.shape().iter().product() {
        let [offset] = walk.offsets();
        // SAFETY: `walk` visits indices of `at`. `Operand` guarantees that the elements of `at` may be read.
        let position = unsafe { *at.ptr().offset(offset).get() };
        if from_start(position, sign.wrap(len as u64)) >= len as u64 {
            let index = index_of(position, sign);
            return Error::IndexOutOfBounds { op, index, axis: 0, shape: vec![len] };
        }
        walk.advance();
    }
    unreachable!("a position is invalid")
}
