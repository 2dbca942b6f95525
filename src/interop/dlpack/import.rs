//! Import of DLPack tensors: [`Dlpack`] validates a structure of another library, owns it, and converts it to tensors and views.

use super::abi::{DLDevice, DLManagedTensorVersioned, DLTensor, Managed, VERSION};
use super::device::{SharedDevice, alignment, check, is_on, name_of};
use crate::element::{DType, Element};
use crate::error::{ConversionError, Error};
use crate::layout::axes::Axes;
use crate::layout::foreign::reach;
use crate::layout::{contiguous_strides, element_count};
use crate::order::{MemoryOrder, Order};
use crate::rank::{Dim, MAX_ANY_RANK, name_of_rank, other_rank, shape_of};
use crate::tensor::{Tensor, TensorView, TensorViewMut};
use core::fmt;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

/// An owned DLPack tensor, whose element type and rank are known at run time only.
///
/// To export a tensor, call [`into_dlpack`](Tensor::into_dlpack), then pass the pointer of [`into_raw`](Dlpack::into_raw) to another
/// library. To import one, call [`from_raw`](Dlpack::from_raw). Dropping the value calls the producer's deleter, which frees the
/// memory.
pub struct Dlpack<M: Managed = DLManagedTensorVersioned> {
    managed: Owned<M>,
    dtype: DType,
    /// Boxed to keep this value small, as it is part of an error type.
    layout: Box<Extents>,
    /// Address of the element at index 0.
    first: NonNull<u8>,
}

/// The extents and strides (in elements) of up to 64 axes.
#[derive(Debug)]
pub(super) struct Extents {
    shape: Vec<usize>,
    strides: Vec<isize>,
}

impl Extents {
    pub(super) fn new(axes: Axes<'_>) -> Extents {
        Extents { shape: axes.shape().to_vec(), strides: axes.strides().to_vec() }
    }

    pub(super) fn axes(&self) -> Axes<'_> {
        Axes::new(&self.shape, &self.strides)
    }

    /// Returns the shape and the strides as the arrays of rank `D`, whose tensors can have this number of axes.
    fn typed<D: Dim>(&self) -> (D::Shape, D::Strides) {
        let mut strides = D::strides(self.strides.len());
        strides.as_mut().copy_from_slice(&self.strides);
        (shape_of::<D>(&self.shape), strides)
    }
}

/// An owned structure. Dropping this value calls the structure's deleter.
struct Owned<M: Managed>(NonNull<M>);

// SAFETY: the deleter may be called on any thread. For an imported tensor, the caller of `Dlpack::from_raw` ensures this. For a tensor
// made by `exported`, the deleter only frees memory. The elements are plain numbers, which any thread may access.
unsafe impl<M: Managed> Send for Dlpack<M> {}
// SAFETY: `&Dlpack` only gives read access to elements and fields.
unsafe impl<M: Managed> Sync for Dlpack<M> {}

impl<M: Managed> fmt::Debug for Dlpack<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, strides) = (self.shape(), self.strides());
        write!(f, "Dlpack({} {shape:?}, strides {strides:?}, on {})", self.dtype, name_of(self.device()))
    }
}

impl<M: Managed> Drop for Owned<M> {
    fn drop(&mut self) {
        // SAFETY: the structure is valid until its deleter is called, and `self`, its owner, calls the deleter only below.
        let managed = unsafe { self.0.as_ref() };
        let (device, deleter) = (managed.tensor().device, managed.deleter());
        // Wait for the queued work that uses the memory. Once the deleter is called, the producer may reuse the memory at once, on another
        // stream.
        let _ = super::device::finish(device);
        if let Some(deleter) = deleter {
            // SAFETY: `self` owns the structure. The deleter is called once, and the structure is not used afterwards.
            unsafe { deleter(self.0.as_ptr()) };
        }
    }
}

// ------------------------------------------------------------------ validation

fn rejected(reason: String) -> Error {
    Error::Argument { op: "import a DLPack tensor", reason }
}

