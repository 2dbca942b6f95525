//! Transforms long adjacent lines, or few of them, by module [`columns`]. A line of `first * second` elements is a matrix with `first`
//! rows:
//!
//! ```text
//! for each group of up to MAX_LINES adjacent lines                                            (Plan::transform)
//!     for blocks of columns of the matrices                                                   (Columns)
//!         transform the columns, multiply them by twiddle factors
//!         write them to a buffer as the rows of matrices with `second` rows
//!     transform the columns of these matrices, and write them to the output                   (AxisPass)
//! ```
//!
//! Both steps transform short lines, whose workspace fits into the cache. The passes for whole long lines would read it from memory and
//! write it again. If there are no gaps between the elements of few lines, the columns of the matrices are many adjacent lines, which fill
//! all registers.
//!
//! Source: Bailey, *FFTs in external or hierarchical memory*, J. Supercomputing 4 (1990). This is the four-step algorithm.

use super::columns::{self, AxisPass, Rows};
use super::radix::{self, root};
use super::{
    Real, WORK, adjacent_lines, check_workspace, max_adjacent, out_of_memory, over_lines, plans, run_kernel,
    with_workspace,
};
use crate::device::cpu::HostPtr;
use crate::device::cpu::kernels::gemm::simd::{SimdKernel, Vector};
use crate::device::cpu::loops::threads::over_parts;
use crate::device::cpu::memory::scratch::Side;
use crate::element::Element;
use crate::error::Error;
use crate::layout::plan::Plan as Loops;
use core::sync::atomic::{AtomicBool, Ordering};
use num_complex::Complex;
use std::sync::Arc;

/// Maximum number of lines of a group. The buffer has a copy of them.
const MAX_LINES: usize = 16;
/// Up to this number of lines is transformed by this module if they have at least [`MIN_LEN`] elements. 4 lines of 4096 and 65536 `c64`
/// take 0.96 and 0.93 times as long as in module [`columns`] with AVX-512, and 0.82 and 0.80 times with AVX2; 6 lines of 65536 took 0.92
/// and 1.07 times, and 200 times 4 lines of 512 took 1.25 times with AVX-512 (Zen 5).
const MAX_FEW_LINES: usize = 5;
const MIN_LEN: usize = 2048;
/// Lines whose elements with the same index have at most this size, in bytes, fill only a part of a register in module [`columns`], and are
/// transformed by this module from a length of [`MIN_NARROW_LEN`]. 2 lines of 1024, 4096 and 65536 `c64` take 0.74, 0.57 and 0.47 times as
/// long with AVX-512, and 0.83, 0.74 and 0.60 times with AVX2.
const MAX_NARROW_BYTES: usize = 32;
const MIN_NARROW_LEN: usize = 256;
/// Number of complex numbers in a row of a block: several columns of each line of the group.
const BLOCK_LEN: usize = 32;
/// Number of complex numbers between the beginnings of two rows of a block. Rows that are a power of two apart conflict in the cache.
const BLOCK_PITCH: usize = BLOCK_LEN + 4;

/// The plan of transforms of `first * second` elements.
#[derive(Debug)]
pub(super) struct Plan<R> {
    first: usize,
    second: usize,
    /// The transforms of `first` elements.
    columns: Arc<columns::Plan<R>>,
    /// The transforms of `second` elements.
    rows: Arc<columns::Plan<R>>,
    /// For each column of the matrix, the twiddle factors of its `first` elements.
    twiddles: Vec<Complex<R>>,
}

/// Returns the number of rows of the matrix and its number of columns, which is not smaller, for lines of `n` elements.
fn extents(n: usize) -> Option<[usize; 2]> {
    let first = (2..=n.isqrt()).rev().find(|&first| n.is_multiple_of(first))?;
    Some([first, n / first])
}

