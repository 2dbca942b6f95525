//! Transforms adjacent lines without copies, on x86-64: elements with the same index in neighbouring lines are adjacent in memory, as in
//! the columns of a row-major matrix, and a SIMD register holds such elements of several lines. rustfft transforms contiguous lines only.
//!
//! ```text
//! for each block of up to MAX_BLOCK_LINES lines
//!     for each chunk of up to CHUNK_BYTES in workspace
//!         first pass: read the elements of the operand in digit-reversed order, transform groups of them
//!         further passes in the chunk: multiply by twiddle factors, transform groups of distant elements
//!     the other passes, in the whole workspace; the last pass writes to the output
//! ```
//!
//! This is the algorithm of Cooley and Tukey, *An algorithm for the machine calculation of complex Fourier series*, Math. Comp. 19 (1965),
//! with decimation in time, for lengths whose prime factors are at most 199. Modules [`chirp`] and `long_columns` transform lines of other
//! lengths by it.
//!
//! Compared with copies to contiguous lines, rustfft and copies back, transforms of `c64` on a Zen 5 take 0.25 times (100 × 200 along axis
//! 0) to 0.77 times (65536 × 16) as long with AVX-512, and 0.35 to 0.9 times with AVX2.

use super::radix::{self, Eight, MAX_ODD, MAX_PRIME, Number, Odd, Prime, PrimeOrder, Radix, Turn, root};
use super::{
    LINE_GRAIN, Real, adjacent_lines, check_workspace, chirp, max_adjacent, out_of_memory, over_lines,
    run_kernel, with_workspace,
};
use crate::device::cpu::HostPtr;
use crate::device::cpu::kernels::gemm::simd::{SimdKernel, Vector};
use crate::device::cpu::loops::stream::{fence, stream_piece};
use crate::device::cpu::memory::scratch::Side;
use crate::element::Element;
use crate::error::Error;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};
use num_complex::Complex;
use num_traits::One;

/// Maximum number of lines that are transformed together. Longer pieces of rows are read faster from memory, and need more workspace.
const MAX_BLOCK_LINES: usize = 32;
/// Blocks have a multiple of this number of lines, but for the last. It fills one of the widest registers of `f32`, or two of `f64`.
pub(super) const MIN_BLOCK_LINES: usize = 8;
/// Maximum length of a line. Module `long_columns` transforms longer ones: 4 lines of 262144 `c64` take 0.5 times as long as with one plan.
pub(super) const MAX_LEN: usize = 1 << 16;
/// Maximum number of complex numbers of the workspace; that of `real_columns` is up to five times as large. Transforms of 65536 elements
/// took up to 1.4 times as long with half this number.
const MAX_WORKSPACE_LEN: usize = 1 << 20;
/// Rows of workspace that have a multiple of this size, in bytes, are followed by an unused cache line if the registers are those of AVX2.
/// Without it, the rows of many groups have the same lowest 12 bits in their addresses, and 32 lines of 1000 `c64` took 1.1 times as long.
/// With AVX-512, they would take 1.03 times as long with it (Zen 5).
const CONFLICTING_BYTES: usize = 512;
/// The passes that transform groups within a chunk of this size, in bytes, are made for each chunk before those for the next chunk, so that
/// the chunk stays in cache.
const CHUNK_BYTES: usize = 1 << 18;
/// The first pass prefetches the operand this number of groups ahead. Groups are far apart, so the processor does not predict their
/// addresses.
const PREFETCHED_GROUPS: usize = 8;
pub(super) const CACHE_LINE_BYTES: usize = 64;

/// A pass transforms groups of `radix` elements that are `span` elements apart.
#[derive(Debug)]
struct Pass<R> {
    radix: usize,
    span: usize,
    /// The cosines and sines of the angles 2πk/`radix` for `k` below `radix`.
    roots: Vec<Complex<R>>,
    /// The order of the elements, if the radix is greater than [`MAX_ODD`].
    order: Option<PrimeOrder<R>>,
    /// For all passes but the first, `radix - 1` twiddle factors for each index below `span`.
    twiddles: Vec<Complex<R>>,
}

