//! Functions of one element.

use super::UnaryOp;
use super::catalogue::{unary, verb};
use crate::device::{CudaSource, Scalars};
use crate::element::{
    Arithmetic, Bits, Elementary, FloatFunction, Inexact, RealFloat, RealFunction, RealScalar, Scalar, c64,
};
use num_traits::{One, Zero};

/// The [`COST`](UnaryOp::COST) of functions that take many instructions, such as elementary functions.
pub(crate) const SLOW: usize = 256;

/// The [`COST`](UnaryOp::COST) of a quotient of complex numbers, or of a 64-bit integer and a scalar, of a remainder, and of the modulus of
/// a complex number. Loops with this cost do not use non-temporal stores: their speed is limited by the computation, not by the memory.
pub(crate) const DIVISION: usize = 96;

/// The [`COST`](UnaryOp::COST) of the reciprocal of a complex number, and of its quotient by a scalar. Loops with this cost use non-temporal
/// stores: they are slower with these stores on one thread, but faster on two, which share the memory bandwidth.
pub(crate) const RECIPROCAL: usize = 64;

/// The [`COST`](UnaryOp::COST) of the quotient or remainder of two integers of at most 32 bits.
pub(crate) const INTEGER_DIVISION: usize = 32;

/// The [`COST`](UnaryOp::COST) of the quotient or remainder of an 8-bit integer and a scalar, which is computed in 16 bits.
pub(crate) const QUOTIENT_OF_BYTES: usize = 4;

macro_rules! operations {
    ($($Name:ident: $method:ident $(, $try_method:ident)? {
        doc: $doc:literal,
        $(symbol: $symbol:literal,)?
        $(verb: $verb:literal,)?
        elements: $bound:ident $(+ $also:path)?, gives: $Output:ty, example: $input:literal => $expected:literal,
        $(function: $function:ident,)?
        $(real_function: $real_function:ident,)?
        $(host: |$x:ident| $host:expr,)?
        cuda: $cuda:literal,
        $(defined: |$y:ident| $defined:expr, cuda_defined: $cuda_defined:literal, checked: $checked:expr,)?
        $(elementary: $elementary:expr,)?
        $(cost: $cost:expr,)?
    })*) => {$(
        #[doc = concat!($doc, ", as an operation" $(, ": `", $symbol, "a`")?, ".")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Name;

        impl<T: $bound $(+ $also)?> UnaryOp<T> for $Name {
            type Output = $Output;
            const NAME: &'static str = verb!($method $($verb)?);
            const CUDA: CudaSource = CudaSource::builtin($cuda);
            $(
                const CUDA_DEFINED: CudaSource = CudaSource::builtin($cuda_defined);
                const CHECKED: bool = T::INTEGER && $checked;
                fn is_defined(&self, $y: T) -> bool {
                    $defined
                }
            )?
            $(const COST: usize = $cost;)?
            $(
                #[inline]
                fn elementary(&self) -> Option<Elementary> {
                    $elementary.into()
                }
            )?
            $(
                #[inline]
                fn apply(&self, $x: T) -> $Output {
                    $host
                }
            )?
            $(
                const COST: usize = SLOW;
                #[inline]
                fn apply(&self, x: T) -> $Output {
                    x.function(FloatFunction::$function)
                }
                #[inline]
                fn elementary(&self) -> Option<Elementary> {
                    Some(Elementary::Float(FloatFunction::$function))
                }
            )?
            $(
                const COST: usize = SLOW;
                #[inline]
                fn apply(&self, x: T) -> $Output {
                    x.real_function(RealFunction::$real_function)
                }
                #[inline]
                fn elementary(&self) -> Option<Elementary> {
                    Some(Elementary::Real(RealFunction::$real_function))
                }
            )?
        }
    )*};
}
// Calls the macro `operations` with the list of all functions, which is in `catalogue/unary.rs`.
unary!(operations);

/// The function of [`Tensor::powi`](crate::Tensor::powi): an element to an integer power. The field is the exponent.
#[derive(Debug, Clone, Copy)]
pub struct Powi(pub i32);

