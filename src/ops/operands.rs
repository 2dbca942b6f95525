//! The bridge from tensors to elementwise kernels: what stands on the right, broadcasting, output, reuse of owned operands.

use crate::device::{BinaryOp, Device, Elementwise, SameDevice, SameDtype, SameOrder, UnaryOp};
use crate::element::{Element, Scalar};
use crate::error::Error;
use crate::layout::Layout;
use crate::layout::broadcast::binary_shape;
use crate::order::Order;
use crate::rank::{Broadcast, BroadcastTo, Common, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorView};

/// An operation with its right operand fixed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WithRight<F, B> {
    pub(crate) op: F,
    pub(crate) right: B,
}

impl<A: Element, B: Element, F: BinaryOp<A, B>> UnaryOp<A> for WithRight<F, B> {
    type Output = F::Output;
    const NAME: &'static str = F::NAME;
    const CHECKED: bool = F::CHECKED;
    fn apply(&self, a: A) -> F::Output {
        self.op.apply(a, self.right)
    }
    fn defined(&self, a: A) -> bool {
        self.op.defined(a, self.right)
    }
    fn operands(&self, a: A) -> String {
        self.op.operands(a, self.right)
    }
}

/// An operation with its left operand fixed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WithLeft<F, A> {
    pub(crate) op: F,
    pub(crate) left: A,
}

impl<A: Element, B: Element, F: BinaryOp<A, B>> UnaryOp<B> for WithLeft<F, A> {
    type Output = F::Output;
    const NAME: &'static str = F::NAME;
    const CHECKED: bool = F::CHECKED;
    fn apply(&self, b: B) -> F::Output {
        self.op.apply(self.left, b)
    }
    fn defined(&self, b: B) -> bool {
        self.op.defined(self.left, b)
    }
    fn operands(&self, b: B) -> String {
        self.op.operands(self.left, b)
    }
}

/// A tensor's layout, repeated to a shape that it is known to broadcast to.
pub(crate) fn spread<T, D, O, Dev, S>(x: &Tensor<T, D, O, Dev, S>, shape: &[usize]) -> Layout
where
    T: Element,
    D: Dim,
    O: Order,
    Dev: Device,
    S: Storage<T, Dev>,
{
    x.layout().broadcast_to(shape, O::ROW_MAJOR).expect("the shapes were found to broadcast")
}

/// Operands live on the same instance of their device.
pub(crate) fn same_instance<Dev: Device>(op: &'static str, left: &Dev, right: &Dev) -> Result<(), Error> {
    if left.same_instance(right) {
        return Ok(());
    }
    Err(Error::Devices { op, left: format!("{left:?}"), right: format!("{right:?}") })
}

/// A new tensor of `op(left, right)`, with broadcasting.
pub(crate) fn binary<T, U, D, E, O, Dev, S, S2, F>(
    op: F,
    left: &Tensor<T, D, O, Dev, S>,
    right: &Tensor<U, E, O, Dev, S2>,
) -> Result<Tensor<F::Output, Common<D, E>, O, Dev>, Error>
where
    T: Element,
    U: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    S2: Storage<U, Dev>,
    F: BinaryOp<T, U>,
{
    same_instance(F::NAME, left.device(), right.device())?;
    let (a, b) = (left.shape(), right.shape());
    let shape = binary_shape::<Common<D, E>>(F::NAME, a.as_ref(), b.as_ref(), O::ROW_MAJOR)?;
    let (a, b) = (spread(left, shape.as_ref()), spread(right, shape.as_ref()));
    let mut out = Tensor::<_, Common<D, E>, O, Dev>::allocate(shape, left.device().clone())?;
    let (output, device) = out.output();
    device.binary(&op, output, left.operand_in(&a), right.operand_in(&b))?;
    Ok(out)
}

/// `target = op(target, right)`; the right operand is repeated to the target's shape.
pub(crate) fn binary_assign<T, U, D, E, O, Dev, S, S2, F>(
    op: F,
    target: &mut Tensor<T, D, O, Dev, S>,
    right: &Tensor<U, E, O, Dev, S2>,
) -> Result<(), Error>
where
    T: Element,
    U: Element,
    D: Dim,
    E: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: StorageMut<T, Dev>,
    S2: Storage<U, Dev>,
    F: BinaryOp<T, U, Output = T>,
{
    same_instance(F::NAME, target.device(), right.device())?;
    let repeated = repeat_to(F::NAME, right, target.shape().as_ref())?;
    let (output, device) = target.output();
    device.binary_assign(&op, output, right.operand_in(&repeated))
}

