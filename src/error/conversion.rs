//! The error of conversions that return their argument.

use super::Error;
use core::fmt;

/// The error of a conversion that takes its argument by value. Holds the [`Error`] and the unchanged argument.
///
/// Converts into [`Error`], so `?` works in functions that return [`Error`].
///
/// ```
/// use vierbein::{Rank, Tensor};
/// let failed = Tensor::<f64, Rank<2>>::try_from_buffer([2, 2], vec![1.0, 2.0, 3.0]).unwrap_err();
/// assert_eq!(failed.to_string(), "cannot make a tensor of shape [2, 2] from 3 values: it has 4 elements");
/// assert_eq!(failed.into_inner(), [1.0, 2.0, 3.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ConversionError<V> {
    /// The reason.
    pub error: Error,
    /// The argument of the conversion, unchanged.
    pub value: V,
}

impl<V> ConversionError<V> {
    /// Returns the argument of the conversion, unchanged.
    pub fn into_inner(self) -> V {
        self.value
    }
}

impl<V> fmt::Display for ConversionError<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<V: fmt::Debug> std::error::Error for ConversionError<V> {}

impl<V> From<ConversionError<V>> for Error {
    fn from(failed: ConversionError<V>) -> Error {
        failed.error
    }
}
