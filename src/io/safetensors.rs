//! `.safetensors` files: several row-major tensors in one file, which can be memory-mapped.
//!
//! [`Safetensors`] reads and maps files, [`SafetensorsWriter`] writes them. The format is row-major only: write a column-major tensor
//! through `.as_order::<RowMajor>()`, and convert it with `.to_order::<ColMajor>()` after reading.
//!
//! | safetensors | here |
//! |---|---|
//! | `BOOL`, `I8`..`I64`, `U8`..`U64` | `bool`, `i8`..`i64`, `u8`..`u64` |
//! | `F32`, `F64`, `C64` | `f32`, `f64`, `Complex<f32>` |
//! | `F16`, `BF16`, `F8_E4M3` and other small floats | unsupported: reading is an error; [`info`](Safetensors::info) returns the shape |
//! | unsupported | `Complex<f64>` |
//!
//! ```
//! use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
//! use vierbein::prelude::*;
//!
//! let path = std::env::temp_dir().join(format!("vierbein-{}.safetensors", std::process::id()));
//! let weights = tensor![[1.5f32, 2.5], [3.5, 4.5]];
//! SafetensorsWriter::new().add("weights", &weights)?.metadata("made by", "a test").write(&path)?;
//!
//! // SAFETY: no other code knows this file, so it is not modified while it is mapped.
//! let file = unsafe { Safetensors::map(&path)? };
//! let view: TensorView<f32, Rank<2>> = file.view("weights")?; // borrows the mapped file
//! assert_eq!(view, weights);
//! assert_eq!(file.metadata()["made by"], "a test");
//! # drop(file);
//! # std::fs::remove_file(path).unwrap();
//! # Ok::<(), vierbein::Error>(())
//! ```
//!
//! Files are not trusted. The header must describe the data after it without gaps, overlaps or trailing bytes. The data of each tensor
//! must have the length that follows from its shape. All of this is checked when a file is opened, with memory for the header only.

mod header;
mod writer;

pub use header::Info;
pub use writer::{InRowMajor, SafetensorsWriter};

use super::checked::Checked;
use super::codec::{Codec, check_bools};
use super::contents::{Contents, shorten};
use super::tensors::FromFile;
use crate::device::CpuBuffer;
use crate::device::cpu::reserve;
use crate::dispatch;
use crate::element::{DType, Element};
use crate::error::Error;
use crate::rank::{Dim, other_rank, shape_of};
use crate::tensor::TensorView;
use header::Header;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest alignment of an element type, in bytes.
const ALIGNMENT: usize = 8;

/// The contents of a file of tensors, which was read into memory or is memory-mapped.
#[derive(Debug)]
pub struct Safetensors {
    name: String,
    bytes: Bytes,
    header: Header,
}

/// The bytes of a whole file.
enum Bytes {
    /// A buffer, and the index at which the file begins in it. The address of the file's first byte is a multiple of [`ALIGNMENT`].
    Read(Vec<u8>, usize),
    Mapped(memmap2::Mmap),
}

impl core::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let kind = if matches!(self, Bytes::Read(..)) { "read" } else { "mapped" };
        write!(f, "{} bytes, {kind}", self.get().len())
    }
}

impl Bytes {
    fn get(&self) -> &[u8] {
        match self {
            Bytes::Read(bytes, start) => &bytes[*start..],
            Bytes::Mapped(map) => map,
        }
    }
}

fn cannot(name: &str) -> impl Fn(io::Error) -> Error {
    move |e| Error::File { path: name.to_owned(), reason: format!("cannot be read: {e}") }
}

