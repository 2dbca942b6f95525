//! The tensor: one struct for owned tensors and views. Its fifth type parameter, the storage, distinguishes them.

mod access;
mod as_view;
mod data;
mod foreign;
mod iter;
mod parts;
mod same_types;
mod views;

pub(crate) use access::not_an_index;
pub use access::{IndexArray, TensorIndex};
pub use as_view::AsView;
pub use iter::{Iter, IterMut};
pub use parts::{AxisIterMut, LanesMut};

use crate::device::into_output::By;
use crate::device::wide::{self, is_wide};
use crate::device::{Cpu, Device, IntoOutput, OnDevice, Operand, Output};
use crate::element::Element;
use crate::error::{Error, unwrap_or_panic};
use crate::layout::axes::Axes;
use crate::layout::{Layout, contiguous_strides, element_count};
use crate::order::{Order, RowMajor};
use crate::rank::{Dim, check_axis_count};
use crate::storage::{OwnedData, Storage, StorageMut, View, ViewMut};
use core::marker::PhantomData;

/// A tensor of elements `T`, rank `D`, memory order `O`, on device `Dev`.
///
/// The fifth parameter is the storage. With the default, the tensor owns its memory and is *contiguous in its memory order*: its layout
/// never makes `as_slice`, `into_vec` or `reshape` copy or fail. The other two storages are those of [`TensorView`] and
/// [`TensorViewMut`]. These views borrow their memory and have strides of any sign and size; their `O` is the order in which elements
/// are iterated.
///
/// Functions take views by value, as string functions take `&str`:
///
/// ```
/// use vierbein::prelude::*;
///
/// fn spread<T: RealScalar, D: Dim, O: Order, Dev: Backend<T>>(x: TensorView<'_, T, D, O, Dev>) -> T {
///     x.max().item() - x.min().item()
/// }
///
/// let x = tensor![[1.0, 5.0], [2.0, -1.0]];
/// assert_eq!(spread(x.view()), 6.0);
/// assert_eq!(spread(x.index_axis(0, 0)), 4.0);
/// ```
#[must_use = "operations return new tensors and views; to write into an existing tensor, use `assign` or a method with `_inplace` or `_into` in \
its name"]
pub struct Tensor<T: Element, D: Dim, O: Order = RowMajor, Dev: Device = Cpu, S = OwnedData<T, Dev>> {
    storage: S,
    shape: D::Shape,
    strides: D::Strides,
    marker: PhantomData<(T, O, Dev)>,
}

/// A tensor that borrows its elements to read them. `Copy`.
///
/// ```
/// use vierbein::prelude::*;
/// fn diagonal_sum(x: TensorView<'_, f64, Rank<2>>) -> f64 {
///     x.trace(0, 1).item()
/// }
/// assert_eq!(diagonal_sum(Tensor::eye(3).view()), 3.0);
/// ```
pub type TensorView<'a, T, D, O = RowMajor, Dev = Cpu> = Tensor<T, D, O, Dev, View<'a, T, Dev>>;

/// A tensor that borrows its elements mutably. Not `Copy`; reborrow it with [`view_mut`](Tensor::view_mut).
///
/// ```
/// use vierbein::prelude::*;
/// fn clear(mut x: TensorViewMut<'_, f64, Rank<1>>) {
///     x.fill(0.0);
/// }
/// let mut x: Tensor<f64, Rank<2>> = Tensor::ones([2, 2]);
/// clear(x.index_axis_mut(0, 1));
/// assert_eq!(x, tensor![[1.0, 1.0], [0.0, 0.0]]);
/// ```
pub type TensorViewMut<'a, T, D, O = RowMajor, Dev = Cpu> = Tensor<T, D, O, Dev, ViewMut<'a, T, Dev>>;

/// A view of a tensor with storage `S`. A view of a [`TensorView`] has the same lifetime parameter. Any other view borrows the tensor.
pub type ViewOf<'b, T, D, O, Dev, S> = Tensor<T, D, O, Dev, <S as Storage<T, Dev>>::Shared<'b>>;

// ------------------------------------------------------------------ allocation, tensors from buffers

