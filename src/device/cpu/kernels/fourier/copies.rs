//! Transforms lines by the crates rustfft and realfft, which need contiguous lines, and overwrite their input.
//!
//! ```text
//! split the lines between threads
//!     complex lines that are contiguous in the operand and in the output:
//!         transform several at a time                                     (direct)
//!     otherwise, for each tile of a few lines                             (tile)
//!         copy it to contiguous lines in workspace
//!         transform each line, to the output if its lines are contiguous, otherwise to workspace
//!         copy the results to the output if they are in workspace
//! ```
//!
//! rustfft transforms two short lines at once, and the bits of the results depend on which two. So lines are split between threads and
//! calls at multiples of [`LINE_GRAIN`], and the same two lines are transformed together for any number of threads.

use super::lines::{LINE_GRAIN, LinePlace, TransformLines, copy_lines, for_each_line, rescale, tiles};
use super::plans::Real;
use super::workspace::{check_workspace, out_of_memory, with_workspace};
use crate::device::cpu::HostPtr;
use crate::device::cpu::memory::scratch::Side;
use crate::device::cpu::memory::stream::copy_elements;
use crate::element::Element;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use core::ops::RangeInclusive;
use core::sync::atomic::{AtomicBool, Ordering};
use num_complex::Complex;
use realfft::{ComplexToReal, RealToComplex};
use rustfft::Fft;

/// Number of lines in a tile, unless the lines are short or long. A line has the elements along the transformed axis. The lines of a tile
/// are copied and transformed together.
const TILE_LINES: usize = 32;
/// Number of elements in a tile of short lines. Each copy of a tile is planned, and reads runs of adjacent elements, one for each index
/// along the lines.
const MIN_TILE_LEN: usize = 8192;
/// Size of a tile of long lines, in bytes. It fits in L2.
const MAX_TILE_BYTES: usize = 1 << 20;
/// Minimum number of lines in a tile, even if the lines are long and the tile exceeds L2. If the elements with the same index in 16 lines
/// are adjacent, they are in four or more cache lines, and each of these is loaded only once.
const MIN_TILE_LINES: usize = 16;
/// Number of elements between the end of a line in workspace and the next line. Without this gap, the lines of a tile would map to the
/// same cache sets if their length is a power of two.
const LINE_GAP: usize = 6;
/// Maximum length of complex lines that have no gap after them in workspace, so that one call of rustfft transforms many lines of a tile. The
/// overhead of a call is about the time of transforming eight elements.
const MAX_ADJACENT_LEN: usize = 64;
/// Maximum number of elements that one call of rustfft transforms, unless a single line has more. The results of a call are then still in
/// cache when they are scaled after the call.
const CALL_LEN: usize = 1 << 14;
/// Size of contiguous lines, in bytes, that are copied to a large output and transformed there. Otherwise, rustfft transforms the lines
/// from the operand to the output, which is slower for these, because it writes the output more than once.
const COPIED_LINE_BYTES: RangeInclusive<usize> = 2 << 10..=1 << 20;

/// The transform of one line.
pub(super) trait LineTransform: Sync {
    type From: Element;
    type To: Element;
    /// The type of the scratch buffer.
    type Scratch: Element;
    /// Whether lines have the same length in the input and the output, [`run`](Self::run) transforms several adjacent lines, too, and
    /// [`direct`](Self::direct) is implemented.
    const SEVERAL: bool = false;
    /// Returns the number of elements of the input, of the output, and of the scratch buffer.
    fn lens(&self) -> [usize; 3];
    /// Transforms a line. The input is overwritten.
    fn run(&self, from: &mut [Self::From], to: &mut [Self::To], scratch: &mut [Self::Scratch]);
    /// Transforms contiguous lines without another buffer. If `large`, the output does not fit in the caches.
    fn direct(&self, _: &[Self::From], _: &mut [Self::To], _large: bool, _: &mut [Self::Scratch]) {
        unreachable!("it is called only if it is implemented")
    }
}

/// Transforms complex lines.
pub(super) struct ToComplex<'a, R> {
    pub(super) plan: &'a dyn Fft<R>,
    pub(super) factor: Option<R>,
}

