//! Columns of text as categories: a code for each row, and the labels of the codes.

#![forbid(unsafe_code)]

use super::reader::{CsvReader, Head, check_width, text_of};
use super::records::{Records, from_path, from_stream};
use super::{check_delimiter, plain};
use crate::device::{Cpu, Device};
use crate::error::Error;
use crate::rank::Rank;
use crate::tensor::Tensor;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

/// A column of text, as [`CsvReader::read_categories`] returns it: the distinct texts, and for each row the index of its text among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Categories {
    /// For each row, the index of its text in `labels`. For a missing value, this is the number of labels.
    pub codes: Tensor<i64, Rank<1>>,
    /// The distinct texts, in ascending order of their code points. Missing values have no label.
    pub labels: Vec<String>,
}

impl CsvReader {
    /// Reads columns of text as categories. Returns the names of the columns, and the [`Categories`] of each. The list of names is empty if
    /// the file has no header.
    ///
    /// The codes are positions, as [`scatter_add`](Tensor::scatter_add), [`take`](Tensor::take) and [`one_hot`](Tensor::one_hot) take
    /// them. The code of a [missing](CsvReader::missing) value is the number of labels. So it is out of range for a tensor with one element
    /// for each label, and an error; a tensor with one element more has the missing values last.
    ///
    /// The fields are those of [`read_text`](CsvReader::read_text): texts that differ in white space are different. White space around the
    /// text of a missing value is ignored.
    ///
    /// # Errors
    /// Those of [`read_text`](CsvReader::read_text).
    ///
    /// ```
    /// use vierbein::io::csv::CsvReader;
    /// use vierbein::prelude::*;
    /// let path = std::env::temp_dir().join(format!("vierbein-csv-categories-{}.csv", std::process::id()));
    /// std::fs::write(&path, "city,mass\nRome,1\nOslo,2\nRome,3\nNA,4\n").unwrap();
    /// let (_, columns) = CsvReader::new().columns(["city"]).read_categories(&path)?;
    /// let city = &columns[0];
    /// assert_eq!(city.labels, ["Oslo", "Rome"]);
    /// assert_eq!(city.codes, tensor![1, 0, 1, 2]);
    ///
    /// let (_, mass) = CsvReader::new().columns(["mass"]).read::<Tensor<f64, Rank<2>>>(&path)?;
    /// let mut sums = Tensor::zeros([city.labels.len() + 1]);
    /// sums.scatter_add(0, &city.codes, mass.index_axis(1, 0));
    /// assert_eq!(sums, tensor![2.0, 4.0, 4.0]); // Oslo, Rome, missing
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[doc(alias = "factorize")]
    pub fn read_categories(&self, path: impl AsRef<Path>) -> Result<(Vec<String>, Vec<Categories>), Error> {
        check_delimiter("read CSV", self.delimiter)?;
        from_path(path.as_ref(), self.delimiter, |records| self.categories(records))
    }

    /// Reads columns of text as categories from any reader, like [`read_categories`](CsvReader::read_categories). Reads until the reader
    /// ends.
    ///
    /// # Errors
    /// See [`read_categories`](CsvReader::read_categories).
    ///
    /// ```
    /// use vierbein::io::csv::CsvReader;
    /// use vierbein::prelude::*;
    /// let (names, columns) = CsvReader::new().read_categories_from(&b"answer\nyes\nno\nyes\n"[..])?;
    /// assert_eq!((names, &columns[0].labels), (vec!["answer".to_owned()], &vec!["no".to_owned(), "yes".to_owned()]));
    /// assert_eq!(columns[0].codes.one_hot::<f64>(2), tensor![[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn read_categories_from(
        &self,
        mut reader: impl Read,
    ) -> Result<(Vec<String>, Vec<Categories>), Error> {
        check_delimiter("read CSV", self.delimiter)?;
        from_stream(&mut reader, self.delimiter, |records| self.categories(records))
    }

    fn categories(&self, records: &mut Records<'_>) -> Result<(Vec<String>, Vec<Categories>), Error> {
        let Head { names, columns, width, line, mut more } = self.head(records)?;
        let mut found: Vec<Found> = Vec::new();
        plain::reserve_for(&mut found, columns.len())?;
        found.resize_with(columns.len(), Found::default);
        while more {
            check_width(records, width, line)?;
            for (column, &k) in found.iter_mut().zip(&columns) {
                plain::reserve_for(&mut column.codes, 1)?;
                let missing = self.is_missing(records.field(k).trim_ascii());
                let code = if missing { Found::MISSING } else { column.code(records, k)? };
                column.codes.push(code);
            }
            more = records.advance()?;
        }
        let columns_found = found.into_iter().map(Found::sorted).collect::<Result<_, Error>>()?;
        Ok((self.chosen(names, &columns), columns_found))
    }
}

/// The rows of a column that have been read.
#[derive(Default)]
struct Found {
    /// For each row, the code of its text, or [`MISSING`](Found::MISSING).
    codes: Vec<i64>,
    /// The code of each text. The codes count from 0, in order of first appearance.
    labels: HashMap<String, i64>,
}

impl Found {
    /// The code of a missing value while the number of labels is unknown.
    const MISSING: i64 = -1;

    /// Returns the code of field `k` of the current record.
    fn code(&mut self, records: &Records<'_>, k: usize) -> Result<i64, Error> {
        let known = str::from_utf8(records.field(k)).ok().and_then(|text| self.labels.get(text));
        if let Some(&code) = known {
            return Ok(code);
        }
        let text = text_of(records, k, "text")?;
        let code = self.labels.len() as i64;
        let bytes = (self.labels.len() + 1).saturating_mul(size_of::<(String, i64)>());
        self.labels.try_reserve(1).map_err(|_| Error::OutOfMemory { device: Cpu.name(), bytes })?;
        self.labels.insert(text, code);
        Ok(code)
    }

    /// Sorts the labels, and returns the column with their indices as codes.
    fn sorted(self) -> Result<Categories, Error> {
        let Found { mut codes, labels } = self;
        let (mut sorted, mut index, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        plain::reserve_for(&mut sorted, labels.len())?;
        plain::reserve_for(&mut index, labels.len())?;
        plain::reserve_for(&mut texts, labels.len())?;
        sorted.extend(labels);
        sorted.sort_unstable();
        index.resize(sorted.len(), 0);
        for (k, (text, code)) in sorted.into_iter().enumerate() {
            index[code as usize] = k as i64;
            texts.push(text);
        }
        let missing = texts.len() as i64;
        let sorted_code = |code| if code == Found::MISSING { missing } else { index[code as usize] };
        codes.iter_mut().for_each(|code| *code = sorted_code(*code));
        Ok(Categories { codes: Tensor::try_from_vec([codes.len()], codes)?, labels: texts })
    }
}
