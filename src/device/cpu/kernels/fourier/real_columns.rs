//! Transforms adjacent lines between real and complex numbers, on x86-64. Module [`columns`] transforms them as complex numbers.
//!
//! The elements of a line whose indices have the same remainder modulo a small number, the radix, are a part of the line. The radix divides
//! the length; it is 2 for even lengths above 2. Two parts become one complex line: the first one its real parts and the second one its
//! imaginary parts. With an odd radix, the last part has no partner: the imaginary parts are 0.
//!
//! ```text
//! for each block of lines                                       (Pass::over_lines)
//!     real to complex:
//!         copy the parts to complex lines in workspace          (read_reals)
//!         transform these                                       (module columns)
//!         separate the spectra of the parts, transform their
//!             elements with the same index by the radix, and
//!             write the results to the output                   (write_spectra)
//!     complex to real: the inverse steps in reverse order       (read_spectra, module columns, write_reals)
//! ```
//!
//! Source: Cooley, Lewis and Welch, *The fast Fourier transform algorithm: programming considerations in the calculation of sine, cosine
//! and Laplace transforms*, J. Sound Vib. 12 (1970). Two whole lines could become one complex line, too. But then a rounding error or a NaN
//! in one line would change the results of the other.

use super::columns::{CACHE_LINE_BYTES, Rows};
use super::radix::{Odd, Radix, Turn, root};
use super::{
    LINE_GRAIN, MIN_COLUMNS_LEN, Real, adjacent_lines, check_workspace, columns, max_adjacent, out_of_memory,
    over_lines, plans, run_kernel, with_workspace,
};
use crate::device::cpu::HostPtr;
use crate::device::cpu::kernels::gemm::simd::{SimdKernel, Vector};
use crate::device::cpu::memory::scratch::Side;
use crate::element::Element;
use crate::error::Error;
use crate::simd::Level;
use crate::simd::vector::Vector as _;
use core::sync::atomic::{AtomicBool, Ordering};
use num_complex::Complex;
use num_traits::One;
use std::sync::Arc;

/// The radices, in the order in which they are tried. A radix r needs ⌈r/2⌉ complex lines for r parts, so 7 wastes less than 3. All lengths
/// are multiples of the last radix.
const RADICES: [usize; 5] = [2, 7, 5, 3, 1];
/// Steps that read the operand prefetch the rows for this number of indices ahead. Rows are far apart, so the processor does not predict
/// their addresses.
const PREFETCHED_INDICES: usize = 8;

/// Minimum size of the real elements with the same index of adjacent lines, in bytes, unless the lines have at most [`MAX_SHORT_LEN`]
/// elements. For whole spectra, it is half of this size. Fewer elements fill only a part of the registers: `rfft` of 2 lines of 131072
/// `f64` took 1.3 times as long as realfft with copies, and `fft` 0.7 times as long as rustfft with copies (Zen 5).
const MIN_ROW_BYTES: usize = 32;
/// Maximum length of lines that are transformed here however few they are.
const MAX_SHORT_LEN: usize = 128;

/// The plan of transforms of `n` real numbers.
#[derive(Debug)]
pub(super) struct Plan<R> {
    n: usize,
    radix: usize,
    /// The length of the complex transforms: `n / radix`.
    len: usize,
    /// The number of complex lines for each line.
    complex_lines: usize,
    inverse: bool,
    complex: Arc<columns::Plan<R>>,
    /// The cosines and sines of the angles 2πk/`radix` for `k` below `radix`.
    roots: Vec<Complex<R>>,
    /// For each `k` up to `len / 2`, the factors e^(-2πijk/n) for `j` from 1 to `radix - 1`. Conjugate if `inverse`.
    twiddles: Vec<Complex<R>>,
}

/// Returns the radix for lines of `n` elements, or `None` if there is no plan. Even numbers have no odd radix but 1: the steps with another
/// odd radix do not treat element `n / 2` of the spectrum as real. Radix 1 wastes the imaginary parts, which is too slow with a chirp: 100
/// lines of 1009 `f64` took 0.84 times as long as copies and realfft with AVX-512, but 1.16 times with AVX2, and 10007 1.06 and 1.59 times.
/// With radix 2, 746 took 0.42 and 0.62 times, 20014 0.84 and 1.08 times (Zen 5).
fn radix(n: usize) -> Option<usize> {
    let divides = |radix: usize| n.is_multiple_of(radix) && (radix <= 2 || !n.is_multiple_of(2));
    let has_plan =
        |radix: usize| columns::has_radices(n / radix) || radix > 1 && columns::has_plan(n / radix);
    RADICES.into_iter().find(|&radix| divides(radix) && has_plan(radix))
}

