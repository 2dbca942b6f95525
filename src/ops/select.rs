//! Clamping, and selection by a mask.

use super::compute::ternary;
use super::operands::{MatchingOperand, SameOrderOperand};
use crate::device::{CudaSource, Device, Elementwise, Scalars, TernaryOp, UnaryOp};
use crate::element::{Element, RealScalar};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Broadcast, Common, Dim};
use crate::storage::Storage;
use crate::tensor::Tensor;

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
    /// # Panics
    /// If `low > high`, one of the two bounds is NaN, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![-3, 0, 9].clamp(-1, 5), tensor![-1, 0, 5]);
    /// ```
    #[track_caller]
    pub fn clamp(&self, low: T, high: T) -> Tensor<T, D, O, Dev>
    where
        T: RealScalar,
        Dev: Elementwise<T>,
    {
        unwrap_or_panic(self.try_clamp(low, high))
    }

    /// Fallible variant of [`clamp`](Tensor::clamp).
    ///
    /// # Errors
    /// If `low > high`, one of the two bounds is NaN, or the allocation fails.
    pub fn try_clamp(&self, low: T, high: T) -> Result<Tensor<T, D, O, Dev>, Error>
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

/// The function of [`Tensor::select`]: the second argument if the first, a mask, is `true`, else the third.
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

impl<D: Dim, O: Order, Dev: Device, S: Storage<bool, Dev>> Tensor<bool, D, O, Dev, S> {
    /// Selects the element of `on_true` at each index where the mask, `self`, is `true`, else the element of `on_false`. All three
    /// broadcast.
    ///
    /// For a preallocated output: `mask.apply3_into(op::Select, &a, &b, &mut out)`.
    ///
    /// # Panics
    /// If the shapes do not broadcast, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let x = tensor![-1.0, 2.0, -3.0];
    /// assert_eq!(x.lt(0.0).select(&Tensor::scalar(0.0), &x), tensor![0.0, 2.0, 0.0]);
    /// ```
    #[doc(alias = "where")]
    #[track_caller]
    pub fn select<A, B, C>(&self, on_true: A, on_false: B) -> Tensor<A::Element, Common<C, B::Dim>, O, Dev>
    where
        A: SameOrderOperand<O, Dev>,
        B: MatchingOperand<A::Element, O, Dev>,
        C: Dim + Broadcast<B::Dim>,
        D: Broadcast<A::Dim, Common = C>,
        Dev: Elementwise<bool>,
    {
        unwrap_or_panic(self.try_select(on_true, on_false))
    }

    /// Fallible variant of [`select`](Tensor::select).
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the allocation fails.
    pub fn try_select<A, B, C>(
        &self,
        on_true: A,
        on_false: B,
    ) -> Result<Tensor<A::Element, Common<C, B::Dim>, O, Dev>, Error>
    where
        A: SameOrderOperand<O, Dev>,
        B: MatchingOperand<A::Element, O, Dev>,
        C: Dim + Broadcast<B::Dim>,
        D: Broadcast<A::Dim, Common = C>,
        Dev: Elementwise<bool>,
    {
        let (x, y) = (on_true.aligned(), on_false.agreed());
        ternary(Select, self, &x, &y)
    }
}
