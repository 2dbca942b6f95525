//! Writes a zip archive: a local header and the data of each entry, then the central directory.

#![forbid(unsafe_code)]

use super::{DEFLATED, STORED};
use crate::error::Error;
use crate::io::contents::shorten;
use crate::io::npy;
use crate::io::replace::replace;
use crate::io::tensors::{CHUNK, ToFile, fit_a_file};
use core::fmt;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use std::collections::BTreeSet;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Collects references to tensors for a `.npz` archive. Nothing is copied or written before [`write`](NpzWriter::write).
///
/// ```
/// use vierbein::io::npz::{Npz, NpzWriter};
/// use vierbein::prelude::*;
///
/// let path = std::env::temp_dir().join(format!("vierbein-npz-writer-{}.npz", std::process::id()));
/// let x = Tensor::<f64, _>::zeros([100, 100]);
/// let mut archive = NpzWriter::new();
/// let column = x.index_axis(1, 0);
/// archive.compressed().add("x", &x)?.add("column", &column)?;
/// archive.write(&path)?;
/// assert!(std::fs::metadata(&path).unwrap().len() < 1000);
/// assert_eq!(Npz::open(&path)?.get::<Tensor<f64, Rank<2>>>("x")?, x);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), vierbein::Error>(())
/// ```
#[derive(Default)]
pub struct NpzWriter<'a> {
    entries: Vec<(String, &'a dyn ToFile)>,
    names: BTreeSet<String>,
    /// Number of tensors that were added without a name.
    pushed: usize,
    method: u16,
}

impl fmt::Debug for NpzWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.entries.iter().map(|(name, x)| (name, x.contents()))).finish()
    }
}

impl<'a> NpzWriter<'a> {
    /// Creates a writer that stores tensors without compression, as `np.savez` does.
    ///
    /// ```
    /// use vierbein::io::npz::NpzWriter;
    /// assert_eq!(format!("{:?}", NpzWriter::new()), "{}");
    /// ```
    #[must_use]
    pub fn new() -> Self {
        NpzWriter::default()
    }