/// Returns whether `lines` adjacent lines of `n` elements are transformed by this module: there is a plan for the length, and the lines are
/// too long for module [`columns`], or too few to fill its registers.
pub(super) fn are_long<R>(n: usize, lines: usize) -> bool {
    let are_few = lines <= MAX_FEW_LINES && n >= MIN_LEN;
    let are_narrow = lines * size_of::<Complex<R>>() <= MAX_NARROW_BYTES && n >= MIN_NARROW_LEN;
    (n > columns::MAX_LEN || are_few || are_narrow) && has_plan(n)
}

/// Returns whether there is a plan for lines of `n` elements.
fn has_plan(n: usize) -> bool {
    n > 0
        && radix::radices(n, |_| {}) == 1
        && extents(n).is_some_and(|extents| extents.into_iter().all(columns::has_radices))
}

impl<R: Real> Plan<R> {
    /// Returns the plan. There must be one: see [`has_plan`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if there is not enough memory for the plan's tables.
    pub(super) fn new(n: usize, inverse: bool) -> Result<Plan<R>, Error> {
        let [first, second] = extents(n).expect("the caller checks that there is a plan");
        let powers = (0..second).flat_map(|k| (0..first).map(move |j| k * j));
        let twiddles = powers.map(|power| root(power, n));
        let twiddles = twiddles.map(|factor: Complex<R>| if inverse { factor } else { factor.conj() });
        let (columns, rows) = (plans::columns(first, inverse)?, plans::columns(second, inverse)?);
        Ok(Plan { first, second, columns, rows, twiddles: twiddles.collect() })
    }
}

impl<R: Real> Plan<R>
where
    Complex<R>: Element,
{
    /// Transforms the lines of a part of the output. See [`AxisPass::over_lines`] for the arguments and errors.
    ///
    /// # Safety
    /// The conditions of [`AxisPass::over_lines`].
    pub(super) unsafe fn over_lines(
        &self,
        pass: AxisPass<R>,
        axis: usize,
        shape: &[usize],
        strides: [&[isize]; 2],
    ) -> Result<(), Error> {
        let (n, len) = (self.first * self.second, self.buffer(max_adjacent(axis, shape, strides)));
        check_workspace::<Complex<R>>(len)?;
        let failed = AtomicBool::new(false);
        over_lines(axis, shape, strides, n * size_of::<Complex<R>>(), MAX_LINES, &|part| {
            with_workspace(Side::B, len, &failed, |buffer| {
                adjacent_lines(part, &mut |[to, from], lines| {
                    let (from, to) = (pass.from.offset(from), pass.to.offset(to));
                    // SAFETY: each index of `part` is one of `shape`, for whose lines the caller ensures the conditions. No line of the
                    // output is in two parts.
                    if unsafe { self.transform(AxisPass { from, to, ..pass }, lines, buffer) }.is_err() {
                        failed.store(true, Ordering::Relaxed);
                    }
                });
            });
        });
        if failed.load(Ordering::Relaxed) { Err(out_of_memory::<Complex<R>>(len)) } else { Ok(()) }
    }

    /// Returns the number of complex numbers of the buffer for `lines` lines.
    fn buffer(&self, lines: usize) -> usize {
        self.first * self.second * MAX_LINES.min(lines)
    }

    /// Transforms `lines` adjacent lines, the first of which begins at `pass.from`. The results of it begin at `pass.to`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if an allocation fails. The output then has unspecified elements.
    ///
    /// # Panics
    /// If `buffer` is shorter than [`Plan::buffer`].
    ///
    /// # Safety
    /// The caller must ensure that the elements of the lines of the operand may be read, exclusive access to those of the output, and that
    /// the processor has AVX2. The operand and the output overlap only if they are the same elements.
    unsafe fn transform(
        &self,
        pass: AxisPass<R>,
        lines: usize,
        buffer: &mut [Complex<R>],
    ) -> Result<(), Error> {
        let Plan { first, second, .. } = *self;
        assert!(buffer.len() >= self.buffer(lines));
        let buffer = HostPtr::new(buffer.as_mut_ptr());
        for line in (0..lines).step_by(MAX_LINES) {
            let lines = MAX_LINES.min(lines - line);
            let [line, count, first_len] = [line, lines, first].map(|x| x as isize);
            let columns = Columns {
                plan: self,
                from: pass.from.offset(line),
                from_stride: pass.from_stride,
                to: buffer,
                lines,
            };
            // SAFETY: these are some of the lines, for which the caller ensures the conditions. The buffer has room for them, and is
            // borrowed exclusively.
            unsafe { columns.transform() }?;
            let rows = AxisPass {
                from: buffer,
                from_stride: first_len * count,
                to: pass.to.offset(line),
                to_stride: first_len * pass.to_stride,
                ..pass
            };
            let strides = [[rows.to_stride, pass.to_stride, 1], [rows.from_stride, count, 1]];
            // SAFETY: the buffer has `second` rows of `first` elements of each line, which `columns` has written. Their transforms are the
            // elements of the lines of the output, to which the caller ensures exclusive access.
            unsafe { rows.over_lines(&self.rows, 0, &[second, first, lines], [&strides[0], &strides[1]]) }?;
        }
        Ok(())
    }
}

