//! Transforms adjacent lines without copies, on x86-64: elements with the same index in neighbouring lines are adjacent in memory, as in
//! the columns of a row-major matrix, and a SIMD register holds such elements of several lines. rustfft transforms contiguous lines only.
//!
//! ```text
//! for each block of up to MAX_BLOCK_LINES lines, whose rows have the elements with the same index
//!     first pass: read groups of distant rows of the operand, transform each group by the first radix,
//!         write its results to adjacent rows of the workspace, in digit-reversed order of the groups
//!     further passes, each for a radix r and the product s of the radices before it, in each chunk of the workspace as long as
//!     the groups are within it, then in all of the workspace:
//!         for groups of r rows of the workspace that are s rows apart
//!             multiply them by twiddle factors, transform them by the radix
//!             write the results to the same rows, or in the last pass to the output
//! ```
//!
//! This is the algorithm of Cooley and Tukey, *An algorithm for the machine calculation of complex Fourier series*, Math. Comp. 19 (1965),
//! with decimation in time, for lengths whose prime factors are at most [`MAX_RADIX`].

use super::lines::{LINE_GRAIN, TransformLines};
use super::plans::{Real, cached};
use super::radix::{Eight, Large, MAX_ODD, MAX_RADIX, Odd, Radix, TOGETHER, Turn, factors, radices, root};
use super::rows::{WorkspaceRows, has_registers, run_kernel};
use crate::device::cpu::memory::stream::{fence, stream_piece};
use crate::element::Element;
use crate::error::Error;
use crate::simd::vector::{FloatVector, SimdKernel};
use core::mem::MaybeUninit;
use core::ops::Range;
use num_complex::Complex;
use num_traits::One;
use std::sync::Arc;

/// Maximum number of lines that are transformed together. Longer pieces of rows are read faster from memory, and need more workspace.
const MAX_BLOCK_LINES: usize = 32;
/// Maximum number of complex numbers of the workspace.
const MAX_WORKSPACE_LEN: usize = 1 << 20;
/// Maximum length of a line. The workspace for longer lines exceeds the caches.
const MAX_LEN: usize = 1 << 16;
/// The passes that transform groups within a chunk of this size, in bytes, are made for each chunk before those for the next chunk, so that
/// the chunk stays in L2. Without chunks, each pass over long lines reads the workspace from L3 or memory.
const CHUNK_BYTES: usize = 1 << 18;
/// Minimum number of elements of adjacent lines. For fewer, a call takes longer than the transform.
const MIN_ADJACENT_LEN: usize = 64;

/// A pass transforms groups of `radix` elements that are `span` elements apart.
#[derive(Debug)]
struct RadixPass<R> {
    radix: usize,
    span: usize,
    /// The cosines and sines of the angles 2πk/`radix` for `k` below `radix`.
    roots: Vec<Complex<R>>,
    /// The factors of [`Large`] if the radix is greater than [`MAX_ODD`], otherwise empty.
    factors: Vec<[Complex<R>; TOGETHER]>,
    /// For all passes but the first, `radix - 1` twiddle factors for each index below `span`.
    twiddles: Vec<Complex<R>>,
}

/// The plan of transforms of `n` elements by passes, whose radices are the factors of `n`.
#[derive(Debug)]
pub(super) struct ColumnPlan<R> {
    n: usize,
    inverse: bool,
    passes: Vec<RadixPass<R>>,
    /// For each group of the first pass, the index of its first element.
    first: Vec<usize>,
}

/// Returns whether there is a plan for lines of `n` elements.
pub(super) fn has_plan(n: usize) -> bool {
    (2..=MAX_LEN).contains(&n) && radices(n, |_| {}) == 1
}

/// Returns whether `lines` are transformed as adjacent lines, with `n` elements in the longer one of operand and output: neighbouring lines
/// are adjacent in both, they are not tiny, and the processor has registers for them.
pub(super) fn are_adjacent<R: Real, A: Element, B: Element>(
    lines: &TransformLines<'_, A, B>,
    n: usize,
) -> bool {
    let adjacent = lines.adjacent();
    has_registers::<R>() && adjacent > 1 && adjacent * n >= MIN_ADJACENT_LEN
}

