//! Transforms of a few elements, the radices of the algorithm of Cooley and Tukey. Each element is a SIMD register, which holds numbers of
//! several lines.

use super::plans::Real;
use crate::simd::vector::FloatVector;
use core::mem::MaybeUninit;
use num_complex::Complex;
use num_traits::{One, Zero};

/// Maximum radix of [`Odd`].
pub(super) const MAX_ODD: usize = 13;
/// Maximum radix. The work of [`Large`] for each element is proportional to the radix, so rustfft is as fast for larger ones, with copies.
pub(super) const MAX_RADIX: usize = 101;
/// Number of results that [`Large`] computes together, so that their chains of additions overlap. The sums for so many
/// results, and the factors, fit into the 16 registers of AVX2.
pub(super) const TOGETHER: usize = 3;

/// Returns e^(2πi `part` / `of`). Multiples of a quarter turn are exact.
pub(super) fn root<R: Real>(part: usize, of: usize) -> Complex<R> {
    let (quarters, rest) = (4 * part / of % 4, 4 * part % of);
    let (sin, cos) = match quarters {
        _ if rest > 0 => (core::f64::consts::TAU * part as f64 / of as f64).sin_cos(),
        0 => (0.0, 1.0),
        1 => (1.0, 0.0),
        2 => (0.0, -1.0),
        _ => (-1.0, 0.0),
    };
    let [re, im] = [cos, sin].map(|x| R::from_f64(x).expect("every number is a floating-point number"));
    Complex::new(re, im)
}

/// Calls `f` with the radices of the passes for `n` elements, the last pass first: prime factors, and 4 and 8 for powers of two, with as many
/// passes of radix 8 as possible without one of radix 2. Returns the product of the other prime factors of `n`, which must not be 0.
pub(super) fn radices(mut n: usize, mut f: impl FnMut(usize)) -> usize {
    let twos = n.trailing_zeros();
    let powers: &[usize] = match (twos, twos % 3) {
        (1, _) => &[2],
        (_, 1) => &[4, 4],
        (_, 2) => &[4],
        _ => &[],
    };
    for &radix in powers {
        f(radix);
        n /= radix;
    }
    for radix in [8].into_iter().chain((3..=MAX_RADIX).step_by(2)) {
        while n.is_multiple_of(radix) {
            f(radix);
            n /= radix;
        }
        if n == 1 {
            break;
        }
    }
    n
}

/// The transforms of [`len`](Radix::len) elements, which are at most `N`. A trait, because closures would be compiled without the
/// instruction set of `V`.
pub(super) trait Radix<V, const N: usize> {
    #[inline(always)]
    fn len(&self) -> usize {
        N
    }
    /// Transforms the elements of `x` in place.
    ///
    /// # Panics
    /// If `x` does not have [`len`](Radix::len) elements.
    fn transform(&self, x: &mut [V]);
}

/// Factors in the lanes of a register, for products with i. The transforms of 2 and 4 elements need no others.
#[derive(Clone, Copy)]
pub(super) struct Turn<V> {
    /// -1 in even lanes and 1 in odd ones, so that the product with swapped real and imaginary parts is the product with i. For an inverse
    /// transform, 1 in even lanes and -1 in odd ones: the product with -i.
    turn: V,
    /// The negated `turn`.
    turn_back: V,
}

