//! A tensor whose rank and order are not in its type: storage and a layout. What is written once for all ranks works on it.

use crate::device::{Device, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::{Layout, element_count};
use crate::storage::{OwnedData, Storage, StorageMut, ViewMut};
use core::marker::PhantomData;

/// Elements of `T` on `Dev` behind a layout that was made for the storage, or derived from such a layout.
#[derive(Debug)]
pub(crate) struct Strided<T: Element, Dev: Device, S> {
    storage: S,
    layout: Layout,
    marker: PhantomData<(T, Dev)>,
}

impl<T: Element, Dev: Device, S: Copy> Clone for Strided<T, Dev, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element, Dev: Device, S: Copy> Copy for Strided<T, Dev, S> {}

impl<T: Element, Dev: Device> Strided<T, Dev, OwnedData<T, Dev>> {
    /// Elements still to be written, dense with the last axis fastest.
    pub(crate) fn allocate(shape: &[usize], device: &Dev) -> Result<Self, Error> {
        let len = element_count(shape, size_of::<T>())?;
        let buffer = device.alloc(len)?;
        assert_eq!(Dev::len(&buffer), len, "a buffer holds what was asked for");
        let storage = OwnedData { buffer, device: device.clone() };
        Ok(Strided::of(storage, Layout::dense(shape, true)))
    }
}

impl<T: Element, Dev: Device, S: Storage<T, Dev>> Strided<T, Dev, S> {
    /// The layout reaches elements of the storage only; where it is written through, indices lie apart.
    pub(crate) fn of(storage: S, layout: Layout) -> Self {
        Strided { storage, layout, marker: PhantomData }
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The same storage behind a layout that is derived from this one's.
    #[cfg(test)]
    pub(crate) fn behind(self, layout: Layout) -> Self {
        Strided { layout, ..self }
    }

    /// To read, behind a layout that is derived from this one's.
    pub(crate) fn operand<'b>(&'b self, layout: &'b Layout) -> Operand<'b, T, Dev> {
        operand_of(&self.storage, layout)
    }

    pub(crate) fn storage(&self) -> &S {
        &self.storage
    }

    pub(crate) fn into_storage(self) -> S {
        self.storage
    }

    /// A mutable view of it all.
    pub(crate) fn view_mut(&mut self) -> Strided<T, Dev, ViewMut<'_, T, Dev>>
    where
        S: StorageMut<T, Dev>,
    {
        let layout = self.layout;
        Strided::of(self.storage.share_mut(), layout)
    }

    /// To write, behind a layout that is derived from this one's and keeps indices apart.
    pub(crate) fn output<'b>(&'b mut self, layout: &'b Layout) -> Output<'b, T, Dev>
    where
        S: StorageMut<T, Dev>,
    {
        let ViewMut { ptr, .. } = self.storage.share_mut();
        // SAFETY: as in `operand`; the storage is owned or mutably borrowed, and so is `self`.
        unsafe { Output::from_raw(Dev::offset(ptr, layout.offset()), layout.shape(), layout.strides()) }
    }
}

/// Elements to read, behind a layout that was made for the storage, or derived from such a layout.
pub(crate) fn operand_of<'b, T: Element, Dev: Device, S: Storage<T, Dev>>(
    storage: &'b S,
    layout: &'b Layout,
) -> Operand<'b, T, Dev> {
    // SAFETY: the layout reaches elements of the storage, which owns them or borrows them for as long as it lives. Nobody
    // writes meanwhile: the storage is borrowed, and so is what it borrows.
    unsafe {
        Operand::from_raw(Dev::offset(storage.ptr(), layout.offset()), layout.shape(), layout.strides())
    }
}
