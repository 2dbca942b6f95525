//! The traits of values that can be read from files and written to them, and iteration over elements in chunks.

#![forbid(unsafe_code)]

use super::codec::{Codec, same};
use super::contents::Contents;
use crate::device::cpu::{bytes, reserve};
use crate::device::{Cpu, CpuBuffer, Device};
use crate::dispatch;
use crate::dyn_tensor::{DynData, DynTensor, DynView};
use crate::element::Element;
use crate::error::Error;
use crate::order::{MemoryOrder, Order};
use crate::rank::{Dim, other_rank, shape_of};
use crate::storage::{OwnedData, Storage};
use crate::tensor::Tensor;

mod sealed {
    pub trait Sealed {}
}

/// Number of bytes that are read or written at a time, if they are copied or converted.
pub(super) const CHUNK: usize = 1 << 18;

/// A type that tensors in files can be read as: a [`Tensor`], which must match the file, or a [`DynTensor`], which takes its types from
/// the file. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a file",
    label = "files hold tensors",
    note = "read a `Tensor<T, D, O>` of the types that the file holds, or a `DynTensor` of any type"
)]
pub trait FromFile: sealed::Sealed + Sized {
    /// Returns an error message if a tensor with these contents cannot be read as `Self`.
    #[doc(hidden)]
    fn rejection(contents: &Contents) -> Option<String>;
    /// Creates the value. `rejection` must have returned `None`, and the number of elements must match the shape.
    #[doc(hidden)]
    fn of_elements<U: Element>(contents: &Contents, elements: CpuBuffer<U>) -> Result<Self, Error>;
}