/// Returns the `ndim` numbers at `from`, or `None` if `from` is null and `ndim` is not 0.
///
/// # Safety
/// `from` must be null, or point to `ndim` numbers that are not written to during `'a`.
unsafe fn numbers<'a>(from: *const i64, ndim: usize) -> Option<&'a [i64]> {
    if ndim == 0 {
        return Some(&[]);
    }
    // SAFETY: `from` is not null. So the caller ensures that it points to `ndim` numbers, which are not written to during `'a`.
    (!from.is_null()).then(|| unsafe { core::slice::from_raw_parts(from, ndim) })
}

/// Converts and checks shape and strides.
///
/// # Safety
/// The arrays of `tensor` must be null or have `ndim` numbers.
unsafe fn layout_of(tensor: &DLTensor, element_bytes: usize) -> Result<Extents, Error> {
    let ndim = usize::try_from(tensor.ndim).ok().filter(|&ndim| ndim <= MAX_ANY_RANK).ok_or_else(|| {
        rejected(format!("it has {} axes, but tensors have 0 to {MAX_ANY_RANK}", tensor.ndim))
    })?;
    // SAFETY: the caller ensures that `tensor.shape` is null or points to `ndim` numbers. They are only used within this function, and
    // nothing writes to them here.
    let lengths = unsafe { numbers(tensor.shape, ndim) }
        .ok_or_else(|| rejected(format!("it has {ndim} axes, but no shape")))?;
    let invalid = |_| rejected(format!("its shape {lengths:?} has an invalid extent"));
    let shape =
        lengths.iter().map(|&n| usize::try_from(n)).collect::<Result<Vec<_>, _>>().map_err(invalid)?;
    element_count(&shape, element_bytes)?;
    // SAFETY: the caller ensures that `tensor.strides` is null or points to `ndim` numbers. They are only used within this function,
    // and nothing writes to them here.
    let Some(steps) = (unsafe { numbers(tensor.strides, ndim) }) else {
        let mut strides = vec![0; ndim];
        contiguous_strides(&shape, &mut strides, true);
        return Ok(Extents { shape, strides });
    };
    let too_far = |_| rejected(format!("its strides {steps:?} exceed the address space"));
    let strides =
        steps.iter().map(|&step| isize::try_from(step)).collect::<Result<_, _>>().map_err(too_far)?;
    Ok(Extents { shape, strides })
}

/// Returns the address of the element at index 0. Checks the offset, the alignment, and that all elements are within the address space.
fn first_of(tensor: &DLTensor, layout: &Extents, dtype: DType) -> Result<NonNull<u8>, Error> {
    if reach(&layout.shape, &layout.strides, dtype.size())?.is_none() {
        // Without elements, `data` may be null. The alignment of `u128` is at least that of each element type.
        return Ok(NonNull::<u128>::dangling().cast());
    }
    let overflow = || rejected(format!("its byte offset {} exceeds the address space", tensor.byte_offset));
    let offset = usize::try_from(tensor.byte_offset).map_err(|_| overflow())?;
    let data = NonNull::new(tensor.data.cast::<u8>())
        .ok_or_else(|| rejected("it has elements, but no data".into()))?;
    data.addr().get().checked_add(offset).ok_or_else(overflow)?;
    let first = data.as_ptr().wrapping_add(offset);
    let align = alignment(tensor.device, dtype);
    if !first.addr().is_multiple_of(align) {
        return Err(rejected(format!(
            "address {first:?} is not a multiple of {align}, the alignment of {dtype} on {}; \
             copy the elements to where they are aligned",
            name_of(tensor.device)
        )));
    }
    NonNull::new(first).ok_or_else(overflow)
}

impl<M: Managed> Dlpack<M> {
    pub(super) fn new(managed: NonNull<M>, dtype: DType, layout: Extents, first: NonNull<u8>) -> Self {
        Dlpack { managed: Owned(managed), dtype, layout: Box::new(layout), first }
    }

