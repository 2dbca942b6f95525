//! The memory of tensors: owned, borrowed, or mutably borrowed.

use crate::device::capability::Same;
use crate::device::{Cpu, Device, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::Layout;
use core::any::Any;
use core::marker::PhantomData;

/// The memory of an owned tensor.
#[derive(Debug)]
pub struct OwnedData<T: Element, Dev: Device> {
    pub(crate) buffer: Dev::Buffer<T>,
    pub(crate) device: Dev,
}

impl<T: Element, Dev: Device> OwnedData<T, Dev> {
    /// Allocates a buffer of `len` unspecified elements. The caller must write all of them before it returns the buffer to other
    /// code.
    ///
    /// # Errors
    /// If the allocation fails.
    #[inline]
    pub(crate) fn for_overwrite(len: usize, device: Dev) -> Result<Self, Error> {
        // SAFETY: by the contract above, the callers of this function write every element of the buffer before any element is read, or
        // they drop the buffer and return an error.
        let buffer = unsafe { device.alloc_for_overwrite(len)? };
        assert_eq!(
            Dev::len(&buffer),
            len,
            "the buffer of a device must have the requested number of elements"
        );
        Ok(OwnedData { buffer, device })
    }

    /// Returns the operand that consists of the elements that `layout` addresses in the buffer.
    ///
    /// # Panics
    /// If the layout addresses elements outside of the buffer.
    pub(crate) fn operand<'a>(&'a self, layout: &'a Layout) -> Operand<'a, T, Dev> {
        assert!(layout.fits(Dev::len(&self.buffer)), "the layout addresses elements outside of the buffer");
        // SAFETY: every index of the layout addresses an element of the buffer, as was just checked. The elements of a buffer
        // are initialised. `self` is borrowed during `'a`, so nothing writes to the elements or frees them.
        unsafe {
            Operand::from_raw(
                Dev::offset(Dev::ptr(&self.buffer), layout.offset()),
                layout.shape(),
                layout.strides(),
            )
        }
    }

    /// Returns the output that consists of the elements that `layout` addresses in the buffer.
    ///
    /// # Panics
    /// If the layout addresses elements outside of the buffer, or if two of its indices may address one element.
    pub(crate) fn output<'a>(&'a mut self, layout: &'a Layout) -> Output<'a, T, Dev> {
        assert!(layout.fits(Dev::len(&self.buffer)), "the layout addresses elements outside of the buffer");
        assert!(layout.is_non_overlapping(), "two indices of an output address the same element");
        let ptr = Dev::offset(Dev::ptr_mut(&mut self.buffer), layout.offset());
        // SAFETY: every index of the layout addresses an element of the buffer, and different indices address different elements, as was
        // just checked. `self` is exclusively borrowed during `'a`, so nothing else accesses the elements.
        unsafe { Output::from_raw(ptr, layout.shape(), layout.strides()) }
    }
}

/// The memory of a [`TensorView`](crate::TensorView).
#[derive(Debug)]
pub struct View<'a, T: Element, Dev: Device> {
    pub(crate) ptr: Dev::Ptr<T>,
    pub(crate) device: &'a Dev,
    pub(crate) data: PhantomData<&'a [T]>,
}

/// The memory of a [`TensorViewMut`](crate::TensorViewMut).
#[derive(Debug)]
pub struct ViewMut<'a, T: Element, Dev: Device> {
    pub(crate) ptr: Dev::Ptr<T>,
    pub(crate) device: &'a Dev,
    pub(crate) data: PhantomData<&'a mut [T]>,
}

impl<'a, T: Element, Dev: Device> View<'a, T, Dev> {
    /// Returns the memory of a slice, or `None` if the device is not the host.
    pub(crate) fn of_slice(elements: &'a [T], device: &Dev) -> Option<Self> {
        let same = Same::of(&Cpu, device)?;
        let device = (&Cpu as &'static dyn Any).downcast_ref()?;
        Some(View { ptr: same.ptr(Cpu::slice_ptr(elements)), device, data: PhantomData })
    }
}

/// Memory of elements that a caller lends as a slice: borrowed if the device can access them there, otherwise a copy.
#[derive(Debug)]
pub enum LentData<'a, T: Element, Dev: Device> {
    /// The caller's memory.
    Borrowed(View<'a, T, Dev>),
    /// A copy on the device.
    Copied(OwnedData<T, Dev>),
}

impl<T: Element, Dev: Device> Clone for View<'_, T, Dev> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element, Dev: Device> Copy for View<'_, T, Dev> {}

mod sealed {
    pub trait Sealed<T, Dev> {}
}
impl<T: Element, Dev: Device> sealed::Sealed<T, Dev> for OwnedData<T, Dev> {}
impl<T: Element, Dev: Device> sealed::Sealed<T, Dev> for View<'_, T, Dev> {}
impl<T: Element, Dev: Device> sealed::Sealed<T, Dev> for ViewMut<'_, T, Dev> {}
impl<T: Element, Dev: Device> sealed::Sealed<T, Dev> for LentData<'_, T, Dev> {}

/// Memory that tensors can be read from: owned or borrowed. Sealed.
pub trait Storage<T: Element, Dev: Device>: sealed::Sealed<T, Dev> + Sized {
    /// Whether the tensor owns its memory.
    const OWNED: bool;
    #[doc(hidden)]
    const MUTABLE: bool;
    /// The storage of a read-only view of a tensor with this storage. If the tensor is itself a read-only view, the new view has the same
    /// lifetime. Otherwise, the new view borrows the tensor.
    type Shared<'b>: BorrowedStorage<T, Dev> + Copy + Send + Sync
    where
        Self: 'b;
    #[doc(hidden)]
    fn ptr(&self) -> Dev::Ptr<T>;
    #[doc(hidden)]
    fn device(&self) -> &Dev;
    #[doc(hidden)]
    fn share(&self) -> Self::Shared<'_>;
    /// Returns the buffer of an owned tensor and its device, to be reused for a result; `None` for a view.
    #[doc(hidden)]
    fn into_buffer(self) -> Option<(Dev::Buffer<T>, Dev)>;
}

/// Memory that tensors can be written to: owned or mutably borrowed. Sealed.
#[diagnostic::on_unimplemented(
    message = "a `TensorView` cannot be written to",
    label = "this view is read-only",
    note = "take a mutable view of the tensor instead: `.view_mut()`, `.slice_mut(..)`, `.index_axis_mut(..)`",
    note = "as an argument, a mutable view is a `TensorViewMut`; in generic code, bound the storage: `S: StorageMut<T, Dev>`"
)]
pub trait StorageMut<T: Element, Dev: Device>: Storage<T, Dev> {
    #[doc(hidden)]
    fn share_mut(&mut self) -> ViewMut<'_, T, Dev>;
}