impl<R: Real> ColumnPlan<R> {
    /// Returns the plan. There must be one: see [`has_plan`].
    pub(super) fn new(n: usize, inverse: bool) -> ColumnPlan<R> {
        let mut all = Vec::new();
        radices(n, |radix| all.push(radix));
        all.reverse();
        let (mut span, mut passes) = (1, Vec::new());
        for &radix in &all {
            let powers = (0..span).flat_map(|k| (1..radix).map(move |j| k * j));
            let twiddles = powers.map(|power| root(power, span * radix));
            let twiddles = twiddles.map(|factor: Complex<R>| if inverse { factor } else { factor.conj() });
            passes.push(RadixPass {
                radix,
                span,
                roots: (0..radix).map(|k| root(k, radix)).collect(),
                factors: if radix > MAX_ODD { factors(radix) } else { Vec::new() },
                twiddles: if span > 1 { twiddles.collect() } else { Vec::new() },
            });
            span *= radix;
        }
        let groups = n / all[0];
        let first = |mut group: usize| {
            let (mut apart, mut index) = (groups, 0);
            for radix in &all[1..] {
                apart /= radix;
                index += group % radix * apart;
                group /= radix;
            }
            index
        };
        ColumnPlan { n, inverse, passes, first: (0..groups).map(first).collect() }
    }
}

impl<R> ColumnPlan<R> {
    /// Returns the number of lines that are transformed together, of `lines` lines.
    pub(super) fn block_lines(&self, lines: usize) -> usize {
        lines.min((MAX_WORKSPACE_LEN / self.n).min(MAX_BLOCK_LINES) / LINE_GRAIN * LINE_GRAIN)
    }

    /// Returns the number of complex numbers of the workspace for blocks of `lines` lines.
    pub(super) fn workspace(&self, lines: usize) -> usize {
        self.n * lines.next_multiple_of(LINE_GRAIN)
    }
}

/// Transforms lines of `n` elements, for which there must be a plan, and which [`are_adjacent`].
///
/// # Errors
/// [`Error::OutOfMemory`] if an allocation fails. The output then has unspecified elements.
///
/// # Safety
/// The caller must ensure, for each index of `lines.shape`:
/// * The operand has a line of `n` elements, which may be read.
/// * The output has a line of `n` elements, to which access is exclusive.
pub(super) unsafe fn transform<R: Real>(
    lines: &TransformLines<'_, Complex<R>, Complex<R>>,
    n: usize,
    inverse: bool,
    factor: Option<R>,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    let plan = &*cached::<R, _>(n, inverse, || Arc::new(ColumnPlan::<R>::new(n, inverse)))?;
    let block_lines = plan.block_lines(lines.adjacent());
    let [to_stride, from_stride] = lines.line_strides();
    let streams = lines.are_streamed(n);
    let len = plan.workspace(block_lines);
    lines.over_blocks(
        block_lines,
        n * size_of::<Complex<R>>(),
        len,
        &|[to, from], lines_of_block, workspace| {
            let block = ColumnBlock {
                plan,
                from: lines.from.offset(from).get(),
                from_stride,
                to: lines.to.offset(to).get(),
                to_stride,
                lines: lines_of_block,
                factor,
                streams,
                workspace,
            };
            // SAFETY: these are some of the lines, for which the caller ensures the conditions. No line of the output is in two blocks.
            unsafe { block.transform() };
        },
    )
}

/// A block of adjacent lines. `from` and `to` are the addresses of the first element of the first line, in the operand and in the output.
/// Elements of a line are `from_stride` and `to_stride` elements apart; the next line begins at the next element.
pub(super) struct ColumnBlock<'a, R> {
    pub(super) plan: &'a ColumnPlan<R>,
    pub(super) from: *const Complex<R>,
    pub(super) from_stride: isize,
    pub(super) to: *mut Complex<R>,
    pub(super) to_stride: isize,
    /// The number of lines, not 0.
    pub(super) lines: usize,
    /// The results are multiplied by this factor.
    pub(super) factor: Option<R>,
    /// Whether the output is written with non-temporal stores.
    pub(super) streams: bool,
    /// Has at least the length [`ColumnPlan::workspace`] for these lines.
    pub(super) workspace: &'a mut [Complex<R>],
}

impl<R: Real> ColumnBlock<'_, R> {
    /// Transforms the lines by the instruction set that [`run_kernel`] selects.
    ///
    /// # Panics
    /// Unless [`has_registers`], or if the workspace is too short.
    ///
    /// # Safety
    /// The caller must ensure that the elements of the lines of the operand may be read, and exclusive access to those of the output. The
    /// operand and the output overlap only if they are the same elements.
    pub(super) unsafe fn transform(self) {
        assert!(self.workspace.len() >= self.plan.workspace(self.lines));
        // SAFETY: the caller ensures the conditions.
        unsafe { run_kernel::<R>(self.lines, self) }
    }
}

