//! Functions of one element, as types in `op` and as methods of tensors.

use super::binary::Div;
use super::catalogue::{unary, verb};
use super::operands::WithRight;
use crate::device::{CudaSource, Device, Elementwise, Scalars, UnaryOp};
use crate::element::{
    Arithmetic, Bits, CastTo, Element, Elementary, FloatFunction, Inexact, RealFloat, RealFunction,
    RealScalar, Scalar, c64,
};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;
use num_traits::{One, Zero};

/// The [`COST`](UnaryOp::COST) of functions that take more than a few nanoseconds.
pub(crate) const SLOW: usize = 256;

/// The [`COST`](UnaryOp::COST) of a quotient of complex numbers, or of a 64-bit integer and a scalar, of a remainder, and of the modulus of
/// a complex number: about a nanosecond. Loops with this cost do not use non-temporal stores (measured: quotients and
/// moduli of large operands are faster without them).
pub(crate) const DIVISION: usize = 96;

/// The [`COST`](UnaryOp::COST) of the reciprocal of a complex number, and of its quotient by a scalar: more than half a nanosecond. Loops
/// with this cost use non-temporal stores (measured: they are slower with these stores on one thread, but faster on two, which share the
/// memory bandwidth).
pub(crate) const RECIPROCAL: usize = 64;

/// The [`COST`](UnaryOp::COST) of the quotient or remainder of two integers of at most 32 bits: a few tenths of a nanosecond.
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
// Calls the macro `operations` with the list of all functions, which is in `catalogue.rs`.
unary!(operations);

macro_rules! methods {
    ($($Name:ident: $method:ident $(, $try_method:ident)? {
        doc: $doc:literal,
        $(symbol: $symbol:literal,)?
        $(verb: $verb:literal,)?
        elements: $bound:ident $(+ $also:path)?, gives: $Output:ty, example: $input:literal => $expected:literal,
        $($computed:tt)*
    })*) => {$(
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
            methods! {
                @$method $($try_method)? { $($symbol)? }
                $Name, $doc, [$bound $(+ $also)?], $Output, $input, $expected, methods!(@accuracy $($computed)*)
            }
        }
    )*};
    (@accuracy function: $($rest:tt)*) => {
        " On processors with FMA, the error is below one unit in the last place for `f32` and `f64` (two for `tan`, `atan` and `tanh` of \
         `f32`). For complex numbers, it is below four units in the last place of the larger part, and signs and special values are \
         those of C99, Annex G. Without FMA, the C library computes the function: see [`Cpu`](crate::Cpu#results)."
    };
    (@accuracy real_function: $($rest:tt)*) => { methods!(@accuracy function:) };
    (@accuracy $($rest:tt)*) => { "" };
    // A function.
    (@$method:ident $try_method:ident {}
        $Name:ident, $doc:literal, [$bound:ident], $Output:ty, $input:literal, $expected:literal, $accuracy:expr
    ) => {
        #[doc = concat!($doc, ", element by element.")]
        #[doc = $accuracy]
        ///
        #[doc = concat!("Fallible variant: [`", stringify!($try_method), "`](Tensor::", stringify!($try_method), ").")]
        #[doc = concat!("In place, for results of the same type: `x.apply_inplace(op::", stringify!($Name), ")`.")]
        ///
        /// # Panics
        /// If the allocation fails, or an integer result overflows in a build with debug assertions.
        ///
        /// ```
        /// use vierbein::{Complex, tensor};
        #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($method), "(), tensor!", $expected, ");")]
        /// ```
        #[track_caller]
        pub fn $method(&self) -> Tensor<$Output, D, O, Dev>
        where
            T: $bound,
            Dev: Elementwise<T>,
        {
            self.apply($Name)
        }

        #[doc = concat!("Fallible variant of [`", stringify!($method), "`](Tensor::", stringify!($method), ").")]
        ///
        /// # Errors
        /// If the allocation fails, or an integer result overflows in a build with debug assertions.
        pub fn $try_method(&self) -> Result<Tensor<$Output, D, O, Dev>, Error>
        where
            T: $bound,
            Dev: Elementwise<T>,
        {
            self.try_apply($Name)
        }
    };
    // An operator, which `arithmetic.rs` implements.
    (@$try_method:ident { $symbol:literal }
        $Name:ident, $doc:literal, [$($bound:tt)*], $Output:ty, $input:literal, $expected:literal, $accuracy:expr
    ) => {
        #[doc = concat!($doc, ", element by element. Fallible variant of `", $symbol, "a`.")]
        ///
        /// # Errors
        /// If the allocation fails, or an integer result overflows in a build with debug assertions.
        ///
        /// ```
        /// use vierbein::tensor;
        #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($try_method), "()?, tensor!", $expected, ");")]
        /// # Ok::<(), vierbein::Error>(())
        /// ```
        pub fn $try_method(&self) -> Result<Tensor<$Output, D, O, Dev>, Error>
        where
            T: $($bound)*,
            Dev: Elementwise<T>,
        {
            self.try_apply($Name)
        }
    };
}
// Calls the macro `methods` with the list of all functions, which is in `catalogue.rs`.
unary!(methods);

