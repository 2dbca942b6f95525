//! Tensors in memory from outside: of owners of other libraries, of raw parts, of slices with any strides. Shapes and strides are
//! checked once, here.

use super::{Tensor, TensorView, TensorViewMut};
use crate::device::{Cpu, CpuBuffer, Device, ForeignMemory, HostAccess, HostPtr, RawMemory};
use crate::element::Element;
use crate::error::{ConversionError, Error, expect};
use crate::layout::element_count;
use crate::layout::foreign::{check_apart, check_bounds, reach, tidy};
use crate::order::Order;
use crate::rank::{Dim, IntoShape};
use crate::storage::{OwnedData, Storage, StorageMut, View, ViewMut};
use core::marker::PhantomData;
use core::ptr::NonNull;

// ------------------------------------------------------------------ owned

impl<T: Element, D: Dim, O: Order> Tensor<T, D, O> {
    /// A tensor in memory that another library owns, without a copy. The elements are in the sequence of the order. The owner is
    /// dropped, and frees the memory, when the tensor is dropped.
    ///
    /// The tensor is like any other: it can be written to, and its memory may hold the result of an operation that it is given
    /// away to. Only [`into_vec`](Tensor::into_vec) copies, for a `Vec` frees its memory itself. Of a `Vec`,
    /// [`from_vec`](Tensor::from_vec) is the better choice for that reason.
    ///
    /// # Panics
    /// If the number of elements is not the shape's.
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
        expect(Self::try_from_buffer(shape, owner).map_err(Error::from))
    }

    /// [`from_buffer`](Tensor::from_buffer) with a `Result`.
    ///
    /// # Errors
    /// If the number of elements is not the shape's, or that exceeds the address space. The owner comes back.
    pub fn try_from_buffer<Sh: IntoShape<Dim = D>, M: ForeignMemory<T>>(
        shape: Sh,
        mut owner: M,
    ) -> Result<Self, ConversionError<M>> {
        let shape = shape.into_shape();
        let found = owner.elements().len();
        let error = match element_count(shape.as_ref(), size_of::<T>()) {
            Ok(len) if len == found => return Ok(Tensor::dense(CpuBuffer::from_foreign(owner), shape, Cpu)),
            Ok(_) => Error::Length { op: "make a tensor", shape: shape.as_ref().to_vec(), found },
            Err(error) => error,
        };
        Err(ConversionError { error, value: owner })
    }

    /// The address of the first element, the shape, and what frees the memory: to hand a tensor through foreign code. The
    /// elements lie side by side in the sequence of the order, and stay where they are.
    ///
    /// The memory is freed by nobody until [`from_raw_parts`](Tensor::from_raw_parts) makes a tensor of the parts again. Who wants
    /// a plain allocation of Rust's takes [`into_vec`](Tensor::into_vec); who hands tensors to another library,
    /// [`into_dlpack`](Tensor::into_dlpack).
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let (first, shape, memory) = tensor![[1, 2], [3, 4]].into_raw_parts();
    /// // SAFETY: the tensor had four elements, which nobody else knows.
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

    /// The tensor that was taken apart, which owns its memory again. Another shape or order of as many elements will do.
    ///
    /// # Errors
    /// If the address is null or not aligned, or the shape exceeds the address space: then the parts are still the caller's.
    ///
    /// # Safety
    /// `first` and `memory` come from one call of [`into_raw_parts`](Tensor::into_raw_parts) of a tensor of the same element type
    /// and number of elements, and are put together once. Nobody else reads or writes the elements from then on.
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
        let shape = shape.into_shape();
        let len = element_count(shape.as_ref(), size_of::<T>())?;
        let first = aligned("make a tensor", first)?;
        // SAFETY: the caller says that it was a buffer of as many elements, and makes one of it once.
        let buffer = unsafe { CpuBuffer::from_raw(first, len, memory) };
        Ok(Tensor::dense(buffer, shape, Cpu))
    }
}

fn aligned<T: Element>(op: &'static str, first: *mut T) -> Result<NonNull<T>, Error> {
    let why = match NonNull::new(first) {
        Some(first) if first.is_aligned() => return Ok(first),
        Some(first) => format!(
            "address {first:?} is not a multiple of {}, the alignment of {}; copy the elements to where they are aligned",
            align_of::<T>(),
            T::DTYPE
        ),
        None => "the address of its elements is null".into(),
    };
    Err(Error::Argument { op, why })
}

// ------------------------------------------------------------------ views