    /// Takes ownership of another library's tensor: a [`DLManagedTensorVersioned`], or a [`DLManagedTensor`](super::DLManagedTensor).
    /// Python passes it in a `PyCapsule` named "dltensor_versioned" or "dltensor". After success, rename the capsule to
    /// "used_dltensor_versioned" or "used_dltensor".
    ///
    /// # Errors
    /// In each of these cases, the deleter is not called, and the caller keeps ownership of the tensor:
    ///
    /// * `managed` is null, or the major version is not 1.
    /// * The tensor is neither in host memory (types 1 and 3) nor on a CUDA device (type 2) that this build and this machine support.
    /// * This crate does not support its element type.
    /// * It has more than 64 axes, or an extent is negative.
    /// * The shape, the strides or the offset exceed the address space.
    /// * Elements are not aligned. On a GPU, the alignment of a complex number is its size.
    ///
    /// # Safety
    /// * `managed` must be null or point to a structure as DLPack defines it. The structure must be valid until this value calls its
    ///   deleter. The arrays of the structure must have `ndim` numbers.
    /// * Every index within the shape must lead to an initialised element. All elements must be in one allocation on the named device.
    ///   A Boolean must be 0 or 1.
    /// * Work that writes elements on a GPU must be complete, or be queued such that the default stream waits for it: see [the
    ///   module](crate::interop::dlpack#streams).
    /// * The deleter must be callable on any thread.
    /// * While this value, or a tensor or view made from it, reads an element, other code must not write to the element. While one of
    ///   them writes to an element, other code must not access the element.
    pub unsafe fn from_raw(managed: *mut M) -> Result<Self, Error> {
        let managed = NonNull::new(managed).ok_or_else(|| rejected("its address is null".into()))?;
        // SAFETY: `managed` is not null, so the caller ensures that it points to a structure of this kind, of any version.
        if let Some(major) = unsafe { M::major(managed.as_ptr()) }
            && major != VERSION.major
        {
            return Err(rejected(format!(
                "its DLPack version is {major}, but this crate supports version {}; request that version from the producer, \
                 or delete the tensor",
                VERSION.major
            )));
        }
        // SAFETY: the caller ensures that `managed` points to a valid structure. Its major version is supported, so it has the
        // layout of `M`.
        let tensor = unsafe { managed.as_ref() }.tensor();
        check(tensor.device).map_err(rejected)?;
        let dtype = tensor.dtype.dtype().ok_or_else(|| {
            let super::DLDataType { code, bits, lanes } = tensor.dtype;
            rejected(format!(
                "its elements (type code {code}, {bits} bits, {lanes} lanes) are none of `bool i8 i16 i32 i64 u8 u16 u32 u64 f32 \
                 f64 Complex<f32> Complex<f64>`; convert them first"
            ))
        })?;
        // SAFETY: the caller of `Dlpack::from_raw` ensures that the shape and the strides of `tensor` are null or have `ndim` numbers.
        let layout = unsafe { layout_of(tensor, dtype.size())? };
        let first = first_of(tensor, &layout, dtype)?;
        Ok(Dlpack::new(managed, dtype, layout, first))
    }

    /// Returns the structure, to be passed to another library. The other library must call the structure's deleter.
    pub fn into_raw(self) -> *mut M {
        ManuallyDrop::new(self.managed).0.as_ptr()
    }

