//! Functions of one element, as methods of tensors. Module [`op`](crate::device::op) has them as values.

use crate::device::op::catalogue::unary;
use crate::device::op::scalar::WithRight;
use crate::device::op::{binary::Div, unary::*};
use crate::device::{Device, Elementwise};
use crate::element::{Bits, CastTo, Element, Inexact, RealFloat, RealScalar, Scalar};
use crate::error::{Error, fallible};
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;

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
        #[doc = concat!("In place, for results of the same type: `x.apply_inplace(op::", stringify!($Name), ")`.")]
        ///
        /// # Errors
        /// If the allocation fails, or an integer result overflows in a build with debug assertions.
        ///
        /// ```
        /// use vierbein::{Complex, tensor};
        #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($method), "(), tensor!", $expected, ");")]
        /// ```
        #[fallible]
        pub fn $method(&self) -> Tensor<$Output, D, O, Dev>
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
// Calls the macro `methods` with the list of all functions, which is in `catalogue/unary.rs`.
unary!(methods);

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Raises each element to the power `n`, by repeated squaring.
    ///
    /// The products are computed with their rounding errors, so the error of the result is below one unit in the last place (of the larger
    /// part of a complex number).
    ///
    /// If `n` is negative and the elements are integers, results are truncated to integers: 0 unless the element is 1 or −1. For
    /// fractions, convert with `.cast::<f64>()` first.
    ///
    /// # Errors
    /// * If the allocation fails.
    /// * If an integer zero is raised to a negative power.
    /// * If an integer result overflows in a build with debug assertions.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![2.0, -3.0].powi(3), tensor![8.0, -27.0]);
    /// ```
    #[fallible]
    pub fn powi(&self, n: i32) -> Tensor<T, D, O, Dev>
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
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert!(tensor![9.0, 3.0].log(3.0).all_close(&tensor![2.0, 1.0], 1e-15, 0.0));
    /// ```
    #[fallible]
    pub fn log(&self, base: T::Magnitude) -> Tensor<T, D, O, Dev>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        self.logarithm(CastTo::<T>::cast_to(num_traits::Float::ln(base)))
    }

    /// Returns the logarithm of each element to the base whose natural logarithm is `ln_base`. The base itself need not be in range.
    pub(crate) fn logarithm(&self, ln_base: T) -> Result<Tensor<T, D, O, Dev>, Error>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        let mut logarithm = self.try_ln()?;
        logarithm.try_apply_inplace(WithRight { op: Div, right: ln_base })?;
        Ok(logarithm)
    }

    /// Raises each element to the real power `n`. For complex exponents, and for exponents in a tensor, see [`pow`](Tensor::pow).
    ///
    /// On processors with FMA, the error is below one unit in the last place for `f32` and below 1.2 units for `f64`; the exponents 1, 2,
    /// −1 and 0.5 give correctly rounded results. For complex numbers, the error in units in the last place of the result's larger part
    /// is below one for `c32`, and for `c64` below four if the magnitude of the exponent is at most 300.
    /// Without FMA, and in builds with debug assertions, the error is that of the C library. See [`Cpu`](crate::Cpu#results).
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![4.0, 9.0].powf(0.5), tensor![2.0, 3.0]);
    /// ```
    #[fallible]
    pub fn powf(&self, n: T::Magnitude) -> Tensor<T, D, O, Dev>
    where
        T: Inexact,
        Dev: Elementwise<T>,
    {
        self.try_apply(Powf(n))
    }
}
