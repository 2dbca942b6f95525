//! Elements at positions and under masks: the methods of [`Copy`](crate::device::Copy) and [`Reduce`](crate::device::Reduce) that
//! choose elements by indices or masks in tensors. A *position* is an index along an axis, as an `i64`. Negative positions count from the
//! end.
//!
//! ```text
//! take:     for each index k.., m..: out[k.., m..] = a[k.., at[k.., m..]]     one loop nest over out, a and at; a has stride 0 along m..
//! scatter:  for each index k.., m..: out[k.., at[k.., m..]] (op)= a[k.., m..]     for each k..: m.. in row-major order, on one thread
//! masks:    one pass in row-major order, whose inner loop has no branch     (module mask)
//! ```
//!
//! Here, `k..` are the indices along the leading axes, which all operands share. `m..` are the indices along the remaining axes of
//! the positions. `(op)=` stands for `=`, or for an operation that combines both elements, such as `+=`.
//!
//! Copies treat elements as bytes, so there is one kernel for each size of elements. `take` checks positions as it uses them, which is
//! cheap compared with a cache miss. If the axis of the positions exceeds L2, elements are prefetched. Otherwise, large results are written
//! with non-temporal stores.
//!
//! A scatter must leave the output unchanged if a position is invalid. So it checks all positions first, in a pass that is limited by the
//! memory bandwidth. A scatter that combines elements does without this pass if the output is much shorter than the positions, as in a
//! histogram. It then saves a copy of the output, checks positions as it uses them, and restores the output if one is invalid.

mod family;
mod mask;
mod scatter;

pub(super) use mask::{compress, expand, nonzero};
pub(super) use scatter::{replace_at, scatter};

use super::copy::MIN_STREAMED_BYTES;
use crate::device::cpu::loops::stream::{copy_bytes, fence, stream_piece};
use crate::device::cpu::loops::threads::over_parts;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::positions::TAKE;
use crate::device::{Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;
use crate::simd::{kernel, prefetch};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};

/// Number of positions between the one that is used and the one whose element is prefetched. Measured: distances from
/// 128 to 192 are equally fast. Half of this distance is no faster than no prefetching.
const PREFETCH_DISTANCE: usize = 128;
/// Minimum size of an axis, in bytes, for prefetching its elements. The size is the extent times the stride. The elements of
/// smaller axes stay in L2.
const MIN_PREFETCHED_BYTES: usize = 1 << 20;
/// Maximum number of contiguous positions that are checked at once. They take 8 KiB, so they stay in L1.
const CHECKED_POSITIONS: usize = 1024;
/// Minimum number of positions to check at once.
const MIN_CHECKED_POSITIONS: usize = 16;
/// Work for one position: the number of bytes that could be copied in the same time.
const POSITION_WORK_BYTES: usize = 64;
/// Positions are split between threads at multiples of this number.
const POSITIONS_GRAIN: usize = 256;

/// Evaluates `$call` with `$Unit` as an array of `$size` bytes. The arrays have alignment 1.
macro_rules! by_size {
    ($size:expr, $Unit:ident => $call:expr) => {
        match $size {
            1 => {
                type $Unit = [u8; 1];
                $call
            }
            2 => {
                type $Unit = [u8; 2];
                $call
            }
            4 => {
                type $Unit = [u8; 4];
                $call
            }
            8 => {
                type $Unit = [u8; 8];
                $call
            }
            16 => {
                type $Unit = [u8; 16];
                $call
            }
            size => unreachable!("unsupported element size: {size} bytes"),
        }
    };
}
use by_size;

