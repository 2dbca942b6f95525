//! Tensors taken over.

use super::abi::{DLDevice, DLManagedTensorVersioned, DLTensor, Managed, VERSION};
use super::device::{SharedDevice, alignment, check, is_on, name_of};
use crate::element::{DType, Element};
use crate::error::{ConversionError, Error};
use crate::layout::foreign::reach;
use crate::layout::{Layout, element_count};
use crate::order::{MemoryOrder, Order};
use crate::rank::{Dim, MAX_RANK};
use crate::tensor::{Tensor, TensorView, TensorViewMut};
use core::fmt;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

/// A tensor in memory that passes from one library to another: owned, of a type and a rank that are known at run time.
///
/// It is made of a tensor by [`into_dlpack`](Tensor::into_dlpack) to be given to another library with
/// [`into_raw`](Dlpack::into_raw), or of another library's by [`from_raw`](Dlpack::from_raw). Dropped, it has the memory freed by
/// its producer, once.
pub struct Dlpack<M: Managed = DLManagedTensorVersioned> {
    managed: Owned<M>,
    dtype: DType,
    /// Boxed: as a part of an error, this value is to be small.
    layout: Box<Layout>,
    /// The element at index 0.
    first: NonNull<u8>,
}

/// A structure whose deleter is called at the end.
struct Owned<M: Managed>(NonNull<M>);

// SAFETY: the deleter may be called on any thread: that of an exported tensor frees memory, and whoever imports one vouches for
// it. Elements are numbers.
unsafe impl<M: Managed> Send for Dlpack<M> {}
// SAFETY: a shared one gives elements to read, and no more.
unsafe impl<M: Managed> Sync for Dlpack<M> {}

impl<M: Managed> fmt::Debug for Dlpack<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, strides) = (self.shape(), self.strides());
        write!(f, "Dlpack({} {shape:?}, strides {strides:?}, on {})", self.dtype, name_of(self.device()))
    }
}

impl<M: Managed> Drop for Owned<M> {
    fn drop(&mut self) {
        // SAFETY: the structure lives until its deleter is called.
        let managed = unsafe { self.0.as_ref() };
        let (device, deleter) = (managed.tensor().device, managed.deleter());
        // The producer may use the memory again at once, on a stream of its own.
        let _ = super::device::finish(device);
        if let Some(deleter) = deleter {
            // SAFETY: now, and never again.
            unsafe { deleter(self.0.as_ptr()) };
        }
    }
}

// ------------------------------------------------------------------ what comes from outside

fn refused(why: String) -> Error {
    Error::Argument { op: "import a DLPack tensor", why }
}

/// One number for each axis. A null pointer gives none.
///
/// # Safety
/// `from` is null, or points to `ndim` numbers that nobody writes to.
unsafe fn numbers<'a>(from: *const i64, ndim: usize) -> Option<&'a [i64]> {
    if ndim == 0 {
        return Some(&[]);
    }
    // SAFETY: the caller says so.
    (!from.is_null()).then(|| unsafe { core::slice::from_raw_parts(from, ndim) })
}

/// # Safety
/// The arrays of the tensor have as many numbers as it has axes.
unsafe fn layout_of(tensor: &DLTensor, element_bytes: usize) -> Result<Layout, Error> {
    let ndim = usize::try_from(tensor.ndim)
        .ok()
        .filter(|&ndim| ndim <= MAX_RANK)
        .ok_or_else(|| refused(format!("it has {} axes, and tensors have 0 to {MAX_RANK}", tensor.ndim)))?;
    // SAFETY: the caller says that there are so many.
    let lengths = unsafe { numbers(tensor.shape, ndim) }
        .ok_or_else(|| refused(format!("it has {ndim} axes, but no shape")))?;
    let mut shape = [0; MAX_RANK];
    for (to, &n) in shape.iter_mut().zip(lengths) {
        *to = usize::try_from(n)
            .map_err(|_| refused(format!("its shape {lengths:?} has a length that none can be")))?;
    }
    let shape = &shape[..ndim];
    element_count(shape, element_bytes)?;
    // SAFETY: as above.
    let Some(steps) = (unsafe { numbers(tensor.strides, ndim) }) else {
        return Ok(Layout::dense(shape, true));
    };
    let mut strides = [0; MAX_RANK];
    for (to, &step) in strides.iter_mut().zip(steps) {
        *to = isize::try_from(step)
            .map_err(|_| refused(format!("its strides {steps:?} exceed the address space")))?;
    }
    Ok(Layout::new(shape, &strides[..ndim]))
}