/// The plan of transforms of lines of a length.
#[derive(Debug)]
pub(in crate::device) enum Plan<R> {
    Radices(Radices<R>),
    /// For lengths with other prime factors than the radices.
    Chirp(chirp::Plan<R>),
}

/// The plan of transforms of `n` elements by passes, whose radices are the factors of `n`.
#[derive(Debug)]
pub(in crate::device) struct Radices<R> {
    n: usize,
    inverse: bool,
    passes: Vec<Pass<R>>,
    /// For each group of the first pass, the index of its first element.
    first: Vec<usize>,
}

/// Returns whether there is a plan for lines of `n` elements.
pub(super) fn has_plan(n: usize) -> bool {
    (2..=chirp::MAX_LEN).contains(&n) || has_radices(n)
}

/// Returns whether there is a plan by [`Radices`] for lines of `n` elements.
pub(super) fn has_radices(n: usize) -> bool {
    (2..=MAX_LEN).contains(&n) && radix::radices(n, |_| {}) == 1
}

impl<R: Real> Plan<R> {
    /// Returns the plan. There must be one: see [`has_plan`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if there is not enough memory for the plan's tables.
    pub(super) fn new(n: usize, inverse: bool) -> Result<Plan<R>, Error> {
        Ok(if has_radices(n) {
            Plan::Radices(Radices::new(n, inverse))
        } else {
            Plan::Chirp(chirp::Plan::new(n, inverse)?)
        })
    }
}

impl<R: Real> Radices<R> {
    pub(super) fn new(n: usize, inverse: bool) -> Radices<R> {
        let mut radices = Vec::new();
        radix::radices(n, |radix| radices.push(radix));
        radices.reverse();
        let (mut span, mut passes) = (1, Vec::new());
        for &radix in &radices {
            let powers = (0..span).flat_map(|k| (1..radix).map(move |j| k * j));
            let twiddles = powers.map(|power| root(power, span * radix));
            let twiddles = twiddles.map(|factor: Complex<R>| if inverse { factor } else { factor.conj() });
            passes.push(Pass {
                radix,
                span,
                roots: (0..radix).map(|k| root(k, radix)).collect(),
                order: (radix > MAX_ODD).then(|| PrimeOrder::new(radix)),
                twiddles: if span > 1 { twiddles.collect() } else { Vec::new() },
            });
            span *= radix;
        }
        let groups = n / radices[0];
        let first = |mut group: usize| {
            let (mut apart, mut index) = (groups, 0);
            for radix in &radices[1..] {
                apart /= radix;
                index += group % radix * apart;
                group /= radix;
            }
            index
        };
        Radices { n, inverse, passes, first: (0..groups).map(first).collect() }
    }
}

impl<R> Plan<R> {
    fn len(&self) -> usize {
        match self {
            Plan::Radices(plan) => plan.n,
            Plan::Chirp(plan) => plan.len(),
        }
    }

    /// Returns the number of lines that are transformed together, of `lines` lines.
    pub(super) fn block_lines(&self, lines: usize) -> usize {
        match self {
            Plan::Radices(plan) => plan.block_lines(lines),
            Plan::Chirp(plan) => plan.block_lines(lines),
        }
    }

    /// Returns the number of complex numbers of the workspace for `lines` lines.
    pub(super) fn workspace(&self, lines: usize) -> usize {
        match self {
            Plan::Radices(plan) => plan.workspace(lines),
            Plan::Chirp(plan) => plan.workspace(lines),
        }
    }
}

impl<R> Radices<R> {
    fn block_lines(&self, lines: usize) -> usize {
        let max = (MAX_WORKSPACE_LEN / self.n).min(MAX_BLOCK_LINES);
        lines.min(max / MIN_BLOCK_LINES * MIN_BLOCK_LINES)
    }

    pub(super) fn workspace(&self, lines: usize) -> usize {
        self.n
            * (self.block_lines(lines).next_multiple_of(MIN_BLOCK_LINES)
                + CACHE_LINE_BYTES / size_of::<Complex<R>>())
    }
}