impl<R: Real> Plan<R> {
    /// Returns the plan. There must be one: see [`are_columns`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if there is not enough memory for the plan's tables.
    pub(super) fn new(n: usize, inverse: bool) -> Result<Plan<R>, Error> {
        let radix = radix(n).expect("the caller checks that there is a plan");
        let len = n / radix;
        let powers = (0..=len / 2).flat_map(|k| (1..radix).map(move |j| j * k));
        let twiddles = powers.map(|power| root(power, n));
        Ok(Plan {
            n,
            radix,
            len,
            complex_lines: radix.div_ceil(2),
            inverse,
            complex: plans::columns(len, inverse)?,
            roots: (0..radix).map(|k| root(k, radix)).collect(),
            twiddles: twiddles
                .map(|factor: Complex<R>| if inverse { factor } else { factor.conj() })
                .collect(),
        })
    }
}

/// A step of the transform of a block of lines, before or after the complex transforms.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Makes complex lines from the real lines of the operand.
    ReadReals,
    /// Writes the spectra of the real lines, multiplied by 2, to the output: their first `n / 2 + 1` or all `n` elements.
    WriteSpectra,
    /// Makes the spectra of the complex lines from those of the real lines, which the operand has. Ignores the imaginary parts of element 0
    /// and, if `n` is even, of element `n / 2`.
    ReadSpectra,
    /// Writes the real lines to the output.
    WriteReals,
}

/// A block of lines, for a step. A row has the elements with the same index of all lines.
struct Block<'a, R> {
    step: Step,
    plan: &'a Plan<R>,
    lines: usize,
    /// The first row of the operand or the output.
    start: *mut R,
    /// The number of real numbers between the beginnings of two rows of the operand or the output.
    stride: isize,
    /// The number of rows of the operand or the output. The other rows of an operand are zeros.
    row_count: usize,
    /// The workspace, which has rows of `pitch` real numbers. The first [`Plan::len`] rows are those of the first complex line of each line,
    /// and so on.
    complex: *mut R,
    pitch: usize,
}

impl<V: Vector> SimdKernel<V> for Block<'_, V::Real>
where
    V::Real: Real,
{
    /// Runs the step.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The processor has the instruction set.
    /// * There is at least one line.
    /// * From `start` on, there are `row_count` rows of an element for each line, `stride` real numbers apart: `n` real elements for
    ///   [`Step::WriteReals`], and `n / 2 + 1` or `n` complex ones for [`Step::WriteSpectra`]. The rows of an operand may be read, and access
    ///   to those of an output is exclusive.
    /// * The workspace has `len · complex_lines` initialised rows, to which access is exclusive. `pitch` is a multiple of `V::LANES`, and the
    ///   real elements of a row fill at most half of it.
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller ensures that the processor has the instruction set.
        let zero = unsafe { V::zero() };
        let Plan { radix, ref roots, inverse, .. } = *self.plan;
        let (one, turn) = (V::Real::one(), Turn::new(zero, inverse));
        let reals = match self.step {
            Step::ReadReals | Step::WriteReals => self.lines,
            Step::WriteSpectra | Step::ReadSpectra => 2 * self.lines,
        };
        let registers = reals.div_ceil(V::LANES);
        let kernel = Kernel {
            zero,
            conj: zero.alternating(one, -one),
            rows: Rows { start: self.start, step: self.stride, full: reals / V::LANES },
            registers,
            mask: zero.first(reals - (registers - 1) * V::LANES),
            prefetches: self.stride.unsigned_abs() * size_of::<V::Real>() > CACHE_LINE_BYTES,
            block: self,
        };
        macro_rules! run {
            ($($radices:pat => $N:tt: $radix:expr;)*) => {
                match (kernel.block.step, radix) {
                    // SAFETY: the caller ensures the conditions.
                    (Step::ReadReals, _) => unsafe { kernel.read_reals() },
                    // SAFETY: the caller ensures the conditions.
                    (Step::WriteReals, _) => unsafe { kernel.write_reals() },
                    $(
                        // SAFETY: this is the radix of the plan. The caller ensures the other conditions.
                        (Step::WriteSpectra, $radices) => unsafe { kernel.write_spectra::<$N>($radix) },
                        // SAFETY: this is the radix of the plan. The caller ensures the other conditions.
                        (Step::ReadSpectra, $radices) => unsafe { kernel.read_spectra::<$N>($radix) },
                    )*
                }
            };
        }
        run! {
            2 => 2: turn;
            3 => 3: Odd::new(turn, roots);
            5 => 5: Odd::new(turn, roots);
            7 => 7: Odd::new(turn, roots);
            _ => 1: Identity;
        }
    }
}

