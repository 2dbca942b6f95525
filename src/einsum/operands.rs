//! The typed front of a contraction: operands that agree in element type, order and device, of the ranks that the
//! specification says.

use super::labelled::Bound;
use super::report::ContractionPath;
use super::run::{Given, Mix, accumulate, write};
use super::spec::Spec;
use crate::device::{Contract, Device, SameDevice, SameDtype, SameOrder};
use crate::element::{Element, Scalar};
use crate::error::{Error, expect};
use crate::layout::Layout;
use crate::ops::same_instance;
use crate::order::Order;
use crate::rank::{Broadcast, Common, Dim, InsertAxes, Rank, RemoveAxes, Removed};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorView};
use core::marker::PhantomData;

/// What can stand in [`einsum!`](crate::einsum!): a tensor or a view, owned or by reference, or its
/// [`conj_view`](Tensor::conj_view).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an operand of a contraction",
    label = "expected a tensor or a view, such as `&x` or `x.t()`",
    note = "the complex conjugate of a tensor, without a copy, is `x.conj_view()`; a scalar is `Tensor::scalar(2.0)`"
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
    /// Whether the complex conjugate is meant.
    const CONJUGATE: bool;
    /// The elements.
    fn elements(&self) -> TensorView<'_, Self::Element, Self::Dim, Self::Order, Self::Device>;
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> EinsumOperand
    for Tensor<T, D, O, Dev, S>
{
    type Element = T;
    type Dim = D;
    type Order = O;
    type Device = Dev;
    const CONJUGATE: bool = false;
    fn elements(&self) -> TensorView<'_, T, D, O, Dev> {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<X: EinsumOperand> EinsumOperand for &X {
    type Element = X::Element;
    type Dim = X::Dim;
    type Order = X::Order;
    type Device = X::Device;
    const CONJUGATE: bool = X::CONJUGATE;
    fn elements(&self) -> TensorView<'_, X::Element, X::Dim, X::Order, X::Device> {
        (**self).elements()
    }
}

/// The complex conjugate of a tensor, to be contracted: made by [`conj_view`](Tensor::conj_view), without a copy.
#[derive(Debug, Clone, Copy)]
pub struct Conjugate<X>(X);

impl<X: EinsumOperand> EinsumOperand for Conjugate<X> {
    type Element = X::Element;
    type Dim = X::Dim;
    type Order = X::Order;
    type Device = X::Device;
    const CONJUGATE: bool = !X::CONJUGATE;
    fn elements(&self) -> TensorView<'_, X::Element, X::Dim, X::Order, X::Device> {
        self.0.elements()
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// The complex conjugate as an operand of [`einsum!`](crate::einsum!), [`tensordot`](Tensor::tensordot) and the other
    /// contractions: elements are conjugated on the way in, and nothing is copied. A real tensor is its own conjugate.
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

/// The right operand of a product: an [`EinsumOperand`] of the left one's element type, order and device.
#[diagnostic::on_unimplemented(
    message = "a `{O}` tensor of `{T}` on `{Dev}` cannot be multiplied by a `{Self}`",
    label = "expected a tensor or a view, such as `&x` or `x.t()`",
    note = "element types convert with `.cast::<{T}>()`, orders with `.to_order::<{O}>()`, devices with `.to_device::<{Dev}>()?`"
)]
pub trait ProductOperand<T: Element, O: Order, Dev: Device>: EinsumOperand {
    /// The elements, in the left operand's terms.
    fn agreeing(&self) -> TensorView<'_, T, Self::Dim, O, Dev>;
}

#[diagnostic::do_not_recommend]
impl<X, T, O, Dev> ProductOperand<T, O, Dev> for X
where
    X: EinsumOperand,
    T: SameDtype<X::Element>,
    O: Order + SameOrder<X::Order>,
    Dev: SameDevice<X::Device>,
{
    fn agreeing(&self) -> TensorView<'_, T, X::Dim, O, Dev> {
        self.elements().into_agreeing()
    }
}

