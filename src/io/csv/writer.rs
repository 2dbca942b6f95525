//! Writes a matrix as CSV text, row by row.

#![forbid(unsafe_code)]

use super::column::counted;
use super::element::CsvElement;
use super::{check_delimiter, check_dtype, no_complex, sealed};
use crate::device::cpu::reserve;
use crate::device::{Cpu, Device};
use crate::dispatch;
use crate::dyn_tensor::{DynData, DynTensor};
use crate::element::DType;
use crate::error::Error;
use crate::io::replace::replace;
use crate::order::{ColMajor, Order, RowMajor};
use crate::rank::{AnyRank, Rank, check_has_rank};
use crate::storage::Storage;
use crate::tensor::Tensor;
use std::io::{self, Write};
use std::path::Path;

const OP: &str = "write CSV";

/// Maximum number of elements that are copied from the tensor at a time.
const ELEMENTS: usize = 1 << 14;

/// The buffer of text is written when it has at least this number of bytes. It exceeds this number by at most [`LONGEST`] bytes.
const TEXT: usize = 1 << 16;

/// Upper bound of the number of bytes of one element and a delimiter. The longest element has 24: `-2.2250738585072014e-308`.
const LONGEST: usize = 64;

/// Maximum size in bytes of a matrix that is written: half of the largest file offset. Each element counts its size in memory, but at least
/// 2 bytes, for a digit and a delimiter. Only broadcast views exceed this maximum.
const LARGEST_FILE: u64 = 1 << 62;

/// A type that can be written to a CSV file: a matrix, `Tensor<T, Rank<2>, O>`, a [`DynTensor`] of rank 2, or a view of one. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written to a CSV file",
    label = "a CSV file holds a matrix",
    note = "write a matrix of integers, `f32`, `f64` or `bool`: `x.insert_axis(1)` makes a column of a vector"
)]
pub trait ToCsv: sealed::Sealed {
    /// Returns the shape and the element type, or an error if the tensor is not a matrix or its elements are complex.
    #[doc(hidden)]
    fn matrix(&self) -> Result<([usize; 2], DType), Error>;
    /// Passes the text of all rows to `put`, in parts.
    #[doc(hidden)]
    fn put_rows(&self, delimiter: u8, put: Put<'_>) -> Result<(), Error>;
}

/// A function that writes a part of the text.
pub(super) type Put<'a> = &'a mut dyn FnMut(&[u8]) -> Result<(), Error>;

impl<T: CsvElement, O: Order, Dev: Device, S: Storage<T, Dev>> ToCsv for Tensor<T, Rank<2>, O, Dev, S> {
    fn matrix(&self) -> Result<([usize; 2], DType), Error> {
        Ok((self.shape(), T::DTYPE))
    }
    fn put_rows(&self, delimiter: u8, put: Put<'_>) -> Result<(), Error> {
        let mut text = Text { delimiter, columns: self.shape()[1], bytes: Vec::new(), put };
        reserve(&mut text.bytes, TEXT + LONGEST)?;
        text.part(self, 0)?;
        (text.put)(&text.bytes)
    }
}

#[diagnostic::do_not_recommend]
impl<T: CsvElement, O: Order, Dev: Device, S: Storage<T, Dev>, const MAX: usize> ToCsv
    for Tensor<T, AnyRank<MAX>, O, Dev, S>
{
    fn matrix(&self) -> Result<([usize; 2], DType), Error> {
        check_has_rank::<2>(OP, self.shape().as_ref())?;
        self.view().into_rank::<Rank<2>>().matrix()
    }
    fn put_rows(&self, delimiter: u8, put: Put<'_>) -> Result<(), Error> {
        self.view().into_rank::<Rank<2>>().put_rows(delimiter, put)
    }
}

impl<S> sealed::Sealed for DynTensor<S> {}

impl<S: DynData> ToCsv for DynTensor<S> {
    fn matrix(&self) -> Result<([usize; 2], DType), Error> {
        check_dtype(OP, self.dtype())?;
        match *self.shape() {
            [rows, columns] => Ok(([rows, columns], self.dtype())),
            _ => Err(Error::UnsupportedRank {
                op: OP,
                reason: format!(
                    "expected a matrix, found a tensor of shape {:?}; reshape it to rank 2 first",
                    self.shape()
                ),
            }),
        }
    }
    // Instantiated for each element type of CSV files. Marked inline, so that only crates that call this function compile the instances.
    #[inline]
    fn put_rows(&self, delimiter: u8, put: Put<'_>) -> Result<(), Error> {
        let copy;
        let x = if self.device::<Cpu>().is_some() {
            self.look()
        } else {
            copy = self.to_device::<Cpu>()?;
            copy.look()
        };
        dispatch!(
            x.dtype(),
            T in [bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64] => {
                if x.order().is_row_major() {
                    x.downcast_ref::<T, Rank<2>, RowMajor, Cpu>()?.put_rows(delimiter, put)
                } else {
                    x.downcast_ref::<T, Rank<2>, ColMajor, Cpu>()?.put_rows(delimiter, put)
                }
            },
            else => Err(no_complex(OP, x.dtype()))
        )
    }
}

/// A buffer for the text of a matrix with `columns` columns. `put` writes the text in parts.
struct Text<'a> {
    delimiter: u8,
    columns: usize,
    bytes: Vec<u8>,
    put: Put<'a>,
}

