//! CSV files: a matrix as text, with one line for each row, and the names of the columns in a header.
//!
//! [`read_csv`](Tensor::read_csv) and [`write_csv`](Tensor::write_csv) are methods of matrices, for files with a header and fields
//! that are separated by commas. [`CsvReader`] and [`CsvWriter`] have options for other files.
//!
//! ```
//! use vierbein::prelude::*;
//!
//! let text = "mass,speed\n1.5,20\n,30\n2.5,1e2\n";
//! let (names, x) = Tensor::<f64, Rank<2>>::read_csv_from(text.as_bytes())?;
//! assert_eq!(names, ["mass", "speed"]);
//! assert_eq!(x.index_axis(1, 1), tensor![20.0, 30.0, 100.0]);
//! assert!(x[[1, 0]].is_nan());
//!
//! let error = Tensor::<i32, Rank<2>>::read_csv_from(text.as_bytes()).unwrap_err();
//! assert_eq!(error.to_string(), "<stream>: line 2, column 1 (`mass`): `1.5` is not an integer (`i32`)");
//! # Ok::<(), vierbein::Error>(())
//! ```
//!
//! [`CsvElement`] lists the element types, and how they are read and written as text. In messages, lines and columns count from 1, as in
//! editors.
//!
//! * A field can be quoted, such as `"1.5"`. A quoted field can contain delimiters, line ends and quotes. A quote in it is written twice.
//! * Lines end with LF, CR LF or CR. Lines without any character are skipped.
//! * The header and all rows must have the same number of fields.
//! * Missing values are NaN in matrices of floating-point numbers, and an error for other element types. The texts `NA`, `N/A`, `NaN`,
//!   `nan`, `null` and an empty field stand for a missing value.
//! * A file is read once, from the beginning to the end, in parts of up to 1 MiB. Memory holds the elements that have been read, one
//!   part with its elements, and the text of one row.
//! * A column of text is read as strings by [`CsvReader::read_text`], or as codes with their labels by [`CsvReader::read_categories`].
//! * Several threads parse the parts of a matrix of more than 1 MiB of text if all columns are read. The result, and the error if there
//!   is one, are the same on any number of threads.

#![forbid(unsafe_code)]

use crate::device::Device;
use crate::dyn_tensor::{DynData, DynTensor};
use crate::element::DType;
use crate::error::Error;
use crate::order::Order;
use crate::rank::{HasRank, Rank};
use crate::storage::Storage;
use crate::tensor::Tensor;
use std::io::{Read, Write};
use std::path::Path;

mod categories;
mod column;
mod element;
mod plain;
mod reader;
mod records;
mod writer;

pub use categories::Categories;
pub use column::Column;
pub use element::CsvElement;
pub use reader::CsvReader;
pub use writer::{CsvWriter, ToCsv};

mod sealed {
    pub trait Sealed {}
}

/// A type that a CSV file can be read as: a matrix, `Tensor<T, Rank<2>, O>`. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a CSV file",
    label = "a CSV file holds a matrix",
    note = "read a `Tensor<T, Rank<2>, O>` of integers, `f32`, `f64` or `bool`, or a `DynTensor` with `read_dyn`"
)]
pub trait FromCsv: sealed::Sealed + Sized {
    /// The element type.
    type Element: CsvElement;
    /// Creates the matrix from its elements, which are in row-major order.
    #[doc(hidden)]
    fn of_rows(shape: [usize; 2], elements: Vec<Self::Element>) -> Result<Self, Error>;
}

impl<T: CsvElement, D: HasRank<2>, O: Order, Dev: Device, S> sealed::Sealed for Tensor<T, D, O, Dev, S> {}

impl<T: CsvElement, O: Order, Dev: Device + Default> FromCsv for Tensor<T, Rank<2>, O, Dev> {
    type Element = T;
    fn of_rows(shape: [usize; 2], elements: Vec<T>) -> Result<Self, Error> {
        let elements = if O::ROW_MAJOR {
            elements
        } else {
            Tensor::<T, Rank<2>>::try_from_vec(shape, elements)?.try_to_order::<O>()?.try_into_vec()?
        };
        Tensor::try_from_vec_in(shape, elements, &Dev::default())
    }
}