/// The layout of what is written to a target, repeated to the target's shape.
pub(crate) fn repeat_to<T, D, O, Dev, S>(
    op: &'static str,
    x: &Tensor<T, D, O, Dev, S>,
    target: &[usize],
) -> Result<Layout, Error>
where
    T: Element,
    D: Dim,
    O: Order,
    Dev: Device,
    S: Storage<T, Dev>,
{
    x.layout().broadcast_to(target, O::ROW_MAJOR).ok_or_else(|| Error::AssignTo {
        op,
        to: target.to_vec(),
        from: x.shape().as_ref().to_vec(),
        row_major: O::ROW_MAJOR,
    })
}

/// `op(left, right)` in the buffer of an operand that is given away and has the result's shape, else in a new one.
pub(crate) fn combine<T, D, E, O, Dev, S, S2, F>(
    op: F,
    left: Tensor<T, D, O, Dev, S>,
    right: Tensor<T, E, O, Dev, S2>,
) -> Result<Tensor<T, Common<D, E>, O, Dev>, Error>
where
    T: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    S2: Storage<T, Dev>,
    F: BinaryOp<T, T, Output = T>,
{
    same_instance(F::NAME, left.device(), right.device())?;
    let (a, b) = (left.shape(), right.shape());
    let shape = binary_shape::<Common<D, E>>(F::NAME, a.as_ref(), b.as_ref(), O::ROW_MAJOR)?;
    let left = match left.into_result::<Common<D, E>>(&shape) {
        Ok(mut out) => return binary_assign(op, &mut out, &right).map(|()| out),
        Err(left) => left,
    };
    match right.into_result::<Common<D, E>>(&shape) {
        Ok(mut out) => binary_assign(Flipped(op), &mut out, &left).map(|()| out),
        Err(right) => binary(op, &left, &right),
    }
}

/// An operation with its operands exchanged.
#[derive(Debug, Clone, Copy)]
struct Flipped<F>(F);

impl<A: Element, B: Element, F: BinaryOp<A, B>> BinaryOp<B, A> for Flipped<F> {
    type Output = F::Output;
    const NAME: &'static str = F::NAME;
    const CHECKED: bool = F::CHECKED;
    fn apply(&self, b: B, a: A) -> F::Output {
        self.0.apply(a, b)
    }
    fn defined(&self, b: B, a: A) -> bool {
        self.0.defined(a, b)
    }
    fn operands(&self, b: B, a: A) -> String {
        self.0.operands(a, b)
    }
}

/// What stands on the right of `maximum`, `less`, `atan2`, ..: a tensor to broadcast with, or a scalar.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be combined with a `{O}` tensor of `{T}` on `{Dev}`",
    label = "expected `&tensor` or a scalar, of element type `{T}`",
    note = "element types convert with `.cast::<{T}>()`, orders with `.to_order::<{O}>()`, devices with `.to_device::<{Dev}>()?`"
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
}

// ------------------------------------------------------------------ operators

/// What stands on the right of the operator `F`, with a tensor of `T` on the left: a tensor, owned or borrowed, or a scalar.
///
/// The operators ask nothing else of their operands. The compiler learns the type on the right last: what is asked of it shows
/// in our words (E0277), what is asked of the left one alone would not (E0369). What is known of the left still flows into
/// the right: `&a + &Tensor::zeros([2, 3])`.
#[diagnostic::on_unimplemented(
    message = "cannot combine a tensor of `{T}` with `{Self}`",
    label = "expected a tensor or a scalar of `{T}`",
    note = "a scalar has the type of the elements: `1.0` for `f64`, `Complex::from(1.0)` for `Complex<f64>`"
)]
pub trait RightOperand<F, T: Element, D: Dim, O: Order, Dev: Device> {
    /// The rank of the result.
    type Common: Dim;
    #[doc(hidden)]
    fn operate<S: Storage<T, Dev>>(
        self,
        op: F,
        left: Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<T, Self::Common, O, Dev>, Error>;
}

/// What stands on the right of the operator `F` that changes the tensor `Left`: a tensor, owned or borrowed, or a scalar.
#[diagnostic::on_unimplemented(
    message = "cannot combine `{Left}` with `{Self}`",
    label = "expected a tensor or a scalar of the same element type",
    note = "a scalar has the type of the elements: `1.0` for `f64`"
)]
pub trait AssignOperand<F, Left> {
    #[doc(hidden)]
    fn operate_on(self, op: F, left: &mut Left) -> Result<(), Error>;
}

impl<F, T, U, D, E, O, P, Dev, Dev2, S2> RightOperand<F, T, D, O, Dev> for &Tensor<U, E, P, Dev2, S2>
where
    F: BinaryOp<T, T, Output = T>,
    T: SameDtype<U>,
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
    fn operate<S: Storage<T, Dev>>(
        self,
        op: F,
        left: Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<T, Common<D, E>, O, Dev>, Error> {
        combine(op, left, self.agree::<T, O, Dev>())
    }
}