/// The function of [`Tensor::powi`]: an element to an integer power. The field is the exponent.
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
                let $op = $crate::op::Square;
                $result
            }
            n if $crate::op::ShortPowi::fits::<$T>(n) => {
                let $op = $crate::op::ShortPowi(n);
                $result
            }
            n => {
                let $op = $crate::op::Powi(n);
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

/// The function of [`Tensor::powf`]: an element to a real power. The field is the exponent.
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

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Raises each element to the power `n`, by repeated squaring.
    ///
    /// The products are computed with their rounding errors, so the error of the result is below one unit in the last place (of the larger
    /// part of a complex number).
    ///
    /// If `n` is negative and the elements are integers, results are truncated to integers: 0 unless the element is 1 or −1. For
    /// fractions, convert with `.cast::<f64>()` first.
    ///
    /// # Panics
    /// * If the allocation fails.
    /// * If an integer zero is raised to a negative power.
    /// * If an integer result overflows in a build with debug assertions.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![2.0, -3.0].powi(3), tensor![8.0, -27.0]);
    /// ```
    #[track_caller]
    pub fn powi(&self, n: i32) -> Tensor<T, D, O, Dev>
    where
        T: Scalar,
        Dev: Elementwise<T>,
    {
        unwrap_or_panic(self.try_powi(n))
    }

    /// Fallible variant of [`powi`](Tensor::powi).
    ///
    /// # Errors
    /// * If the allocation fails.
    /// * If an integer zero is raised to a negative power.
    /// * If an integer result overflows in a build with debug assertions.
    pub fn try_powi(&self, n: i32) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Scalar,
        Dev: Elementwise<T>,
    {
        with_powi!(T, n, |op| self.try_apply(op))
    }

    /// Returns the logarithm to `base` of each element: `ln(x) / ln(base)`.
    ///
    /// For the bases 2 and 10, [`log2`](Tensor::log2) and [`log10`](Tensor::log10) are more accurate and faster; for base e,
    /// [`ln`](Tensor::ln).
    ///
    /// # Panics
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert!(tensor![9.0, 3.0].log(3.0).all_close(&tensor![2.0, 1.0], 1e-15, 0.0));
    /// ```
    #[track_caller]
    pub fn log(&self, base: T::Magnitude) -> Tensor<T, D, O, Dev>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        unwrap_or_panic(self.try_log(base))
    }

    /// Fallible variant of [`log`](Tensor::log).
    ///
    /// # Errors
    /// If the allocation fails.
    pub fn try_log(&self, base: T::Magnitude) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        let mut logarithm = self.try_ln()?;
        let base = CastTo::<T>::cast_to(num_traits::Float::ln(base));
        logarithm.try_apply_inplace(WithRight { op: Div, right: base })?;
        Ok(logarithm)
    }

    /// Raises each element to the real power `n`. For complex exponents, and for exponents in a tensor, see [`pow`](Tensor::pow).
    ///
    /// On processors with FMA, the error is below one unit in the last place for `f32` and below 1.2 units for `f64`; the exponents 1, 2,
    /// −1 and 0.5 give correctly rounded results. For complex numbers, the error in units in the last place of the result's larger part
    /// is below one for `c32`, and for `c64` below four if the magnitude of the exponent is at most 300.
    /// Without FMA, and in builds with debug assertions, the error is that of the C library. See [`Cpu`](crate::Cpu#results).
    ///
    /// # Panics
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![4.0, 9.0].powf(0.5), tensor![2.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn powf(&self, n: T::Magnitude) -> Tensor<T, D, O, Dev>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        unwrap_or_panic(self.try_powf(n))
    }

    /// Fallible variant of [`powf`](Tensor::powf).
    ///
    /// # Errors
    /// If the allocation fails.
    pub fn try_powf(&self, n: T::Magnitude) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        self.try_apply(Powf(n))
    }
}
