//! Tensors made from memory that other libraries own, from raw parts (such as pointer, shape and strides), and from slices with any
//! strides. Shapes and strides are validated once, here.

use super::{Tensor, TensorView, TensorViewMut};
use crate::device::{Cpu, CpuBuffer, Device, ForeignMemory, HostAccess, HostPtr, RawMemory};
use crate::element::Element;
use crate::error::{ConversionError, Error, fallible, unwrap_or_panic};
use crate::layout::element_count;
use crate::layout::foreign::{canonicalize_strides, check_bounds, check_no_overlap, reach};
use crate::order::Order;
use crate::rank::{Dim, IntoShape};
use crate::storage::{OwnedData, Storage, StorageMut, View, ViewMut};
use core::marker::PhantomData;
use core::ptr::NonNull;

// ------------------------------------------------------------------ owned

impl<T: Element, D: Dim, O: Order> Tensor<T, D, O> {
    /// Makes a tensor from memory that another library allocated, without a copy. The elements are contiguous in the
    /// memory order `O`. When the tensor is dropped, it drops `owner`, which frees the memory.
    ///
    /// The tensor can be written to, and operations that consume it may reuse its buffer for the result. Only
    /// [`into_vec`](Tensor::into_vec) copies, as a `Vec` cannot call `owner` to free its memory. If the owner is a `Vec`, use
    /// [`from_vec`](Tensor::from_vec) instead.
    ///
    /// # Panics
    /// If the number of elements of `owner` differs from that of the shape, or if the shape exceeds the address space.
    ///
    /// ```
    /// use vierbein::{Rank, Tensor, tensor};
    /// let memory: Box<[i32]> = Box::new([1, 2, 3, 4]);
    /// let address = memory.as_ptr();
    /// let x = Tensor::<i32, _>::from_buffer([2, 2], memory);
    /// assert_eq!(x, tensor![[1, 2], [3, 4]]);
    /// assert_eq!(x.as_ptr(), address);
    /// ```
    #[track_caller]
    pub fn from_buffer<Sh: IntoShape<Dim = D>, M: ForeignMemory<T>>(shape: Sh, owner: M) -> Self {
        unwrap_or_panic(Self::try_from_buffer(shape, owner).map_err(Error::from))
    }

    /// Fallible variant of [`from_buffer`](Tensor::from_buffer).
    ///
    /// # Errors
    /// If the number of elements of `owner` differs from that of the shape, or if the shape exceeds the address space. The error holds
    /// `owner`.
    pub fn try_from_buffer<Sh: IntoShape<Dim = D>, M: ForeignMemory<T>>(
        shape: Sh,
        mut owner: M,
    ) -> Result<Self, ConversionError<M>> {
        let shape = match shape.into_shape() {
            Ok(shape) => shape,
            Err(error) => return Err(ConversionError { error, value: owner }),
        };
        let found = owner.elements().len();
        let error = match element_count(shape.as_ref(), size_of::<T>()) {
            Ok(len) if len == found => {
                return Ok(Tensor::contiguous(CpuBuffer::from_foreign(owner), shape, Cpu));
            }
            Ok(_) => Error::LengthMismatch { op: "make a tensor", shape: shape.as_ref().to_vec(), found },
            Err(error) => error,
        };
        Err(ConversionError { error, value: owner })
    }

    /// Decomposes the tensor into the address of its first element, its shape, and the handle that frees its memory. Foreign code can
    /// store these parts. The elements are contiguous in memory order, and do not move.
    ///
    /// The memory is not freed until [`from_raw_parts`](Tensor::from_raw_parts) makes a tensor from the parts. To get a plain
    /// Rust allocation, use [`into_vec`](Tensor::into_vec); to pass a tensor to another library,
    /// [`into_dlpack`](Tensor::into_dlpack).
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let (first, shape, memory) = tensor![[1, 2], [3, 4]].into_raw_parts();
    /// // SAFETY: the tensor had four elements; nothing else accesses them, and the parts are used once.
    /// let x = unsafe { *first.add(3) = 5; Tensor::<i32, _>::from_raw_parts(first, shape, memory)? };
    /// assert_eq!(x, tensor![[1, 2], [3, 5]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[must_use = "the memory is not freed before a tensor is made of the parts again"]
    pub fn into_raw_parts(self) -> (*mut T, D::Shape, RawMemory) {
        let Tensor { storage: OwnedData { buffer, .. }, shape, .. } = self;
        let (first, memory) = buffer.into_raw();
        (first.as_ptr(), shape, memory)
    }