/// Where a view of the host's memory begins, if its shape and its strides stay within the address space.
fn placed<T: Element>(
    first: *mut T,
    shape: &[usize],
    strides: &[isize],
) -> Result<(HostPtr<T>, &'static Cpu), Error> {
    let found = reach(shape, strides, size_of::<T>())?;
    // Where there is nothing, others have null.
    let first = if found.is_none() { NonNull::dangling() } else { aligned("make a view", first)? };
    Ok((HostPtr::new(first.as_ptr()), &Cpu))
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TensorView<'a, T, D, O, Dev> {
    /// A view of memory of any device.
    ///
    /// # Safety
    /// As [`TensorView::from_raw_parts`](Tensor::from_raw_parts), with pointers of the device; the pointer is aligned where there
    /// are elements, and [`reach`] has found the strides to stay within the address space.
    pub(crate) unsafe fn from_parts(
        ptr: Dev::Ptr<T>,
        shape: D::Shape,
        mut strides: D::Strides,
        device: &'a Dev,
    ) -> Self {
        tidy(shape.as_ref(), strides.as_mut(), O::ROW_MAJOR);
        Tensor { storage: View { ptr, device, data: PhantomData }, shape, strides, marker: PhantomData }
    }
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TensorViewMut<'a, T, D, O, Dev> {
    /// A mutable view of memory of any device, if indices do not share elements.
    ///
    /// # Safety
    /// As [`TensorViewMut::from_raw_parts`](Tensor::from_raw_parts), with pointers of the device; the pointer is aligned where
    /// there are elements, and [`reach`] has found the strides to stay within the address space.
    pub(crate) unsafe fn from_parts(
        ptr: Dev::Ptr<T>,
        shape: D::Shape,
        mut strides: D::Strides,
        device: &'a Dev,
    ) -> Result<Self, Error> {
        tidy(shape.as_ref(), strides.as_mut(), O::ROW_MAJOR);
        check_apart(shape.as_ref(), strides.as_ref())?;
        Ok(Tensor {
            storage: ViewMut { ptr, device, data: PhantomData },
            shape,
            strides,
            marker: PhantomData,
        })
    }
}

impl<'a, T: Element, D: Dim, O: Order> TensorView<'a, T, D, O> {
    /// A view of memory from outside. Strides count elements and may have any sign; `first` is where index 0 is. The order says
    /// how the view is enumerated, and nothing about the strides.
    ///
    /// Along axes of length 1 (and where there are no elements) strides do not matter, and the view may have others.
    ///
    /// # Errors
    /// If the address is null or not aligned (where there are elements), or if the shape or the reach of the strides exceeds the
    /// address space.
    ///
    /// # Safety
    /// For each index within the shape, the element at `first` offset by `Σ index · stride` is initialised, all of them in one
    /// allocation, and nobody writes to one or frees it during `'a`.
    ///
    /// ```
    /// use vierbein::{TensorView, tensor};
    /// let data = [1, 2, 3, 4, 5, 6];
    /// // SAFETY: offsets are 0 to 5.
    /// let x = unsafe { TensorView::<i32, _>::from_raw_parts(data.as_ptr(), [3, 2], [1, 3])? };
    /// assert_eq!(x, tensor![[1, 4], [2, 5], [3, 6]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub unsafe fn from_raw_parts<Sh: IntoShape<Dim = D>>(
        first: *const T,
        shape: Sh,
        strides: D::Strides,
    ) -> Result<Self, Error> {
        let shape = shape.into_shape();
        let (ptr, device) = placed(first.cast_mut(), shape.as_ref(), strides.as_ref())?;
        // SAFETY: the caller's, and the rest was just found.
        Ok(unsafe { TensorView::from_parts(ptr, shape, strides, device) })
    }

    /// A view of a slice with strides of any sign, in elements; index 0 is at `offset`.
    ///
    /// # Panics
    /// If an index would lie outside of the slice.
    ///
    /// ```
    /// use vierbein::{TensorView, tensor};
    /// let data = [1, 2, 3, 4, 5, 6, 7, 8];
    /// let x = TensorView::<i32, _>::from_slice_strided(&data, [2, 3], [-4, 1], 4);
    /// assert_eq!(x, tensor![[5, 6, 7], [1, 2, 3]]);
    /// let windows = TensorView::<i32, _>::from_slice_strided(&data, [6, 3], [1, 1], 0);
    /// assert_eq!(windows.sum_axis(1), tensor![6, 9, 12, 15, 18, 21]);
    /// ```
    #[track_caller]
    pub fn from_slice_strided<Sh: IntoShape<Dim = D>>(
        data: &'a [T],
        shape: Sh,
        strides: D::Strides,
        offset: usize,
    ) -> Self {
        expect(Self::try_from_slice_strided(data, shape, strides, offset))
    }

    /// [`from_slice_strided`](Tensor::from_slice_strided) with a `Result`.
    ///
    /// # Errors
    /// [`Error::Strides`] if an index would lie outside of the slice, which says how far they reach; [`Error::Overflow`] for a
    /// shape beyond the address space.
    ///
    /// ```
    /// use vierbein::TensorView;
    /// let error = TensorView::<i32, _>::try_from_slice_strided(&[1, 2, 3], [2, 2], [2, 1], 0).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cannot make a view of shape [2, 2] with strides [2, 1]: \
    ///      from offset 0 it reaches from 0 to 3, but there are 3 values, from 0"
    /// );
    /// ```
    pub fn try_from_slice_strided<Sh: IntoShape<Dim = D>>(
        data: &'a [T],
        shape: Sh,
        strides: D::Strides,
        offset: usize,
    ) -> Result<Self, Error> {
        let shape = shape.into_shape();
        check_bounds(shape.as_ref(), strides.as_ref(), offset, data.len(), size_of::<T>())?;
        // SAFETY: all indices lie within the slice, which is borrowed for `'a`.
        unsafe { TensorView::from_raw_parts(data.as_ptr().wrapping_add(offset), shape, strides) }
    }
}

