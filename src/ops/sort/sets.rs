//! Union, intersection and difference of tensors as sets of elements.

use crate::device::op::unary::Not;
use crate::device::{Copy, Device, Elementwise, Reduce, Select, Sort};
use crate::element::{Element, Ordered};
use crate::error::fallible;
use crate::ops::copy::join::try_concatenate;
use crate::ops::elementwise::operands::MatchingOperand;
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the distinct elements of two tensors, in ascending order. All NaN count as equal, so the result has at most one, at the end.
    /// −0.0 and 0.0 count as equal too: the result has the zero that comes first in the memory order of `self`, or of `other` if `self`
    /// has no zero.
    ///
    /// # Errors
    /// If the tensors are on different instances of the device, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[3, 1], [3, 2]].set_union(tensor![5, 1]), tensor![1, 2, 3, 5]);
    /// ```
    #[fallible]
    #[doc(alias = "union1d")]
    pub fn set_union<B>(&self, other: B) -> Tensor<T, Rank<1>, O, Dev>
    where
        T: Ordered,
        B: MatchingOperand<T, O, Dev>,
        Dev: Copy<T> + Sort<T>,
    {
        try_concatenate(0, [self.try_unique()?, other.agreed().try_unique()?])?.try_unique()
    }

    /// Returns the distinct elements of `self` that are also in another tensor, in ascending order. NaN is not equal to NaN, so the result
    /// has no NaN.
    ///
    /// # Errors
    /// If the tensors are on different instances of the device, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[3, 1], [3, 2]].set_intersection(tensor![5, 3, 1]), tensor![1, 3]);
    /// ```
    #[fallible]
    #[doc(alias = "intersect1d")]
    pub fn set_intersection<B>(&self, other: B) -> Tensor<T, Rank<1>, O, Dev>
    where
        T: Ordered,
        B: MatchingOperand<T, O, Dev>,
        Dev: Copy<T> + Select<T> + Sort<T> + Reduce<bool>,
    {
        let values = self.try_unique()?;
        let common = values.try_isin(other.agreed())?;
        values.try_masked(&common)
    }

    /// Returns the distinct elements of `self` that are not in another tensor, in ascending order. NaN is not equal to NaN, so if `self`
    /// has NaN, the result has one.
    ///
    /// # Errors
    /// If the tensors are on different instances of the device, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[3, 1], [3, 2]].set_difference(tensor![5, 1]), tensor![2, 3]);
    /// ```
    #[fallible]
    #[doc(alias = "setdiff1d")]
    pub fn set_difference<B>(&self, other: B) -> Tensor<T, Rank<1>, O, Dev>
    where
        T: Ordered,
        B: MatchingOperand<T, O, Dev>,
        Dev: Copy<T> + Select<T> + Sort<T> + Elementwise<bool> + Reduce<bool>,
    {
        let values = self.try_unique()?;
        let mut others = values.try_isin(other.agreed())?;
        others.try_apply_inplace(Not)?;
        values.try_masked(&others)
    }
}