impl<V: FloatVector> Turn<V> {
    #[inline(always)]
    pub(super) fn new(zero: V, inverse: bool) -> Self {
        let one = V::Real::one();
        let (turn, turn_back) = (zero.alternating(-one, one), zero.alternating(one, -one));
        if inverse { Turn { turn: turn_back, turn_back: turn } } else { Turn { turn, turn_back } }
    }

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

impl<V: FloatVector> Radix<V, 2> for Turn<V> {
    #[inline(always)]
    fn transform(&self, x: &mut [V]) {
        let x: &mut [V; 2] = x.try_into().expect("the number of elements is the radix");
        let [a, b] = *x;
        *x = [a.add(b), a.sub(b)];
    }
}

impl<V: FloatVector> Radix<V, 4> for Turn<V> {
    #[inline(always)]
    fn transform(&self, x: &mut [V]) {
        let x: &mut [V; 4] = x.try_into().expect("the number of elements is the radix");
        let [a, b, c, d] = *x;
        let (even, even_difference) = (a.add(c), a.sub(c));
        let (odd, odd_difference) = (b.add(d), b.sub(d));
        *x = [
            even.add(odd),
            self.minus_turned(even_difference, odd_difference),
            even.sub(odd),
            self.plus_turned(even_difference, odd_difference),
        ];
    }
}

/// The transforms of 8 elements.
#[derive(Clone, Copy)]
pub(super) struct Eight<V> {
    turn: Turn<V>,
    /// 1/√2.
    factor: V,
}

impl<V: FloatVector> Eight<V> {
    #[inline(always)]
    pub(super) fn new(turn: Turn<V>, roots: &[Complex<V::Real>]) -> Self {
        Eight { turn, factor: turn.turn.splat(roots[1].re) }
    }
}

impl<V: FloatVector> Radix<V, 8> for Eight<V> {
    #[inline(always)]
    fn transform(&self, x: &mut [V]) {
        let x: &mut [V; 8] = x.try_into().expect("the number of elements is the radix");
        let Eight { turn, factor } = *self;
        let [mut even, mut odd] = [[x[0], x[2], x[4], x[6]], [x[1], x[3], x[5], x[7]]];
        Radix::<V, 4>::transform(&turn, &mut even);
        Radix::<V, 4>::transform(&turn, &mut odd);
        // The products with (1 - i)/√2, and with (1 + i)/√2, which are negated below.
        odd[1] = turn.minus_turned(odd[1], odd[1]).mul(factor);
        odd[3] = turn.plus_turned(odd[3], odd[3]).mul(factor);
        *x = [
            even[0].add(odd[0]),
            even[1].add(odd[1]),
            turn.minus_turned(even[2], odd[2]),
            even[3].sub(odd[3]),
            even[0].sub(odd[0]),
            even[1].sub(odd[1]),
            turn.plus_turned(even[2], odd[2]),
            even[3].add(odd[3]),
        ];
    }
}

/// The transforms of `N` elements, an odd number. The factors of elements `k` and `N - k` are conjugate, so that the sum of these elements
/// is multiplied by a cosine, and their difference by i times a sine.
#[derive(Clone, Copy)]
pub(super) struct Odd<V, const N: usize> {
    turn: Turn<V>,
    /// The cosines and sines of the angles 2πk/`N` for `k` below `N`.
    roots: [(V, V); N],
}

impl<V: FloatVector, const N: usize> Odd<V, N> {
    #[inline(always)]
    pub(super) fn new(turn: Turn<V>, roots: &[Complex<V::Real>]) -> Self {
        let mut odd = Odd { turn, roots: [(turn.turn, turn.turn); N] };
        for (k, root) in roots.iter().enumerate() {
            odd.roots[k] = (turn.turn.splat(root.re), turn.turn.splat(root.im));
        }
        odd
    }
}

impl<V: FloatVector, const N: usize> Radix<V, N> for Odd<V, N> {
    #[inline(always)]
    fn transform(&self, x: &mut [V]) {
        let x: &mut [V; N] = x.try_into().expect("the number of elements is the radix");
        let (half, first) = (N / 2, x[0]);
        // The sum of elements `k` and `N - k`, and their difference.
        let mut pairs = [(first, first); N];
        for k in 1..=half {
            pairs[k] = (x[k].add(x[N - k]), x[k].sub(x[N - k]));
            x[0] = x[0].add(pairs[k].0);
        }
        for m in 1..=half {
            let (cos, sin) = self.roots[m];
            let (mut even, mut odd) = (pairs[1].0.mul_add(cos, first), pairs[1].1.mul(sin));
            let mut power = m;
            for &(sum, difference) in &pairs[2..=half] {
                power += m;
                power -= if power < N { 0 } else { N };
                let (cos, sin) = self.roots[power];
                even = sum.mul_add(cos, even);
                odd = difference.mul_add(sin, odd);
            }
            x[m] = self.turn.minus_turned(even, odd);
            x[N - m] = self.turn.plus_turned(even, odd);
        }
    }
}

/// The transforms of an odd number of elements, at most [`MAX_RADIX`], with the formula of [`Odd`]. The factors are too many for registers,
/// so they are read from a table in its order in memory.
#[derive(Clone, Copy)]
pub(super) struct Large<'a, V: FloatVector> {
    pub(super) turn: Turn<V>,
    pub(super) len: usize,
    /// See [`factors`].
    pub(super) factors: &'a [[Complex<V::Real>; TOGETHER]],
}

/// Returns the cosines and sines of the angles 2πkm/`len` for [`Large`], with `k` and `m` from 1 to `len / 2`: first those of the results
/// `m` from 1 to [`TOGETHER`] for each element `k`, and so on.
pub(super) fn factors<R: Real>(len: usize) -> Vec<[Complex<R>; TOGETHER]> {
    let first = (1..=len / 2).step_by(TOGETHER);
    let rows =
        first.flat_map(|m| (1..=len / 2).map(move |k| [0, 1, 2].map(|j| root(k * (m + j) % len, len))));
    rows.collect()
}

impl<V: FloatVector> Radix<V, MAX_RADIX> for Large<'_, V> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn transform(&self, x: &mut [V]) {
        let (len, half, first) = (self.len, self.len / 2, x[0]);
        let zero = first.splat(V::Real::zero());
        // The sum of elements `k` and `len - k`, and their difference.
        let mut pairs = [const { MaybeUninit::<(V, V)>::uninit() }; MAX_RADIX / 2];
        for k in 1..=half {
            let (sum, difference) = (x[k].add(x[len - k]), x[k].sub(x[len - k]));
            pairs[k - 1].write((sum, difference));
            x[0] = x[0].add(sum);
        }
        // SAFETY: the loop has written these.
        let pairs = unsafe { pairs[..half].assume_init_ref() };
        for (m, factors) in (1..=half).step_by(TOGETHER).zip(self.factors.chunks_exact(half)) {
            let (mut even, mut odd) = ([first; TOGETHER], [zero; TOGETHER]);
            for (&(sum, difference), factors) in pairs.iter().zip(factors) {
                for j in 0..TOGETHER {
                    even[j] = sum.mul_add(first.splat(factors[j].re), even[j]);
                    odd[j] = difference.mul_add(first.splat(factors[j].im), odd[j]);
                }
            }
            // Results past the last pair are not used.
            for j in 0..TOGETHER.min(half + 1 - m) {
                x[m + j] = self.turn.minus_turned(even[j], odd[j]);
                x[len - m - j] = self.turn.plus_turned(even[j], odd[j]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radices_by_length() {
        let of = |n| {
            let mut found = Vec::new();
            (radices(n, |radix| found.push(radix)), found)
        };
        assert_eq!(of(1), (1, vec![]));
        assert_eq!(of(2 * 3 * 3 * 101), (1, vec![2, 3, 3, 101]));
        assert_eq!(of(1 << 7), (1, vec![4, 4, 8]));
        assert_eq!(of(1 << 8), (1, vec![4, 8, 8]));
        assert_eq!(of(1 << 9), (1, vec![8, 8, 8]));
        assert_eq!(of(5 * 103), (103, vec![5]));
    }
}
