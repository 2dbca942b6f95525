//! Equality of tensors: the same shape and the same elements, exactly or within a tolerance.

#![forbid(unsafe_code)]

use crate::device::{Device, HostAccess};
use crate::element::{CastTo, Element, Scalar};
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::{AsView, Tensor};

impl<T, D, O, Dev, S, S2> PartialEq<Tensor<T, D, O, Dev, S2>> for Tensor<T, D, O, Dev, S>
where
    T: Element,
    D: Dim,
    O: Order,
    Dev: HostAccess,
    S: Storage<T, Dev>,
    S2: Storage<T, Dev>,
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
    /// (NumPy's rule). So NaN is close to no number, and an infinity only to itself.
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