/// The transform of one element.
#[derive(Clone, Copy)]
struct Identity;

impl<V: Vector> Radix<V, 1> for Identity {
    #[inline(always)]
    fn transform(&self, _: &mut [V]) {}
}

/// A block with the registers of `V`.
struct Kernel<'a, V: Vector> {
    block: Block<'a, V::Real>,
    zero: V,
    /// 1 in even lanes and -1 in odd ones: the product with it is the conjugate.
    conj: V,
    /// The operand or the output.
    rows: Rows<V::Real>,
    /// The number of registers that hold a row of the operand or the output.
    registers: usize,
    /// The lanes of the last of these registers that belong to the row.
    mask: V::Mask,
    /// Whether rows of the operand are prefetched. The processor predicts the addresses of adjacent short rows.
    prefetches: bool,
}

impl<V: Vector> Kernel<'_, V>
where
    V::Real: Real,
{
    /// Reads a register of a row of the operand. Rows past its last are zeros.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`Block::run`], and that `register` is less than `registers`.
    #[inline(always)]
    unsafe fn read(&self, row: usize, register: usize) -> V {
        if row < self.block.row_count {
            // SAFETY: the operand has this row, and the caller ensures that it may be read. `rows.full` and `mask` are those of its
            // elements.
            unsafe { self.rows.load(row, register, self.mask) }
        } else {
            self.zero
        }
    }

    /// Writes a register of a row of the output.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`Block::run`], and that `register` is less than `registers` and `row` less than
    /// `row_count`.
    #[inline(always)]
    unsafe fn write(&self, row: usize, register: usize, x: V) {
        // SAFETY: the output has this row, and the caller ensures exclusive access to it. `rows.full` and `mask` are those of its elements.
        unsafe { self.rows.store(row, register, self.mask, x) }
    }

    /// Returns the address of a register of a row of the workspace.
    #[inline(always)]
    fn complex(&self, row: usize, register: usize) -> *mut V::Real {
        self.block.complex.wrapping_add(row * self.block.pitch + register * V::LANES)
    }

    /// Reads a register of a row of the workspace.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`Block::run`], that `row` is less than `len · complex_lines`, and that the register is
    /// within `pitch`.
    #[inline(always)]
    unsafe fn read_complex(&self, row: usize, register: usize) -> V {
        // SAFETY: the caller ensures that these numbers are in the workspace, and exclusive access to it.
        unsafe { V::load(self.complex(row, register)) }
    }

    /// Writes a register of a row of the workspace.
    ///
    /// # Safety
    /// The conditions of [`read_complex`](Self::read_complex).
    #[inline(always)]
    unsafe fn write_complex(&self, row: usize, register: usize, x: V) {
        // SAFETY: the caller ensures that these numbers are in the workspace, and exclusive access to it.
        unsafe { x.store(self.complex(row, register)) }
    }

    /// Prefetches a row of the operand, if there is one.
    #[inline(always)]
    fn prefetch(&self, row: usize) {
        if self.prefetches && row < self.block.row_count {
            for at in (0..self.registers * V::LANES).step_by(CACHE_LINE_BYTES / size_of::<V::Real>()) {
                V::prefetch(self.rows.at(row).wrapping_add(at));
            }
        }
    }

    /// Returns `x` with zeros in the odd lanes: the real parts.
    #[inline(always)]
    fn real(&self, x: V) -> V {
        x.exchange(self.zero, 1).0
    }

    #[inline(always)]
    fn conj(&self, x: V) -> V {
        x.mul(self.conj)
    }

    /// Returns the row of element `k + j * len` of the spectra of real lines, where `len` is the length of the complex transforms and `k`
    /// is at most half of it. If `2 * j >= N`, the element is in the second half, and this is the row of its conjugate.
    #[inline(always)]
    fn row<const N: usize>(&self, k: usize, j: usize) -> usize {
        let Plan { n, len, .. } = *self.block.plan;
        let row = k + j * len;
        if 2 * j < N { row } else { n.wrapping_sub(row) }
    }

    /// Returns the real and imaginary parts of the twiddle factors for index `k`. Those of element 0 have no meaning.
    #[inline(always)]
    fn twiddles<const N: usize>(&self, k: usize) -> [(V, V); N] {
        let mut twiddles = [(self.zero, self.zero); N];
        for (to, &Complex { re, im }) in
            twiddles[1..].iter_mut().zip(&self.block.plan.twiddles[k * (N - 1)..])
        {
            *to = (self.zero.splat(re), self.zero.splat(im));
        }
        twiddles
    }

    /// Multiplies elements `k` of the spectra of all parts but the first by their twiddle factors. Elements 0 are real.
    #[inline(always)]
    fn multiply<const N: usize>(&self, k: usize, x: &mut [V; N], twiddles: &[(V, V); N]) {
        if k == 0 {
            for x in x {
                *x = self.real(*x);
            }
        } else {
            for (x, &(re, im)) in x[1..].iter_mut().zip(&twiddles[1..]) {
                *x = x.mul_sub_add(re, x.swap_pairs().mul(im));
            }
        }
    }

    /// # Safety
    /// The caller must ensure the conditions of [`Block::run`], whose step this is.
    #[inline(always)]
    unsafe fn read_reals(&self) {
        let Plan { radix, len, complex_lines, .. } = *self.block.plan;
        for k in 0..len {
            for row in 0..radix {
                self.prefetch((k + PREFETCHED_INDICES) * radix + row);
            }
            for line in 0..complex_lines {
                let row = k * radix + 2 * line;
                for register in 0..self.registers {
                    // SAFETY: the caller ensures the conditions. The register is less than `registers`.
                    let mut re = unsafe { self.read(row, register) };
                    let mut im = self.zero;
                    if 2 * line + 1 < radix {
                        // SAFETY: the caller ensures the conditions. The register is less than `registers`.
                        im = unsafe { self.read(row + 1, register) };
                    }
                    // Interleave the lanes.
                    let mut block = 1;
                    while block < V::LANES {
                        (re, im) = re.exchange(im, block);
                        block *= 2;
                    }
                    // SAFETY: `k < len` and `line < complex_lines`, so this is a row of the workspace. The caller ensures that it has at
                    // least twice as many registers as the operand.
                    unsafe { self.write_complex(line * len + k, 2 * register, re) };
                    // SAFETY: this is the next register of the same row.
                    unsafe { self.write_complex(line * len + k, 2 * register + 1, im) };
                }
            }
        }
    }

    /// # Safety
    /// The caller must ensure the conditions of [`Block::run`], whose step this is.
    #[inline(always)]
    unsafe fn write_reals(&self) {
        let Plan { radix, len, complex_lines, .. } = *self.block.plan;
        for k in 0..len {
            for line in 0..complex_lines {
                let row = k * radix + 2 * line;
                for register in 0..self.registers {
                    // SAFETY: `k < len` and `line < complex_lines`, so this is a row of the workspace. The caller ensures that it has at
                    // least twice as many registers as the output.
                    let mut re = unsafe { self.read_complex(line * len + k, 2 * register) };
                    // SAFETY: this is the next register of the same row.
                    let mut im = unsafe { self.read_complex(line * len + k, 2 * register + 1) };
                    // Reverse `read_reals`.
                    let mut block = V::LANES / 2;
                    while block > 0 {
                        (re, im) = re.exchange(im, block);
                        block /= 2;
                    }
                    // SAFETY: `2 * line < radix`, so the row is less than `len * radix`, which is the number of rows, `n`.
                    unsafe { self.write(row, register, re) };
                    if 2 * line + 1 < radix {
                        // SAFETY: the condition ensures that the row is less than `len * radix`, too.
                        unsafe { self.write(row + 1, register, im) };
                    }
                }
            }
        }
    }

    /// # Safety
    /// The caller must ensure the conditions of [`Block::run`], whose step this is, and that `radix` is that of the plan.
    #[inline(always)]
    unsafe fn write_spectra<const N: usize>(&self, radix: impl Radix<V, N>) {
        let Plan { n, len, .. } = *self.block.plan;
        let whole = self.block.row_count == n;
        for k in 0..=len / 2 {
            let (opposite, twiddles) = (if k == 0 { 0 } else { len - k }, self.twiddles::<N>(k));
            for register in 0..self.registers {
                let mut x = [self.zero; N];
                for line in 0..N.div_ceil(2) {
                    // SAFETY: `k < len` and `line < complex_lines`, so this is a row of the workspace. The complex elements of a row of the
                    // output fill at most a row of the workspace.
                    let z = unsafe { self.read_complex(line * len + k, register) };
                    // SAFETY: `opposite < len`, and the register is that of the row before.
                    let opposite = unsafe { self.read_complex(line * len + opposite, register) };
                    // If the spectra of the two parts are a and b, this is a + ib and the conjugate of a - ib.
                    let opposite = self.conj(opposite);
                    x[2 * line] = z.add(opposite);
                    if 2 * line + 1 < N {
                        x[2 * line + 1] = self.conj(z.sub(opposite).swap_pairs());
                    }
                }
                self.multiply(k, &mut x, &twiddles);
                radix.transform(&mut x);
                for (j, &x) in x.iter().enumerate() {
                    // Adding zero changes -0 to 0, the imaginary part of real elements.
                    let conj = x.mul_add(self.conj, self.zero);
                    let row = self.row::<N>(k, j);
                    let (x, mirrored) = if 2 * j < N { (x, conj) } else { (conj, x) };
                    // SAFETY: the row is at most `n / 2`: see `row`. The output has at least `n / 2 + 1` rows.
                    unsafe { self.write(row, register, x) };
                    if whole && row > 0 {
                        // SAFETY: the row is not 0, so this one is less than `n`, and the output has all `n` rows.
                        unsafe { self.write(n - row, register, mirrored) };
                    }
                }
            }
        }
    }

    /// # Safety
    /// The caller must ensure the conditions of [`Block::run`], whose step this is, and that `radix` is that of the plan.
    #[inline(always)]
    unsafe fn read_spectra<const N: usize>(&self, radix: impl Radix<V, N>) {
        let Plan { n, len, .. } = *self.block.plan;
        for k in 0..=len / 2 {
            let (opposite, twiddles) = (if k == 0 { 0 } else { len - k }, self.twiddles::<N>(k));
            for j in 0..N {
                self.prefetch(self.row::<N>(k + PREFETCHED_INDICES, j));
            }
            for register in 0..self.registers {
                let mut x = [self.zero; N];
                for (j, x) in x.iter_mut().enumerate() {
                    let row = self.row::<N>(k, j);
                    // SAFETY: the caller ensures the conditions. The register is less than `registers`.
                    *x = unsafe { self.read(row, register) };
                    if 2 * j >= N {
                        *x = self.conj(*x);
                    }
                    if (k == 0 || N == 1) && (row == 0 || 2 * row == n) {
                        *x = self.real(*x);
                    }
                }
                radix.transform(&mut x);
                self.multiply(k, &mut x, &twiddles);
                for line in 0..N.div_ceil(2) {
                    let a = x[2 * line];
                    let mut turned = self.zero;
                    if 2 * line + 1 < N {
                        turned = self.conj(x[2 * line + 1]).swap_pairs();
                    }
                    // SAFETY: `opposite < len` and `line < complex_lines`, so this is a row of the workspace. The complex elements of a row
                    // of the operand fill at most a row of the workspace.
                    unsafe { self.write_complex(line * len + opposite, register, self.conj(a.sub(turned))) };
                    // SAFETY: `k < len`, and the register is that of the row before.
                    unsafe { self.write_complex(line * len + k, register, a.add(turned)) };
                }
            }
        }
    }
}