/// A group of adjacent lines, for the first step.
struct Columns<'a, R> {
    plan: &'a Plan<R>,
    from: HostPtr<Complex<R>>,
    from_stride: isize,
    /// The buffer, which has a matrix with `second` rows. Their elements are `first` elements of each line.
    to: HostPtr<Complex<R>>,
    lines: usize,
}

impl<R: Real> Columns<'_, R>
where
    Complex<R>: Element,
{
    /// Computes the first step, on several threads if there is enough work.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if an allocation fails.
    ///
    /// # Safety
    /// The caller must ensure that the elements of the lines may be read, exclusive access to the buffer, and that the processor has AVX2.
    unsafe fn transform(&self) -> Result<(), Error> {
        let Columns { plan, lines, .. } = *self;
        let together = (BLOCK_LEN / lines).min(plan.second);
        let block_len = plan.first * BLOCK_PITCH;
        let len = block_len + plan.columns.workspace(together * lines);
        check_workspace::<Complex<R>>(len)?;
        let failed = AtomicBool::new(false);
        let loops = Loops::line(plan.second, [(plan.first * lines) as isize, self.from_stride]);
        let work = plan.first * lines * size_of::<Complex<R>>() * WORK;
        over_parts(&loops, work, &|_| together, &|part| {
            with_workspace(Side::A, len, &failed, |workspace| {
                let (block, workspace) = workspace.split_at_mut(block_len);
                let (count, [to_step, from_step], [to, from]) =
                    (part.inner_len(), part.inner_strides(), part.offsets());
                for start in (0..count).step_by(together) {
                    let at = start as isize;
                    let (from, to) = (from + at * from_step, to + at * to_step);
                    // SAFETY: these are some of the columns, for which the caller ensures the conditions. No column is in two parts.
                    unsafe { self.block([to, from], together.min(count - start), block, workspace) };
                }
            });
        });
        if failed.load(Ordering::Relaxed) { Err(out_of_memory::<Complex<R>>(len)) } else { Ok(()) }
    }

    /// Computes the step for `count` columns of each line. `to` and `from` are the offsets of the first one in the buffer and in the
    /// operand. `block` has `first` rows of [`BLOCK_PITCH`] elements, the transformed columns.
    ///
    /// # Safety
    /// The conditions of [`transform`](Self::transform) for these columns.
    unsafe fn block(
        &self,
        [to, from]: [isize; 2],
        count: usize,
        block: &mut [Complex<R>],
        workspace: &mut [Complex<R>],
    ) {
        let Columns { plan, from_stride, lines, .. } = *self;
        // All columns are adjacent if there are no gaps between the elements of the lines.
        let together = if from_stride == lines as isize { count } else { 1 };
        let start = HostPtr::new(block.as_mut_ptr());
        for column in (0..count).step_by(together) {
            let lines = lines * together;
            let columns = columns::Lines {
                plan: &*plan.columns,
                from: self.from.offset(from + column as isize * from_stride).get(),
                from_stride: from_stride * plan.second as isize,
                to: start.offset((column * self.lines) as isize).get(),
                to_stride: BLOCK_PITCH as isize,
                lines,
                factor: R::one(),
                streams: false,
                workspace: &mut *workspace,
            };
            // SAFETY: from `from` on, the operand has these lines of `first` elements, which may be read, and the block has `first` rows of
            // `BLOCK_PITCH` elements, which have room for all columns. It is borrowed exclusively. The caller ensures that the
            // processor has AVX2.
            unsafe { columns.transform() };
        }
        let index = to as usize / (plan.first * lines);
        for column in 0..count {
            let rows = Twiddled {
                twiddles: &plan.twiddles[(index + column) * plan.first..][..plan.first],
                from: start.offset((column * lines) as isize).get(),
                to: self.to.offset(to + (column * plan.first * lines) as isize).get(),
                lines,
            };
            // SAFETY: the block has the transformed column, in `first` rows of `lines` elements. From `to` on, the buffer has as many
            // elements for it. No other part has the same column, so access is exclusive. The caller ensures that the
            // processor has AVX2.
            unsafe { run_kernel::<R>(lines, rows) };
        }
    }
}