impl<T: CsvElement, O: Order, Dev: Device> Tensor<T, Rank<2>, O, Dev> {
    /// Reads a matrix and the names of its columns from a CSV file with a header.
    ///
    /// To read files with another delimiter or without a header, or to read only some columns, use
    /// [`CsvReader`](crate::io::csv::CsvReader).
    ///
    /// # Errors
    /// * [`Error::File`] if the file cannot be read or has no header, rows have different numbers of fields, or a field is not an element
    ///   of type `T`. The error names the line of the row, and the column of the field.
    /// * [`Error::OutOfMemory`] if an allocation fails, or another error if the device reports one.
    ///
    /// ```
    /// use vierbein::prelude::*;
    ///
    /// let path = std::env::temp_dir().join(format!("vierbein-read-csv-{}.csv", std::process::id()));
    /// std::fs::write(&path, "x,y\n1,2\n3,4\n5,6\n").unwrap();
    /// let (names, x) = Tensor::<f64, Rank<2>>::read_csv(&path)?;
    /// assert_eq!((names, x.shape()), (vec!["x".to_owned(), "y".to_owned()], [3, 2]));
    /// assert_eq!(x.sum_axis(0), tensor![9.0, 12.0]);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn read_csv(path: impl AsRef<Path>) -> Result<(Vec<String>, Self), Error>
    where
        Dev: Default,
    {
        CsvReader::new().read(path)
    }

    /// Reads a matrix from any reader, like [`read_csv`](Tensor::read_csv). Reads until the reader ends.
    ///
    /// # Errors
    /// See [`read_csv`](Tensor::read_csv).
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let (names, x) = Tensor::<u8, Rank<2>, ColMajor>::read_csv_from("a,b\n1,2\n".as_bytes())?;
    /// assert_eq!((names.len(), x[[0, 1]]), (2, 2));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn read_csv_from(reader: impl Read) -> Result<(Vec<String>, Self), Error>
    where
        Dev: Default,
    {
        CsvReader::new().read_from(reader)
    }
}

impl<T: CsvElement, D: HasRank<2>, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S>
where
    Self: ToCsv,
{
    /// Writes a CSV file whose header contains the given names, one for each column.
    ///
    /// Reading the file returns the same numbers. NaN is written as an empty field. An existing file is replaced once the new file is
    /// complete. For another delimiter, or no header, use [`CsvWriter`](crate::io::csv::CsvWriter).
    ///
    /// # Errors
    /// * [`Error::Argument`] if the number of names is not the number of columns, or there are no columns.
    /// * [`Error::File`] if the file cannot be written. Other errors if the elements cannot be copied to the host.
    ///
    /// ```
    /// use vierbein::tensor;
    ///
    /// let path = std::env::temp_dir().join(format!("vierbein-write-csv-{}.csv", std::process::id()));
    /// tensor![[1.0, 0.5], [f64::NAN, 1e300]].write_csv(&path, &["x", "y"])?;
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "x,y\n1.0,0.5\n,1e300\n");
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn write_csv<N: AsRef<str>>(&self, path: impl AsRef<Path>, names: &[N]) -> Result<(), Error> {
        CsvWriter::new().header(names).write(path, self)
    }

    /// Writes CSV text to any writer, like [`write_csv`](Tensor::write_csv).
    ///
    /// # Errors
    /// See [`write_csv`](Tensor::write_csv).
    ///
    /// ```
    /// use vierbein::tensor;
    /// let mut text = Vec::new();
    /// tensor![[1, 2], [3, 4]].write_csv_to(&mut text, &["a", "b, in m"])?;
    /// assert_eq!(text, b"a,\"b, in m\"\n1,2\n3,4\n");
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn write_csv_to<N: AsRef<str>>(&self, writer: impl Write, names: &[N]) -> Result<(), Error> {
        CsvWriter::new().header(names).write_to(writer, self)
    }
}

