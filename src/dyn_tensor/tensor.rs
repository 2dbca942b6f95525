//! The dynamic tensor: type-erased storage, a layout, and the memory order as a value.

use super::storage::{DynData, DynDataMut, DynStorage};
use crate::device::Device;
use crate::element::{DType, Element};
use crate::error::Error;
use crate::layout::Layout;
use crate::order::MemoryOrder;
use crate::storage::OwnedData;

/// A tensor of any element type, rank (0 to 16), memory order and device.
///
/// The type parameter is the storage. With the default, the tensor owns its memory and is contiguous in its memory order, like an
/// owned typed tensor. [`DynView`] and [`DynViewMut`] borrow their memory and have strides of any sign and size. Views of views,
/// permutations, slices and diagonals are free; results of computations are owned tensors.
///
/// ```
/// use vierbein::prelude::*;
/// use vierbein::{DType, DynTensor, MemoryOrder};
///
/// let x = DynTensor::from(tensor![[1.0, 2.0], [3.0, 4.0]]);                 // free
/// assert_eq!((x.dtype(), x.rank(), x.shape()), (DType::F64, 2, &[2, 2][..]));
/// assert_eq!((x.order(), x.device_name()), (MemoryOrder::RowMajor, "Cpu".to_string()));
///
/// let y: Tensor<f64, Rank<2>> = x.downcast()?;                              // also free
/// let error = DynTensor::from(y).downcast::<f32, Rank<2>, RowMajor, Cpu>().unwrap_err();
/// assert!(error.to_string().contains("convert it first: `.to_dtype(DType::F32)`"));
/// let kept = error.into_inner();                                            // the unchanged tensor
/// assert_eq!(kept.len(), 4);
/// # Ok::<(), vierbein::Error>(())
/// ```
#[must_use = "operations return new tensors and views, and leave their operands unchanged"]
pub struct DynTensor<S = Box<dyn DynStorage>> {
    storage: S,
    layout: Layout,
    order: MemoryOrder,
}

/// A [`DynTensor`] that borrows its elements to read them. `Copy`.
///
/// Conversions from a `&DynTensor` or a typed `&Tensor` are free:
///
/// ```
/// use vierbein::{DynView, tensor};
/// fn count(x: DynView<'_>) -> usize {
///     x.len()
/// }
/// assert_eq!(count(DynView::from(&tensor![[1, 2], [3, 4]])), 4);
/// ```
pub type DynView<'a> = DynTensor<&'a dyn DynStorage>;

/// A [`DynTensor`] that borrows its elements mutably.
///
/// ```
/// use vierbein::{DynTensor, s, tensor};
/// let mut x = DynTensor::from(tensor![1, 2, 3]);
/// x.slice_mut(s![1..])?.fill(0)?;
/// assert_eq!(x.downcast_ref()?, tensor![1, 0, 0]);
/// # Ok::<(), vierbein::Error>(())
/// ```
pub type DynViewMut<'a> = DynTensor<&'a mut dyn DynStorage>;

/// A view of a [`DynTensor`] with storage `S`. A view of a [`DynView`] has the lifetime of that `DynView`. Other views borrow from
/// the tensor that they are made from.
pub type DynViewOf<'b, S> = DynTensor<<S as DynData>::Shared<'b>>;

impl Clone for DynView<'_> {
    fn clone(&self) -> Self {
        *self
    }
}
impl Copy for DynView<'_> {}

impl<S> DynTensor<S> {
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the tensor's layout, with reversed axes if the tensor is column-major. Row-major iteration over the returned layout
    /// is iteration in the tensor's memory order.
    pub(crate) fn enumeration(&self) -> Layout {
        if self.order.is_row_major() { self.layout } else { self.layout.reverse_axes() }
    }

    pub(crate) fn into_storage(self) -> S {
        self.storage
    }

    pub(crate) fn storage(&self) -> &S {
        &self.storage
    }

    pub(super) fn storage_mut(&mut self) -> &mut S {
        &mut self.storage
    }

    /// Returns the number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// Returns the extent of each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Returns the stride of each axis, in elements.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// Returns the memory order: the order in which elements are iterated, and in which an owned tensor is contiguous. For ranks 0
    /// and 1, both orders are the same: tensors of these ranks combine with tensors of either order.
    #[must_use]
    pub fn order(&self) -> MemoryOrder {
        self.order
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape().iter().product()
    }