/// A column of each line of the group in a block: `lines` adjacent lines, whose elements are multiplied by twiddle factors and written to
/// the buffer, without gaps.
struct Twiddled<'a, R> {
    twiddles: &'a [Complex<R>],
    from: *mut Complex<R>,
    to: *mut Complex<R>,
    lines: usize,
}

impl<V: Vector> SimdKernel<V> for Twiddled<'_, V::Real> {
    /// Multiplies and writes the elements.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, that there is at least one line, that from `from` on there is a
    /// row of `lines` initialised elements for each factor, [`BLOCK_PITCH`] elements apart, and exclusive access to as many adjacent rows
    /// from `to` on.
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller ensures that the processor has the instruction set.
        let zero = unsafe { V::zero() };
        let reals = 2 * self.lines;
        let (registers, full) = (reals.div_ceil(V::LANES), reals / V::LANES);
        let mask = zero.first(reals - (registers - 1) * V::LANES);
        let from = Rows { start: self.from.cast(), step: 2 * BLOCK_PITCH as isize, full };
        let to = Rows { start: self.to.cast(), step: reals as isize, full };
        for (row, &Complex { re, im }) in self.twiddles.iter().enumerate() {
            let (re, im) = (zero.splat(re), zero.splat(im));
            for register in 0..registers {
                // SAFETY: the caller ensures that the row may be read. `full` and `mask` are those of its elements.
                let x: V = unsafe { from.load(row, register, mask) };
                let x = x.mul_sub_add(re, x.swap_pairs().mul(im));
                // SAFETY: the caller ensures exclusive access to the row. `full` and `mask` are those of its elements.
                unsafe { to.store(row, register, mask, x) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::tests::at_each_level;
    use crate::{Rank, Tensor, c32, c64, s};

    fn numbers(n: usize, lines: usize) -> Tensor<c64, Rank<2>> {
        Tensor::from_fn([n, lines], |[i, k]| {
            Complex::new(((i * 7919 + k * 31) % 1009) as f64 - 500.0, ((i * i + 7 * k) % 101) as f64 - 50.0)
        })
    }

    /// Compares transforms along axis 0 with those of contiguous lines, which rustfft computes.
    fn check(x: &Tensor<c64, Rank<2>>) {
        let contiguous = x.t().to_owned();
        let expected = [contiguous.fft(1), contiguous.ifft(1)];
        at_each_level(|| {
            for (found, expected) in [x.fft(0), x.ifft(0)].iter().zip(&expected) {
                let error = (found - expected.t()).abs().max().item();
                assert!(error <= 4e-15 * expected.abs().max().item(), "{:?}: {error}", x.shape());
            }
            let narrow = x.cast::<c32>();
            let error = (narrow.fft(0).cast::<c64>() - expected[0].t()).abs().max().item();
            assert!(error <= 2e-6 * expected[0].abs().max().item(), "{:?}: {error}", x.shape());
        });
    }

    #[test]
    fn few_lines() {
        for (n, lines) in
            [(256, 2), (289, 2), (1001, 2), (2048, 3), (2197, 4), (3481, 5), (4096, 2), (10_000, 3)]
        {
            check(&numbers(n, lines));
        }
    }

    #[test]
    fn long_lines() {
        // Several groups, the last of which has one line.
        assert!(are_long::<f64>(66_000, 17));
        check(&numbers(66_000, 17));
    }

    #[test]
    fn strided_lines_and_passes_in_place() {
        // Lines with gaps between them, and lines that run backwards.
        let whole = numbers(2000, 7);
        for x in [whole.slice(s![.., 2..5]), whole.slice(s![..;-1, 1..5])] {
            let expected = x.t().to_owned().fft(1);
            at_each_level(|| {
                let mut out = Tensor::<c64, Rank<2>>::zeros([2000, 9]);
                let lines = x.shape()[1];
                x.fft_into(0, &mut out.slice_mut(s![.., 3..3 + lines]));
                let error = (out.slice(s![.., 3..3 + lines]) - expected.t()).abs().max().item();
                assert!(error <= 4e-15 * expected.abs().max().item(), "{error}");
                assert!(out.slice(s![.., ..3]).iter().all(|x| x.norm() == 0.0));
            });
        }
        // 17 lines, the last of which is a group of its own, with outputs that run backwards, and lines of equal elements.
        let x = numbers(70_000, 17);
        let same = x.slice(s![..1, ..]).broadcast_to([70_000, 17]);
        let expected = x.t().to_owned().fft(1);
        at_each_level(|| {
            let mut out = Tensor::<c64, Rank<2>>::zeros([70_000, 18]);
            x.fft_into(0, &mut out.slice_mut(s![..;-1, 1..]));
            let error = (out.slice(s![..;-1, 1..]) - expected.t()).abs().max().item();
            assert!(error <= 4e-15 * expected.abs().max().item(), "{error}");
            let spectrum = same.fft(0);
            assert!(
                (spectrum.slice(s![..1, ..]) - x.slice(s![..1, ..]) * 70_000.0).abs().max().item() < 1e-6
            );
            assert!(spectrum.slice(s![1.., ..]).abs().max().item() < 1e-6);
        });
        // The second pass is in place. The other axis of a batch has its own lines.
        let x = Tensor::<c64, Rank<3>>::from_fn([3, 1024, 4], |[b, i, k]| {
            Complex::new(((b * 77 + i * i + 31 * k) % 101) as f64, ((i + 7 * k) % 13) as f64)
        });
        let expected = x.fft(2).permute([0, 2, 1]).to_owned().fft(2);
        at_each_level(|| {
            let error = (x.fft_axes([1, 2]).permute([0, 2, 1]) - &expected).abs().max().item();
            assert!(error <= 4e-15 * expected.abs().max().item(), "{error}");
        });
    }

    #[test]
    fn lengths() {
        assert_eq!(extents(262_144), Some([512, 512]));
        assert_eq!(extents(2 * 65_536), Some([256, 512]));
        assert_eq!([1, 2, 3, 199, 0].map(extents), [None; 5]);
        assert!([0, 1, 199, 211 * 1024, 65_537].into_iter().all(|n| !has_plan(n)));
        assert!(are_long::<f64>(256, 2) && !are_long::<f64>(255, 2) && !are_long::<f64>(1024, 3));
        assert!(are_long::<f64>(2048, 5) && !are_long::<f64>(2048, 6) && are_long::<f64>(1 << 17, 6));
    }
}
