//! User-supplied readers, which safe code can implement against the contract of [`Read`].

#![forbid(unsafe_code)]

use std::io::{self, Read, Seek, SeekFrom};

/// A reader that returns an error if the reader in it claims to have read more bytes than the buffer has. The code that uses it relies on
/// the number of bytes.
pub(super) struct Checked<R>(pub(super) R);

impl<R: Read> Read for Checked<R> {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read(buffer)?;
        if n > buffer.len() {
            return Err(io::Error::other(format!(
                "the reader returned {n} bytes for a buffer of {}",
                buffer.len()
            )));
        }
        Ok(n)
    }
}

impl<R: Seek> Seek for Checked<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}
