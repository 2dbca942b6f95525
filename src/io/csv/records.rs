//! The records of a CSV file: the header and the rows, as fields of text.
//!
//! This module splits a line into fields, eight bytes at a time, if the line contains no quote and is whole in the buffer. `csv_core`
//! splits all other lines. If all columns are read into a matrix, most rows need no splitting: `plain.rs` parses them in the buffer. This
//! module also allocates the buffers, with an error instead of an abort if memory is exhausted, and counts lines for error messages.

#![forbid(unsafe_code)]

use super::plain::Parsed;
use crate::device::cpu::reserve;
use crate::error::Error;
use crate::io::checked::Checked;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Initial size of the buffer in bytes. A part of this size is still in cache when it is parsed.
const INPUT: usize = 1 << 16;

/// Maximum size of the buffer in bytes: long enough for several threads, which start for each part that is read, and for long rows.
/// Chosen by the row `read_csv` of `benches/numpy/src/main.rs`.
const MAX_INPUT: usize = 4 << 20;

/// Number of bytes after which the buffer gets its maximum size.
const LONG_INPUT: u64 = 1 << 20;

/// The mark that some programs write at the beginning of UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A reader, the name that error messages use for it, and the current record.
pub(super) struct Records<'a> {
    name: String,
    reader: &'a mut dyn Read,
    parser: csv_core::Reader,
    /// The last part that was read. The bytes `begin..end` have not been parsed yet.
    input: Vec<u8>,
    begin: usize,
    end: usize,
    /// Whether the reader has reached its end.
    ended: bool,
    /// The number of bytes that were read.
    read: u64,
    /// The length of the file, if it is known.
    len: Option<u64>,
    /// The fields of a record that `csv_core` has split, concatenated and without quotes. The buffer is longer than this text.
    text: Vec<u8>,
    /// The end of each field in `text` or `input`. Only the first `fields` elements belong to the current record.
    ends: Vec<usize>,
    fields: usize,
    /// The index in `input` at which the current record begins, if its fields are in `input`, with delimiters between them.
    in_input: Option<usize>,
    delimiter: u8,
    /// The line on which the current record begins, counted from 1.
    line: u64,
    /// The line of the next byte of the input.
    next_line: u64,
    /// Whether the last byte that was parsed is a carriage return. A line feed after it belongs to the same line end.
    after_return: bool,
}

