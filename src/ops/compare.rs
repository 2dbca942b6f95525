//! Comparisons to tensors of `bool`, and logic on those.

use super::operands::{Operands, RightOperand};
use crate::device::{BinaryOp, CudaSource, Device, Elementwise, UnaryOp};
use crate::element::{Bits, Element, Inexact, RealScalar, Scalar};
use crate::error::expect;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;
use core::ops;

macro_rules! comparisons {
    ($($Op:ident, $method:ident, $bound:ident, $symbol:tt, $verb:literal, $expected:literal;)*) => {$(
        #[doc = concat!("`a ", $symbol, " b`, as an operation.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        impl<T: $bound> BinaryOp<T, T> for $Op {
            type Output = bool;
            const NAME: &'static str = $verb;
            const CUDA: CudaSource = CudaSource::builtin(concat!("a ", $symbol, " b"));
            #[inline]
            fn apply(&self, a: T, b: T) -> bool {
                comparisons!(@ $symbol, a, b)
            }
        }

        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S>
        {
            #[doc = concat!("Where `self ", $symbol, " right`, element by element; `right` is a tensor to broadcast with, or a scalar.")]
            #[doc = concat!("With a `Result`: `x.try_apply2(op::", stringify!($Op), ", right)`.")]
            ///
            /// # Panics
            /// Where the shapes do not broadcast, or the device has no memory left.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor![1, 2, 3].", stringify!($method), "(2), ", $expected, ");")]
            /// ```
            #[track_caller]
            pub fn $method<R: Operands<T, D, O, Dev>>(
                &self,
                right: R,
            ) -> Tensor<bool, R::Common, O, Dev>
            where
                T: $bound,
                Dev: Elementwise<T>,
            {
                expect(right.combine($Op, self))
            }
        }
    )*};
    (@ "==", $a:expr, $b:expr) => { $a == $b };
    (@ "!=", $a:expr, $b:expr) => { $a != $b };
    (@ "<", $a:expr, $b:expr) => { $a < $b };
    (@ "<=", $a:expr, $b:expr) => { $a <= $b };
    (@ ">", $a:expr, $b:expr) => { $a > $b };
    (@ ">=", $a:expr, $b:expr) => { $a >= $b };
}

comparisons! {
    Equal, equal, Element, "==", "compare", "tensor![false, true, false]";
}
comparisons! {
    NotEqual, not_equal, Element, "!=", "compare", "tensor![true, false, true]";
}
comparisons! {
    Less, less, RealScalar, "<", "compare", "tensor![true, false, false]";
}
comparisons! {
    LessEqual, less_equal, RealScalar, "<=", "compare", "tensor![true, true, false]";
}
comparisons! {
    Greater, greater, RealScalar, ">", "compare", "tensor![false, false, true]";
}
comparisons! {
    GreaterEqual, greater_equal, RealScalar, ">=", "compare", "tensor![false, true, true]";
}

macro_rules! tests_of_one {
    ($($Op:ident, $method:ident, $doc:literal, $expected:literal, |$x:ident| $body:expr, $cuda:literal;)*) => {$(
        #[doc = concat!($doc, ", as an operation.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;
        impl<T: Inexact> UnaryOp<T> for $Op {
            type Output = bool;
            const NAME: &'static str = "examine";
            const CUDA: CudaSource = CudaSource::builtin($cuda);
            fn apply(&self, $x: T) -> bool {
                $body
            }
        }
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S>
        {
            #[doc = concat!($doc, ", element by element.")]
            ///
            /// # Panics
            /// Where the device has no memory left.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor![1.0, f64::NAN, f64::INFINITY].", stringify!($method), "(), ", $expected, ");")]
            /// ```
            #[track_caller]
            pub fn $method(&self) -> Tensor<bool, D, O, Dev>
            where
                T: Inexact,
                Dev: Elementwise<T>,
            {
                self.apply($Op)
            }
        }
    )*};
}
tests_of_one! {
    IsNan, is_nan, "Whether it, or a part of it, is NaN", "tensor![false, true, false]", |x| x.has_nan(), "is_nan(a)";
}
tests_of_one! {
    IsFinite, is_finite, "Whether it is neither infinite nor NaN", "tensor![true, false, false]", |x| x.all_finite(), "is_finite(a)";
}
tests_of_one! {
    IsInfinite, is_infinite, "Whether it, or a part of it, is infinite", "tensor![false, false, true]", |x| x.has_infinite(), "is_infinite(a)";
}