/// The address of the element at index 0.
fn first_of(tensor: &DLTensor, layout: &Layout, dtype: DType) -> Result<NonNull<u8>, Error> {
    if reach(layout.shape(), layout.strides(), dtype.size())?.is_none() {
        // Of any element's alignment.
        return Ok(NonNull::<u128>::dangling().cast());
    }
    let overflow = || refused(format!("its byte offset {} exceeds the address space", tensor.byte_offset));
    let offset = usize::try_from(tensor.byte_offset).map_err(|_| overflow())?;
    let data = NonNull::new(tensor.data.cast::<u8>())
        .ok_or_else(|| refused("it has elements, but no data".into()))?;
    data.addr().get().checked_add(offset).ok_or_else(overflow)?;
    let first = data.as_ptr().wrapping_add(offset);
    let align = alignment(tensor.device, dtype);
    if !first.addr().is_multiple_of(align) {
        return Err(refused(format!(
            "address {first:?} is not a multiple of {align}, the alignment of {dtype} on {}; \
             copy the elements to where they are aligned",
            name_of(tensor.device)
        )));
    }
    NonNull::new(first).ok_or_else(overflow)
}

impl<M: Managed> Dlpack<M> {
    pub(super) fn new(managed: NonNull<M>, dtype: DType, layout: Layout, first: NonNull<u8>) -> Self {
        Dlpack { managed: Owned(managed), dtype, layout: Box::new(layout), first }
    }

    /// Takes over a tensor of another library: a [`DLManagedTensorVersioned`], or a
    /// [`DLManagedTensor`](super::DLManagedTensor). From Python it comes in a `PyCapsule` named "dltensor_versioned" or "dltensor",
    /// which is to be renamed to "used_dltensor_versioned" or "used_dltensor" after success.
    ///
    /// # Errors
    /// If the version is not 1, the tensor is neither in the host's memory (types 1 and 3) nor in that of a CUDA device (type 2)
    /// that this build and this machine have, its elements are none of this crate's, it has more than 16 axes, a length is
    /// negative, the shape, the strides or the offset exceed the address space, or elements are not aligned (on a GPU, complex
    /// numbers as wholes). The tensor is still the caller's then: the deleter has not been called.
    ///
    /// # Safety
    /// * `managed` is null or a structure as DLPack defines it, valid until its deleter is called, which is left to this value. Its
    ///   arrays have `ndim` numbers; every index within its shape is at an initialised element, all of them in one allocation on
    ///   the device that it names; a Boolean is 0 or 1.
    /// * What writes elements on a GPU has been done, or was queued where the default stream waits for it: see [the
    ///   module](crate::interop::dlpack#streams).
    /// * The deleter may be called on any thread.
    /// * Nobody else writes to an element while it is viewed through this value or a tensor that is made of it, or reads one that
    ///   is written to through those.
    pub unsafe fn from_raw(managed: *mut M) -> Result<Self, Error> {
        let managed = NonNull::new(managed).ok_or_else(|| refused("its address is null".into()))?;
        // SAFETY: it is such a structure.
        if let Some(major) = unsafe { M::major(managed.as_ptr()) }
            && major != VERSION.major
        {
            return Err(refused(format!(
                "it is of version {major} of DLPack, and this is version {}; ask the producer for that one, or have the tensor \
                 deleted",
                VERSION.major
            )));
        }
        // SAFETY: it is such a structure, of this version.
        let tensor = unsafe { managed.as_ref() }.tensor();
        check(tensor.device).map_err(refused)?;
        let dtype = tensor.dtype.dtype().ok_or_else(|| {
            let super::DLDataType { code, bits, lanes } = tensor.dtype;
            refused(format!(
                "its elements (type code {code}, {bits} bits, {lanes} lanes) are none of `bool i8 i16 i32 i64 u8 u16 u32 u64 f32 \
                 f64 Complex<f32> Complex<f64>`; convert them first"
            ))
        })?;
        // SAFETY: its arrays have a number for each axis.
        let layout = unsafe { layout_of(tensor, dtype.size())? };
        let first = first_of(tensor, &layout, dtype)?;
        Ok(Dlpack::new(managed, dtype, layout, first))
    }

