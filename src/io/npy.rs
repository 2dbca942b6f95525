//! NumPy's `.npy` files: one contiguous array each, with its element type, shape and memory order in a header.
//!
//! [`read_npy`](Tensor::read_npy) and [`write_npy`](Tensor::write_npy) are methods of tensors. [`read_header`] reads the header without
//! the elements.
//!
//! The header must match the element type, rank and memory order of the tensor type that is read. If it does not, the error says what
//! the file holds, which type to read it as, and how to convert from that type. Only the byte order is converted automatically.
//!
//! | NumPy | here |
//! |---|---|
//! | `fortran_order: False`, `True` | [`RowMajor`](crate::RowMajor), [`ColMajor`](crate::ColMajor) |
//! | `bool`, `int8`..`int64`, `uint8`..`uint64` | `bool`, `i8`..`i64`, `u8`..`u64` |
//! | `float32`, `float64`, `complex64`, `complex128` | `f32`, `f64`, `Complex<f32>`, `Complex<f64>` |
//!
//! The name of the element type in a header can be any that NumPy reads as one of these types, such as `<f8`, `f8`, `=f8`, `d` or
//! `float64`.
//!
//! Files are not trusted. If a file is truncated, too long or inconsistent, reading it returns an error. Reading never allocates much
//! more memory than the file's actual size.

#![forbid(unsafe_code)]

use super::replace::replace;
use super::source::{Source, from_path};
use super::tensors::{FromFile, ToFile, fit_a_file};
use crate::device::Device;
use crate::dispatch;
use crate::dyn_tensor::{DynData, DynTensor};
use crate::element::Element;
use crate::error::Error;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;
use std::io::{self, Read, Write};
use std::path::Path;

mod header;
mod literal;
pub use header::Header;

/// Maximum length of a header in bytes, as in NumPy. The header of a numeric array has 100 to 200 bytes.
const LONGEST_HEADER: usize = 10_000;

/// Reads the header of a file, without its elements.
///
/// # Errors
/// [`Error::File`] if the file cannot be read or is not an npy file. If the element type is not supported, there is no error:
/// [`Header::dtype`] is `None`.
///
/// ```
/// use vierbein::DType;
/// use vierbein::io::npy::read_header;
///
/// let iris = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/iris.npy");
/// let header = read_header(iris)?;
/// assert_eq!((header.dtype, header.shape), (Some(DType::F64), vec![150, 4]));
/// assert!(!header.fortran_order);
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn read_header(path: impl AsRef<Path>) -> Result<Header, Error> {
    from_path(path.as_ref(), |source| Ok(header(source)?.0))
}

/// Reads a header from any reader, like [`read_header`]. Consumes exactly the bytes of the header.
///
/// # Errors
/// See [`read_header`].
///
/// ```
/// use vierbein::io::npy::read_header_from;
///
/// let mut bytes = Vec::new();
/// vierbein::tensor![[1, 2, 3]].write_npy_to(&mut bytes)?;
/// assert_eq!(read_header_from(&bytes[..])?.shape, [1, 3]);
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn read_header_from(mut reader: impl Read) -> Result<Header, Error> {
    Ok(header(&mut Source::stream(&mut reader))?.0)
}

impl<T: Element, D: Dim, O: Order, Dev: Device> Tensor<T, D, O, Dev> {
    /// Reads a tensor from a NumPy file, which must hold this element type, rank and memory order.
    ///
    /// Either byte order is accepted. The memory order is ignored if both orders are the same for the shape. This is the case for ranks
    /// 0 and 1, for tensors with at most one axis longer than 1, and for empty tensors.
    ///
    /// # Errors
    /// * [`Error::File`] if the file cannot be read, is damaged, or holds a tensor of another type. In the last case, the error says
    ///   which type to read it as, and how to convert from that type.
    /// * Other errors if the allocation on the device fails.
    ///
    /// ```
    /// use vierbein::prelude::*;
    ///
    /// let iris = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/iris.npy");
    /// let x = Tensor::<f64, Rank<2>>::read_npy(iris)?;
    /// assert_eq!((x.shape(), x[[0, 0]]), ([150, 4], 5.1));
    ///
    /// let error = Tensor::<f32, Rank<2>>::read_npy(iris).unwrap_err();
    /// assert!(error.to_string().ends_with(
    ///     "holds a row-major f64 tensor of shape [150, 4], not one of f32; \
    ///      read it as `Tensor<f64, Rank<2>>` and convert with `.cast::<f32>()`"
    /// ));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn read_npy(path: impl AsRef<Path>) -> Result<Self, Error>
    where
        Dev: Default,
    {
        from_path(path.as_ref(), read)
    }

