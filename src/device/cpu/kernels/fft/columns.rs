//! Transforms adjacent lines without copies, on x86-64: elements with the same index in neighbouring lines are adjacent in memory, as in the
//! columns of a row-major matrix, and a SIMD register holds such elements of several lines. rustfft transforms contiguous lines only.
//!
//! ```text
//! for each block of BLOCK_LINES lines
//!     first pass: read the elements of the operand in digit-reversed order, transform groups of them
//!     further passes, in workspace: multiply by twiddle factors, transform groups of distant elements
//!     the last pass writes to the output
//! ```
//!
//! This is the algorithm of Cooley and Tukey, *An algorithm for the machine calculation of complex Fourier series*, Math. Comp. 19 (1965),
//! with decimation in time, for lengths whose prime factors are 2, 3 and 5.
//!
//! Compared with copies to contiguous lines, rustfft and copies back, transforms of `c64` on a Zen 5 take 0.25 times (100 × 200 along axis 0)
//! to 0.75 times (64 × 16384) as long with AVX-512, and 0.35 to 0.95 times with AVX2.

use super::Real;
use crate::device::cpu::kernels::gemm::simd::{SimdKernel, Vector};
use crate::device::cpu::loops::stream::{fence, stream_piece};
use num_complex::Complex;
use num_traits::One;

/// Number of lines that are transformed together. Longer pieces of rows are read faster from memory, and need more workspace.
const BLOCK_LINES: usize = 32;
/// Maximum length of a line. The workspace for longer lines would be much larger than L2.
const MAX_LEN: usize = 1 << 14;
/// The radices, in the order of the passes.
const RADICES: [usize; 4] = [5, 3, 4, 2];

/// A pass transforms groups of `radix` elements that are `span` elements apart.
#[derive(Debug, Clone, Copy)]
struct Pass {
    radix: usize,
    span: usize,
    /// The index of its first twiddle factor.
    twiddles: usize,
}

/// The plan of transforms of `n` elements.
#[derive(Debug)]
pub(in crate::device) struct Plan<R> {
    n: usize,
    inverse: bool,
    passes: Vec<Pass>,
    /// For each group of the first pass, the index of its first element.
    first: Vec<usize>,
    /// For each pass but the first, `radix - 1` factors for each index below `span`.
    twiddles: Vec<Complex<R>>,
    /// The cosines and sines of the angles 2π/3, 2π/5 and 4π/5.
    cos: [R; 3],
    sin: [R; 3],
}

/// Returns whether there is a plan for lines of `n` elements.
pub(super) fn has_plan(n: usize) -> bool {
    (2..=MAX_LEN).contains(&n) && radices(n).1 == 1
}

/// Returns the radices of the passes for `n` elements, and the product of the other prime factors of `n`, which must not be 0.
fn radices(n: usize) -> (Vec<usize>, usize) {
    let (mut radices, mut rest) = (Vec::new(), n);
    for radix in RADICES {
        while rest.is_multiple_of(radix) {
            radices.push(radix);
            rest /= radix;
        }
    }
    (radices, rest)
}

impl<R: Real> Plan<R> {
    /// Returns the plan.
    ///
    /// # Panics
    /// If there is none: see [`has_plan`].
    pub(super) fn new(n: usize, inverse: bool) -> Plan<R> {
        assert!(has_plan(n), "the length has only the prime factors 2, 3 and 5");
        let (radices, _) = radices(n);
        let real = |x: f64| R::from_f64(x).expect("every number is a floating-point number");
        let angle = |part: usize, of: usize| core::f64::consts::TAU * part as f64 / of as f64;
        let (mut span, mut twiddles, mut passes) = (1, Vec::new(), Vec::new());
        for &radix in &radices {
            passes.push(Pass { radix, span, twiddles: twiddles.len() });
            if span > 1 {
                for factor in (0..span).flat_map(|k| (1..radix).map(move |j| k * j)) {
                    let (sin, cos) = angle(factor, span * radix).sin_cos();
                    twiddles.push(Complex::new(real(cos), real(if inverse { sin } else { -sin })));
                }
            }
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
        let angles = [angle(1, 3), angle(1, 5), angle(2, 5)];
        Plan {
            n,
            inverse,
            passes,
            first: (0..groups).map(first).collect(),
            twiddles,
            cos: angles.map(|angle| real(angle.cos())),
            sin: angles.map(|angle| real(angle.sin())),
        }
    }

    /// Returns the number of complex numbers of the workspace for `lines` lines.
    pub(super) fn workspace(&self, lines: usize) -> usize {
        self.n * lines.next_multiple_of(8).min(BLOCK_LINES)
    }
}

/// Lines to transform. `from` and `to` are the addresses of the first element of the first line, in the operand and in the output. Elements
/// of a line are `from_stride` and `to_stride` elements apart; the next line begins at the next element.
pub(in crate::device) struct Lines<'a, R> {
    pub(super) plan: &'a Plan<R>,
    pub(super) from: *const Complex<R>,
    pub(super) from_stride: isize,
    pub(super) to: *mut Complex<R>,
    pub(super) to_stride: isize,
    pub(super) lines: usize,
    /// The results are multiplied by this factor.
    pub(super) factor: R,
    /// Whether the output is written with non-temporal stores.
    pub(super) streams: bool,
    /// Has the length [`Plan::workspace`] for these lines.
    pub(super) workspace: &'a mut [Complex<R>],
}

