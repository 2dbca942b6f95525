//! Views of views, and views of slices.

use super::Tensor;
#[cfg(feature = "safetensors")]
use super::TensorView;
#[cfg(feature = "safetensors")]
use crate::device::Cpu;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::layout::axes::{Axes, AxesMut};
#[cfg(feature = "safetensors")]
use crate::layout::{contiguous_strides, element_count};
use crate::order::Order;
use crate::rank::{Dim, Rank, check_rank, shape_of};
use crate::storage::{BorrowedStorage, LentData, Storage, View};
use core::marker::PhantomData;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: BorrowedStorage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the view with these axes, whose first element is `offset` elements from this view's. The axes must be derived from
    /// this view's axes by the methods of [`Axes`].
    ///
    /// # Panics
    /// If the axes address elements outside of the view or, for a mutable view, one element by two indices.
    #[inline]
    pub(crate) fn with_axes<E: Dim, P: Order>(
        self,
        shape: E::Shape,
        strides: E::Strides,
        offset: isize,
    ) -> Tensor<T, E, P, Dev, S> {
        let axes = Axes::new(shape.as_ref(), strides.as_ref());
        assert!(axes.within(offset, self.axes()), "the view addresses elements outside of the tensor");
        if S::MUTABLE {
            assert!(axes.is_non_overlapping(), "two indices of a mutable view address the same element");
        }
        Tensor { storage: self.storage.moved(offset), shape, strides, marker: PhantomData }
    }

    /// Returns the same view with memory order `P`.
    #[inline]
    pub(crate) fn in_order<P: Order>(self) -> Tensor<T, D, P, Dev, S> {
        Tensor { storage: self.storage, shape: self.shape, strides: self.strides, marker: PhantomData }
    }

    /// Returns the transpose of the view, with memory order `P`.
    #[inline]
    pub(crate) fn transposed<P: Order>(mut self) -> Tensor<T, D, P, Dev, S> {
        self.shape.as_mut().reverse();
        self.strides.as_mut().reverse();
        self.in_order()
    }

    /// Calls `write`, a method of [`Axes`], with the view's axes and `rank` axes to fill in. Returns the view that the filled-in axes
    /// describe. `write` returns the offset of the first element of the returned view.
    ///
    /// # Errors
    /// If no tensor of rank `E` has `rank` axes, or if `write` returns an error.
    #[inline]
    pub(crate) fn derive<E: Dim, P: Order>(
        self,
        rank: usize,
        write: impl FnOnce(Axes<'_>, AxesMut<'_>) -> Result<isize, Error>,
    ) -> Result<Tensor<T, E, P, Dev, S>, Error> {
        check_rank::<E>(rank)?;
        let (mut shape, mut strides) = (E::shape(rank), E::strides(rank));
        let offset = write(self.axes(), AxesMut::new(shape.as_mut(), strides.as_mut()))?;
        Ok(self.with_axes(shape, strides, offset))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the same tensor as one of rank `E`.
    ///
    /// # Panics
    /// If no tensor of rank `E` has this number of axes.
    #[inline]
    pub(crate) fn with_rank<E: Dim>(self) -> Tensor<T, E, O, Dev, S> {
        let mut strides = E::strides(self.rank());
        strides.as_mut().copy_from_slice(self.strides.as_ref());
        let shape = shape_of::<E>(self.shape.as_ref());
        Tensor { storage: self.storage, shape, strides, marker: PhantomData }
    }
}

#[cfg(feature = "fft")]
impl<T: Element, D: Dim, O: Order, Dev: Device, S: BorrowedStorage<T, Dev> + Copy> Tensor<T, D, O, Dev, S> {
    /// Copies the view (not its elements).
    pub(crate) fn copy_view(&self) -> Self {
        Tensor { storage: self.storage, shape: self.shape, strides: self.strides, marker: PhantomData }
    }
}

#[cfg(feature = "safetensors")]
impl<'a, T: Element, D: Dim, O: Order> TensorView<'a, T, D, O> {
    /// Returns a view of a slice, whose length must be the shape's number of elements. The elements are in memory order.
    pub(crate) fn of_slice(elements: &'a [T], shape: D::Shape) -> Self {
        assert_eq!(
            element_count(shape.as_ref(), size_of::<T>()),
            Ok(elements.len()),
            "the slice has as many elements as its shape"
        );
        let mut strides = D::strides(shape.as_ref().len());
        contiguous_strides(shape.as_ref(), strides.as_mut(), O::ROW_MAJOR);
        let storage = View { ptr: Cpu::slice_ptr(elements), device: &Cpu, data: PhantomData };
        Tensor { storage, shape, strides, marker: PhantomData }
    }
}

impl<'a, T: Element, O: Order, Dev: Device> Tensor<T, Rank<1>, O, Dev, LentData<'a, T, Dev>> {
    /// Returns a vector of the elements of a slice, or `None` if the device is not the host. The elements are not copied.
    pub(crate) fn of_lent(elements: &'a [T], device: &Dev) -> Option<Self> {
        let storage = LentData::Borrowed(View::of_slice(elements, device)?);
        Some(Tensor { storage, shape: [elements.len()], strides: [1], marker: PhantomData })
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device> Tensor<T, D, O, Dev> {
    /// Converts the storage of the tensor to [`LentData::Copied`].
    pub(crate) fn into_copied<'a>(self) -> Tensor<T, D, O, Dev, LentData<'a, T, Dev>> {
        let Tensor { storage, shape, strides, marker } = self;
        Tensor { storage: LentData::Copied(storage), shape, strides, marker }
    }
}