impl<R: Real> LineTransform for ToComplex<'_, R>
where
    Complex<R>: Element,
{
    type From = Complex<R>;
    type To = Complex<R>;
    type Scratch = Complex<R>;
    const SEVERAL: bool = true;
    fn lens(&self) -> [usize; 3] {
        let plan = self.plan;
        let scratch = [
            plan.get_outofplace_scratch_len(),
            plan.get_immutable_scratch_len(),
            plan.get_inplace_scratch_len(),
        ];
        [plan.len(), plan.len(), scratch.into_iter().fold(0, usize::max)]
    }
    fn run(&self, from: &mut [Complex<R>], to: &mut [Complex<R>], scratch: &mut [Complex<R>]) {
        self.plan.process_outofplace_with_scratch(from, to, scratch);
        rescale(to, self.factor);
    }
    fn direct(&self, from: &[Complex<R>], to: &mut [Complex<R>], large: bool, scratch: &mut [Complex<R>]) {
        if large && COPIED_LINE_BYTES.contains(&(self.plan.len() * size_of::<Complex<R>>())) {
            copy_elements(from, to);
            self.plan.process_with_scratch(to, scratch);
        } else {
            self.plan.process_immutable_with_scratch(from, to, scratch);
        }
        rescale(to, self.factor);
    }
}

/// Transforms real lines to spectra: the first `n / 2 + 1` elements or, if `whole`, all `n`.
pub(super) struct ToSpectrum<'a, R> {
    pub(super) plan: &'a dyn RealToComplex<R>,
    pub(super) factor: Option<R>,
    pub(super) whole: bool,
    /// Whether this is the inverse transform. Its results are conjugate.
    pub(super) inverse: bool,
}

impl<R: Real> LineTransform for ToSpectrum<'_, R>
where
    Complex<R>: Element,
{
    type From = R;
    type To = Complex<R>;
    type Scratch = Complex<R>;
    fn lens(&self) -> [usize; 3] {
        let n = self.plan.len();
        [n, if self.whole { n } else { n / 2 + 1 }, self.plan.get_scratch_len()]
    }
    fn run(&self, from: &mut [R], to: &mut [Complex<R>], scratch: &mut [Complex<R>]) {
        let n = from.len();
        let half = &mut to[..n / 2 + 1];
        self.plan
            .process_with_scratch(from, half, scratch)
            .expect("the buffers have the lengths of the plan");
        rescale(half, self.factor);
        if self.whole {
            for k in 1..n.div_ceil(2) {
                (to[k], to[n - k]) = if self.inverse { (to[k].conj(), to[k]) } else { (to[k], to[k].conj()) };
            }
        }
    }
}

/// Transforms the first `n / 2 + 1` elements of spectra to real lines.
pub(super) struct ToReal<'a, R> {
    pub(super) plan: &'a dyn ComplexToReal<R>,
    pub(super) factor: Option<R>,
}

impl<R: Real> LineTransform for ToReal<'_, R>
where
    Complex<R>: Element,
{
    type From = Complex<R>;
    type To = R;
    type Scratch = Complex<R>;
    fn lens(&self) -> [usize; 3] {
        [self.plan.len() / 2 + 1, self.plan.len(), self.plan.get_scratch_len()]
    }
    fn run(&self, from: &mut [Complex<R>], to: &mut [R], scratch: &mut [Complex<R>]) {
        // The transform of real numbers is real at frequency 0 and, if the length is even, at the highest frequency. As in NumPy, the
        // imaginary parts at these frequencies are ignored. realfft would return an error if they are not zero.
        from[0].im = R::zero();
        if to.len().is_multiple_of(2) {
            from[to.len() / 2].im = R::zero();
        }
        self.plan.process_with_scratch(from, to, scratch).expect("the buffers have the lengths of the plan");
        rescale(to, self.factor);
    }
}

/// Returns the number of elements from the beginning of a line of `n` elements in workspace to the beginning of the next line.
fn pitch<L: LineTransform>(n: usize) -> usize {
    if L::SEVERAL && n <= MAX_ADJACENT_LEN { n } else { n + LINE_GAP }
}

/// Returns the number of lines in a tile, for lines of `n` elements of `bytes` bytes. `all` is the number of all lines.
fn lines_per_tile(n: usize, bytes: usize, all: usize) -> usize {
    let short = (MIN_TILE_LEN / n.max(1)).max(TILE_LINES);
    short.min((MAX_TILE_BYTES / (n * bytes).max(1) / LINE_GRAIN * LINE_GRAIN).max(MIN_TILE_LINES)).min(all)
}