// ------------------------------------------------------------------ logic

macro_rules! logic {
    ($($Op:ident, $method:ident, $symbol:literal;)*) => {$(
        #[doc = concat!("`a ", $symbol, " b`, bit by bit, as an operation.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;
        impl<T: Bits> BinaryOp<T, T> for $Op {
            type Output = T;
            const NAME: &'static str = "combine";
            const CUDA: CudaSource = CudaSource::builtin(concat!("a ", $symbol, " b"));
            #[inline]
            fn apply(&self, a: T, b: T) -> T {
                ops::$Op::$method(a, b)
            }
        }
        impl<T, D, O, Dev, S, R> ops::$Op<R> for &Tensor<T, D, O, Dev, S>
        where
            T: Element,
            D: Dim,
            O: Order,
            Dev: Device,
            S: Storage<T, Dev>,
            R: RightOperand<$Op, T, D, O, Dev>,
        {
            type Output = Tensor<T, R::Common, O, Dev>;
            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                expect(right.operate($Op, self.view()))
            }
        }
        impl<T, D, O, Dev, S, R> ops::$Op<R> for Tensor<T, D, O, Dev, S>
        where
            T: Element,
            D: Dim,
            O: Order,
            Dev: Device,
            S: Storage<T, Dev>,
            R: RightOperand<$Op, T, D, O, Dev>,
        {
            type Output = Tensor<T, R::Common, O, Dev>;
            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                expect(right.operate($Op, self))
            }
        }
    )*};
}
logic! {
    BitAnd, bitand, "&";
    BitOr, bitor, "|";
    BitXor, bitxor, "^";
}

/// `!a`, bit by bit, as an operation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Not;
impl<T: Bits> UnaryOp<T> for Not {
    type Output = T;
    const NAME: &'static str = "invert";
    const CUDA: CudaSource = CudaSource::builtin("inverted(a)");
    fn apply(&self, a: T) -> T {
        !a
    }
}
impl<T, D, O, Dev, S> ops::Not for &Tensor<T, D, O, Dev, S>
where
    T: Bits,
    D: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
{
    type Output = Tensor<T, D, O, Dev>;
    #[track_caller]
    fn not(self) -> Self::Output {
        self.apply(Not)
    }
}
impl<T, D, O, Dev, S> ops::Not for Tensor<T, D, O, Dev, S>
where
    T: Bits,
    D: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
{
    type Output = Tensor<T, D, O, Dev>;
    #[track_caller]
    fn not(self) -> Self::Output {
        self.apply(Not)
    }
}

impl<T: Scalar, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Whether both have the same shape and every pair of elements is equal or satisfies
    /// `|a − b| ≤ absolute + relative · |b|` with a finite `b` (NumPy's rule). Nothing is close to NaN, and to an infinity only
    /// itself.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert!(tensor![1.0, 2.0].all_close(&tensor![1.0, 2.0 + 1e-12], 1e-9, 0.0));
    /// assert!(!tensor![1.0].all_close(&tensor![f64::INFINITY], 1e-9, 0.0));
    /// ```
    pub fn all_close<S2: Storage<T, Dev>>(
        &self,
        other: &Tensor<T, D, O, Dev, S2>,
        relative: T::Magnitude,
        absolute: T::Magnitude,
    ) -> bool
    where
        Dev: crate::device::HostAccess,
    {
        use crate::element::CastTo;
        let size = |x: T| -> T::Magnitude { Scalar::modulus(CastTo::<T::Float>::cast_to(x)) };
        self.shape() == other.shape()
            && self.iter().zip(other.iter()).all(|(&a, &b)| {
                let difference = CastTo::<T::Float>::cast_to(a) - CastTo::<T::Float>::cast_to(b);
                let size = size(b);
                a == b
                    || num_traits::Float::is_finite(size)
                        && difference.modulus() <= absolute + relative * size
            })
    }
}
