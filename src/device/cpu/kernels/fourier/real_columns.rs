//! Transforms adjacent lines between real and complex numbers, on x86-64. Module [`columns`] transforms them as complex numbers.
//!
//! A line of an even number `n` of elements becomes a complex line of `n / 2`: elements with an even index are the real parts, those with
//! an odd index the imaginary parts. An odd number of elements become as many complex numbers, whose imaginary parts are 0.
//!
//! ```text
//! for each block of lines
//!     real to complex:
//!         copy the elements to complex lines in workspace               (read_reals)
//!         transform these                                               (module columns)
//!         separate the spectra a and b of the even and odd elements,
//!             and write a[k] ± e^(-2πik/n) b[k] to the output           (write_spectra)
//!     complex to real: the inverse steps in reverse order               (read_spectra, module columns, write_reals)
//! ```
//!
//! Source: Cooley, Lewis and Welch, *The fast Fourier transform algorithm: programming considerations in the calculation of sine, cosine
//! and Laplace transforms*, J. Sound Vib. 12 (1970). Two whole lines could become one complex line, too. But then a rounding error or a NaN
//! in one line would change the results of the other.

use super::columns;
use super::lines::TransformLines;
use super::plans::{Real, cached};
use super::radix::root;
use super::rows::{WorkspaceRows, run_kernel};
use crate::device::cpu::HostPtr;
use crate::element::Element;
use crate::error::Error;
use crate::simd::vector::{FloatVector, SimdKernel, Vector as _};
use num_complex::Complex;
use num_traits::One;
use std::sync::Arc;

/// Minimum size of the real elements with the same index of adjacent lines, in bytes, unless the lines have at most [`MAX_SHORT_LEN`]
/// elements. Fewer elements fill only a part of the registers.
const MIN_ROW_BYTES: usize = 32;
/// Maximum length of lines that are transformed here however few they are.
const MAX_SHORT_LEN: usize = 128;

/// The plan of transforms of `n` real numbers.
#[derive(Debug)]
struct RealColumnPlan<R> {
    n: usize,
    /// The plan of the complex transforms, of `n / 2` elements if `n` is even, otherwise of `n`.
    complex: columns::ColumnPlan<R>,
    len: usize,
    /// If `n` is even, the factors e^(-2πik/n) for each `k` up to `len / 2`. Conjugate for inverse transforms.
    twiddles: Vec<Complex<R>>,
}

/// Returns the number of complex numbers that a line of `n` real numbers becomes.
fn complex_len(n: usize) -> usize {
    if n.is_multiple_of(2) { n / 2 } else { n }
}

impl<R: Real> RealColumnPlan<R> {
    fn new(n: usize, inverse: bool) -> RealColumnPlan<R> {
        let len = complex_len(n);
        let twiddles = (0..=len / 2).map(|k| root(k, n));
        let twiddles = twiddles.map(|factor: Complex<R>| if inverse { factor } else { factor.conj() });
        RealColumnPlan {
            n,
            complex: columns::ColumnPlan::new(len, inverse),
            len,
            twiddles: twiddles.collect(),
        }
    }
}

/// Returns whether [`transform`] can transform the lines of `n` real elements, to spectra or back: there is a plan for their
/// length, neighbouring lines are adjacent in the operand and in the output, and they are many or short.
pub(super) fn are_columns<R: Real, A: Element, B: Element>(
    lines: &TransformLines<'_, A, B>,
    n: usize,
) -> bool {
    (lines.adjacent() * size_of::<R>() >= MIN_ROW_BYTES || n <= MAX_SHORT_LEN)
        && columns::are_adjacent::<R, _, _>(lines, n)
        && columns::has_plan(complex_len(n))
}

/// A step of the transform of a block of lines, before or after the complex transforms.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// Makes complex lines from the real lines of the operand.
    ReadReals,
    /// Writes the spectra of the real lines to the output: their first `n / 2 + 1` or all `n` elements. For even `n`, multiplied by 2.
    WriteSpectra,
    /// Makes the spectra of the complex lines from those of the real lines, which the operand has. Ignores the imaginary parts of element 0
    /// and, if `n` is even, of element `n / 2`.
    ReadSpectra,
    /// Writes the real lines to the output.
    WriteReals,
}

