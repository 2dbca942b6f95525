//! NumPy's `.npy` files: one dense tensor each, with its element type, shape and order in a header.
//!
//! [`read_npy`](Tensor::read_npy) and [`write_npy`](Tensor::write_npy) are methods of tensors; [`read_header`] looks at a
//! file without reading its elements.
//!
//! A file says what a tensor's type says. Where the two agree, reading is a plain copy. Where they do not, the error says
//! what the file holds, as what to read it and how to convert it then: only the byte order is converted unasked.
//!
//! | NumPy | here |
//! |---|---|
//! | `fortran_order: False`, `True` | [`RowMajor`](crate::RowMajor), [`ColMajor`](crate::ColMajor) |
//! | `bool`, `int8`..`int64`, `uint8`..`uint64` | `bool`, `i8`..`i64`, `u8`..`u64` |
//! | `float32`, `float64`, `complex64`, `complex128` | `f32`, `f64`, `Complex<f32>`, `Complex<f64>` |
//!
//! Files are not trusted. One that is cut off, too long, or not what it says is an error, and never makes the program
//! allocate more than a little beyond what the file really holds.

// npyz reads headers, and elements of either byte order. It trusts its input, so headers are checked before it sees them;
// and they are written here, because npyz's differ from NumPy's in spaces.
#![forbid(unsafe_code)]

use crate::device::{Cpu, Device};
use crate::dispatch;
use crate::element::Element;
use crate::error::Error;
use crate::layout::element_count;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;
use core::any::Any;
use npyz::{AutoSerialize, Deserialize, Serialize, TypeRead, TypeWrite};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

mod header;
pub use header::Header;

/// The longest header that is read, in bytes: NumPy's own limit. That of an array of numbers has one or two hundred.
const LONGEST_HEADER: usize = 10_000;
/// How many bytes are read or written at a time.
const CHUNK: usize = 1 << 18;

/// What a file holds, without reading its elements.
///
/// # Errors
/// [`Error::File`] where the file cannot be read or is no npy file. Element types that tensors do not have are no error
/// here.
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
    from_path(path.as_ref(), |source| Ok(source.header()?.0))
}

impl<T: Element, D: Dim, O: Order, Dev: Device> Tensor<T, D, O, Dev> {
    /// The tensor in a NumPy file, which must have this element type, rank and order.
    ///
    /// The byte order does not matter, and neither does the order of what is the same in both: ranks 0 and 1, tensors with at
    /// most one axis longer than 1, and empty ones.
    ///
    /// # Errors
    /// [`Error::File`] where the file cannot be read, is damaged, or holds something else. In the last case the error says
    /// as what to read it and how to convert it. Otherwise where the device has no memory left.
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
        from_path(path.as_ref(), |source| source.tensor())
    }

    /// [`read_npy`](Tensor::read_npy) from anything that can be read: a socket, a member of an archive, bytes in memory.
    ///
    /// Exactly the tensor's bytes are taken. So several tensors can follow one another, as NumPy allows; pass
    /// `&mut reader` to go on reading after the first.
    ///
    /// # Errors
    /// As [`read_npy`](Tensor::read_npy), but what follows the tensor is no error.
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
        Source { name: "<stream>".to_owned(), reader: &mut reader, size: None }.tensor()
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Writes a NumPy file: the very bytes that NumPy writes for the same elements in the same order.
    ///
    /// A file that is there already is replaced once the new one is complete. Until then, and after an error, it is as it
    /// was.
    ///
    /// # Errors
    /// [`Error::File`] where the file cannot be written; otherwise where the elements cannot be copied to the host.
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
        let path = path.as_ref();
        let name = path.display().to_string();
        replace(path, |file| self.write_into(&mut Sink { name: &name, writer: file }))
    }

    /// [`write_npy`](Tensor::write_npy) to anything that can be written.
    ///
    /// # Errors
    /// As [`write_npy`](Tensor::write_npy).
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
        self.write_into(&mut Sink { name: "<stream>", writer: &mut writer })
    }

    fn write_into(&self, sink: &mut Sink<'_>) -> Result<(), Error> {
        let shape = self.shape();
        let fortran_order = !O::ROW_MAJOR && !header::same_in_both_orders(shape.as_ref());
        sink.put(&header::bytes(T::DTYPE, shape.as_ref(), fortran_order))?;
        write_parts(self, sink)?;
        sink.writer.flush().map_err(|e| sink.error(e))
    }
}

