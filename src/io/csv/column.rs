//! The type [`Column`], with which callers choose a column of a CSV file.

#![forbid(unsafe_code)]

use crate::io::shorten::shorten;
use crate::rank::{IndexNumber, from_start};

/// A column of a CSV file: its name in the header, or its index. Indices count from 0; a negative index counts from the end.
///
/// ```
/// use vierbein::io::csv::Column;
/// assert_eq!(Column::from("mass"), Column::Name("mass".to_owned()));
/// assert_eq!(Column::from(-1), Column::Index(-1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Column {
    /// The name.
    Name(String),
    /// The index.
    Index(isize),
}

impl From<&str> for Column {
    fn from(name: &str) -> Column {
        Column::Name(name.to_owned())
    }
}

impl From<String> for Column {
    fn from(name: String) -> Column {
        Column::Name(name)
    }
}

impl From<&String> for Column {
    fn from(name: &String) -> Column {
        Column::Name(name.clone())
    }
}

impl<I: IndexNumber> From<I> for Column {
    fn from(index: I) -> Column {
        Column::Index(index.number())
    }
}

impl Column {
    /// Returns the index among `width` columns, counted from 0. `names` is `None` if the file has no header.
    pub(super) fn find(&self, names: Option<&[String]>, width: usize) -> Result<usize, String> {
        match (self, names) {
            (Column::Index(index), _) => {
                let found = from_start(*index, width);
                if found < width {
                    return Ok(found);
                }
                Err(format!(
                    "has no column of index {index}; it has {}, and indices count from 0",
                    counted(width, "column")
                ))
            }
            (Column::Name(name), None) => Err(format!(
                "is read without a header, so it has no column `{}`; choose columns by their indices",
                shorten(name)
            )),
            (Column::Name(name), Some(names)) => {
                let mut found = names.iter().enumerate().filter(|(_, other)| *other == name).map(|(k, _)| k);
                match (found.next(), found.next()) {
                    (Some(k), None) => Ok(k),
                    (Some(first), Some(second)) => Err(format!(
                        "has several columns `{}`; choose one by its index, such as {first} or {second}",
                        shorten(name)
                    )),
                    (None, _) => Err(format!("has no column `{}`; it {}", shorten(name), listed(names))),
                }
            }
        }
    }
}

/// Returns a number of things in words, such as `1 column` or `2 columns`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Lists the names of up to eight columns, for an error message.
fn listed(names: &[String]) -> String {
    let mut shown: Vec<_> = names.iter().take(8).map(|name| format!("`{}`", shorten(name))).collect();
    if names.len() > shown.len() {
        shown.push("..".to_owned());
    }
    format!("has {}", shown.join(", "))
}