impl<V: FloatVector> SimdKernel<V> for ColumnBlock<'_, V::Real>
where
    V::Real: Real,
{
    /// Transforms the lines.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, the conditions of [`ColumnBlock::transform`], and that the workspace has
    /// the length of [`ColumnPlan::workspace`].
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller ensures that the processor has the instruction set.
        let zero = unsafe { V::zero() };
        let (plan, reals) = (self.plan, 2 * self.lines);
        // `LINE_GRAIN` lines fill a whole number of registers, so the rows of the workspace have room for all lanes.
        let pitch = reals.next_multiple_of(V::LANES);
        let workspace = WorkspaceRows::new(zero, self.workspace.as_mut_ptr().cast(), pitch as isize, pitch);
        let to = WorkspaceRows::new(zero, self.to.cast(), 2 * self.to_stride, reals);
        let kernel = ColumnKernel {
            plan,
            from: WorkspaceRows::new(zero, self.from.cast_mut().cast(), 2 * self.from_stride, reals),
            to: if self.streams { workspace } else { to },
            workspace,
            zero,
            turn: Turn::new(zero, plan.inverse),
            factor: zero.splat(self.factor.unwrap_or_else(V::Real::one)),
            scales: self.factor.is_some(),
        };
        let ColumnPlan { n, ref passes, .. } = *plan;
        let row_bytes = pitch * size_of::<V::Real>();
        // The number of passes whose groups are within a chunk, and the number of rows of a chunk.
        let fit = passes.iter().take_while(|pass| pass.span * pass.radix * row_bytes <= CHUNK_BYTES).count();
        let rows = passes[fit - 1].span * passes[fit - 1].radix;
        for start in (0..n).step_by(rows) {
            for k in 0..fit {
                // SAFETY: the caller ensures access to the rows of the operand and of the output. The workspace has `n` rows of `pitch`
                // numbers, and is borrowed exclusively. `rows` is the product of the first radices, so it divides `n`, and the bounds are
                // multiples of the span times the radix of the pass. If there are several chunks, the last pass, which may write the
                // operand, is not among these.
                unsafe { kernel.pass(k, start..start + rows) };
            }
        }
        for k in fit..passes.len() {
            // SAFETY: as above: each span times its radix divides `n`, and all parts of the first pass have read the operand.
            unsafe { kernel.pass(k, 0..n) };
        }
        if self.streams {
            for row in 0..plan.n {
                let bytes = reals * size_of::<V::Real>();
                // SAFETY: these are rows of the workspace and of the output, with `reals` numbers each. The caller ensures exclusive access
                // to the output. `fence` is called below.
                unsafe { stream_piece(workspace.at(row).cast(), to.at(row).cast(), bytes, None) };
            }
            fence();
        }
    }
}

/// A block with the registers of `V`. The operand, the output and the workspace have a row for each of the `n` elements of a line.
struct ColumnKernel<'a, V: FloatVector> {
    plan: &'a ColumnPlan<V::Real>,
    from: WorkspaceRows<V>,
    /// The target of the last pass.
    to: WorkspaceRows<V>,
    workspace: WorkspaceRows<V>,
    zero: V,
    turn: Turn<V>,
    /// The results are multiplied by it if `scales`.
    factor: V,
    scales: bool,
}

