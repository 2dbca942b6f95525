//! Tensors taken over.

use super::abi::{CPU, DLDevice, DLManagedTensorVersioned, DLTensor, Managed, VERSION};
use crate::device::{Cpu, CpuBuffer, ForeignMemory};
use crate::element::{DType, Element};
use crate::error::{Error, Refused};
use crate::layout::outside::reach;
use crate::layout::{Layout, element_count};
use crate::order::{MemoryOrder, Order};
use crate::rank::{Dim, MAX_RANK};
use crate::tensor::{Tensor, TensorView, TensorViewMut};
use core::fmt;
use core::marker::PhantomData;
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
        write!(f, "Dlpack({} {:?}, strides {:?})", self.dtype, self.shape(), self.strides())
    }
}

impl<M: Managed> Drop for Owned<M> {
    fn drop(&mut self) {
        // SAFETY: the structure lives until its deleter is called: now, and never again.
        unsafe {
            if let Some(deleter) = self.0.as_ref().deleter() {
                deleter(self.0.as_ptr());
            }
        }
    }
}

// ------------------------------------------------------------------ what comes from outside

fn refused(why: String) -> Error {
    Error::Argument { op: "import a DLPack tensor", why }
}

fn check_device(device: DLDevice) -> Result<(), Error> {
    let name = match device.device_type {
        CPU => return Ok(()),
        2 => "CUDA",
        3 => "pinned CUDA host",
        10 => "ROCm",
        13 => "CUDA managed",
        _ => "another device's",
    };
    Err(refused(format!(
        "it is in {name} memory (device type {}, number {}), and only the host's (type 1) can be imported; \
         copy it to the host first",
        device.device_type, device.device_id
    )))
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
fn first_of(tensor: &DLTensor, layout: &Layout, dtype: DType, align: usize) -> Result<NonNull<u8>, Error> {
    if reach(layout.shape(), layout.strides(), element_bytes(dtype))?.is_none() {
        // Of any element's alignment.
        return Ok(NonNull::<u128>::dangling().cast());
    }
    let overflow = || refused(format!("its byte offset {} exceeds the address space", tensor.byte_offset));
    let offset = usize::try_from(tensor.byte_offset).map_err(|_| overflow())?;
    let data = NonNull::new(tensor.data.cast::<u8>())
        .ok_or_else(|| refused("it has elements, but no data".into()))?;
    data.addr().get().checked_add(offset).ok_or_else(overflow)?;
    let first = data.as_ptr().wrapping_add(offset);
    if !first.addr().is_multiple_of(align) {
        return Err(refused(format!(
            "address {first:?} is not a multiple of {align}, the alignment of {dtype}; \
             copy the elements to where they are aligned"
        )));
    }
    NonNull::new(first).ok_or_else(overflow)
}

/// The size of an element.
fn element_bytes(dtype: DType) -> usize {
    usize::from(super::DLDataType::of(dtype).bits) / 8
}

/// The alignment of an element: a complex number has that of its parts.
fn alignment(dtype: DType) -> usize {
    match dtype {
        DType::C32 => align_of::<f32>(),
        DType::C64 | DType::F64 => align_of::<f64>(),
        DType::I64 | DType::U64 => align_of::<u64>(),
        other => element_bytes(other),
    }
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
    /// If the version is not 1, the tensor is not in the host's memory, its elements are none of this crate's, it has more than 16
    /// axes, a length is negative, the shape, the strides or the offset exceed the address space, or elements are not aligned.
    /// The tensor is still the caller's then: the deleter has not been called.
    ///
    /// # Safety
    /// * `managed` is null or a structure as DLPack defines it, valid until its deleter is called, which is left to this value. Its
    ///   arrays have `ndim` numbers; every index within its shape is at an initialised element, all of them in one allocation; a
    ///   Boolean is 0 or 1.
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
        check_device(tensor.device)?;
        let dtype = tensor.dtype.dtype().ok_or_else(|| {
            let super::DLDataType { code, bits, lanes } = tensor.dtype;
            refused(format!(
                "its elements (type code {code}, {bits} bits, {lanes} lanes) are none of `bool i8 i16 i32 i64 u8 u16 u32 u64 f32 \
                 f64 Complex<f32> Complex<f64>`; convert them first"
            ))
        })?;
        // SAFETY: its arrays have a number for each axis.
        let layout = unsafe { layout_of(tensor, element_bytes(dtype))? };
        let first = first_of(tensor, &layout, dtype, alignment(dtype))?;
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

    /// Whether the producer forbids to write.
    pub fn is_read_only(&self) -> bool {
        // SAFETY: the structure lives as long as `self`.
        unsafe { self.managed.0.as_ref() }.read_only()
    }

    // -------------------------------------------------------------- as typed tensors

    fn check<T: Element, D: Dim>(&self, op: &'static str) -> Result<(), Error> {
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
    /// If they are not of type `T`, or there are not as many axes.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let given = tensor![[1, 2], [3, 4]].into_dlpack();
    /// assert_eq!(given.view::<i32, Rank<2>, RowMajor>()?, tensor![[1, 2], [3, 4]]);
    /// let error = given.view::<i64, Rank<2>, RowMajor>().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cannot view a DLPack tensor: it holds i32 of shape [2, 2], not i64; \
    ///      ask for i32, and convert it with `.cast::<i64>()` then"
    /// );
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn view<T: Element, D: Dim, O: Order>(&self) -> Result<TensorView<'_, T, D, O>, Error> {
        self.check::<T, D>("view a DLPack tensor")?;
        let (shape, strides) = (self.layout.typed_shape::<D>(), self.layout.typed_strides::<D>());
        // SAFETY: the elements of all indices are the tensor's, which lives as long as `self`; who made it of foreign memory says
        // that nobody writes meanwhile. `self` is borrowed.
        unsafe { TensorView::from_raw_parts(self.first.cast().as_ptr(), shape, strides) }
    }

    /// The elements to change.
    ///
    /// # Errors
    /// As [`view`](Dlpack::view); if the producer allows only to read, or two indices might share an element.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let mut given = tensor![[1, 2], [3, 4]].into_dlpack();
    /// given.view_mut::<i32, Rank<2>, RowMajor>()?.fill(7);
    /// assert_eq!(given.view::<i32, Rank<2>, RowMajor>()?, tensor![[7, 7], [7, 7]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn view_mut<T: Element, D: Dim, O: Order>(&mut self) -> Result<TensorViewMut<'_, T, D, O>, Error> {
        const OP: &str = "view a DLPack tensor mutably";
        self.check::<T, D>(OP)?;
        self.check_writable(OP)?;
        let (shape, strides) = (self.layout.typed_shape::<D>(), self.layout.typed_strides::<D>());
        // SAFETY: as in `view`; `self` is borrowed mutably, and the producer allows to write.
        unsafe { TensorViewMut::from_raw_parts(self.first.cast().as_ptr(), shape, strides) }
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
    /// let refused = given.into_tensor::<i32, Rank<2>, ColMajor>().unwrap_err();
    /// assert_eq!(
    ///     refused.to_string(),
    ///     "cannot take over a DLPack tensor: its shape [2, 2] with strides [2, 1] is not dense in column-major order; \
    ///      copy it with `.view()?.to_owned()`, or `.to_dyn_tensor(ColMajor)`"
    /// );
    /// let x: Tensor<i32, Rank<2>> = refused.value.into_tensor()?;
    /// assert_eq!(x, tensor![[1, 2], [3, 4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn into_tensor<T: Element, D: Dim, O: Order>(self) -> Result<Tensor<T, D, O>, Refused<Self>> {
        if let Err(error) = self.check::<T, D>(TAKE_OVER) {
            return Err(Refused { error, value: self });
        }
        let shape = self.layout.typed_shape::<D>();
        Ok(Tensor::dense(self.into_buffer(O::MEMORY_ORDER)?, shape, Cpu))
    }

    /// Its memory as a buffer, if it is dense in the order and may be written to. The elements are `T`, as the caller knows.
    pub(super) fn into_buffer<T: Element>(self, order: MemoryOrder) -> Result<CpuBuffer<T>, Refused<Self>> {
        debug_assert_eq!(self.dtype, T::DTYPE);
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
        match self.check_writable(TAKE_OVER).and_then(|()| dense()) {
            Ok(()) => Ok(CpuBuffer::from_foreign(Dense { dlpack: self, elements: PhantomData })),
            Err(error) => Err(Refused { error, value: self }),
        }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn first(&self) -> NonNull<u8> {
        self.first
    }
}

const TAKE_OVER: &str = "take over a DLPack tensor";

/// A tensor that is dense in some order, may be written to, and whose elements are `T`.
struct Dense<T, M: Managed> {
    dlpack: Dlpack<M>,
    elements: PhantomData<T>,
}

// SAFETY: the elements stay where they are until the deleter is called. Who imported them says that nobody else writes to them, or
// reads what is written.
unsafe impl<T: Element, M: Managed> ForeignMemory<T> for Dense<T, M> {
    fn elements(&mut self) -> &mut [T] {
        let len = self.dlpack.shape().iter().product();
        let first = if len == 0 { NonNull::dangling() } else { self.dlpack.first.cast::<T>() };
        // SAFETY: they are dense, of this type, aligned, and borrowed mutably with `self`.
        unsafe { core::slice::from_raw_parts_mut(first.as_ptr(), len) }
    }
}
