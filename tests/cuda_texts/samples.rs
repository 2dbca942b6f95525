//! Elements to test an operation on: special values, at which errors are likely, and random values.

use crate::element::{Element, c32, c64};
use num_complex::Complex;

/// A generator of random bits (splitmix64, Steele, Lea and Flood 2014).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
}

/// An element type whose operations can be tested.
pub(super) trait Sample: Element {
    /// Returns values at which a function's behaviour changes.
    fn special() -> Vec<Self>;
    fn random(random: &mut Random) -> Self;
    fn put(self, to: &mut Vec<u8>);
    fn get(from: &mut &[u8]) -> Self;
    /// Returns whether `self` is the expected value. If `close` is 0, all bits must be equal. Otherwise the difference may
    /// be `close` units of rounding, relative to `expected` if its magnitude is above 1. All NaNs are equal.
    fn is(self, expected: Self, close: f64) -> bool;

    /// Returns the special values and random ones.
    fn all() -> Vec<Self> {
        let mut random = Random(1);
        let mut all = Self::special();
        all.extend((0..200).map(|_| Self::random(&mut random)));
        all
    }
}

/// Removes the first `N` bytes from the slice, and returns them.
fn take<const N: usize>(from: &mut &[u8]) -> [u8; N] {
    let (bytes, rest) = from.split_first_chunk().expect("the program writes every result");
    *from = rest;
    *bytes
}

impl Sample for bool {
    fn special() -> Vec<bool> {
        vec![false, true]
    }
    fn random(random: &mut Random) -> bool {
        random.bits() & 1 == 1
    }
    fn put(self, to: &mut Vec<u8>) {
        to.push(self.into());
    }
    fn get(from: &mut &[u8]) -> bool {
        let [byte] = take(from);
        assert!(byte < 2, "neither false nor true");
        byte == 1
    }
    fn is(self, expected: bool, _: f64) -> bool {
        self == expected
    }
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Sample for $t {
            fn special() -> Vec<$t> {
                let near = [0i8, 1, 2, 3, 7, 10, -1, -2, -3, -7].map(|x| x as $t);
                let root = (<$t>::MAX as f64).sqrt() as $t;
                let ends = [<$t>::MIN, <$t>::MIN + 1, <$t>::MIN / 2, <$t>::MAX / 2, <$t>::MAX / 2 + 1, <$t>::MAX - 1, <$t>::MAX];
                near.into_iter().chain(ends).chain([root, root + 1]).collect()
            }
            fn random(random: &mut Random) -> $t {
                // A random shift covers all magnitudes.
                let shift = random.below(64);
                (random.bits() >> shift) as $t
            }
            fn put(self, to: &mut Vec<u8>) {
                to.extend(self.to_ne_bytes());
            }
            fn get(from: &mut &[u8]) -> $t {
                <$t>::from_ne_bytes(take(from))
            }
            fn is(self, expected: $t, _: f64) -> bool {
                self == expected
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($t:ident $complex:ident)*) => {$(
        impl Sample for $t {
            fn special() -> Vec<$t> {
                let small = [0.0, 0.25, 0.5, 0.999_999_9, 1.0, 1.000_000_1, 1.5, 2.0, 2.5, 3.0, 4.5, 10.0, 100.25];
                let around = |x: $t| [x.next_down(), x, x.next_up(), x - 0.5, x + 0.5];
                let ends = [7, 8, 15, 16, 31, 32, 63, 64].into_iter().flat_map(|bits| around((2.0 as $t).powi(bits)));
                let far = [<$t>::MIN_POSITIVE, <$t>::from_bits(1), <$t>::EPSILON, <$t>::MAX, <$t>::MAX.sqrt(), <$t>::INFINITY];
                let all = small.into_iter().chain(ends).chain(far).flat_map(|x| [x, -x]);
                all.chain([<$t>::NAN]).collect()
            }
            fn random(random: &mut Random) -> $t {
                match random.below(4) {
                    0 => <$t>::from_bits(random.bits() as _),
                    1 => (random.bits() as i64 >> random.below(64)) as $t / 2.0,
                    2 => random.bits() as i64 as $t / (1u64 << 63) as $t,
                    _ => random.bits() as i64 as $t / (1u64 << 60) as $t,
                }
            }
            fn put(self, to: &mut Vec<u8>) {
                to.extend(self.to_ne_bytes());
            }
            fn get(from: &mut &[u8]) -> $t {
                <$t>::from_ne_bytes(take(from))
            }
            fn is(self, expected: $t, close: f64) -> bool {
                if self.to_bits() == expected.to_bits() || self.is_nan() && expected.is_nan() {
                    return true;
                }
                let unit = f64::from(<$t>::EPSILON) * f64::from(expected).abs().max(1.0);
                (f64::from(self) - f64::from(expected)).abs() <= close * unit && close > 0.0
            }
        }
        impl Sample for $complex {
            fn special() -> Vec<$complex> {
                let parts: [$t; 13] = [
                    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.5, 1e-3, <$t>::from_bits(1), <$t>::MAX, <$t>::INFINITY,
                    <$t>::NEG_INFINITY, <$t>::NAN,
                ];
                parts.into_iter().flat_map(|re| parts.map(|im| Complex::new(re, im))).collect()
            }
            fn random(random: &mut Random) -> $complex {
                Complex::new(<$t>::random(random), <$t>::random(random))
            }
            fn put(self, to: &mut Vec<u8>) {
                self.re.put(to);
                self.im.put(to);
            }
            fn get(from: &mut &[u8]) -> $complex {
                let re = <$t>::get(from);
                Complex::new(re, <$t>::get(from))
            }
            fn is(self, expected: $complex, close: f64) -> bool {
                self.re.is(expected.re, close) && self.im.is(expected.im, close)
            }
        }
    )*};
}
floats!(f32 c32 f64 c64);

/// Returns 500 random pairs of values, and after them all pairs of special values. If `A` has more than 32 special values, returns 1000
/// random pairs of special values instead of all.
pub(super) fn pairs<A: Sample, B: Sample>() -> Vec<(A, B)> {
    let (a, b) = (A::all(), B::all());
    let mut random = Random(2);
    let mut pairs: Vec<(A, B)> =
        (0..500).map(|_| (a[random.below(a.len())], b[random.below(b.len())])).collect();
    let (a, b) = (A::special(), B::special());
    if a.len() <= 32 {
        pairs.extend(a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))));
    } else {
        pairs.extend((0..1000).map(|_| (a[random.below(a.len())], b[random.below(b.len())])));
    }
    pairs
}