    /// Reads a tensor from any reader, like [`read_npy`](Tensor::read_npy): a socket, a member of an archive, bytes in memory.
    ///
    /// Consumes exactly the bytes of the tensor. So a reader can hold several tensors in succession, as NumPy allows: pass `&mut
    /// reader` to continue after the first tensor.
    ///
    /// # Errors
    /// See [`read_npy`](Tensor::read_npy). Bytes after the tensor are not read, so they cause no error.
    ///
    /// ```
    /// use vierbein::{Rank, Tensor, tensor};
    ///
    /// let mut bytes = Vec::new();
    /// tensor![1, 2, 3].write_npy_to(&mut bytes)?;
    /// tensor![true].write_npy_to(&mut bytes)?;
    ///
    /// let mut reader = &bytes[..];
    /// assert_eq!(Tensor::<i32, Rank<1>>::read_npy_from(&mut reader)?, tensor![1, 2, 3]);
    /// assert_eq!(Tensor::<bool, Rank<1>>::read_npy_from(&mut reader)?, tensor![true]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn read_npy_from(mut reader: impl Read) -> Result<Self, Error>
    where
        Dev: Default,
    {
        read(&mut Source::stream(&mut reader))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Writes a NumPy file: the bytes that NumPy writes for the same elements in the same memory order.
    ///
    /// Elements are little-endian on every machine.
    ///
    /// An existing file is replaced once the new file is complete. Until then, and after an error, the old file is unchanged. The method
    /// returns when the data are on disk. This takes several times longer than writing to the system's cache. To write without waiting,
    /// pass a [`File`](std::fs::File) to [`write_npy_to`](Tensor::write_npy_to).
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be written. Other errors if the elements cannot be copied to the host.
    ///
    /// ```
    /// use vierbein::{Rank, Tensor, tensor};
    ///
    /// let path = std::env::temp_dir().join(format!("vierbein-write-npy-{}.npy", std::process::id()));
    /// let x = tensor![[1.5, 2.5], [3.5, 4.5]];
    /// x.t().write_npy(&path)?;
    /// assert_eq!(Tensor::<f64, Rank<2>>::read_npy(&path)?, x.t());
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_file(self, path.as_ref())
    }

    /// Writes a NumPy file to any writer, like [`write_npy`](Tensor::write_npy).
    ///
    /// # Errors
    /// See [`write_npy`](Tensor::write_npy).
    ///
    /// ```
    /// use vierbein::{Rank, Tensor, tensor};
    ///
    /// let mut bytes = Vec::new();
    /// tensor![[1, 2], [3, 4]].write_npy_to(&mut bytes)?;
    /// assert_eq!(bytes.len(), 128 + 4 * size_of::<i32>());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn write_npy_to(&self, mut writer: impl Write) -> Result<(), Error> {
        write(self, "<stream>", &mut writer)
    }
}

// ------------------------------------------------------------------ dynamic tensors

impl DynTensor {
    /// Reads a NumPy file into a tensor on the host, with the element type, shape and memory order of the file.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read, is damaged, or holds an unsupported element type.
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, MemoryOrder};
    ///
    /// let x = DynTensor::read_npy(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/iris.npy"))?;
    /// assert_eq!((x.dtype(), x.shape(), x.order()), (DType::F64, &[150, 4][..], MemoryOrder::RowMajor));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    // Instantiated for all element types. Marked inline, so that only crates that call this function compile the instances.
    #[inline]
    pub fn read_npy(path: impl AsRef<Path>) -> Result<DynTensor, Error> {
        from_path(path.as_ref(), read)
    }

    /// Reads a tensor from any reader, like [`read_npy`](DynTensor::read_npy). Consumes exactly the bytes of the tensor.
    ///
    /// # Errors
    /// See [`read_npy`](DynTensor::read_npy).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut bytes = Vec::new();
    /// tensor![true, false].write_npy_to(&mut bytes)?;
    /// assert_eq!(DynTensor::read_npy_from(&bytes[..])?.downcast_ref()?, tensor![true, false]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[inline]
    pub fn read_npy_from(mut reader: impl Read) -> Result<DynTensor, Error> {
        read(&mut Source::stream(&mut reader))
    }
}