    /// Makes a tensor from the parts that [`into_raw_parts`](Tensor::into_raw_parts) returned. The tensor owns the memory again. Its
    /// shape and memory order may differ from those of the original tensor, but the number of elements must be the same.
    ///
    /// # Errors
    /// If the address is null or not aligned, or if the shape exceeds the address space. If an error is returned, the memory is not freed.
    ///
    /// # Safety
    /// The caller must ensure that
    ///
    /// * `first` and `memory` come from the same call of [`into_raw_parts`](Tensor::into_raw_parts), of a tensor with the same
    ///   element type and number of elements;
    /// * a tensor is made from `first` and `memory` only once;
    /// * from then on, nothing else reads or writes the elements.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let (first, _, memory) = tensor![[1, 2], [3, 4]].into_raw_parts();
    /// // SAFETY: these are the parts of a tensor with four elements.
    /// let x = unsafe { Tensor::<i32, _>::from_raw_parts(first, [4], memory)? };
    /// assert_eq!(x, tensor![1, 2, 3, 4]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub unsafe fn from_raw_parts<Sh: IntoShape<Dim = D>>(
        first: *mut T,
        shape: Sh,
        memory: RawMemory,
    ) -> Result<Self, Error> {
        let shape = shape.into_shape()?;
        let len = element_count(shape.as_ref(), size_of::<T>())?;
        let first = aligned("make a tensor", first)?;
        // SAFETY: the caller ensures that `first` and `memory` come from one tensor of `T` with `len` elements. The caller also ensures
        // that they are used once, and that nothing else accesses the elements. `aligned` checked that `first` is not null.
        let buffer = unsafe { CpuBuffer::from_raw(first, len, memory) };
        Ok(Tensor::contiguous(buffer, shape, Cpu))
    }
}

fn aligned<T: Element>(op: &'static str, first: *mut T) -> Result<NonNull<T>, Error> {
    let reason = match NonNull::new(first) {
        Some(first) if first.is_aligned() => return Ok(first),
        Some(first) => format!(
            "address {first:?} is not a multiple of {}, the alignment of {}; copy the elements to where they are aligned",
            align_of::<T>(),
            T::DTYPE
        ),
        None => "the address of its elements is null".into(),
    };
    Err(Error::Argument { op, reason })
}

// ------------------------------------------------------------------ views

/// Checks a view of host memory: that its shape and strides stay within the address space, and that `first` is aligned. Returns the
/// pointer and the device of the view.
fn placed<T: Element>(
    first: *mut T,
    shape: &[usize],
    strides: &[isize],
) -> Result<(HostPtr<T>, &'static Cpu), Error> {
    let found = reach(shape, strides, size_of::<T>())?;
    // Other libraries may pass null for a view of zero elements.
    let first = if found.is_none() { NonNull::dangling() } else { aligned("make a view", first)? };
    Ok((HostPtr::new(first.as_ptr()), &Cpu))
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TensorView<'a, T, D, O, Dev> {
    /// Makes a view of memory of any device.
    ///
    /// # Safety
    /// The conditions of [`TensorView::from_raw_parts`](Tensor::from_raw_parts), for a pointer of the device. In addition, the caller must
    /// ensure that the pointer is aligned if the shape has elements, and that [`reach`] returned `Ok` for the shape and strides.
    pub(crate) unsafe fn from_parts(
        ptr: Dev::Ptr<T>,
        shape: D::Shape,
        mut strides: D::Strides,
        device: &'a Dev,
    ) -> Self {
        canonicalize_strides(shape.as_ref(), strides.as_mut(), O::ROW_MAJOR);
        Tensor { storage: View { ptr, device, data: PhantomData }, shape, strides, marker: PhantomData }
    }
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TensorViewMut<'a, T, D, O, Dev> {
    /// Makes a mutable view of memory of any device. Returns an error if two indices may address one element: see [`check_no_overlap`].
    ///
    /// # Safety
    /// The conditions of [`TensorViewMut::from_raw_parts`](Tensor::from_raw_parts), for a pointer of the device. In addition, the caller
    /// must ensure that the pointer is aligned if the shape has elements, and that [`reach`] returned `Ok` for the shape and strides.
    pub(crate) unsafe fn from_parts(
        ptr: Dev::Ptr<T>,
        shape: D::Shape,
        mut strides: D::Strides,
        device: &'a Dev,
    ) -> Result<Self, Error> {
        canonicalize_strides(shape.as_ref(), strides.as_mut(), O::ROW_MAJOR);
        check_no_overlap(shape.as_ref(), strides.as_ref())?;
        Ok(Tensor {
            storage: ViewMut { ptr, device, data: PhantomData },
            shape,
            strides,
            marker: PhantomData,
        })
    }
}

