//! Transforms adjacent lines whose length has large prime factors, on x86-64. The sums of such a transform become a convolution with a
//! chirp: complex numbers of magnitude 1 whose frequency grows linearly.
//!
//! With c\[k\] = e^(-πik²/n), the result of a transform of `n` elements x is
//!
//! ```text
//! X[k] = c[k] · Σ x[j] c[j] / c[k - j], because jk = (j² + k² - (k - j)²) / 2
//! ```
//!
//! The convolution is computed by two transforms of `m` elements, a number of at least `2n - 1` with small prime factors only, by module
//! [`columns`](super::columns):
//!
//! ```text
//! for each block of lines
//!     multiply the elements by the chirp, and write them and zeros to workspace
//!     transform the m elements in workspace
//!     multiply them by the spectrum of 1/c
//!     transform them again: element m - k of the result is element k of the inverse transform
//!     multiply elements -k by the chirp, and write them to the output
//! ```
//!
//! Source: Bluestein, *A linear filtering approach to the computation of discrete Fourier transform*, IEEE Trans. Audio Electroacoust. 18
//! (1970).

use super::Real;
use super::columns::{Lines, MIN_BLOCK_LINES, Radices, Rows};
use super::radix::{radices, root};
use crate::device::Device;
use crate::device::cpu::Cpu;
use crate::device::cpu::kernels::gemm::simd::{SimdKernel, Vector};
use crate::device::cpu::loops::stream::{fence, stream_piece};
use crate::device::cpu::memory::scratch::can_allocate;
use crate::error::Error;
use num_complex::Complex;
use num_traits::{One, Zero};
use rustfft::FftPlanner;

/// Maximum length of a line: the inner transforms have at most 65536 elements, the maximum of module `columns`. 16 lines of 32749 `c64`
/// took 0.57 times as long as copies and rustfft with AVX-512, and 0.78 times with AVX2. 100 lines of 746, 1009, 1916, 4007 and 10007 took
/// 0.42, 0.75, 0.69, 0.66 and 0.66 times as long, and 0.64, 1.0, 0.95, 0.81 and 0.86 times with AVX2 (Zen 5).
pub(super) const MAX_LEN: usize = 1 << 15;
/// Minimum size of the complex elements with the same index of adjacent lines, in bytes. Fewer fill only a part of the registers: 2 lines
/// of 211, 1009 and 10007 `c64` took 1.9, 1.4 and 1.5 times as long as copies and rustfft. 4 lines took 0.55 to 0.78 times as long with
/// AVX-512, and 0.8 to 1.1 times with AVX2 (Zen 5). Module `real_columns` has other limits.
pub(super) const MIN_ROW_BYTES: usize = 64;
/// Maximum number of lines that are transformed together. With 32 lines, 100 lines of 746 `c64` took 1.1 times as long and 100 lines of
/// 10007 1.4 times, and with 8 lines 1.07 and 1.2 times (Zen 5).
const MAX_BLOCK_LINES: usize = 16;
/// Maximum number of complex numbers in the rows of the inner transforms, unless there are [`MIN_BLOCK_LINES`] lines. With twice this
/// number, 16 lines of 20011 `c64` took 1.08 times as long.
const MAX_ROWS_LEN: usize = 1 << 19;
/// The first step prefetches the operand this number of rows ahead.
const PREFETCHED_ROWS: usize = 8;

/// Before a plan is made, memory for this number times `m` complex numbers must be available.
const PLANNED_NUMBERS: usize = 4;

/// The plan of transforms of `n` elements.
#[derive(Debug)]
pub(super) struct Plan<R> {
    /// The `n` factors c\[k\].
    chirp: Vec<Complex<R>>,
    /// The transform of the `m` factors 1/c\[k\], divided by `m`.
    spectrum: Vec<Complex<R>>,
    /// The plan of transforms of `m` elements.
    inner: Radices<R>,
}

/// Returns the number of elements of the inner transforms: of the numbers that are large enough, the one whose transform takes the shortest
/// time. Each pass takes a time for each element, which depends on its radix, and the other steps take as long as a pass.
fn inner_len(n: usize) -> usize {
    let time = |m: usize| {
        let mut time = 4;
        // Relative times, measured with AVX-512 on a Zen 5.
        let rest = radices(m, |radix| {
            time += match radix {
                2 | 3 => 4,
                4 | 5 => 5,
                8 => 6,
                _ => radix,
            };
        });
        if rest == 1 { m * time } else { usize::MAX }
    };
    let min = 2 * n - 1;
    (min..=min.next_power_of_two()).min_by_key(|&m| time(m)).expect("the range is not empty")
}