/// Transforms lines of `n` real elements to the first `written` elements of their spectra, or spectra to real lines of `written` elements.
/// `steps` are those before and after the complex transforms. [`are_columns`] must hold.
///
/// # Errors
/// [`Error::OutOfMemory`] if an allocation fails. The output then has unspecified elements.
///
/// # Safety
/// The caller must ensure, for each index of `lines.shape`:
/// * The operand has a line of `lines.read` elements, which may be read: real numbers for [`Step::ReadReals`], otherwise complex ones.
/// * The output has a line of `written` elements, to which access is exclusive: `n` real numbers for [`Step::WriteReals`], otherwise
///   `n / 2 + 1` or `n` complex ones.
pub(super) unsafe fn transform<R: Real, A: Element, B: Element>(
    lines: &TransformLines<'_, A, B>,
    (n, written): (usize, usize),
    inverse: bool,
    factor: Option<R>,
    [read_step, write_step]: [Step; 2],
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    let plan = &*cached::<R, _>(n, inverse, || Arc::new(RealColumnPlan::<R>::new(n, inverse)))?;
    let half = matches!(write_step, Step::WriteSpectra) && n.is_multiple_of(2);
    let factor = if half {
        let half = R::from_f64(0.5).expect("every number is a floating-point number");
        Some(factor.map_or(half, |factor| half * factor))
    } else {
        factor
    };
    let block_lines = plan.complex.block_lines(lines.adjacent());
    let pitch = block_lines.next_multiple_of(R::Wide::LANES);
    let needed = plan.len * pitch + plan.complex.workspace(block_lines);
    // The number of real numbers in an element.
    let [of_operand, of_output] =
        [size_of::<A>(), size_of::<B>()].map(|size| (size / size_of::<R>()) as isize);
    let [to_stride, from_stride] = lines.line_strides();
    lines.over_blocks(block_lines, n * size_of::<R>(), needed, &|[to, from], count, workspace| {
        let (complex, workspace) = workspace.split_at_mut(plan.len * pitch);
        let complex: HostPtr<Complex<R>> = HostPtr::new(complex.as_mut_ptr());
        let run = |step, start: *mut R, stride, row_count| {
            let (complex, pitch) = (complex.get().cast(), 2 * pitch);
            let block =
                RealColumnBlock { step, plan, lines: count, start, stride, row_count, complex, pitch };
            // SAFETY: the caller ensures the conditions on the lines of the operand and of the output. No line of the output is in two
            // blocks. The workspace is initialised, and borrowed exclusively. `pitch` is a multiple of the lanes of each register, and
            // the lines are at most `block_lines`, so their real numbers fill at most half of it. `are_columns` has checked the level.
            unsafe { run_kernel::<R>(count, block) };
        };
        run(read_step, lines.from.offset(from).get().cast(), from_stride * of_operand, lines.read);
        let inner = columns::ColumnBlock {
            plan: &plan.complex,
            from: complex.get(),
            from_stride: pitch as isize,
            to: complex.get(),
            to_stride: pitch as isize,
            lines: count,
            factor,
            streams: false,
            workspace,
        };
        // SAFETY: the workspace has `len` initialised rows of `pitch` elements, and it is borrowed exclusively. The operand and the output
        // are the same elements. `are_columns` has checked the level.
        unsafe { inner.transform() };
        run(write_step, lines.to.offset(to).get().cast(), to_stride * of_output, written);
    })
}

/// A block of lines, for a step. A row has the elements with the same index of all lines.
struct RealColumnBlock<'a, R> {
    step: Step,
    plan: &'a RealColumnPlan<R>,
    lines: usize,
    /// The first row of the operand or the output.
    start: *mut R,
    /// The number of real numbers between the beginnings of two rows of the operand or the output.
    stride: isize,
    /// The number of rows of the operand or the output. The other rows of an operand are zeros.
    row_count: usize,
    /// The workspace, which has `len` rows of `pitch` real numbers: the complex lines.
    complex: *mut R,
    pitch: usize,
}

