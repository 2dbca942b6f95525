//! Small integers as elements of every type. Results on small integers are exact, also for floating-point types, so they can be
//! compared with `==`.

use crate::random::Random;
use vierbein::{Complex, Element, Scalar};

/// A Gaussian integer: the exact value of an element of any type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Z {
    pub(crate) re: i128,
    pub(crate) im: i128,
}

impl Z {
    pub(crate) const ZERO: Z = Z { re: 0, im: 0 };
    pub(crate) const ONE: Z = Z { re: 1, im: 0 };

    pub(crate) fn real(re: i128) -> Z {
        Z { re, im: 0 }
    }
    pub(crate) fn plus(&self, other: &Z) -> Z {
        Z { re: self.re + other.re, im: self.im + other.im }
    }
    pub(crate) fn times(&self, other: &Z) -> Z {
        Z { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// The five arithmetic operations on elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}
pub(crate) const OPS: [Op; 5] = [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem];

/// An element type with exact conversions from and to integers.
pub(crate) trait Exact: Element {
    const SIGNED: bool;
    const COMPLEX: bool;
    /// `true` if `views.rs` creates views of this type by every first operation (every `Source`). This is so for two types only, to save
    /// compile time: layouts do not depend on the type.
    const EVERY_SOURCE: bool = false;
    /// Converts a number to an element. Returns `None` if the type cannot represent the number exactly. For `bool`, returns
    /// whether the number is odd.
    fn put(z: Z) -> Option<Self>;
    fn take(self) -> Z;
    /// Returns whether two elements are equal, or both NaN.
    fn same(self, other: Self) -> bool;
    /// Returns the `k`th pseudorandom number of a seed, from `-span` to `span`. For unsigned types, it is from 0 to `span`.
    fn sample(seed: u64, k: usize, span: u8) -> Self {
        Self::put(sample::<Self>(seed, k, span)).expect("small numbers fit")
    }
}

/// An element type with arithmetic.
pub(crate) trait Number: Exact + Scalar {
    /// Returns the result of Rust's operator on two elements, or `None` if the operator would panic.
    fn compute(op: Op, a: Self, b: Self) -> Option<Self>;
}

/// Variant of [`Exact::sample`] that returns an integer instead of an element.
pub(crate) fn sample<T: Exact>(seed: u64, k: usize, span: u8) -> Z {
    let mut random = Random(seed.wrapping_add((k as u64).wrapping_mul(0x2545_f491_4f6c_dd1d)));
    let mut next = || {
        // Divisions of `i128` would be much slower.
        let (span, value) = (i64::from(span), (random.bits() >> 8) as i64);
        i128::from(if T::SIGNED { value % (2 * span + 1) - span } else { value % (span + 1) })
    };
    let re = next();
    Z { re, im: if T::COMPLEX { next() } else { 0 } }
}

impl Exact for bool {
    const SIGNED: bool = false;
    const COMPLEX: bool = false;
    fn put(z: Z) -> Option<bool> {
        Some(z.re % 2 != 0)
    }
    fn take(self) -> Z {
        Z::real(i128::from(self))
    }
    fn same(self, other: bool) -> bool {
        self == other
    }
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Exact for $t {
            const SIGNED: bool = $t::MIN != 0;
            const COMPLEX: bool = false;
            const EVERY_SOURCE: bool = $t::MIN as i128 == i32::MIN as i128;
            fn put(z: Z) -> Option<$t> { $t::try_from(z.re).ok().filter(|_| z.im == 0) }
            fn take(self) -> Z { Z::real(i128::from(self)) }
            fn same(self, other: $t) -> bool { self == other }
        }
        impl Number for $t {
            fn compute(op: Op, a: $t, b: $t) -> Option<$t> {
                match op {
                    Op::Add => a.checked_add(b),
                    Op::Sub => a.checked_sub(b),
                    Op::Mul => a.checked_mul(b),
                    Op::Div => a.checked_div(b),
                    Op::Rem => a.checked_rem(b),
                }
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($t:ident)*) => {$(
        impl Exact for $t {
            const SIGNED: bool = true;
            const COMPLEX: bool = false;
            const EVERY_SOURCE: bool = $t::DIGITS > 10;
            fn put(z: Z) -> Option<$t> {
                let largest = 1i128 << $t::MANTISSA_DIGITS;
                (z.im == 0 && z.re.abs() <= largest).then_some(z.re as $t)
            }
            fn take(self) -> Z {
                assert_eq!(self, self.trunc(), "a whole number");
                Z::real(self as i128)
            }
            fn same(self, other: $t) -> bool { self == other || (self.is_nan() && other.is_nan()) }
        }
        impl Exact for Complex<$t> {
            const SIGNED: bool = true;
            const COMPLEX: bool = true;
            fn put(z: Z) -> Option<Self> {
                Some(Complex::new(<$t as Exact>::put(Z::real(z.re))?, <$t as Exact>::put(Z::real(z.im))?))
            }
            fn take(self) -> Z { Z { re: self.re.take().re, im: self.im.take().re } }
            fn same(self, other: Self) -> bool { self.re.same(other.re) && self.im.same(other.im) }
        }
        floats!(@number $t);
        floats!(@number Complex<$t>);
    )*};
    (@number $t:ty) => {
        impl Number for $t {
            fn compute(op: Op, a: $t, b: $t) -> Option<$t> {
                Some(match op {
                    Op::Add => a + b,
                    Op::Sub => a - b,
                    Op::Mul => a * b,
                    Op::Div => a / b,
                    Op::Rem => a % b,
                })
            }
        }
    };
}
floats!(f32 f64);
