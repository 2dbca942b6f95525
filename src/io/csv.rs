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
use crate::device::cpu::reserve;
use crate::dispatch;
use crate::dyn_tensor::{DynData, DynTensor};
use crate::element::DType;
use crate::error::Error;
use crate::order::Order;
use crate::rank::Rank;
use crate::storage::Storage;
use crate::tensor::Tensor;
use column::counted;
use core::fmt::Debug;
use records::{Records, from_path, from_stream};
use std::io::{Read, Write};
use std::path::Path;

mod categories;
mod column;
mod element;
mod plain;
mod records;
mod writer;

pub use categories::Categories;
pub use column::Column;
pub use element::CsvElement;
pub use writer::{CsvWriter, ToCsv};

use super::shorten::shorten;

mod sealed {
    pub trait Sealed {}
}

/// The texts that stand for a missing value unless [`CsvReader::missing`] lists others.
const MISSING: [&str; 6] = ["", "NA", "N/A", "NaN", "nan", "null"];

// ------------------------------------------------------------------ tensors

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

impl<T: CsvElement, O: Order, Dev: Device, S> sealed::Sealed for Tensor<T, Rank<2>, O, Dev, S> {}

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

impl<T: CsvElement, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, Rank<2>, O, Dev, S> {
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

// ------------------------------------------------------------------ dynamic tensors

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

// ------------------------------------------------------------------ reading

/// Reads matrices from CSV files, with options.
///
/// ```
/// use vierbein::io::csv::CsvReader;
/// use vierbein::prelude::*;
///
/// let text = "place; mass ;speed\nA;1.5;-\nB;2.5;30\n";
/// let (names, x): (_, Tensor<f64, Rank<2>>) =
///     CsvReader::new().delimiter(b';').columns(["speed", " mass "]).missing(["-"]).read_from(text.as_bytes())?;
/// assert_eq!(names, ["speed", " mass "]);
/// assert_eq!(x.slice(s![1, ..]), tensor![30.0, 2.5]);
/// assert!(x[[0, 0]].is_nan());
/// # Ok::<(), vierbein::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CsvReader {
    delimiter: u8,
    header: bool,
    columns: Option<Vec<Column>>,
    missing: Vec<String>,
}

impl Default for CsvReader {
    fn default() -> Self {
        let missing = MISSING.map(str::to_owned).to_vec();
        CsvReader { delimiter: b',', header: true, columns: None, missing }
    }
}