impl<F, T, U, D, E, O, P, Dev, Dev2, S2> RightOperand<F, T, D, O, Dev> for Tensor<U, E, P, Dev2, S2>
where
    F: BinaryOp<T, T, Output = T>,
    T: SameDtype<U>,
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
    fn operate<S: Storage<T, Dev>>(
        self,
        op: F,
        left: Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<T, Common<D, E>, O, Dev>, Error> {
        match self.into_agreed::<T, O, Dev>() {
            Ok(right) => combine(op, left, right),
            Err(right) => combine(op, left, right.agree::<T, O, Dev>()),
        }
    }
}

impl<F, T, U, D, E, O, P, Dev, Dev2, S, S2> AssignOperand<F, Tensor<T, D, O, Dev, S>>
    for &Tensor<U, E, P, Dev2, S2>
where
    F: BinaryOp<T, T, Output = T>,
    T: SameDtype<U>,
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
        binary_assign(op, left, &self.agree::<T, O, Dev>())
    }
}

impl<F, T, U, D, E, O, P, Dev, Dev2, S, S2> AssignOperand<F, Tensor<T, D, O, Dev, S>>
    for Tensor<U, E, P, Dev2, S2>
where
    F: BinaryOp<T, T, Output = T>,
    T: SameDtype<U>,
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
        binary_assign(op, left, &self.agree::<T, O, Dev>())
    }
}

impl<F, T, D, O, Dev> RightOperand<F, T, D, O, Dev> for T
where
    F: BinaryOp<T, T, Output = T>,
    T: Element,
    D: Dim,
    O: Order,
    Dev: Elementwise<T>,
{
    type Common = D;
    fn operate<S: Storage<T, Dev>>(
        self,
        op: F,
        left: Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<T, D, O, Dev>, Error> {
        unary_given(WithRight { op, right: self }, left)
    }
}

impl<F, T, D, O, Dev, S> AssignOperand<F, Tensor<T, D, O, Dev, S>> for T
where
    F: BinaryOp<T, T, Output = T>,
    T: Element,
    D: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: StorageMut<T, Dev>,
{
    fn operate_on(self, op: F, left: &mut Tensor<T, D, O, Dev, S>) -> Result<(), Error> {
        left.try_apply_inplace(WithRight { op, right: self })
    }
}

/// `op(x)` in the buffer of `x` where it is owned, else in a new one.
pub(crate) fn unary_given<T, D, O, Dev, S, F>(
    op: F,
    x: Tensor<T, D, O, Dev, S>,
) -> Result<Tensor<T, D, O, Dev>, Error>
where
    T: Element,
    D: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    F: UnaryOp<T, Output = T>,
{
    let shape = x.shape();
    match x.into_result::<D>(&shape) {
        Ok(mut out) => out.try_apply_inplace(op).map(|()| out),
        Err(x) => x.try_apply(op),
    }
}

// ------------------------------------------------------------------ arguments of methods

/// A tensor whose order and device are those of the left operand, as an argument: `&tensor`.
///
/// Methods take it as one type, so that the compiler names what differs in our words.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be combined with a `{O}` tensor on `{Dev}`",
    label = "expected a reference to a tensor",
    note = "write `&x`; a scalar is `&Tensor::scalar(2.0)`"
)]
pub trait Aligned<O: Order, Dev: Device> {
    /// The element type.
    type Element: Element;
    /// The rank.
    type Dim: Dim;
    /// A view of it.
    fn aligned(&self) -> TensorView<'_, Self::Element, Self::Dim, O, Dev>;
}

impl<O, Dev, U, E, P, Dev2, S2> Aligned<O, Dev> for &Tensor<U, E, P, Dev2, S2>
where
    O: Order + SameOrder<P>,
    Dev: SameDevice<Dev2>,
    U: Element,
    E: Dim,
    P: Order,
    Dev2: Device,
    S2: Storage<U, Dev2>,
{
    type Element = U;
    type Dim = E;
    fn aligned(&self) -> TensorView<'_, U, E, O, Dev> {
        self.agree()
    }
}

/// An [`Aligned`] tensor that holds elements of `T`, too.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be combined with a `{O}` tensor of `{T}` on `{Dev}`",
    label = "expected a reference to a tensor",
    note = "write `&x`; a scalar is `&Tensor::scalar(2.0)`"
)]
pub trait Agrees<T: Element, O: Order, Dev: Device>: Aligned<O, Dev> {
    /// A view of it.
    fn agreed(&self) -> TensorView<'_, T, Self::Dim, O, Dev>;
}

impl<T, O, Dev, B> Agrees<T, O, Dev> for B
where
    B: Aligned<O, Dev>,
    T: SameDtype<B::Element>,
    O: Order,
    Dev: Device,
{
    fn agreed(&self) -> TensorView<'_, T, B::Dim, O, Dev> {
        self.aligned().into_agreeing()
    }
}