impl<V: FloatVector> SimdKernel<V> for RealColumnBlock<'_, V::Real>
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
    /// * The workspace has `len` initialised rows, to which access is exclusive. `pitch` is a multiple of `V::LANES`, and the real elements
    ///   of a row fill at most half of it.
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller ensures that the processor has the instruction set.
        let zero = unsafe { V::zero() };
        let one = V::Real::one();
        let reals = match self.step {
            Step::ReadReals | Step::WriteReals => self.lines,
            Step::WriteSpectra | Step::ReadSpectra => 2 * self.lines,
        };
        let kernel = RealColumnKernel {
            zero,
            signs: zero.alternating(one, -one),
            rows: WorkspaceRows::new(zero, self.start, self.stride, reals),
            complex: WorkspaceRows::new(zero, self.complex, self.pitch as isize, self.pitch),
            block: self,
        };
        match kernel.block.step {
            // SAFETY: the caller ensures the conditions.
            Step::ReadReals => unsafe { kernel.read_reals() },
            // SAFETY: the caller ensures the conditions.
            Step::WriteSpectra => unsafe { kernel.write_spectra() },
            // SAFETY: the caller ensures the conditions.
            Step::ReadSpectra => unsafe { kernel.read_spectra() },
            // SAFETY: the caller ensures the conditions.
            Step::WriteReals => unsafe { kernel.write_reals() },
        }
    }
}

/// A block with the registers of `V`.
struct RealColumnKernel<'a, V: FloatVector> {
    block: RealColumnBlock<'a, V::Real>,
    zero: V,
    /// 1 in even lanes and -1 in odd ones: the product with it is the conjugate.
    signs: V,
    /// The operand or the output.
    rows: WorkspaceRows<V>,
    /// The workspace.
    complex: WorkspaceRows<V>,
}

