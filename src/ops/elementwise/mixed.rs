//! Arithmetic between complex and real numbers. The functions use a real operand as it is, so a product has two multiplications instead of
//! four.

use super::compute::{binary_assign, combine, combine_to_left};
use crate::device::op::unary::DIVISION;
use crate::device::{BinaryOp, CudaSource, Elementwise};
use crate::element::{Arithmetic, Element, Elementary, Scalar};
use crate::error::Error;
use crate::ops::op::{Add, Div, Mul, Rem, Sub};
use crate::order::Order;
use crate::rank::{Broadcast, Common, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;
use num_complex::Complex;

/// The element type of a left operand that the operator `F` combines with right operands of `U`: `U` itself, or complex numbers with parts
/// of `U`.
///
/// The left operand determines the element type of the result. A real tensor on the left of a complex one is an error, because the
/// compiler could not infer the type of a right operand then, as in `&a + &Tensor::zeros([2, 3])`.
// The operator is a parameter, so that the compiler reports one failed bound, and not another one for `F`.
#[diagnostic::on_unimplemented(
    message = "cannot combine a tensor of `{Self}` with a tensor of `{U}`",
    label = "the operands differ in element type",
    note = "convert the operand of the narrower type: the right one with `.cast::<{Self}>()`, or the left one with `.cast::<{U}>()`",
    note = "complex numbers do not convert to real ones, but a complex tensor on the left accepts a real one"
)]
pub trait AcceptsRight<U: Element, F>: Element {
    /// Returns `op(left, right)` in the buffer of an owned operand, if possible, otherwise in a new buffer.
    #[doc(hidden)]
    fn combine<D, E, O, Dev, S, S2>(
        op: F,
        left: Tensor<Self, D, O, Dev, S>,
        right: Tensor<U, E, O, Dev, S2>,
    ) -> Result<Tensor<Self, Common<D, E>, O, Dev>, Error>
    where
        D: Dim + Broadcast<E>,
        E: Dim,
        O: Order,
        Dev: Elementwise<Self>,
        S: Storage<Self, Dev>,
        S2: Storage<U, Dev>;