/// Lines to transform. `from` and `to` are the addresses of the first element of the first line, in the operand and in the output. Elements
/// of a line are `from_stride` and `to_stride` elements apart; the next line begins at the next element.
pub(in crate::device) struct Lines<'a, R, P = Plan<R>> {
    pub(super) plan: &'a P,
    pub(super) from: *const Complex<R>,
    pub(super) from_stride: isize,
    pub(super) to: *mut Complex<R>,
    pub(super) to_stride: isize,
    /// The number of lines, not 0.
    pub(super) lines: usize,
    /// The results are multiplied by this factor.
    pub(super) factor: R,
    /// Whether the output is written with non-temporal stores.
    pub(super) streams: bool,
    /// Has at least the length [`Plan::workspace`] for these lines.
    pub(super) workspace: &'a mut [Complex<R>],
}

impl<'a, R> Lines<'a, R> {
    #[inline(always)]
    fn with_plan<P>(self, plan: &'a P) -> Lines<'a, R, P> {
        let Lines { from, from_stride, to, to_stride, lines, factor, streams, workspace, .. } = self;
        Lines { plan, from, from_stride, to, to_stride, lines, factor, streams, workspace }
    }

    /// Transforms the lines by the instruction set that [`run_kernel`] selects.
    ///
    /// # Panics
    /// At [`Level::Portable`](crate::simd::Level::Portable).
    ///
    /// # Safety
    /// The caller must ensure that the elements of the lines of the operand may be read, and exclusive access to those of the output. The
    /// operand and the output overlap only if they are the same elements.
    // Inlined, because a call is noticeable for few short lines: 32 lines of 64 `c64` took 1.03 to 1.09 times as long with it.
    #[inline(always)]
    pub(super) unsafe fn transform(self)
    where
        R: Real,
    {
        match self.plan {
            // SAFETY: the caller ensures the conditions.
            Plan::Radices(plan) => unsafe { run_kernel::<R>(self.lines, self.with_plan(plan)) },
            // SAFETY: the caller ensures the conditions.
            Plan::Chirp(plan) => unsafe { run_kernel::<R>(self.lines, self.with_plan(plan)) },
        }
    }
}

/// Rows of numbers: row `i` has the elements with index `i` of the lines of a block. `step` is the number of real numbers between the
/// beginnings of two rows.
#[derive(Clone, Copy)]
pub(super) struct Rows<R> {
    pub(super) start: *mut R,
    pub(super) step: isize,
    /// The number of registers that a row fills. If the row is longer, a mask selects its lanes in the next register.
    pub(super) full: usize,
}

impl<R: Copy> Rows<R> {
    #[inline(always)]
    pub(super) fn at(self, row: usize) -> *mut R {
        self.start.wrapping_offset(row as isize * self.step)
    }

    /// Reads a register of a row.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, and that the elements of the row may be read. All lanes of the
    /// first `full` registers must belong to the row, and of other registers the lanes that `mask` selects.
    #[inline(always)]
    pub(super) unsafe fn load<V: Vector<Real = R>>(self, row: usize, register: usize, mask: V::Mask) -> V {
        let address = self.at(row).wrapping_add(register * V::LANES);
        if register < self.full {
            // SAFETY: these lanes are a part of the row, which the caller ensures may be read.
            unsafe { V::load(address) }
        } else {
            // SAFETY: this is the rest of the row, which the caller ensures may be read; `mask` selects its lanes.
            unsafe { V::load_some(address, mask) }
        }
    }