impl<R: Real> Plan<R> {
    /// Returns the plan.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if there is not enough memory for the plan's tables.
    pub(super) fn new(n: usize, inverse: bool) -> Result<Plan<R>, Error> {
        let m = inner_len(n);
        let bytes = PLANNED_NUMBERS * m * size_of::<Complex<f64>>();
        if !can_allocate(bytes) {
            return Err(Error::OutOfMemory { device: Cpu.name(), bytes });
        }
        let factor = |k: usize| {
            let factor: Complex<f64> = root(k * k % (2 * n), 2 * n);
            if inverse { factor } else { factor.conj() }
        };
        let mut spectrum = vec![Complex::zero(); m];
        for k in 0..n {
            spectrum[k] = factor(k).conj() / m as f64;
            spectrum[(m - k) % m] = spectrum[k];
        }
        FftPlanner::new().plan_fft_forward(m).process(&mut spectrum);
        let rounded = |x: Complex<f64>| {
            let [re, im] =
                [x.re, x.im].map(|x| R::from_f64(x).expect("every number is a floating-point number"));
            Complex::new(re, im)
        };
        Ok(Plan {
            chirp: (0..n).map(|k| rounded(factor(k))).collect(),
            spectrum: spectrum.into_iter().map(rounded).collect(),
            inner: Radices::new(m, false),
        })
    }
}

impl<R> Plan<R> {
    pub(super) fn len(&self) -> usize {
        self.chirp.len()
    }

    /// Returns the number of lines that are transformed together, of `lines` lines.
    pub(super) fn block_lines(&self, lines: usize) -> usize {
        let max = MAX_ROWS_LEN / self.spectrum.len() / MIN_BLOCK_LINES * MIN_BLOCK_LINES;
        lines.min(max.clamp(MIN_BLOCK_LINES, MAX_BLOCK_LINES))
    }

    /// Returns the number of complex numbers of the workspace for `lines` lines.
    pub(super) fn workspace(&self, lines: usize) -> usize {
        let lines = self.block_lines(lines);
        self.spectrum.len() * lines.next_multiple_of(MIN_BLOCK_LINES) + self.inner.workspace(lines)
    }
}

impl<V: Vector> SimdKernel<V> for Lines<'_, V::Real, Plan<V::Real>> {
    /// Transforms the lines.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, that the elements of the lines of the operand may be read, and
    /// exclusive access to those of the output. The operand and the output overlap only if they are the same elements.
    #[inline(always)]
    unsafe fn run(self) {
        let plan = self.plan;
        // SAFETY: the caller ensures that the processor has the instruction set.
        let zero = unsafe { V::zero() };
        let (n, m) = (plan.chirp.len(), plan.spectrum.len());
        let block_lines = plan.block_lines(self.lines);
        for first in (0..self.lines).step_by(block_lines) {
            let reals = 2 * block_lines.min(self.lines - first);
            let registers = reals.div_ceil(V::LANES);
            let step = registers * V::LANES;
            let (rows, inner_workspace) = self.workspace.split_at_mut(m * step / 2);
            let start = rows.as_mut_ptr();
            let rows = Rows { start: start.cast(), step: step as isize, full: registers };
            let full = reals / V::LANES;
            let from = self.from.wrapping_add(first).cast_mut();
            let from = Rows { start: from.cast::<V::Real>(), step: 2 * self.from_stride, full };
            let to = Rows { start: self.to.wrapping_add(first).cast(), step: 2 * self.to_stride, full };
            let block = Block { zero, registers, mask: zero.first(reals - (registers - 1) * V::LANES) };
            for k in 0..n {
                for register in 0..registers {
                    V::prefetch(from.at(k + PREFETCHED_ROWS).wrapping_add(register * V::LANES));
                }
                // SAFETY: the caller ensures that the row of the operand may be read. The workspace has `m` rows, and is borrowed
                // exclusively.
                unsafe { block.multiply((from, k), plan.chirp[k], (rows, k)) };
            }
            for k in n..m {
                for register in 0..registers {
                    // SAFETY: the workspace has `m` rows of `registers` registers, and is borrowed exclusively.
                    unsafe { rows.store(k, register, block.mask, zero) };
                }
            }
            // The second transform is followed by no product.
            for (factor, spectrum) in [(V::Real::one(), &plan.spectrum[..]), (self.factor, &[])] {
                let lines = Lines {
                    plan: &plan.inner,
                    from: start,
                    from_stride: (step / 2) as isize,
                    to: start,
                    to_stride: (step / 2) as isize,
                    // All lanes: those past the end of a row are zeros in workspace, and are not written to the output.
                    lines: step / 2,
                    factor,
                    streams: false,
                    workspace: &mut *inner_workspace,
                };
                // SAFETY: the caller ensures that the processor has the instruction set. The workspace has `m` rows of `step` numbers,
                // which are initialised and borrowed exclusively. The operand and the output are the same elements.
                unsafe { V::within(lines) };
                for (k, &factor) in spectrum.iter().enumerate() {
                    // SAFETY: the workspace has `m` rows, and is borrowed exclusively.
                    unsafe { block.multiply((rows, k), factor, (rows, k)) };
                }
            }
            for k in 0..n {
                let row = (m - k) % m;
                let product = if self.streams { (rows, row) } else { (to, k) };
                // SAFETY: the workspace has `m` rows, and is borrowed exclusively. The caller ensures exclusive access to the rows of the
                // output.
                unsafe { block.multiply((rows, row), plan.chirp[k], product) };
                if self.streams {
                    let bytes = reals * size_of::<V::Real>();
                    // SAFETY: these are rows of the workspace and of the output, with `reals` numbers each. The caller ensures exclusive
                    // access to the output. `fence` is called below.
                    unsafe { stream_piece(rows.at(row).cast(), to.at(k).cast(), bytes, None) };
                }
            }
        }
        if self.streams {
            fence();
        }
    }
}