    /// Returns the element type.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the extent of each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// Returns the strides, in elements.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        &self.layout.strides
    }

    /// Returns the device of the elements.
    ///
    /// ```
    /// use vierbein::{interop::dlpack::DLDevice, tensor};
    /// assert_eq!(tensor![1, 2].into_dlpack().device(), DLDevice { device_type: 1, device_id: 0 });
    /// ```
    #[must_use]
    pub fn device(&self) -> DLDevice {
        // SAFETY: `self` owns the structure, which stays valid until `self` is dropped.
        unsafe { self.managed.0.as_ref() }.tensor().device
    }

    /// Returns whether the producer forbids writing to the elements.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        // SAFETY: `self` owns the structure, which stays valid until `self` is dropped.
        unsafe { self.managed.0.as_ref() }.read_only()
    }

    // -------------------------------------------------------------- as typed tensors

    fn check<T: Element, D: Dim, Dev: SharedDevice>(&self, op: &'static str) -> Result<(), Error> {
        let (found, shape) = (self.dtype, self.shape());
        let reason = if found != T::DTYPE {
            format!(
                "it holds {found} of shape {shape:?}, not {0}; import {found} and convert it with `.cast::<{0}>()`",
                T::DTYPE
            )
        } else if let Some(wanted) = other_rank::<D>(shape.len()) {
            let (rank, named) = (shape.len(), name_of_rank(shape.len()));
            format!(
                "it holds {found} of shape {shape:?}, which has rank {rank}, not {wanted}; import a tensor of `{named}`"
            )
        } else if !is_on::<Dev>(self.device()) {
            let (found, wanted) = (name_of(self.device()), Dev::get().name());
            format!(
                "it is on {found}, not {wanted}; import it on `{found}` and copy it with `.to_device::<{wanted}>()?`"
            )
        } else {
            return Ok(());
        };
        Err(Error::Argument { op, reason })
    }

    fn check_writable(&self, op: &'static str) -> Result<(), Error> {
        if self.is_read_only() {
            let reason =
                "the producer exported it as read-only; copy it with `.view()?.to_owned()` or `.to_dyn_tensor(..)`".into();
            return Err(Error::Argument { op, reason });
        }
        Ok(())
    }

    /// Returns a view of the elements, with the strides of the imported tensor. `O` determines the iteration order of the view.
    ///
    /// # Errors
    /// If the element type is not `T`, the rank is not that of `D`, or the elements are not on `Dev`.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let given = tensor![[1, 2], [3, 4]].into_dlpack();
    /// assert_eq!(given.view::<i32, Rank<2>, RowMajor, Cpu>()?, tensor![[1, 2], [3, 4]]);
    /// let error = given.view::<i64, Rank<2>, RowMajor, Cpu>().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cannot view a DLPack tensor: it holds i32 of shape [2, 2], not i64; \
    ///      import i32 and convert it with `.cast::<i64>()`"
    /// );
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn view<T: Element, D: Dim, O: Order, Dev: SharedDevice>(
        &self,
    ) -> Result<TensorView<'_, T, D, O, Dev>, Error> {
        self.check::<T, D, Dev>("view a DLPack tensor")?;
        let (shape, strides) = self.layout.typed::<D>();
        // SAFETY: `check` has compared element type, rank and device. For an imported tensor, `Dlpack::from_raw` checked that elements
        // are aligned and within the address space. Its caller ensures that nothing writes to them while this value or a view reads
        // them. For an exported tensor, `self` owns the elements, and address and layout are those of a buffer of this crate. The
        // elements are valid as long as `self`, which is borrowed.
        Ok(unsafe { TensorView::from_parts(Dev::pointer(self.first.cast()), shape, strides, Dev::get()) })
    }

    /// Returns a mutable view of the elements.
    ///
    /// # Errors
    /// * The errors of [`view`](Dlpack::view).
    /// * If the tensor is read-only, or if two indices might share an element.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let mut given = tensor![[1, 2], [3, 4]].into_dlpack();
    /// given.view_mut::<i32, Rank<2>, RowMajor, Cpu>()?.fill(7);
    /// assert_eq!(given.view::<i32, Rank<2>, RowMajor, Cpu>()?, tensor![[7, 7], [7, 7]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn view_mut<T: Element, D: Dim, O: Order, Dev: SharedDevice>(
        &mut self,
    ) -> Result<TensorViewMut<'_, T, D, O, Dev>, Error> {
        const OP: &str = "view a DLPack tensor mutably";
        self.check::<T, D, Dev>(OP)?;
        self.check_writable(OP)?;
        let (shape, strides) = self.layout.typed::<D>();
        // SAFETY: `check` has compared element type, rank and device. For an imported tensor, `Dlpack::from_raw` checked address and
        // layout, and its caller ensures that no other code accesses the elements. An exported tensor owns a buffer of this crate.
        // `self` is borrowed mutably, and `check_writable` found that the tensor is not read-only. `from_parts` returns an error if two
        // indices might share an element.
        unsafe { TensorViewMut::from_parts(Dev::pointer(self.first.cast()), shape, strides, Dev::get()) }
    }

    /// Takes ownership of the memory without a copy. When the tensor is dropped, the producer's deleter frees the memory.
    ///
    /// # Errors
    /// * The errors of [`view`](Dlpack::view).
    /// * If the tensor is read-only, or not contiguous in memory order `O`.
    ///
    /// The error holds the unchanged value, whose elements `.view()?.to_owned()` copies.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let given = tensor![[1, 2], [3, 4]].into_dlpack();
    /// let rejected = given.into_tensor::<i32, Rank<2>, ColMajor, Cpu>().unwrap_err();
    /// assert_eq!(
    ///     rejected.to_string(),
    ///     "cannot import a DLPack tensor without a copy: its shape [2, 2] with strides [2, 1] \
    ///      is not contiguous in column-major order; copy it with `.view()?.to_owned()` or `.to_dyn_tensor(ColMajor)`"
    /// );
    /// let x: Tensor<i32, Rank<2>> = rejected.value.into_tensor()?;
    /// assert_eq!(x, tensor![[1, 2], [3, 4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn into_tensor<T: Element, D: Dim, O: Order, Dev: SharedDevice>(
        self,
    ) -> Result<Tensor<T, D, O, Dev>, ConversionError<Self>> {
        if let Err(error) = self.check::<T, D, Dev>(TAKE_OVER) {
            return Err(ConversionError { error, value: self });
        }
        let (shape, _) = self.layout.typed::<D>();
        Ok(Tensor::contiguous(self.into_buffer::<T, Dev>(O::MEMORY_ORDER)?, shape, Dev::default()))
    }

    /// Converts the memory to a buffer, without a copy. Returns an error if the elements are not contiguous in memory order
    /// `order`, or are read-only.
    ///
    /// # Panics
    /// If the elements are not `T`, or not on `Dev`.
    pub(super) fn into_buffer<T: Element, Dev: SharedDevice>(
        self,
        order: MemoryOrder,
    ) -> Result<Dev::Buffer<T>, ConversionError<Self>> {
        assert!(
            self.dtype == T::DTYPE && is_on::<Dev>(self.device()),
            "the element type or the device differs"
        );
        let contiguous = || {
            if self.axes().is_contiguous(order.is_row_major()) {
                return Ok(());
            }
            let (shape, strides) = (self.shape(), self.strides());
            let reason = format!(
                "its shape {shape:?} with strides {strides:?} is not contiguous in {order} order; copy it with \
                 `.view()?.to_owned()` or `.to_dyn_tensor({order:?})`"
            );
            Err(Error::Argument { op: TAKE_OVER, reason })
        };
        if let Err(error) = self.check_writable(TAKE_OVER).and_then(|()| contiguous()) {
            return Err(ConversionError { error, value: self });
        }
        let (first, len) = (self.first.cast(), self.shape().iter().product());
        // SAFETY: the checks above ensure that the elements are contiguous, of type `T`, and on `Dev`. `Dev` was available when they
        // were imported or allocated. `Dlpack::from_raw` checked the alignment of imported elements. All remain valid until `self`, the
        // owner, is dropped and calls the deleter. The caller of `Dlpack::from_raw` ensures that no other code writes to them, or reads
        // them while this crate writes to them.
        Ok(unsafe { Dev::buffer(first, len, self) })
    }

    pub(super) fn axes(&self) -> Axes<'_> {
        self.layout.axes()
    }

    pub(super) fn first(&self) -> NonNull<u8> {
        self.first
    }
}

pub(super) const TAKE_OVER: &str = "import a DLPack tensor without a copy";
