//! The right operands of functions and operators: tensors, owned or borrowed, and scalars.

use super::compute::{binary, binary_into, unary_given, unary_into};
use super::mixed::AcceptsRight;
use crate::device::op::scalar::WithRight;
use crate::device::{BinaryOp, Device, Elementwise, SameDevice, SameDtype, SameOrder};
use crate::element::{Element, Scalar};
use crate::error::Error;
use crate::order::Order;
use crate::rank::{Broadcast, BroadcastTo, Common, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor, TensorView};
use num_complex::Complex;

/// The right operand of `maximum`, `lt`, `atan2`, ..: a tensor, which broadcasts, or a scalar.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be combined with a `{O}` tensor of `{T}` on `{Dev}`",
    label = "expected a tensor or a scalar of `{T}`",
    note = "element types convert with `.cast::<{T}>()`, orders with `.to_order::<{O}>()`, devices with `.to_device::<{Dev}>()?`",
    note = "a scalar has the type of the elements: `1.0` for `f64`, `Complex::from(1.0)` for `Complex<f64>`",
    note = "in generic code: `T::from_f64(0.5)` for a constant, `T::from_magnitude(r)` for a norm, `T::from_real(r)` for another real number"
)]
pub trait Operands<T: Element, D: Dim, O: Order, Dev: Device>: Sized {
    /// The rank of the result.
    type Common: Dim;
    #[doc(hidden)]
    fn combine<F: BinaryOp<T, T>, S: Storage<T, Dev>>(
        self,
        op: F,
        left: &Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<F::Output, Self::Common, O, Dev>, Error>;
    #[doc(hidden)]
    fn combine_into<F: BinaryOp<T, T>, S: Storage<T, Dev>, S2: StorageMut<F::Output, Dev>>(
        self,
        op: F,
        left: &Tensor<T, D, O, Dev, S>,
        out: &mut Tensor<F::Output, Self::Common, O, Dev, S2>,
    ) -> Result<(), Error>;
}

impl<T, D, O, Dev, U, E, P, Dev2, S2> Operands<T, D, O, Dev> for &Tensor<U, E, P, Dev2, S2>
where
    T: Element + SameDtype<U>,
    U: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order + SameOrder<P>,
    P: Order,
    Dev: Elementwise<T> + SameDevice<Dev2>,
    Dev2: Device,
    S2: Storage<U, Dev2>,
{
    type Common = Common<D, E>;
    fn combine<F: BinaryOp<T, T>, S: Storage<T, Dev>>(
        self,
        op: F,
        left: &Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<F::Output, Self::Common, O, Dev>, Error> {
        binary(op, left, &self.agree::<T, O, Dev>())
    }
    fn combine_into<F: BinaryOp<T, T>, S: Storage<T, Dev>, S3: StorageMut<F::Output, Dev>>(
        self,
        op: F,
        left: &Tensor<T, D, O, Dev, S>,
        out: &mut Tensor<F::Output, Self::Common, O, Dev, S3>,
    ) -> Result<(), Error> {
        binary_into(op, left, &self.agree::<T, O, Dev>(), out)
    }
}

#[diagnostic::do_not_recommend]
impl<T, D, O, Dev, U, E, P, Dev2, S2> Operands<T, D, O, Dev> for Tensor<U, E, P, Dev2, S2>
where
    T: Element + SameDtype<U>,
    U: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order + SameOrder<P>,
    P: Order,
    Dev: Elementwise<T> + SameDevice<Dev2>,
    Dev2: Device,
    S2: Storage<U, Dev2>,
{
    type Common = Common<D, E>;
    fn combine<F: BinaryOp<T, T>, S: Storage<T, Dev>>(
        self,
        op: F,
        left: &Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<F::Output, Self::Common, O, Dev>, Error> {
        (&self).combine(op, left)
    }
    fn combine_into<F: BinaryOp<T, T>, S: Storage<T, Dev>, S3: StorageMut<F::Output, Dev>>(
        self,
        op: F,
        left: &Tensor<T, D, O, Dev, S>,
        out: &mut Tensor<F::Output, Self::Common, O, Dev, S3>,
    ) -> Result<(), Error> {
        (&self).combine_into(op, left, out)
    }
}

impl<T: Scalar, D: Dim, O: Order, Dev: Elementwise<T>> Operands<T, D, O, Dev> for T {
    type Common = D;
    fn combine<F: BinaryOp<T, T>, S: Storage<T, Dev>>(
        self,
        op: F,
        left: &Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<F::Output, D, O, Dev>, Error> {
        left.try_apply(WithRight { op, right: self })
    }
    fn combine_into<F: BinaryOp<T, T>, S: Storage<T, Dev>, S2: StorageMut<F::Output, Dev>>(
        self,
        op: F,
        left: &Tensor<T, D, O, Dev, S>,
        out: &mut Tensor<F::Output, D, O, Dev, S2>,
    ) -> Result<(), Error> {
        unary_into(WithRight { op, right: self }, left, out)
    }
}

// ------------------------------------------------------------------ operators

/// The right operand of the operator `F`, with a tensor of `T` on the left: a tensor, owned or borrowed, or a scalar.
///
/// This trait is the operators' only bound. The compiler infers the type of the right operand last, so it reports a failed bound on that
/// type with this trait's message (E0277). If a bound on the left operand alone failed, the compiler would not print the message (E0369).
/// The left operand's types still determine those of the right operand: `&a + &Tensor::zeros([2, 3])`.
#[diagnostic::on_unimplemented(
    message = "cannot combine a tensor of `{T}` with `{Self}`",
    label = "expected a tensor or a scalar of `{T}`",
    note = "a scalar has the type of the elements: `1.0` for `f64`, `Complex::from(1.0)` for `Complex<f64>`",
    note = "in generic code: `T::from_f64(0.5)` for a constant, `T::from_magnitude(r)` for a norm, `T::from_real(r)` for another real number"
)]
pub trait RightOperand<F, T: Element, D: Dim, O: Order, Dev: Device> {
    /// The element type of the result.
    type Element: Element;
    /// The rank of the result.
    type Common: Dim;
    #[doc(hidden)]
    fn operate<S: Storage<T, Dev>>(
        self,
        op: F,
        left: Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<Self::Element, Self::Common, O, Dev>, Error>;
}

/// The right operand of a compound assignment such as `+=`, with operator `F` and the tensor `Left` on the left: a tensor, owned or
/// borrowed, or a scalar.
#[diagnostic::on_unimplemented(
    message = "cannot combine `{Left}` with `{Self}`",
    label = "expected a tensor or a scalar of the same element type",
    note = "a scalar has the type of the elements: `1.0` for `f64`, `Complex::from(1.0)` for `Complex<f64>`",
    note = "in generic code: `T::from_f64(0.5)` for a constant, `T::from_magnitude(r)` for a norm, `T::from_real(r)` for another real number"
)]
pub trait AssignOperand<F, Left> {
    #[doc(hidden)]
    fn operate_on(self, op: F, left: &mut Left) -> Result<(), Error>;
}

impl<F, T, U, D, E, O, P, Dev, Dev2, S2> RightOperand<F, T, D, O, Dev> for &Tensor<U, E, P, Dev2, S2>
where
    T: AcceptsRight<U, F>,
    U: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order + SameOrder<P>,
    P: Order,
    Dev: Elementwise<T> + SameDevice<Dev2>,
    Dev2: Device,
    S2: Storage<U, Dev2>,
{
    type Element = T;
    type Common = Common<D, E>;
    #[inline]
    fn operate<S: Storage<T, Dev>>(
        self,
        op: F,
        left: Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<T, Common<D, E>, O, Dev>, Error> {
        T::combine(op, left, self.agree::<U, O, Dev>())
    }
}

impl<F, T, U, D, E, O, P, Dev, Dev2, S2> RightOperand<F, T, D, O, Dev> for Tensor<U, E, P, Dev2, S2>
where
    T: AcceptsRight<U, F>,
    U: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order + SameOrder<P>,
    P: Order,
    Dev: Elementwise<T> + SameDevice<Dev2>,
    Dev2: Device,
    S2: Storage<U, Dev2>,
{
    type Element = T;
    type Common = Common<D, E>;
    fn operate<S: Storage<T, Dev>>(
        self,
        op: F,
        left: Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<T, Common<D, E>, O, Dev>, Error> {
        match self.into_agreed::<U, O, Dev>() {
            Ok(right) => T::combine(op, left, right),
            Err(right) => T::combine(op, left, right.agree::<U, O, Dev>()),
        }
    }
}

impl<F, T, U, D, E, O, P, Dev, Dev2, S, S2> AssignOperand<F, Tensor<T, D, O, Dev, S>>
    for &Tensor<U, E, P, Dev2, S2>
where
    T: AcceptsRight<U, F>,
    U: Element,
    D: Dim,
    E: BroadcastTo<D>,
    O: Order + SameOrder<P>,
    P: Order,
    Dev: Elementwise<T> + SameDevice<Dev2>,
    Dev2: Device,
    S: StorageMut<T, Dev>,
    S2: Storage<U, Dev2>,
{
    fn operate_on(self, op: F, left: &mut Tensor<T, D, O, Dev, S>) -> Result<(), Error> {
        T::assign(op, left, &self.agree::<U, O, Dev>())
    }
}

impl<F, T, U, D, E, O, P, Dev, Dev2, S, S2> AssignOperand<F, Tensor<T, D, O, Dev, S>>
    for Tensor<U, E, P, Dev2, S2>
where
    T: AcceptsRight<U, F>,
    U: Element,
    D: Dim,
    E: BroadcastTo<D>,
    O: Order + SameOrder<P>,
    P: Order,
    Dev: Elementwise<T> + SameDevice<Dev2>,
    Dev2: Device,
    S: StorageMut<T, Dev>,
    S2: Storage<U, Dev2>,
{
    fn operate_on(self, op: F, left: &mut Tensor<T, D, O, Dev, S>) -> Result<(), Error> {
        T::assign(op, left, &self.agree::<U, O, Dev>())
    }
}

impl<F: BinaryOp<T, T, Output = T>, T: Element, D: Dim, O: Order, Dev: Elementwise<T>>
    RightOperand<F, T, D, O, Dev> for T
{
    type Element = T;
    type Common = D;
    #[inline]
    fn operate<S: Storage<T, Dev>>(
        self,
        op: F,
        left: Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<T, D, O, Dev>, Error> {
        unary_given(WithRight { op, right: self }, left)
    }
}

/// Implements `RightOperand` and `AssignOperand` for a real scalar on the right of a complex tensor, and `RightOperand` for a complex scalar
/// on the right of a real tensor.
macro_rules! real_beside_complex {
    ($($t:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<F, D, O, Dev> RightOperand<F, Complex<$t>, D, O, Dev> for $t
        where
            F: BinaryOp<Complex<$t>, $t, Output = Complex<$t>>,
            D: Dim,
            O: Order,
            Dev: Elementwise<Complex<$t>>,
        {
            type Element = Complex<$t>;
            type Common = D;
            #[inline]
            fn operate<S: Storage<Complex<$t>, Dev>>(
                self,
                op: F,
                left: Tensor<Complex<$t>, D, O, Dev, S>,
            ) -> Result<Tensor<Complex<$t>, D, O, Dev>, Error> {
                unary_given(WithRight { op, right: self }, left)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<F, D, O, Dev> RightOperand<F, $t, D, O, Dev> for Complex<$t>
        where
            F: BinaryOp<$t, Complex<$t>, Output = Complex<$t>>,
            D: Dim,
            O: Order,
            Dev: Elementwise<$t>,
        {
            type Element = Complex<$t>;
            type Common = D;
            fn operate<S: Storage<$t, Dev>>(
                self,
                op: F,
                left: Tensor<$t, D, O, Dev, S>,
            ) -> Result<Tensor<Complex<$t>, D, O, Dev>, Error> {
                left.try_apply(WithRight { op, right: self })
            }
        }

        #[diagnostic::do_not_recommend]
        impl<F, D, O, Dev, S> AssignOperand<F, Tensor<Complex<$t>, D, O, Dev, S>> for $t
        where
            F: BinaryOp<Complex<$t>, $t, Output = Complex<$t>>,
            D: Dim,
            O: Order,
            Dev: Elementwise<Complex<$t>>,
            S: StorageMut<Complex<$t>, Dev>,
        {
            fn operate_on(self, op: F, left: &mut Tensor<Complex<$t>, D, O, Dev, S>) -> Result<(), Error> {
                left.try_apply_inplace(WithRight { op, right: self })
            }
        }
    )*};
}
real_beside_complex!(f32 f64);

impl<F: BinaryOp<T, T, Output = T>, T: Element, D: Dim, O: Order, Dev: Elementwise<T>, S: StorageMut<T, Dev>>
    AssignOperand<F, Tensor<T, D, O, Dev, S>> for T
{
    fn operate_on(self, op: F, left: &mut Tensor<T, D, O, Dev, S>) -> Result<(), Error> {
        left.try_apply_inplace(WithRight { op, right: self })
    }
}

// ------------------------------------------------------------------ arguments of methods

/// A tensor argument, owned, borrowed or a view, with the memory order and device of the left operand.
///
/// Methods have one type parameter for the argument, so that the compiler reports a mismatch with this trait's message.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be combined with a `{O}` tensor on `{Dev}`",
    label = "expected `&x`, a view such as `x.t()`, or a tensor",
    note = "a scalar as a tensor is `Tensor::scalar(2.0)`, an array `Tensor::from([1.0, 2.0])`"
)]
pub trait SameOrderOperand<O: Order, Dev: Device> {
    /// The element type.
    type Element: Element;
    /// The rank.
    type Dim: Dim;
    /// Returns a view of the tensor.
    fn aligned(&self) -> TensorView<'_, Self::Element, Self::Dim, O, Dev>;
}

impl<X: AsView, O: Order + SameOrder<X::Order>, Dev: SameDevice<X::Device>> SameOrderOperand<O, Dev> for X {
    type Element = X::Element;
    type Dim = X::Dim;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn aligned(&self) -> TensorView<'_, X::Element, X::Dim, O, Dev> {
        self.as_view().into_agreeing()
    }
}

/// A [`SameOrderOperand`] whose element type is `T`.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be combined with a `{O}` tensor of `{T}` on `{Dev}`",
    label = "expected `&x`, a view such as `x.t()`, or a tensor",
    note = "a scalar as a tensor is `Tensor::scalar(2.0)`, an array `Tensor::from([1.0, 2.0])`"
)]
pub trait MatchingOperand<T: Element, O: Order, Dev: Device>: SameOrderOperand<O, Dev> {
    /// Returns a view of the tensor.
    fn agreed(&self) -> TensorView<'_, T, Self::Dim, O, Dev>;
}

impl<T: SameDtype<B::Element>, O: Order, Dev: Device, B: SameOrderOperand<O, Dev>> MatchingOperand<T, O, Dev>
    for B
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn agreed(&self) -> TensorView<'_, T, B::Dim, O, Dev> {
        self.aligned().into_agreeing()
    }
}