/// Memory of a view, whose first element may be anywhere in the borrowed memory. Sealed.
pub trait BorrowedStorage<T: Element, Dev: Device>: Storage<T, Dev> {
    #[doc(hidden)]
    fn moved(self, elements: isize) -> Self;
}

impl<T: Element, Dev: Device> Storage<T, Dev> for OwnedData<T, Dev> {
    const OWNED: bool = true;
    const MUTABLE: bool = true;
    type Shared<'b> = View<'b, T, Dev>;
    fn ptr(&self) -> Dev::Ptr<T> {
        Dev::ptr(&self.buffer)
    }
    fn device(&self) -> &Dev {
        &self.device
    }
    fn share(&self) -> View<'_, T, Dev> {
        View { ptr: Dev::ptr(&self.buffer), device: &self.device, data: PhantomData }
    }
    fn into_buffer(self) -> Option<(Dev::Buffer<T>, Dev)> {
        Some((self.buffer, self.device))
    }
}
#[diagnostic::do_not_recommend]
impl<T: Element, Dev: Device> StorageMut<T, Dev> for OwnedData<T, Dev> {
    fn share_mut(&mut self) -> ViewMut<'_, T, Dev> {
        ViewMut { ptr: Dev::ptr_mut(&mut self.buffer), device: &self.device, data: PhantomData }
    }
}

impl<'a, T: Element, Dev: Device> Storage<T, Dev> for View<'a, T, Dev> {
    const OWNED: bool = false;
    const MUTABLE: bool = false;
    type Shared<'b>
        = View<'a, T, Dev>
    where
        Self: 'b;
    fn ptr(&self) -> Dev::Ptr<T> {
        self.ptr
    }
    fn device(&self) -> &Dev {
        self.device
    }
    fn share(&self) -> View<'a, T, Dev> {
        *self
    }
    fn into_buffer(self) -> Option<(Dev::Buffer<T>, Dev)> {
        None
    }
}
impl<T: Element, Dev: Device> BorrowedStorage<T, Dev> for View<'_, T, Dev> {
    fn moved(self, elements: isize) -> Self {
        View { ptr: Dev::offset(self.ptr, elements), ..self }
    }
}

impl<'a, T: Element, Dev: Device> Storage<T, Dev> for ViewMut<'a, T, Dev> {
    const OWNED: bool = false;
    const MUTABLE: bool = true;
    type Shared<'b>
        = View<'b, T, Dev>
    where
        Self: 'b;
    fn ptr(&self) -> Dev::Ptr<T> {
        self.ptr
    }
    fn device(&self) -> &Dev {
        self.device
    }
    fn share(&self) -> View<'_, T, Dev> {
        View { ptr: self.ptr, device: self.device, data: PhantomData }
    }
    fn into_buffer(self) -> Option<(Dev::Buffer<T>, Dev)> {
        None
    }
}
#[diagnostic::do_not_recommend]
impl<T: Element, Dev: Device> StorageMut<T, Dev> for ViewMut<'_, T, Dev> {
    fn share_mut(&mut self) -> ViewMut<'_, T, Dev> {
        ViewMut { ptr: self.ptr, device: self.device, data: PhantomData }
    }
}
impl<T: Element, Dev: Device> BorrowedStorage<T, Dev> for ViewMut<'_, T, Dev> {
    fn moved(self, elements: isize) -> Self {
        ViewMut { ptr: Dev::offset(self.ptr, elements), ..self }
    }
}

impl<T: Element, Dev: Device> Storage<T, Dev> for LentData<'_, T, Dev> {
    // `false` even for `LentData::Copied`: results do not reuse the buffer of the copy.
    const OWNED: bool = false;
    const MUTABLE: bool = false;
    type Shared<'b>
        = View<'b, T, Dev>
    where
        Self: 'b;
    fn ptr(&self) -> Dev::Ptr<T> {
        match self {
            LentData::Borrowed(view) => view.ptr(),
            LentData::Copied(data) => data.ptr(),
        }
    }
    fn device(&self) -> &Dev {
        match self {
            LentData::Borrowed(view) => view.device,
            LentData::Copied(data) => &data.device,
        }
    }
    fn share(&self) -> View<'_, T, Dev> {
        match self {
            LentData::Borrowed(view) => *view,
            LentData::Copied(data) => data.share(),
        }
    }
    fn into_buffer(self) -> Option<(Dev::Buffer<T>, Dev)> {
        None
    }
}
