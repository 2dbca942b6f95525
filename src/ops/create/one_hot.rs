//! One-hot encoding: labels of classes as vectors.

use crate::device::{Device, Elementwise, Reduce, Select};
use crate::element::Scalar;
use crate::error::{Error, fallible};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::{BroadcastTo, Dim, InsertAxes, Rank, check_rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

pub(crate) const ONE_HOT: &str = "encode labels";

/// Returns the error for a label that is not the number of a class.
pub(crate) fn no_class(label: i64, classes: usize) -> Error {
    let reason = format!(
        "label {label} is not the number of one of {classes} classes, which are counted from 0; \
         pass a larger number of classes, or replace the label"
    );
    Error::Argument { op: ONE_HOT, reason }
}

impl<D: Dim, O: Order, Dev: Device, S: Storage<i64, Dev>> Tensor<i64, D, O, Dev, S> {
    /// Returns a vector for each label, along a new last axis with one element for each class. The element of the vector at index `label`
    /// is one; the other elements are zero.
    ///
    /// Convert labels of other integer types first, with `.cast::<i64>()`. [`argmax_axis`](Tensor::argmax_axis) is the inverse.
    ///
    /// # Errors
    /// If a label is negative or not less than the number of classes, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![2_i64, 0].one_hot::<f64>(3);
    /// assert_eq!(x, tensor![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    /// assert_eq!(x.argmax_axis(-1), tensor![2, 0]);
    /// ```
    #[fallible]
    pub fn one_hot<T: Scalar>(&self, classes: usize) -> Tensor<T, D::Inserted, O, Dev>
    where
        D: InsertAxes<1, Inserted: Dim>,
        Rank<0>: BroadcastTo<D::Inserted>,
        Dev: Elementwise<T> + Select<T> + Reduce<i64>,
    {
        let shape = self.one_hot_shape(classes)?;
        let mut out = Tensor::try_zeros_in(shape, self.device())?;
        self.put_ones(&mut out)?;
        Ok(out)
    }

    /// [`one_hot`](Tensor::one_hot) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If a label is negative or not less than the number of classes: `out` is unchanged.
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::<f64, _>::zeros([2, 3]);
    /// tensor![2_i64, 0].one_hot_into(3, &mut out);
    /// assert_eq!(out, tensor![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    /// ```
    #[fallible]
    pub fn one_hot_into<T: Scalar, S2>(&self, classes: usize, out: &mut Tensor<T, D::Inserted, O, Dev, S2>)
    where
        D: InsertAxes<1, Inserted: Dim>,
        Rank<0>: BroadcastTo<D::Inserted>,
        Dev: Elementwise<T> + Select<T> + Reduce<i64>,
        S2: StorageMut<T, Dev>,
    {
        let shape = self.one_hot_shape(classes)?;
        check_out(ONE_HOT, shape.as_ref(), self.device(), out)?;
        out.try_fill(T::zero())?;
        self.put_ones(out)
    }

    /// Returns the shape of the result of [`one_hot`](Tensor::one_hot).
    ///
    /// # Errors
    /// If a label is negative or not less than the number of classes, or an allocation fails.
    fn one_hot_shape(&self, classes: usize) -> Result<<D::Inserted as Dim>::Shape, Error>
    where
        D: InsertAxes<1, Inserted: Dim>,
        Dev: Reduce<i64>,
    {
        if !self.is_empty() {
            for label in [self.try_min()?.try_item()?, self.try_max()?.try_item()?] {
                if usize::try_from(label).map_or(true, |label| label >= classes) {
                    return Err(no_class(label, classes));
                }
            }
        }
        check_rank::<D::Inserted>(self.rank() + 1)?;
        let mut shape = D::Inserted::shape(self.rank() + 1);
        shape.as_mut()[..self.rank()].copy_from_slice(self.shape().as_ref());
        shape.as_mut()[self.rank()] = classes;
        Ok(shape)
    }

    /// Writes a one for each label to `out`, which must have the shape of the result.
    fn put_ones<T: Scalar, S2>(&self, out: &mut Tensor<T, D::Inserted, O, Dev, S2>) -> Result<(), Error>
    where
        D: InsertAxes<1, Inserted: Dim>,
        Rank<0>: BroadcastTo<D::Inserted>,
        Dev: Elementwise<T> + Select<T> + Reduce<i64>,
        S2: StorageMut<T, Dev>,
    {
        let one = Tensor::<T, Rank<0>, O, Dev>::try_full_in([], T::one(), self.device())?;
        out.try_put_along_axis(self.rank(), self.try_insert_axis(self.rank())?, one)
    }
}
