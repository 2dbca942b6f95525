//! Take: copies elements at positions along the last axis of an operand, or at positions along all of its axes (pick).

use super::by_size;
use super::positions::{
    CHECKED_POSITIONS, MIN_CHECKED_POSITIONS, POSITION_WORK_BYTES, POSITIONS_GRAIN, PREFETCH_DISTANCE,
    SelectedLine, Sign, all_in_range, first_invalid, from_start, index_of,
};
use crate::device::cpu::kernels::copy::MIN_STREAMED_BYTES;
use crate::device::cpu::loops::threads::over_parts;
use crate::device::cpu::memory::stream::{copy_bytes, fence, stream_piece};
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::positions::TAKE;
use crate::device::{Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;
use crate::simd::prefetch;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};

/// Implements [`Select::take`](crate::device::Select::take).
pub(in super::super) fn take<T: Element>(
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

/// Implements [`Select::pick`](crate::device::Select::pick).
pub(in super::super) fn pick<T: Element>(
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
