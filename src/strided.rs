//! A tensor whose rank and memory order are not in its type: storage and a layout. Code that is written once for all ranks works
//! on it.

use crate::device::{Device, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::{Layout, element_count};
use crate::storage::{OwnedData, Storage, StorageMut, ViewMut};
use core::marker::PhantomData;

/// Elements of `T` on `Dev`, addressed by a layout.
///
/// Invariant: the layout addresses elements of the storage only, and if the storage is mutable, different indices address
/// different elements.
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
    /// A new buffer of unspecified elements, contiguous in row-major order. The caller writes all of them.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    pub(crate) fn allocate(shape: &[usize], device: &Dev) -> Result<Self, Error> {
        Strided::allocate_as(Layout::dense(shape, true), device)
    }

    /// [`allocate`](Strided::allocate) for a contiguous layout of either memory order.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    pub(crate) fn allocate_as(layout: Layout, device: &Dev) -> Result<Self, Error> {
        let len = element_count(layout.shape(), size_of::<T>())?;
        Ok(Strided::owned(OwnedData::for_overwrite(len, device.clone())?, layout))
    }

    /// A buffer behind a layout.
    ///
    /// # Panics
    /// If the layout addresses elements outside of the buffer, or one element by two indices.
    pub(crate) fn owned(data: OwnedData<T, Dev>, layout: Layout) -> Self {
        assert!(layout.fits(Dev::len(&data.buffer)), "the layout addresses elements outside of the buffer");
        assert!(layout.is_apart(), "two indices of an owned tensor address one element");
        Strided { storage: data, layout, marker: PhantomData }
    }
}

impl<T: Element, Dev: Device, S: Storage<T, Dev>> Strided<T, Dev, S> {
    /// Storage behind a layout.
    ///
    /// # Safety
    /// The layout addresses elements of the storage only; if the storage is mutable, different indices address different elements.
    #[inline]
    pub(crate) unsafe fn new(storage: S, layout: Layout) -> Self {
        Strided { storage, layout, marker: PhantomData }
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The same storage behind a layout that is derived from this one's.
    ///
    /// # Panics
    /// If the layout addresses elements outside of this one's, or one mutable element by two indices.
    #[cfg(test)]
    pub(crate) fn behind(self, layout: Layout) -> Self {
        self.check(&layout);
        assert!(!S::MUTABLE || layout.is_apart(), "two indices of a mutable view address one element");
        Strided { layout, ..self }
    }

    /// The elements to read, behind a layout that is derived from this one's.
    ///
    /// # Panics
    /// If the layout addresses elements outside of this one's.
    #[inline]
    pub(crate) fn operand<'b>(&'b self, layout: &'b Layout) -> Operand<'b, T, Dev> {
        self.check(layout);
        // SAFETY: the layout stays between the lowest and the highest element of this one's, which are in one buffer that the
        // storage owns or borrows. It is derived from this one's by methods that keep to its elements, and nothing writes to those
        // while the storage is borrowed.
        unsafe {
            Operand::from_raw(
                Dev::offset(self.storage.ptr(), layout.offset()),
                layout.shape(),
                layout.strides(),
            )
        }
    }

    pub(crate) fn storage(&self) -> &S {
        &self.storage
    }

    pub(crate) fn into_storage(self) -> S {
        self.storage
    }

    /// A mutable view of all elements.
    pub(crate) fn view_mut(&mut self) -> Strided<T, Dev, ViewMut<'_, T, Dev>>
    where
        S: StorageMut<T, Dev>,
    {
        let layout = self.layout;
        // SAFETY: the same layout, which addresses elements of this storage; the storage is mutable, so indices are apart.
        unsafe { Strided::new(self.storage.share_mut(), layout) }
    }

    /// The elements to write, behind a layout that is derived from this one's.
    ///
    /// # Panics
    /// If the layout addresses elements outside of this one's, or one element by two indices.
    #[inline]
    pub(crate) fn output<'b>(&'b mut self, layout: &'b Layout) -> Output<'b, T, Dev>
    where
        S: StorageMut<T, Dev>,
    {
        self.check(layout);
        assert!(layout.is_apart(), "two indices of an output address one element");
        let ViewMut { ptr, .. } = self.storage.share_mut();
        // SAFETY: as in `operand` for the elements that are addressed, each of them by one index, as was just checked. They are
        // owned or exclusively borrowed by the storage, and `self` is exclusively borrowed.
        unsafe { Output::from_raw(Dev::offset(ptr, layout.offset()), layout.shape(), layout.strides()) }
    }

    #[inline]
    fn check(&self, layout: &Layout) {
        let whole = &self.layout;
        assert!(
            layout.within(whole.offset(), whole.axes()),
            "the layout addresses elements outside of the tensor's"
        );
    }
}