impl<S: DynData> DynTensor<S> {
    /// Writes a NumPy file, as [`Tensor::write_npy`] does.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be written. Other errors if the elements cannot be copied to the host.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let path = std::env::temp_dir().join(format!("vierbein-dyn-npy-{}.npy", std::process::id()));
    /// DynTensor::from(tensor![[1, 2], [3, 4]]).write_npy(&path)?;
    /// assert_eq!(DynTensor::read_npy(&path)?.downcast_ref()?, tensor![[1, 2], [3, 4]]);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_file(self, path.as_ref())
    }

    /// Writes a NumPy file to any writer, like [`write_npy`](DynTensor::write_npy).
    ///
    /// # Errors
    /// See [`write_npy`](DynTensor::write_npy).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let (mut typed, mut erased) = (Vec::new(), Vec::new());
    /// tensor![1, 2].write_npy_to(&mut typed)?;
    /// DynTensor::from(tensor![1, 2]).write_npy_to(&mut erased)?;
    /// assert_eq!(erased, typed);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn write_npy_to(&self, mut writer: impl Write) -> Result<(), Error> {
        write(self, "<stream>", &mut writer)
    }
}

// ------------------------------------------------------------------ reading

/// Reads `by` more bytes of the header and appends them to `bytes`.
fn extend(source: &mut Source<'_>, bytes: &mut Vec<u8>, by: usize) -> Result<(), Error> {
    let start = bytes.len();
    bytes.resize(start + by, 0);
    let filled = source.fill(&mut bytes[start..])?;
    if filled < by {
        return Err(ends(source));
    }
    Ok(())
}

fn ends(source: &Source<'_>) -> Error {
    source.error(format!("ends within its header, after {} bytes", source.at))
}

/// Reads the header. Also returns whether the elements are big-endian.
pub(super) fn header(source: &mut Source<'_>) -> Result<(Header, bool), Error> {
    let mut bytes = vec![0; 8];
    let filled = source.fill(&mut bytes)?;
    match &bytes[..filled] {
        [] => return Err(source.error("is empty, not an npy file")),
        [b'P', b'K', ..] => {
            return Err(source
                .error("is a zip archive, maybe of npy files: open it with `Npz::open` (feature `npz`)"));
        }
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => {}
        _ => return Err(source.error(r"is not an npy file: those begin with the bytes `\x93NUMPY`")),
    }
    let length_bytes = match bytes[6..filled] {
        [1, 0] => 2,
        [2 | 3, 0] => 4,
        [major, minor] => {
            return Err(source.error(format!(
                "has version {major}.{minor} of the npy format; versions 1.0, 2.0 and 3.0 can be read"
            )));
        }
        _ => return Err(ends(source)),
    };
    extend(source, &mut bytes, length_bytes)?;
    let length = bytes[8..].iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte));
    if length > LONGEST_HEADER {
        return Err(source.error(format!(
            "has a header of {length} bytes, but those of arrays of numbers are shorter than {LONGEST_HEADER}"
        )));
    }
    extend(source, &mut bytes, length)?;
    header::parse(&bytes[bytes.len() - length..]).map_err(|reason| source.error(reason))
}

/// Reads a tensor as an `X`, or returns an error if `X` rejects the header.
pub(super) fn read<X: FromFile>(source: &mut Source<'_>) -> Result<X, Error> {
    let (header, big_endian) = header(source)?;
    let contents = header.contents().map_err(|reason| source.error(reason))?;
    if let Some(reason) = X::rejection(&contents) {
        return Err(source.error(reason));
    }
    dispatch!(contents.dtype, U => X::of_elements(&contents, source.elements::<U>(&contents, big_endian)?))
}

// ------------------------------------------------------------------ writing

/// Writes header and elements to `writer`. Error messages use `name` for the destination.
pub(super) fn write<X: ToFile + ?Sized>(x: &X, name: &str, writer: &mut dyn Write) -> Result<(), Error> {
    let error =
        |e: io::Error| Error::File { path: name.to_owned(), reason: format!("cannot be written: {e}") };
    fit_a_file([x.contents()], name)?;
    writer.write_all(&header::bytes(&x.contents())).map_err(error)?;
    x.put_bytes(&mut |bytes| writer.write_all(bytes).map_err(error))?;
    writer.flush().map_err(error)
}

pub(super) fn write_file<X: ToFile + ?Sized>(x: &X, path: &Path) -> Result<(), Error> {
    let name = path.display().to_string();
    replace(path, |file| write(x, &name, file))
}