impl<'a, T: Element, D: Dim, O: Order> TensorViewMut<'a, T, D, O> {
    /// A mutable view of memory from outside: see [`TensorView::from_raw_parts`](Tensor::from_raw_parts).
    ///
    /// # Errors
    /// As there; and if two indices might share an element: each axis must step over all that the axes of smaller steps span.
    ///
    /// # Safety
    /// For each index within the shape, the element at `first` offset by `Σ index · stride` is initialised, all of them in one
    /// allocation, and nobody else reads, writes or frees one during `'a`.
    ///
    /// ```
    /// use vierbein::{TensorViewMut, tensor};
    /// let mut data = [1, 2, 3, 4];
    /// // SAFETY: offsets are 0 to 3, of an array that is ours.
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
        let shape = shape.into_shape();
        let (ptr, device) = placed(first, shape.as_ref(), strides.as_ref())?;
        // SAFETY: the caller's, and the rest was just found.
        unsafe { TensorViewMut::from_parts(ptr, shape, strides, device) }
    }

    /// A mutable view of a slice with strides of any sign, in elements; index 0 is at `offset`.
    ///
    /// # Panics
    /// If an index would lie outside of the slice, or two might share an element: each axis must step over all that the axes of
    /// smaller steps span.
    ///
    /// ```
    /// use vierbein::TensorViewMut;
    /// let mut data = [0; 6];
    /// TensorViewMut::<i32, _>::from_slice_strided_mut(&mut data, [3], [-2], 5).assign(&vierbein::tensor![1, 2, 3]);
    /// assert_eq!(data, [0, 3, 0, 2, 0, 1]);
    /// ```
    #[track_caller]
    pub fn from_slice_strided_mut<Sh: IntoShape<Dim = D>>(
        data: &'a mut [T],
        shape: Sh,
        strides: D::Strides,
        offset: usize,
    ) -> Self {
        expect(Self::try_from_slice_strided_mut(data, shape, strides, offset))
    }

    /// [`from_slice_strided_mut`](Tensor::from_slice_strided_mut) with a `Result`.
    ///
    /// # Errors
    /// [`Error::Strides`] if an index would lie outside of the slice, or two might share an element; [`Error::Overflow`] for a
    /// shape beyond the address space.
    ///
    /// ```
    /// use vierbein::TensorViewMut;
    /// let error = TensorViewMut::<i32, _>::try_from_slice_strided_mut(&mut [0; 4], [3, 2], [1, 1], 0).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cannot make a view of shape [3, 2] with strides [1, 1]: it is to be written to, \
    ///      and axis 1 steps by 1 into the 3 elements that smaller steps span, where two indices may meet"
    /// );
    /// ```
    pub fn try_from_slice_strided_mut<Sh: IntoShape<Dim = D>>(
        data: &'a mut [T],
        shape: Sh,
        strides: D::Strides,
        offset: usize,
    ) -> Result<Self, Error> {
        let shape = shape.into_shape();
        check_bounds(shape.as_ref(), strides.as_ref(), offset, data.len(), size_of::<T>())?;
        // SAFETY: all indices lie within the slice, which is borrowed for `'a`, alone.
        unsafe { TensorViewMut::from_raw_parts(data.as_mut_ptr().wrapping_add(offset), shape, strides) }
    }
}

// ------------------------------------------------------------------ addresses

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// The address of the element at index 0; never null, and not to be read from where there are no elements. The others are
    /// [`strides`](Tensor::strides) apart.
    ///
    /// ```
    /// let x = vierbein::tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.as_ptr(), &x[[0, 0]] as *const i32);
    /// assert_eq!(x.t().as_ptr(), x.as_ptr());
    /// ```
    pub fn as_ptr(&self) -> *const T
    where
        Dev: HostAccess,
    {
        Dev::host_ptr(self.storage.ptr())
    }

    /// The address of the element at index 0, to write to.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2];
    /// // SAFETY: there is a second element.
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

    /// Where the element at index 0 is, as the device says it: on the host an address, on a GPU one that kernels of others can be
    /// given ([`CudaPtr::address`](crate::device::CudaPtr::address)). The others are [`strides`](Tensor::strides) apart.
    ///
    /// ```
    /// let x = vierbein::tensor![1, 2];
    /// assert_eq!(x.device_ptr().get().cast_const(), x.as_ptr());
    /// ```
    pub fn device_ptr(&self) -> Dev::Ptr<T> {
        self.storage.ptr()
    }

    /// The same, to write to.
    pub fn device_ptr_mut(&mut self) -> Dev::Ptr<T>
    where
        S: StorageMut<T, Dev>,
    {
        self.storage.share_mut().ptr
    }
}