/// Reads a file.
pub(super) fn from_path<R>(
    path: &Path,
    delimiter: u8,
    read: impl FnOnce(&mut Records<'_>) -> Result<R, Error>,
) -> Result<R, Error> {
    let name = path.display().to_string();
    let mut file = File::open(path)
        .map_err(|e| Error::File { path: name.clone(), reason: format!("cannot be read: {e}") })?;
    let len = file.metadata().ok().map(|of| of.len());
    read(&mut Records::new(name, &mut file, len, delimiter)?)
}

/// Reads a stream to its end.
pub(super) fn from_stream<R>(
    reader: &mut dyn Read,
    delimiter: u8,
    read: impl FnOnce(&mut Records<'_>) -> Result<R, Error>,
) -> Result<R, Error> {
    read(&mut Records::new("<stream>".to_owned(), reader, None, delimiter)?)
}

impl<'a> Records<'a> {
    fn new(name: String, reader: &'a mut dyn Read, len: Option<u64>, delimiter: u8) -> Result<Self, Error> {
        let mut input = Vec::new();
        reserve(&mut input, INPUT)?;
        input.resize(INPUT, 0);
        let mut records = Records {
            name,
            reader,
            parser: csv_core::ReaderBuilder::new().delimiter(delimiter).build(),
            input,
            begin: 0,
            end: 0,
            ended: false,
            read: 0,
            len,
            text: Vec::new(),
            ends: Vec::new(),
            fields: 0,
            in_input: None,
            delimiter,
            line: 1,
            next_line: 1,
            after_return: false,
        };
        records.fill()?;
        match &records.input[..records.end] {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                return Err(records.error("is UTF-16 text; save it as UTF-8".to_owned()));
            }
            text if text.starts_with(BYTE_ORDER_MARK) => records.begin = BYTE_ORDER_MARK.len(),
            _ => {}
        }
        Ok(records)
    }

    pub(super) fn error(&self, reason: String) -> Error {
        Error::File { path: self.name.clone(), reason }
    }

    /// Reads more text. The text that has not been parsed moves to the beginning of the buffer. If it takes more than half of the buffer,
    /// the buffer grows. Reads at least the length of a byte order mark into an empty buffer, unless the reader ends.
    fn fill(&mut self) -> Result<(), Error> {
        self.input.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        let size = if self.read >= LONG_INPUT { MAX_INPUT } else { (2 * self.end).clamp(INPUT, MAX_INPUT) };
        if size > self.input.len() {
            let more = size - self.input.len();
            reserve(&mut self.input, more)?;
            self.input.resize(size, 0);
        }
        let least = (self.end + 1).max(BYTE_ORDER_MARK.len());
        while !self.ended && self.end < least {
            match Checked(&mut *self.reader).read(&mut self.input[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(n) => {
                    self.end += n;
                    self.read += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.error(format!("cannot be read: {e}"))),
            }
        }
        Ok(())
    }

    /// Skips line ends, so that the next byte is the first one of a record.
    fn skip_line_ends(&mut self) -> Result<(), Error> {
        loop {
            if self.begin == self.end {
                if self.ended {
                    return Ok(());
                }
                self.fill()?;
                continue;
            }
            match self.input[self.begin] {
                b'\n' if self.after_return => self.after_return = false,
                b'\n' => self.next_line += 1,
                b'\r' => {
                    self.next_line += 1;
                    self.after_return = true;
                }
                _ => {
                    self.after_return = false;
                    return Ok(());
                }
            }
            self.begin += 1;
        }
    }

    /// Reads the next record. Returns `false` if there is none. Lines without any character are not records.
    pub(super) fn advance(&mut self) -> Result<bool, Error> {
        self.skip_line_ends()?;
        self.line = self.next_line;
        if self.split_line()? {
            return Ok(true);
        }
        self.fields = 0;
        self.in_input = None;
        let mut written = 0;
        loop {
            if self.begin == self.end {
                self.fill()?;
            }
            let (result, read, bytes, ends) = self.parser.read_record(
                &self.input[self.begin..self.end],
                &mut self.text[written..],
                &mut self.ends[self.fields..],
            );
            self.count_lines(read);
            self.begin += read;
            written += bytes;
            self.fields += ends;
            match result {
                csv_core::ReadRecordResult::InputEmpty => {}
                csv_core::ReadRecordResult::OutputFull => grow(&mut self.text)?,
                csv_core::ReadRecordResult::OutputEndsFull => grow(&mut self.ends)?,
                csv_core::ReadRecordResult::Record => return Ok(true),
                csv_core::ReadRecordResult::End => return Ok(false),
            }
        }
    }

    /// Counts the lines that end in the next `len` bytes of the buffer. `csv_core` would count only line feeds.
    fn count_lines(&mut self, len: usize) {
        for &byte in &self.input[self.begin..self.begin + len] {
            self.next_line += u64::from(byte == b'\r' || byte == b'\n' && !self.after_return);
            self.after_return = byte == b'\r';
        }
    }

    /// Parses rows in the buffer. `parse` is called with text from the beginning of a record on, and must stop at the beginning of a
    /// record. Its second argument is the length of the text that has not been parsed, divided by the length of the text that has been
    /// parsed, or `None` if the length of the file is unknown. Returns the number of rows. If `parse` cannot parse a record, parsing ends
    /// before this record, without an error.
    pub(super) fn parse(
        &mut self,
        mut parse: impl FnMut(&[u8], Option<f64>) -> Result<Parsed, Error>,
    ) -> Result<usize, Error> {
        let mut rows = 0;
        loop {
            self.skip_line_ends()?;
            let text = &self.input[self.begin..self.end];
            let done = (self.read - text.len() as u64) as f64;
            let parsed = parse(text, self.len.map(|len| (len as f64 - done) / done))?;
            rows += parsed.rows;
            self.next_line += parsed.line_ends;
            self.begin += parsed.bytes;
            if parsed.bytes > 0 {
                self.after_return = self.input[self.begin - 1] == b'\r';
            }
            if !parsed.incomplete || self.ended || self.end - self.begin == MAX_INPUT {
                return Ok(rows);
            }
            self.fill()?;
        }
    }

    /// Splits the next line. Returns `false` if it contains a quote or its end is not in the buffer: nothing has been parsed then.
    fn split_line(&mut self) -> Result<bool, Error> {
        let special = [self.delimiter, b'\n', b'\r', b'"'].map(|byte| u64::from_ne_bytes([byte; 8]));
        self.fields = 0;
        let mut at = self.begin;
        while at < self.end {
            let mut bytes = [0; 8];
            let count = (self.end - at).min(8);
            bytes[..count].copy_from_slice(&self.input[at..at + count]);
            let word = u64::from_le_bytes(bytes);
            let mut found = special.iter().fold(0, |found, byte| found | zero_bytes(word ^ byte));
            if count < 8 {
                found &= (1 << (8 * count)) - 1;
            }
            while found != 0 {
                let index = at + found.trailing_zeros() as usize / 8;
                found &= found - 1;
                let byte = self.input[index];
                if byte == b'"' {
                    return Ok(false);
                }
                if self.fields == self.ends.len() {
                    grow(&mut self.ends)?;
                }
                self.ends[self.fields] = index;
                self.fields += 1;
                if byte != self.delimiter {
                    self.in_input = Some(self.begin);
                    self.begin = index + 1;
                    self.next_line += 1;
                    self.after_return = byte == b'\r';
                    return Ok(true);
                }
            }
            at += count;
        }
        Ok(false)
    }

    /// Returns the number of fields of the current record.
    pub(super) fn fields(&self) -> usize {
        self.fields
    }

    /// Returns the line on which the current record begins, counted from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Returns a field of the current record.
    #[inline]
    pub(super) fn field(&self, k: usize) -> &[u8] {
        let ends = &self.ends[..self.fields];
        match self.in_input {
            Some(first) => &self.input[if k == 0 { first } else { ends[k - 1] + 1 }..ends[k]],
            None => &self.text[if k == 0 { 0 } else { ends[k - 1] }..ends[k]],
        }
    }
}

/// Returns a word whose bytes are 0x80 where those of `x` are zero, and else 0.
fn zero_bytes(x: u64) -> u64 {
    const LOW: u64 = u64::from_ne_bytes([0x7f; 8]);
    !(((x & LOW) + LOW) | x | LOW)
}

/// Doubles the length of a buffer.
fn grow<V: Copy + Default>(buffer: &mut Vec<V>) -> Result<(), Error> {
    let more = buffer.len().max(256);
    reserve(buffer, more)?;
    buffer.resize(buffer.len() + more, V::default());
    Ok(())
}