/// A pass from lines of `A` to lines of `B`, along one axis.
#[derive(Debug)]
pub(super) struct Pass<R, A, B> {
    /// The number of real elements of a line.
    pub(super) n: usize,
    pub(super) inverse: bool,
    pub(super) factor: Option<R>,
    pub(super) from: HostPtr<A>,
    pub(super) from_stride: isize,
    /// The number of elements that are read of each line. The transform treats the others as zeros.
    pub(super) read: usize,
    pub(super) to: HostPtr<B>,
    pub(super) to_stride: isize,
    /// The number of elements that are written of each line.
    pub(super) written: usize,
}

impl<R: Real> Pass<R, R, Complex<R>>
where
    Complex<R>: Element,
{
    /// Transforms real lines to the first `n / 2 + 1` or to all elements of their spectra. See [`Pass::over_lines`] for the arguments.
    pub(super) fn to_complex(
        &self,
        axis: usize,
        shape: &[usize],
        strides: [&[isize]; 2],
    ) -> Result<(), Error> {
        self.over_lines(axis, shape, strides, [Step::ReadReals, Step::WriteSpectra])
    }
}

impl<R: Real> Pass<R, Complex<R>, R>
where
    Complex<R>: Element,
{
    /// Transforms spectra to real lines. See [`Pass::over_lines`] for the arguments.
    pub(super) fn to_real(&self, axis: usize, shape: &[usize], strides: [&[isize]; 2]) -> Result<(), Error> {
        self.over_lines(axis, shape, strides, [Step::ReadSpectra, Step::WriteReals])
    }
}

