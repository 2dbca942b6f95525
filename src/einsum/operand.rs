//! The traits for operands and outputs of a contraction. These traits require at compile time that element types, memory orders and
//! devices agree, and that ranks match the specification.

use crate::device::{Contract, Device, MatrixOperand, Operand, SameDevice, SameDtype, SameOrder};
use crate::element::{Element, Scalar, c32, c64};
use crate::engine::contract::Factor;
use crate::order::Order;
use crate::rank::{AnyRank, Dim, InsertAxes, Rank, RemoveAxes, Removed};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorView, TensorViewMut};

/// An operand of [`einsum!`](crate::einsum!): an owned or borrowed tensor, a view, or a [`conj_view`](Tensor::conj_view).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an operand of a contraction or a factorisation",
    label = "expected `&x`, a view such as `x.t()`, or `x.conj_view()`",
    note = "pass a scalar of a contraction as `Tensor::<f64, _>::scalar(2.0)`",
    note = "a `DynTensor` is an operand of the functions in `dyn_tensor`, such as `dyn_tensor::einsum`"
)]
pub trait EinsumOperand {
    /// The element type.
    type Element: Element;
    /// The rank.
    type Dim: Dim;
    /// The memory order.
    type Order: Order;
    /// The device.
    type Device: Device;
    /// Whether the elements are to be conjugated.
    const CONJUGATE: bool;
    /// Returns the elements as an operand of a kernel, and their device. The elements are not conjugated, even if `CONJUGATE` is set.
    fn operand(&self) -> (Operand<'_, Self::Element, Self::Device>, &Self::Device);
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> EinsumOperand
    for Tensor<T, D, O, Dev, S>
{
    type Element = T;
    type Dim = D;
    type Order = O;
    type Device = Dev;
    const CONJUGATE: bool = false;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn operand(&self) -> (Operand<'_, T, Dev>, &Dev) {
        (Tensor::operand(self), self.device())
    }
}

#[diagnostic::do_not_recommend]
impl<X: EinsumOperand> EinsumOperand for &X {
    type Element = X::Element;
    type Dim = X::Dim;
    type Order = X::Order;
    type Device = X::Device;
    const CONJUGATE: bool = X::CONJUGATE;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn operand(&self) -> (Operand<'_, X::Element, X::Device>, &X::Device) {
        (**self).operand()
    }
}

/// The complex conjugate of a tensor as an operand of a product. [`conj_view`](Tensor::conj_view) returns it, without a copy.
#[derive(Debug, Clone, Copy)]
pub struct Conjugate<X>(X);

#[diagnostic::do_not_recommend]
impl<X: EinsumOperand> EinsumOperand for Conjugate<X> {
    type Element = X::Element;
    type Dim = X::Dim;
    type Order = X::Order;
    type Device = X::Device;
    const CONJUGATE: bool = !X::CONJUGATE;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn operand(&self) -> (Operand<'_, X::Element, X::Device>, &X::Device) {
        self.0.operand()
    }
}

impl<X: Copy> Conjugate<X> {
    /// Returns the conjugate of the conjugate, which is the original view.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// let x = tensor![Complex::new(1.0, 2.0)];
    /// assert_eq!(x.conj_view().conj_view(), x);
    /// ```
    pub fn conj_view(&self) -> X {
        self.0
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the complex conjugate as an operand of [`einsum!`](crate::einsum!), [`matmul`](Tensor::matmul),
    /// [`tensordot`](Tensor::tensordot) and the other products. The kernels of these operations conjugate the elements when they
    /// read them; nothing is copied. A real tensor is its own conjugate.
    ///
    /// ```
    /// use vierbein::{Complex, einsum, tensor};
    /// let psi = tensor![Complex::new(0.6, 0.0), Complex::new(0.0, 0.8)];
    /// let norm = einsum!("i,i->", psi.conj_view(), &psi);
    /// assert_eq!(norm.item(), Complex::new(1.0, 0.0));
    /// ```
    pub fn conj_view(&self) -> Conjugate<TensorView<'_, T, D, O, Dev>>
    where
        T: Scalar,
    {
        Conjugate(self.into())
    }
}

/// The right operand of a product: an [`EinsumOperand`] with the memory order and device of the left one. It has the left operand's element
/// type, or is real beside a complex one.
#[diagnostic::on_unimplemented(
    message = "a `{O}` tensor of `{T}` on `{Dev}` cannot be multiplied by a `{Self}`",
    label = "expected `&x`, a view such as `x.t()`, or `x.conj_view()`"
)]
pub trait ProductOperand<T: Element, O: Order, Dev: Device>: EinsumOperand {
    /// Returns the elements as an operand of a product, and their device.
    #[doc(hidden)]
    fn agreeing(&self) -> (Factor<'_, T, Dev>, &Dev);
}

impl<X, T, O, Dev> ProductOperand<T, O, Dev> for X
where
    X: EinsumOperand,
    T: AcceptsFactor<X::Element, Dev>,
    O: Order + SameOrder<X::Order>,
    Dev: SameDevice<X::Device>,
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn agreeing(&self) -> (Factor<'_, T, Dev>, &Dev) {
        let (operand, device) = self.operand();
        let operand = MatrixOperand { operand: operand.into_agreeing(), conjugate: X::CONJUGATE };
        (T::factor(operand), Dev::same_device_ref(device))
    }
}

/// The element type of the first operand of a product on `Dev`, whose other operands have elements of `U`: `U` itself, or complex numbers
/// with parts of `U`.
///
/// The first operand determines the element type of the result. If the first operand is real, all others have its element type, because the
/// compiler could not infer their types otherwise, as in `a.matmul(&Tensor::eye(3))`.
#[diagnostic::on_unimplemented(
    message = "cannot multiply a tensor of `{Self}` by a tensor of `{U}`",
    label = "the operands differ in element type",
    note = "convert the operand of the narrower type: this one with `.cast::<{Self}>()`, or the first one with `.cast::<{U}>()`",
    note = "complex numbers do not convert to real ones, but if the first operand is complex, the others may be real"
)]
pub trait AcceptsFactor<U: Element, Dev: Device>: Element {
    #[doc(hidden)]
    fn factor(operand: MatrixOperand<'_, U, Dev>) -> Factor<'_, Self, Dev>;
}

impl<T: Element, Dev: Device> AcceptsFactor<T, Dev> for T {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn factor(operand: MatrixOperand<'_, T, Dev>) -> Factor<'_, T, Dev> {
        operand.into()
    }
}

#[diagnostic::do_not_recommend]
impl<Dev: Contract<c32> + Contract<f32>> AcceptsFactor<f32, Dev> for c32 {
    fn factor(operand: MatrixOperand<'_, f32, Dev>) -> Factor<'_, c32, Dev> {
        Factor::real(operand.operand)
    }
}

#[diagnostic::do_not_recommend]
impl<Dev: Contract<c64> + Contract<f64>> AcceptsFactor<f64, Dev> for c64 {
    fn factor(operand: MatrixOperand<'_, f64, Dev>) -> Factor<'_, c64, Dev> {
        Factor::real(operand.operand)
    }
}

/// The output of a contraction: `&mut x` or a mutable view. Its element type, memory order and device are those of the operands;
/// its rank is that of the result.
#[diagnostic::on_unimplemented(
    message = "a contraction of `{O}` tensors of `{T}` on `{Dev}` cannot be written to a `{Self}`",
    label = "expected `&mut x`, or a mutable view such as `x.slice_mut(..)`"
)]
pub trait EinsumOutput<'a, T: Element, R: Dim, O: Order, Dev: Device> {
    /// The rank.
    type Dim: Dim;
    /// Returns a mutable view of the elements with the operands' element type, memory order and device.
    fn agreeing(self) -> TensorViewMut<'a, T, Self::Dim, O, Dev>;
}

impl<'a, T, R, O, Dev, U, D, P, Dev2, S> EinsumOutput<'a, T, R, O, Dev> for &'a mut Tensor<U, D, P, Dev2, S>
where
    T: SameDtype<U>,
    U: Element,
    R: WrittenTo<D>,
    D: Dim,
    O: Order + SameOrder<P>,
    P: Order,
    Dev: SameDevice<Dev2>,
    Dev2: Device,
    S: StorageMut<U, Dev2>,
{
    type Dim = D;
    fn agreeing(self) -> TensorViewMut<'a, T, D, O, Dev> {
        self.view_mut().into_agreeing()
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T, R, O, Dev, U, D, P, Dev2> EinsumOutput<'a, T, R, O, Dev> for TensorViewMut<'a, U, D, P, Dev2>
where
    T: SameDtype<U>,
    U: Element,
    R: WrittenTo<D>,
    D: Dim,
    O: Order + SameOrder<P>,
    P: Order,
    Dev: SameDevice<Dev2>,
    Dev2: Device,
{
    type Dim = D;
    fn agreeing(self) -> TensorViewMut<'a, T, D, O, Dev> {
        self.into_agreeing()
    }
}

/// A rank that matches the labels of an operand: it is `LABELS`, or with an ellipsis at least `LABELS`.
#[diagnostic::on_unimplemented(
    message = "the specification has {LABELS} labels for an operand that is a tensor of `{Self}`",
    label = "an operand has one label for each axis",
    note = "write a letter for each axis; `...` stands for any number of them"
)]
pub trait LabelledBy<const LABELS: usize, const ELLIPSIS: bool>: Dim {
    /// The number of axes that the ellipsis stands for, as a rank.
    type Ellipsis: Dim;
}