/// A value under the other name that its type has.
fn same<A: 'static, B: 'static>(value: A) -> B {
    let mut value = Some(value);
    let value = (&mut value as &mut dyn Any).downcast_mut::<Option<B>>();
    value.and_then(Option::take).expect("one element type has one tag")
}

// ------------------------------------------------------------------ reading

/// Where a file comes from.
struct Source<'a> {
    name: String,
    reader: &'a mut dyn Read,
    /// The bytes of the whole file, where that is known beforehand.
    size: Option<u64>,
}

fn from_path<R>(path: &Path, read: impl FnOnce(&mut Source<'_>) -> Result<R, Error>) -> Result<R, Error> {
    let name = path.display().to_string();
    let error = |e: io::Error| Error::File { path: name.clone(), why: format!("cannot be read: {e}") };
    let mut file = File::open(path).map_err(error)?;
    let metadata = file.metadata().map_err(error)?;
    let size = metadata.is_file().then_some(metadata.len());
    read(&mut Source { name, reader: &mut file, size })
}

impl Source<'_> {
    fn error(&self, why: impl Into<String>) -> Error {
        Error::File { path: self.name.clone(), why: why.into() }
    }

    /// Reads until the buffer is full or the file ends; says how many bytes there were.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.error(format!("cannot be read: {e}"))),
            }
        }
        Ok(filled)
    }

    /// Appends that many bytes of the header.
    fn extend(&mut self, bytes: &mut Vec<u8>, by: usize) -> Result<(), Error> {
        let start = bytes.len();
        bytes.resize(start + by, 0);
        if self.fill(&mut bytes[start..])? < by {
            return Err(self.error("ends within its header"));
        }
        Ok(())
    }

    /// The header, npyz's name for the element type, and how many bytes the header took.
    fn header(&mut self) -> Result<(Header, npyz::DType, usize), Error> {
        let mut bytes = vec![0; 8];
        let filled = self.fill(&mut bytes)?;
        match &bytes[..filled] {
            [] => return Err(self.error("is empty, not an npy file")),
            [b'P', b'K', ..] => {
                return Err(self.error("is a zip archive, maybe of npy files (npz); unpack it first"));
            }
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => {}
            _ => return Err(self.error(r"is not an npy file: those begin with the bytes `\x93NUMPY`")),
        }
        let length_bytes = match bytes[6..filled] {
            [1, 0] => 2,
            [2 | 3, 0] => 4,
            [major, minor] => {
                return Err(self.error(format!(
                    "has version {major}.{minor} of the npy format; versions 1.0, 2.0 and 3.0 can be read"
                )));
            }
            _ => return Err(self.error("ends within its header")),
        };
        self.extend(&mut bytes, length_bytes)?;
        let length = bytes[8..].iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte));
        if length > LONGEST_HEADER {
            return Err(self.error(format!(
                "has a header of {length} bytes, but those of arrays of numbers are shorter than {LONGEST_HEADER}"
            )));
        }
        self.extend(&mut bytes, length)?;
        let (header, dtype) = header::parse(&mut bytes, length).map_err(|why| self.error(why))?;
        Ok((header, dtype, bytes.len()))
    }

    fn tensor<T: Element, D: Dim, O: Order, Dev: Device + Default>(
        &mut self,
    ) -> Result<Tensor<T, D, O, Dev>, Error> {
        let (header, dtype, header_bytes) = self.header()?;
        if let Some(why) = header.mismatch(T::DTYPE, D::NDIM, O::ROW_MAJOR) {
            return Err(self.error(why));
        }
        let data = dispatch!(T::DTYPE, U => same(self.elements::<U>(&header, &dtype, header_bytes)?));
        let mut shape = D::Shape::default();
        shape.as_mut().copy_from_slice(&header.shape);
        Tensor::try_from_vec_in(shape, data, &Dev::default())
    }

    /// The elements in the file's sequence. `header_bytes` lie behind.
    fn elements<U>(
        &mut self,
        header: &Header,
        dtype: &npyz::DType,
        header_bytes: usize,
    ) -> Result<Vec<U>, Error>
    where
        U: Element + Deserialize,
    {
        let size = size_of::<U>();
        let count = element_count(&header.shape, size).map_err(|e| self.error(e.to_string()))?;
        let claim =
            || format!("the {} bytes of a {} tensor of shape {:?}", count * size, U::DTYPE, header.shape);
        if let Some(have) = self.size.map(|size| size.saturating_sub(header_bytes as u64)) {
            if have < (count * size) as u64 {
                return Err(self.error(format!("holds {have} bytes of data, fewer than {}", claim())));
            }
            if have > (count * size) as u64 {
                return Err(self.error(format!("holds {have} bytes of data, more than {}", claim())));
            }
        }
        let no_memory = |_| Error::OutOfMemory { device: Cpu.name(), bytes: count * size };
        let decoder = U::reader(dtype).map_err(|e| self.error(e.to_string()))?;
        let mut data: Vec<U> = Vec::new();
        // Elements that are known to be there get their memory at once; others as they arrive.
        let sure = if self.size.is_some() { count } else { count.min(CHUNK / size) };
        data.try_reserve_exact(sure).map_err(no_memory)?;
        let mut chunk = vec![0; CHUNK.min(count * size)];
        while data.len() < count {
            let start = data.len();
            let next = (count - start).min(CHUNK / size);
            let filled = self.fill(&mut chunk[..next * size])?;
            if filled < next * size {
                let have = start * size + filled;
                return Err(self.error(format!("holds {have} bytes of data, fewer than {}", claim())));
            }
            data.try_reserve(next).map_err(no_memory)?;
            data.resize(start + next, U::default());
            for (element, bytes) in data[start..].iter_mut().zip(chunk.chunks_exact(size)) {
                *element = decoder.read_one(bytes).map_err(|e| self.error(format!("is damaged: {e}")))?;
            }
        }
        data.shrink_to_fit();
        Ok(data)
    }
}