    /// The structure, for another library, which is to call its deleter.
    pub fn into_raw(self) -> *mut M {
        ManuallyDrop::new(self.managed).0.as_ptr()
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The length of each axis.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// The strides, in elements.
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// Where the elements are.
    ///
    /// ```
    /// use vierbein::{interop::dlpack::DLDevice, tensor};
    /// assert_eq!(tensor![1, 2].into_dlpack().device(), DLDevice { device_type: 1, device_id: 0 });
    /// ```
    pub fn device(&self) -> DLDevice {
        // SAFETY: the structure lives as long as `self`.
        unsafe { self.managed.0.as_ref() }.tensor().device
    }

    /// Whether the producer forbids to write.
    pub fn is_read_only(&self) -> bool {
        // SAFETY: the structure lives as long as `self`.
        unsafe { self.managed.0.as_ref() }.read_only()
    }

    // -------------------------------------------------------------- as typed tensors

    fn check<T: Element, D: Dim, Dev: SharedDevice>(&self, op: &'static str) -> Result<(), Error> {
        let (found, shape) = (self.dtype, self.shape());
        let why = if found != T::DTYPE {
            format!(
                "it holds {found} of shape {shape:?}, not {0}; ask for {found}, and convert it with `.cast::<{0}>()` then",
                T::DTYPE
            )
        } else if shape.len() != D::NDIM {
            let (rank, wanted) = (shape.len(), D::NDIM);
            format!(
                "it holds {found} of shape {shape:?}, which has rank {rank}, not {wanted}; ask for `Rank<{rank}>`"
            )
        } else if !is_on::<Dev>(self.device()) {
            let (found, wanted) = (name_of(self.device()), Dev::get().name());
            format!(
                "it is on {found}, not {wanted}; ask for it on `{found}`, and copy it with `.to_device::<{wanted}>()?` then"
            )
        } else {
            return Ok(());
        };
        Err(Error::Argument { op, why })
    }

    fn check_writable(&self, op: &'static str) -> Result<(), Error> {
        if self.is_read_only() {
            let why =
                "its producer allows no more than to read it; copy it with `.view()?.to_owned()`, or `.to_dyn_tensor(..)`".into();
            return Err(Error::Argument { op, why });
        }
        Ok(())
    }

    /// The elements to read, with whatever strides they have, enumerated in order `O`.
    ///
    /// # Errors
    /// If they are not of type `T` or not on `Dev`, or there are not as many axes.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let given = tensor![[1, 2], [3, 4]].into_dlpack();
    /// assert_eq!(given.view::<i32, Rank<2>, RowMajor, Cpu>()?, tensor![[1, 2], [3, 4]]);
    /// let error = given.view::<i64, Rank<2>, RowMajor, Cpu>().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cannot view a DLPack tensor: it holds i32 of shape [2, 2], not i64; \
    ///      ask for i32, and convert it with `.cast::<i64>()` then"
    /// );
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn view<T: Element, D: Dim, O: Order, Dev: SharedDevice>(
        &self,
    ) -> Result<TensorView<'_, T, D, O, Dev>, Error> {
        self.check::<T, D, Dev>("view a DLPack tensor")?;
        let (shape, strides) = (self.layout.typed_shape::<D>(), self.layout.typed_strides::<D>());
        // SAFETY: the elements of all indices are the tensor's, which lives as long as `self`; who made it of foreign memory says
        // that nobody writes meanwhile. `self` is borrowed. The address and the reach were checked on the way in.
        Ok(unsafe { TensorView::from_parts(Dev::pointer(self.first.cast()), shape, strides, Dev::get()) })
    }

