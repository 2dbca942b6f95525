//! The bytes of an npy file, from a file, an entry of an archive, or a stream. Sizes in headers are not trusted.

#![forbid(unsafe_code)]

use super::checked::Checked;
use super::codec::Codec;
use super::contents::Contents;
use super::tensors::CHUNK;
use crate::device::cpu::{CpuBuffer, bytes_mut, reserve};
use crate::element::DType;
use crate::error::Error;
use crate::layout::element_count;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// A reader, with the name that error messages use for it.
pub(super) struct Source<'a> {
    pub(super) name: String,
    pub(super) reader: &'a mut dyn Read,
    /// Total number of bytes, if it is known from the file system or the archive's directory.
    pub(super) size: Option<u64>,
    /// Whether `size` is reliable. If it is, memory for all elements is allocated before they are read.
    pub(super) sure: bool,
    /// Whether `reader` consists of code of this crate and of the standard library only. Otherwise it must not see memory with unspecified
    /// contents, which may have belonged to another tensor.
    pub(super) trusted: bool,
    /// Number of bytes that have been read.
    pub(super) at: u64,
}

/// Number of bytes that are read from a file at once. This is the length of most headers, so the elements are then read straight into their
/// buffer.
const BUFFERED: usize = 128;

/// Opens a file and calls `read` with it.
pub(super) fn from_path<R>(
    path: &Path,
    read: impl FnOnce(&mut Source<'_>) -> Result<R, Error>,
) -> Result<R, Error> {
    let name = path.display().to_string();
    let error = |e: io::Error| Error::File { path: name.clone(), reason: format!("cannot be read: {e}") };
    let file = File::open(path).map_err(error)?;
    let metadata = file.metadata().map_err(error)?;
    let mut file = BufReader::with_capacity(BUFFERED, file);
    // The length of a pipe is unknown.
    let size = metadata.is_file().then_some(metadata.len());
    read(&mut Source { name, reader: &mut file, size, sure: size.is_some(), trusted: true, at: 0 })
}

impl<'a> Source<'a> {
    /// Returns a source that reads from a stream. The length of the stream is unknown, and it may continue after the tensor.
    pub(super) fn stream(reader: &'a mut dyn Read) -> Self {
        Source { name: "<stream>".to_owned(), reader, size: None, sure: false, trusted: false, at: 0 }
    }

    pub(super) fn error(&self, reason: impl Into<String>) -> Error {
        Error::File { path: self.name.clone(), reason: reason.into() }
    }

    /// Reads until the buffer is full or the input ends. Returns the number of bytes read.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut filled = 0;
        while filled < buffer.len() {
            match Checked(&mut *self.reader).read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.error(format!("cannot be read: {e}"))),
            }
        }
        self.at += filled as u64;
        Ok(filled)
    }

    /// Reads the elements of a tensor, in the memory order of the file.
    pub(super) fn elements<U: Codec>(
        &mut self,
        contents: &Contents,
        big_endian: bool,
    ) -> Result<CpuBuffer<U>, Error> {
        let size = size_of::<U>();
        let count = element_count(&contents.shape, size).map_err(|e| self.error(e.to_string()))?;
        let bytes = (count * size) as u64;
        let fails = |source: &Self, have: u64| {
            let relation = if have < bytes { "fewer" } else { "more" };
            let claim = format!("the {bytes} bytes of a {} tensor of shape {:?}", U::DTYPE, contents.shape);
            source.error(format!("holds {have} bytes of data, {relation} than {claim}"))
        };
        let start = self.at;
        if let Some(have) = self.size.map(|size| size.saturating_sub(start))
            && have != bytes
        {
            return Err(fails(self, have));
        }
        // If the size is reliable, allocate memory for all elements at once, from the buffer pool if possible. Otherwise allocate memory
        // as the elements arrive.
        if self.sure && U::DTYPE != DType::Bool {
            // `any` aligns a large buffer to 64 bytes, as NumPy aligns the elements in the file. The system's copy to a `Vec`, which
            // begins 16 bytes after a multiple of 64, is slower.
            let mut data = if self.trusted { CpuBuffer::any(count)? } else { CpuBuffer::zeroed(count)? };
            // If bytes must be reversed, do so while they are in cache.
            let reversed = big_endian != cfg!(target_endian = "big");
            let step = if reversed { CHUNK / size } else { count.max(1) };
            for part in data.as_mut_slice().chunks_mut(step) {
                let part_bytes = bytes_mut(part).expect("any bytes are a number");
                if self.fill(part_bytes)? < part_bytes.len() {
                    return Err(fails(self, self.at - start));
                }
                U::convert(part, big_endian);
            }
            return Ok(data);
        }
        let mut data: Vec<U> =
            if self.sure { CpuBuffer::any_for_vec(count)?.into_vec()? } else { Vec::new() };
        let (mut arrived, mut chunk) = (0, Vec::new());
        while arrived < count {
            let next = (count - arrived).min(CHUNK / size);
            let end = arrived + next;
            if data.len() < end {
                if data.capacity() < end {
                    // Doubles the capacity, up to the number of elements that the header requires.
                    reserve(&mut data, arrived.max(next).min(count - arrived))?;
                }
                data.resize(end, U::default());
            }
            let before = self.at;
            let filled = match bytes_mut(&mut data[arrived..end]) {
                Some(bytes) => self.fill(bytes)?,
                None => {
                    // `bool`: not every byte is a valid element, so the bytes are checked before they become elements.
                    if chunk.is_empty() {
                        reserve(&mut chunk, next * size)?;
                    }
                    chunk.resize(next * size, 0);
                    self.fill(&mut chunk)?
                }
            };
            if filled < next * size {
                return Err(fails(self, self.at - start));
            }
            if chunk.is_empty() {
                U::convert(&mut data[arrived..end], big_endian);
            } else {
                data.truncate(arrived);
                U::decode(&chunk, big_endian, &mut data).map_err(|bad| self.error(bad.reason(before)))?;
            }
            arrived = end;
        }
        Ok(CpuBuffer::from_vec(data))
    }
}