impl<T: Scalar> UnaryOp<T> for Powi {
    type Output = T;
    const NAME: &'static str = "take a power of";
    const CUDA: CudaSource = CudaSource::builtin("power(a, n)");
    const CUDA_DEFINED: CudaSource =
        CudaSource::builtin(if cfg!(debug_assertions) { "fits_power(a, n)" } else { "n >= 0 || a != 0" });
    const CHECKED: bool = T::INTEGER;
    const COST: usize = if T::COMPLEX { SLOW } else { 0 };
    fn apply(&self, a: T) -> T {
        if self.0 >= 0 || !T::INTEGER {
            return a.integer_power(self.0);
        }
        // Only the integers 1 and −1 have a reciprocal that does not truncate to 0. The positive power may overflow, so it is not
        // computed.
        match a.modulus().is_one() {
            true if self.0 % 2 == 0 => T::one(),
            true => a,
            false => T::zero(),
        }
    }
    fn is_defined(&self, a: T) -> bool {
        if self.0 < 0 {
            return !a.is_zero();
        }
        let mut fits = true;
        if cfg!(debug_assertions) {
            power(a, self.0.unsigned_abs(), |x, y| {
                fits &= T::fits(Arithmetic::Mul, x, y);
                T::wrapping(Arithmetic::Mul, x, y)
            });
        }
        fits
    }
    fn always_defined(&self) -> bool {
        self.0 >= 0 && !cfg!(debug_assertions)
    }
    #[inline]
    fn elementary(&self) -> Option<Elementary> {
        (!T::INTEGER).then_some(Elementary::IntegerPower(self.0))
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("n", self.0);
    }
}

/// [`Powi`] of integers, with an exponent for which [`ShortPowi::fits`]. Computes the same products, and for each bit of the exponent also
/// those that the result does not depend on. So the loop over the elements has no branches, and is vectorised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShortPowi(pub(crate) i32);

impl ShortPowi {
    /// The number of bits of an exponent, without its sign.
    const BITS: u32 = 4;

    /// Returns whether the elements are integers, and the exponent is short enough and not negative.
    pub(crate) fn fits<T: Scalar>(n: i32) -> bool {
        T::INTEGER && (0..1 << Self::BITS).contains(&n)
    }
}

impl<T: Scalar> UnaryOp<T> for ShortPowi {
    type Output = T;
    const NAME: &'static str = <Powi as UnaryOp<T>>::NAME;
    const CUDA: CudaSource = CudaSource::builtin("repeated_squaring(a, distance_from_zero(n), [](A, A) {})");
    const CUDA_DEFINED: CudaSource = <Powi as UnaryOp<T>>::CUDA_DEFINED;
    const CHECKED: bool = <Powi as UnaryOp<T>>::CHECKED;
    #[inline]
    fn apply(&self, a: T) -> T {
        let (n, mut base, mut product) = (self.0.unsigned_abs(), a, T::one());
        for bit in 0..Self::BITS {
            let next = T::wrapping(Arithmetic::Mul, product, base);
            product = if (n >> bit) & 1 == 1 { next } else { product };
            base = T::wrapping(Arithmetic::Mul, base, base);
        }
        product
    }
    fn is_defined(&self, a: T) -> bool {
        Powi(self.0).is_defined(a)
    }
    fn always_defined(&self) -> bool {
        UnaryOp::<T>::always_defined(&Powi(self.0))
    }
    fn scalars(&self, bind: &mut Scalars) {
        UnaryOp::<T>::scalars(&Powi(self.0), bind);
    }
}

/// Evaluates `$result` with `$op` as the fastest function that raises elements of type `$T` to the power `$n`.
macro_rules! with_powi {
    ($T:ty, $n:expr, |$op:ident| $result:expr) => {
        match $n {
            2 => {
                let $op = $crate::device::op::unary::Square;
                $result
            }
            n if $crate::device::op::unary::ShortPowi::fits::<$T>(n) => {
                let $op = $crate::device::op::unary::ShortPowi(n);
                $result
            }
            n => {
                let $op = $crate::device::op::unary::Powi(n);
                $result
            }
        }
    };
}
pub(crate) use with_powi;

/// Computes a power by repeated squaring. Calls `multiply` only for products that the result depends on.
fn power<T: Scalar>(mut base: T, mut n: u32, mut multiply: impl FnMut(T, T) -> T) -> T {
    let mut product = T::one();
    while n > 0 {
        if n & 1 == 1 {
            product = multiply(product, base);
        }
        n >>= 1;
        if n > 0 {
            base = multiply(base, base);
        }
    }
    product
}

/// The function of [`Tensor::powf`](crate::Tensor::powf): an element to a real power. The field is the exponent.
#[derive(Debug, Clone, Copy)]
pub struct Powf<R>(pub R);

impl<T: Inexact> UnaryOp<T> for Powf<T::Magnitude> {
    type Output = T;
    const NAME: &'static str = "take a power of";
    const CUDA: CudaSource = CudaSource::builtin("pow(a, n)");
    const COST: usize = SLOW;
    fn apply(&self, a: T) -> T {
        a.raised(self.0)
    }
    fn elementary(&self) -> Option<Elementary> {
        Some(Elementary::Power(self.0.in_f64()))
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("n", self.0);
    }
}
