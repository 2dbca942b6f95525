//! Conversion from and to the memory of dynamic tensors.

use super::{Tensor, TensorView, TensorViewMut};
use crate::device::Device;
use crate::element::Element;
use crate::layout::Layout;
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::storage::{BorrowedStorage, OwnedData, Storage, StorageMut};
use core::marker::PhantomData;

impl<T: Element, D: Dim, O: Order, Dev: Device> Tensor<T, D, O, Dev> {
    /// Returns the memory of an owned tensor.
    pub(crate) fn data(&self) -> &OwnedData<T, Dev> {
        &self.storage
    }

    /// Returns the memory of an owned tensor. The caller may write elements, but must not replace the buffer by one of another length.
    pub(crate) fn data_mut(&mut self) -> &mut OwnedData<T, Dev> {
        &mut self.storage
    }

    /// Consumes an owned tensor and returns its memory.
    pub(crate) fn into_data(self) -> OwnedData<T, Dev> {
        self.storage
    }
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TensorView<'a, T, D, O, Dev> {
    /// Returns a view of the elements that a layout addresses in a buffer. The rank of the layout must be `D`.
    ///
    /// # Panics
    /// If the layout addresses elements outside of the buffer.
    #[inline]
    pub(crate) fn of_data(data: &'a OwnedData<T, Dev>, layout: &Layout) -> Self {
        let (shape, strides) = (layout.typed_shape::<D>(), layout.typed_strides::<D>());
        elements::<_, O, _, _>(data.share(), Dev::len(&data.buffer)).with_axes(
            shape,
            strides,
            layout.offset(),
        )
    }
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TensorViewMut<'a, T, D, O, Dev> {
    /// Returns a mutable view of the elements that a layout addresses in a buffer. The rank of the layout must be `D`.
    ///
    /// # Panics
    /// If the layout addresses elements outside of the buffer, or one element by two indices.
    #[inline]
    pub(crate) fn of_data_mut(data: &'a mut OwnedData<T, Dev>, layout: &Layout) -> Self {
        let (shape, strides) = (layout.typed_shape::<D>(), layout.typed_strides::<D>());
        let len = Dev::len(&data.buffer);
        elements::<_, O, _, _>(data.share_mut(), len).with_axes(shape, strides, layout.offset())
    }
}

/// Returns a view of all `len` elements of a borrowed buffer.
fn elements<T: Element, O: Order, Dev: Device, S: BorrowedStorage<T, Dev>>(
    storage: S,
    len: usize,
) -> Tensor<T, Rank<1>, O, Dev, S> {
    Tensor { storage, shape: [len], strides: [1], marker: PhantomData }
}
