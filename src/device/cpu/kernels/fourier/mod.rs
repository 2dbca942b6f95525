//! Fourier transforms of strided operands, by the crates rustfft and realfft, and by the module `columns` and those that are built on it.
//!
//! ```text
//! for each transformed axis, the one with the smallest strides first      (complex_axes)
//!     plan the loops over all other axes: each index has a line of n elements
//!     split the lines between threads
//!     contiguous lines: transform them in place, or from the operand      (in_place, out_of_place)
//!         to the output, or in the output after a copy (COPIED_LINE_BYTES)
//!     neighbouring lines are adjacent, and their length has a plan:
//!         transform several lines at a time, on x86-64                    (columns)
//!         if the length has large prime factors, by two transforms of
//!         more elements                                                   (chirp)
//!         if the lines are long or few, by transforms of parts of them    (long_columns)
//!     the same for real lines                                             (real_columns)
//!     otherwise, for each tile of a few lines                             (lines_per_tile, tile)
//!         copy it to contiguous lines, in the output or in workspace
//!         transform each line
//!         copy it to the output if it is in workspace
//! ```
//!
//! The first pass reads the operand, the later passes work in place. Other real lines are always copied, because realfft overwrites its
//! input. The bits of the results do not depend on the number of threads. rustfft transforms two short lines at once, so lines are split
//! between threads, tiles and calls at multiples of `LINE_GRAIN`, and the same two lines are transformed together for any number of threads.
//! The other modules compute each line by the same operations, whichever lines are transformed together.

#[cfg(target_arch = "x86_64")]
mod chirp;
#[cfg(target_arch = "x86_64")]
mod columns;
mod line;
#[cfg(target_arch = "x86_64")]
mod long_columns;
mod plans;
#[cfg(target_arch = "x86_64")]
mod radix;
mod real;
#[cfg(target_arch = "x86_64")]
mod real_columns;

#[cfg(target_arch = "x86_64")]
use crate::device::cpu::kernels::gemm::simd::{SimdKernel, Vector};
use crate::device::cpu::loops::stream::copy_elements;
use crate::device::cpu::loops::threads::over_parts;
use crate::device::cpu::memory::initialise;
use crate::device::cpu::memory::scratch::{MAX_KEPT_BYTES, Side, can_allocate, guaranteed, with_scratch};
use crate::device::cpu::{Cpu, CpuBuffer, HostPtr};
use crate::device::fft::Transform;
use crate::device::{Device, Operand, Output, Permute};
use crate::element::Element;
use crate::error::Error;
use crate::layout::axes::Axes;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::layout::{element_count, sort_axes_by_key};
use crate::rank::MAX_RANK;
#[cfg(target_arch = "x86_64")]
use crate::simd::Level;
#[cfg(target_arch = "x86_64")]
use crate::simd::vector::Vector as _;
use core::ops::RangeInclusive;
use core::sync::atomic::{AtomicBool, Ordering};
use line::{Place, copy_lines, for_each_line, rescale, tiles};
use num_complex::Complex;
use rustfft::{Fft, FftNum};

/// Number of lines in a tile, unless the lines are short or long. A line has the elements along the transformed axis. The lines of a tile
/// are copied and transformed together. Larger and smaller tiles are slower (measured).
const TILE_LINES: usize = 32;
/// Number of elements in a tile of short lines. Each copy of a tile is planned, and reads runs of adjacent elements, one for each index
/// along the lines. With tiles of 2048 elements, transforms of 64 and 100 elements took 1.1 to 1.2 times as long (measured on a Zen 3).
const MIN_TILE_LEN: usize = 8192;
/// Size of a tile of long lines, in bytes. It fits in L2.
const MAX_TILE_BYTES: usize = 1 << 20;
/// Minimum number of lines in a tile, even if the lines are long and the tile exceeds L2. If the elements with the same index in 16 lines
/// are adjacent, they are in four or more cache lines, and each of these is loaded only once. With 4 lines, transforms of 65536 elements
/// with stride 16 took 1.5 times as long (measured).
const MIN_TILE_LINES: usize = 16;
/// Lines are distributed to tiles and threads in groups of this number, unless they are long ([`grain`]).
const LINE_GRAIN: usize = 8;
/// Number of elements between the end of a line in workspace and the next line. Without this gap, the lines of a tile would map to the
/// same cache sets if their length is a power of two.
const LINE_GAP: usize = 6;
/// Maximum length of lines that have no gap after them in workspace, whatever their size, so that one call of rustfft transforms many
/// lines of a tile: see [`adjacent`]. The overhead of a call is about the time of transforming eight elements.
const MAX_ADJACENT_LEN: usize = 64;
/// Maximum number of elements that one call of rustfft transforms, unless a single line has more. The results of a call are then still in
/// cache when they are scaled after the call.
const CALL_LEN: usize = 1 << 14;
/// Minimum size of the output, in bytes, for non-temporal stores in a pass that reads the operand and writes lines that are not
/// contiguous. Ordinary stores fetch each cache line first. Measured on a Zen 3 with 32 MiB of L3: with non-temporal stores, a transform
/// and a later read of its result take 0.83 to 1.02 of the time for results of 16 to 64 MB, 0.86 to 1.1 for 8 MB, and 1.2 for 6 MB. In a
/// pass that works in place, the lines were read before they are written, and non-temporal stores take 0.9 to 1.2 times as long.
const MIN_STREAMED_BYTES: usize = 8 << 20;
/// Size of contiguous lines, in bytes, that are copied to an output of at least [`MIN_STREAMED_BYTES`] and transformed there. Otherwise,
/// rustfft transforms the lines from the operand to the output. Measured on a Zen 4 with 32 MiB of L3: with the copy, outputs of 8 to 64 MB
/// take 0.6 to 0.95 times as long. Shorter and longer lines take up to 1.5 and 1.15 times as long, and outputs of 1.6 MB 0.95 to 1.36
/// times.
const COPIED_LINE_BYTES: RangeInclusive<usize> = 2 << 10..=1 << 20;
/// Minimum number of elements of adjacent lines that `columns` and `real_columns` transform. For fewer, a call takes longer than the
/// transform: 10⁵ times 2 lines of 4 `c64` took 2.6 times as long, 10⁴ times 4 lines of 8 took 1.04 times, and 1000 times 3 lines of 32
/// 0.86 times (Zen 5).
#[cfg(target_arch = "x86_64")]
const MIN_COLUMNS_LEN: usize = 64;
/// Work of a transform for each byte of a line: the number of bytes that could be copied in the same time.
const WORK: usize = 32;