// ------------------------------------------------------------------ writing

/// Where a file goes.
struct Sink<'a> {
    name: &'a str,
    writer: &'a mut dyn Write,
}

impl Sink<'_> {
    fn error(&self, e: io::Error) -> Error {
        Error::File { path: self.name.to_owned(), why: format!("cannot be written: {e}") }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.writer.write_all(bytes).map_err(|e| self.error(e))
    }
}

/// Writes the elements in the tensor's order: halves it along its slowest axis until a part is small, so that no copy of
/// the whole is made.
fn write_parts<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>>(
    x: &Tensor<T, D, O, Dev, S>,
    sink: &mut Sink<'_>,
) -> Result<(), Error> {
    let shape = x.shape();
    let longer = |extent: &usize| *extent > 1;
    let slowest = match O::ROW_MAJOR {
        true => shape.as_ref().iter().position(longer),
        false => shape.as_ref().iter().rposition(longer),
    };
    match slowest {
        Some(axis) if x.len() > CHUNK / size_of::<T>() => {
            let (low, high) = x.try_split_at(axis, shape.as_ref()[axis] / 2)?;
            write_parts(&low, sink)?;
            write_parts(&high, sink)
        }
        _ => sink.put(&encode(x.to_device::<Cpu>()?.into_vec())),
    }
}

/// The bytes of elements.
fn encode<T: Element>(values: Vec<T>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(&values[..]));
    dispatch!(T::DTYPE, U => {
        let encoder = U::writer(&U::default_dtype()).expect("a type can be written as itself");
        for value in same::<Vec<T>, Vec<U>>(values) {
            encoder.write_one(&mut bytes, &value).expect("a `Vec` takes all bytes");
        }
    });
    bytes
}

/// A file that is removed unless it gets its proper name.
struct Temporary(Option<PathBuf>);

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // There is already an error to report.
            let _ = fs::remove_file(path);
        }
    }
}

/// Writes a file beside `path` and renames it, so that `path` always names a complete file: the old one or the new one.
fn replace(path: &Path, write: impl FnOnce(&mut File) -> Result<(), Error>) -> Result<(), Error> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let error = |e: io::Error| Error::File {
        path: path.display().to_string(),
        why: format!("cannot be written: {e}"),
    };
    // Behind a symbolic link, the file itself is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A pipe or a terminal stays what it is; a folder is an error.
        return write(&mut OpenOptions::new().write(true).open(&target).map_err(error)?);
    }
    let (mut file, mut temporary) = loop {
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let beside = target.with_file_name(format!(".vierbein-{}-{count}.tmp", std::process::id()));
        match File::create_new(&beside) {
            Ok(file) => break (file, Temporary(Some(beside))),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(error(e)),
        }
    };
    write(&mut file)?;
    if let Some(old) = old {
        file.set_permissions(old.permissions()).map_err(error)?;
    }
    // Without this, a rename can outlive a loss of power that the data do not.
    file.sync_all().map_err(error)?;
    drop(file);
    if let Some(beside) = temporary.0.as_ref() {
        fs::rename(beside, &target).map_err(error)?;
    }
    temporary.0 = None;
    Ok(())
}