impl Safetensors {
    /// Maps a file into memory. Reads the header only; elements are loaded when they are accessed.
    ///
    /// # Safety
    /// Until the returned value is dropped, neither this process nor any other may modify or truncate the file. A write changes elements
    /// that safe code has borrowed, and an access past the end of the file kills the process. If this cannot be guaranteed, use
    /// [`read`](Safetensors::read), which copies. Replacing the file by a rename, as all writers of this crate do, is allowed: the old file
    /// stays mapped.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be mapped, or its header is damaged.
    ///
    /// ```
    /// # use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
    /// # let path = std::env::temp_dir().join(format!("vierbein-map-{}.safetensors", std::process::id()));
    /// # SafetensorsWriter::new().add("x", &vierbein::tensor![1.0, 2.0])?.write(&path)?;
    /// // SAFETY: nothing modifies this file while it is mapped.
    /// let file = unsafe { Safetensors::map(&path)? };
    /// assert_eq!(file.names().collect::<Vec<_>>(), ["x"]);
    /// # drop(file);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, Error> {
        let name = path.as_ref().display().to_string();
        let file = File::open(path).map_err(cannot(&name))?;
        // SAFETY: the caller ensures that the file is not modified or truncated while the result, which owns the map, exists.
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(cannot(&name))?;
        Safetensors::of(name, Bytes::Mapped(map))
    }

    /// Reads a whole file into memory.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read, or is damaged. [`Error::OutOfMemory`] if the allocation fails.
    ///
    /// ```
    /// use vierbein::io::safetensors::Safetensors;
    /// let iris = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/iris.npy");
    /// assert!(Safetensors::read(iris).unwrap_err().to_string().contains("is not a safetensors file"));
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let name = path.as_ref().display().to_string();
        let file = File::open(path).map_err(cannot(&name))?;
        let metadata = file.metadata().map_err(cannot(&name))?;
        Safetensors::read_named(name, file, if metadata.is_file() { metadata.len() } else { 0 })
    }

    /// Reads a file from any reader, like [`read`](Safetensors::read). Bytes after the end of the file are an error.
    ///
    /// # Errors
    /// See [`read`](Safetensors::read).
    ///
    /// ```
    /// # use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
    /// let mut bytes = Vec::new();
    /// SafetensorsWriter::new().add("x", &vierbein::tensor![1.0, 2.0])?.write_to(&mut bytes)?;
    /// assert_eq!(Safetensors::read_from(&bytes[..])?.names().len(), 1);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn read_from(reader: impl Read) -> Result<Self, Error> {
        Safetensors::read_named("<stream>".to_owned(), Checked(reader), 0)
    }

    /// Reads a file of `size` bytes. If `size` is 0, the length is unknown.
    fn read_named(name: String, mut reader: impl Read, size: u64) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        let room = usize::try_from(size).unwrap_or(usize::MAX).saturating_add(ALIGNMENT);
        reserve(&mut bytes, room)?;
        let mut upto = |bytes: &mut Vec<u8>, length: u64| {
            let more = length.saturating_sub(bytes.len() as u64);
            reader.by_ref().take(more).read_to_end(bytes).map_err(cannot(&name))
        };
        if size > 0 {
            // Reads one byte more than expected, to detect a file that is longer.
            upto(&mut bytes, size + 1)?;
        } else {
            // A stream may have no end, so read no more than one byte after what the header describes.
            upto(&mut bytes, 8)?;
            let length = bytes.first_chunk().map_or(0, |length| u64::from_le_bytes(*length));
            if length <= header::LONGEST_HEADER {
                upto(&mut bytes, 8 + length)?;
            }
            if let Some(length) = header::length(&bytes) {
                upto(&mut bytes, length.saturating_add(1))?;
            }
        }
        // Allocators usually return 8-byte alignment even for bytes. If not, the bytes are moved.
        reserve(&mut bytes, ALIGNMENT)?;
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        let length = bytes.len();
        if start > 0 {
            bytes.resize(length + start, 0);
            bytes.copy_within(..length, start);
        }
        Safetensors::of(name, Bytes::Read(bytes, start))
    }

    fn of(name: String, bytes: Bytes) -> Result<Self, Error> {
        match header::parse(bytes.get()) {
            Ok(header) => Ok(Safetensors { name, bytes, header }),
            Err(reason) => Err(Error::File { path: name, reason }),
        }
    }

    /// Returns the names of the tensors, sorted.
    ///
    /// ```
    /// # use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
    /// # let mut bytes = Vec::new();
    /// # let x = vierbein::tensor![1.0, 2.0];
    /// # SafetensorsWriter::new().add("b", &x)?.add("a", &x)?.write_to(&mut bytes)?;
    /// # let file = Safetensors::read_from(&bytes[..])?;
    /// assert_eq!(file.names().collect::<Vec<_>>(), ["a", "b"]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.header.tensors.keys().map(String::as_str)
    }

    /// Returns the file's metadata: strings by key.
    ///
    /// ```
    /// # use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
    /// # let mut bytes = Vec::new();
    /// SafetensorsWriter::new().metadata("format", "pt").write_to(&mut bytes)?;
    /// assert_eq!(Safetensors::read_from(&bytes[..])?.metadata()["format"], "pt");
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[must_use]
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.header.metadata
    }

    /// Returns the element type and the shape of a tensor. If the element type is not supported, there is no error:
    /// [`Info::dtype`] returns `None`.
    ///
    /// # Errors
    /// [`Error::File`] if there is no tensor of that name.
    ///
    /// ```
    /// # use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
    /// # let mut bytes = Vec::new();
    /// # SafetensorsWriter::new().add("x", &vierbein::tensor![1.0, 2.0])?.write_to(&mut bytes)?;
    /// # let file = Safetensors::read_from(&bytes[..])?;
    /// let info = file.info("x")?;
    /// assert_eq!((info.dtype_name(), info.shape()), ("F64", &[2][..]));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn info(&self, name: &str) -> Result<&Info, Error> {
        self.header.tensors.get(name).ok_or_else(|| {
            let mut have =
                self.names().take(8).map(|name| format!("`{}`", shorten(name))).collect::<Vec<_>>();
            if self.names().len() > have.len() {
                have.push(format!("{} more", self.names().len() - have.len()));
            }
            let have =
                if have.is_empty() { "is empty".to_owned() } else { format!("has {}", have.join(", ")) };
            Error::File {
                path: self.name.clone(),
                reason: format!("has no tensor `{}`; it {have}", shorten(name)),
            }
        })
    }

    /// Copies a tensor out of the file.
    ///
    /// # Errors
    /// [`Error::File`] if there is no tensor of that name, or if the tensor is not of type `X`. In the second case, the error says which
    /// type to read it as and how to convert from that type. Also returns an error if the allocation fails, or if a byte of a `bool` tensor
    /// is neither 0 nor 1.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// # use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
    /// # let mut bytes = Vec::new();
    /// # SafetensorsWriter::new().add("x", &vierbein::tensor![1.0, 2.0])?.write_to(&mut bytes)?;
    /// # let file = Safetensors::read_from(&bytes[..])?;
    /// let x: Tensor<f64, Rank<1>> = file.get("x")?;
    /// assert_eq!(x, tensor![1.0, 2.0]);
    /// assert_eq!(
    ///     file.get::<Tensor<f32, Rank<1>>>("x").unwrap_err().to_string(),
    ///     "<stream>, tensor `x`: holds a row-major f64 tensor of shape [2], not one of f32; \
    ///      read it as `Tensor<f64, Rank<1>>` and convert with `.cast::<f32>()`"
    /// );
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn get<X: FromFile>(&self, name: &str) -> Result<X, Error> {
        let (contents, bytes, at) = self.find(name)?;
        if let Some(reason) = X::rejection(&contents) {
            return Err(self.error(name, reason));
        }
        dispatch!(contents.dtype, U => {
            let mut elements: Vec<U> = Vec::new();
            let count = bytes.len() / size_of::<U>();
            reserve(&mut elements, count)?;
            U::decode(bytes, false, &mut elements).map_err(|bad| self.error(name, bad.reason(at)))?;
            X::of_elements(&contents, CpuBuffer::from_vec(elements))
        })
    }

    /// Returns a view of a tensor in the mapped file, or in the buffer that the file was read into. Nothing is copied.
    ///
    /// The bytes of a `bool` tensor are checked, as only 0 and 1 are valid. The bytes of all other types are not accessed.
    ///
    /// # Errors
    /// See [`get`](Safetensors::get). Also if the elements are not aligned in the file, or if the machine is big-endian and an element has
    /// more than one byte; in these cases, use `get`, which copies. Misaligned files are rare, as writers align the data.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// # use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
    /// # let mut bytes = Vec::new();
    /// # SafetensorsWriter::new().add("x", &vierbein::tensor![1.0, 2.0])?.write_to(&mut bytes)?;
    /// # let file = Safetensors::read_from(&bytes[..])?;
    /// let x: TensorView<f64, Rank<1>> = file.view("x")?;
    /// assert_eq!(x.sum().item(), 3.0);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn view<T: Element, D: Dim>(&self, name: &str) -> Result<TensorView<'_, T, D>, Error> {
        let (contents, bytes, at) = self.find(name)?;
        if let Some(reason) = contents.mismatch(T::DTYPE, other_rank::<D>(contents.shape.len()), true) {
            return Err(self.error(name, reason));
        }
        check_byte_order(size_of::<T>(), cfg!(target_endian = "big"))
            .map_err(|reason| self.error(name, reason))?;
        if T::DTYPE == DType::Bool {
            check_bools(bytes).map_err(|bad| self.error(name, bad.reason(at)))?;
        }
        let shape = shape_of::<D>(&contents.shape);
        let elements = bytes.as_ptr().cast::<T>();
        if bytes.is_empty() {
            return Ok(TensorView::of_slice(&[], shape));
        }
        if !elements.is_aligned() {
            return Err(self.error(
                name,
                format!(
                    "begins at byte {at}, which is not a multiple of {}; copy it with `.get(..)`",
                    align_of::<T>()
                ),
            ));
        }
        // SAFETY: `elements` is aligned, as was just checked. The bytes are initialised, and are borrowed from `self` for the lifetime of
        // the view. `header::parse` checked that the number of bytes matches the shape. Every bit pattern is a valid number, and
        // `check_bools` has checked the bytes of a `bool` tensor.
        let elements = unsafe { core::slice::from_raw_parts(elements, bytes.len() / size_of::<T>()) };
        Ok(TensorView::of_slice(elements, shape))
    }

    fn error(&self, name: &str, reason: impl Into<String>) -> Error {
        Error::File { path: format!("{}, tensor `{}`", self.name, shorten(name)), reason: reason.into() }
    }

    /// Returns the description of a tensor, its bytes, and their offset in the file.
    fn find(&self, name: &str) -> Result<(Contents, &[u8], u64), Error> {
        let info = self.info(name)?;
        let contents = info.contents().map_err(|reason| self.error(name, reason))?;
        let data = &self.bytes.get()[self.header.data..];
        Ok((contents, &data[info.begin..info.end], (self.header.data + info.begin) as u64))
    }
}

/// Returns an error if the bytes of an element of this size must be swapped, because the file is little-endian and the machine is
/// big-endian.
fn check_byte_order(element_bytes: usize, machine_is_big_endian: bool) -> Result<(), &'static str> {
    match machine_is_big_endian && element_bytes > 1 {
        true => Err("is little-endian, and this machine is big-endian; copy it with `.get(..)`"),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::check_byte_order;

    #[test]
    fn check_byte_order_rejects_wide_elements_on_big_endian_machines() {
        for (element_bytes, big_endian, ok) in
            [(1, false, true), (8, false, true), (1, true, true), (2, true, false), (8, true, false)]
        {
            assert_eq!(
                check_byte_order(element_bytes, big_endian).is_ok(),
                ok,
                "{element_bytes} {big_endian}"
            );
        }
    }
}