/// A type that can be written to a file: a [`Tensor`], a [`DynTensor`] or a view of one. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written to a file of tensors",
    label = "files hold tensors",
    note = "make a tensor of it first: `Tensor::from_vec(shape, data)`"
)]
pub trait ToFile: sealed::Sealed {
    /// Returns the element type, shape and memory order.
    fn contents(&self) -> Contents;
    /// Passes the bytes of the elements to `put`, in memory order, little-endian. Elements that must be copied are passed in chunks.
    #[doc(hidden)]
    fn put_bytes(&self, put: &mut dyn FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error>;
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S> sealed::Sealed for Tensor<T, D, O, Dev, S> {}

impl<S> sealed::Sealed for DynTensor<S> {}

impl<T: Element, D: Dim, O: Order, Dev: Device + Default> FromFile for Tensor<T, D, O, Dev> {
    fn rejection(contents: &Contents) -> Option<String> {
        contents.mismatch(T::DTYPE, other_rank::<D>(contents.shape.len()), O::ROW_MAJOR)
    }
    fn of_elements<U: Element>(contents: &Contents, elements: CpuBuffer<U>) -> Result<Self, Error> {
        let shape = shape_of::<D>(&contents.shape);
        let device = Dev::default();
        Ok(Tensor::contiguous(device.adopt_buffer(same::<_, CpuBuffer<T>>(elements))?, shape, device))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> ToFile for Tensor<T, D, O, Dev, S> {
    fn contents(&self) -> Contents {
        Contents { dtype: T::DTYPE, shape: self.shape().as_ref().to_vec(), row_major: O::ROW_MAJOR }
    }
    fn put_bytes(&self, put: &mut dyn FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
        // If the elements are contiguous and already have the bytes of the file, they are written without a copy, in one call: with larger
        // writes, the system may choose larger pages for its cache, and reads the file faster later.
        if cfg!(target_endian = "little")
            && let Some(host) = Dev::on_host::<T>()
            && let Some(elements) = host.slice(self.operand(), O::ROW_MAJOR)
        {
            return put(bytes(elements));
        }
        let mut bytes = Vec::new();
        reserve(&mut bytes, CHUNK.min(self.len().saturating_mul(size_of::<T>())))?;
        for_parts(self, &mut |elements| {
            bytes.clear();
            dispatch!(T::DTYPE, U => {
                let elements = same::<Vec<T>, Vec<U>>(elements);
                U::encode(&elements, &mut bytes);
            });
            put(&bytes)
        })
    }
}

impl FromFile for DynTensor {
    fn rejection(contents: &Contents) -> Option<String> {
        contents.beyond()
    }
    fn of_elements<U: Element>(contents: &Contents, elements: CpuBuffer<U>) -> Result<Self, Error> {
        let order = if contents.row_major { MemoryOrder::RowMajor } else { MemoryOrder::ColMajor };
        let data = OwnedData { buffer: elements, device: Cpu };
        Ok(DynTensor::contiguous(data, &contents.shape, order))
    }
}

impl<S: DynData> ToFile for DynTensor<S> {
    fn contents(&self) -> Contents {
        Contents { dtype: self.dtype(), shape: self.shape().to_vec(), row_major: self.order().is_row_major() }
    }
    // Instantiated for all element types. Marked inline, so that only crates that call this function compile the instances.
    #[inline]
    fn put_bytes(&self, put: &mut dyn FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
        if cfg!(target_endian = "little")
            && let Some(bytes) = self.storage().data().host_bytes(&self.enumeration())
        {
            return put(bytes);
        }
        let mut bytes = Vec::new();
        reserve(&mut bytes, CHUNK.min(self.len().saturating_mul(self.dtype().size())))?;
        dispatch!(self.dtype(), U => for_dyn_parts::<U>(self.look(), &mut |elements| {
            bytes.clear();
            U::encode(&elements, &mut bytes);
            put(&bytes)
        }))
    }
}

/// Maximum number of bytes of elements in one file: half of the largest file offset, which leaves space for headers.
#[cfg(any(feature = "npy", feature = "safetensors"))]
const LARGEST_FILE: u64 = 1 << 62;

/// Returns an error if the elements of all tensors together have more bytes than [`LARGEST_FILE`]. A broadcast view can be that large, as
/// its repeated elements take no memory. Called before anything is written.
#[cfg(any(feature = "npy", feature = "safetensors"))]
pub(super) fn fit_a_file(tensors: impl IntoIterator<Item = Contents>, path: &str) -> Result<(), Error> {
    let all = tensors.into_iter().map(|x| x.bytes()).fold(0, u64::saturating_add);
    if all <= LARGEST_FILE {
        return Ok(());
    }
    let reason = format!(
        "cannot be written: its elements have {all} bytes, more than a file can hold; write the tensor before it is broadcast"
    );
    Err(Error::File { path: path.to_owned(), reason })
}

/// Returns the slowest axis with an extent above 1, or `None` if all elements fit in one chunk.
fn axis_to_halve(shape: &[usize], row_major: bool, size: usize) -> Option<usize> {
    if shape.iter().product::<usize>() <= CHUNK / size {
        return None;
    }
    let longer = |extent: &usize| *extent > 1;
    if row_major { shape.iter().position(longer) } else { shape.iter().rposition(longer) }
}

/// The same as [`for_parts`] for a `DynTensor` with elements of type `T`.
pub(super) fn for_dyn_parts<T: Element>(
    x: DynView<'_>,
    f: &mut dyn FnMut(Vec<T>) -> Result<(), Error>,
) -> Result<(), Error> {
    match axis_to_halve(x.shape(), x.order().is_row_major(), size_of::<T>()) {
        Some(axis) => {
            let (low, high) = x.layout().split_at(axis, x.shape()[axis] / 2)?;
            for_dyn_parts(x.with_axes(low), f)?;
            for_dyn_parts(x.with_axes(high), f)
        }
        None => f(x.to_vec::<T>()?),
    }
}

/// Passes the elements to `f` in chunks, in memory order. Splits the tensor in half along its slowest axis until a part fits in a
/// chunk, so never more than one chunk is copied at a time.
pub(super) fn for_parts<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>>(
    x: &Tensor<T, D, O, Dev, S>,
    f: &mut dyn FnMut(Vec<T>) -> Result<(), Error>,
) -> Result<(), Error> {
    let shape = x.shape();
    match axis_to_halve(shape.as_ref(), O::ROW_MAJOR, size_of::<T>()) {
        Some(axis) => {
            let (low, high) = x.try_split_at(axis, shape.as_ref()[axis] / 2)?;
            for_parts(&low, f)?;
            for_parts(&high, f)
        }
        None => f(x.to_device::<Cpu>()?.into_vec()),
    }
}