impl<'a, T: Element, D: Dim, O: Order> TensorView<'a, T, D, O> {
    /// Makes a view of foreign memory. Strides count elements and may have any sign; `first` points to the element at index 0.
    /// The memory order is the order in which the view is iterated; it does not restrict the strides.
    ///
    /// The stride of an axis of extent 1 is ignored. If there are zero elements, all strides are ignored. The view may have other strides
    /// in place of the ignored ones.
    ///
    /// # Errors
    /// If the address is null or not aligned (unless there are zero elements), or if the shape or the distance between elements
    /// exceeds the address space.
    ///
    /// # Safety
    /// The caller must ensure that
    ///
    /// * for each index within the shape, `first` offset by `Σ index · stride` points to an initialised element;
    /// * all these elements are in one allocation;
    /// * nothing writes to them or frees them during `'a`.
    ///
    /// ```
    /// use vierbein::{TensorView, tensor};
    /// let data = [1, 2, 3, 4, 5, 6];
    /// // SAFETY: offsets are 0 to 5, all in the array, which nothing writes to while `x` exists.
    /// let x = unsafe { TensorView::<i32, _>::from_raw_parts(data.as_ptr(), [3, 2], [1, 3])? };
    /// assert_eq!(x, tensor![[1, 4], [2, 5], [3, 6]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub unsafe fn from_raw_parts<Sh: IntoShape<Dim = D>>(
        first: *const T,
        shape: Sh,
        strides: D::Strides,
    ) -> Result<Self, Error> {
        let shape = shape.into_shape()?;
        let (ptr, device) = placed(first.cast_mut(), shape.as_ref(), strides.as_ref())?;
        // SAFETY: the caller ensures that the elements are initialised, are in one allocation, and are neither written to nor freed during
        // `'a`. `placed` checked that `first` is aligned, and that the offsets of all elements fit in `isize`.
        Ok(unsafe { TensorView::from_parts(ptr, shape, strides, device) })
    }

    /// Makes a view of a slice with strides of any sign, in elements. The element at index 0 is `data[offset]`.
    ///
    /// # Errors
    /// [`Error::InvalidStrides`] if an index would address an element outside of the slice; its message has the lowest and highest
    /// offset. [`Error::Overflow`] if the shape exceeds the address space.
    ///
    /// ```
    /// use vierbein::{TensorView, tensor};
    /// let data = [1, 2, 3, 4, 5, 6, 7, 8];
    /// let x = TensorView::<i32, _>::from_slice_strided(&data, [2, 3], [-4, 1], 4);
    /// assert_eq!(x, tensor![[5, 6, 7], [1, 2, 3]]);
    /// let windows = TensorView::<i32, _>::from_slice_strided(&data, [6, 3], [1, 1], 0);
    /// assert_eq!(windows.sum_axis(1), tensor![6, 9, 12, 15, 18, 21]);
    /// ```
    ///
    /// ```
    /// use vierbein::TensorView;
    /// let error = TensorView::<i32, _>::try_from_slice_strided(&[1, 2, 3], [2, 2], [2, 1], 0).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cannot make a view of shape [2, 2] with strides [2, 1]: \
    ///      from offset 0, it addresses the values 0 to 3, but there are 3 values, from 0"
    /// );
    /// ```
    #[fallible]
    pub fn from_slice_strided<Sh: IntoShape<Dim = D>>(
        data: &'a [T],
        shape: Sh,
        strides: D::Strides,
        offset: usize,
    ) -> Self {
        let shape = shape.into_shape()?;
        check_bounds(shape.as_ref(), strides.as_ref(), offset, data.len(), size_of::<T>())?;
        // SAFETY: `check_bounds` found that all indices, from `offset` on, address elements of the slice. The slice is one allocation
        // of initialised elements, and is borrowed for `'a`, so nothing writes to the elements or frees them.
        unsafe { TensorView::from_raw_parts(data.as_ptr().wrapping_add(offset), shape, strides) }
    }
}