impl<V: FloatVector> RealColumnKernel<'_, V>
where
    V::Real: Real,
{
    /// Reads a register of a row of the operand. Rows past its last are zeros.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`RealColumnBlock::run`], and that `register` is less than `rows.registers`.
    #[inline(always)]
    unsafe fn read(&self, row: usize, register: usize) -> V {
        if row < self.block.row_count {
            // SAFETY: the operand has this row, and the caller ensures that it may be read.
            unsafe { self.rows.load(row, register) }
        } else {
            self.zero
        }
    }

    /// Returns `x` with zeros in the odd lanes: the real parts.
    #[inline(always)]
    fn real(&self, x: V) -> V {
        x.exchange(self.zero, 1).0
    }

    /// Returns the conjugate. The imaginary part is never -0.
    #[inline(always)]
    fn conj(&self, x: V) -> V {
        x.mul_add(self.signs, self.zero)
    }

    /// Returns the real and imaginary parts of the twiddle factor for index `k`, in all lanes.
    #[inline(always)]
    fn twiddle(&self, k: usize) -> [V; 2] {
        let Complex { re, im } = self.block.plan.twiddles[k];
        [self.zero.splat(re), self.zero.splat(im)]
    }

    /// # Safety
    /// The caller must ensure the conditions of [`RealColumnBlock::run`], whose step this is.
    #[inline(always)]
    unsafe fn read_reals(&self) {
        let RealColumnPlan { n, len, .. } = *self.block.plan;
        for k in 0..len {
            for register in 0..self.rows.registers {
                // SAFETY: the caller ensures the conditions.
                let mut re = unsafe { self.read(n / len * k, register) };
                let mut im = self.zero;
                if n > len {
                    // SAFETY: the caller ensures the conditions.
                    im = unsafe { self.read(2 * k + 1, register) };
                }
                // Interleave the lanes.
                let mut block = 1;
                while block < V::LANES {
                    (re, im) = re.exchange(im, block);
                    block *= 2;
                }
                // SAFETY: the workspace has `len` rows, with at least twice as many registers as the operand.
                unsafe { self.complex.store(k, 2 * register, re) };
                // SAFETY: this is the next register of the same row.
                unsafe { self.complex.store(k, 2 * register + 1, im) };
            }
        }
    }

    /// # Safety
    /// The caller must ensure the conditions of [`RealColumnBlock::run`], whose step this is.
    #[inline(always)]
    unsafe fn write_reals(&self) {
        let RealColumnPlan { n, len, .. } = *self.block.plan;
        for k in 0..len {
            for register in 0..self.rows.registers {
                // SAFETY: the workspace has `len` rows, with at least twice as many registers as the output.
                let mut re = unsafe { self.complex.load(k, 2 * register) };
                // SAFETY: this is the next register of the same row.
                let mut im = unsafe { self.complex.load(k, 2 * register + 1) };
                // Reverse `read_reals`.
                let mut block = V::LANES / 2;
                while block > 0 {
                    (re, im) = re.exchange(im, block);
                    block /= 2;
                }
                // SAFETY: the row is less than `n`, the number of rows of the output, to which the caller ensures exclusive access.
                unsafe { self.rows.store(n / len * k, register, re) };
                if n > len {
                    // SAFETY: as above: `n` is `2 * len`, so the row is less than `n`.
                    unsafe { self.rows.store(2 * k + 1, register, im) };
                }
            }
        }
    }

    /// Writes element `row` of the spectra, and its conjugate to the opposite element of whole spectra.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`RealColumnBlock::run`], whose step is [`Step::WriteSpectra`], that `row` is at most `n / 2`, and
    /// that `register` is less than `rows.registers`.
    #[inline(always)]
    unsafe fn write_spectrum(&self, row: usize, register: usize, x: V) {
        // SAFETY: the output has at least `n / 2 + 1` rows, to which the caller ensures exclusive access.
        unsafe { self.rows.store(row, register, x) };
        let RealColumnPlan { n, .. } = *self.block.plan;
        if self.block.row_count == n && row > 0 {
            // SAFETY: the row is not 0, so this one is less than `n`, and the output has all `n` rows.
            unsafe { self.rows.store(n - row, register, self.conj(x)) };
        }
    }

    /// # Safety
    /// The caller must ensure the conditions of [`RealColumnBlock::run`], whose step this is.
    #[inline(always)]
    unsafe fn write_spectra(&self) {
        let RealColumnPlan { n, len, .. } = *self.block.plan;
        for k in 0..=len / 2 {
            let [re, im] = self.twiddle(k);
            for register in 0..self.rows.registers {
                // SAFETY: `len / 2 < len`, so this is a row of the workspace. The complex elements of a row of the output fill at most it.
                let mut x = unsafe { self.complex.load(k, register) };
                if n == len {
                    if k == 0 {
                        x = self.real(x);
                    }
                    // SAFETY: `k` is at most `n / 2`. The caller ensures the other conditions.
                    unsafe { self.write_spectrum(k, register, x) };
                    continue;
                }
                // SAFETY: the row is less than `len`.
                let opposite = self.conj(unsafe { self.complex.load((len - k) % len, register) });
                // With the spectra a and b of the parts, these are a + ib and a - ib.
                let (mut a, mut b) = (x.add(opposite), self.conj(x.sub(opposite).swap_pairs()));
                if k == 0 {
                    (a, b) = (self.real(a), self.real(b));
                } else {
                    b = b.mul_sub_add(re, b.swap_pairs().mul(im));
                }
                // SAFETY: `k` is at most `n / 2`. The caller ensures the other conditions.
                unsafe { self.write_spectrum(k, register, a.add(b)) };
                // SAFETY: `len` is `n / 2`. The caller ensures the other conditions.
                unsafe { self.write_spectrum(len - k, register, self.conj(a.sub(b))) };
            }
        }
    }

    /// # Safety
    /// The caller must ensure the conditions of [`RealColumnBlock::run`], whose step this is.
    #[inline(always)]
    unsafe fn read_spectra(&self) {
        let RealColumnPlan { n, len, .. } = *self.block.plan;
        for k in 0..=len / 2 {
            let (opposite, [re, im]) = ((len - k) % len, self.twiddle(k));
            for register in 0..self.rows.registers {
                // SAFETY: the caller ensures the conditions.
                let mut x = unsafe { self.read(k, register) };
                if k == 0 {
                    x = self.real(x);
                }
                let mut conj = self.conj(x);
                if n > len {
                    // SAFETY: the caller ensures the conditions.
                    let mut other = self.conj(unsafe { self.read(len - k, register) });
                    if k == 0 {
                        other = self.real(other);
                    }
                    let (a, mut b) = (x.add(other), x.sub(other));
                    if k > 0 {
                        b = b.mul_sub_add(re, b.swap_pairs().mul(im));
                    }
                    // The product of b with i.
                    let turned = self.conj(b).swap_pairs();
                    (x, conj) = (a.add(turned), self.conj(a.sub(turned)));
                }
                // SAFETY: `opposite < len`, so this is a row of the workspace. The complex elements of a row of the operand fill at most it.
                unsafe { self.complex.store(opposite, register, conj) };
                // SAFETY: as above, with `k < len`.
                unsafe { self.complex.store(k, register, x) };
            }
        }
    }
}