#[diagnostic::do_not_recommend]
impl<const LABELS: usize> LabelledBy<LABELS, false> for Rank<LABELS>
where
    Rank<LABELS>: Dim,
{
    type Ellipsis = Rank<0>;
}

#[diagnostic::do_not_recommend]
impl<const LABELS: usize, const MAX: usize> LabelledBy<LABELS, false> for AnyRank<MAX> {
    type Ellipsis = Rank<0>;
}

#[diagnostic::do_not_recommend]
impl<D: RemoveAxes<LABELS>, const LABELS: usize> LabelledBy<LABELS, true> for D {
    type Ellipsis = Removed<D, LABELS>;
}

/// Adds `LABELS` to the rank of an ellipsis. The sum is the rank of a result that has an ellipsis and `LABELS` labels.
#[diagnostic::on_unimplemented(
    message = "the result cannot have {LABELS} labels in addition to an ellipsis of `{Self}`",
    label = "ranks run from `Rank<0>` to `Rank<16>`"
)]
pub trait ResultOf<const LABELS: usize>: Dim {
    /// The rank of the result.
    type Result: Dim;
}

#[diagnostic::do_not_recommend]
impl<E: InsertAxes<LABELS>, const LABELS: usize> ResultOf<LABELS> for E {
    type Result = E::Inserted;
}

/// Requires the rank of an output to equal the rank of the contraction's result.
#[diagnostic::on_unimplemented(
    message = "a result of `{Self}` cannot be written to a tensor of `{Found}`",
    label = "the output has one axis for each label of the result"
)]
pub trait WrittenTo<Found: Dim>: Dim {}
#[diagnostic::do_not_recommend]
impl<D: Dim> WrittenTo<D> for D {}

/// Requires the ranks of two operands to be equal.
#[diagnostic::on_unimplemented(
    message = "cannot take the sum of products of a tensor of `{Other}` and a tensor of `{Self}`",
    label = "`dot` and `vdot` take two tensors of one shape",
    note = "matrices and vectors are multiplied with `.matmul(&x)`, other axes are summed with `.tensordot(..)`"
)]
pub trait SameRankAs<Other: Dim>: Dim {}
#[diagnostic::do_not_recommend]
impl<D: Dim> SameRankAs<D> for D {}