impl Text<'_> {
    /// Appends the part `x` of the matrix; `first` is the index of its first column. If `x` has more than [`ELEMENTS`] elements, it is
    /// split in half, along the rows if there are several, along the columns otherwise. So a part with several rows has all columns.
    fn part<T: CsvElement, O: Order, Dev: Device, S: Storage<T, Dev>>(
        &mut self,
        x: &Tensor<T, Rank<2>, O, Dev, S>,
        first: usize,
    ) -> Result<(), Error> {
        let [rows, columns] = x.shape();
        if rows > 1 && x.len() > ELEMENTS {
            let (low, high) = x.try_split_at(0, rows / 2)?;
            self.part(&low, first)?;
            return self.part(&high, first);
        }
        if x.len() > ELEMENTS {
            let (low, high) = x.try_split_at(1, columns / 2)?;
            self.part(&low, first)?;
            return self.part(&high, first + columns / 2);
        }
        let elements = x.try_to_vec()?;
        for row in 0..rows {
            for column in 0..columns {
                let k = if O::ROW_MAJOR { row * columns + column } else { row + column * rows };
                self.element(elements[k], first + column)?;
            }
        }
        Ok(())
    }

    fn element<T: CsvElement>(&mut self, element: T, column: usize) -> Result<(), Error> {
        if self.bytes.len() >= TEXT {
            (self.put)(&self.bytes)?;
            self.bytes.clear();
        }
        let before = self.bytes.len();
        element.put(&mut self.bytes);
        // A reader skips lines without any character, so a line that consists of one NaN is written as a quoted empty field.
        if self.columns == 1 && self.bytes.len() == before {
            self.bytes.extend(b"\"\"");
        }
        self.bytes.push(if column + 1 == self.columns { b'\n' } else { self.delimiter });
        Ok(())
    }
}

/// Writes matrices to CSV files, with options.
///
/// ```
/// use vierbein::io::csv::CsvWriter;
/// use vierbein::tensor;
///
/// let mut text = Vec::new();
/// CsvWriter::new().delimiter(b';').header(["x", "y"]).write_to(&mut text, &tensor![[1, 2], [3, 4]])?;
/// assert_eq!(text, b"x;y\n1;2\n3;4\n");
/// # Ok::<(), vierbein::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CsvWriter {
    delimiter: u8,
    header: Option<Vec<String>>,
}

impl Default for CsvWriter {
    fn default() -> Self {
        CsvWriter { delimiter: b',', header: None }
    }
}

