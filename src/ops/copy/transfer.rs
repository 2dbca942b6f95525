//! Copies of tensors from one device to another.

use crate::device::wide::{self, is_wide};
use crate::device::{Device, via_host};
use crate::element::Element;
use crate::error::Error;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns a copy on another device, contiguous in the tensor's memory order.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] if there is no such device, [`Error::OutOfMemory`] if an allocation fails, or
    /// [`Error::DeviceFailed`] if the copy fails.
    ///
    /// ```
    /// use vierbein::{Cpu, Cuda, Error, tensor};
    /// let x = tensor![1.0, 2.0];
    /// assert_eq!(x.to_device::<Cpu>()?, x);
    /// match x.to_device::<Cuda>() {
    ///     Ok(y) => assert_eq!(y.to_device::<Cpu>()?, x),
    ///     Err(error) => assert!(matches!(error, Error::DeviceUnavailable { .. })),
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_device<Dev2: Device + Default>(&self) -> Result<Tensor<T, D, O, Dev2>, Error> {
        self.to_device_in(&Dev2::default())
    }

    /// [`to_device`](Tensor::to_device) with a given instance of the device.
    ///
    /// # Errors
    /// For the reasons given for [`to_device`](Tensor::to_device).
    pub fn to_device_in<Dev2: Device>(&self, device: &Dev2) -> Result<Tensor<T, D, O, Dev2>, Error> {
        let buffer = self.in_memory_order(|operand| via_host::copied_to(device, self.device(), operand))?;
        Ok(Tensor::contiguous(buffer, self.shape(), device.clone()))
    }

    /// Overwrites the elements with those of `from`, which must have the same shape. `from` may be on another device.
    ///
    /// Between devices, nothing is allocated if both tensors are contiguous in their memory order and one of them is on the host.
    /// Otherwise the elements are copied through temporary buffers.
    ///
    /// # Errors
    /// [`Error::OutputShape`] if the shapes differ, or an error that one of the devices reports.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let mut x = tensor![[1, 2], [3, 4]];
    /// x.copy_from(&tensor![[5, 6], [7, 8]])?;
    /// assert_eq!(x, tensor![[5, 6], [7, 8]]);
    /// assert!(x.copy_from(&tensor![[1, 2]]).is_err());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn copy_from<X>(&mut self, from: X) -> Result<(), Error>
    where
        S: StorageMut<T, Dev>,
        X: AsView<Element = T, Dim = D, Order = O>,
    {
        let from = from.as_view();
        if self.shape() != from.shape() {
            let (result, out) = (from.shape().as_ref().to_vec(), self.shape().as_ref().to_vec());
            return Err(Error::OutputShape { op: "copy", result, out });
        }
        if is_wide!(D, self.rank()) {
            let (out, device) = self.output();
            return wide::transfer(device, out, from.device(), from.operand());
        }
        let (to_layout, from_layout) = (self.enumeration(), from.enumeration());
        let (out, device) = self.output_in(&to_layout);
        via_host::transfer(device, out, from.device(), from.operand_in(&from_layout))
    }
}