/// A rank that suits `LABELS` labels; with an ellipsis, any rank of at least as many.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{Self}` has not the rank that the specification gives this operand: {LABELS} labels",
    label = "an operand has one label for each axis",
    note = "write a letter for each axis; `...` stands for any number of them"
)]
pub trait LabelledBy<const LABELS: usize, const ELLIPSIS: bool>: Dim {
    /// The rank of what the ellipsis stands for.
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
impl<D: RemoveAxes<LABELS>, const LABELS: usize> LabelledBy<LABELS, true> for D {
    type Ellipsis = Removed<D, LABELS>;
}

/// The rank of a result with `LABELS` labels beside what the ellipsis stands for.
#[diagnostic::on_unimplemented(
    message = "the result cannot have {LABELS} labels beside an ellipsis of `{Self}`",
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

/// A rank that an output of a contraction can have: that of the result, and no other.
#[diagnostic::on_unimplemented(
    message = "a result of `{Self}` cannot be written to a tensor of `{Found}`",
    label = "the output has one axis for each label of the result"
)]
pub trait WrittenTo<Found: Dim>: Dim {}
#[diagnostic::do_not_recommend]
impl<D: Dim> WrittenTo<D> for D {}

/// A contraction before its operands are there; the macros make it.
#[derive(Debug)]
pub struct Contraction<'s, const N: usize> {
    spec: &'s Spec<'s>,
}

impl<'s, const N: usize> Contraction<'s, N> {
    /// Of `N` operands.
    pub fn new(spec: &'s Spec<'s>) -> Self {
        Contraction { spec }
    }

    /// The first operand: the others have its element type, order and device.
    pub fn first<'a, const LABELS: usize, const ELLIPSIS: bool, X, E>(
        self,
        x: &'a X,
    ) -> Operands<'s, 'a, X::Element, E, X::Order, X::Device, N>
    where
        X: EinsumOperand,
        X::Element: Scalar,
        X::Dim: LabelledBy<LABELS, ELLIPSIS, Ellipsis = E>,
    {
        let mut given = [None; N];
        let data = x.elements();
        given[0] = Some(Given { data: data.strided(), conjugate: X::CONJUGATE });
        Operands {
            spec: self.spec,
            given,
            device: data.device_ref(),
            count: 1,
            instances: Ok(()),
            marker: PhantomData,
        }
    }
}

/// Operands on their way into a contraction; `E` is the rank of what their ellipses stand for.
#[derive(Debug)]
pub struct Operands<'s, 'a, T: Element, E, O, Dev: Device, const N: usize> {
    spec: &'s Spec<'s>,
    given: [Option<Given<'a, T, Dev>>; N],
    device: &'a Dev,
    count: usize,
    /// Whether all live on one instance of the device.
    instances: Result<(), Error>,
    marker: PhantomData<(E, O)>,
}

impl<'s, 'a, T: Scalar, E: Dim, O: Order, Dev: Device, const N: usize> Operands<'s, 'a, T, E, O, Dev, N> {
    /// One operand more.
    pub fn and<const LABELS: usize, const ELLIPSIS: bool, X, F>(
        mut self,
        x: &'a X,
    ) -> Operands<'s, 'a, T, Common<E, F>, O, Dev, N>
    where
        X: EinsumOperand,
        T: SameDtype<X::Element>,
        O: SameOrder<X::Order>,
        Dev: SameDevice<X::Device>,
        X::Dim: LabelledBy<LABELS, ELLIPSIS, Ellipsis = F>,
        F: Dim,
        E: Broadcast<F>,
    {
        let data: TensorView<'a, T, X::Dim, O, Dev> = x.elements().into_agreeing();
        self.given[self.count] = Some(Given { data: data.strided(), conjugate: X::CONJUGATE });
        let instances =
            self.instances.and_then(|()| same_instance("contract", self.device, data.device_ref()));
        Operands {
            spec: self.spec,
            given: self.given,
            device: self.device,
            count: self.count + 1,
            instances,
            marker: PhantomData,
        }
    }

    /// All operands are there; the result has `LABELS` labels beside its ellipsis.
    pub fn result<const LABELS: usize, R>(self) -> Prepared<'s, 'a, T, R, O, Dev, N>
    where
        E: ResultOf<LABELS, Result = R>,
        R: Dim,
    {
        let given = self.given.map(|given| given.expect("the macro binds every operand"));
        Prepared {
            spec: self.spec,
            given,
            device: self.device,
            instances: self.instances,
            marker: PhantomData,
        }
    }
}

/// A contraction whose operands are there; `R` is the rank of its result.
#[derive(Debug)]
pub struct Prepared<'s, 'a, T: Element, R, O, Dev: Device, const N: usize> {
    spec: &'s Spec<'s>,
    given: [Given<'a, T, Dev>; N],
    device: &'a Dev,
    instances: Result<(), Error>,
    marker: PhantomData<(R, O)>,
}

impl<T: Scalar, R: Dim, O: Order, Dev: Device, const N: usize> Prepared<'_, '_, T, R, O, Dev, N> {
    fn layouts(&self) -> impl Iterator<Item = &Layout> + Clone {
        self.given.iter().map(|given| given.data.layout())
    }