    /// Compresses all tensors, as `np.savez_compressed` does.
    ///
    /// ```
    /// # use std::io::Cursor;
    /// # use vierbein::Tensor;
    /// # use vierbein::io::npz::NpzWriter;
    /// let x = Tensor::<f64, _>::zeros([1000]);
    /// let mut bytes = Cursor::new(Vec::new());
    /// NpzWriter::new().compressed().add("x", &x)?.write_to(&mut bytes)?;
    /// assert!(bytes.into_inner().len() < 500);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn compressed(&mut self) -> &mut Self {
        self.method = DEFLATED;
        self
    }

    /// Adds a tensor under a name, which is also the name of the array in Python. Other programs may unpack the archive into files of these
    /// names, so a name must be safe as a path.
    ///
    /// # Errors
    /// [`Error::Argument`] if the name is taken, empty, longer than 1000 bytes, or unsafe: it begins with `/`, has `..` as a component,
    /// or contains `:`, `\` or a control character.
    ///
    /// ```
    /// # use vierbein::io::npz::NpzWriter;
    /// let x = vierbein::tensor![1, 2];
    /// let mut archive = NpzWriter::new();
    /// archive.add("layer/bias", &x)?;
    /// assert!(archive.add("layer/bias", &x).is_err());
    /// assert!(archive.add("../../bias", &x).is_err());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn add(&mut self, name: &str, tensor: &'a dyn ToFile) -> Result<&mut Self, Error> {
        let reject = |reason: &str| {
            Err(Error::Argument {
                op: "add a tensor to the archive",
                reason: format!("the name `{}` {reason}", shorten(name)),
            })
        };
        // Other programs unpack archives into files of these names, which must stay within the target directory.
        let leaves =
            |part: &str| part == ".." || part.contains([':', '\\']) || part.contains(char::is_control);
        if name.is_empty() || name.starts_with('/') || name.split('/').any(leaves) {
            return reject("could be taken for a path; use letters, digits and `_`");
        }
        if name.len() > 1000 {
            return reject("is longer than 1000 bytes");
        }
        let name = format!("{name}.npy");
        if !self.names.insert(name.clone()) {
            return reject("is taken; every tensor needs its own");
        }
        self.entries.push((name, tensor));
        Ok(self)
    }

    /// Adds a tensor under the name that NumPy gives to unnamed arrays: `arr_0`, `arr_1` and so on.
    ///
    /// # Errors
    /// [`Error::Argument`] if that name was passed to [`add`](NpzWriter::add) before.
    ///
    /// ```
    /// # use std::io::Cursor;
    /// # use vierbein::io::npz::{Npz, NpzWriter};
    /// # use vierbein::tensor;
    /// # let mut bytes = Cursor::new(Vec::new());
    /// NpzWriter::new().push(&tensor![1])?.push(&tensor![2])?.write_to(&mut bytes)?;
    /// assert_eq!(Npz::new(bytes)?.names().collect::<Vec<_>>(), ["arr_0", "arr_1"]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn push(&mut self, tensor: &'a dyn ToFile) -> Result<&mut Self, Error> {
        self.add(&format!("arr_{}", self.pushed), tensor)?;
        self.pushed += 1;
        Ok(self)
    }

    /// Writes the archive. An existing file is replaced once the new one is complete.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be written. Other errors if the elements cannot be copied to the host.
    ///
    /// ```
    /// # use vierbein::io::npz::{Npz, NpzWriter};
    /// # let path = std::env::temp_dir().join(format!("vierbein-npz-write-{}.npz", std::process::id()));
    /// NpzWriter::new().add("x", &vierbein::tensor![1, 2])?.write(&path)?;
    /// assert_eq!(Npz::open(&path)?.names().len(), 1);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        replace(path, |file| self.write_archive(&name, file))
    }

    /// Writes the archive to any writer that can seek, like [`write`](NpzWriter::write). The archive starts at offset 0 of the writer. The
    /// writer should be empty: bytes that remain after the archive make it unreadable, as archives are read from their end.
    ///
    /// # Errors
    /// See [`write`](NpzWriter::write).
    ///
    /// ```
    /// # use std::io::Cursor;
    /// # use vierbein::io::npz::NpzWriter;
    /// let mut bytes = Cursor::new(Vec::new());
    /// NpzWriter::new().add("x", &vierbein::tensor![1, 2])?.write_to(&mut bytes)?;
    /// assert!(bytes.into_inner().starts_with(b"PK"));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn write_to(&self, mut writer: impl Write + Seek) -> Result<(), Error> {
        self.write_archive("<stream>", &mut writer)
    }

    fn write_archive<W: Write + Seek>(&self, label: &str, writer: &mut W) -> Result<(), Error> {
        let error =
            |e: io::Error| Error::File { path: label.to_owned(), reason: format!("cannot be written: {e}") };
        fit_a_file(self.entries.iter().map(|(_, tensor)| tensor.contents()), label)?;
        let mut out = Counted { inner: writer, count: 0 };
        let mut directory = Vec::new();
        out.inner.seek(SeekFrom::Start(0)).map_err(error)?;
        for (name, tensor) in &self.entries {
            let mut entry = Written { name, method: self.method, ..Written::default() };
            entry.header = out.count;
            out.write_all(&entry.local()).map_err(error)?;
            let start = out.count;
            let mut checksum = Crc::new();
            if self.method == STORED {
                let mut summed = Summed { inner: &mut out, checksum: &mut checksum, size: &mut entry.size };
                npy::write(*tensor, label, &mut summed)?;
            } else {
                let mut packer = DeflateEncoder::new(&mut out, Compression::default());
                let mut summed =
                    Summed { inner: &mut packer, checksum: &mut checksum, size: &mut entry.size };
                npy::write(*tensor, label, &mut summed)?;
                packer.finish().map_err(error)?;
            }
            entry.packed = out.count - start;
            entry.checksum = checksum.sum();
            directory.extend(entry.central());
            // Rewrite the local header: sizes and checksum are known only now.
            let end = out.count;
            let result = out.inner.seek(SeekFrom::Start(entry.header));
            let result = result.and_then(|_| out.inner.write_all(&entry.local()));
            result.and_then(|_| out.inner.seek(SeekFrom::Start(end))).map_err(error)?;
        }
        let start = out.count;
        out.write_all(&directory).map_err(error)?;
        let end = end_records(self.entries.len() as u64, start, directory.len() as u64);
        out.write_all(&end).and_then(|()| out.inner.flush()).map_err(error)
    }
}

/// An entry that is being written. Sizes and checksum are filled in after the data have been written.
#[derive(Debug, Default)]
struct Written<'a> {
    name: &'a str,
    method: u16,
    checksum: u32,
    packed: u64,
    size: u64,
    header: u64,
}