    /// Writes a register of a row.
    ///
    /// # Safety
    /// The caller must ensure exclusive access to the elements of the row. All lanes of the first `full` registers must belong to the row,
    /// and of other registers the lanes that `mask` selects.
    #[inline(always)]
    pub(super) unsafe fn store<V: Vector<Real = R>>(
        self,
        row: usize,
        register: usize,
        mask: V::Mask,
        value: V,
    ) {
        let address = self.at(row).wrapping_add(register * V::LANES);
        if register < self.full {
            // SAFETY: these lanes are a part of the row, to which the caller ensures exclusive access.
            unsafe { value.store(address) }
        } else {
            // SAFETY: this is the rest of the row, to which the caller ensures exclusive access; `mask` selects its lanes.
            unsafe { value.store_some(address, mask) }
        }
    }
}

/// A block of lines. The operand, the output and the workspace have a row for each of the `n` elements of a line.
struct Block<'a, V: Vector> {
    plan: &'a Radices<V::Real>,
    from: Rows<V::Real>,
    to: Rows<V::Real>,
    workspace: Rows<V::Real>,
    /// Whether the results are written to the workspace only.
    streams: bool,
    turn: Turn<V>,
    /// The number of registers that hold the elements of a row.
    registers: usize,
    /// The lanes of the last register that belong to a row of the operand or the output.
    mask: V::Mask,
    /// The results are multiplied by it if `scales`.
    factor: V,
    scales: bool,
}