/// Which positions along an axis of extent `len` are valid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sign {
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
fn from_start(position: i64, wrap: u64) -> u64 {
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
struct SelectedLine {
    len: u64,
    wrap: u64,
    stride: isize,
    far: bool,
}

impl SelectedLine {
    /// Describes an axis of elements of `size` bytes.
    fn new(len: usize, stride: isize, sign: Sign, size: usize) -> SelectedLine {
        let far = is_far(len, stride, size);
        let len = len as u64;
        SelectedLine { len, wrap: sign.wrap(len), stride, far }
    }
}

/// Returns a position as the index that an error message states.
#[cold]
fn index_of(position: i64, sign: Sign) -> isize {
    let beyond = if position < 0 { isize::MIN } else { isize::MAX };
    match sign {
        // The position has the bits of a `usize` that exceeds `i64`. The message states the maximum instead.
        Sign::Unsigned if position < 0 => isize::MAX,
        _ => isize::try_from(position).unwrap_or(beyond),
    }
}

// ------------------------------------------------------------------ checks

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
unsafe fn all_in_range(at: *const i64, n: usize, len: u64) -> bool {
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
pub(super) fn check(
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
fn first_invalid(op: &'static str, at: Operand<'_, i64, Cpu>, len: usize, sign: Sign) -> Error {
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

// ------------------------------------------------------------------ take

/// Implements [`Select::take`](crate::device::Select::take).
pub(super) fn take<T: Element>(
    out: &Output<'_, T, Cpu>,
    a: &Operand<'_, T, Cpu>,
    at: Operand<'_, i64, Cpu>,
    sign: Sign,
) -> Result<(), Error> {
    let (&len, kept) = a.shape().split_last().expect("positions count along an axis");
    assert_eq!(out.shape(), at.shape(), "there must be one position for each element of the output");
    assert_eq!(out.shape().get(..kept.len()), Some(kept), "the leading axes must be those of the operand");
    let mut strides = [0; MAX_RANK];
    strides[..kept.len()].copy_from_slice(&a.strides()[..kept.len()]);
    let plan = Plan::unordered(out.shape(), [out.strides(), &strides[..out.shape().len()], at.strides()]);
    let line = SelectedLine::new(len, a.strides()[kept.len()], sign, size_of::<T>());
    let (to, from) = (HostPtr::new(out.ptr().get().cast()), HostPtr::new(a.ptr().get().cast()));
    // SAFETY: `plan` visits each index of `out` and `at`, and the corresponding line of `a`. `Operand` guarantees that the elements of
    // `at` and `a` may be read. `Output` guarantees exclusive access to the elements of `out`, and that different indices have
    // different elements.
    let valid = unsafe { take_bytes(size_of::<T>(), &plan, to, from, at.ptr(), line) };
    if valid { Ok(()) } else { Err(first_invalid(TAKE, at, len, sign)) }
}

/// Copies elements of `size` bytes. Returns `false` if a position is invalid. Compiled once for all element types.
///
/// # Safety
/// The caller must ensure, for each index of the plan over the output, the operand and the positions:
/// * The position is readable. From the operand's element on, the elements along `line` are readable.
/// * Access to the output's element is exclusive. Different indices have different elements.
unsafe fn take_bytes(
    size: usize,
    plan: &Plan<3>,
    to: HostPtr<u8>,
    from: HostPtr<u8>,
    at: HostPtr<i64>,
    line: SelectedLine,
) -> bool {
    let invalid = AtomicBool::new(false);
    let last = plan.shape().len().saturating_sub(1);
    let grain = |axis| if axis == last { POSITIONS_GRAIN } else { 1 };
    // Cache misses limit the speed if the axis exceeds L2, and not the stores.
    let streams = !line.far && plan.len() * size >= MIN_STREAMED_BYTES;
    over_parts(plan, POSITION_WORK_BYTES, &grain, &|part| {
        let (to, from) = (to.get(), from.get());
        // SAFETY: `take_part` needs the conditions of `take_bytes` for the indices of `part`. The caller ensures these for all indices
        // of `plan`. Parts have different indices, so they write different elements and may run in parallel. `fence` is called below.
        let valid = by_size!(size, U => unsafe {
            take_part::<U>(part, HostPtr::new(to.cast()), HostPtr::new(from.cast()), at, line, streams)
        });
        if streams {
            fence();
        }
        if !valid {
            invalid.store(true, Ordering::Relaxed);
        }
    });
    !invalid.into_inner()
}

/// Copies the elements for one part of the plan. Returns whether all positions in this part are valid. If `streams`, long rows are written
/// with non-temporal stores.
///
/// # Safety
/// The contract of [`take_bytes`]. If `streams`, the thread calls [`fence`] before any thread reads or writes the output.
unsafe fn take_part<U: Copy>(
    plan: &Plan<3>,
    to: HostPtr<U>,
    from: HostPtr<U>,
    at: HostPtr<i64>,
    line: SelectedLine,
    streams: bool,
) -> bool {
    let (n, strides) = (plan.inner_len(), plan.inner_strides());
    let streams = streams && strides[0] == 1 && n >= CHECKED_POSITIONS;
    let mut walk = Odometer::outer(plan);
    for _ in 0..plan.outer_shape().iter().product() {
        let [o, a, p] = walk.offsets();
        walk.advance();
        let (to, from, at) = (to.offset(o).get(), from.offset(a).get().cast_const(), at.offset(p).get());
        // Two common cases have separate arms. One copies contiguous elements. The other passes the strides as constants, so that
        // the compiler removes the multiplications.
        let valid = match strides {
            // The loop copies contiguous elements, and the position is the same for all of them.
            [1, 1, 0] if n > 0 => {
                // SAFETY: `n > 0`, so `at` points to the position of an index of the plan. The caller ensures that it may be read.
                let k = from_start(unsafe { *at }, line.wrap);
                if k < line.len {
                    let row = from.wrapping_offset(k as isize * line.stride);
                    // SAFETY: `k < line.len`, so the caller ensures that the operand's elements at this position may be read. The
                    // strides 1 make the `n` elements contiguous in the operand and in the output. Access to those of the output is
                    // exclusive, so the two do not overlap.
                    unsafe { copy_bytes(row.cast(), to.cast(), n * size_of::<U>()) };
                }
                k < line.len
            }
            // SAFETY: `take_row` needs the conditions of `take_bytes` for the `n` indices of the inner loop. The caller ensures these
            // for all indices of the plan. If `streams`, the output's stride is 1, and the caller calls `fence`.
            [1, 0, 1] if line.stride == 1 => unsafe {
                take_row(to, from, at, [1, 0, 1], n, SelectedLine { stride: 1, ..line }, streams)
            },
            // SAFETY: `take_row` needs the conditions of `take_bytes` for the `n` indices of the inner loop. The caller ensures these
            // for all indices of the plan. If `streams`, the output's stride is 1, and the caller calls `fence`.
            _ => unsafe { take_row(to, from, at, strides, n, line, streams) },
        };
        if !valid {
            return false;
        }
    }
    true
}

/// Copies `n` elements, one for each position. Returns `false` at the first invalid position.
///
/// Contiguous positions are checked in blocks, by SIMD instructions. If all positions of a block are valid and not negative, its elements
/// are copied without further checks. The positions are then still in L1.
///
/// If `streams`, the elements of a block are copied to a buffer, and from there to the output with non-temporal stores.
///
/// # Safety
/// The contract of [`take_bytes`], for the `n` indices that `to`, `from` and `at` and these strides describe. If `streams`, in addition:
/// * The stride of the output is 1.
/// * The thread calls [`fence`] before any thread reads or writes the output.
#[inline(always)]
unsafe fn take_row<U: Copy>(
    to: *mut U,
    from: *const U,
    at: *const i64,
    strides @ [o, a, p]: [isize; 3],
    n: usize,
    line: SelectedLine,
    streams: bool,
) -> bool {
    // For each index less than `ahead`, the element `PREFETCH_DISTANCE` indices later is prefetched.
    let ahead = if line.far { n.saturating_sub(PREFETCH_DISTANCE) } else { 0 };
    let mut buffer = [const { MaybeUninit::<U>::uninit() }; CHECKED_POSITIONS];
    let mut first = 0;
    while first < n {
        let len = (n - first).min(CHECKED_POSITIONS);
        let there = to.wrapping_offset(first as isize * o);
        let row = Row {
            to: if streams { buffer.as_mut_ptr().cast() } else { there },
            from: from.wrapping_offset(first as isize * a),
            at: at.wrapping_offset(first as isize * p),
            strides,
            line,
        };
        let prefetched = len.min(ahead.saturating_sub(first));
        let in_range = p == 1 && len >= MIN_CHECKED_POSITIONS && {
            // SAFETY: the stride `p` of the positions is 1, and `first + len <= n`. The caller ensures that all `n` positions may be
            // read.
            unsafe { all_in_range(row.at, len, line.len) }
        };
        let valid = if in_range {
            // SAFETY: the caller ensures the conditions of `take_bytes` for `n` indices, and `row` starts at index `first`, with
            // `first + len <= n`. `all_in_range` found that all `len` positions are less than the extent and not negative. If
            // `i < prefetched`, then `first + i + PREFETCH_DISTANCE < n`, so that position may be read.
            unsafe { row.copy::<true>(len, prefetched) }
        } else {
            // SAFETY: the caller ensures the conditions of `take_bytes` for `n` indices, and `row` starts at index `first`, with
            // `first + len <= n`. If `i < prefetched`, then `first + i + PREFETCH_DISTANCE < n`, so that position may be read.
            unsafe { row.copy::<false>(len, prefetched) }
        };
        if !valid {
            return false;
        }
        if streams {
            // SAFETY: `copy` wrote the first `len` elements of the buffer, because the stride `o` is 1. The caller ensures exclusive
            // access to the output's elements at these indices, and calls `fence`.
            unsafe { stream_piece(buffer.as_ptr().cast(), there.cast(), len * size_of::<U>(), None) };
        }
        first += len;
    }
    true
}

/// A row of elements to copy. `to`, `from` and `at` point to the element of the output, the element of the operand and the position
/// at index 0. `strides` are the strides of these three, in the same order.
struct Row<U> {
    to: *mut U,
    from: *const U,
    at: *const i64,
    strides: [isize; 3],
    line: SelectedLine,
}

impl<U: Copy> Row<U> {
    /// Copies `n` elements. Returns `false` at the first invalid position.
    ///
    /// # Safety
    /// The contract of [`take_bytes`] for the first `n` indices of the row. In addition:
    /// * If `IN_RANGE`, the positions at these indices are less than the extent and not negative.
    /// * `prefetched` is at most `n`. For the first `prefetched` indices, the position `PREFETCH_DISTANCE` indices later is readable.
    #[inline(always)]
    unsafe fn copy<const IN_RANGE: bool>(&self, n: usize, prefetched: usize) -> bool {
        let (line, [_, a, p]) = (self.line, self.strides);
        for i in 0..prefetched {
            let next = (i + PREFETCH_DISTANCE) as isize;
            // SAFETY: `i < prefetched`, so the caller ensures that the position `PREFETCH_DISTANCE` indices later may be read.
            let k = from_start(unsafe { *self.at.wrapping_offset(next * p) }, line.wrap);
            let row = self.from.wrapping_offset(next * a);
            prefetch(row.wrapping_offset((k as isize).wrapping_mul(line.stride)).cast());
            // SAFETY: `copy_one` needs the conditions of `copy` for index `i`. The caller ensures these for the first `n` indices, and
            // `i < prefetched <= n`.
            if !unsafe { self.copy_one::<IN_RANGE>(i as isize) } {
                return false;
            }
        }
        for i in prefetched..n {
            // SAFETY: `copy_one` needs the conditions of `copy` for index `i`. The caller ensures these for the first `n` indices, and
            // `i < n`.
            if !unsafe { self.copy_one::<IN_RANGE>(i as isize) } {
                return false;
            }
        }
        true
    }

    /// Copies the element for index `i`. Returns `false` if the position at this index is invalid.
    ///
    /// # Safety
    /// The contract of [`copy`](Row::copy) for index `i`.
    #[inline(always)]
    unsafe fn copy_one<const IN_RANGE: bool>(&self, i: isize) -> bool {
        let (line, [o, a, p]) = (self.line, self.strides);
        // SAFETY: the caller ensures that the position at index `i` may be read.
        let position = unsafe { *self.at.wrapping_offset(i * p) };
        let k = if IN_RANGE { position as u64 } else { from_start(position, line.wrap) };
        if !IN_RANGE && k >= line.len {
            return false;
        }
        // SAFETY: `k < line.len`: either this was just checked, or the caller ensures it because `IN_RANGE` is set. The caller ensures
        // that the elements along `line` may be read.
        let element = unsafe { *self.from.wrapping_offset(i * a + k as isize * line.stride) };
        // SAFETY: the caller ensures exclusive access to the output's element at index `i`.
        unsafe { *self.to.wrapping_offset(i * o) = element };
        true
    }
}

// ------------------------------------------------------------------ pick

/// Implements [`Select::pick`](crate::device::Select::pick).
pub(super) fn pick<T: Element>(
    out: &Output<'_, T, Cpu>,
    a: &Operand<'_, T, Cpu>,
    at: &Operand<'_, i64, Cpu>,
) -> Result<(), Error> {
    let (&[n], &[so]) = (out.shape(), out.strides()) else { panic!("the output must be a vector") };
    let (&[rows, columns], &[row_stride, col_stride]) = (at.shape(), at.strides()) else {
        panic!("the positions must be a matrix")
    };
    assert_eq!((rows, columns), (n, a.shape().len()), "there must be a position for each axis and element");
    for i in 0..n as isize {
        let mut offset = 0;
        for (axis, (&len, &stride)) in a.shape().iter().zip(a.strides()).enumerate() {
            // SAFETY: `i` and `axis` are less than the extents of `at`, so this is an element of `at`. `Operand` guarantees that it may
            // be read.
            let position = unsafe { *at.ptr().offset(i * row_stride + axis as isize * col_stride).get() };
            let k = from_start(position, len as u64);
            if k >= len as u64 {
                let (op, index) = ("take elements", index_of(position, Sign::Signed));
                return Err(Error::IndexOutOfBounds { op, index, axis, shape: a.shape().to_vec() });
            }
            offset += k as isize * stride;
        }
        // SAFETY: each position is less than the extent of its axis, so `offset` is the offset of an element of `a`. `Operand`
        // guarantees that it may be read.
        let element = unsafe { *a.ptr().offset(offset).get() };
        // SAFETY: `i` is less than the extent of the output, and `Output` guarantees exclusive access to its elements.
        unsafe { *out.ptr().offset(i * so).get() = element };
    }
    Ok(())
}
