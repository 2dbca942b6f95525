//! NumPy's `.npz` archives: zip files with one `.npy` file per array, stored or compressed.
//!
//! [`Npz`] reads archives of `np.savez` and `np.savez_compressed`. [`NpzWriter`] writes archives that `np.load` reads. A name is the
//! array's name in Python, without the suffix `.npy` that it has in the archive. Arrays without a name are `arr_0`, `arr_1` and so on.
//!
//! ```
//! use vierbein::io::npz::{Npz, NpzWriter};
//! use vierbein::prelude::*;
//!
//! let path = std::env::temp_dir().join(format!("vierbein-npz-{}.npz", std::process::id()));
//! let (weights, steps) = (tensor![[1.5f32, 2.5], [3.5, 4.5]], tensor![1i64, 2, 3]);
//! NpzWriter::new().add("weights", &weights)?.add("steps", &steps)?.write(&path)?;
//!
//! let mut file = Npz::open(&path)?;
//! assert_eq!(file.names().collect::<Vec<_>>(), ["weights", "steps"]);
//! let back: Tensor<f32, Rank<2>> = file.get("weights")?;
//! assert_eq!(back, weights);
//! assert_eq!(file.get::<Tensor<i64, Rank<1>>>("steps")?, steps);
//! # std::fs::remove_file(path).unwrap();
//! # Ok::<(), vierbein::Error>(())
//! ```
//!
//! Archives are not trusted. Their directory must lie within the file, names must be unique, and entries must not overlap. The length
//! and the checksum of each entry must agree with the directory. A name is only looked up, never used as a path.
//!
//! Memory is allocated as elements are decompressed; the size that an entry claims is not trusted. The elements take at most 1032 times
//! the entry's compressed size, the maximum ratio of the format. If that may be too much, check the shape with [`Npz::header`] first.

#![forbid(unsafe_code)]

mod directory;
mod writer;

pub use writer::NpzWriter;

use super::checked::Checked;
use super::contents::shorten;
use super::npy::{self, Header};
use super::source::Source;
use super::tensors::FromFile;
use crate::error::Error;
use directory::{Directory, Entry};
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Zip method of entries that are stored without compression.
const STORED: u16 = 0;
/// Zip method of entries that are compressed.
const DEFLATED: u16 = 8;
/// Maximum compression ratio of Deflate: two bits can encode 258 bytes.
const LARGEST_RATIO: u64 = 1032;

/// An archive of tensors. Opening it reads the names; [`get`](Npz::get) reads the elements of one entry.
#[derive(Debug)]
pub struct Npz<R = File> {
    name: String,
    reader: R,
    directory: Directory,
    /// Whether this crate has opened the file: see [`Source::trusted`].
    trusted: bool,
}

impl Npz {
    /// Opens a file and reads its directory.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read or is not a zip archive.
    ///
    /// ```
    /// use vierbein::io::npz::Npz;
    /// let iris = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/iris.npy");
    /// let error = Npz::open(iris).unwrap_err();
    /// assert!(error.to_string().ends_with("is one npy file, not an archive of them; read it with `read_npy`"));
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Npz, Error> {
        let name = path.as_ref().display().to_string();
        match File::open(path) {
            Ok(file) => Npz::named(name, file, true),
            Err(e) => Err(Error::File { path: name, reason: format!("cannot be read: {e}") }),
        }
    }
}