impl<'a, T: Element, D: Dim, O: Order> TensorViewMut<'a, T, D, O> {
    /// Makes a mutable view of foreign memory: see [`TensorView::from_raw_parts`](Tensor::from_raw_parts).
    ///
    /// # Errors
    /// * For the reasons given for [`TensorView::from_raw_parts`](Tensor::from_raw_parts).
    /// * If two indices could address the same element. To rule this out, the magnitude of each axis's stride must be at least the
    ///   length of the memory range, in elements, over which the axes with smaller strides extend.
    ///
    /// # Safety
    /// The caller must ensure that
    ///
    /// * for each index within the shape, `first` offset by `Σ index · stride` points to an initialised element;
    /// * all these elements are in one allocation;
    /// * nothing else reads, writes or frees them during `'a`.
    ///
    /// ```
    /// use vierbein::{TensorViewMut, tensor};
    /// let mut data = [1, 2, 3, 4];
    /// // SAFETY: offsets are 0 to 3, all in the array, which nothing else accesses while `x` exists.
    /// let mut x = unsafe { TensorViewMut::<i32, _>::from_raw_parts(data.as_mut_ptr(), [2, 2], [1, 2])? };
    /// x[[0, 1]] = 7;
    /// assert_eq!(data, [1, 2, 7, 4]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub unsafe fn from_raw_parts<Sh: IntoShape<Dim = D>>(
        first: *mut T,
        shape: Sh,
        strides: D::Strides,
    ) -> Result<Self, Error> {
        let shape = shape.into_shape()?;
        let (ptr, device) = placed(first, shape.as_ref(), strides.as_ref())?;
        // SAFETY: the caller ensures that the elements are initialised, are in one allocation, and are accessed by nothing else during
        // `'a`. `placed` checked that `first` is aligned, and that the offsets of all elements fit in `isize`.
        unsafe { TensorViewMut::from_parts(ptr, shape, strides, device) }
    }

    /// Makes a mutable view of a slice with strides of any sign, in elements. The element at index 0 is `data[offset]`.
    ///
    /// # Errors
    /// [`Error::InvalidStrides`] if an index would address an element outside of the slice, or if two indices may address one element.
    /// [`Error::Overflow`] if the shape exceeds the address space.
    ///
    /// ```
    /// use vierbein::TensorViewMut;
    /// let mut data = [0; 6];
    /// TensorViewMut::<i32, _>::from_slice_strided_mut(&mut data, [3], [-2], 5).assign(&vierbein::tensor![1, 2, 3]);
    /// assert_eq!(data, [0, 3, 0, 2, 0, 1]);
    /// ```
    ///
    /// ```
    /// use vierbein::TensorViewMut;
    /// let error = TensorViewMut::<i32, _>::try_from_slice_strided_mut(&mut [0; 4], [3, 2], [1, 1], 0).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cannot make a view of shape [3, 2] with strides [1, 1]: a mutable view must not overlap \
    ///      itself: axis 1 has stride 1, but the axes with smaller strides span 3 elements"
    /// );
    /// ```
    #[fallible]
    pub fn from_slice_strided_mut<Sh: IntoShape<Dim = D>>(
        data: &'a mut [T],
        shape: Sh,
        strides: D::Strides,
        offset: usize,
    ) -> Self {
        let shape = shape.into_shape()?;
        check_bounds(shape.as_ref(), strides.as_ref(), offset, data.len(), size_of::<T>())?;
        // SAFETY: `check_bounds` found that all indices, from `offset` on, address elements of the slice. The slice is one allocation
        // of initialised elements, and is exclusively borrowed for `'a`, so nothing else accesses the elements.
        unsafe { TensorViewMut::from_raw_parts(data.as_mut_ptr().wrapping_add(offset), shape, strides) }
    }
}

// ------------------------------------------------------------------ addresses

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the address of the element at index 0. It is never null, and must not be read from if the tensor is empty. The
    /// element at another index is `Σ index · stride` elements further, with the tensor's [`strides`](Tensor::strides).
    ///
    /// ```
    /// let x = vierbein::tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.as_ptr(), &x[[0, 0]] as *const i32);
    /// assert_eq!(x.t().as_ptr(), x.as_ptr());
    /// ```
    #[must_use]
    pub fn as_ptr(&self) -> *const T
    where
        Dev: HostAccess,
    {
        Dev::host_ptr(self.storage.ptr())
    }

    /// Returns the address of the element at index 0, for writing.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2];
    /// // SAFETY: the tensor is contiguous and has a second element, which nothing else accesses.
    /// unsafe { *x.as_mut_ptr().add(1) = 5 };
    /// assert_eq!(x, vierbein::tensor![1, 5]);
    /// ```
    pub fn as_mut_ptr(&mut self) -> *mut T
    where
        Dev: HostAccess,
        S: StorageMut<T, Dev>,
    {
        Dev::host_ptr(self.storage.share_mut().ptr)
    }

    /// Returns the device pointer to the element at index 0. On the host it is an address. On a GPU it is a device address, which can
    /// be passed to foreign kernels ([`CudaPtr::address`](crate::device::CudaPtr::address)). The element at another index is
    /// `Σ index · stride` elements further, with the tensor's [`strides`](Tensor::strides).
    ///
    /// ```
    /// let x = vierbein::tensor![1, 2];
    /// assert_eq!(x.device_ptr().get().cast_const(), x.as_ptr());
    /// ```
    #[must_use]
    pub fn device_ptr(&self) -> Dev::Ptr<T> {
        self.storage.ptr()
    }

    /// Returns the device pointer to the element at index 0, for writing.
    pub fn device_ptr_mut(&mut self) -> Dev::Ptr<T>
    where
        S: StorageMut<T, Dev>,
    {
        self.storage.share_mut().ptr
    }
}