impl<V: FloatVector> ColumnKernel<'_, V> {
    /// Computes the part of pass `k` that writes `rows`.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, that the rows of the operand may be read, and exclusive access to
    /// those of the output and the workspace. `rows` must be within the `n` rows, with bounds that are multiples of the span times the radix
    /// of the pass. Rows of the operand and the output overlap only if they are the same rows.
    #[inline(always)]
    unsafe fn pass(&self, k: usize, rows: Range<usize>) {
        let RadixPass { radix, ref roots, ref factors, .. } = self.plan.passes[k];
        macro_rules! groups {
            ($($radices:pat => $N:tt: $radix:expr;)*) => {
                match radix {
                    // SAFETY: in each arm, this is the radix of the pass, with its factors. The caller ensures the other conditions.
                    $($radices => unsafe { self.groups::<$N>($radix, k, rows) },)*
                }
            };
        }
        groups! {
            2 => 2: self.turn;
            3 => 3: Odd::new(self.turn, roots);
            4 => 4: self.turn;
            5 => 5: Odd::new(self.turn, roots);
            7 => 7: Odd::new(self.turn, roots);
            8 => 8: Eight::new(self.turn, roots);
            11 => 11: Odd::new(self.turn, roots);
            13 => 13: Odd::new(self.turn, roots);
            _ => MAX_RADIX: Large { turn: self.turn, len: radix, factors };
        }
    }

    /// Computes the part of pass `k`, whose radix is `radix`, that writes `rows`.
    ///
    /// # Safety
    /// The conditions of [`pass`](Self::pass), and the caller must ensure that `radix` is that of the pass.
    #[inline(always)]
    unsafe fn groups<const N: usize>(&self, radix: impl Radix<V, N>, k: usize, rows: Range<usize>) {
        let ColumnPlan { passes, first, .. } = self.plan;
        let RadixPass { span, ref twiddles, .. } = passes[k];
        let (len, is_last) = (radix.len(), k + 1 == passes.len());
        let to = if is_last { self.to } else { self.workspace };
        let scales = is_last && self.scales;
        if k == 0 {
            for row in rows.step_by(len) {
                let (from, to) = ((self.from, first[row / len], first.len()), (to, row, 1));
                // SAFETY: `first` has each index below the number of groups once. So the groups read and write each of the `n` rows once.
                // The caller ensures access to them. If this is the last pass too, there is one group, which reads and writes all rows
                // in the same order.
                unsafe { self.group::<N, false>(&radix, from, to, &[], scales) };
            }
            return;
        }
        for start in rows.step_by(span * len) {
            for (row, twiddles) in (start..start + span).zip(twiddles.chunks_exact(len - 1)) {
                let (from, to) = ((self.workspace, row, span), (to, row, span));
                // SAFETY: `span * len` divides `n`, so these are some of the `n` rows, to which the caller ensures access. Each row is in
                // one group.
                unsafe { self.group::<N, true>(&radix, from, to, twiddles, scales) };
            }
        }
    }

    /// Transforms a group of rows by `radix`. `from` and `to` are the rows, the index of the first one, and the number of rows to the next
    /// one. Multiplies all rows but the first by `twiddles` if `TWIDDLED`, and the results by the factor if `scales`.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, that these rows of `from` may be read, and exclusive access to
    /// these rows of `to`. If some of them overlap, they must be the same rows in the same order.
    #[inline(always)]
    unsafe fn group<const N: usize, const TWIDDLED: bool>(
        &self,
        radix: &impl Radix<V, N>,
        (from, row, apart): (WorkspaceRows<V>, usize, usize),
        (to, to_row, to_apart): (WorkspaceRows<V>, usize, usize),
        twiddles: &[Complex<V::Real>],
        scales: bool,
    ) {
        for register in 0..self.from.registers {
            let mut x = [const { MaybeUninit::<V>::uninit() }; N];
            for (j, number) in x[..radix.len()].iter_mut().enumerate() {
                // SAFETY: the caller ensures that the row may be read. All rows have this register.
                let number = number.write(unsafe { from.load(row + j * apart, register) });
                if TWIDDLED && j > 0 {
                    let Complex { re, im } = twiddles[j - 1];
                    let turned = number.swap_pairs().mul(self.zero.splat(im));
                    *number = number.mul_sub_add(self.zero.splat(re), turned);
                }
            }
            // SAFETY: the loop has written these.
            let x = unsafe { x[..radix.len()].assume_init_mut() };
            radix.transform(x);
            for (j, &x) in x.iter().enumerate() {
                let x = if scales { x.mul(self.factor) } else { x };
                // SAFETY: the caller ensures exclusive access to the row. All rows have this register.
                unsafe { to.store(to_row + j * to_apart, register, x) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_by_length() {
        for n in [0, 1, 103, 10 * 211, 2 * MAX_LEN] {
            assert!(!has_plan(n), "{n}");
        }
        for n in (2..=1200).chain([16_384, 29_400, MAX_LEN]).filter(|&n| has_plan(n)) {
            let plan = ColumnPlan::<f64>::new(n, false);
            assert_eq!(plan.passes.iter().map(|pass| pass.radix).product::<usize>(), n);
            let lines = plan.block_lines(1000);
            assert!(lines > 0 && lines.is_multiple_of(LINE_GRAIN) && n * lines <= MAX_WORKSPACE_LEN, "{n}");
            let mut first = plan.first.clone();
            first.sort();
            assert!(first.into_iter().eq(0..n / plan.passes[0].radix));
        }
    }
}