/// Transforms the lines.
///
/// # Errors
/// [`Error::OutOfMemory`] if workspace cannot be allocated. The output then has unspecified elements.
///
/// # Safety
/// The caller must ensure, for each index of `lines.shape`:
/// * The operand has a line of `lines.read` elements, which may be read.
/// * The output has a line with the length that `transform` writes, to which access is exclusive.
pub(super) unsafe fn transform<L: LineTransform>(
    transform: &L,
    lines: &TransformLines<'_, L::From, L::To>,
) -> Result<(), Error> {
    let [from, to, scratch] = transform.lens();
    let [to_stride, from_stride] = lines.line_strides();
    let contiguous_input = from_stride == 1 || lines.read == 1;
    let in_output = to_stride == 1 || to == 1;
    let is_direct = L::SEVERAL && contiguous_input && in_output && lines.read == from && !lines.in_place;
    let count = lines_per_tile(from, size_of::<L::From>(), lines.count());
    let lens = [
        if is_direct {
            0
        } else if contiguous_input {
            from
        } else {
            count * pitch::<L>(from)
        },
        if in_output { 0 } else { count * pitch::<L>(to) },
        scratch,
    ];
    let sizes = [size_of::<L::From>(), size_of::<L::To>(), size_of::<L::Scratch>()];
    let needed: usize =
        lens.iter().zip(sizes).map(|(&len, size)| len.saturating_mul(size)).fold(0, usize::saturating_add);
    let all = |_| out_of_memory::<u8>(needed);
    check_workspace::<L::From>(lens[0]).map_err(all)?;
    check_workspace::<L::To>(lens[1]).map_err(all)?;
    check_workspace::<L::Scratch>(lens[2]).map_err(all)?;
    let per_call = (CALL_LEN / from / LINE_GRAIN * LINE_GRAIN).max(1);
    // Calls for single lines are split at any line: tiles of few lines between two threads.
    let grain = match (contiguous_input && in_output, pitch::<L>(from) == from) {
        (true, _) => per_call,
        (false, true) => LINE_GRAIN,
        (false, false) => count.div_ceil(2),
    };
    let pass = CopyPass {
        transform,
        lens: [from, to],
        lines,
        contiguous_input,
        in_output,
        large: lines.are_streamed(to),
    };
    let failed = AtomicBool::new(false);
    let bytes = from * size_of::<L::From>();
    lines.over_parts(&lines.plan(), bytes, grain.min(LINE_GRAIN), &|part| {
        with_workspace(Side::A, lens[0], &failed, |inputs: &mut [L::From]| {
            with_workspace(Side::B, lens[1], &failed, |outputs: &mut [L::To]| {
                with_workspace(Side::Sums, lens[2], &failed, |scratch: &mut [L::Scratch]| {
                    if is_direct {
                        // SAFETY: `part` has only indices of `lines.shape`, and the lines are contiguous. The caller ensures the other
                        // conditions. No line of the output is in two parts.
                        unsafe { pass.direct(part, per_call, scratch) }
                        return;
                    }
                    tiles(part, count, &mut |tile| {
                        // SAFETY: `tile` has only indices of `lines.shape`. The caller ensures the conditions. `over_parts` and `tiles`
                        // visit each index once, so access to each line of the output is exclusive.
                        unsafe { pass.tile(tile, inputs, outputs, scratch) }
                    });
                });
            });
        });
    });
    if failed.load(Ordering::Relaxed) { Err(out_of_memory::<u8>(needed)) } else { Ok(()) }
}

/// The parameters of a pass, which all threads share.
struct CopyPass<'a, L: LineTransform> {
    transform: &'a L,
    /// The lengths of a line of the input and of the output.
    lens: [usize; 2],
    lines: &'a TransformLines<'a, L::From, L::To>,
    /// Whether the lines of the operand are contiguous. If so, each line is copied just before its transform, and the copy is still in
    /// cache when the transform reads it. Otherwise, all lines of a tile are copied first.
    contiguous_input: bool,
    /// Whether the lines of the output are contiguous. If so, transforms write to them directly.
    in_output: bool,
    /// Whether the output does not fit in the caches.
    large: bool,
}