impl<R: Real, A: Element, B: Element> Pass<R, A, B>
where
    Complex<R>: Element,
{
    /// Transforms the lines of a part of the output. `shape` has the extents of the part; its extent along `axis` is not used. `strides`
    /// has the strides of the output and of the operand. [`are_columns`] must hold.
    fn over_lines(
        &self,
        axis: usize,
        shape: &[usize],
        strides: [&[isize]; 2],
        [read, write]: [Step; 2],
    ) -> Result<(), Error> {
        let plan = &*plans::real_columns::<R>(self.n, self.inverse)?;
        let scale = if matches!(write, Step::WriteSpectra) { 0.5 } else { 1.0 };
        let scale = R::from_f64(scale).expect("every number is a floating-point number");
        let factor = scale * self.factor.unwrap_or_else(R::one);
        let Plan { len, complex_lines, .. } = *plan;
        let block_lines = plan.complex.block_lines(max_adjacent(axis, shape, strides));
        let pitch = block_lines.next_multiple_of(R::Wide::LANES);
        let rows = len * complex_lines;
        let needed = rows * pitch + plan.complex.workspace(block_lines);
        check_workspace::<Complex<R>>(needed)?;
        let failed = AtomicBool::new(false);
        // The number of real numbers in an element.
        let [of_operand, of_output] =
            [size_of::<A>(), size_of::<B>()].map(|size| (size / size_of::<R>()) as isize);
        over_lines(axis, shape, strides, self.n * size_of::<R>(), LINE_GRAIN, &|part| {
            with_workspace(Side::A, needed, &failed, |workspace: &mut [Complex<R>]| {
                let (complex, workspace) = workspace.split_at_mut(rows * pitch);
                let complex = HostPtr::new(complex.as_mut_ptr());
                adjacent_lines(part, &mut |[to, from], lines| {
                    for first in (0..lines).step_by(block_lines) {
                        let lines = block_lines.min(lines - first);
                        let run = |step, start: *mut R, stride: isize, row_count: usize| {
                            let (complex, pitch) = (complex.get().cast(), 2 * pitch);
                            let block = Block { step, plan, lines, start, stride, row_count, complex, pitch };
                            // SAFETY: each index of `part` has a line in the operand, whose elements may be read, and one in the output.
                            // `self.to` is the pointer of an `Output`, and no line of the output is in two parts, so access is
                            // exclusive. The workspace is initialised, and borrowed exclusively. `pitch` is a multiple of the lanes of
                            // the widest register, and so of AVX2's. The lines are at most `block_lines`, so their real numbers fill at
                            // most half of `pitch`. The caller of `over_lines` has checked the level, by `are_columns`.
                            unsafe { run_kernel::<R>(lines, block) };
                        };
                        let start = self.from.offset(from + first as isize).get().cast();
                        run(read, start, self.from_stride * of_operand, self.read);
                        for line in 0..complex_lines {
                            let start = complex.offset((line * len * pitch) as isize).get();
                            let inner = columns::Lines {
                                plan: &*plan.complex,
                                from: start,
                                from_stride: pitch as isize,
                                to: start,
                                to_stride: pitch as isize,
                                lines,
                                factor,
                                streams: false,
                                workspace: &mut *workspace,
                            };
                            // SAFETY: from `start` on, the workspace has `len` initialised rows of `pitch` elements, and it is borrowed
                            // exclusively. The operand and the output are the same elements. The caller of `over_lines` has checked the
                            // level, by `are_columns`.
                            unsafe { inner.transform() };
                        }
                        let start = self.to.offset(to + first as isize).get().cast();
                        run(write, start, self.to_stride * of_output, self.written);
                    }
                });
            });
        });
        if failed.load(Ordering::Relaxed) { Err(out_of_memory::<Complex<R>>(needed)) } else { Ok(()) }
    }
}