    /// Computes `target = op(target, right)`; the right operand broadcasts to the target's shape.
    #[doc(hidden)]
    fn assign<D, E, O, Dev, S, S2>(
        op: F,
        target: &mut Tensor<Self, D, O, Dev, S>,
        right: &Tensor<U, E, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        D: Dim,
        E: Dim,
        O: Order,
        Dev: Elementwise<Self>,
        S: StorageMut<Self, Dev>,
        S2: Storage<U, Dev>;
}

/// Implements `AcceptsRight` by a function that combines the operands.
macro_rules! accepts_right {
    ($(#[$attribute:meta])* [$($parameter:tt)*] $T:ty, $U:ty, $combine:ident) => {
        $(#[$attribute])*
        impl<$($parameter)* F: BinaryOp<$T, $U, Output = $T>> AcceptsRight<$U, F> for $T {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn combine<D, E, O, Dev, S, S2>(
                op: F,
                left: Tensor<$T, D, O, Dev, S>,
                right: Tensor<$U, E, O, Dev, S2>,
            ) -> Result<Tensor<$T, Common<D, E>, O, Dev>, Error>
            where
                D: Dim + Broadcast<E>,
                E: Dim,
                O: Order,
                Dev: Elementwise<$T>,
                S: Storage<$T, Dev>,
                S2: Storage<$U, Dev>,
            {
                $combine(op, left, right)
            }
            #[inline]
            fn assign<D, E, O, Dev, S, S2>(
                op: F,
                target: &mut Tensor<$T, D, O, Dev, S>,
                right: &Tensor<$U, E, O, Dev, S2>,
            ) -> Result<(), Error>
            where
                D: Dim,
                E: Dim,
                O: Order,
                Dev: Elementwise<$T>,
                S: StorageMut<$T, Dev>,
                S2: Storage<$U, Dev>,
            {
                binary_assign(op, target, right)
            }
        }
    };
}
accepts_right!([T: Element,] T, T, combine);

/// The [`COST`](BinaryOp::COST) of a few additions and multiplications.
const FREE: usize = 0;

/// Implements the operators for a complex and a real operand, in both orders. `z` and `w` are complex, `x` and `y` are real.
macro_rules! mixed {
    ($($t:ident)*) => {$(
        mixed! {
            $t;
            Add, FREE: |z, x| Complex::new(z.re + x, z.im), "a + b", |y, w| Complex::new(y + w.re, w.im), "a + b";
            Sub, FREE: |z, x| Complex::new(z.re - x, z.im), "a - b", |y, w| Complex::new(y - w.re, 0.0 - w.im), "a - b";
            Mul, FREE: |z, x| Complex::new(z.re * x, z.im * x), "a * b", |y, w| Complex::new(y * w.re, y * w.im), "a * b";
            Div, DIVISION: |z, x| Complex::new(z.re / x, z.im / x), "a / b",
                |y, w| Scalar::wrapping(Arithmetic::Div, Complex::from(y), w), "cast<B>(a) / b";
            Rem, DIVISION: |z, x| Scalar::wrapping(Arithmetic::Rem, z, Complex::from(x)), "a % cast<A>(b)",
                |y, w| Scalar::wrapping(Arithmetic::Rem, Complex::from(y), w), "cast<B>(a) % b";
        }

        accepts_right!(#[diagnostic::do_not_recommend] [] Complex<$t>, $t, combine_to_left);
    )*};
    ($t:ident; $(
        $Op:ident, $cost:ident: |$z:ident, $x:ident| $right:expr, $right_cuda:literal, |$y:ident, $w:ident| $left:expr, $left_cuda:literal;
    )*) => {$(
        impl BinaryOp<Complex<$t>, $t> for $Op {
            type Output = Complex<$t>;
            const NAME: &'static str = <$Op as BinaryOp<$t, $t>>::NAME;
            const CUDA: CudaSource = CudaSource::builtin($right_cuda);
            const COST: usize = $cost;
            #[inline]
            fn apply(&self, $z: Complex<$t>, $x: $t) -> Complex<$t> {
                $right
            }
        }
        impl BinaryOp<$t, Complex<$t>> for $Op {
            type Output = Complex<$t>;
            const NAME: &'static str = <$Op as BinaryOp<$t, $t>>::NAME;
            const CUDA: CudaSource = CudaSource::builtin($left_cuda);
            const COST: usize = $cost;
            #[inline]
            fn apply(&self, $y: $t, $w: Complex<$t>) -> Complex<$t> {
                $left
            }
            fn elementary_with_left_scalar(&self, y: $t) -> Option<Elementary> {
                <$Op as BinaryOp<Complex<$t>, Complex<$t>>>::elementary_with_left_scalar(self, Complex::from(y))
            }
        }
    )*};
}
mixed!(f32 f64);

/// A scalar argument for a tensor of `T`: a `T`, or for complex `T`, a real number of the same precision.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be an element of a tensor of `{T}`",
    label = "expected a scalar of `{T}`",
    note = "a scalar has the type of the elements: `1.0` for `f64`, `Complex::new(0.0, 1.0)` or `1.0` for `Complex<f64>`"
)]
pub trait ScalarFor<T: Element> {
    /// Returns the scalar as an element.
    #[doc(hidden)]
    fn into_element(self) -> T;
}

impl<T: Element> ScalarFor<T> for T {
    #[inline]
    fn into_element(self) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl ScalarFor<Complex<f32>> for f32 {
    fn into_element(self) -> Complex<f32> {
        Complex::from(self)
    }
}

#[diagnostic::do_not_recommend]
impl ScalarFor<Complex<f64>> for f64 {
    fn into_element(self) -> Complex<f64> {
        Complex::from(self)
    }
}
