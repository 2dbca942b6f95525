//! The erased tensor: storage, a layout, and the order as a value.

use super::storage::{DynData, DynDataMut, DynStorage, typed, typed_mut};
use crate::device::{Device, Operand, Output};
use crate::element::{DType, Element};
use crate::error::Error;
use crate::layout::Layout;
use crate::order::MemoryOrder;
use crate::storage::OwnedData;

/// A tensor of any element type, rank (0 to 16), order and device.
///
/// An owned one is dense in its order, as a typed one is. The type parameter says who owns the memory; [`DynView`] and
/// [`DynViewMut`] borrow it and have strides of any sign and size. Views of views, permutations, slices and diagonals are free;
/// results of computations are owned tensors.
///
/// ```
/// use vierbein::prelude::*;
/// use vierbein::{DType, DynTensor, MemoryOrder};
///
/// let x = DynTensor::from(tensor![[1.0, 2.0], [3.0, 4.0]]);                 // free
/// assert_eq!((x.dtype(), x.rank(), x.shape()), (DType::F64, 2, &[2, 2][..]));
/// assert_eq!((x.order(), x.device_name()), (MemoryOrder::RowMajor, "Cpu".to_string()));
///
/// let y: Tensor<f64, Rank<2>> = x.downcast()?;                              // free, too
/// let error = DynTensor::from(y).downcast::<f32, Rank<2>, RowMajor, Cpu>().unwrap_err();
/// assert!(error.to_string().contains("convert it first: `.to_dtype(DType::F32)`"));
/// let kept = error.into_inner();                                            // nothing is lost
/// assert_eq!(kept.len(), 4);
/// # Ok::<(), vierbein::Error>(())
/// ```
pub struct DynTensor<S = Box<dyn DynStorage>> {
    storage: S,
    layout: Layout,
    order: MemoryOrder,
}

/// A [`DynTensor`] that borrows its elements to read them. `Copy`.
///
/// Made of a `&DynTensor` or of a typed `&Tensor`, for free:
///
/// ```
/// use vierbein::{DynView, tensor};
/// fn count(x: DynView<'_>) -> usize {
///     x.len()
/// }
/// assert_eq!(count(DynView::from(&tensor![[1, 2], [3, 4]])), 4);
/// ```
pub type DynView<'a> = DynTensor<&'a dyn DynStorage>;

/// A [`DynTensor`] that borrows its elements to change them.
///
/// ```
/// use vierbein::{DynTensor, s, tensor};
/// let mut x = DynTensor::from(tensor![1, 2, 3]);
/// x.slice_mut(s![1..])?.fill(0)?;
/// assert_eq!(x.downcast_ref()?, tensor![1, 0, 0]);
/// # Ok::<(), vierbein::Error>(())
/// ```
pub type DynViewMut<'a> = DynTensor<&'a mut dyn DynStorage>;

/// A view of a [`DynTensor`] that is held as `S`: it borrows from the owner, or for as long as the view that it is made of.
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

    /// The layout whose row-major enumeration is the tensor's own: its axes, reversed for column-major.
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

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// The length of each axis.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// How far apart neighbours along each axis lie, in elements.
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// The order in which elements are enumerated, and in which an owned tensor is dense. Of ranks 0 and 1 both are the same, and
    /// such tensors combine with those of either order.
    pub fn order(&self) -> MemoryOrder {
        self.order
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.shape().iter().product()
    }

    /// Whether there are no elements: an axis has length 0.
    pub fn is_empty(&self) -> bool {
        self.shape().contains(&0)
    }

    /// Whether the elements lie side by side in the sequence of the tensor's order. Owned tensors always do.
    pub fn is_contiguous(&self) -> bool {
        self.layout.is_dense(self.order.is_row_major())
    }
}