impl CsvWriter {
    /// Creates a writer with the default options: no header, and commas between the fields.
    ///
    /// ```
    /// use vierbein::io::csv::CsvWriter;
    /// use vierbein::tensor;
    /// let mut text = Vec::new();
    /// CsvWriter::new().write_to(&mut text, &tensor![[1.5, f64::INFINITY], [-0.0, f64::NAN]])?;
    /// assert_eq!(text, b"1.5,inf\n-0.0,\n");
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        CsvWriter::default()
    }

    /// Sets the delimiter between fields, such as `b';'` or `b'\t'`: any ASCII character except letters, digits, `+`, `-`, `.`, `"` and
    /// line ends.
    ///
    /// ```
    /// use vierbein::io::csv::CsvWriter;
    /// use vierbein::tensor;
    /// let mut text = Vec::new();
    /// CsvWriter::new().delimiter(b'\t').write_to(&mut text, &tensor![[1, 2]])?;
    /// assert_eq!(text, b"1\t2\n");
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn delimiter(&mut self, delimiter: u8) -> &mut Self {
        self.delimiter = delimiter;
        self
    }

    /// Writes these names of the columns as the first line. Names that are empty, or contain delimiters, quotes or line ends, are quoted.
    ///
    /// ```
    /// use vierbein::io::csv::CsvWriter;
    /// use vierbein::tensor;
    /// let mut text = Vec::new();
    /// CsvWriter::new().header(["x", "\"y\", in m"]).write_to(&mut text, &tensor![[1, 2]])?;
    /// assert_eq!(text, b"x,\"\"\"y\"\", in m\"\n1,2\n");
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn header<N: AsRef<str>>(&mut self, names: impl IntoIterator<Item = N>) -> &mut Self {
        self.header = Some(names.into_iter().map(|name| name.as_ref().to_owned()).collect());
        self
    }

    /// Writes a matrix to a file.
    ///
    /// An existing file is replaced once the new file is complete. Until then, and after an error, the old file is unchanged.
    ///
    /// # Errors
    /// * [`Error::Argument`] if the [`header`](CsvWriter::header) does not have one name for each column, the matrix has no columns, or the
    ///   [`delimiter`](CsvWriter::delimiter) is not an allowed character.
    /// * [`Error::UnsupportedRank`] and [`Error::UnsupportedDType`] if a [`DynTensor`] is not a matrix, or has complex elements.
    /// * [`Error::File`] if the file cannot be written. Other errors if the elements cannot be copied to the host.
    ///
    /// ```
    /// use vierbein::io::csv::CsvWriter;
    /// use vierbein::tensor;
    /// let path = std::env::temp_dir().join(format!("vierbein-csv-writer-{}.csv", std::process::id()));
    /// CsvWriter::new().write(&path, &tensor![[true, false]])?;
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "true,false\n");
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn write<X: ToCsv + ?Sized>(&self, path: impl AsRef<Path>, x: &X) -> Result<(), Error> {
        let (path, name) = (path.as_ref(), path.as_ref().display().to_string());
        self.check(x, &name)?;
        replace(path, |file| self.put(x, &name, file))
    }

    /// Writes a matrix to any writer, like [`write`](CsvWriter::write).
    ///
    /// # Errors
    /// See [`write`](CsvWriter::write).
    ///
    /// ```
    /// use vierbein::io::csv::CsvWriter;
    /// use vierbein::tensor;
    /// let mut text = Vec::new();
    /// CsvWriter::new().write_to(&mut text, &tensor![[1u8], [2]])?;
    /// assert_eq!(text, b"1\n2\n");
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn write_to<X: ToCsv + ?Sized>(&self, mut writer: impl Write, x: &X) -> Result<(), Error> {
        const STREAM: &str = "<stream>";
        self.check(x, STREAM)?;
        self.put(x, STREAM, &mut writer)
    }

    /// Checks the options and the matrix, before anything is written.
    fn check<X: ToCsv + ?Sized>(&self, x: &X, name: &str) -> Result<(), Error> {
        check_delimiter(OP, self.delimiter)?;
        let (shape, dtype) = x.matrix()?;
        let argument = |reason| Err(Error::Argument { op: OP, reason });
        if shape[1] == 0 {
            return argument(format!(
                "a matrix of shape {shape:?} has no columns, so its rows would be empty lines, which are not read"
            ));
        }
        if let Some(names) = &self.header
            && names.len() != shape[1]
        {
            return argument(format!(
                "a matrix of shape {shape:?} has {}, but the header has {}",
                counted(shape[1], "column"),
                counted(names.len(), "name")
            ));
        }
        // No overflow: even for a broadcast view, the size of the elements in bytes fits in `isize`, so twice this size fits in `u64`.
        let bytes = (shape[0] * shape[1]) as u64 * dtype.size().max(2) as u64;
        if bytes > LARGEST_FILE {
            let reason = format!(
                "cannot be written: a matrix of shape {shape:?} has more elements than a file can hold; write the matrix before \
                 it is broadcast"
            );
            return Err(Error::File { path: name.to_owned(), reason });
        }
        Ok(())
    }

    fn put<X: ToCsv + ?Sized>(&self, x: &X, name: &str, writer: &mut dyn Write) -> Result<(), Error> {
        let error =
            |e: io::Error| Error::File { path: name.to_owned(), reason: format!("cannot be written: {e}") };
        if let Some(names) = &self.header {
            writer.write_all(self.header_line(names).as_bytes()).map_err(error)?;
        }
        x.put_rows(self.delimiter, &mut |text| writer.write_all(text).map_err(error))?;
        writer.flush().map_err(error)
    }

    fn header_line(&self, names: &[String]) -> String {
        let delimiter = char::from(self.delimiter);
        let mut line = String::new();
        for (k, name) in names.iter().enumerate() {
            if k > 0 {
                line.push(delimiter);
            }
            // Empty names are quoted, because a reader skips empty lines. Names with a byte order mark are quoted, because a reader skips
            // the mark at the beginning of a file.
            let plain = !name.contains([delimiter, '"', '\n', '\r', '\u{feff}']) && !name.is_empty();
            match plain {
                true => line.push_str(name),
                false => line.extend(["\"", &name.replace('"', "\"\""), "\""]),
            }
        }
        line.push('\n');
        line
    }
}