impl<V: Vector> Block<'_, V> {
    /// Transforms rows of `from` by `radix`, the first of which is `row`, and which are `apart` rows apart. Multiplies all but the first by
    /// `twiddles` if `TWIDDLED`. Writes the results to rows `to_row`, `to_row + to_apart` and so on of `to`, multiplied by
    /// `factor` if `scales`. Transforms as many registers together as a number of type `X` has.
    ///
    /// # Safety
    /// The caller must ensure that these rows of `from` may be read, and exclusive access to these rows of `to`. If some of them overlap,
    /// they must be the same rows in the same order.
    #[inline(always)]
    unsafe fn group<X: Number<V>, const N: usize, const TWIDDLED: bool>(
        &self,
        radix: impl Radix<X, N> + Radix<V, N>,
        from: (Rows<V::Real>, usize, usize),
        to: (Rows<V::Real>, usize, usize),
        twiddles: &[Complex<V::Real>],
        scales: bool,
    ) {
        let together = self.registers / X::REGISTERS * X::REGISTERS;
        for register in (0..together).step_by(X::REGISTERS) {
            // SAFETY: the caller ensures the conditions. The number has registers of the row.
            unsafe { self.number::<X, N, TWIDDLED>(&radix, register, from, to, twiddles, scales) };
        }
        for register in together..self.registers {
            // SAFETY: the caller ensures the conditions. The number is a register of the row.
            unsafe { self.number::<V, N, TWIDDLED>(&radix, register, from, to, twiddles, scales) };
        }
    }

    /// Computes the part of [`group`](Self::group) for the numbers whose first register is `register`.
    ///
    /// # Safety
    /// The conditions of `group`. The caller must ensure that a row has the registers of the numbers.
    #[inline(always)]
    unsafe fn number<X: Number<V>, const N: usize, const TWIDDLED: bool>(
        &self,
        radix: &impl Radix<X, N>,
        register: usize,
        (from, row, apart): (Rows<V::Real>, usize, usize),
        (to, to_row, to_apart): (Rows<V::Real>, usize, usize),
        twiddles: &[Complex<V::Real>],
        scales: bool,
    ) {
        let mut numbers = [const { MaybeUninit::<X>::uninit() }; N];
        for (j, number) in numbers[..radix.len()].iter_mut().enumerate() {
            let number = number.write(X::of(self.factor));
            for k in 0..X::REGISTERS {
                // SAFETY: the caller ensures that the row may be read. `self` has registers, so the processor has the instruction set.
                let mut x: V = unsafe { from.load(row + j * apart, register + k, self.mask) };
                if TWIDDLED && j > 0 {
                    let Complex { re, im } = twiddles[j - 1];
                    let (re, im) = (self.factor.splat(re), self.factor.splat(im));
                    x = x.mul_sub_add(re, Vector::swap_pairs(x).mul(im));
                }
                number.set(k, x);
            }
        }
        // SAFETY: the loop has written these.
        let numbers = unsafe { numbers[..radix.len()].assume_init_mut() };
        radix.transform(numbers);
        for (j, number) in numbers.iter().enumerate() {
            for k in 0..X::REGISTERS {
                let x = number.get(k);
                let x = if scales { x.mul(self.factor) } else { x };
                // SAFETY: the caller ensures exclusive access to the row.
                unsafe { to.store(to_row + j * to_apart, register + k, self.mask, x) };
            }
        }
    }

    /// Returns where pass `k` writes, and whether it scales the results.
    #[inline(always)]
    fn target(&self, k: usize) -> (Rows<V::Real>, bool) {
        let is_last = k + 1 == self.plan.passes.len();
        (if is_last && !self.streams { self.to } else { self.workspace }, is_last && self.scales)
    }

    /// Computes the part of the first pass that writes `rows`, whose bounds are multiples of the radix.
    ///
    /// # Safety
    /// The caller must ensure that `radix` is that of the pass, that `rows` is within the `n` rows, that the rows of the operand may be
    /// read, and exclusive access to those of the output and the workspace. Rows of the operand and the output overlap only if they are the
    /// same rows.
    #[inline(always)]
    unsafe fn first<X: Number<V>, const N: usize>(
        &self,
        radix: impl Radix<X, N> + Radix<V, N> + Copy,
        rows: Range<usize>,
    ) {
        let (to, scales) = self.target(0);
        let (groups, len) = (&self.plan.first, Radix::<V, N>::len(&radix));
        for row in rows.step_by(len) {
            let group = groups[row / len];
            if let Some(&next) = groups.get(row / len + PREFETCHED_GROUPS) {
                for row in (next..).step_by(groups.len()).take(len) {
                    for register in 0..self.registers {
                        V::prefetch(self.from.at(row).wrapping_add(register * V::LANES));
                    }
                }
            }
            let from = (self.from, group, groups.len());
            // SAFETY: `row` is a multiple of the radix and less than `n`, and `first` has each index below the number of groups once. There
            // are `groups.len() * len` rows. So the groups read and write each row once. The caller ensures access to the rows. If
            // this is the last pass too, there is one group, which reads and writes all rows in the same order.
            unsafe { self.group::<X, N, false>(radix, from, (to, row, 1), &[], scales) };
        }
    }

    /// Computes the part of pass `k`, which is not the first, that reads and writes `rows`, whose bounds are multiples of its span times
    /// its radix.
    ///
    /// # Safety
    /// The conditions of [`first`](Self::first).
    #[inline(always)]
    unsafe fn later<X: Number<V>, const N: usize>(
        &self,
        radix: impl Radix<X, N> + Radix<V, N> + Copy,
        k: usize,
        rows: Range<usize>,
    ) {
        let Pass { span, ref twiddles, .. } = self.plan.passes[k];
        let (to, scales) = self.target(k);
        let len = Radix::<V, N>::len(&radix);
        for start in rows.step_by(span * len) {
            let twiddles = twiddles.chunks_exact(len - 1);
            for (row, twiddles) in (start..start + span).zip(twiddles) {
                let from = (self.workspace, row, span);
                // SAFETY: these are some of the `n` rows of the workspace and of the output, to which the caller ensures access. Each row
                // is in one group.
                unsafe { self.group::<X, N, true>(radix, from, (to, row, span), twiddles, scales) };
            }
        }
    }

    /// Computes the part of pass `k` that writes `rows`, whose bounds are multiples of its span times its radix.
    ///
    /// # Safety
    /// The conditions of [`first`](Self::first), except that on the radix.
    #[inline(always)]
    unsafe fn pass(&self, k: usize, rows: Range<usize>) {
        let Pass { radix, roots, order, .. } = &self.plan.passes[k];
        macro_rules! pass {
            ($($radices:pat => $X:ty, $N:tt: $radix:expr;)*) => {
                match (*radix, k) {
                    $(
                        // SAFETY: the roots or the order are those of this pass, and so is the radix. The caller ensures the other
                        // conditions.
                        ($radices, 0) => unsafe { self.first::<$X, $N>($radix, rows) },
                        // SAFETY: the roots or the order are those of this pass, and so is the radix. The caller ensures the other
                        // conditions.
                        ($radices, _) => unsafe { self.later::<$X, $N>($radix, k, rows) },
                    )*
                }
            };
        }
        pass! {
            2 => V, 2: self.turn;
            3 => V, 3: Odd::new(self.turn, roots);
            4 => V, 4: self.turn;
            5 => V, 5: Odd::new(self.turn, roots);
            8 => V, 8: Eight::new(self.turn, roots);
            7 => V, 7: Odd::new(self.turn, roots);
            11 => V, 11: Odd::new(self.turn, roots);
            13 => V, 13: Odd::new(self.turn, roots);
            _ => [V; 2], MAX_PRIME: Prime::new(self.turn, order.as_ref());
        }
    }

    /// Transforms the block.
    ///
    /// # Safety
    /// The conditions of [`first`](Self::first), except that on the radix.
    #[inline(always)]
    unsafe fn transform(&self) {
        let Radices { n, passes, .. } = self.plan;
        let row_bytes = self.registers * size_of::<V>();
        // The passes of chunks, the number of them, and the number of rows of a chunk.
        let fit = passes.iter().take_while(|pass| pass.span * pass.radix * row_bytes <= CHUNK_BYTES).count();
        let rows = passes[fit - 1].span * passes[fit - 1].radix;
        for start in (0..*n).step_by(rows) {
            for k in 0..fit {
                // SAFETY: `rows` is the product of the first radices, so it divides `n`, and the bounds are multiples of the span times the
                // radix of pass `k`. The caller ensures the other conditions. The last pass, which may write the operand, follows all parts
                // of the first.
                unsafe { self.pass(k, start..start + rows) };
            }
        }
        for k in fit..passes.len() {
            // SAFETY: each span times its radix divides `n`. The caller ensures the other conditions.
            unsafe { self.pass(k, 0..*n) };
        }
    }
}