impl CsvReader {
    /// Creates a reader with the default options: the file has a header, commas separate the fields, and all columns are read.
    ///
    /// ```
    /// use vierbein::io::csv::CsvReader;
    /// use vierbein::prelude::*;
    /// let (_, x) = CsvReader::new().read_from::<Tensor<i32, Rank<2>>>("a,b\n1,2\n".as_bytes())?;
    /// assert_eq!(x, tensor![[1, 2]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        CsvReader::default()
    }

    /// Sets the delimiter between fields, such as `b';'` or `b'\t'`: any ASCII character except letters, digits, `+`, `-`, `.`, `"` and
    /// line ends.
    ///
    /// ```
    /// use vierbein::io::csv::CsvReader;
    /// use vierbein::prelude::*;
    /// let mut reader = CsvReader::new();
    /// let (_, x) = reader.delimiter(b'\t').read_from::<Tensor<i32, Rank<2>>>("a\tb\n1\t2\n".as_bytes())?;
    /// assert_eq!(x, tensor![[1, 2]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn delimiter(&mut self, delimiter: u8) -> &mut Self {
        self.delimiter = delimiter;
        self
    }

    /// Reads files without a header: the first line is the first row, and the returned list of names is empty.
    ///
    /// ```
    /// use vierbein::io::csv::CsvReader;
    /// use vierbein::prelude::*;
    /// let (names, x) = CsvReader::new().no_header().read_from::<Tensor<i32, Rank<2>>>("1,2\n3,4\n".as_bytes())?;
    /// assert_eq!((names.len(), x), (0, tensor![[1, 2], [3, 4]]));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn no_header(&mut self) -> &mut Self {
        self.header = false;
        self
    }

    /// Reads only these columns, in this order. A column is given by its name or by its index. An index that is negative counts from the
    /// end.
    ///
    /// The other columns can contain any text.
    ///
    /// ```
    /// use vierbein::io::csv::CsvReader;
    /// use vierbein::prelude::*;
    /// let text = "name,x,y\nA,1,2\nB,3,4\n".as_bytes();
    /// let (names, x) = CsvReader::new().columns(["y", "x"]).read_from::<Tensor<i32, Rank<2>>>(text)?;
    /// assert_eq!((&names[0][..], x), ("y", tensor![[2, 1], [4, 3]]));
    /// let (_, x) = CsvReader::new().columns([-1]).read_from::<Tensor<i32, Rank<2>>>(text)?;
    /// assert_eq!(x, tensor![[2], [4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn columns<C: Into<Column>>(&mut self, columns: impl IntoIterator<Item = C>) -> &mut Self {
        self.columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the texts that stand for a missing value, instead of `NA`, `N/A`, `NaN`, `nan`, `null` and the empty text.
    ///
    /// ```
    /// use vierbein::io::csv::CsvReader;
    /// use vierbein::prelude::*;
    /// let mut reader = CsvReader::new();
    /// let (_, x) = reader.missing(["-999"]).read_from::<Tensor<f64, Rank<2>>>("x\n1\n-999\n".as_bytes())?;
    /// assert!(x[[1, 0]].is_nan());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn missing<N: AsRef<str>>(&mut self, texts: impl IntoIterator<Item = N>) -> &mut Self {
        self.missing = texts.into_iter().map(|text| text.as_ref().trim_ascii().to_owned()).collect();
        self
    }

    /// Reads a matrix and the names of its columns. The list of names is empty if the file has no header.
    ///
    /// # Errors
    /// * [`Error::File`] if the file cannot be read, a requested [column](CsvReader::columns) does not exist or its name is not unique,
    ///   rows have different numbers of fields, or a field is not an element of the matrix. The error names the line of the row, and the
    ///   column of the field.
    /// * [`Error::Argument`] if the [`delimiter`](CsvReader::delimiter) is not an allowed character.
    /// * [`Error::OutOfMemory`] if an allocation fails, or another error if the device reports one.
    ///
    /// ```
    /// use vierbein::io::csv::CsvReader;
    /// use vierbein::prelude::*;
    /// let path = std::env::temp_dir().join(format!("vierbein-csv-reader-{}.csv", std::process::id()));
    /// std::fs::write(&path, "1 2\n3 4\n").unwrap();
    /// let (_, x): (_, Tensor<i32, Rank<2>>) = CsvReader::new().delimiter(b' ').no_header().read(&path)?;
    /// assert_eq!(x, tensor![[1, 2], [3, 4]]);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn read<X: FromCsv>(&self, path: impl AsRef<Path>) -> Result<(Vec<String>, X), Error> {
        check_delimiter("read CSV", self.delimiter)?;
        from_path(path.as_ref(), self.delimiter, |records| self.matrix(records))
    }

    /// Reads a matrix from any reader, like [`read`](CsvReader::read). Reads until the reader ends.
    ///
    /// # Errors
    /// See [`read`](CsvReader::read).
    ///
    /// ```
    /// use vierbein::io::csv::CsvReader;
    /// use vierbein::prelude::*;
    /// let (_, x) = CsvReader::new().no_header().read_from::<Tensor<f32, Rank<2>>>(&b"1,2.5\n"[..])?;
    /// assert_eq!(x, tensor![[1.0, 2.5]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn read_from<X: FromCsv>(&self, mut reader: impl Read) -> Result<(Vec<String>, X), Error> {
        check_delimiter("read CSV", self.delimiter)?;
        from_stream(&mut reader, self.delimiter, |records| self.matrix(records))
    }

    /// Reads a row-major matrix with elements of type `dtype`, like [`read`](CsvReader::read).
    ///
    /// # Errors
    /// Those of [`read`](CsvReader::read), and [`Error::UnsupportedDType`] if `dtype` is complex.
    ///
    /// ```
    /// use vierbein::io::csv::CsvReader;
    /// use vierbein::{DType, tensor};
    /// let path = std::env::temp_dir().join(format!("vierbein-csv-read-dyn-{}.csv", std::process::id()));
    /// std::fs::write(&path, "1,2\n3,4\n").unwrap();
    /// let (_, x) = CsvReader::new().no_header().read_dyn(&path, DType::F32)?;
    /// assert_eq!(x.downcast_ref()?, tensor![[1f32, 2.0], [3.0, 4.0]]);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    // Instantiated for each element type of CSV files. Marked inline, so that only crates that call this function compile the instances.
    #[inline]
    pub fn read_dyn(&self, path: impl AsRef<Path>, dtype: DType) -> Result<(Vec<String>, DynTensor), Error> {
        check_delimiter("read CSV", self.delimiter)?;
        check_dtype("read CSV", dtype)?;
        from_path(path.as_ref(), self.delimiter, |records| self.dynamic_matrix(records, dtype))
    }

    /// Reads a matrix from any reader, like [`read_dyn`](CsvReader::read_dyn). Reads until the reader ends.
    ///
    /// # Errors
    /// See [`read_dyn`](CsvReader::read_dyn).
    ///
    /// ```
    /// use vierbein::DType;
    /// use vierbein::io::csv::CsvReader;
    /// let (_, x) = CsvReader::new().no_header().read_dyn_from(&b"1,2\n3,4\n"[..], DType::U8)?;
    /// assert_eq!((x.dtype(), x.shape()), (DType::U8, &[2, 2][..]));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[inline]
    pub fn read_dyn_from(
        &self,
        mut reader: impl Read,
        dtype: DType,
    ) -> Result<(Vec<String>, DynTensor), Error> {
        check_delimiter("read CSV", self.delimiter)?;
        check_dtype("read CSV", dtype)?;
        from_stream(&mut reader, self.delimiter, |records| self.dynamic_matrix(records, dtype))
    }

    /// Reads columns as text. Returns the names of the columns, and a vector for each column with an element for each row. The list of
    /// names is empty if the file has no header.
    ///
    /// To use the texts as labels of groups or classes, read them by [`read_categories`](CsvReader::read_categories).
    ///
    /// # Errors
    /// * [`Error::File`] if the file cannot be read, a requested [column](CsvReader::columns) does not exist or its name is not unique,
    ///   rows have different numbers of fields, or a field is not UTF-8 text. The error names the line of the row, and the column of the
    ///   field.
    /// * [`Error::Argument`] if the [`delimiter`](CsvReader::delimiter) is not an allowed character.
    /// * [`Error::OutOfMemory`] if memory for the text cannot be allocated.
    ///
    /// ```
    /// use vierbein::io::csv::CsvReader;
    /// use vierbein::prelude::*;
    /// let path = std::env::temp_dir().join(format!("vierbein-csv-text-{}.csv", std::process::id()));
    /// std::fs::write(&path, "city,mass\nRome,1\nOslo,2\nRome,3\n").unwrap();
    /// let (_, columns) = CsvReader::new().columns(["city"]).read_text(&path)?;
    /// assert_eq!(columns, [["Rome", "Oslo", "Rome"]]);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn read_text(&self, path: impl AsRef<Path>) -> Result<(Vec<String>, Vec<Vec<String>>), Error> {
        check_delimiter("read CSV", self.delimiter)?;
        from_path(path.as_ref(), self.delimiter, |records| self.text(records))
    }

    /// Reads columns as text from any reader, like [`read_text`](CsvReader::read_text). Reads until the reader ends.
    ///
    /// # Errors
    /// See [`read_text`](CsvReader::read_text).
    ///
    /// ```
    /// use vierbein::io::csv::CsvReader;
    /// let (names, columns) = CsvReader::new().read_text_from(&b"a,b\n1,x\n2,y\n"[..])?;
    /// assert_eq!(names, ["a", "b"]);
    /// assert_eq!(columns, [["1", "2"], ["x", "y"]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn read_text_from(&self, mut reader: impl Read) -> Result<(Vec<String>, Vec<Vec<String>>), Error> {
        check_delimiter("read CSV", self.delimiter)?;
        from_stream(&mut reader, self.delimiter, |records| self.text(records))
    }

    fn text(&self, records: &mut Records<'_>) -> Result<(Vec<String>, Vec<Vec<String>>), Error> {
        let Head { names, columns, width, line, mut more } = self.head(records)?;
        let mut texts: Vec<Vec<String>> = Vec::new();
        reserve(&mut texts, columns.len())?;
        texts.resize(columns.len(), Vec::new());
        while more {
            check_width(records, width, line)?;
            for (texts, &k) in texts.iter_mut().zip(&columns) {
                plain::reserve_for(texts, 1)?;
                texts.push(text_of(records, k, "text")?);
            }
            more = records.advance()?;
        }
        Ok((self.chosen(names, &columns), texts))
    }

    fn matrix<X: FromCsv>(&self, records: &mut Records<'_>) -> Result<(Vec<String>, X), Error> {
        let (names, shape, elements) = self.table(records)?;
        Ok((names, X::of_rows(shape, elements)?))
    }

    #[inline]
    fn dynamic_matrix(
        &self,
        records: &mut Records<'_>,
        dtype: DType,
    ) -> Result<(Vec<String>, DynTensor), Error> {
        dispatch!(
            dtype,
            T in [bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64] => {
                let (names, x) = self.matrix::<Tensor<T, Rank<2>>>(records)?;
                Ok((names, DynTensor::from(x)))
            },
            else => Err(no_complex("read CSV", dtype))
        )
    }

    /// Reads names, shape and elements. The elements are in row-major order.
    fn table<T: CsvElement>(
        &self,
        records: &mut Records<'_>,
    ) -> Result<(Vec<String>, [usize; 2], Vec<T>), Error> {
        // If a text for missing values is a number, such as -999, each field is compared with the texts before it is parsed. The text
        // `nan` does not require this: parsing it returns NaN too.
        let is_number =
            |text: &String| T::parse(text.as_bytes()).is_some() && !text.eq_ignore_ascii_case("nan");
        let numbers = self.missing.iter().any(is_number);
        let Head { names, columns, width, line, mut more } = self.head(records)?;
        let mut parser = self.columns.is_none().then(|| {
            let missing = &self.missing;
            plain::Parser::new(plain::Rows {
                delimiter: self.delimiter,
                width,
                missing,
                missing_numbers: numbers,
            })
        });
        let (mut elements, mut rows) = (Vec::new(), 0);
        while more {
            check_width(records, width, line)?;
            plain::reserve_for(&mut elements, columns.len())?;
            for &k in &columns {
                let field = records.field(k).trim_ascii();
                let parsed = if numbers && self.is_missing(field) { None } else { T::parse(field) };
                elements.push(match parsed {
                    Some(element) => element,
                    None => self.unparsed(field, k, &names, records)?,
                });
            }
            rows += 1;
            if let Some(parser) = &mut parser {
                rows += records.parse(|text, remaining| {
                    if let Some(remaining) = remaining {
                        plain::reserve_estimate(&mut elements, remaining);
                    }
                    parser.parse(text, &mut elements)
                })?;
            }
            more = records.advance()?;
        }
        Ok((self.chosen(names, &columns), [rows, columns.len()], elements))
    }

    /// Reads the header and the first record after it.
    fn head(&self, records: &mut Records<'_>) -> Result<Head, Error> {
        let mut more = records.advance()?;
        let mut names = Vec::new();
        if self.header {
            if !more {
                return Err(records.error(
                    "is empty, but a header was expected; call `no_header` to read files without one"
                        .to_owned(),
                ));
            }
            names = header(records)?;
        }
        let (width, line) = (records.fields(), records.line());
        if self.header {
            more = records.advance()?;
        }
        let columns = self.indices(self.header.then_some(&names[..]), width, records)?;
        Ok(Head { names, columns, width, line, more })
    }

    /// Returns the names of the requested columns.
    fn chosen(&self, names: Vec<String>, columns: &[usize]) -> Vec<String> {
        if self.columns.is_some() && self.header {
            columns.iter().map(|&k| names[k].clone()).collect()
        } else {
            names
        }
    }

    /// Returns the indices of the requested columns. `names` is `None` if the file has no header.
    fn indices(
        &self,
        names: Option<&[String]>,
        width: usize,
        records: &Records<'_>,
    ) -> Result<Vec<usize>, Error> {
        let mut indices = Vec::new();
        match &self.columns {
            None => {
                reserve(&mut indices, width)?;
                indices.extend(0..width);
            }
            Some(columns) => {
                for column in columns {
                    indices.push(column.find(names, width).map_err(|reason| records.error(reason))?);
                }
            }
        }
        Ok(indices)
    }

    fn is_missing(&self, field: &[u8]) -> bool {
        self.missing.iter().any(|text| text.as_bytes() == field)
    }

    /// Returns the element for a field that is missing or cannot be parsed: NaN if it is missing and `T` has NaN. Otherwise returns an
    /// error that names the line and the column.
    fn unparsed<T: CsvElement>(
        &self,
        field: &[u8],
        column: usize,
        names: &[String],
        records: &Records<'_>,
    ) -> Result<T, Error> {
        let missing = self.is_missing(field);
        if missing && let Some(element) = T::missing() {
            return Ok(element);
        }
        let name = names.get(column).map(|name| format!(" (`{}`)", shorten(name))).unwrap_or_default();
        let shown = shorten(&String::from_utf8_lossy(field));
        let reason = if missing {
            format!(
                "`{shown}` is a missing value, which `{}` does not have; read `f64`, in which it is NaN, or leave the column out",
                T::DTYPE
            )
        } else {
            format!("`{shown}` {}", T::reason(field))
        };
        Err(records.error(format!("line {}, column {}{name}: {reason}", records.line(), column + 1)))
    }
}

