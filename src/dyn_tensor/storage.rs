//! Memory with its element type and its device erased: an [`OwnedData`] behind a trait object, and the three ways to hold it.

use super::scalar::DynScalar;
use crate::device::{Cpu, Device};
use crate::element::{DType, Element, Printed};
use crate::error::Error;
use crate::layout::Layout;
use crate::storage::OwnedData;
use core::any::Any;
use core::fmt::Debug;

pub(super) mod erased {
    use super::*;

    /// What memory does itself, whatever its element type and device: it needs no kernels, and so no dispatch.
    ///
    /// # Panics
    /// If a layout addresses elements outside of the memory.
    pub trait Erased {
        /// The device, to be asked what it is.
        fn device(&self) -> &dyn Any;
        /// Elements in the layout's row-major enumeration, side by side in new memory on the same device.
        fn gathered(&self, layout: &Layout) -> Result<Box<dyn DynStorage>, Error>;
        /// The same in memory of the host.
        fn gathered_on_host(&self, layout: &Layout) -> Result<Box<dyn DynStorage>, Error>;
        /// The element of a layout without axes.
        fn element(&self, at: &Layout) -> Result<DynScalar, Error>;
        /// Writes it; the scalar is of the memory's own type.
        fn set_element(&mut self, at: &Layout, value: DynScalar) -> Result<(), Error>;
        /// Whether the elements of two layouts of one shape are equal, index by index; those of another type or device are not.
        fn equal(&self, layout: &Layout, other: &dyn DynStorage, other_layout: &Layout) -> bool;
        /// Elements in the layout's row-major enumeration, to be printed.
        fn printed(&self, layout: &Layout) -> Result<Vec<Printed>, Error>;
    }

    /// Who holds the memory.
    pub trait Held {}
    impl Held for Box<dyn DynStorage> {}
    impl Held for &dyn DynStorage {}
    impl Held for &mut dyn DynStorage {}
}

/// Elements of one type on one device, with neither in the type: the memory of a [`DynTensor`](super::DynTensor).
///
/// Behind it is always the memory of an owned tensor, [`OwnedData<T, Dev>`]: what it says of itself is derived from `T` and
/// `Dev`, and it knows nothing of shapes. Sealed; memory of other libraries comes in as that of a typed tensor, by
/// [`Tensor::from_buffer`](crate::Tensor::from_buffer), or through a [`Device`] of its own.
pub trait DynStorage: Any + Debug + Send + Sync + erased::Erased {
    /// The element type.
    fn dtype(&self) -> DType;
    /// The number of elements.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The device's name, as it is printed.
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
    /// An owned buffer with the elements of a `Vec`.
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
    fn element(&self, at: &Layout) -> Result<DynScalar, Error> {
        debug_assert_eq!(at.rank(), 0);
        let one = self.device.gather(self.operand(at))?;
        Ok(DynScalar::of(one[0]))
    }
    fn set_element(&mut self, at: &Layout, value: DynScalar) -> Result<(), Error> {
        assert!(at.rank() == 0 && at.fits(Dev::len(&self.buffer)), "the element is outside of the buffer");
        let value = [value.get::<T>().expect("the scalar is of the memory's own type")];
        let to = Dev::offset(Dev::ptr_mut(&mut self.buffer), at.offset());
        // SAFETY: the element is in this buffer, as was just checked, which is exclusively borrowed: nothing else accesses it.
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

/// Who holds the memory of a [`DynTensor`](super::DynTensor): the tensor itself (a `Box`), or a view (`&`, `&mut`). Sealed.
pub trait DynData: erased::Held {
    /// The borrow that a view of such a tensor holds. A view of a view borrows for as long as the first one did.
    type Shared<'b>: DynData + Copy
    where
        Self: 'b;
    /// The memory.
    fn data(&self) -> &dyn DynStorage;
    /// A borrow of it.
    fn share(&self) -> Self::Shared<'_>;
    #[doc(hidden)]
    const OWNED: bool;
    #[doc(hidden)]
    fn into_owned(self) -> Option<Box<dyn DynStorage>>;
}

/// Memory of a [`DynTensor`](super::DynTensor) that can be written to: owned or mutably borrowed. Sealed.
#[diagnostic::on_unimplemented(
    message = "a `DynView` cannot be written to",
    label = "this view is for reading",
    note = "take a mutable view of the tensor instead: `.view_mut()`, `.slice_mut(..)`, `.index_axis_mut(..)`"
)]
pub trait DynDataMut: DynData {
    /// The memory, to be written.
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

/// The typed memory, if it is that.
pub(crate) fn typed<T: Element, Dev: Device>(data: &dyn DynStorage) -> Option<&OwnedData<T, Dev>> {
    (data as &dyn Any).downcast_ref()
}

/// The typed memory to write to, if it is that.
pub(crate) fn typed_mut<T: Element, Dev: Device>(
    data: &mut dyn DynStorage,
) -> Option<&mut OwnedData<T, Dev>> {
    (data as &mut dyn Any).downcast_mut()
}
