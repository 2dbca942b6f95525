//! Transforms of 2 to 199 elements, the radices of the algorithm of Cooley and Tukey. Each element is a SIMD register, which holds numbers
//! of several lines.

use super::Real;
use crate::device::cpu::kernels::gemm::simd::Vector;
use core::mem::MaybeUninit;
use num_complex::Complex;
use num_traits::{One, Zero};

/// The radices other than 2 and 4, in the order in which [`radices`] tries them.
const RADICES: [usize; 46] = [
    8, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103,
    107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199,
];
/// Maximum radix of [`Odd`].
pub(super) const MAX_ODD: usize = 13;
/// Number of results that [`Prime`] computes together, so that their chains of additions overlap. The sums of two registers for so many
/// results, and the factors, fit into the 16 registers of AVX2.
const TOGETHER: usize = 3;
/// Maximum radix of [`Prime`].
pub(super) const MAX_PRIME: usize = RADICES[RADICES.len() - 1];

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

/// Calls `f` with the radices of the passes for `n` elements, the last pass first. Powers of two have as many passes of radix 8 as possible
/// without one of radix 2: transforms of 1024 elements took 0.8 to 0.98 times as long as with radix 4 only (Zen 5). Returns the product of
/// the other prime factors of `n`, which must not be 0.
pub(super) fn radices(mut n: usize, mut f: impl FnMut(usize)) -> usize {
    let twos = n.trailing_zeros();
    let others: &[usize] = match (twos, twos % 3) {
        (1, _) => &[2],
        (_, 1) => &[4, 4],
        (_, 2) => &[4],
        _ => &[],
    };
    for &radix in others {
        f(radix);
        n /= radix;
    }
    for radix in RADICES {
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

/// Elements with the same index of several lines: a SIMD register, or two neighbouring ones. With two, each factor is loaded once for both.
pub(super) trait Number<V>: Copy {
    /// The number of registers.
    const REGISTERS: usize;
    /// Returns `x` in each register.
    fn of(x: V) -> Self;
    fn get(self, register: usize) -> V;
    fn set(&mut self, register: usize, x: V);
    fn add(self, a: Self) -> Self;
    fn sub(self, a: Self) -> Self;
    fn mul_add(self, a: V, b: Self) -> Self;
    fn swap_pairs(self) -> Self;
}

impl<V: Vector> Number<V> for V {
    const REGISTERS: usize = 1;
    #[inline(always)]
    fn of(x: V) -> V {
        x
    }
    #[inline(always)]
    fn get(self, _: usize) -> V {
        self
    }
    #[inline(always)]
    fn set(&mut self, _: usize, x: V) {
        *self = x;
    }
    #[inline(always)]
    fn add(self, a: V) -> V {
        Vector::add(self, a)
    }
    #[inline(always)]
    fn sub(self, a: V) -> V {
        Vector::sub(self, a)
    }
    #[inline(always)]
    fn mul_add(self, a: V, b: V) -> V {
        Vector::mul_add(self, a, b)
    }
    #[inline(always)]
    fn swap_pairs(self) -> V {
        Vector::swap_pairs(self)
    }
}

impl<V: Vector> Number<V> for [V; 2] {
    const REGISTERS: usize = 2;
    #[inline(always)]
    fn of(x: V) -> Self {
        [x; 2]
    }
    #[inline(always)]
    fn get(self, register: usize) -> V {
        self[register]
    }
    #[inline(always)]
    fn set(&mut self, register: usize, x: V) {
        self[register] = x;
    }
    #[inline(always)]
    fn add(self, a: Self) -> Self {
        [Vector::add(self[0], a[0]), Vector::add(self[1], a[1])]
    }
    #[inline(always)]
    fn sub(self, a: Self) -> Self {
        [Vector::sub(self[0], a[0]), Vector::sub(self[1], a[1])]
    }
    #[inline(always)]
    fn mul_add(self, a: V, b: Self) -> Self {
        [Vector::mul_add(self[0], a, b[0]), Vector::mul_add(self[1], a, b[1])]
    }
    #[inline(always)]
    fn swap_pairs(self) -> Self {
        [Vector::swap_pairs(self[0]), Vector::swap_pairs(self[1])]
    }
}

/// Factors in the lanes of a register.
#[derive(Clone, Copy)]
pub(super) struct Turn<V> {
    /// -1 in even lanes and 1 in odd ones, so that the product with swapped real and imaginary parts is the product with i. For an inverse
    /// transform, 1 in even lanes and -1 in odd ones: the product with -i.
    turn: V,
    /// The negated `turn`.
    turn_back: V,
}

impl<V: Vector> Turn<V> {
    #[inline(always)]
    pub(super) fn new(zero: V, inverse: bool) -> Self {
        let one = V::Real::one();
        let (turn, turn_back) = (zero.alternating(-one, one), zero.alternating(one, -one));
        if inverse { Turn { turn: turn_back, turn_back: turn } } else { Turn { turn, turn_back } }
    }

    /// Returns `a + i·b`, or `a - i·b` for an inverse transform.
    #[inline(always)]
    fn plus_turned<X: Number<V>>(&self, a: X, b: X) -> X {
        b.swap_pairs().mul_add(self.turn, a)
    }
    /// Returns `a - i·b`, or `a + i·b` for an inverse transform.
    #[inline(always)]
    fn minus_turned<X: Number<V>>(&self, a: X, b: X) -> X {
        b.swap_pairs().mul_add(self.turn_back, a)
    }
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

impl<V: Vector> Radix<V, 2> for Turn<V> {
    #[inline(always)]
    fn transform(&self, x: &mut [V]) {
        let x: &mut [V; 2] = x.try_into().expect("the number of elements is the radix");
        let [a, b] = *x;
        *x = [a.add(b), a.sub(b)];
    }
}

impl<V: Vector> Radix<V, 4> for Turn<V> {
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

impl<V: Vector> Eight<V> {
    #[inline(always)]
    pub(super) fn new(turn: Turn<V>, roots: &[Complex<V::Real>]) -> Self {
        Eight { turn, factor: turn.turn.splat(roots[1].re) }
    }
}

impl<V: Vector> Radix<V, 8> for Eight<V> {
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

impl<V: Vector, const N: usize> Odd<V, N> {
    #[inline(always)]
    pub(super) fn new(turn: Turn<V>, roots: &[Complex<V::Real>]) -> Self {
        let mut odd = Odd { turn, roots: [(turn.turn, turn.turn); N] };
        for (k, root) in roots.iter().enumerate() {
            odd.roots[k] = (turn.turn.splat(root.re), turn.turn.splat(root.im));
        }
        odd
    }
}

impl<V: Vector, const N: usize> Radix<V, N> for Odd<V, N> {
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

/// The transforms of a prime number of elements, which is at most `N`, with the formula of [`Odd`]. The elements are taken in the order of
/// the powers of a primitive root g: the factor of element g^a for result g^-b depends on a - b only. So the loops read the factors in
/// their order in memory.
///
/// Source of the order: Rader, *Discrete Fourier transforms when the number of data samples is prime*, Proc. IEEE 56 (1968).
#[derive(Clone, Copy)]
pub(super) struct Prime<'a, V: Vector> {
    turn: Turn<V>,
    order: &'a PrimeOrder<V::Real>,
}

impl<'a, V: Vector> Prime<'a, V> {
    /// # Panics
    /// If there is no order.
    #[inline(always)]
    pub(super) fn new(turn: Turn<V>, order: Option<&'a PrimeOrder<V::Real>>) -> Self {
        Prime { turn, order: order.expect("a pass with a large radix has an order") }
    }
}

/// The order of elements for [`Prime`].
#[derive(Debug)]
pub(super) struct PrimeOrder<R> {
    /// All powers of the primitive root, beginning with 1.
    powers: Vec<usize>,
    /// The cosines and sines of the angles 2πg^k/`len`, for k from `-half - TOGETHER + 2` to `half - 1`, where `half` is `len / 2`.
    roots: Vec<Complex<R>>,
}

impl<R: Real> PrimeOrder<R> {
    pub(super) fn new(len: usize) -> Self {
        let powers = |root: usize| core::iter::successors(Some(1), move |power| Some(power * root % len));
        // The powers of a primitive root are different.
        let is_primitive = |&root: &usize| powers(root).skip(1).take(len - 2).all(|power| power != 1);
        let root = (2..len).find(is_primitive).expect("each prime number has a primitive root");
        let powers: Vec<_> = powers(root).take(len - 1).collect();
        let (half, first) = (len / 2, len / 2 + TOGETHER - 2);
        let roots =
            (0..first + half).map(|k| self::root(powers[(k + 2 * (len - 1) - first) % (len - 1)], len));
        PrimeOrder { roots: roots.collect(), powers }
    }
}

impl<V: Vector, X: Number<V>, const N: usize> Radix<X, N> for Prime<'_, V> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.order.powers.len() + 1
    }

    #[inline(always)]
    fn transform(&self, x: &mut [X]) {
        let PrimeOrder { powers, roots } = self.order;
        let (len, half, first) = (powers.len() + 1, powers.len() / 2, x[0]);
        let turn = self.turn;
        // `splat` does not use its value.
        let any = turn.turn;
        // The sum of elements `power` and `len - power`, and their difference.
        let mut pairs = [const { MaybeUninit::<(X, X)>::uninit() }; N];
        for (pair, &power) in pairs.iter_mut().zip(&powers[..half]) {
            let (sum, difference) = (x[power].add(x[len - power]), x[power].sub(x[len - power]));
            pair.write((sum, difference));
            x[0] = x[0].add(sum);
        }
        // SAFETY: the loop has written these, because there are at least `half` powers.
        let pairs = unsafe { pairs[..half].assume_init_ref() };
        for b in (0..half).step_by(TOGETHER) {
            // The results of g^-b, g^-(b + 1) and so on. Those past the last pair are not used.
            let (mut even, mut odd) = ([first; TOGETHER], [X::of(any.splat(V::Real::zero())); TOGETHER]);
            for (&(sum, difference), roots) in pairs.iter().zip(roots[half - 1 - b..].windows(TOGETHER)) {
                for j in 0..TOGETHER {
                    let Complex { re, im } = roots[TOGETHER - 1 - j];
                    even[j] = sum.mul_add(any.splat(re), even[j]);
                    odd[j] = difference.mul_add(any.splat(im), odd[j]);
                }
            }
            for j in 0..TOGETHER.min(half - b) {
                let power = powers[(len - 1 - b - j) % (len - 1)];
                x[power] = turn.minus_turned(even[j], odd[j]);
                x[len - power] = turn.plus_turned(even[j], odd[j]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_prime_numbers() {
        for len in RADICES.into_iter().filter(|&radix| radix > MAX_ODD) {
            let PrimeOrder { powers, roots } = PrimeOrder::<f64>::new(len);
            let mut sorted = powers.clone();
            sorted.sort();
            assert!(sorted.into_iter().eq(1..len), "{len}");
            // The factor of element g^a for result g^-b, where `transform` reads it.
            let half = len / 2;
            for (a, b) in (0..half).flat_map(|a| (0..half).map(move |b| (a, b))) {
                let (first, j) = (b / TOGETHER * TOGETHER, b % TOGETHER);
                let found = roots[half - 1 - first..][a..][TOGETHER - 1 - j];
                let power = powers[a] * powers[(len - 1 - b) % (len - 1)] % len;
                let angle = core::f64::consts::TAU * power as f64 / len as f64;
                assert!((found - Complex::new(angle.cos(), angle.sin())).norm() < 1e-14, "{len}, {a}, {b}");
            }
        }
    }
}