/// The type of the real and imaginary parts: `f32` or `f64`.
pub(in crate::device) trait Real: FftNum + Element {
    /// Registers of AVX-512.
    #[cfg(target_arch = "x86_64")]
    type Wide: Vector<Real = Self>;
    /// Registers of AVX2.
    #[cfg(target_arch = "x86_64")]
    type Narrow: Vector<Real = Self>;
}

macro_rules! real {
    ($($T:ident: $Wide:ident $Narrow:ident;)*) => {$(
        impl Real for $T {
            #[cfg(target_arch = "x86_64")]
            type Wide = crate::device::cpu::kernels::gemm::simd::$Wide;
            #[cfg(target_arch = "x86_64")]
            type Narrow = crate::device::cpu::kernels::gemm::simd::$Narrow;
        }
    )*};
}
real! {
    f32: F32x16 F32x8;
    f64: F64x8 F64x4;
}

/// Runs a kernel for `lines` adjacent lines by the widest instruction set that [`Level::get`] allows, which must not be
/// [`Level::Portable`], or by AVX2 if they fill at most one of its registers. With AVX-512, 2 lines of 44100 `c64` took 1.6 times as long.
///
/// # Panics
/// At [`Level::Portable`].
///
/// # Safety
/// The caller must ensure the conditions of [`SimdKernel::run`] of `kernel`, except that the processor has the instruction set.
#[cfg(target_arch = "x86_64")]
unsafe fn run_kernel<R: Real>(lines: usize, kernel: impl SimdKernel<R::Wide> + SimdKernel<R::Narrow>) {
    match Level::get() {
        // SAFETY: the processor has the instructions of its level. The caller ensures the other conditions.
        Level::Avx512 if 2 * lines > R::Narrow::LANES => unsafe { R::Wide::within(kernel) },
        // SAFETY: the processor has the instructions of its level, and AVX2 if it has AVX-512. The caller ensures the other conditions.
        Level::Avx512 | Level::Avx2 => unsafe { R::Narrow::within(kernel) },
        Level::Portable => unreachable!("the caller ensures that there are SIMD registers"),
    }
}