/// Constants in all lanes of a register.
#[derive(Clone, Copy)]
struct Constants<V> {
    /// -1 in even lanes and 1 in odd ones, so that the product with swapped real and imaginary parts is the product with i. For an inverse
    /// transform, 1 in even lanes and -1 in odd ones: the product with -i.
    turn: V,
    /// The negated `turn`.
    turn_back: V,
    cos: [V; 3],
    sin: [V; 3],
}

impl<V: Vector> Constants<V> {
    /// Returns `a + i·b`, or `a - i·b` for an inverse transform.
    #[inline(always)]
    fn plus_turned(&self, a: V, b: V) -> V {
        b.swap_pairs().mul_add(self.turn, a)
    }
    /// Returns `a - i·b`, or `a + i·b` for an inverse transform.
    #[inline(always)]
    fn minus_turned(&self, a: V, b: V) -> V {
        b.swap_pairs().mul_add(self.turn_back, a)
    }
}

/// The transforms of `K` elements. A trait, because closures would be compiled without the instruction set of `V`.
trait Radix<V, const K: usize> {
    fn transform(&self, x: [V; K]) -> [V; K];
}

impl<V: Vector> Radix<V, 2> for Constants<V> {
    #[inline(always)]
    fn transform(&self, [a, b]: [V; 2]) -> [V; 2] {
        [a.add(b), a.sub(b)]
    }
}

impl<V: Vector> Radix<V, 3> for Constants<V> {
    #[inline(always)]
    fn transform(&self, [a, b, c]: [V; 3]) -> [V; 3] {
        let (sum, difference) = (b.add(c), b.sub(c).mul(self.sin[0]));
        let middle = sum.mul_add(self.cos[0], a);
        [a.add(sum), self.minus_turned(middle, difference), self.plus_turned(middle, difference)]
    }
}

impl<V: Vector> Radix<V, 4> for Constants<V> {
    #[inline(always)]
    fn transform(&self, [a, b, c, d]: [V; 4]) -> [V; 4] {
        let (even, even_difference) = (a.add(c), a.sub(c));
        let (odd, odd_difference) = (b.add(d), b.sub(d));
        [
            even.add(odd),
            self.minus_turned(even_difference, odd_difference),
            even.sub(odd),
            self.plus_turned(even_difference, odd_difference),
        ]
    }
}

impl<V: Vector> Radix<V, 5> for Constants<V> {
    #[inline(always)]
    fn transform(&self, [a, b, c, d, e]: [V; 5]) -> [V; 5] {
        let ([_, cos_1, cos_2], [_, sin_1, sin_2]) = (self.cos, self.sin);
        let (outer, inner) = (b.add(e), c.add(d));
        let (outer_difference, inner_difference) = (b.sub(e), c.sub(d));
        let one = inner.mul_add(cos_2, outer.mul_add(cos_1, a));
        let two = inner.mul_add(cos_1, outer.mul_add(cos_2, a));
        let turned_one = inner_difference.mul_add(sin_2, outer_difference.mul(sin_1));
        let turned_two = outer_difference.mul(sin_2).sub(inner_difference.mul(sin_1));
        [
            a.add(outer.add(inner)),
            self.minus_turned(one, turned_one),
            self.minus_turned(two, turned_two),
            self.plus_turned(two, turned_two),
            self.plus_turned(one, turned_one),
        ]
    }
}

/// Rows of numbers: row `i` has the elements with index `i` of the lines of a block. `step` is the number of real numbers between the
/// beginnings of two rows.
#[derive(Clone, Copy)]
struct Rows<R> {
    start: *mut R,
    step: isize,
}

impl<R> Rows<R> {
    #[inline(always)]
    fn at(self, row: usize) -> *mut R {
        self.start.wrapping_offset(row as isize * self.step)
    }
}

