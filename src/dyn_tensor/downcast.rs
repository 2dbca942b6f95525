//! Downcasts of dynamic tensors to typed tensors and views, without a copy.

use super::storage::{DynData, DynDataMut, DynStorage, typed, typed_mut};
use super::tensor::{DynTensor, DynView, DynViewMut};
use crate::device::Device;
use crate::element::{DType, Element};
use crate::error::{ConversionError, Error};
use crate::order::Order;
use crate::rank::{Dim, name, other_rank};
use crate::storage::OwnedData;
use crate::tensor::{Tensor, TensorView, TensorViewMut};
use core::any::{Any, TypeId};
use core::fmt;

/// The error of [`downcast`](DynTensor::downcast) and [`cast_into`](DynTensor::cast_into), which take the tensor by value. Holds
/// the [`Error`], which names both types, and the unchanged tensor. Both are in a `Box`, because a `DynTensor` is large.
#[derive(Debug)]
pub struct DowncastError(Box<ConversionError<DynTensor>>);

impl DowncastError {
    pub(super) fn new(error: Error, tensor: DynTensor) -> DowncastError {
        DowncastError(Box::new(ConversionError { error, value: tensor }))
    }

    /// Returns the tensor, unchanged.
    pub fn into_inner(self) -> DynTensor {
        self.0.into_inner()
    }
}

impl fmt::Display for DowncastError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl std::error::Error for DowncastError {}

impl From<DowncastError> for Error {
    /// Returns the error, without the tensor.
    fn from(error: DowncastError) -> Error {
        error.0.error
    }
}

/// Describes a tensor in an error message.
pub(super) fn described(x: &DynView<'_>) -> String {
    format!("a {} {} tensor of shape {:?} on {}", x.order(), x.dtype(), x.shape(), x.device_name())
}

/// Returns the name of the requested type, for error messages.
pub(super) fn wanted<T: Element, D: Dim, O: Order, Dev: Device>() -> String {
    let device = core::any::type_name::<Dev>();
    let device = device.rsplit_once("::").map_or(device, |(_, name)| name);
    format!("Tensor<{}, {}, {:?}, {device}>", T::DTYPE, name::<D>(), O::MEMORY_ORDER)
}

/// Returns the error that the element types differ.
pub(super) fn not_of_type(x: &DynView<'_>, wanted: DType, as_what: String) -> Error {
    Error::Downcast {
        found: described(x),
        wanted: as_what,
        reason: format!("the element types differ; convert it first: `.to_dtype(DType::{wanted:?})`"),
    }
}

/// Returns the reason why a tensor with `rank` axes cannot have rank `D`, or `None` if it can.
pub(crate) fn rank_differs<D: Dim>(rank: usize) -> Option<String> {
    other_rank::<D>(rank).map(|wanted| {
        format!("it has rank {rank}, not {wanted}; `.reshape(..)`, `.insert_axis(..)` and `.index_axis(..)` change that")
    })
}

/// The panic message if a downcast fails although [`check`] succeeded.
const FOUND: &str = "the type was found to be this one";

/// Checks that the tensor can be downcast to `Tensor<T, D, O, Dev>`. A tensor of rank 0 or 1 has both memory orders.
fn check<T: Element, D: Dim, O: Order, Dev: Device>(x: &DynView<'_>) -> Result<(), Error> {
    let reason = if x.dtype() != T::DTYPE {
        return Err(not_of_type(x, T::DTYPE, wanted::<T, D, O, Dev>()));
    } else if let Some(reason) = rank_differs::<D>(x.rank()) {
        reason
    } else if x.order() != O::MEMORY_ORDER && x.rank() > 1 {
        format!(
            "the memory orders differ; `.as_order({0:?})` is a free view, `.to_order({0:?})` copies",
            O::MEMORY_ORDER
        )
    } else if (**x.storage()).type_id() != TypeId::of::<OwnedData<T, Dev>>() {
        "the devices differ; move it first with `.to_device::<Dev>()?`".into()
    } else {
        return Ok(());
    };
    Err(Error::Downcast { found: described(x), wanted: wanted::<T, D, O, Dev>(), reason })
}

