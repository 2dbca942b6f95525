//! Type-erased memory of dynamic tensors: an [`OwnedData`] as a trait object. A tensor owns it, borrows it, or borrows it mutably.

use super::scalar::DynScalar;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
use crate::device::cpu::bytes;
use crate::device::{Cpu, Device};
use crate::element::{DType, Element, Printed};
use crate::error::Error;
use crate::layout::Layout;
use crate::storage::OwnedData;
use core::any::Any;
use core::fmt::Debug;

pub(super) mod erased {
    use super::*;

    /// The operations on memory that need no kernels. They are virtual methods, so they work on every device and need no dispatch
    /// on element type and device.
    ///
    /// # Panics
    /// If a layout addresses elements outside of the memory.
    pub trait Erased {
        /// Returns the device as `dyn Any`, which callers downcast.
        fn device(&self) -> &dyn Any;
        /// Copies the elements of a layout, in row-major order, to a new contiguous allocation on the same device.
        fn gathered(&self, layout: &Layout) -> Result<Box<dyn DynStorage>, Error>;
        /// Copies the elements of a layout, in row-major order, to a new contiguous allocation on the host.
        fn gathered_on_host(&self, layout: &Layout) -> Result<Box<dyn DynStorage>, Error>;
        /// Returns the bytes of the elements of a layout, or `None` if they are not in host memory, or not contiguous in row-major order.
        #[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
        fn host_bytes<'a>(&'a self, layout: &'a Layout) -> Option<&'a [u8]>;
        /// Returns the element of a layout of rank 0.
        fn element(&self, at: &Layout) -> Result<DynScalar, Error>;
        /// Writes the element of a layout of rank 0. The scalar has the memory's element type.
        fn set_element(&mut self, at: &Layout, value: DynScalar) -> Result<(), Error>;
        /// Returns whether the elements of two layouts of one shape are equal, index by index. Returns `false` if the element types
        /// or the device types differ, or if an allocation or a device fails.
        fn equal(&self, layout: &Layout, other: &dyn DynStorage, other_layout: &Layout) -> bool;
        /// Returns the elements of a layout, in row-major order, in the form in which they are printed.
        fn printed(&self, layout: &Layout) -> Result<Vec<Printed>, Error>;
    }

    /// Seals [`DynData`](super::DynData). Implemented for owned, borrowed and mutably borrowed memory.
    pub trait Held {}
    impl Held for Box<dyn DynStorage> {}
    impl Held for &dyn DynStorage {}
    impl Held for &mut dyn DynStorage {}
}

/// The memory of a [`DynTensor`](super::DynTensor): elements of one type on one device. Element type and device are not part of the
/// tensor's Rust type.
///
/// Sealed: the only implementor is [`OwnedData<T, Dev>`], the memory of an owned tensor, without its shape. To use memory of
/// another library, create a typed tensor from it with [`Tensor::from_buffer`](crate::Tensor::from_buffer), or implement a
/// [`Device`].
pub trait DynStorage: Any + Debug + Send + Sync + erased::Erased {
    /// Returns the element type.
    fn dtype(&self) -> DType;
    /// Returns the number of elements.
    fn len(&self) -> usize;
    /// Returns `true` if there are zero elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the device's name, as it is printed.
    fn device_name(&self) -> String;
}

impl<T: Element, Dev: Device> DynStorage for OwnedData<T, Dev> {
    fn dtype(&self) -> DType {
        T::DTYPE
    }
    fn len(&self) -> usize {
        Dev::len(&self.buffer)
    }
    fn device_name(&self) -> String {
        self.device.name()
    }
}

impl<T: Element, Dev: Device> OwnedData<T, Dev> {
    /// Moves the elements of a `Vec` to the device.
    pub(crate) fn of_vec(data: Vec<T>, device: &Dev) -> Result<Self, Error> {
        Ok(OwnedData { buffer: device.adopt(data)?, device: device.clone() })
    }
}

