//! Conversion between fields of CSV files and elements, for each element type. The readers in
//! `csv.rs` and the writers in `writer.rs` call it.

#![forbid(unsafe_code)]

use super::sealed::Sealed;
use crate::element::Element;
use core::num::IntErrorKind;
use std::io::Write;

/// Element types of matrices in CSV files: integers, `f32`, `f64` and `bool`. Sealed.
///
/// | type | read from | written as |
/// |---|---|---|
/// | `f32`, `f64` | `1`, `-1.5`, `+2e3`, `inf`, `nan`; missing values become NaN | the shortest text that reads as the same number; NaN as an empty field |
/// | integers | `1`, `-2`, `+3` | decimal digits |
/// | `bool` | `true`, `True`, `TRUE`, `1`; `false`, `False`, `FALSE`, `0` | `true`, `false` |
///
/// ASCII white space around a value is ignored.
#[diagnostic::on_unimplemented(
    message = "a CSV file holds no elements of `{Self}`",
    label = "expected an integer, `f32`, `f64` or `bool`",
    note = "write complex numbers as two matrices, `x.re()` and `x.im()`; in generic code, bound the element type: `T: CsvElement`"
)]
pub trait CsvElement: Element + Sealed {
    /// Parses a field without surrounding spaces.
    #[doc(hidden)]
    fn parse(field: &[u8]) -> Option<Self>;
    /// Parses the longest number at the beginning of `text`. Returns the element, and the length of the number in bytes;
    /// [`parse`](Self::parse) returns the same element for these bytes. Returns `None` if `text` does not begin with a number, for integers
    /// of more than 18 digits, and for `bool`.
    #[doc(hidden)]
    fn parse_start(text: &[u8]) -> Option<(Self, usize)>;
    /// Returns the end of the error message for a field that cannot be parsed. The text of the field precedes it in the message.
    #[doc(hidden)]
    fn reason(field: &[u8]) -> String;
    /// Returns the value of a missing field, if the type has one.
    #[doc(hidden)]
    fn missing() -> Option<Self>;
    /// Appends the element as text. Appends nothing for NaN, which stands for a missing value.
    #[doc(hidden)]
    fn put(self, to: &mut Vec<u8>);
}

fn append(text: core::fmt::Arguments<'_>, to: &mut Vec<u8>) {
    to.write_fmt(text).expect("writing to a `Vec` does not fail");
}

macro_rules! floats {
    ($($t:ident)*) => {$(
        impl Sealed for $t {}
        impl CsvElement for $t {
            #[inline]
            fn parse(field: &[u8]) -> Option<$t> {
                fast_float2::parse(field).ok()
            }
            #[inline]
            fn parse_start(text: &[u8]) -> Option<($t, usize)> {
                fast_float2::parse_partial(text).ok()
            }
            fn reason(_: &[u8]) -> String {
                concat!("is not a number (`", stringify!($t), "`)").to_owned()
            }
            fn missing() -> Option<$t> {
                Some($t::NAN)
            }
            fn put(self, to: &mut Vec<u8>) {
                // `Debug` writes large and small numbers with an exponent, unlike `Display`.
                if !self.is_nan() {
                    append(format_args!("{self:?}"), to);
                }
            }
        }
    )*};
}
floats!(f32 f64);

/// Parses the longest integer of at most 18 digits at the beginning of a text. Returns its magnitude, whether it is negative, and the
/// number of its bytes.
#[inline]
fn integer(text: &[u8]) -> Option<(u64, bool, usize)> {
    let (negative, sign) = match text.first()? {
        b'-' => (true, 1),
        b'+' => (false, 1),
        _ => (false, 0),
    };
    let (mut magnitude, mut len) = (0, sign);
    while let Some(digit) = text.get(len).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        magnitude = 10 * magnitude + u64::from(digit);
        len += 1;
        if len - sign > 18 {
            return None;
        }
    }
    (len > sign).then_some((magnitude, negative, len))
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Sealed for $t {}
        impl CsvElement for $t {
            #[inline]
            fn parse(field: &[u8]) -> Option<$t> {
                str::from_utf8(field).ok()?.parse().ok()
            }
            #[inline]
            fn parse_start(text: &[u8]) -> Option<($t, usize)> {
                let (magnitude, negative, len) = integer(text)?;
                let signed = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
                // The standard library does not parse `-0` as an unsigned integer, so this function does not either.
                if negative && $t::MIN == 0 { None } else { Some((signed.try_into().ok()?, len)) }
            }
            fn reason(field: &[u8]) -> String {
                let kind = str::from_utf8(field).ok().and_then(|text| Some(text.parse::<$t>().err()?.kind().clone()));
                match kind {
                    Some(IntErrorKind::PosOverflow | IntErrorKind::NegOverflow) => {
                        format!(concat!("is out of range for `", stringify!($t), "` ({} to {})"), $t::MIN, $t::MAX)
                    }
                    _ => concat!("is not an integer (`", stringify!($t), "`)").to_owned(),
                }
            }
            fn missing() -> Option<$t> {
                None
            }
            fn put(self, to: &mut Vec<u8>) {
                append(format_args!("{self}"), to);
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

impl Sealed for bool {}
impl CsvElement for bool {
    #[inline]
    fn parse(field: &[u8]) -> Option<bool> {
        match field {
            b"true" | b"True" | b"TRUE" | b"1" => Some(true),
            b"false" | b"False" | b"FALSE" | b"0" => Some(false),
            _ => None,
        }
    }
    fn parse_start(_: &[u8]) -> Option<(bool, usize)> {
        None
    }
    fn reason(_: &[u8]) -> String {
        "is not a `bool` (`true`, `false`, `1` or `0`)".to_owned()
    }
    fn missing() -> Option<bool> {
        None
    }
    fn put(self, to: &mut Vec<u8>) {
        append(format_args!("{self}"), to);
    }
}
