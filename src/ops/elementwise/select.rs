//! Clamping, and selection by a mask.

use super::compute::ternary;
use crate::device::{
    CudaSource, Device, Elementwise, SameDevice, SameDtype, SameOrder, Scalars, TernaryOp, UnaryOp,
};
use crate::element::{Element, RealScalar};
use crate::error::{Error, fallible};
use crate::order::Order;
use crate::rank::{Broadcast, Common, Dim, Rank};
use crate::storage::{OwnedData, Storage, View};
use crate::tensor::{Tensor, TensorView};

/// The function of [`Tensor::clamp`]: limits a value to the range from the first field to the second.
#[derive(Debug, Clone, Copy)]
pub struct Clamp<T>(pub T, pub T);

impl<T: RealScalar> UnaryOp<T> for Clamp<T> {
    type Output = T;
    const NAME: &'static str = "clamp";
    const CUDA: CudaSource = CudaSource::builtin("a < low ? low : a > high ? high : a");
    fn apply(&self, x: T) -> T {
        if x < self.0 {
            self.0
        } else if x > self.1 {
            self.1
        } else {
            x
        }
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("low", self.0);
        bind.scalar("high", self.1);
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns each element limited to `low ..= high`; NaN stays NaN.
    ///
    /// # Errors
    /// If `low > high`, one of the two bounds is NaN, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![-3, 0, 9].clamp(-1, 5), tensor![-1, 0, 5]);
    /// ```
    #[fallible]
    pub fn clamp(&self, low: T, high: T) -> Tensor<T, D, O, Dev>
    where
        T: RealScalar,
        Dev: Elementwise<T>,
    {
        if low <= high {
            return self.try_apply(Clamp(low, high));
        }
        let reason = format!("the lower bound {low} must be at most the upper bound {high}");
        Err(Error::Argument { op: "clamp", reason })
    }
}

/// The function of [`Tensor::select`]. If its first argument, an element of the mask, is `true`, it returns the second, otherwise the third.
#[derive(Debug, Clone, Copy)]
pub struct Select;

impl<T: Element> TernaryOp<bool, T, T> for Select {
    type Output = T;
    const NAME: &'static str = "select from";
    const CUDA: CudaSource = CudaSource::builtin("a ? b : c");
    fn apply(&self, mask: bool, a: T, b: T) -> T {
        if mask { a } else { b }
    }
}

/// An argument of [`select`](Tensor::select): a tensor (owned, borrowed or a view) or a scalar.
#[diagnostic::on_unimplemented(
    message = "cannot select elements of `{T}` from a `{Self}`, with a `{O}` mask on `{Dev}`",
    label = "expected a tensor or a scalar of `{T}`",
    note = "element types convert with `.cast::<{T}>()`, orders with `.to_order::<{O}>()`, devices with `.to_device::<{Dev}>()?`"
)]
pub trait SelectOperand<T: Element, O: Order, Dev: Device> {
    /// The rank; a scalar has rank 0.
    type Dim: Dim;
    #[doc(hidden)]
    type Data<'a>: Storage<T, Dev>
    where
        Self: 'a;
    /// Returns a view of the tensor, or a new tensor with the scalar.
    #[doc(hidden)]
    fn on(&self, device: &Dev) -> Result<Tensor<T, Self::Dim, O, Dev, Self::Data<'_>>, Error>;
}

impl<T, U, E, O, P, Dev, Dev2, S> SelectOperand<T, O, Dev> for Tensor<U, E, P, Dev2, S>
where
    // The bound is stated in both directions, so that the compiler can infer either type from the other.
    T: SameDtype<U>,
    U: SameDtype<T>,
    E: Dim,
    O: Order + SameOrder<P>,
    P: Order,
    Dev: SameDevice<Dev2>,
    Dev2: Device,
    S: Storage<U, Dev2>,
{
    type Dim = E;
    type Data<'a>
        = View<'a, T, Dev>
    where
        Self: 'a;
    fn on(&self, _: &Dev) -> Result<TensorView<'_, T, E, O, Dev>, Error> {
        Ok(self.agree())
    }
}

impl<T, U, E, O, P, Dev, Dev2, S> SelectOperand<T, O, Dev> for &Tensor<U, E, P, Dev2, S>
where
    // The bound is stated in both directions, so that the compiler can infer either type from the other.
    T: SameDtype<U>,
    U: SameDtype<T>,
    E: Dim,
    O: Order + SameOrder<P>,
    P: Order,
    Dev: SameDevice<Dev2>,
    Dev2: Device,
    S: Storage<U, Dev2>,
{
    type Dim = E;
    type Data<'a>
        = View<'a, T, Dev>
    where
        Self: 'a;
    fn on(&self, _: &Dev) -> Result<TensorView<'_, T, E, O, Dev>, Error> {
        Ok(self.agree())
    }
}

impl<T: Element, O: Order, Dev: Device> SelectOperand<T, O, Dev> for T {
    type Dim = Rank<0>;
    type Data<'a>
        = OwnedData<T, Dev>
    where
        Self: 'a;
    fn on(&self, device: &Dev) -> Result<Tensor<T, Rank<0>, O, Dev>, Error> {
        Tensor::try_scalar_in(*self, device)
    }
}

impl<D: Dim, O: Order, Dev: Device, S: Storage<bool, Dev>> Tensor<bool, D, O, Dev, S> {
    /// Selects the element of `on_true` at each index where the mask, `self`, is `true`, else the element of `on_false`. Each of the
    /// two is a tensor or a scalar. All three broadcast.
    ///
    /// For a preallocated output: `mask.apply3_into(op::Select, &a, &b, &mut out)`.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![-1.0, 2.0, -3.0];
    /// assert_eq!(x.lt(0.0).select(0.0, &x), tensor![0.0, 2.0, 0.0]);
    /// assert_eq!(x.gt(0.0).select(1, -1), tensor![-1, 1, -1]);
    /// ```
    #[fallible]
    #[doc(alias = "where")]
    pub fn select<T, A, B, C>(&self, on_true: A, on_false: B) -> Tensor<T, Common<C, B::Dim>, O, Dev>
    where
        T: Element,
        A: SelectOperand<T, O, Dev>,
        B: SelectOperand<T, O, Dev>,
        C: Dim + Broadcast<B::Dim>,
        D: Broadcast<A::Dim, Common = C>,
        Dev: Elementwise<bool>,
    {
        ternary(Select, self, &on_true.on(self.device())?, &on_false.on(self.device())?)
    }
}