/// The beginning of a file. The current record is the first one after the header.
struct Head {
    names: Vec<String>,
    /// The indices of the requested columns.
    columns: Vec<usize>,
    /// The number of columns of the file.
    width: usize,
    /// The number of the line that determines `width`.
    line: u64,
    /// Whether there is a current record.
    more: bool,
}

/// Returns an error if the current record does not have `width` fields, as line `line` has.
fn check_width(records: &Records<'_>, width: usize, line: u64) -> Result<(), Error> {
    if records.fields() == width {
        return Ok(());
    }
    let fields = counted(records.fields(), "field");
    Err(records.error(format!("line {}: has {fields}, but line {line} has {width}", records.line())))
}

/// Returns the fields of the current record as names.
fn header(records: &Records<'_>) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    reserve(&mut names, records.fields())?;
    for k in 0..records.fields() {
        names.push(text_of(records, k, "name")?);
    }
    Ok(names)
}

/// Copies a field of the current record to a string. `what` describes the field in the error message.
fn text_of(records: &Records<'_>, k: usize, what: &str) -> Result<String, Error> {
    let text = str::from_utf8(records.field(k)).map_err(|_| {
        let shown = shorten(&String::from_utf8_lossy(records.field(k)));
        records.error(format!(
            "line {}, column {}: the {what} `{shown}` is not UTF-8 text",
            records.line(),
            k + 1
        ))
    })?;
    let mut copy = Vec::new();
    reserve(&mut copy, text.len())?;
    copy.extend_from_slice(text.as_bytes());
    Ok(String::from_utf8(copy).expect("a copy of text"))
}

// ------------------------------------------------------------------ options

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