    /// The elements to change.
    ///
    /// # Errors
    /// As [`view`](Dlpack::view); if the producer allows only to read, or two indices might share an element.
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
        let (shape, strides) = (self.layout.typed_shape::<D>(), self.layout.typed_strides::<D>());
        // SAFETY: as in `view`; `self` is borrowed mutably, and the producer allows to write.
        unsafe { TensorViewMut::from_parts(Dev::pointer(self.first.cast()), shape, strides, Dev::get()) }
    }

    /// A tensor in this memory, without a copy: it is freed by its producer when the tensor is dropped.
    ///
    /// # Errors
    /// As [`view`](Dlpack::view); if the producer allows only to read, or the elements are not dense in order `O`. This value comes
    /// back then: `.view()?.to_owned()` copies.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let given = tensor![[1, 2], [3, 4]].into_dlpack();
    /// let refused = given.into_tensor::<i32, Rank<2>, ColMajor, Cpu>().unwrap_err();
    /// assert_eq!(
    ///     refused.to_string(),
    ///     "cannot take over a DLPack tensor: its shape [2, 2] with strides [2, 1] is not dense in column-major order; \
    ///      copy it with `.view()?.to_owned()`, or `.to_dyn_tensor(ColMajor)`"
    /// );
    /// let x: Tensor<i32, Rank<2>> = refused.value.into_tensor()?;
    /// assert_eq!(x, tensor![[1, 2], [3, 4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn into_tensor<T: Element, D: Dim, O: Order, Dev: SharedDevice>(
        self,
    ) -> Result<Tensor<T, D, O, Dev>, ConversionError<Self>> {
        if let Err(error) = self.check::<T, D, Dev>(TAKE_OVER) {
            return Err(ConversionError { error, value: self });
        }
        let shape = self.layout.typed_shape::<D>();
        Ok(Tensor::dense(self.into_buffer::<T, Dev>(O::MEMORY_ORDER)?, shape, Dev::default()))
    }

    /// Its memory as a buffer, if it is contiguous in the memory order and may be written to.
    ///
    /// # Panics
    /// If the elements are not `T`, or not on `Dev`.
    pub(super) fn into_buffer<T: Element, Dev: SharedDevice>(
        self,
        order: MemoryOrder,
    ) -> Result<Dev::Buffer<T>, ConversionError<Self>> {
        assert!(self.dtype == T::DTYPE && is_on::<Dev>(self.device()), "another element type or device");
        let dense = || {
            if self.layout.is_dense(order.is_row_major()) {
                return Ok(());
            }
            let (shape, strides) = (self.shape(), self.strides());
            let why = format!(
                "its shape {shape:?} with strides {strides:?} is not dense in {order} order; copy it with `.view()?.to_owned()`, \
                 or `.to_dyn_tensor({order:?})`"
            );
            Err(Error::Argument { op: TAKE_OVER, why })
        };
        if let Err(error) = self.check_writable(TAKE_OVER).and_then(|()| dense()) {
            return Err(ConversionError { error, value: self });
        }
        let (first, len) = (self.first.cast(), self.shape().iter().product());
        // SAFETY: the elements are dense, of this type, aligned, and on this device, which was found when they were imported or
        // allocated. They stay where they are until the deleter is called. Who imported them says that nobody else writes to
        // them, or reads what is written.
        Ok(unsafe { Dev::buffer(first, len, self) })
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn first(&self) -> NonNull<u8> {
        self.first
    }
}

pub(super) const TAKE_OVER: &str = "take over a DLPack tensor";
