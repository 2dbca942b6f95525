//! Plain rows: rows of a matrix that are parsed where they are in the buffer. No pass over the text splits them into fields first.
//!
//! A row is plain if its line contains no quote and ends in the buffer, and if it has the expected number of fields, each of which is an
//! element or a missing value. Parsing stops before the first row that is not plain. [`Records`](super::records::Records) then splits this
//! row into fields, and returns its errors.
//!
//! A long text is parsed on several threads:
//!
//! ```text
//! cut the text into parts, at line ends
//! on several threads: parse each part into a vector of its own, until the first row that is not plain
//! append the vectors, up to the first part that was not parsed to its end
//! ```
//!
//! A part that was parsed to its end contains no quote, so the part after it begins with a row. Therefore all parts whose elements are kept
//! begin with a row. A discarded part may begin inside a quoted field.

#![forbid(unsafe_code)]

use super::element::CsvElement;
use crate::device::cpu::{CpuBuffer, enter, join, reserve, threads};
use crate::error::Error;

/// Minimum number of bytes of a text that is parsed on several threads.
const PARALLEL_TEXT: usize = 1 << 19;

/// Minimum number of bytes of the text of a part.
const MIN_PART: usize = 1 << 16;

/// Minimum number of elements that must have been read before the number of elements of the whole file is estimated.
const MIN_ESTIMATED: usize = 1 << 10;

/// The work of parsing a byte, in the unit of [`enter`]: the number of bytes that can be copied in the same time.
const WORK: usize = 64;

/// What has been parsed of a text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Parsed {
    /// The number of rows.
    pub(super) rows: usize,
    /// The number of bytes that were parsed, up to the beginning of a row or the end of the text.
    pub(super) bytes: usize,
    /// The number of line ends in these bytes. A CR LF is one line end.
    pub(super) line_ends: u64,
    /// Whether parsing stopped because the text ends before the next row does.
    pub(super) incomplete: bool,
}

/// How the rows of a file are parsed.
#[derive(Debug, Clone, Copy)]
pub(super) struct CsvRows<'a> {
    pub(super) delimiter: u8,
    /// The number of fields of a row.
    pub(super) width: usize,
    /// The texts of missing values.
    pub(super) missing: &'a [String],
    /// Whether a text in `missing` can be parsed as an element.
    pub(super) missing_numbers: bool,
}

/// A parser of plain rows.
pub(super) struct Parser<'a, T> {
    rows: CsvRows<'a>,
    /// The elements of each part of a text, until they are appended to the result. The vectors are reused for the next text.
    parts: Vec<Vec<T>>,
    /// Whether the last text was parsed up to its last whole line. If not, the next text is parsed on one thread: if many rows are not
    /// plain, most parts would be discarded.
    whole: bool,
}

/// A part of a text, the vector for its elements, and what has been parsed of it.
struct Part<'a, T> {
    text: &'a [u8],
    elements: Vec<T>,
    parsed: Result<Parsed, Error>,
}

impl<'a, T: CsvElement> Parser<'a, T> {
    pub(super) fn new(rows: CsvRows<'a>) -> Self {
        Parser { rows, parts: Vec::new(), whole: true }
    }

    /// Parses plain rows from the beginning of a text, where a row must begin. Appends the elements to `to`.
    pub(super) fn parse(&mut self, text: &[u8], to: &mut Vec<T>) -> Result<Parsed, Error> {
        let parallel = self.whole && text.len() >= PARALLEL_TEXT;
        let parsed = if parallel {
            enter(text.len() * WORK, || match threads() {
                1 => self.rows.parse(text, to),
                threads => self.parse_parts(text, to, 2 * threads),
            })?
        } else {
            self.rows.parse(text, to)?
        };
        self.whole = parsed.incomplete || parsed.bytes == text.len();
        Ok(parsed)
    }

    /// Parses plain rows in at most `count` parts.
    fn parse_parts(&mut self, mut text: &[u8], to: &mut Vec<T>, count: usize) -> Result<Parsed, Error> {
        let bytes = (text.len() / count).max(MIN_PART);
        let mut parts = Vec::new();
        while !text.is_empty() {
            let (first, rest) = text.split_at(cut(text, bytes));
            let mut elements = self.parts.pop().unwrap_or_default();
            elements.clear();
            parts.push(Part { text: first, elements, parsed: Ok(Parsed::default()) });
            text = rest;
        }
        self.rows.parse_each(&mut parts);
        let mut parsed = Parsed::default();
        let mut whole = true;
        for part in parts {
            if whole {
                let of_part = part.parsed?;
                reserve_for(to, part.elements.len())?;
                to.extend_from_slice(&part.elements);
                parsed = parsed.then(of_part);
                whole = of_part.bytes == part.text.len();
            }
            self.parts.push(part.elements);
        }
        Ok(parsed)
    }
}

impl Parsed {
    /// Returns what has been parsed of a text and of the text that follows it.
    fn then(self, next: Parsed) -> Parsed {
        Parsed {
            rows: self.rows + next.rows,
            bytes: self.bytes + next.bytes,
            line_ends: self.line_ends + next.line_ends,
            incomplete: next.incomplete,
        }
    }
}