impl<V: Vector> SimdKernel<V> for Lines<'_, V::Real, Radices<V::Real>> {
    /// Transforms the lines.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, that the elements of the lines of the operand may be read, and
    /// exclusive access to those of the output. The operand and the output overlap only if they are the same elements.
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller ensures that the processor has the instruction set.
        let zero = unsafe { V::zero() };
        let (plan, one) = (self.plan, V::Real::one());
        let turn = Turn::new(zero, plan.inverse);
        let factor = zero.splat(self.factor);
        let block_lines = plan.block_lines(self.lines);
        for first in (0..self.lines).step_by(block_lines) {
            let reals = 2 * block_lines.min(self.lines - first);
            let registers = reals.div_ceil(V::LANES);
            let mask = zero.first(reals - (registers - 1) * V::LANES);
            let full = reals / V::LANES;
            let from = self.from.wrapping_add(first).cast_mut();
            let from = Rows { start: from.cast(), step: 2 * self.from_stride, full };
            let to = Rows { start: self.to.wrapping_add(first).cast(), step: 2 * self.to_stride, full };
            let mut step = registers * V::LANES;
            if size_of::<V>() < CACHE_LINE_BYTES
                && (registers * size_of::<V>()).is_multiple_of(CONFLICTING_BYTES)
            {
                step += CACHE_LINE_BYTES / size_of::<V::Real>();
            }
            assert!(plan.n * step <= 2 * self.workspace.len());
            let workspace =
                Rows { start: self.workspace.as_mut_ptr().cast(), step: step as isize, full: registers };
            let (streams, scales) = (self.streams, self.factor != one);
            let block = Block { plan, from, to, workspace, streams, turn, registers, mask, factor, scales };
            // SAFETY: the caller ensures access to the elements of the lines. The workspace has `n` rows of `step` numbers, and is borrowed
            // exclusively.
            unsafe { block.transform() };
            if self.streams {
                for row in 0..plan.n {
                    let bytes = reals * size_of::<V::Real>();
                    // SAFETY: these are rows of the workspace and of the output, with `reals` numbers each. The caller ensures exclusive
                    // access to the output. `fence` is called below.
                    unsafe { stream_piece(workspace.at(row).cast(), to.at(row).cast(), bytes, None) };
                }
            }
        }
        if self.streams {
            fence();
        }
    }
}