/// Returns whether [`Pass`] transforms lines of `n` elements of type `R` along `axis`, to `whole` or half spectra or back: there is a plan
/// for their length, neighbouring lines are adjacent in the operand and in the output, they are many or short, and the processor has
/// registers for them.
pub(super) fn are_columns<R>(
    n: usize,
    whole: bool,
    axis: usize,
    shape: &[usize],
    strides: [&[isize]; 2],
) -> bool {
    let min_row_bytes = if whole { MIN_ROW_BYTES / 2 } else { MIN_ROW_BYTES };
    let are_adjacent = |k: usize| {
        let lines = shape[k];
        let many = lines * size_of::<R>() >= min_row_bytes || n <= MAX_SHORT_LEN;
        k != axis
            && lines > 1
            && many
            && lines * n >= MIN_COLUMNS_LEN
            && strides.iter().all(|strides| strides[k] == 1)
    };
    Level::get() > Level::Portable && (0..shape.len()).any(are_adjacent) && radix(n).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::{Fft, FftComplex, FftReal, Norm};
    use crate::simd::tests::at_each_level;
    use crate::{CastTo, Rank, Tensor, TensorView, c64, s};

    /// Compares transforms along axis 0 with those of contiguous lines, which rustfft and realfft compute, to `limit` times the largest
    /// result.
    fn check<R: FftReal + CastTo<f64>>(n: usize, lines: usize, limit: f64)
    where
        f64: CastTo<R>,
        c64: CastTo<R::Complex>,
        R::Complex: FftComplex<Magnitude = R> + CastTo<c64>,
    {
        let reals = Tensor::<f64, Rank<2>>::from_fn([n, lines], |[i, k]| {
            ((i * i * 7919 + i * k * 31) % 1009) as f64 - 500.0
        });
        let reals = reals.cast::<R>();
        // The imaginary parts of the elements at frequency 0 and at the highest frequency are not 0, and must be ignored.
        let spectra = Tensor::<c64, Rank<2>>::from_fn([n / 2 + 1, lines], |[i, k]| {
            Complex::new(((i * 7919 + k * 31) % 1009) as f64 - 500.0, ((i * i + 7 * k) % 101) as f64 - 50.0)
        });
        let spectra = spectra.cast::<R::Complex>();
        let (contiguous, contiguous_spectra) = (reals.t().to_owned(), spectra.t().to_owned());
        for (norm, len) in
            [(Norm::Backward, n), (Norm::Ortho, n), (Norm::Backward, n + n / 3), (Norm::Forward, n - n / 3)]
        {
            let with = Fft::new().norm(norm).lens([len]);
            let expected = [
                contiguous.fft_with(1, with).cast::<c64>(),
                contiguous.ifft_with(1, with).cast::<c64>(),
                contiguous.rfft_with(1, with).cast::<c64>(),
                contiguous_spectra.irfft_with(1, with).cast::<f64>().cast::<c64>(),
            ];
            at_each_level(|| {
                let found = [
                    reals.fft_with(0, with).cast::<c64>(),
                    reals.ifft_with(0, with).cast::<c64>(),
                    reals.rfft_with(0, with).cast::<c64>(),
                    spectra.irfft_with(0, with).cast::<f64>().cast::<c64>(),
                ];
                for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let largest = expected.abs().max().item();
                    let error = (found - expected.t()).abs().max().item();
                    assert!(
                        error <= limit * largest,
                        "transform {k} of {lines} lines of {n}: {error}, {largest}"
                    );
                }
            });
        }
    }

    #[test]
    fn columns_of_real_numbers_are_transformed_like_contiguous_lines() {
        // Each radix, lengths whose half has a large prime factor, and one whose third part has one.
        let lengths =
            [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 21, 22, 25, 27, 33, 35, 44, 49, 58, 77];
        let lengths = lengths.into_iter().chain([99, 100, 111, 121, 128, 143, 202, 210, 243, 375]);
        for (n, lines) in lengths.zip([32, 33, 70, 40, 31, 8, 9, 10, 17].into_iter().cycle()) {
            check::<f64>(n, lines, 4e-16 * (2 * n).ilog2() as f64);
            check::<f32>(n, lines, 2e-7 * (2 * n).ilog2() as f64);
        }
        // Few lines, which are transformed with AVX2 at both levels.
        check::<f64>(60, 2, 4e-15);
        check::<f32>(60, 3, 2e-6);
        // Chirps, with each radix but 1.
        for (n, lines) in [(746, 20), (633, 9), (1055, 17), (1477, 5)] {
            check::<f64>(n, lines, 4e-15);
            check::<f32>(n, lines, 2e-6);
        }
        // Several chunks, and two blocks.
        check::<f64>(2200, 40, 4e-15);
        // Element `n / 2` of these even lengths would not be computed as a real number with an odd radix.
        assert!([3 << 16, 150_000, 7 << 15].into_iter().all(|n| radix(n).is_none()));
        assert!([0, 1, 211, 2 * 32_771, 2 * 131_072].into_iter().all(|n| radix(n).is_none()));
    }

    #[test]
    fn lines_do_not_affect_each_other() {
        // Each radix.
        for n in [30, 21, 15, 9, 11] {
            let x = Tensor::<f64, Rank<2>>::from_fn([n, 20], |[i, k]| match k {
                3 if i == 7 => f64::NAN,
                8 if i == 2 => f64::INFINITY,
                5 => (i * i) as f64 * 1e-200,
                _ => (i * (k + 1) % 11) as f64 * 1e50,
            });
            at_each_level(|| {
                let (spectra, back) = (x.rfft(0), x.rfft(0).irfft(0, n));
                for k in 0..20 {
                    let (spectrum, line) = (spectra.index_axis(1, k), x.index_axis(1, k));
                    let expected = line.rfft(0);
                    let largest = expected.abs().max().item();
                    if [3, 8].contains(&k) {
                        // The sum is not finite, but real.
                        let sum = spectrum[[0]];
                        assert!(!sum.re.is_finite() && sum.im == 0.0, "{n}, {k}: {sum}");
                        continue;
                    }
                    assert!((spectrum - &expected).abs().max().item() <= 1e-14 * largest, "{n}, {k}");
                    let error = (back.index_axis(1, k) - line).abs().max().item();
                    assert!(error <= 1e-14 * largest, "{n}, {k}");
                    // Real elements have the imaginary part 0, not -0.
                    assert_eq!(spectrum[[0]].im.to_bits(), 0, "{n}, {k}");
                    assert!(n % 2 == 1 || spectrum[[n / 2]].im.to_bits() == 0, "{n}, {k}");
                }
            });
        }
    }

    #[test]
    fn strided_operands_and_outputs() {
        for n in [30, 45, 77, 99] {
            // Lines that run backwards, of a batch. The lines of an index of the batch are two blocks.
            let wide = Tensor::<f64, Rank<3>>::from_fn([2, n, 50], |[b, i, k]| {
                ((b * 57 + i * i * 7919 + i * k * 31) % 1009) as f64
            });
            let x = wide.slice(s![.., ..;-1, 3..43]);
            let expected = [x.to_owned().permute([0, 2, 1]).to_owned()].map(|x| (x.fft(2), x.rfft(2)));
            let [(whole, half)] = &expected;
            at_each_level(|| {
                let close = |a: TensorView<'_, c64, Rank<3>>, b: &Tensor<c64, Rank<3>>| {
                    a.permute([0, 2, 1]).all_close(b, 0.0, 1e-8)
                };
                let mut out = Tensor::<c64, Rank<3>>::zeros([2, n, 47]);
                x.fft_into(1, &mut out.slice_mut(s![.., .., 2..42]));
                assert!(close(out.slice(s![.., .., 2..42]), whole), "{n}");
                assert!(
                    out.slice(s![.., .., ..2])
                        .iter()
                        .chain(out.slice(s![.., .., 42..]).iter())
                        .all(|x| x.norm() == 0.0)
                );
                let mut out = Tensor::<c64, Rank<3>>::zeros([2, n / 2 + 1, 47]);
                x.rfft_into(1, &mut out.slice_mut(s![.., ..;-1, 2..42]));
                assert!(close(out.slice(s![.., ..;-1, 2..42]), half), "{n}");
                let mut back = Tensor::<f64, Rank<3>>::zeros([2, n, 50]);
                out.slice(s![.., ..;-1, 2..42]).irfft_into(1, n, &mut back.slice_mut(s![.., ..;-1, 3..43]));
                assert!(back.slice(s![.., ..;-1, 3..43]).all_close(&x, 0.0, 1e-10), "{n}");
                assert!(
                    back.slice(s![.., .., ..3])
                        .iter()
                        .chain(back.slice(s![.., .., 43..]).iter())
                        .all(|&x| x == 0.0)
                );
            });
        }
    }

    #[test]
    fn blocks_with_less_workspace() {
        let x = Tensor::<f64, Rank<2>>::from_fn([90_000, 26], |[i, k]| ((i * 7919 + k * 31) % 1009) as f64);
        // Blocks of 16 lines and 10.
        let expected = x.t().to_owned().rfft(1);
        let found = x.rfft(0);
        let error = (&found - expected.t()).abs().max().item();
        assert!(error < 1e-14 * expected.abs().max().item(), "{error}");
        assert!((found.irfft(0, 90_000) - x).abs().max().item() < 1e-11);
    }
}