/// The registers with the elements of a row of a block.
struct Block<V: Vector> {
    constants: Constants<V>,
    /// The number of registers.
    registers: usize,
    /// The lanes of the last register that belong to the row.
    mask: V::Mask,
    factor: V,
}

impl<V: Vector> Block<V> {
    /// Transforms `K` rows of `from`, the first of which is `row`, and which are `apart` rows apart. Multiplies all but the first by
    /// `twiddles`, unless these are empty. Writes the results to rows `to_row`, `to_row + to_apart` and so on of `to`, multiplied by `factor`
    /// if `scales`.
    ///
    /// # Safety
    /// The caller must ensure that these rows of `from` may be read, and exclusive access to these rows of `to`. If some of them overlap, they
    /// must be the same rows in the same order.
    #[inline(always)]
    unsafe fn group<const K: usize, const TWIDDLED: bool>(
        &self,
        (from, row, apart): (Rows<V::Real>, usize, usize),
        (to, to_row, to_apart): (Rows<V::Real>, usize, usize),
        twiddles: &[Complex<V::Real>],
        scales: bool,
    ) where
        Constants<V>: Radix<V, K>,
    {
        for register in 0..self.registers {
            let (at, is_last) = (register * V::LANES, register + 1 == self.registers);
            let mut x = [self.factor; K];
            for j in 0..K {
                let from = from.at(row + j * apart).wrapping_add(at);
                x[j] = if is_last {
                    // SAFETY: this is a part of a row of `from`, which the caller ensures may be read; `mask` selects its lanes. `self`
                    // has registers, so the processor has the instruction set.
                    unsafe { V::load_some(from, self.mask) }
                } else {
                    // SAFETY: these lanes are a part of a row of `from`, which the caller ensures may be read. `self` has registers, so the
                    // processor has the instruction set.
                    unsafe { V::load(from) }
                };
                if TWIDDLED && j > 0 {
                    let Complex { re, im } = twiddles[j - 1];
                    let (re, im) = (self.factor.splat(re), self.factor.splat(im));
                    x[j] = x[j].mul_sub_add(re, x[j].swap_pairs().mul(im));
                }
            }
            for (j, result) in self.constants.transform(x).into_iter().enumerate() {
                let to = to.at(to_row + j * to_apart).wrapping_add(at);
                let result = if scales { result.mul(self.factor) } else { result };
                if is_last {
                    // SAFETY: this is a part of a row of `to`, to which the caller ensures exclusive access; `mask` selects its lanes.
                    unsafe { result.store_some(to, self.mask) }
                } else {
                    // SAFETY: these lanes are a part of a row of `to`, to which the caller ensures exclusive access.
                    unsafe { result.store(to) }
                }
            }
        }
    }

    /// Computes the first pass of `plan`.
    ///
    /// # Safety
    /// The caller must ensure that the `n` rows of `from` may be read, and exclusive access to those of `to`. They overlap only if there is a
    /// single pass, and are then the same rows.
    #[inline(always)]
    unsafe fn first<const K: usize>(
        &self,
        plan: &Plan<V::Real>,
        from: Rows<V::Real>,
        to: Rows<V::Real>,
        scales: bool,
    ) where
        Constants<V>: Radix<V, K>,
    {
        let apart = plan.first.len();
        for (group, &row) in plan.first.iter().enumerate() {
            // SAFETY: `row` is less than the number of groups, `apart`, and there are `K * apart` rows. So the groups read and write each row
            // once. The caller ensures access to the rows. In a single pass, `row`, `group` and `apart` are 0, 0 and 1.
            unsafe { self.group::<K, false>((from, row, apart), (to, group * K, 1), &[], scales) };
        }
    }

    /// Computes a pass of `plan` after the first.
    ///
    /// # Safety
    /// The caller must ensure that the `n` rows of `from` may be read, and exclusive access to those of `to`. They overlap only if they are
    /// the same rows.
    #[inline(always)]
    unsafe fn later<const K: usize>(
        &self,
        plan: &Plan<V::Real>,
        pass: Pass,
        from: Rows<V::Real>,
        to: Rows<V::Real>,
        scales: bool,
    ) where
        Constants<V>: Radix<V, K>,
    {
        let span = pass.span;
        for start in (0..plan.n).step_by(span * K) {
            let twiddles = plan.twiddles[pass.twiddles..].chunks_exact(K - 1);
            for (row, twiddles) in (start..start + span).zip(twiddles) {
                // SAFETY: `span * K` divides `n`, so these are `K` of the `n` rows, to which the caller ensures access. Each row is in one
                // group.
                unsafe { self.group::<K, true>((from, row, span), (to, row, span), twiddles, scales) };
            }
        }
    }

