//! Equality of tensors: the same shape and the same elements, exactly or within a tolerance.

#![forbid(unsafe_code)]

use super::operands::Operands;
use crate::device::{BinaryOp, CudaSource, Device, Elementwise, HostAccess, Scalars};
use crate::element::{Element, Scalar};
use crate::error::fallible;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::{AsView, Tensor};

impl<T: Element, D: Dim, O: Order, Dev: HostAccess, S: Storage<T, Dev>, S2: Storage<T, Dev>>
    PartialEq<Tensor<T, D, O, Dev, S2>> for Tensor<T, D, O, Dev, S>
{
    /// Returns whether both tensors have the same shape and equal elements at each index. NaN does not equal NaN.
    fn eq(&self, other: &Tensor<T, D, O, Dev, S2>) -> bool {
        self.shape() == other.shape() && self.iter().eq(other.iter())
    }
}

impl<T: Scalar, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns whether both tensors have the same shape, and the two elements at each index are equal or within the tolerance.
    ///
    /// Elements `a` of `self` and `b` of `other` are within the tolerance if `b` is finite and `|a − b| ≤ absolute + relative · |b|`
    /// (NumPy's rule). So NaN is close to no number, and an infinity only to itself. Differences of integers are exact; the tolerance is
    /// computed in `f64`. Magnitudes and differences do not overflow.
    ///
    /// [`is_close`](Tensor::is_close) compares element by element.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert!(tensor![1.0, 2.0].all_close(&tensor![1.0, 2.0 + 1e-12], 1e-9, 0.0));
    /// assert!(!tensor![1.0].all_close(tensor![f64::INFINITY], 1e-9, 0.0));
    /// ```
    #[must_use]
    pub fn all_close<B>(&self, other: B, relative: T::Magnitude, absolute: T::Magnitude) -> bool
    where
        Dev: HostAccess,
        B: AsView<Element = T, Dim = D, Order = O, Device = Dev>,
    {
        let other = other.as_view();
        self.shape() == other.shape()
            && self.iter().zip(other.iter()).all(|(&a, &b)| a.is_close(b, relative, absolute))
    }

    /// Returns whether elements are equal or within a tolerance, element by element; `right` is a tensor to broadcast with, or a scalar.
    ///
    /// Elements `a` of `self` and `b` of `right` are within the tolerance if `b` is finite and `|a − b| ≤ absolute + relative · |b|`
    /// (NumPy's rule). So NaN is close to no number, and an infinity only to itself. Differences of integers are exact; the tolerance is
    /// computed in `f64`. Magnitudes and differences do not overflow.
    ///
    /// Fallible variant: [`try_is_close`](Tensor::try_is_close). For one result, see [`all_close`](Tensor::all_close).
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![1.0, 2.0, f64::INFINITY, f64::NAN];
    /// let y = tensor![1.0 + 1e-12, 2.1, f64::INFINITY, f64::NAN];
    /// assert_eq!(x.is_close(&y, 1e-9, 0.0), tensor![true, false, true, false]);
    /// assert_eq!(tensor![i64::MAX, 3].is_close(i64::MAX - 10, 0.0, 10.0), tensor![true, false]);
    /// ```
    #[fallible]
    pub fn is_close<R: Operands<T, D, O, Dev>>(
        &self,
        right: R,
        relative: T::Magnitude,
        absolute: T::Magnitude,
    ) -> Tensor<bool, R::Common, O, Dev>
    where
        Dev: Elementwise<T>,
    {
        right.combine(IsClose { relative, absolute }, self)
    }
}

/// The function of [`Tensor::is_close`].
#[derive(Debug, Clone, Copy)]
pub struct IsClose<R> {
    /// The tolerance as a part of the right element's magnitude.
    pub relative: R,
    /// The tolerance that does not depend on the elements.
    pub absolute: R,
}

impl<T: Scalar> BinaryOp<T, T> for IsClose<T::Magnitude> {
    type Output = bool;
    const NAME: &'static str = "compare";
    const CUDA: CudaSource = CudaSource::builtin("is_close(a, b, relative, absolute)");
    #[inline]
    fn apply(&self, a: T, b: T) -> bool {
        a.is_close(b, self.relative, self.absolute)
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("relative", self.relative);
        bind.scalar("absolute", self.absolute);
    }
}