impl<T: Element, D: Dim, O: Order, Dev: Device> Tensor<T, D, O, Dev> {
    /// Allocates a tensor of unspecified elements. The caller must write all of them before it returns the tensor to other code.
    // Always inlined, like the buffer's own allocation. A call would return the `Result` through memory, and the tensor in it would be
    // stored in parts and loaded as a whole. That defeats store forwarding, and the stall takes longer than a small operation.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn allocate(shape: D::Shape, device: Dev) -> Result<Self, Error> {
        let len = element_count(shape.as_ref(), size_of::<T>())?;
        // SAFETY: the documentation above requires that callers write every element before any is read. A caller that returns an error
        // drops the tensor instead.
        let buffer = unsafe { device.alloc_for_overwrite(len)? };
        Ok(Tensor::contiguous(buffer, shape, device))
    }

    /// Allocates a tensor and calls `write`, which must write all of its elements or return an error.
    ///
    /// # Errors
    /// If the shape exceeds the address space, the allocation fails, or `write` returns an error.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn allocate_with(
        shape: D::Shape,
        device: Dev,
        write: impl FnOnce(Output<'_, T, Dev>, &Dev) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        Tensor::computed(shape, device, By(write))
    }

    /// Variant of [`allocate_with`](Tensor::allocate_with) for a computation that is always inlined.
    ///
    /// # Errors
    /// If the shape exceeds the address space, the allocation fails, or `work` returns an error.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn computed(
        shape: D::Shape,
        device: Dev,
        work: impl IntoOutput<T, Dev>,
    ) -> Result<Self, Error> {
        if const { matches!(D::NDIM, Some(0)) } {
            // SAFETY: `work` writes all elements of the result or returns an error, as `allocate_with` documents. `device.one` requires
            // this.
            let buffer = unsafe { device.one(work)? };
            return Ok(Tensor::contiguous(buffer, shape, device));
        }
        let mut out = Self::allocate(shape, device)?;
        // Neither borrows nor copies the shape and the strides in `out`. The compiler would then keep `out` in memory, store it in parts and
        // load it as a whole, which takes longer: see `allocate`.
        let mut strides = D::strides(shape.as_ref().len());
        contiguous_strides(shape.as_ref(), strides.as_mut(), O::ROW_MAJOR);
        let ViewMut { ptr, device, .. } = out.storage.share_mut();
        // SAFETY: `out` is contiguous, so different indices within the shape address different elements of its buffer. Its storage is
        // mutably borrowed, so nothing else accesses or frees them.
        let output = unsafe { Output::from_raw(ptr, shape.as_ref(), strides.as_ref()) };
        work.write(output, device)?;
        Ok(out)
    }

    /// Makes a tensor from a buffer that holds exactly the shape's elements, contiguous in memory order.
    ///
    /// # Panics
    /// If the buffer has another number of elements.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn contiguous(buffer: Dev::Buffer<T>, shape: D::Shape, device: Dev) -> Self {
        let mut strides = D::strides(shape.as_ref().len());
        contiguous_strides(shape.as_ref(), strides.as_mut(), O::ROW_MAJOR);
        // Views and kernels rely on the number of elements, and a third-party device may have made the buffer. Not `assert_eq`, which
        // spills both values to memory.
        let len: usize = shape.as_ref().iter().product();
        assert!(Dev::len(&buffer) == len, "a buffer has as many elements as its shape");
        Tensor { storage: OwnedData { buffer, device }, shape, strides, marker: PhantomData }
    }

    /// Returns the buffer of an owned tensor and its device.
    pub(crate) fn into_parts(self) -> (Dev::Buffer<T>, Dev) {
        (self.storage.buffer, self.storage.device)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device> Clone for Tensor<T, D, O, Dev> {
    /// Copies the elements to a new tensor.
    ///
    /// # Panics
    /// If the device allocation fails; [`try_clone`](Tensor::try_clone) returns the error.
    #[inline]
    #[track_caller]
    fn clone(&self) -> Self {
        unwrap_or_panic(self.try_clone())
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device> Tensor<T, D, O, Dev> {
    /// Copies the elements to a new tensor.
    ///
    /// # Errors
    /// If the device allocation fails.
    ///
    /// ```
    /// let x = vierbein::tensor![1, 2];
    /// assert_eq!(x.try_clone()?, x);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    // Always inlined, for the reason given at `Tensor::allocate`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn try_clone(&self) -> Result<Self, Error> {
        let buffer = self.device().duplicate(&self.storage.buffer)?;
        Ok(Tensor::contiguous(buffer, self.shape, self.device().clone()))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device> Clone for TensorView<'_, T, D, O, Dev> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element, D: Dim, O: Order, Dev: Device> Copy for TensorView<'_, T, D, O, Dev> {}

// ------------------------------------------------------------------ properties, views and operands of every tensor

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the extent of each axis.
    ///
    /// ```
    /// let x = vierbein::tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.shape(), [2, 3]);
    /// ```
    #[inline]
    #[must_use]
    pub fn shape(&self) -> D::Shape {
        self.shape
    }

    /// Returns the stride of each axis, in elements.
    ///
    /// ```
    /// let x = vierbein::tensor![[1, 2, 3], [4, 5, 6]];
    /// assert_eq!(x.strides(), [3, 1]);
    /// assert_eq!(x.t().strides(), [1, 3]);
    /// ```
    #[inline]
    #[must_use]
    pub fn strides(&self) -> D::Strides {
        self.strides
    }

    /// Returns the number of axes, `self.rank()`.
    ///
    /// ```
    /// assert_eq!(vierbein::tensor![[1, 2], [3, 4]].rank(), 2);
    /// ```
    #[doc(alias = "ndim")]
    #[inline]
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.as_ref().len()
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// assert_eq!(vierbein::tensor![[1, 2], [3, 4]].len(), 4);
    /// ```
    #[doc(alias = "numel")]
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.as_ref().iter().product()
    }

    /// Returns `true` if the tensor has zero elements: an axis has extent 0.
    ///
    /// ```
    /// use vierbein::Tensor;
    /// assert!(Tensor::<f64, _>::zeros([3, 0]).is_empty());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape.as_ref().contains(&0)
    }

    /// Returns the device that holds the elements.
    ///
    /// ```
    /// use vierbein::{Cpu, tensor};
    /// assert_eq!(tensor![1].device(), &Cpu);
    /// ```
    #[inline]
    #[must_use]
    pub fn device(&self) -> &Dev {
        self.storage.device()
    }

    /// Returns `true` if the tensor is contiguous in its memory order. Owned tensors always are.
    ///
    /// ```
    /// let x = vierbein::tensor![[1, 2], [3, 4]];
    /// assert!(x.is_contiguous());
    /// assert!(!x.t().is_contiguous());
    /// ```
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        self.axes().is_contiguous(O::ROW_MAJOR)
    }

    /// Returns a view of the whole tensor. A view of a [`TensorView`] has the lifetime of that view, not of the borrow.
    ///
    /// ```
    /// let x = vierbein::tensor![1, 2, 3];
    /// assert_eq!(x.view().sum().item(), 6);
    /// ```
    #[inline]
    pub fn view(&self) -> ViewOf<'_, T, D, O, Dev, S> {
        Tensor {
            storage: self.storage.share(),
            shape: self.shape,
            strides: self.strides,
            marker: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn axes(&self) -> Axes<'_> {
        Axes::new(self.shape.as_ref(), self.strides.as_ref())
    }

    /// Returns shape and strides as a layout.
    ///
    /// # Panics
    /// If the tensor has more than 16 axes.
    #[track_caller]
    pub(crate) fn layout(&self) -> Layout {
        if is_wide!(D, self.rank()) {
            unwrap_or_panic(check_axis_count("make a dynamic tensor", self.shape().as_ref()));
        }
        Layout::new(self.shape.as_ref(), self.strides.as_ref())
    }

    /// Returns the layout whose row-major iteration order is the tensor's memory order. It has the axes of the tensor, in reverse order if
    /// the tensor is column-major.
    pub(crate) fn enumeration(&self) -> Layout {
        if O::ROW_MAJOR { self.layout() } else { self.layout().reverse_axes() }
    }

    /// Calls `f` with an operand whose row-major order is the tensor's memory order. The operand has at most 16 axes: if the tensor has more,
    /// they are fused, or the elements are copied.
    ///
    /// # Errors
    /// If the elements cannot be copied, or the error of `f`.
    pub(crate) fn in_memory_order<V>(
        &self,
        f: impl FnOnce(Operand<'_, T, Dev>) -> Result<V, Error>,
    ) -> Result<V, Error> {
        if is_wide!(D, self.rank()) {
            let all = self.view().in_order::<RowMajor>();
            let all = if O::ROW_MAJOR { all } else { all.transposed() };
            return wide::in_row_major_order(self.device(), all.operand(), f);
        }
        let layout = self.enumeration();
        f(self.operand_in(&layout))
    }

    /// Returns the operand that kernels read, without the rank in its type.
    #[inline]
    pub(crate) fn operand(&self) -> Operand<'_, T, Dev> {
        // SAFETY: every index within a tensor's shape addresses an initialised element of its storage, which owns or borrows it.
        // `self` is borrowed for the operand's lifetime, so nothing writes to the elements or frees them.
        unsafe { Operand::from_raw(self.storage.ptr(), self.shape.as_ref(), self.strides.as_ref()) }
    }

    /// Returns the tensor as an operand of a product, not conjugated, and its device.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn on_device(&self) -> OnDevice<'_, T, Dev> {
        (self.operand().into(), self.device())
    }

    /// Returns the operand with another layout, which must be derived from this tensor's.
    ///
    /// # Panics
    /// If the layout addresses elements outside of the tensor.
    #[inline]
    pub(crate) fn operand_in<'b>(&'b self, layout: &'b Layout) -> Operand<'b, T, Dev> {
        self.operand_with_axes(layout.axes(), layout.offset())
    }

    /// Returns the operand with these axes, whose first element is `offset` elements from this tensor's. The axes must be
    /// derived from this tensor's axes by the methods of [`Axes`].
    ///
    /// # Panics
    /// If the axes address elements outside of the tensor.
    #[inline]
    pub(crate) fn operand_with_axes<'b>(&'b self, axes: Axes<'b>, offset: isize) -> Operand<'b, T, Dev> {
        self.operand().with_axes(axes, offset)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns a mutable view of the whole tensor.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2, 3];
    /// x.view_mut().fill(7);
    /// assert_eq!(x, vierbein::tensor![7, 7, 7]);
    /// ```
    #[inline]
    pub fn view_mut(&mut self) -> TensorViewMut<'_, T, D, O, Dev>
    where
        S: StorageMut<T, Dev>,
    {
        Tensor {
            storage: self.storage.share_mut(),
            shape: self.shape,
            strides: self.strides,
            marker: PhantomData,
        }
    }

    /// Returns the output that kernels write, without the rank in its type, and the device.
    #[inline]
    pub(crate) fn output(&mut self) -> (Output<'_, T, Dev>, &Dev)
    where
        S: StorageMut<T, Dev>,
    {
        let ViewMut { ptr, device, .. } = self.storage.share_mut();
        // SAFETY: an index within the shape addresses an element that the storage owns or mutably borrows. `self` is mutably borrowed, so
        // nothing else accesses this element. Different indices address different elements: owned tensors are contiguous, and constructors
        // of mutable views ensure this. There is no mutable broadcast.
        let output = unsafe { Output::from_raw(ptr, self.shape.as_ref(), self.strides.as_ref()) };
        (output, device)
    }

    /// Returns the output with another layout, which must be derived from this tensor's.
    ///
    /// # Panics
    /// If the layout addresses elements outside of the tensor, or one element by two indices.
    pub(crate) fn output_in<'b>(&'b mut self, layout: &'b Layout) -> (Output<'b, T, Dev>, &'b Dev)
    where
        S: StorageMut<T, Dev>,
    {
        self.output_with_axes(layout.axes(), layout.offset())
    }

    /// Returns the output with these axes, whose first element is `offset` elements from this tensor's. The axes must be derived
    /// from this tensor's axes by the methods of [`Axes`].
    ///
    /// # Panics
    /// If the axes address elements outside of the tensor, or one element by two indices.
    #[inline]
    pub(crate) fn output_with_axes<'b>(
        &'b mut self,
        axes: Axes<'b>,
        offset: isize,
    ) -> (Output<'b, T, Dev>, &'b Dev)
    where
        S: StorageMut<T, Dev>,
    {
        let (output, device) = self.output();
        (output.with_axes(axes, offset), device)
    }
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> From<&'a Tensor<T, D, O, Dev, S>>
    for TensorView<'a, T, D, O, Dev>
{
    fn from(tensor: &'a Tensor<T, D, O, Dev, S>) -> Self {
        tensor.agree()
    }
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device, S: StorageMut<T, Dev>>
    From<&'a mut Tensor<T, D, O, Dev, S>> for TensorViewMut<'a, T, D, O, Dev>
{
    fn from(tensor: &'a mut Tensor<T, D, O, Dev, S>) -> Self {
        tensor.view_mut()
    }
}