impl<S: DynData> DynTensor<S> {
    /// Storage behind a layout. That of an owned tensor is contiguous in its memory order.
    ///
    /// # Panics
    /// If the layout addresses elements outside of the storage.
    pub(crate) fn of(storage: S, layout: Layout, order: MemoryOrder) -> Self {
        assert!(layout.fits(storage.data().len()), "the layout addresses elements outside of the storage");
        DynTensor { storage, layout, order }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.storage.data().dtype()
    }

    /// The name of the device that holds the elements.
    pub fn device_name(&self) -> String {
        self.storage.data().device_name()
    }

    /// The device that holds the elements, if it is a `Dev`.
    ///
    /// ```
    /// use vierbein::{Cpu, Cuda, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1]);
    /// assert_eq!((x.device::<Cpu>(), x.device::<Cuda>()), (Some(&Cpu), None));
    /// ```
    pub fn device<Dev: Device>(&self) -> Option<&Dev> {
        self.storage.data().device().downcast_ref()
    }

    /// A view of the whole tensor. A view of a view borrows for as long as that one.
    pub fn view(&self) -> DynViewOf<'_, S> {
        DynTensor::of(self.storage.share(), self.layout, self.order)
    }

    /// The same view, whoever owns the memory.
    pub(crate) fn look(&self) -> DynView<'_> {
        DynTensor::of(self.storage.data(), self.layout, self.order)
    }

    /// A mutable view of the whole tensor.
    pub fn view_mut(&mut self) -> DynViewMut<'_>
    where
        S: DynDataMut,
    {
        DynTensor::of(self.storage.data_mut(), self.layout, self.order)
    }
}

impl<'a> DynView<'a> {
    /// The same borrow behind a layout that is derived from this one's.
    #[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
    pub(crate) fn behind(self, layout: Layout) -> Self {
        DynTensor::of(self.storage, layout, self.order)
    }

    /// The operand that kernels read, if the element type and the device are these.
    pub(crate) fn operand<T: Element, Dev: Device>(&self) -> Option<Operand<'_, T, Dev>> {
        Some(typed::<T, Dev>(self.storage)?.operand(&self.layout))
    }
}

impl DynViewMut<'_> {
    /// The output that kernels write, and the device, if the element type and the device are these.
    pub(crate) fn output<T: Element, Dev: Device>(&mut self) -> Option<(Output<'_, T, Dev>, Dev)> {
        let data = typed_mut::<T, Dev>(self.storage)?;
        let device = data.device.clone();
        Some((data.output(&self.layout), device))
    }
}

impl DynTensor {
    /// A tensor of a buffer that holds exactly the shape's elements, dense in the order.
    pub(crate) fn dense<T: Element, Dev: Device>(
        data: OwnedData<T, Dev>,
        shape: &[usize],
        order: MemoryOrder,
    ) -> DynTensor {
        assert_eq!(
            Dev::len(&data.buffer),
            shape.iter().product::<usize>(),
            "a buffer holds what its shape says"
        );
        DynTensor::of(Box::new(data), Layout::dense(shape, order.is_row_major()), order)
    }

    /// A copy of the elements.
    ///
    /// # Errors
    /// Where the device has no memory left.
    pub fn try_clone(&self) -> Result<DynTensor, Error> {
        self.to_owned()
    }
}

impl Clone for DynTensor {
    /// A copy of the elements.
    ///
    /// # Panics
    /// Where the device has no memory left; [`try_clone`](DynTensor::try_clone) returns the error.
    #[track_caller]
    fn clone(&self) -> DynTensor {
        crate::error::expect(self.try_clone())
    }
}

impl<S: DynData, S2: DynData> PartialEq<DynTensor<S2>> for DynTensor<S> {
    /// Whether both have the same element type, device and shape, and the same elements at each index, in whatever order they
    /// lie. NaN equals nothing, and neither do elements that a device fails to read, or that the host has no memory for beside.
    fn eq(&self, other: &DynTensor<S2>) -> bool {
        self.shape() == other.shape()
            && self.storage.data().equal(&self.layout, other.storage.data(), &other.layout)
    }
}