/// The operand of a complex transform.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) enum Source<'a, R: Element>
where
    Complex<R>: Element,
{
    Complex(Operand<'a, Complex<R>, Cpu>),
    Real(Operand<'a, R, Cpu>),
}

impl<'a, R: Element> Source<'a, R>
where
    Complex<R>: Element,
{
    fn axes(&self) -> Axes<'a> {
        match self {
            Source::Complex(a) => a.axes(),
            Source::Real(a) => a.axes(),
        }
    }

    fn lines(&self) -> From<R> {
        match self {
            Source::Complex(a) => From::Complex(a.ptr()),
            Source::Real(a) => From::Real(a.ptr()),
        }
    }
}

/// What a pass reads: the output, or an operand. For an operand, this is a pointer to its first element.
#[derive(Debug)]
enum From<R> {
    /// The pass works in place.
    Output,
    Complex(HostPtr<Complex<R>>),
    Real(HostPtr<R>),
}

/// Computes complex transforms over the last `by.axes` axes. Along these axes, the operand is cut or padded with zeros to the
/// extents of the output; the other axes have equal extents.
///
/// # Errors
/// [`Error::OutOfMemory`] if an allocation fails. The output then has unspecified elements.
pub(in crate::device) fn complex<R: Real>(
    by: Transform,
    out: Output<'_, Complex<R>, Cpu>,
    a: Source<'_, R>,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    let rank = out.shape().len();
    assert_axes(by, out.shape(), a.axes().shape());
    complex_axes(by, out, a, rank - by.axes..rank)
}

/// Asserts that the operands of a transform have the same shape, except along the transformed axes. The kernels rely on it: user-defined
/// devices call them with any shapes.
fn assert_axes(by: Transform, out: &[usize], a: &[usize]) {
    let kept = out.len().checked_sub(by.axes);
    assert!(
        out.len() == a.len() && kept.is_some_and(|kept| out[..kept] == a[..kept]),
        "a transform over the last {} axes of shape {a:?} has no result of shape {out:?}",
        by.axes
    );
}

/// Asserts that a transform between real and complex numbers has this extent along the last axis of the output.
fn assert_last(by: Transform, out: &[usize], extent: usize) {
    assert!(
        by.axes > 0 && by.len > 0 && out.last() == Some(&extent),
        "a transform of {} real numbers has no result of shape {out:?}",
        by.len
    );
}

/// Computes the transforms of real lines of `by.len` elements along the last axis, and then complex transforms along the `by.axes - 1`
/// axes before it.
///
/// # Errors
/// Those of [`complex`].
pub(in crate::device) fn real_to_complex<R: Real>(
    by: Transform,
    mut out: Output<'_, Complex<R>, Cpu>,
    a: Operand<'_, R, Cpu>,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    assert_axes(by, out.shape(), a.shape());
    assert_last(by, out.shape(), by.len / 2 + 1);
    if out.shape().contains(&0) {
        return Ok(());
    }
    let last = out.shape().len() - 1;
    let mut region = common(out.shape(), a.shape());
    region[last] = by.len.min(a.shape()[last]);
    let others = last + 1 - by.axes..last;
    if region[..=last].contains(&0) || others.clone().any(|axis| region[axis] < out.shape()[axis]) {
        fill_zeros(out.reborrow());
    }
    if region[..=last].contains(&0) {
        return Ok(());
    }
    real::to_complex(by, &mut out, a, &region[..=last])?;
    region[last] = out.shape()[last];
    in_place_axes(by, &mut out, others, &mut region)
}

/// Computes inverse complex transforms along the `by.axes - 1` axes before the last axis, and then the inverse transforms to real lines
/// along the last axis.
///
/// # Errors
/// Those of [`complex`].
pub(in crate::device) fn complex_to_real<R: Real>(
    by: Transform,
    mut out: Output<'_, R, Cpu>,
    a: Operand<'_, Complex<R>, Cpu>,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    assert_axes(by, out.shape(), a.shape());
    assert_last(by, out.shape(), by.len);
    if out.shape().contains(&0) {
        return Ok(());
    }
    let last = out.shape().len() - 1;
    let read = (out.shape()[last] / 2 + 1).min(a.shape()[last]);
    if read == 0 {
        fill_zeros(out);
        return Ok(());
    }
    if by.axes == 1 {
        return real::to_real(by, &mut out, a, read);
    }
    let (mut shape, mut strides) = ([0; MAX_RANK], [0; MAX_RANK]);
    shape[..=last].copy_from_slice(out.shape());
    shape[last] = read;
    let shape = &shape[..=last];
    let mut buffer = CpuBuffer::<Complex<R>>::any(element_count(shape, size_of::<Complex<R>>())?)?;
    let mut step = 1;
    for &axis in by_stride(out.strides(), 0..last + 1).as_slice() {
        strides[axis] = step;
        step *= shape[axis] as isize;
    }
    let strides = &strides[..=last];
    let between = Cpu::ptr_mut(&mut buffer);
    // SAFETY: the strides are those of a contiguous layout of `shape`, which has as many elements as the buffer. The buffer is a local
    // variable, and nothing else accesses it until `complex_axes` returns.
    let whole = unsafe { Output::from_raw(between, shape, strides) };
    complex_axes(by, whole, Source::Complex(a), last + 1 - by.axes..last)?;
    // SAFETY: `complex_axes` has written all elements of the buffer, and nothing writes to them from here on.
    let whole = unsafe { Operand::from_raw(between, shape, strides) };
    real::to_real(by, &mut out, whole, read)
}

/// Returns, for each axis, the smaller one of the extents in `a` and in `b`.
fn common(a: &[usize], b: &[usize]) -> [usize; MAX_RANK] {
    let mut shape = [1; MAX_RANK];
    shape.iter_mut().zip(a).zip(b).for_each(|((to, &a), &b)| *to = a.min(b));
    shape
}

/// A list of axes.
struct AxisList {
    axes: [usize; MAX_RANK],
    count: usize,
}

impl AxisList {
    fn as_slice(&self) -> &[usize] {
        &self.axes[..self.count]
    }
}

/// Returns the axes in ascending order of their strides.
fn by_stride(strides: &[isize], axes: core::ops::Range<usize>) -> AxisList {
    let mut list = AxisList { axes: [0; MAX_RANK], count: 0 };
    // If strides are equal, the last axis is first, because the sort is stable.
    for axis in axes.rev() {
        list.axes[list.count] = axis;
        list.count += 1;
    }
    sort_axes_by_key(&mut list.axes[..list.count], |&axis| strides[axis].unsigned_abs());
    list
}

/// Computes complex transforms along these axes.
fn complex_axes<R: Real>(
    by: Transform,
    mut out: Output<'_, Complex<R>, Cpu>,
    a: Source<'_, R>,
    axes: core::ops::Range<usize>,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    let (rank, read) = (out.shape().len(), a.axes());
    if out.shape().contains(&0) {
        return Ok(());
    }
    let mut region = common(out.shape(), read.shape());
    let order = by_stride(out.strides(), axes.clone());
    let first = order.as_slice()[0];
    if region[..rank].contains(&0)
        || axes.clone().any(|axis| axis != first && region[axis] < out.shape()[axis])
    {
        fill_zeros(out.reborrow());
    }
    if region[..rank].contains(&0) {
        return Ok(());
    }
    let n = out.shape()[first];
    let (region_shape, strides) = (&region[..rank], [out.strides(), read.strides()]);
    let [to_stride, from_stride] = strides.map(|strides| strides[first]);
    match a {
        #[cfg(target_arch = "x86_64")]
        Source::Real(a) if real_columns::are_columns::<R>(n, true, first, region_shape, strides) => {
            let pass = real_columns::Pass {
                n,
                inverse: by.inverse,
                factor: factor(by, n),
                from: a.ptr(),
                from_stride,
                read: region[first],
                to: out.ptr(),
                to_stride,
                written: n,
            };
            pass.to_complex(first, region_shape, strides)?;
        }
        _ => {
            let pass = Pass {
                n,
                inverse: by.inverse,
                factor: factor(by, n),
                to: out.ptr(),
                to_stride,
                from: a.lines(),
                from_stride,
                read: region[first],
                failed: AtomicBool::new(false),
            };
            pass.over_lines(first, region_shape, strides)?;
        }
    }
    region[first] = n;
    passes_in_place(by, &mut out, &order.as_slice()[1..], &mut region)
}

/// Computes complex transforms along these axes in place. Outside of the extents in `region`, the output must contain zeros: only lines
/// within these extents are transformed.
fn in_place_axes<R: Real>(
    by: Transform,
    out: &mut Output<'_, Complex<R>, Cpu>,
    axes: core::ops::Range<usize>,
    region: &mut [usize; MAX_RANK],
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    let order = by_stride(out.strides(), axes);
    passes_in_place(by, out, order.as_slice(), region)
}

/// Computes complex transforms along `axes` in place, in this order. Outside of the extents in `region`, the output must contain zeros:
/// only lines within these extents are transformed. Each pass extends `region` to all indices of its axis.
fn passes_in_place<R: Real>(
    by: Transform,
    out: &mut Output<'_, Complex<R>, Cpu>,
    axes: &[usize],
    region: &mut [usize; MAX_RANK],
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    for &axis in axes {
        let n = out.shape()[axis];
        // The pass reads whole lines: their elements past the region are zeros.
        region[axis] = n;
        let pass = Pass {
            n,
            inverse: by.inverse,
            factor: factor(by, n),
            to: out.ptr(),
            to_stride: out.strides()[axis],
            from: From::Output,
            from_stride: out.strides()[axis],
            read: n,
            failed: AtomicBool::new(false),
        };
        pass.over_lines(axis, &region[..out.shape().len()], [out.strides(), out.strides()])?;
    }
    Ok(())
}

/// Returns the number by which the results of a transform of length `n` are multiplied, or `None` if it is 1.
fn factor<R: Real>(by: Transform, n: usize) -> Option<R> {
    let factor = by.factor(n);
    (factor != 1.0).then(|| R::from_f64(factor).expect("every factor is a floating-point number"))
}

/// Writes zeros to all elements of an output.
fn fill_zeros<T: Element>(out: Output<'_, T, Cpu>) {
    let (zero, strides) = (T::default(), [0; MAX_RANK]);
    let strides = &strides[..out.shape().len()];
    // SAFETY: every index addresses `zero`, because all strides are 0. It is a local variable that nothing writes to.
    let zeros =
        unsafe { Operand::from_raw(Cpu::slice_ptr(core::slice::from_ref(&zero)), out.shape(), strides) };
    Cpu.copy(out, zeros).expect("copies on the host do not fail");
}

/// Returns the number of lines in a tile, for lines of `n` elements of `bytes` bytes. `all` is the number of all lines.
fn lines_per_tile(n: usize, bytes: usize, all: usize) -> usize {
    let short = (MIN_TILE_LEN / n.max(1)).max(TILE_LINES);
    short.min((MAX_TILE_BYTES / (n * bytes).max(1) / LINE_GRAIN * LINE_GRAIN).max(MIN_TILE_LINES)).min(all)
}

/// Returns the number of lines along `axis`.
fn lines_along(axis: usize, shape: &[usize]) -> usize {
    shape.iter().enumerate().filter(|&(k, _)| k != axis).map(|(_, &extent)| extent).product()
}

/// Returns whether `lines` lines of `n` elements of the output are at least [`MIN_STREAMED_BYTES`].
fn is_large<T>(lines: usize, n: usize) -> bool {
    lines.saturating_mul(n).saturating_mul(size_of::<T>()) >= MIN_STREAMED_BYTES
}

/// Returns whether lines in workspace have no gap between them: lines of at most [`MAX_ADJACENT_LEN`] elements, and lines of up to four
/// times this length that do not map to the same cache sets, because their length is not a multiple of 16. For 200 lines of 100 `c64`, the
/// transform takes 0.94 times as long as with gaps (Zen 5).
fn adjacent(n: usize) -> bool {
    n <= MAX_ADJACENT_LEN || (n <= 4 * MAX_ADJACENT_LEN && !n.is_multiple_of(16))
}

/// Returns the number of elements from the beginning of a line in workspace to the beginning of the next line.
fn pitch(n: usize) -> usize {
    if adjacent(n) { n } else { n + LINE_GAP }
}

/// Returns the number of adjacent contiguous lines of length `n` that one call of rustfft transforms: a multiple of `LINE_GRAIN`, or 1 for
/// long lines. rustfft transforms two short lines at once, and the number of threads must not decide which two.
fn lines_per_call(n: usize) -> usize {
    (CALL_LEN / n / LINE_GRAIN * LINE_GRAIN).max(1)
}

/// Returns the granularity at which lines of length `n` are split between threads: at multiples of this number of lines. It is 1 for long
/// contiguous lines, which are transformed one at a time. Lines that are not contiguous are copied in tiles of several lines. If there are
/// fewer than two groups of `LINE_GRAIN` lines, two threads take half of them each, unless one call of rustfft transforms several lines.
fn grain(n: usize, lines_per_tile: usize, contiguous: bool) -> usize {
    if contiguous && lines_per_call(n) == 1 {
        return 1;
    }
    let one_call = contiguous || adjacent(n);
    LINE_GRAIN.min(if one_call { lines_per_tile } else { lines_per_tile.div_ceil(2) })
}

/// Returns the error for a workspace of `len` values that cannot be allocated.
fn out_of_memory<T>(len: usize) -> Error {
    Error::OutOfMemory { device: Cpu.name(), bytes: len.saturating_mul(size_of::<T>()) }
}

/// Returns an error if a workspace of `len` values cannot be allocated. It is called before a pass writes anything.
fn check_workspace<T>(len: usize) -> Result<(), Error> {
    if len <= guaranteed::<T>() || can_allocate(len.saturating_mul(size_of::<T>())) {
        Ok(())
    } else {
        Err(out_of_memory::<T>(len))
    }
}

/// Calls `f` with a workspace of `len` numbers with unspecified values. If it cannot be allocated, sets `failed` instead.
fn with_workspace<T: Element>(side: Side, len: usize, failed: &AtomicBool, f: impl FnOnce(&mut [T])) {
    if len.saturating_mul(size_of::<T>()) > MAX_KEPT_BYTES {
        // Threads do not keep scratch buffers of this size. So the memory comes from the buffer pool, and returns to it after this call.
        match CpuBuffer::any(len) {
            Ok(mut buffer) => f(buffer.as_mut_slice()),
            Err(_) => failed.store(true, Ordering::Relaxed),
        }
        return;
    }
    let least = if len <= guaranteed::<T>() { len } else { 0 };
    with_scratch(side, len, least, |start: *mut T, granted| {
        if granted < len {
            failed.store(true, Ordering::Relaxed);
            return;
        }
        // SAFETY: `with_scratch` provides exclusive access to `len` values at `start`, which is aligned.
        unsafe { initialise(start, len) };
        // SAFETY: `start` is aligned and not null, and access to its `len` values is exclusive until `f` returns. They are initialised.
        f(unsafe { core::slice::from_raw_parts_mut(start, len) });
    });
}

/// Plans the loops over all axes but `axis`, and calls `f` for parts of the plan, on several threads if there is enough work. `bytes` is
/// the size of a line. The innermost loop is split at multiples of `grain`.
fn over_lines(
    axis: usize,
    shape: &[usize],
    strides: [&[isize]; 2],
    bytes: usize,
    grain: usize,
    f: &(dyn Fn(&Plan<2>) + Sync),
) {
    let plan = other_axes(axis, shape, strides);
    let inner = plan.shape().len().saturating_sub(1);
    let grain_of = |k: usize| if k == inner { grain } else { 1 };
    over_parts(&plan, bytes.saturating_mul(WORK), &grain_of, f);
}

/// Plans the loops over all axes but `axis`.
fn other_axes(axis: usize, shape: &[usize], strides: [&[isize]; 2]) -> Plan<2> {
    let without = |k: usize| k + usize::from(k >= axis);
    let rank = shape.len() - 1;
    let (mut extents, mut steps) = ([1; MAX_RANK], [[0; MAX_RANK]; 2]);
    for k in 0..rank {
        extents[k] = shape[without(k)];
        (steps[0][k], steps[1][k]) = (strides[0][without(k)], strides[1][without(k)]);
    }
    Plan::unordered(&extents[..rank], [&steps[0][..rank], &steps[1][..rank]])
}

/// Returns the maximum number of lines that [`adjacent_lines`] passes to its function, for the parts of these loops.
#[cfg(target_arch = "x86_64")]
fn max_adjacent(axis: usize, shape: &[usize], strides: [&[isize]; 2]) -> usize {
    other_axes(axis, shape, strides).inner_len()
}

/// Calls `f` for runs of adjacent lines, with the offsets of the first line in the output and in the operand, and the number of lines.
#[cfg(target_arch = "x86_64")]
fn adjacent_lines(part: &Plan<2>, f: &mut dyn FnMut([isize; 2], usize)) {
    // A part with a single index along the axis of the neighbouring lines can have another innermost loop.
    let (lines, [to, from]) = (part.inner_len(), part.inner_strides());
    let together = if [to, from] == [1, 1] { lines } else { 1 };
    let mut walk = Odometer::outer(part);
    for _ in 0..part.outer_shape().iter().product() {
        let [o, a] = walk.offsets();
        walk.advance();
        for line in (0..lines).step_by(together) {
            let at = line as isize;
            f([o + at * to, a + at * from], together);
        }
    }
}

/// A pass of complex transforms along one axis.
struct Pass<R: Real> {
    /// The number of elements of a line.
    n: usize,
    inverse: bool,
    factor: Option<R>,
    to: HostPtr<Complex<R>>,
    to_stride: isize,
    from: From<R>,
    from_stride: isize,
    /// The number of elements that are read of each line. The transform treats the others as zeros.
    read: usize,
    /// Set if workspace could not be allocated.
    failed: AtomicBool,
}

impl<R: Real> Pass<R>
where
    Complex<R>: Element,
{
    /// Transforms the lines of a part of the output. `shape` has the extents of the part; its extent along `axis` is not used.
    /// `strides` has the strides of the output and of the operand.
    fn over_lines(&self, axis: usize, shape: &[usize], strides: [&[isize]; 2]) -> Result<(), Error> {
        #[cfg(target_arch = "x86_64")]
        if self.are_columns(axis, shape, strides) {
            return self.over_columns(axis, shape, strides);
        }
        let n = self.n;
        let fft = &*plans::complex::<R>(n, self.inverse)?;
        let contiguous = |stride: isize| stride == 1 || n == 1;
        let (to, from) = (contiguous(self.to_stride), contiguous(self.from_stride) && self.read == n);
        let all = lines_along(axis, shape);
        let lines = lines_per_tile(n, size_of::<Complex<R>>(), all);
        let large = !matches!(self.from, From::Output) && is_large::<Complex<R>>(all, n);
        let copies = large && COPIED_LINE_BYTES.contains(&(n * size_of::<Complex<R>>()));
        let workspace = match self.from {
            From::Complex(_) if to && from && !copies => fft.get_immutable_scratch_len(),
            _ if to => fft.get_inplace_scratch_len(),
            _ => lines * pitch(n) + fft.get_inplace_scratch_len(),
        };
        check_workspace::<Complex<R>>(workspace)?;
        let grain = grain(n, lines, to && from);
        over_lines(axis, shape, strides, n * size_of::<Complex<R>>(), grain, &|part| {
            with_workspace(Side::A, workspace, &self.failed, |workspace| match self.from {
                // SAFETY: `shape` and `strides` are those of the operands, so each index of `part` has a line in both. `self.to` is the
                // pointer of an `Output`, and no line of the output is in two parts, so access is exclusive. `to` and `from` are `true`, so
                // the lines are contiguous.
                From::Complex(start) if to && from => unsafe {
                    self.out_of_place(fft, part, start, copies, workspace)
                },
                // SAFETY: each index of `part` has a line of the output, whose elements are initialised. `self.to` is the pointer of an
                // `Output`, and no line of the output is in two parts, so access is exclusive. `to` is `true`, so the lines are contiguous.
                From::Output if to => unsafe { self.in_place(fft, part, workspace) },
                _ => tiles(part, lines, &mut |tile| {
                    // SAFETY: each index of `tile` is one of `part`, so it has a line of the output and one of the operand. `self.to` is
                    // the pointer of an `Output`, and no line of the output is in two parts, so access is exclusive. If `to` is `true`,
                    // the output's lines are contiguous.
                    unsafe { self.tile(fft, tile, to, large, workspace) }
                }),
            });
        });
        if self.failed.load(Ordering::Relaxed) { Err(out_of_memory::<Complex<R>>(workspace)) } else { Ok(()) }
    }

    /// Returns whether the lines are transformed by module `columns`: there is a plan for their length, neighbouring lines are adjacent in
    /// the operand and in the output, and the processor has registers for them.
    #[cfg(target_arch = "x86_64")]
    fn are_columns(&self, axis: usize, shape: &[usize], strides: [&[isize]; 2]) -> bool {
        let n = self.n;
        let are_columns = |k: usize| {
            let lines = shape[k];
            k != axis
                && lines > 1
                && lines * n >= MIN_COLUMNS_LEN
                && strides.iter().all(|strides| strides[k] == 1)
                && (columns::has_radices(n)
                    || (lines * size_of::<Complex<R>>() >= chirp::MIN_ROW_BYTES && columns::has_plan(n))
                    || long_columns::are_long::<R>(n, lines))
        };
        Level::get() > Level::Portable
            && self.read == n
            && !matches!(self.from, From::Real(_))
            && (0..shape.len()).any(are_columns)
    }

    /// Transforms the lines of a part of the output by module `columns` or `long_columns`. Neighbouring lines must be adjacent.
    #[cfg(target_arch = "x86_64")]
    fn over_columns(&self, axis: usize, shape: &[usize], strides: [&[isize]; 2]) -> Result<(), Error> {
        let Pass { n, inverse, .. } = *self;
        let (from, streams) = match self.from {
            From::Complex(from) => (from, is_large::<Complex<R>>(lines_along(axis, shape), n)),
            _ => (self.to, false),
        };
        let pass = columns::AxisPass {
            from,
            from_stride: self.from_stride,
            to: self.to,
            to_stride: self.to_stride,
            factor: self.factor.unwrap_or_else(R::one),
            streams,
        };
        // Each index of `shape` has a line of `n` elements in the operand and in the output, which are the same elements in a pass in place.
        // `self.to` is the pointer of an `Output`, so access is exclusive. `are_columns` has checked the level and the strides.
        if long_columns::are_long::<R>(n, max_adjacent(axis, shape, strides)) {
            let plan = plans::long_columns(n, inverse)?;
            // SAFETY: see above.
            unsafe { plan.over_lines(pass, axis, shape, strides) }
        } else {
            let plan = plans::columns(n, inverse)?;
            // SAFETY: see above.
            unsafe { pass.over_lines(&plan, axis, shape, strides) }
        }
    }

    /// Transforms contiguous lines of the operand to contiguous lines of the output: directly, or in place after a copy if `copies`.
    ///
    /// # Safety
    /// The caller must ensure, for each index of `part`:
    /// * The output has a line of `n` contiguous elements, to which access is exclusive.
    /// * From `start` on, the operand has a line of `n` contiguous elements, which are readable.
    unsafe fn out_of_place(
        &self,
        fft: &dyn Fft<R>,
        part: &Plan<2>,
        start: HostPtr<Complex<R>>,
        copies: bool,
        scratch: &mut [Complex<R>],
    ) {
        self.calls(part, |[to, from], len| {
            let from = start.offset(from).get();
            // SAFETY: `calls` passes the offsets of adjacent lines of `part`, which have `len` elements in all. The caller ensures that the
            // lines of the operand may be read.
            let from = unsafe { core::slice::from_raw_parts(from, len) };
            let to = self.to.offset(to).get();
            // SAFETY: `calls` passes the offsets of adjacent lines of `part`, which have `len` elements in all. The caller ensures
            // exclusive access to the lines of the output, so they do not overlap those of the operand.
            let to = unsafe { core::slice::from_raw_parts_mut(to, len) };
            if copies {
                copy_elements(from, to);
                fft.process_with_scratch(to, scratch);
            } else {
                fft.process_immutable_with_scratch(from, to, scratch);
            }
            rescale(to, self.factor);
        });
    }

    /// Transforms contiguous lines of the output in place.
    ///
    /// # Safety
    /// The caller must ensure that for each index of `part`, the output has a line of `n` contiguous initialised elements, to which
    /// access is exclusive.
    unsafe fn in_place(&self, fft: &dyn Fft<R>, part: &Plan<2>, scratch: &mut [Complex<R>]) {
        self.calls(part, |[to, _], len| {
            let to = self.to.offset(to).get();
            // SAFETY: `calls` passes the offset of adjacent lines of `part`, which have `len` elements in all. The caller ensures that they
            // are initialised, and exclusive access to them.
            let to = unsafe { core::slice::from_raw_parts_mut(to, len) };
            fft.process_with_scratch(to, scratch);
            rescale(to, self.factor);
        });
    }

    /// Calls `f` for runs of adjacent lines, with the offsets of the first line and the number of elements of the run.
    fn calls(&self, part: &Plan<2>, mut f: impl FnMut([isize; 2], usize)) {
        let n = self.n;
        let (lines, [to, from]) = (part.inner_len(), part.inner_strides());
        let adjacent = [to, from].iter().all(|&step| step == n as isize);
        let per_call = if adjacent { lines_per_call(n) } else { 1 };
        let mut walk = Odometer::outer(part);
        for _ in 0..part.outer_shape().iter().product() {
            let [o, a] = walk.offsets();
            walk.advance();
            for line in (0..lines).step_by(per_call) {
                let at = line as isize;
                f([o + at * to, a + at * from], per_call.min(lines - line) * n);
            }
        }
    }

    /// Transforms the lines of a tile, in the output if its lines are contiguous (`in_output`), otherwise in workspace. The copies from
    /// workspace use non-temporal stores if the output is `large`.
    ///
    /// # Safety
    /// The caller must ensure, for each index of `tile`:
    /// * The output has a line of `n` elements with stride `to_stride`, to which access is exclusive. It is contiguous if `in_output`.
    /// * The operand has a line of `read` elements with stride `from_stride`, which are readable.
    unsafe fn tile(
        &self,
        fft: &dyn Fft<R>,
        tile: &Plan<2>,
        in_output: bool,
        large: bool,
        workspace: &mut [Complex<R>],
    ) {
        let n = self.n;
        let output = Place::of(tile, 0, self.to_stride);
        let operand = Place::of(tile, 1, self.from_stride);
        let (lines, scratch) = workspace.split_at_mut(if in_output { 0 } else { tile.len() * pitch(n) });
        let (start, place) = match in_output {
            true => (self.to, Place::of(tile, 0, 1)),
            false => (HostPtr::new(lines.as_mut_ptr()), Place::packed(tile, pitch(n))),
        };
        if self.read < n || matches!(self.from, From::Real(_)) {
            for_each_line(tile, [&place], |[line]| {
                // SAFETY: `line` is the offset of a line of `n` contiguous elements. The line is in the output, to which the caller ensures
                // exclusive access, or in the workspace, which is borrowed exclusively.
                unsafe { start.offset(line).get().write_bytes(0, n) };
            });
        }
        match self.from {
            // SAFETY: the source is `read` elements of each line of the operand, which the caller ensures may be read. The target is the
            // first `read` elements of each line of the output or of the workspace. Access to the target is exclusive, and its lines do not
            // overlap.
            From::Complex(from) => unsafe {
                copy_lines(tile, self.read, false, (start, &place), (from, &operand))
            },
            // SAFETY: the source is the lines of the output, to which the caller ensures exclusive access. They are not contiguous, because
            // `over_lines` transforms contiguous lines in place. So the target is the lines of the workspace, which do not overlap.
            From::Output => unsafe { copy_lines(tile, n, false, (start, &place), (self.to, &output)) },
            From::Real(from) => {
                let to = HostPtr::new(start.get().cast::<R>());
                // SAFETY: the caller ensures that `read` elements of each line of the operand may be read. A complex number is two adjacent
                // real numbers, so `doubled` addresses the real parts of the target. Access to the target is exclusive, and its lines do
                // not overlap.
                unsafe { copy_lines(tile, self.read, false, (to, &place.doubled()), (from, &operand)) }
            }
        }
        if !in_output && pitch(n) == n {
            // One call for each run, that is, for the lines of one innermost loop, and not for the whole tile. rustfft transforms short
            // lines in pairs, and the bits of a line's result depend on whether it is in a pair. A call for the whole tile would pair the
            // last line of a run with the first line of the next run. But which runs are in a tile depends on the number of threads, and
            // the bits must not depend on it.
            for run in lines.chunks_mut(tile.inner_len() * n) {
                fft.process_with_scratch(run, scratch);
                rescale(run, self.factor);
            }
        } else {
            for_each_line(tile, [&place], |[line]| {
                let line = start.offset(line).get();
                // SAFETY: the code above wrote the `n` contiguous elements of this line. The line is in the output, to which the caller
                // ensures exclusive access, or in the workspace, which is borrowed exclusively.
                let line = unsafe { core::slice::from_raw_parts_mut(line, n) };
                fft.process_with_scratch(line, scratch);
                rescale(line, self.factor);
            });
        }
        if !in_output {
            // SAFETY: the source is the lines of the workspace, which were written. The target is the lines of the output, to which the
            // caller ensures exclusive access.
            unsafe { copy_lines(tile, n, large, (self.to, &output), (start, &place)) };
        }
    }
}