    /// Returns `true` if the tensor has zero elements, because an axis has extent 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape().contains(&0)
    }

    /// Returns `true` if the tensor is contiguous in its memory order. Owned tensors always are.
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        self.layout.is_contiguous(self.order.is_row_major())
    }
}

impl<S: DynData> DynTensor<S> {
    /// Creates a tensor from its storage, layout and memory order. The layout of an owned tensor must be contiguous in that order.
    ///
    /// # Panics
    /// If the layout addresses elements outside of the storage.
    pub(crate) fn of(storage: S, layout: Layout, order: MemoryOrder) -> Self {
        assert!(layout.fits(storage.data().len()), "the layout addresses elements outside of the storage");
        DynTensor { storage, layout, order }
    }

    /// Returns the element type.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.storage.data().dtype()
    }

    /// Returns the name of the device that holds the elements.
    #[must_use]
    pub fn device_name(&self) -> String {
        self.storage.data().device_name()
    }

    /// Returns the device that holds the elements, or `None` if the device is of another type than `Dev`.
    ///
    /// ```
    /// use vierbein::{Cpu, Cuda, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1]);
    /// assert_eq!((x.device::<Cpu>(), x.device::<Cuda>()), (Some(&Cpu), None));
    /// ```
    #[must_use]
    pub fn device<Dev: Device>(&self) -> Option<&Dev> {
        self.storage.data().device().downcast_ref()
    }

    /// Returns a view of the whole tensor. A view of a [`DynView`] has the lifetime of that view.
    pub fn view(&self) -> DynViewOf<'_, S> {
        DynTensor { storage: self.storage.share(), layout: self.layout, order: self.order }
    }

    /// Returns a [`DynView`] of the whole tensor. Unlike that of [`view`](DynTensor::view), the return type does not depend on the
    /// storage.
    #[inline]
    pub(crate) fn look(&self) -> DynView<'_> {
        DynTensor { storage: self.storage.data(), layout: self.layout, order: self.order }
    }

    /// Returns a mutable view of the whole tensor.
    pub fn view_mut(&mut self) -> DynViewMut<'_>
    where
        S: DynDataMut,
    {
        DynTensor { storage: self.storage.data_mut(), layout: self.layout, order: self.order }
    }
}

impl<'a> DynView<'a> {
    /// Returns a view of the same storage with another layout, which must address elements of this view only.
    pub(crate) fn with_axes(self, layout: Layout) -> Self {
        DynTensor::of(self.storage, layout, self.order)
    }
}

impl DynTensor {
    /// Creates a tensor from a buffer, whose elements are contiguous in the memory order `order`.
    ///
    /// # Panics
    /// If the number of elements in the buffer differs from that of the shape.
    pub(crate) fn contiguous<T: Element, Dev: Device>(
        data: OwnedData<T, Dev>,
        shape: &[usize],
        order: MemoryOrder,
    ) -> DynTensor {
        assert_eq!(
            Dev::len(&data.buffer),
            shape.iter().product::<usize>(),
            "a buffer has as many elements as its shape"
        );
        DynTensor::of(Box::new(data), Layout::contiguous(shape, order.is_row_major()), order)
    }

    /// Copies the elements to a new tensor.
    ///
    /// # Errors
    /// If the device allocation fails.
    pub fn try_clone(&self) -> Result<DynTensor, Error> {
        self.to_owned()
    }
}

impl Clone for DynTensor {
    /// Copies the elements to a new tensor.
    ///
    /// # Panics
    /// If the device allocation fails; [`try_clone`](DynTensor::try_clone) returns the error.
    #[track_caller]
    fn clone(&self) -> DynTensor {
        crate::error::unwrap_or_panic(self.try_clone())
    }
}

impl<S: DynData, S2: DynData> PartialEq<DynTensor<S2>> for DynTensor<S> {
    /// Returns `true` if both tensors have the same element type, device type and shape, and equal elements at each index. The
    /// memory orders may differ. NaN does not equal NaN. Returns `false` if the elements cannot be copied to the host: a device
    /// fails to read them, or the host allocation fails.
    fn eq(&self, other: &DynTensor<S2>) -> bool {
        self.shape() == other.shape()
            && self.storage.data().equal(&self.layout, other.storage.data(), &other.layout)
    }
}