impl DynTensor {
    /// Converts into a typed tensor with the same memory. Free.
    ///
    /// # Errors
    /// If the tensor does not have this element type, rank, memory order and device. Tensors of rank 0 and 1 have both orders.
    ///
    /// The message describes the tensor and says how to convert it. [`DowncastError::into_inner`] returns the unchanged tensor.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// use vierbein::DynTensor;
    /// let x = DynTensor::from(tensor![[1.0, 2.0], [3.0, 4.0]]);
    /// let error = x.downcast::<f64, Rank<2>, ColMajor, Cpu>().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "a row-major f64 tensor of shape [2, 2] on Cpu is not a `Tensor<f64, Rank<2>, ColMajor, Cpu>`: \
    ///      the memory orders differ; `.as_order(ColMajor)` is a free view, `.to_order(ColMajor)` copies"
    /// );
    /// let x: Tensor<f64, Rank<2>> = error.into_inner().downcast()?;
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn downcast<T: Element, D: Dim, O: Order, Dev: Device>(
        self,
    ) -> Result<Tensor<T, D, O, Dev>, DowncastError> {
        if let Err(error) = check::<T, D, O, Dev>(&self.look()) {
            return Err(DowncastError::new(error, self));
        }
        let shape = self.layout().typed_shape::<D>();
        let OwnedData { buffer, device } = typed_data(self.into_storage());
        Ok(Tensor::contiguous(buffer, shape, device))
    }
}

/// Downcasts type-erased memory. The caller must have checked the element type and the device.
///
/// # Panics
/// If the element type is not `T`, or if the device is not a `Dev`.
pub(super) fn typed_data<T: Element, Dev: Device>(storage: Box<dyn DynStorage>) -> OwnedData<T, Dev> {
    *(storage as Box<dyn Any>).downcast().expect("the storage was found to be of this type")
}

impl<'a> DynView<'a> {
    /// Variant of [`downcast_ref`](DynTensor::downcast_ref) that consumes the view. The result has the lifetime of the view's elements.
    ///
    /// # Errors
    /// Those of [`downcast_ref`](DynTensor::downcast_ref).
    ///
    /// ```
    /// use vierbein::{DynTensor, Error, Rank, TensorView, tensor};
    /// fn first_row(x: &DynTensor) -> Result<TensorView<'_, i32, Rank<1>>, Error> {
    ///     x.index_axis(0, 0)?.downcast_view()
    /// }
    /// assert_eq!(first_row(&DynTensor::from(tensor![[1, 2], [3, 4]]))?, tensor![1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn downcast_view<T: Element, D: Dim, O: Order, Dev: Device>(
        self,
    ) -> Result<TensorView<'a, T, D, O, Dev>, Error> {
        check::<T, D, O, Dev>(&self)?;
        let layout = *self.layout();
        Ok(Tensor::of_data(typed(self.into_storage()).expect(FOUND), &layout))
    }
}

impl<S: DynData> DynTensor<S> {
    /// Returns a typed view. Free.
    ///
    /// # Errors
    /// If the tensor does not have this element type, rank, memory order and device. Tensors of rank 0 and 1 have both orders. The
    /// message describes the tensor and says how to convert it.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// assert_eq!(x.t()?.downcast_ref()?, tensor![[1, 3], [2, 4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn downcast_ref<T: Element, D: Dim, O: Order, Dev: Device>(
        &self,
    ) -> Result<TensorView<'_, T, D, O, Dev>, Error> {
        self.look().downcast_view()
    }

    /// Returns a typed mutable view. Free.
    ///
    /// # Errors
    /// Those of [`downcast_ref`](DynTensor::downcast_ref).
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// use vierbein::DynTensor;
    /// let mut x = DynTensor::from(tensor![1, 2, 3]);
    /// let mut typed: TensorViewMut<'_, i32, Rank<1>> = x.downcast_mut()?;
    /// typed[[0]] = 7;
    /// assert_eq!(x.get(&[0])?, 7.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn downcast_mut<T: Element, D: Dim, O: Order, Dev: Device>(
        &mut self,
    ) -> Result<TensorViewMut<'_, T, D, O, Dev>, Error>
    where
        S: DynDataMut,
    {
        self.view_mut().try_into()
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device> TryFrom<DynTensor> for Tensor<T, D, O, Dev> {
    type Error = DowncastError;
    /// Converts as [`downcast`](DynTensor::downcast) does.
    fn try_from(tensor: DynTensor) -> Result<Self, DowncastError> {
        tensor.downcast()
    }
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TryFrom<DynView<'a>> for TensorView<'a, T, D, O, Dev> {
    type Error = Error;
    /// Converts as [`downcast_view`](DynView::downcast_view) does.
    fn try_from(view: DynView<'a>) -> Result<Self, Error> {
        view.downcast_view()
    }
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TryFrom<DynViewMut<'a>>
    for TensorViewMut<'a, T, D, O, Dev>
{
    type Error = Error;
    /// Variant of [`downcast_mut`](DynTensor::downcast_mut) whose result has the lifetime of this view.
    fn try_from(view: DynViewMut<'a>) -> Result<Self, Error> {
        check::<T, D, O, Dev>(&view.look())?;
        let layout = *view.layout();
        Ok(Tensor::of_data_mut(typed_mut(view.into_storage()).expect(FOUND), &layout))
    }
}