impl DynTensor {
    /// Reads a row-major matrix with elements of type `dtype`, and the names of its columns, from a CSV file with a header.
    ///
    /// # Errors
    /// Those of [`Tensor::read_csv`], and [`Error::UnsupportedDType`] if `dtype` is complex.
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, tensor};
    ///
    /// let path = std::env::temp_dir().join(format!("vierbein-dyn-read-csv-{}.csv", std::process::id()));
    /// std::fs::write(&path, "x,y\n1,2\n3,4\n").unwrap();
    /// let (_, x) = DynTensor::read_csv(&path, DType::I16)?;
    /// assert_eq!(x.downcast_ref()?, tensor![[1i16, 2], [3, 4]]);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[inline]
    pub fn read_csv(path: impl AsRef<Path>, dtype: DType) -> Result<(Vec<String>, DynTensor), Error> {
        CsvReader::new().read_dyn(path, dtype)
    }

    /// Reads a matrix from any reader, like [`read_csv`](DynTensor::read_csv).
    ///
    /// # Errors
    /// See [`read_csv`](DynTensor::read_csv).
    ///
    /// ```
    /// use vierbein::{DType, DynTensor};
    /// let (names, x) = DynTensor::read_csv_from("x\ntrue\nfalse\n".as_bytes(), DType::Bool)?;
    /// assert_eq!((names.len(), x.shape()), (1, &[2, 1][..]));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[inline]
    pub fn read_csv_from(reader: impl Read, dtype: DType) -> Result<(Vec<String>, DynTensor), Error> {
        CsvReader::new().read_dyn_from(reader, dtype)
    }
}

impl<S: DynData> DynTensor<S> {
    /// Writes a CSV file with a header, as [`Tensor::write_csv`] does.
    ///
    /// # Errors
    /// Those of [`Tensor::write_csv`], [`Error::UnsupportedRank`] if the tensor is not a matrix, and [`Error::UnsupportedDType`] if its
    /// elements are complex.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let path = std::env::temp_dir().join(format!("vierbein-dyn-csv-{}.csv", std::process::id()));
    /// DynTensor::from(tensor![[1, 2], [3, 4]]).write_csv(&path, &["x", "y"])?;
    /// assert_eq!(std::fs::read_to_string(&path).unwrap(), "x,y\n1,2\n3,4\n");
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[inline]
    pub fn write_csv<N: AsRef<str>>(&self, path: impl AsRef<Path>, names: &[N]) -> Result<(), Error> {
        CsvWriter::new().header(names).write(path, self)
    }

    /// Writes CSV text to any writer, like [`write_csv`](DynTensor::write_csv).
    ///
    /// # Errors
    /// See [`write_csv`](DynTensor::write_csv).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut text = Vec::new();
    /// DynTensor::from(tensor![[true], [false]]).write_csv_to(&mut text, &["flag"])?;
    /// assert_eq!(text, b"flag\ntrue\nfalse\n");
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[inline]
    pub fn write_csv_to<N: AsRef<str>>(&self, writer: impl Write, names: &[N]) -> Result<(), Error> {
        CsvWriter::new().header(names).write_to(writer, self)
    }
}

/// Returns an error if the delimiter could be part of a number, a `bool`, a quote or a line end, or is not ASCII.
fn check_delimiter(op: &'static str, delimiter: u8) -> Result<(), Error> {
    let in_fields = delimiter.is_ascii_alphanumeric() || b"+-.\"\r\n".contains(&delimiter);
    if delimiter.is_ascii() && !in_fields {
        return Ok(());
    }
    let shown = delimiter.escape_ascii();
    let reason = format!(
        "the delimiter `{shown}` could be part of a field; use an ASCII character such as `,`, `;`, `\\t` or a space"
    );
    Err(Error::Argument { op, reason })
}

fn check_dtype(op: &'static str, dtype: DType) -> Result<(), Error> {
    if matches!(dtype, DType::C32 | DType::C64) { Err(no_complex(op, dtype)) } else { Ok(()) }
}

fn no_complex(op: &'static str, dtype: DType) -> Error {
    let reason = "has two numbers per element, which CSV files do not; read or write `.re()` and `.im()` as two matrices";
    Error::UnsupportedDType { op, dtype, reason }
}