/// A block of lines.
struct Block<V: Vector> {
    zero: V,
    /// The number of registers that hold a row.
    registers: usize,
    /// The lanes of the last register that belong to a row of the operand or the output.
    mask: V::Mask,
}

impl<V: Vector> Block<V> {
    /// Multiplies a row by `factor`, and writes the products to row `to`.
    ///
    /// # Safety
    /// The caller must ensure that the row may be read, and exclusive access to row `to`, which is the same row or does not overlap it.
    #[inline(always)]
    unsafe fn multiply(
        &self,
        (from, row): (Rows<V::Real>, usize),
        factor: Complex<V::Real>,
        (to, to_row): (Rows<V::Real>, usize),
    ) {
        let (re, im) = (self.zero.splat(factor.re), self.zero.splat(factor.im));
        for register in 0..self.registers {
            // SAFETY: the caller ensures that the row may be read. `zero` exists, so the processor has the instruction set.
            let x: V = unsafe { from.load(row, register, self.mask) };
            let x = x.mul_sub_add(re, x.swap_pairs().mul(im));
            // SAFETY: the caller ensures exclusive access to the row.
            unsafe { to.store(to_row, register, self.mask, x) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::has_radices;
    use super::*;
    use crate::simd::tests::at_each_level;
    use crate::{Rank, Tensor, c64};

    #[test]
    fn inner_lengths_fit_and_have_plans() {
        for n in (2..1200).chain([1 << 12, 20_011, MAX_LEN - 1, MAX_LEN]) {
            let m = inner_len(n);
            assert!(m >= 2 * n - 1 && m <= 4 * n && has_radices(m), "{n}: {m}");
        }
        // Radix 8 is preferred to lengths that are less.
        assert_eq!([746, 1009, 1916].map(inner_len), [1536, 2048, 4096]);
    }

    #[test]
    fn chirp_lines_do_not_affect_each_other() {
        for n in [211, 422] {
            let x = Tensor::<c64, Rank<2>>::from_fn([n, 20], |[i, k]| match k {
                3 if i == 7 => Complex::new(f64::NAN, 0.0),
                8 if i == 2 => Complex::new(0.0, f64::INFINITY),
                5 => Complex::new((i * i) as f64 * 1e-200, 1e-200),
                _ => Complex::new((i * (k + 1) % 11) as f64 * 1e50, (i % 5) as f64 * 1e50),
            });
            at_each_level(|| {
                let found = x.fft(0);
                for k in (0..20).filter(|k| ![3, 8].contains(k)) {
                    let expected = x.index_axis(1, k).fft(0);
                    let error = (found.index_axis(1, k) - &expected).abs().max().item();
                    assert!(error <= 1e-14 * expected.abs().max().item(), "{n}, {k}: {error}");
                }
                for k in [3, 8] {
                    assert!(
                        found.index_axis(1, k).iter().all(|x| !x.re.is_finite() || !x.im.is_finite()),
                        "{n}, {k}"
                    );
                }
            });
        }
    }
}