impl CsvRows<'_> {
    /// Parses each part, on several threads.
    fn parse_each<T: CsvElement>(&self, parts: &mut [Part<'_, T>]) {
        match parts {
            [] => {}
            [part] => {
                // The vector is moved to this thread's stack. Each push writes its length, and the parts share cache lines.
                let mut elements = core::mem::take(&mut part.elements);
                part.parsed = self.parse(part.text, &mut elements);
                part.elements = elements;
            }
            _ => {
                let (low, high) = parts.split_at_mut(parts.len() / 2);
                join(|| self.parse_each(low), || self.parse_each(high));
            }
        }
    }

    /// Parses plain rows from the beginning of a text, where a row must begin. Appends the elements to `to`.
    fn parse<T: CsvElement>(&self, text: &[u8], to: &mut Vec<T>) -> Result<Parsed, Error> {
        let mut parsed = Parsed::default();
        loop {
            reserve_for(to, self.width)?;
            let before = to.len();
            match self.parse_row(&text[parsed.bytes..], to) {
                Ok(bytes) => parsed.bytes += bytes,
                Err(incomplete) => {
                    to.truncate(before);
                    parsed.incomplete = incomplete;
                    return Ok(parsed);
                }
            }
            parsed.rows += 1;
            parsed.line_ends += 1;
            let mut after_return = text[parsed.bytes - 1] == b'\r';
            while let Some(&byte @ (b'\n' | b'\r')) = text.get(parsed.bytes) {
                parsed.line_ends += u64::from(!(after_return && byte == b'\n'));
                after_return = byte == b'\r';
                parsed.bytes += 1;
            }
        }
    }

    /// Parses a row, and returns the number of its bytes, including one byte of its line end. If the row is not [plain](self), returns
    /// `Err(true)` if the text ends before the row does, and `Err(false)` otherwise. Some elements of the row may have been appended then.
    #[inline]
    fn parse_row<T: CsvElement>(&self, text: &[u8], to: &mut Vec<T>) -> Result<usize, bool> {
        let mut begin = 0;
        for k in 1..=self.width {
            let field = &text[begin..];
            let ends = |byte: u8| {
                if k < self.width { byte == self.delimiter } else { matches!(byte, b'\n' | b'\r') }
            };
            let (element, len) = match T::parse_start(field) {
                Some((element, len))
                    if field.get(len).is_some_and(|&byte| ends(byte)) && !self.missing_numbers =>
                {
                    (element, len)
                }
                _ => {
                    let (element, len) = self.parse_field(field)?;
                    if !ends(field[len]) {
                        return Err(false);
                    }
                    (element, len)
                }
            };
            to.push(element);
            begin += len + 1;
        }
        Ok(begin)
    }

    /// Parses a field that may have spaces around it or be missing. Returns the element and the length of the field. If the row is not
    /// [plain](self), returns `Err(true)` if the text ends before the field does, and `Err(false)` otherwise.
    #[cold]
    fn parse_field<T: CsvElement>(&self, text: &[u8]) -> Result<(T, usize), bool> {
        let special = |byte: &u8| *byte == self.delimiter || matches!(byte, b'\n' | b'\r' | b'"');
        let len = text.iter().position(special).ok_or(true)?;
        if text[len] == b'"' {
            return Err(false);
        }
        let field = text[..len].trim_ascii();
        let is_missing = || self.missing.iter().any(|text| text.as_bytes() == field);
        let parsed = if self.missing_numbers && is_missing() { None } else { T::parse(field) };
        let element = parsed.or_else(|| T::missing().filter(|_| is_missing()));
        Ok((element.ok_or(false)?, len))
    }
}

/// Returns an index at which a text can be split into two parts: the start of the first non-empty line after the line that contains byte
/// `bytes`. If there is no such line, returns the length of the text.
fn cut(text: &[u8], bytes: usize) -> usize {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let Some(rest) = text.get(bytes..) else { return text.len() };
    let end = rest.iter().position(is_end).unwrap_or(rest.len());
    let begin = rest[end..].iter().position(|byte| !is_end(byte)).unwrap_or(rest.len() - end);
    bytes + end + begin
}

/// Reserves capacity for `more` additional elements, at least doubling the capacity if it is too small.
pub(super) fn reserve_for<T>(to: &mut Vec<T>, more: usize) -> Result<(), Error> {
    if to.capacity() - to.len() < more { reserve(to, more.max(to.len()).max(64)) } else { Ok(()) }
}

/// Reserves capacity for all elements of a file of which a part has been read, so that they do not move later. `remaining` is the length of
/// the rest of the file, divided by the length of this part. A failed allocation is ignored: fewer elements may follow than estimated.
pub(super) fn reserve_estimate<T: CsvElement>(to: &mut Vec<T>, remaining: f64) {
    if to.len() >= MIN_ESTIMATED {
        // One per cent more, because rows differ in length.
        let more = (to.len() as f64 * remaining * 1.01) as usize;
        if to.capacity() - to.len() < more {
            // The capacity grows by at least a quarter, so the elements move only a few times if the estimates increase. The memory comes
            // from the buffer pool, to which the tensor returns it.
            let len = to.len().saturating_add(more.max(to.len() / 4));
            if let Ok(mut longer) = CpuBuffer::any_for_vec(len).and_then(CpuBuffer::into_vec) {
                longer.clear();
                longer.extend_from_slice(to);
                *to = longer;
            }
        }
    }
}