/// A pass of complex transforms of adjacent lines along one axis.
#[derive(Clone, Copy)]
pub(super) struct AxisPass<R> {
    pub(super) from: HostPtr<Complex<R>>,
    pub(super) from_stride: isize,
    pub(super) to: HostPtr<Complex<R>>,
    pub(super) to_stride: isize,
    /// The results are multiplied by this factor.
    pub(super) factor: R,
    /// Whether the output is written with non-temporal stores.
    pub(super) streams: bool,
}

impl<R: Real> AxisPass<R>
where
    Complex<R>: Element,
{
    /// Transforms the lines of a part of the output. `shape` has the extents of the part; its extent along `axis` is not used.
    /// `strides` has the strides of the output and of the operand. Neighbouring lines must be adjacent in both. The operand and the output
    /// overlap only if they are the same elements.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if an allocation fails. The output then has unspecified elements.
    ///
    /// # Safety
    /// The caller must ensure that each index of `shape` has a line of the plan's length from `from` and from `to` on, that those of the
    /// operand may be read, exclusive access to those of the output, and that the processor has AVX2.
    pub(super) unsafe fn over_lines(
        &self,
        plan: &Plan<R>,
        axis: usize,
        shape: &[usize],
        strides: [&[isize]; 2],
    ) -> Result<(), Error> {
        let len = plan.workspace(max_adjacent(axis, shape, strides));
        check_workspace::<Complex<R>>(len)?;
        let failed = AtomicBool::new(false);
        over_lines(axis, shape, strides, plan.len() * size_of::<Complex<R>>(), LINE_GRAIN, &|part| {
            with_workspace(Side::A, len, &failed, |workspace| {
                adjacent_lines(part, &mut |[to, from], together| {
                    let lines = Lines {
                        plan,
                        from: self.from.offset(from).get(),
                        from_stride: self.from_stride,
                        to: self.to.offset(to).get(),
                        to_stride: self.to_stride,
                        lines: together,
                        factor: self.factor,
                        streams: self.streams,
                        workspace: &mut *workspace,
                    };
                    // SAFETY: each index of `part` is one of `shape`, for whose lines the caller ensures the conditions. No line of the
                    // output is in two parts.
                    unsafe { lines.transform() };
                });
            });
        });
        if failed.load(Ordering::Relaxed) { Err(out_of_memory::<Complex<R>>(len)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::{Fft, FftComplex, Norm};
    use crate::simd::tests::at_each_level;
    use crate::{CastTo, Rank, Tensor, c32, c64, s};

    /// Compares transforms along axis 0 with those of contiguous lines, which rustfft computes, to `limit` times the largest result.
    fn check<T: FftComplex + CastTo<c64>>(n: usize, lines: usize, limit: f64)
    where
        c64: CastTo<T>,
        T::Complex: CastTo<c64>,
    {
        let x = Tensor::<c64, Rank<2>>::from_fn([n, lines], |[i, k]| {
            let re = (i * 7919 + k * 31) % 1009;
            Complex::new(re as f64 - 500.0, ((i * i + 7 * k) % 101) as f64 - 50.0)
        });
        let x = x.cast::<T>();
        for norm in [Norm::Backward, Norm::Ortho] {
            let with = Fft::new().norm(norm);
            let contiguous = x.t().to_owned();
            let expected = [contiguous.fft_with(1, with), contiguous.ifft_with(1, with)];
            at_each_level(|| {
                for (found, expected) in [x.fft_with(0, with), x.ifft_with(0, with)].iter().zip(&expected) {
                    let (found, expected) = (found.cast::<c64>(), expected.cast::<c64>());
                    let largest = expected.abs().max().item();
                    let error = (found - expected.t()).abs().max().item();
                    assert!(error <= limit * largest, "{n} elements, {lines} lines: {error}");
                }
            });
        }
    }

    #[test]
    fn columns_are_transformed_like_contiguous_lines() {
        let lengths = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 25, 27, 30, 49, 60, 77, 91, 98, 100];
        let lengths = lengths.into_iter().chain([121, 125, 169, 243, 360, 527, 667, 1001, 1024]);
        for (n, lines) in lengths.zip([32, 33, 70, 40, 31, 8, 9, 10].into_iter().cycle()) {
            check::<c64>(n, lines, 4e-16 * n.ilog2() as f64);
            check::<c32>(n, lines, 2e-7 * n.ilog2() as f64);
        }
        // Each prime number among the radices, and some multiples of them.
        for n in (17..=MAX_PRIME).filter(|&n| (2..n).all(|k| !n.is_multiple_of(k))) {
            check::<c64>(n, 4 + n % 7, 4e-15);
        }
        for n in [2 * 37, 4 * 73, 3 * 79, 2 * 199] {
            check::<c64>(n, 9, 4e-15);
            check::<c32>(n, 17, 2e-6);
        }
        // Chirps, with one to three blocks and with few lines.
        for (n, lines) in [(211, 33), (422, 9), (746, 40), (1009, 16), (2321, 5), (1438, 4)] {
            check::<c64>(n, lines, 4e-15);
            check::<c32>(n, lines, 2e-6);
        }
        // Several chunks, and two blocks.
        check::<c64>(1100, 40, 4e-15);
        // Few lines, which are transformed with AVX2 at both levels, and less than a register of AVX-512.
        check::<c64>(60, 2, 4e-15);
        check::<c32>(60, 3, 2e-6);
        check::<c64>(60, 3, 4e-15);
        check::<c32>(60, 5, 2e-6);
        // Large results are written with non-temporal stores. The rows of the second one begin at any multiple of the size of an element.
        check::<c64>(64, 8448, 4e-15);
        check::<c32>(50, 21_001, 2e-6);
        check::<c64>(211, 2500, 4e-15);
        check::<c32>(223, 4801, 2e-6);
    }

    #[test]
    fn long_lines_and_passes_in_place() {
        let x = Tensor::<c64, Rank<2>>::from_fn([36_000, 26], |[i, k]| {
            Complex::new(((i * 7919 + k * 31) % 1009) as f64, ((i + 7 * k) % 101) as f64)
        });
        // Blocks of 24 lines and 2.
        let expected = x.t().to_owned().fft(1);
        let error = (x.fft(0) - expected.t()).abs().max().item();
        assert!(error < 1e-14 * expected.abs().max().item(), "{error}");
        // The second pass is in place, with several chunks or a chirp.
        for n in [1100, 746] {
            let x = x.slice(s![..n, ..]);
            let expected = x.fft(1).fft(0);
            let error = (x.fft_axes([0, 1]) - &expected).abs().max().item();
            assert!(error < 1e-14 * expected.abs().max().item(), "{n}: {error}");
        }
    }

    #[test]
    fn plans_by_length() {
        for n in [0, 1, 32_771, 1007 * 211, 2 * MAX_LEN] {
            assert!(!has_plan(n), "{n}");
        }
        for n in [211, 422, 633, 2321] {
            assert!(matches!(Plan::<f64>::new(n, false), Ok(Plan::Chirp(_))), "{n}");
        }
        for n in (2..=1200).chain([16_384, 29_400, MAX_LEN]).filter(|&n| has_radices(n)) {
            let plan = Radices::<f64>::new(n, false);
            assert_eq!(plan.passes.iter().map(|pass| pass.radix).product::<usize>(), n);
            let lines = plan.block_lines(1000);
            assert!(
                lines > 0 && lines.is_multiple_of(MIN_BLOCK_LINES) && n * lines <= MAX_WORKSPACE_LEN,
                "{n}"
            );
            let mut first = plan.first.clone();
            first.sort();
            assert!(first.into_iter().eq(0..n / plan.passes[0].radix));
        }
    }
}