impl<R: Read + Seek> Npz<R> {
    /// Reads the directory of an archive from any reader that can seek, like [`open`](Npz::open).
    ///
    /// # Errors
    /// See [`open`](Npz::open).
    ///
    /// ```
    /// use std::io::Cursor;
    /// use vierbein::io::npz::{Npz, NpzWriter};
    ///
    /// let mut bytes = Cursor::new(Vec::new());
    /// NpzWriter::new().push(&vierbein::tensor![1, 2])?.write_to(&mut bytes)?;
    /// assert_eq!(Npz::new(bytes)?.names().collect::<Vec<_>>(), ["arr_0"]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn new(reader: R) -> Result<Self, Error> {
        Npz::named("<stream>".to_owned(), reader, false)
    }

    fn named(name: String, mut reader: R, trusted: bool) -> Result<Self, Error> {
        let directory = directory::read(&mut Checked(&mut reader))
            .map_err(|reason| Error::File { path: name.clone(), reason })?;
        Ok(Npz { name, reader, directory, trusted })
    }

    /// Returns the names of the entries, in the order of the directory.
    ///
    /// ```
    /// # use std::io::Cursor;
    /// # use vierbein::io::npz::{Npz, NpzWriter};
    /// # let mut bytes = Cursor::new(Vec::new());
    /// # NpzWriter::new().add("x", &vierbein::tensor![1, 2])?.write_to(&mut bytes)?;
    /// # let archive = Npz::new(bytes)?;
    /// assert!(archive.names().any(|name| name == "x"));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.directory.entries.iter().map(Entry::name)
    }

    /// Reads the header of an entry, without its elements.
    ///
    /// # Errors
    /// [`Error::File`] if there is no entry of that name, or the entry is not an npy file. If the element type is not supported, there is
    /// no error: [`Header::dtype`] is `None`.
    ///
    /// ```
    /// # use std::io::Cursor;
    /// # use vierbein::io::npz::{Npz, NpzWriter};
    /// # let mut bytes = Cursor::new(Vec::new());
    /// # NpzWriter::new().add("x", &vierbein::tensor![1.0, 2.0])?.write_to(&mut bytes)?;
    /// # let mut archive = Npz::new(bytes)?;
    /// let header = archive.header("x")?;
    /// assert_eq!((&header.descr[..], &header.shape[..]), ("<f8", &[2][..]));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn header(&mut self, name: &str) -> Result<Header, Error> {
        self.with_entry(name, false, |source| Ok(npy::header(source)?.0))
    }

    /// Reads a tensor from the archive.
    ///
    /// # Errors
    /// [`Error::File`] if there is no entry of that name, or if the entry is damaged or holds a tensor of another type than `X`.
    ///
    /// ```
    /// use vierbein::io::npz::{Npz, NpzWriter};
    /// use vierbein::prelude::*;
    /// # use std::io::Cursor;
    /// # let mut bytes = Cursor::new(Vec::new());
    /// # NpzWriter::new().add("x", &vierbein::tensor![1.0, 2.0])?.write_to(&mut bytes)?;
    /// # let mut archive = Npz::new(bytes)?;
    /// let x: Tensor<f64, Rank<1>> = archive.get("x")?;
    /// assert_eq!(x, tensor![1.0, 2.0]);
    /// assert_eq!(
    ///     archive.get::<Tensor<f32, Rank<1>>>("x").unwrap_err().to_string(),
    ///     "<stream>, entry `x`: holds a row-major f64 tensor of shape [2], not one of f32; \
    ///      read it as `Tensor<f64, Rank<1>>` and convert with `.cast::<f32>()`"
    /// );
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn get<X: FromFile>(&mut self, name: &str) -> Result<X, Error> {
        self.with_entry(name, true, npy::read)
    }

    /// Calls `f` with the bytes of an entry. If `whole` is true, `f` must read all of them, and length and checksum are checked.
    fn with_entry<V>(
        &mut self,
        name: &str,
        whole: bool,
        f: impl FnOnce(&mut Source<'_>) -> Result<V, Error>,
    ) -> Result<V, Error> {
        let Some(entry) = self.directory.find(name) else {
            return Err(Error::File { path: self.name.clone(), reason: self.lacks(name) });
        };
        let label = format!("{}, entry `{}`", self.name, shorten(entry.name()));
        let (mut reader, trusted) = (Checked(&mut self.reader), self.trusted);
        let packed = entry.data(&mut reader).and_then(|start| {
            reader.seek(SeekFrom::Start(start)).map_err(|e| format!("cannot be read: {e}"))?;
            Ok(reader.take(entry.packed))
        });
        let packed = packed.map_err(|reason| Error::File { path: label.clone(), reason })?;
        match entry.method {
            STORED => entry.read(packed, trusted, label, whole, f),
            _ => entry.read(DeflateDecoder::new(packed), trusted, label, whole, f),
        }
    }

    fn lacks(&self, name: &str) -> String {
        let mut have = self.names().take(8).map(|name| format!("`{}`", shorten(name))).collect::<Vec<_>>();
        if self.directory.entries.len() > have.len() {
            have.push(format!("{} more", self.directory.entries.len() - have.len()));
        }
        let have = if have.is_empty() { "is empty".to_owned() } else { format!("has {}", have.join(", ")) };
        format!("has no entry `{}`; it {have}", shorten(name))
    }
}

impl Entry {
    /// Calls `f` with the uncompressed bytes. If `whole` is true, checks that `f` has read all of them, and that they have the checksum
    /// that is in the directory.
    fn read<V>(
        &self,
        bytes: impl Read,
        trusted: bool,
        label: String,
        whole: bool,
        f: impl FnOnce(&mut Source<'_>) -> Result<V, Error>,
    ) -> Result<V, Error> {
        let mut reader = Summed { inner: bytes, checksum: Crc::new() };
        let sure = self.method == STORED;
        let mut source =
            Source { name: label, reader: &mut reader, size: Some(self.size), sure, trusted, at: 0 };
        let value = f(&mut source)?;
        if !whole {
            return Ok(value);
        }
        // This read, after the last byte, also detects a truncated Deflate stream.
        if source.fill(&mut [0])? > 0 {
            return Err(source.error(format!("has more data than its {} bytes", self.size)));
        }
        let Source { name, .. } = source;
        let (found, said) = (reader.checksum.sum(), self.checksum);
        if found != said {
            let reason = format!("is damaged: its checksum is {found:08x}, expected {said:08x}");
            return Err(Error::File { path: name, reason });
        }
        Ok(value)
    }
}

/// A reader that computes the checksum of what it reads.
struct Summed<R> {
    inner: R,
    checksum: Crc,
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.checksum.update(&buffer[..n]);
        Ok(n)
    }
}
