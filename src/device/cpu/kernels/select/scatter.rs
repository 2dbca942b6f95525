//! Scatter: writes elements of an operand to positions along the last axis of the output, or combines them with the output's elements.
//!
//! If several elements have the same position, they are combined in their row-major order. So the bits of a result do not vary between runs
//! or with the number of threads. Work is split between threads along the leading axes only. The positions of one line of the output, along
//! its last axis, could be split between threads by their values. But then each thread would have to read all of them, which is no faster.

use super::by_size;
use super::positions::{
    CHECKED_POSITIONS, MIN_CHECKED_POSITIONS, POSITION_WORK_BYTES, POSITIONS_GRAIN, PREFETCH_DISTANCE,
    SelectedLine, Sign, all_in_range, check, first_invalid, from_start,
};
use crate::device::cpu::loops::threads::over_parts;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::positions::SCATTER;
use crate::device::{BinaryOp, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;
use crate::simd::prefetch;
use std::sync::Mutex;

/// Minimum number of positions per element of the output for [`saved`]: from this number on, saving a copy of the output takes less time
/// than checking all positions first. Chosen by the rows `scatter_add` of `benches/peers/src/rows/everyday/choose.rs`.
const SAVED_POSITIONS: usize = 8;

/// Returns a plan, a loop nest over three operands: the output (at index 0 of its last axis), the positions, and the operand of the
/// scatter. The plan visits the positions of each output line in row-major order. The loops over the positions of a line have stride 0 in
/// the output, and the loops over lines do not.
fn plan(lines: &[usize], out: &[isize], at: &Operand<'_, i64, Cpu>, a: &[isize]) -> Plan<3> {
    let (kept, rank) = (lines.len(), at.shape().len());
    // The loops over lines are the inner ones if the operand's smallest stride along them is less than along the other axes.
    let stride = |axis: usize| a[axis].unsigned_abs().max(1);
    let least = |axes: core::ops::Range<usize>| axes.filter(|&k| at.shape()[k] > 1).map(stride).min();
    let lines_inside = match (least(0..kept), least(kept..rank)) {
        (Some(line), Some(position)) => line < position,
        _ => false,
    };
    let (mut shape, mut strides) = ([1; MAX_RANK], [[0; MAX_RANK]; 3]);
    for k in 0..rank {
        let axis = match lines_inside {
            true => (k + kept) % rank,
            false => k,
        };
        shape[k] = at.shape()[axis];
        strides[0][k] = if axis < kept { out[axis] } else { 0 };
        (strides[1][k], strides[2][k]) = (at.strides()[axis], a[axis]);
    }
    Plan::ordered(&shape[..rank], [&strides[0][..rank], &strides[1][..rank], &strides[2][..rank]])
}

/// Why a scatter stops.
#[derive(Debug, Clone, Copy)]
enum Stop<U> {
    /// A position is invalid.
    Position,
    /// The operation is undefined for these two elements.
    Undefined(U, U),
}

/// The addresses of the output, the positions and the operand, and the axis to which the positions refer.
struct ScatterTask<U> {
    to: HostPtr<U>,
    at: HostPtr<i64>,
    from: HostPtr<U>,
    line: SelectedLine,
}

impl<U: Copy> ScatterTask<U> {
    /// For each position, calls `f` with the element of the output at this position and with the corresponding element of the
    /// operand, and stores the result in the output. Stops if a position is invalid, or if `f` returns `None`.
    ///
    /// # Safety
    /// The caller must ensure, for each index of the plan:
    /// * The position and the operand's element are readable.
    /// * Access to the output's elements along `line` is exclusive.
    #[inline(always)]
    unsafe fn run(&self, plan: &Plan<3>, f: &impl Fn(U, U) -> Option<U>) -> Result<(), Stop<U>> {
        let (n, [o, p, a]) = (plan.inner_len(), plan.inner_strides());
        let mut walk = Odometer::outer(plan);
        for _ in 0..plan.outer_shape().iter().product() {
            let [out, at, from] = walk.offsets();
            walk.advance();
            let (out, at, from) = (self.to.offset(out), self.at.offset(at), self.from.offset(from));
            match [o, p, a] {
                // The strides are passed as constants, so that the compiler removes the multiplications.
                // SAFETY: `row` needs the conditions of `ScatterTask::run` for `n` indices of the plan. The caller ensures these for
                // all indices of the plan.
                [0, 1, 1] if self.line.stride == 1 => unsafe {
                    row(out, at, from, [0, 1, 1], n, SelectedLine { stride: 1, ..self.line }, f)?;
                },
                // One operand element for all positions, as in a histogram.
                // SAFETY: `row` needs the conditions of `ScatterTask::run` for `n` indices of the plan. The caller ensures these for
                // all indices of the plan.
                [0, 1, 0] if self.line.stride == 1 => unsafe {
                    row(out, at, from, [0, 1, 0], n, SelectedLine { stride: 1, ..self.line }, f)?;
                },
                [1, 0, 1] if n > 0 => {
                    // SAFETY: the caller ensures that the position at each index of the plan may be read. `n > 0`, so `at` points to
                    // one.
                    let k = from_start(unsafe { *at.get() }, self.line.wrap);
                    if k >= self.line.len {
                        return Err(Stop::Position);
                    }
                    let out = out.offset(k as isize * self.line.stride);
                    let here = SelectedLine { len: 1, wrap: 1, stride: 0, far: false };
                    // SAFETY: the stride of the positions is 0, so all `n` indices have the position `k`. `out` points to the output's
                    // element at `k` for the first index. The caller ensures that the operand's elements may be read, and exclusive
                    // access to those of the output. `row` reads the position `ZERO` with stride 0, and this position is valid for
                    // `here`, whose extent is 1.
                    unsafe {
                        row(out, HostPtr::new((&raw const ZERO).cast_mut()), from, [1, 0, 1], n, here, f)?;
                    }
                }
                // SAFETY: `row` needs the conditions of `ScatterTask::run` for `n` indices of the plan. The caller ensures these for
                // all indices of the plan.
                strides => unsafe { row(out, at, from, strides, n, self.line, f)? },
            }
        }
        Ok(())
    }
}

/// The position 0. If all indices of an inner loop have one common position, [`ScatterTask::run`] adds that position to the address of the
/// output, and passes the address of this static instead of the position's.
static ZERO: i64 = 0;

/// Calls `f` for `n` positions, as [`ScatterTask::run`] does for all positions.
///
/// # Safety
/// The contract of [`ScatterTask::run`], for the `n` indices that the pointers and strides describe.
#[inline(always)]
unsafe fn row<U: Copy>(
    to: HostPtr<U>,
    at: HostPtr<i64>,
    from: HostPtr<U>,
    strides @ [o, p, _]: [isize; 3],
    n: usize,
    line: SelectedLine,
    f: &impl Fn(U, U) -> Option<U>,
) -> Result<(), Stop<U>> {
    // The prefetching loop is separate, so that the loop below has no branch for prefetching.
    let ahead = if line.far { n.saturating_sub(PREFETCH_DISTANCE) } else { 0 };
    for i in 0..ahead {
        let next = (i + PREFETCH_DISTANCE) as isize;
        // SAFETY: `i < n - PREFETCH_DISTANCE`, so `next < n`. The caller ensures that all `n` positions may be read.
        let k = from_start(unsafe { *at.offset(next * p).get() }, line.wrap);
        let step = (k as isize).wrapping_mul(line.stride);
        prefetch(to.offset((next * o).wrapping_add(step)).get().cast_const().cast());
        // SAFETY: `one` needs the conditions of `row` for index `i`. The caller ensures these for `n` indices, and `i < n`.
        unsafe { one::<false, U>(to, at, from, strides, i as isize, line, f)? };
    }
    // Contiguous positions are checked in blocks, by SIMD instructions. The loop over a valid block has no check. If elements are
    // prefetched, cache misses limit the speed, and a separate check takes more time than it saves.
    let mut first = ahead;
    while first < n {
        let end = if line.far { n } else { n.min(first + CHECKED_POSITIONS) };
        let in_range = !line.far && p == 1 && end - first >= MIN_CHECKED_POSITIONS && {
            // SAFETY: the stride of the positions is 1, and `end <= n`. The caller ensures that all `n` positions may be read.
            unsafe { all_in_range(at.offset(first as isize).get(), end - first, line.len) }
        };
        if in_range {
            for i in first..end {
                // SAFETY: `one` needs the conditions of `row` for index `i`. The caller ensures these for `n` indices, and
                // `i < end <= n`. `all_in_range` found that the position is less than the extent and not negative.
                unsafe { one::<true, U>(to, at, from, strides, i as isize, line, f)? };
            }
        } else {
            for i in first..end {
                // SAFETY: `one` needs the conditions of `row` for index `i`. The caller ensures these for `n` indices, and
                // `i < end <= n`.
                unsafe { one::<false, U>(to, at, from, strides, i as isize, line, f)? };
            }
        }
        first = end;
    }
    Ok(())
}

/// Calls `f` for the position at index `i`.
///
/// # Safety
/// The contract of [`row`], for index `i`. If `IN_RANGE`, the position is less than the extent and not negative.
#[inline(always)]
unsafe fn one<const IN_RANGE: bool, U: Copy>(
    to: HostPtr<U>,
    at: HostPtr<i64>,
    from: HostPtr<U>,
    [o, p, a]: [isize; 3],
    i: isize,
    line: SelectedLine,
    f: &impl Fn(U, U) -> Option<U>,
) -> Result<(), Stop<U>> {
    // SAFETY: the caller ensures that the position at index `i` may be read.
    let position = unsafe { *at.offset(i * p).get() };
    let mut k = position as u64;
    // Most positions are not negative. For these, there is a single comparison.
    if !IN_RANGE && k >= line.len {
        k = from_end(position, line)?;
    }
    let to = to.offset(i * o + k as isize * line.stride).get();
    // SAFETY: the caller ensures that the operand's element at index `i` may be read.
    let right = unsafe { *from.offset(i * a).get() };
    // SAFETY: `k < line.len`: the caller ensures it if `IN_RANGE` is set, and otherwise this was just checked. So `to` points to an element
    // of the output along `line`, and the caller ensures exclusive access to it.
    let left = unsafe { *to };
    let Some(value) = f(left, right) else { return Err(Stop::Undefined(left, right)) };
    // SAFETY: `k < line.len`, so `to` points to an element of the output along `line`. The caller ensures exclusive access to it.
    unsafe { *to = value };
    Ok(())
}

/// Converts a position to an index counted from the start. Called for positions that are negative or too large. Returns [`Stop::Position`]
/// if the position is invalid.
fn from_end<U>(position: i64, line: SelectedLine) -> Result<u64, Stop<U>> {
    let k = from_start(position, line.wrap);
    if k < line.len { Ok(k) } else { Err(Stop::Position) }
}

/// Returns the extent of the axis to which the positions refer.
fn extent<T: Element>(out: &Output<'_, T, Cpu>) -> usize {
    *out.shape().last().expect("positions count along an axis")
}

/// Checks the shapes. Returns the loop nest of [`plan`], and the axis to which the positions refer.
fn prepare<T: Element>(
    out: &Output<'_, T, Cpu>,
    at: &Operand<'_, i64, Cpu>,
    a: &Operand<'_, T, Cpu>,
    sign: Sign,
) -> (Plan<3>, SelectedLine) {
    let (&len, lines) = out.shape().split_last().expect("positions count along an axis");
    assert_eq!(a.shape(), at.shape(), "there must be one position for each element of the operand");
    assert_eq!(at.shape().get(..lines.len()), Some(lines), "the leading axes must be those of the output");
    let line = SelectedLine::new(len, out.strides()[lines.len()], sign, size_of::<T>());
    (plan(lines, out.strides(), at, a.strides()), line)
}

/// Returns, for each loop, the number at whose multiples its iterations may be split between threads. Loops with stride 0 in the output
/// are not split: their iterations write to the same line.
fn grain(plan: &Plan<3>) -> impl Fn(usize) -> usize + Sync {
    let plan = *plan;
    let last = plan.shape().len().saturating_sub(1);
    move |axis| match plan.strides()[axis][0] {
        0 => usize::MAX,
        _ if axis == last => POSITIONS_GRAIN,
        _ => 1,
    }
}

/// Implements [`Select::scatter`](crate::device::Select::scatter).
pub(in super::super) fn replace_at<T: Element>(
    out: &Output<'_, T, Cpu>,
    at: &Operand<'_, i64, Cpu>,
    a: &Operand<'_, T, Cpu>,
) -> Result<(), Error> {
    let (plan, line) = prepare(out, at, a, Sign::Signed);
    check(SCATTER, *at, extent(out), Sign::Signed)?;
    let (to, from) = (HostPtr::new(out.ptr().get().cast()), HostPtr::new(a.ptr().get().cast()));
    // SAFETY: `plan` visits each index of `at` and `a`, and the corresponding line of `out`. `Operand` guarantees that the elements of
    // `at` and `a` may be read. `Output` guarantees exclusive access to the elements of `out`, and that different indices have
    // different elements. So the lines are disjoint.
    unsafe { replace_bytes(size_of::<T>(), &plan, to, at.ptr(), from, line) };
    Ok(())
}

/// Copies elements of `size` bytes. Compiled once for all element types.
///
/// # Safety
/// The contract of [`ScatterTask::run`]. The output's lines at different indices of the leading axes must be disjoint.
unsafe fn replace_bytes(
    size: usize,
    plan: &Plan<3>,
    to: HostPtr<u8>,
    at: HostPtr<i64>,
    from: HostPtr<u8>,
    line: SelectedLine,
) {
    over_parts(plan, POSITION_WORK_BYTES, &grain(plan), &|part| {
        by_size!(size, U => {
            let task = ScatterTask::<U> {
                to: HostPtr::new(to.get().cast()),
                at,
                from: HostPtr::new(from.get().cast()),
                line,
            };
            // SAFETY: the caller ensures the conditions of `ScatterTask::run` for all indices of `plan`, so they hold for those of
            // `part`. `grain` splits no line of the output between two parts. So only this thread accesses the lines of `part`.
            let all = unsafe { task.run(part, &|_, new| Some(new)) };
            debug_assert!(all.is_ok(), "the positions have been checked");
        });
    });
}

/// Implements [`Select::scatter_with`](crate::device::Select::scatter_with).
pub(in super::super) fn scatter<T: Element, F: BinaryOp<T, T, Output = T>>(
    op: &F,
    out: &Output<'_, T, Cpu>,
    at: &Operand<'_, i64, Cpu>,
    a: &Operand<'_, T, Cpu>,
    sign: Sign,
) -> Result<(), Error> {
    let (plan, line) = prepare(out, at, a, sign);
    let task = ScatterTask { to: out.ptr(), at: at.ptr(), from: a.ptr(), line };
    let combine = |x, y| (!F::CHECKED || op.is_defined(x, y)).then(|| op.apply(x, y));
    let saved = saved(out, &plan);
    if saved.is_none() {
        check(SCATTER, *at, extent(out), sign)?;
    }
    let stopped = Mutex::new(None);
    over_parts(&plan, POSITION_WORK_BYTES, &grain(&plan), &|part| {
        // SAFETY: `plan` visits each index of `at` and `a`, and the corresponding line of `out`. `Operand` guarantees that the elements
        // of `at` and `a` may be read. `Output` guarantees exclusive access to the elements of `out`. `grain` splits no line between
        // two parts, so only this thread accesses the lines of `part`.
        if let Err(stop) = unsafe { task.run(part, &combine) } {
            *stopped.lock().expect("no thread panics with the lock") = Some(stop);
        }
    });
    match stopped.into_inner().expect("no thread panics with the lock") {
        None => Ok(()),
        Some(Stop::Undefined(x, y)) => {
            Err(Error::Arithmetic { op: F::NAME, dtype: T::DTYPE.name(), values: op.operands(x, y) })
        }
        Some(Stop::Position) => {
            let saved = saved.expect("an invalid position is found before, unless the output is saved");
            // SAFETY: the output has `saved.len()` contiguous elements, to which `Output` guarantees exclusive access. A new
            // allocation does not overlap them.
            unsafe { core::ptr::copy_nonoverlapping(saved.as_ptr(), out.ptr().get(), saved.len()) };
            Err(first_invalid(SCATTER, *at, extent(out), sign))
        }
    }
}

/// Returns a copy of the output if copying takes less time than a pass over the positions. This is the case if the output is a
/// contiguous vector, and there are at least [`SAVED_POSITIONS`] positions for each of its elements. Returns `None` also if the
/// allocation fails.
fn saved<T: Element>(out: &Output<'_, T, Cpu>, plan: &Plan<3>) -> Option<Vec<T>> {
    let (&[len], &[1]) = (out.shape(), out.strides()) else { return None };
    if plan.len() / SAVED_POSITIONS < len.max(CHECKED_POSITIONS) {
        return None;
    }
    let mut saved = Vec::new();
    saved.try_reserve_exact(len).ok()?;
    // SAFETY: the output has `len` contiguous elements, to which `Output` guarantees exclusive access.
    saved.extend_from_slice(unsafe { core::slice::from_raw_parts(out.ptr().get(), len) });
    Some(saved)
}