impl<T: Element, Dev: Device> erased::Erased for OwnedData<T, Dev> {
    fn device(&self) -> &dyn Any {
        &self.device
    }
    fn gathered(&self, layout: &Layout) -> Result<Box<dyn DynStorage>, Error> {
        let buffer = self.device.compact(self.operand(layout))?;
        Ok(Box::new(OwnedData { buffer, device: self.device.clone() }))
    }
    fn gathered_on_host(&self, layout: &Layout) -> Result<Box<dyn DynStorage>, Error> {
        Ok(Box::new(OwnedData::of_vec(self.device.gather(self.operand(layout))?, &Cpu)?))
    }
    #[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
    fn host_bytes<'a>(&'a self, layout: &'a Layout) -> Option<&'a [u8]> {
        Some(bytes(Dev::on_host::<T>()?.slice(self.operand(layout), true)?))
    }
    fn element(&self, at: &Layout) -> Result<DynScalar, Error> {
        debug_assert_eq!(at.rank(), 0);
        let one = self.device.gather(self.operand(at))?;
        Ok(DynScalar::of(one[0]))
    }
    fn set_element(&mut self, at: &Layout, value: DynScalar) -> Result<(), Error> {
        assert!(at.rank() == 0 && at.fits(Dev::len(&self.buffer)), "the element is outside of the buffer");
        let value = [value.get::<T>().expect("the scalar has the element type of the buffer")];
        let to = Dev::offset(Dev::ptr_mut(&mut self.buffer), at.offset());
        // SAFETY: `value` is one element. `to` points to one element of the live buffer `self.buffer`, because the assertion above
        // checked that `at` has rank 0 and addresses an element of the buffer. `self` is exclusively borrowed, so nothing else
        // accesses the element.
        unsafe { self.device.write(&value, to) }
    }
    fn equal(&self, layout: &Layout, other: &dyn DynStorage, other_layout: &Layout) -> bool {
        let Some(other) = typed::<T, Dev>(other) else { return false };
        let gather = |data: &Self, layout| data.device.gather(data.operand(layout));
        match (gather(self, layout), gather(other, other_layout)) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        }
    }
    fn printed(&self, layout: &Layout) -> Result<Vec<Printed>, Error> {
        let elements = self.device.gather(self.operand(layout))?;
        Ok(elements.into_iter().map(T::printed).collect())
    }
}

/// The storage of a [`DynTensor`](super::DynTensor): a `Box` for an owned tensor, `&` or `&mut` for a view. Sealed.
pub trait DynData: erased::Held {
    /// The storage of a read-only view of the tensor. A view of a [`DynView`](super::DynView) has the lifetime of that `DynView`.
    type Shared<'b>: DynData + Copy
    where
        Self: 'b;
    /// Returns the memory.
    fn data(&self) -> &dyn DynStorage;
    /// Borrows the memory, as the storage of a view.
    fn share(&self) -> Self::Shared<'_>;
    #[doc(hidden)]
    const OWNED: bool;
    #[doc(hidden)]
    fn into_owned(self) -> Option<Box<dyn DynStorage>>;
}

/// The storage of a [`DynTensor`](super::DynTensor) that can be written to: owned or mutably borrowed. Sealed.
#[diagnostic::on_unimplemented(
    message = "a `DynView` cannot be written to",
    label = "this view is read-only",
    note = "take a mutable view of the tensor instead: `.view_mut()`, `.slice_mut(..)`, `.index_axis_mut(..)`"
)]
pub trait DynDataMut: DynData {
    /// Returns the memory, for writing.
    fn data_mut(&mut self) -> &mut dyn DynStorage;
}

impl DynData for Box<dyn DynStorage> {
    type Shared<'b> = &'b dyn DynStorage;
    fn data(&self) -> &dyn DynStorage {
        &**self
    }
    fn share(&self) -> &dyn DynStorage {
        &**self
    }
    const OWNED: bool = true;
    fn into_owned(self) -> Option<Box<dyn DynStorage>> {
        Some(self)
    }
}
impl DynDataMut for Box<dyn DynStorage> {
    fn data_mut(&mut self) -> &mut dyn DynStorage {
        &mut **self
    }
}

impl<'a> DynData for &'a dyn DynStorage {
    type Shared<'b>
        = &'a dyn DynStorage
    where
        Self: 'b;
    fn data(&self) -> &dyn DynStorage {
        *self
    }
    fn share(&self) -> &'a dyn DynStorage {
        *self
    }
    const OWNED: bool = false;
    fn into_owned(self) -> Option<Box<dyn DynStorage>> {
        None
    }
}

impl DynData for &mut dyn DynStorage {
    type Shared<'b>
        = &'b dyn DynStorage
    where
        Self: 'b;
    fn data(&self) -> &dyn DynStorage {
        &**self
    }
    fn share(&self) -> &dyn DynStorage {
        &**self
    }
    const OWNED: bool = false;
    fn into_owned(self) -> Option<Box<dyn DynStorage>> {
        None
    }
}
impl DynDataMut for &mut dyn DynStorage {
    fn data_mut(&mut self) -> &mut dyn DynStorage {
        &mut **self
    }
}

/// Downcasts type-erased memory. Returns `None` if the element type is not `T` or the device is not a `Dev`.
pub(crate) fn typed<T: Element, Dev: Device>(data: &dyn DynStorage) -> Option<&OwnedData<T, Dev>> {
    (data as &dyn Any).downcast_ref()
}

/// Mutable variant of [`typed`].
pub(crate) fn typed_mut<T: Element, Dev: Device>(
    data: &mut dyn DynStorage,
) -> Option<&mut OwnedData<T, Dev>> {
    (data as &mut dyn Any).downcast_mut()
}
