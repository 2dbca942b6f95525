//! Sums, products and traces in a wider type than that of the elements.

use super::trace::merged;
use crate::axis::AxisArg;
use crate::device::op::reduction::{ProdAs, SumAs};
use crate::device::{Device, Reduce};
use crate::element::{Element, Scalar, WidenTo};
use crate::error::fallible;
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the sum of all elements in the type `U`. The elements are widened as they are read: nothing is copied.
    ///
    /// Integers are summed exactly, for every `U`; the sum is then converted to `U`. Other elements are converted to `U` first, and their sum
    /// has the error of a [`sum`](Tensor::sum) in `U`.
    ///
    /// # Errors
    /// If `U` is an integer type and the sum does not fit it, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![200u8, 100].sum_as::<u64>().item(), 300);
    /// // The exact sum is returned in any type that can hold it.
    /// assert_eq!(tensor![-1i8, 2].sum_as::<u8>().item(), 1);
    /// ```
    #[fallible]
    pub fn sum_as<U: Scalar>(&self) -> Tensor<U, Rank<0>, O, Dev>
    where
        T: WidenTo<U>,
        Dev: Reduce<T>,
    {
        self.reduced_whole(SumAs::<U>::default())
    }

    /// [`sum_as`](Tensor::sum_as) over one axis, which is removed.
    ///
    /// # Errors
    /// If the axis is out of range, or for the reasons for which [`sum_as`](Tensor::sum_as) panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[200u8, 1], [100, 2]].sum_axis_as::<u64>(0), tensor![300, 3]);
    /// ```
    #[fallible]
    pub fn sum_axis_as<U: Scalar>(&self, axis: impl AxisArg<D>) -> Tensor<U, D::Removed, O, Dev>
    where
        T: WidenTo<U>,
        Dev: Reduce<T>,
        D: RemoveAxes<1>,
    {
        self.reduced(SumAs::<U>::default(), &[axis.index(self.rank())])
    }

    /// Returns the product of all elements in the type `U`. The elements are widened as they are read: nothing is copied.
    ///
    /// The product of integers is exact if `U` is an integer type. Otherwise the elements are converted to `U` first.
    ///
    /// # Errors
    /// If `U` is an integer type and the product does not fit it, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![200u8, 100].prod_as::<u64>().item(), 20_000);
    /// ```
    #[fallible]
    pub fn prod_as<U: Scalar>(&self) -> Tensor<U, Rank<0>, O, Dev>
    where
        T: WidenTo<U>,
        Dev: Reduce<T>,
    {
        self.reduced_whole(ProdAs::<U>::default())
    }

    /// [`prod_as`](Tensor::prod_as) over one axis, which is removed.
    ///
    /// # Errors
    /// If the axis is out of range, or for the reasons for which [`prod_as`](Tensor::prod_as) panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[200u8, 1], [100, 2]].prod_axis_as::<u64>(0), tensor![20_000, 2]);
    /// ```
    #[fallible]
    pub fn prod_axis_as<U: Scalar>(&self, axis: impl AxisArg<D>) -> Tensor<U, D::Removed, O, Dev>
    where
        T: WidenTo<U>,
        Dev: Reduce<T>,
        D: RemoveAxes<1>,
    {
        self.reduced(ProdAs::<U>::default(), &[axis.index(self.rank())])
    }

    /// [`trace`](Tensor::trace) in the type `U`: see [`sum_as`](Tensor::sum_as).
    ///
    /// # Errors
    /// * If an axis is out of range, or `a` and `b` are the same axis or differ in extent.
    /// * If `U` is an integer type and the sum does not fit it.
    /// * If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[200u8, 1], [2, 100]].trace_as::<u64>(0, 1).item(), 300);
    /// ```
    #[fallible]
    pub fn trace_as<U: Scalar>(&self, a: impl AxisArg<D>, b: impl AxisArg<D>) -> Tensor<U, D::Removed, O, Dev>
    where
        T: WidenTo<U>,
        D: RemoveAxes<2>,
        Dev: Reduce<T>,
    {
        let (mut extents, mut strides) = (D::shape(self.rank()), D::strides(self.rank()));
        let from = self.operand().diagonal(
            "trace",
            a.index(self.rank()),
            b.index(self.rank()),
            merged(&mut extents, &mut strides),
        )?;
        self.reduced_diagonal(SumAs::<U>::default(), from)
    }
}
