//! Dynamic tensors: union, intersection and difference of the sets of their elements, and one-hot vectors of labels.

use crate::dispatch;
use crate::dyn_tensor::operand::{lacking, needs};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::{erased, typed};
use crate::element::DType;
use crate::error::Error;
use crate::ops::ONE_HOT;
use crate::ops::sort::unique::UNIQUE;

impl<S: DynData> DynTensor<S> {
    /// Returns the distinct elements of two tensors, in ascending order: see [`Tensor::set_union`](crate::Tensor::set_union).
    ///
    /// # Errors
    /// If the tensors differ in element type, order or device, their element type is not ordered, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![3, 1, 3]);
    /// assert_eq!(x.set_union(&tensor![5, 1])?.downcast_ref()?, tensor![1, 3, 5]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn set_union<'b>(&self, other: impl Into<DynView<'b>>) -> Result<DynTensor, Error> {
        typed!(UNIQUE, Ordered, (x = self.look(), y = other.into()) => x.try_set_union(y))
    }

    /// Returns the distinct elements that also occur in another tensor, in ascending order: see
    /// [`Tensor::set_intersection`](crate::Tensor::set_intersection).
    ///
    /// # Errors
    /// Those of [`set_union`](DynTensor::set_union).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![3, 1, 3]);
    /// assert_eq!(x.set_intersection(&tensor![3, 4])?.downcast_ref()?, tensor![3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn set_intersection<'b>(&self, other: impl Into<DynView<'b>>) -> Result<DynTensor, Error> {
        typed!(UNIQUE, Ordered, (x = self.look(), y = other.into()) => x.try_set_intersection(y))
    }

    /// Returns the distinct elements that do not occur in another tensor, in ascending order: see
    /// [`Tensor::set_difference`](crate::Tensor::set_difference).
    ///
    /// # Errors
    /// Those of [`set_union`](DynTensor::set_union).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![3, 1, 3]);
    /// assert_eq!(x.set_difference(&tensor![3, 4])?.downcast_ref()?, tensor![1]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn set_difference<'b>(&self, other: impl Into<DynView<'b>>) -> Result<DynTensor, Error> {
        typed!(UNIQUE, Ordered, (x = self.look(), y = other.into()) => x.try_set_difference(y))
    }

    /// Returns a vector for each label, along a new last axis: 1 at the index given by the label, and 0 for the other classes. See
    /// [`Tensor::one_hot`](crate::Tensor::one_hot).
    ///
    /// # Errors
    /// * If the labels are not `i64`, or `dtype` is not a type of numbers.
    /// * If a label is negative or not less than the number of classes.
    /// * If the rank is 16, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![2_i64, 0]).one_hot(3, DType::F32)?;
    /// assert_eq!(x.downcast_ref()?, tensor![[0.0_f32, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn one_hot(&self, classes: usize, dtype: DType) -> Result<DynTensor, Error> {
        if self.dtype() != DType::I64 {
            return Err(lacking(ONE_HOT, self.dtype(), needs::POSITIONS));
        }
        typed!(ONE_HOT, [in i64], (labels = self.look(); classes: usize = classes, dtype: DType = dtype) => dispatch!(
            dtype,
            U: Scalar => erased(|| labels.try_one_hot::<U>(classes)),
            else => Err(lacking(ONE_HOT, dtype, needs::NUMBERS))
        ))
    }
}
