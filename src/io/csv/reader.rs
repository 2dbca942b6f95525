//! Reading of matrices, with options.

use super::column::{Column, counted};
use super::records::{Records, from_path, from_stream};
use super::{CsvElement, FromCsv, check_delimiter, check_dtype, no_complex, plain};
use crate::device::cpu::reserve;
use crate::dispatch;
use crate::dyn_tensor::DynTensor;
use crate::element::DType;
use crate::error::Error;
use crate::io::shorten::shorten;
use crate::rank::Rank;
use crate::tensor::Tensor;
use std::io::Read;
use std::path::Path;

/// The texts that stand for a missing value unless [`CsvReader::missing`] lists others.
const MISSING: [&str; 6] = ["", "NA", "N/A", "NaN", "nan", "null"];

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
    pub(super) delimiter: u8,
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
            plain::Parser::new(plain::CsvRows {
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
    pub(super) fn head(&self, records: &mut Records<'_>) -> Result<Head, Error> {
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
    pub(super) fn chosen(&self, names: Vec<String>, columns: &[usize]) -> Vec<String> {
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

    pub(super) fn is_missing(&self, field: &[u8]) -> bool {
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
pub(super) struct Head {
    pub(super) names: Vec<String>,
    /// The indices of the requested columns.
    pub(super) columns: Vec<usize>,
    /// The number of columns of the file.
    pub(super) width: usize,
    /// The number of the line that determines `width`.
    pub(super) line: u64,
    /// Whether there is a current record.
    pub(super) more: bool,
}

/// Returns an error if the current record does not have `width` fields, as line `line` has.
pub(super) fn check_width(records: &Records<'_>, width: usize, line: u64) -> Result<(), Error> {
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
pub(super) fn text_of(records: &Records<'_>, k: usize, what: &str) -> Result<String, Error> {
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