    fn bind(&self) -> Result<Bound<'_>, Error> {
        self.instances.clone()?;
        Bound::new(self.spec, O::ROW_MAJOR, self.layouts())
    }

    /// Contracts into a new tensor. Intermediates of more than two operands have up to `limit` bytes each.
    ///
    /// # Errors
    /// Where axes of one label differ in length, an intermediate exceeds the limit, the device has no memory left, or
    /// integers have no such result.
    pub fn try_contract(self, limit: Option<usize>) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        Dev: Contract<T>,
    {
        let bound = self.bind()?;
        let labels = bound.result();
        let mut shape = R::Shape::default();
        for (extent, &label) in shape.as_mut().iter_mut().zip(labels.iter()) {
            *extent = bound.extents().of(label);
        }
        // Beside the diagonal of a result with a repeated label there are zeros.
        let mut out = if labels.repeat() {
            Tensor::try_zeros_in(shape, self.device)?
        } else {
            Tensor::<T, R, O, Dev>::allocate(shape, self.device.clone())?
        };
        write(self.device, &bound, &self.given, limit, &mut out.strided_mut())?;
        Ok(out)
    }

    /// Contracts into a new tensor.
    ///
    /// # Panics
    /// Where [`try_contract`](Prepared::try_contract) returns an error.
    #[track_caller]
    pub fn contract(self, limit: Option<usize>) -> Tensor<T, R, O, Dev>
    where
        Dev: Contract<T>,
    {
        expect(self.try_contract(limit))
    }

    /// `out = alpha · result + beta · out`; where `beta` is zero, `out` is not read.
    ///
    /// # Errors
    /// As [`try_contract`](Prepared::try_contract), and where the shape of `out` is not that of the result. `out` is
    /// unchanged then.
    pub fn try_contract_into<T2, D, O2, Dev2, S>(
        self,
        out: &mut Tensor<T2, D, O2, Dev2, S>,
        alpha: T,
        beta: T,
        limit: Option<usize>,
    ) -> Result<(), Error>
    where
        R: WrittenTo<D>,
        T: SameDtype<T2>,
        T2: Element,
        D: Dim,
        O: SameOrder<O2>,
        O2: Order,
        Dev: Contract<T> + SameDevice<Dev2>,
        Dev2: Device,
        S: StorageMut<T2, Dev2>,
    {
        let bound = self.bind()?;
        let mut out = out.view_mut().into_agreeing::<T, O, Dev>();
        same_instance("contract", self.device, out.device())?;
        accumulate(self.device, &bound, &self.given, Mix { alpha, beta }, limit, &mut out.strided_mut())
    }

    /// `out = alpha · result + beta · out`.
    ///
    /// # Panics
    /// Where [`try_contract_into`](Prepared::try_contract_into) returns an error.
    #[track_caller]
    pub fn contract_into<T2, D, O2, Dev2, S>(
        self,
        out: &mut Tensor<T2, D, O2, Dev2, S>,
        alpha: T,
        beta: T,
        limit: Option<usize>,
    ) where
        R: WrittenTo<D>,
        T: SameDtype<T2>,
        T2: Element,
        D: Dim,
        O: SameOrder<O2>,
        O2: Order,
        Dev: Contract<T> + SameDevice<Dev2>,
        Dev2: Device,
        S: StorageMut<T2, Dev2>,
    {
        expect(self.try_contract_into(out, alpha, beta, limit));
    }

    /// The sequence in which the operands would be contracted.
    ///
    /// # Errors
    /// Where axes of one label differ in length, or an intermediate exceeds `limit` bytes.
    pub fn try_path(self, limit: Option<usize>) -> Result<ContractionPath, Error> {
        self.instances.clone()?;
        let limit = limit.map(|bytes| bytes / size_of::<T>());
        ContractionPath::new(self.spec, O::ROW_MAJOR, self.layouts(), limit)
    }

    /// The sequence in which the operands would be contracted.
    ///
    /// # Panics
    /// Where [`try_path`](Prepared::try_path) returns an error.
    #[track_caller]
    pub fn path(self, limit: Option<usize>) -> ContractionPath {
        expect(self.try_path(limit))
    }
}
