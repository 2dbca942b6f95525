//! Tensors whose types are known at run time only: given away and taken over.

use super::abi::Managed;
use super::export::exported;
use super::import::Dlpack;
use crate::device::{Cpu, Device, HostPtr, Operand};
use crate::dispatch;
use crate::dyn_tensor::DynTensor;
use crate::element::Element;
use crate::error::{Error, Refused};
use crate::order::MemoryOrder;
use crate::storage::OwnedData;
use core::any::Any;

impl<M: Managed> TryFrom<Dlpack<M>> for DynTensor {
    type Error = Refused<Dlpack<M>>;

    /// A tensor in this memory, without a copy: row-major where it is dense in that order, or else column-major. It is freed by its
    /// producer when the tensor is dropped. What is dense in neither, or is read-only, comes back:
    /// [`to_dyn_tensor`](Dlpack::to_dyn_tensor) copies.
    fn try_from(given: Dlpack<M>) -> Result<Self, Self::Error> {
        let layout = given.layout();
        let order = match !layout.is_dense(true) && layout.is_dense(false) {
            true => MemoryOrder::ColMajor,
            false => MemoryOrder::RowMajor,
        };
        fn take<T: Element, M: Managed>(
            given: Dlpack<M>,
            order: MemoryOrder,
        ) -> Result<DynTensor, Refused<Dlpack<M>>> {
            let shape = given.shape().to_vec();
            let buffer = given.into_buffer::<T>(order)?;
            Ok(DynTensor::dense(OwnedData { buffer, device: Cpu }, &shape, order))
        }
        dispatch!(given.dtype(), T => take::<T, M>(given, order))
    }
}

impl<M: Managed> Dlpack<M> {
    /// A copy of the elements, whatever their strides, dense in an order.
    ///
    /// # Errors
    /// Where there is no memory left.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// use vierbein::{DynTensor, MemoryOrder};
    /// let given = tensor![[1, 2], [3, 4]].into_dlpack();
    /// let copy = given.to_dyn_tensor(MemoryOrder::ColMajor)?;
    /// assert_eq!(copy.downcast_ref::<i32, Rank<2>, ColMajor, Cpu>()?.as_order::<RowMajor>(), tensor![[1, 2], [3, 4]]);
    /// let x = DynTensor::try_from(given)?;
    /// assert_eq!(x.downcast_ref::<i32, Rank<2>, RowMajor, Cpu>()?, tensor![[1, 2], [3, 4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn to_dyn_tensor(&self, order: MemoryOrder) -> Result<DynTensor, Error> {
        fn copied<T: Element, M: Managed>(given: &Dlpack<M>, order: MemoryOrder) -> Result<DynTensor, Error> {
            let layout = given.layout();
            let enumeration = if order.is_row_major() { *layout } else { layout.reverse_axes() };
            let first = HostPtr::new(given.first().cast::<T>().as_ptr());
            // SAFETY: the elements of all indices are the tensor's, of this type, and alive as long as it is borrowed; who made it
            // of foreign memory says that nobody writes meanwhile.
            let operand = unsafe { Operand::from_raw(first, enumeration.shape(), enumeration.strides()) };
            DynTensor::from_vec(layout.shape(), Cpu.gather(operand)?, order)
        }
        dispatch!(self.dtype(), T => copied::<T, M>(self, order))
    }
}

impl<M: Managed> TryFrom<DynTensor> for Dlpack<M> {
    type Error = Refused<DynTensor>;

    /// The tensor's own memory, with its strides, if it is on the host. If not, it comes back.
    fn try_from(x: DynTensor) -> Result<Self, Self::Error> {
        if x.device::<Cpu>().is_none() {
            let why =
                format!("it is on {}; copy it to the host first: `.to_device::<Cpu>()?`", x.device_name());
            return Err(Refused { error: Error::Argument { op: "export a DLPack tensor", why }, value: x });
        }
        fn give<T: Element, M: Managed>(x: DynTensor) -> Dlpack<M> {
            let layout = *x.layout();
            let data: Box<dyn Any> = x.into_storage();
            let data = data.downcast::<OwnedData<T, Cpu>>().expect("the type and the device are those");
            exported(data.buffer, layout)
        }
        Ok(dispatch!(x.dtype(), T => give::<T, M>(x)))
    }
}