/// Version of the zip format that introduced 64-bit sizes.
const VERSION: [u8; 2] = 45u16.to_le_bytes();
/// 1 January 1980, as NumPy writes, so that the same tensors result in the same bytes.
const TIME_AND_DATE: [u8; 4] = [0, 0, 0x21, 0];

/// Returns a 32-bit field: the value, or the marker that refers to the Zip64 extra field.
fn narrow(x: u64) -> [u8; 4] {
    u32::try_from(x).unwrap_or(u32::MAX).to_le_bytes()
}

impl Written<'_> {
    /// Returns the fields that both headers share: from the required version to the checksum.
    fn start(&self) -> Vec<u8> {
        // Bit 11: the name is UTF-8. It is not set for ASCII names.
        let flags = if self.name.is_ascii() { 0u16 } else { 1 << 11 };
        let (flags, method) = (flags.to_le_bytes(), self.method.to_le_bytes());
        [&VERSION[..], &flags, &method, &TIME_AND_DATE, &self.checksum.to_le_bytes()].concat()
    }

    fn name_length(&self) -> [u8; 2] {
        u16::try_from(self.name.len()).expect("names are checked").to_le_bytes()
    }

    /// Returns the local header. It always has 64-bit sizes, because it is first written before the sizes are known.
    fn local(&self) -> Vec<u8> {
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.extend(self.start());
        bytes.extend([0xff; 8]);
        bytes.extend(self.name_length());
        bytes.extend([20, 0]);
        bytes.extend(self.name.bytes());
        bytes.extend([1, 0, 16, 0]);
        bytes.extend(self.size.to_le_bytes());
        bytes.extend(self.packed.to_le_bytes());
        bytes
    }

    /// Returns the entry of the central directory, with 64-bit numbers only if they are needed.
    fn central(&self) -> Vec<u8> {
        let wide = [self.size, self.packed, self.header].into_iter().filter(|&x| x >= u64::from(u32::MAX));
        let wide: Vec<u8> = wide.flat_map(u64::to_le_bytes).collect();
        let extra = match wide.len() {
            0 => Vec::new(),
            length => [&[1, 0, length as u8, 0], &wide[..]].concat(),
        };
        let mut bytes = b"PK\x01\x02".to_vec();
        bytes.extend(VERSION);
        bytes.extend(self.start());
        bytes.extend(narrow(self.packed));
        bytes.extend(narrow(self.size));
        bytes.extend(self.name_length());
        bytes.extend([extra.len() as u8, 0]);
        // No comment, first disk, no attributes.
        bytes.extend([0; 10]);
        bytes.extend(narrow(self.header));
        bytes.extend(self.name.bytes());
        bytes.extend(extra);
        bytes
    }
}

/// Returns the end records of the archive, with 64-bit numbers only if they are needed.
fn end_records(entries: u64, start: u64, directory: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let few = u16::try_from(entries).unwrap_or(u16::MAX);
    if few == u16::MAX || start >= u64::from(u32::MAX) || directory >= u64::from(u32::MAX) {
        bytes.extend(b"PK\x06\x06");
        bytes.extend(44u64.to_le_bytes());
        bytes.extend([VERSION, VERSION].concat());
        bytes.extend([0; 8]);
        bytes.extend([entries, entries, directory, start].into_iter().flat_map(u64::to_le_bytes));
        bytes.extend(b"PK\x06\x07\0\0\0\0");
        bytes.extend((start + directory).to_le_bytes());
        bytes.extend([1, 0, 0, 0]);
    }
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([few.to_le_bytes(), few.to_le_bytes()].concat());
    bytes.extend([narrow(directory), narrow(start)].concat());
    bytes.extend([0, 0]);
    bytes
}

/// A writer that counts the bytes written.
struct Counted<'a, W> {
    inner: &'a mut W,
    count: u64,
}

impl<W: Write> Write for Counted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Retries an interrupted write, because `DeflateEncoder::finish` does not.
        let n = loop {
            match self.inner.write(bytes) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.count += n as u64;
        Ok(n)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A writer that computes the checksum and the size of what it writes.
struct Summed<'a, W> {
    inner: &'a mut W,
    checksum: &'a mut Crc,
    size: &'a mut u64,
}

impl<W: Write> Write for Summed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Few enough bytes that they are still in cache when their checksum is computed.
        let n = self.inner.write(&bytes[..bytes.len().min(CHUNK)])?;
        self.checksum.update(&bytes[..n]);
        *self.size += n as u64;
        Ok(n)
    }
    /// Does nothing: flushing the encoder before the end reduces compression.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