    /// Transforms a block. If `streams`, writes the results to `workspace` only.
    ///
    /// # Safety
    /// The caller must ensure that the `n` rows of `from` may be read, and exclusive access to those of `to` and `workspace`. Rows of
    /// `from` and `to` overlap only if they are the same rows.
    #[inline(always)]
    unsafe fn transform(
        &self,
        plan: &Plan<V::Real>,
        from: Rows<V::Real>,
        to: Rows<V::Real>,
        workspace: Rows<V::Real>,
        streams: bool,
        scales: bool,
    ) {
        for (k, &pass) in plan.passes.iter().enumerate() {
            let is_last = k + 1 == plan.passes.len();
            let (to, scales) = (if is_last && !streams { to } else { workspace }, is_last && scales);
            macro_rules! pass {
                ($($radix:literal)*) => {
                    match (pass.radix, k) {
                        $(
                            // SAFETY: the first pass reads `from` and writes `workspace`, or `to` if there is a single pass. The caller
                            // ensures access to these rows.
                            ($radix, 0) => unsafe { self.first::<$radix>(plan, from, to, scales) },
                            // SAFETY: this pass reads `workspace`, and writes it or `to`. The caller ensures access to these rows.
                            ($radix, _) => unsafe { self.later::<$radix>(plan, pass, workspace, to, scales) },
                        )*
                        _ => unreachable!("the radix is one of `RADICES`"),
                    }
                };
            }
            pass!(2 3 4 5);
        }
    }
}

impl<V: Vector> SimdKernel<V> for Lines<'_, V::Real> {
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
        let (turn, turn_back) = (zero.alternating(-one, one), zero.alternating(one, -one));
        let (turn, turn_back) = if plan.inverse { (turn_back, turn) } else { (turn, turn_back) };
        let ([cos_0, cos_1, cos_2], [sin_0, sin_1, sin_2]) = (plan.cos, plan.sin);
        let constants = Constants {
            turn,
            turn_back,
            cos: [zero.splat(cos_0), zero.splat(cos_1), zero.splat(cos_2)],
            sin: [zero.splat(sin_0), zero.splat(sin_1), zero.splat(sin_2)],
        };
        let factor = zero.splat(self.factor);
        for first in (0..self.lines).step_by(BLOCK_LINES) {
            let reals = 2 * BLOCK_LINES.min(self.lines - first);
            let registers = reals.div_ceil(V::LANES);
            let mask = zero.first(reals - (registers - 1) * V::LANES);
            let block = Block { constants, registers, mask, factor };
            let from =
                Rows { start: self.from.wrapping_add(first).cast_mut().cast(), step: 2 * self.from_stride };
            let to = Rows { start: self.to.wrapping_add(first).cast(), step: 2 * self.to_stride };
            let step = (registers * V::LANES) as isize;
            assert!(plan.n * registers * V::LANES <= 2 * self.workspace.len());
            let workspace = Rows { start: self.workspace.as_mut_ptr().cast(), step };
            let scales = self.factor != one;
            // SAFETY: the caller ensures access to the elements of the lines. The workspace has `n` rows of `step` numbers, and is borrowed
            // exclusively.
            unsafe { block.transform(plan, from, to, workspace, self.streams, scales) };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::{Fft, FftComplex, Norm};
    use crate::simd::tests::at_each_level;
    use crate::{CastTo, Rank, Tensor, c32, c64};

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
        let lengths = [2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 25, 27, 30, 60, 100, 125, 243, 360, 1024];
        for (n, lines) in lengths.into_iter().zip([32, 33, 70, 40, 31, 8, 9, 10].into_iter().cycle()) {
            check::<c64>(n, lines, 4e-16 * n.ilog2() as f64);
            check::<c32>(n, lines, 2e-7 * n.ilog2() as f64);
        }
        // Large results are written with non-temporal stores. The rows of the second one begin at any multiple of the size of an element.
        check::<c64>(64, 8448, 4e-15);
        check::<c32>(50, 21_001, 2e-6);
    }

    #[test]
    fn lengths_with_other_prime_factors_have_no_plan() {
        for n in [0, 1, 7, 14, 22, 1001, 2 * MAX_LEN] {
            assert!(!has_plan(n), "{n}");
        }
        for n in (2..=MAX_LEN).filter(|&n| (60_u128.pow(14)).is_multiple_of(n as u128)) {
            let plan = Plan::<f64>::new(n, false);
            assert_eq!(plan.passes.iter().map(|pass| pass.radix).product::<usize>(), n);
            let mut first = plan.first.clone();
            first.sort();
            assert!(first.into_iter().eq(0..n / plan.passes[0].radix));
        }
    }
}