impl<L: LineTransform> CopyPass<'_, L> {
    /// Transforms contiguous lines, at most `per_call` at a time.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`transform`] for each index of `part`, that the lines are contiguous, and that the operand
    /// and the output do not overlap.
    unsafe fn direct(&self, part: &Plan<2>, per_call: usize, scratch: &mut [L::Scratch]) {
        let n = self.lens[0];
        let (lines, [to, from]) = (part.inner_len(), part.inner_strides());
        let together = if [to, from].iter().all(|&step| step == n as isize) { per_call } else { 1 };
        let mut walk = Odometer::outer(part);
        for _ in 0..part.outer_shape().iter().product() {
            let [o, a] = walk.offsets();
            walk.advance();
            for line in (0..lines).step_by(together) {
                let (at, len) = (line as isize, together.min(lines - line) * n);
                let from = self.lines.from.offset(a + at * from).get();
                // SAFETY: these are lines of `part`, which have `len` elements in all. If there are several, they are adjacent. The caller
                // ensures that they may be read.
                let from = unsafe { core::slice::from_raw_parts(from, len) };
                let to = self.lines.to.offset(o + at * to).get();
                // SAFETY: as for the operand. The caller ensures exclusive access to the lines of the output.
                let to = unsafe { core::slice::from_raw_parts_mut(to, len) };
                self.transform.direct(from, to, self.large, scratch);
            }
        }
    }

    /// Transforms the lines of a tile.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`transform`] for each index of `tile`.
    unsafe fn tile(
        &self,
        tile: &Plan<2>,
        inputs: &mut [L::From],
        outputs: &mut [L::To],
        scratch: &mut [L::Scratch],
    ) {
        let ([from, to], [to_stride, from_stride]) = (self.lens, self.lines.line_strides());
        let read = self.lines.read;
        let packed = LinePlace::packed(tile, pitch::<L>(from));
        let operand = LinePlace::of(tile, 1, from_stride);
        let output = LinePlace::of(tile, 0, to_stride);
        let begin = HostPtr::new(inputs.as_mut_ptr());
        if !self.contiguous_input {
            // SAFETY: the source is `read` elements of each line of the operand. The caller ensures that they may be read. The target is
            // separate lines of the workspace `inputs`, which is borrowed exclusively and has space for all lines of a tile.
            unsafe { copy_lines(tile, read, false, (begin, &packed), (self.lines.from, &operand)) };
        }
        let (start, place) = match self.in_output {
            true => (self.lines.to, LinePlace::of(tile, 0, 1)),
            false => (HostPtr::new(outputs.as_mut_ptr()), LinePlace::packed(tile, pitch::<L>(to))),
        };
        let together = !self.contiguous_input && !self.in_output && pitch::<L>(from) == from;
        for_each_line(tile, [&place, &packed, &operand], |[line, packed, operand]| {
            let input = if self.contiguous_input {
                let operand = self.lines.from.offset(operand).get();
                // SAFETY: these are the `read` contiguous elements of a line of the operand. The caller ensures that they may be read. The
                // slice is not used after the copy, so it does not overlap a line of the output in a pass in place.
                let operand = unsafe { core::slice::from_raw_parts(operand, read) };
                inputs[..read].copy_from_slice(operand);
                &mut inputs[..from]
            } else {
                &mut inputs[packed as usize..][..from]
            };
            input[read..].fill(L::From::default());
            if together {
                return;
            }
            let line = start.offset(line).get();
            // SAFETY: `line` is the first of `to` contiguous elements. They are a line of the output, to which the caller ensures exclusive
            // access, or a line of the workspace `outputs`, which is borrowed exclusively. The elements of tensors and workspaces are
            // initialised.
            let line = unsafe { core::slice::from_raw_parts_mut(line, to) };
            self.transform.run(input, line, scratch);
        });
        if together {
            // One call for the lines of each innermost loop, and not for the whole tile: which loops are in a tile depends on the number of
            // threads, and the bits of a line's result on the lines of its call.
            let (len, run) = (tile.len() * from, tile.inner_len() * from);
            for (inputs, outputs) in inputs[..len].chunks_mut(run).zip(outputs.chunks_mut(run)) {
                self.transform.run(inputs, outputs, scratch);
            }
        }
        if !self.in_output {
            // SAFETY: the source is the lines of the workspace `outputs`, which were written above. The target is the lines of the output,
            // which do not overlap. The caller ensures exclusive access to them.
            unsafe { copy_lines(tile, to, self.large, (self.lines.to, &output), (start, &place)) };
        }
    }
}
