//! The header of an npy file: a version, a length, and a dictionary as Python would write it.

#![forbid(unsafe_code)]

use super::literal::{self, Literal, Value};
use crate::element::DType;
use crate::io::contents::{Contents, same_in_both_orders, shorten};
use core::ffi::{c_int, c_long};
use std::borrow::Cow;

/// The contents of an `.npy` header.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The element type, or `None` if this crate does not support it.
    pub dtype: Option<DType>,
    /// The element type as NumPy writes it: `<f8` for little-endian `f64`; a list of fields for records.
    pub descr: String,
    /// The extent of each axis.
    pub shape: Vec<usize>,
    /// Whether the memory order is column-major: the first axis varies fastest. NumPy writes `false` if both orders are the same.
    pub fortran_order: bool,
}

// ------------------------------------------------------------------ reading

/// Maximum number of axes in NumPy 2.
const MAX_AXES: usize = 64;

/// Parses the dictionary of a header. Also returns whether the elements are big-endian.
pub(super) fn parse(dictionary: &[u8]) -> Result<(Header, bool), String> {
    let text = dictionary.strip_suffix(b"\n").unwrap_or(dictionary);
    // Version 3 is UTF-8, and versions 1 and 2 are Latin-1, which has the same characters below 128.
    let text = match str::from_utf8(text) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => text.iter().map(|&c| char::from(c)).collect(),
    };
    let literal = literal::parse(&text)?;
    header(literal).map_err(|reason| match reason {
        Rejection::TooLarge => "has a shape that exceeds the address space".to_owned(),
        Rejection::NoArray(reason) => {
            format!("has the invalid header `{}`: {reason}", shorten(text.trim()))
        }
    })
}

/// The reason why a dictionary is not a valid header.
enum Rejection {
    NoArray(String),
    TooLarge,
}

impl From<&str> for Rejection {
    fn from(reason: &str) -> Self {
        Rejection::NoArray(reason.to_owned())
    }
}

fn header(literal: Literal<'_>) -> Result<(Header, bool), Rejection> {
    let Value::Dict(entries) = literal.value else {
        return Err("it is not a dictionary".into());
    };
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    for (key, value) in entries {
        let slot = match key.value {
            Value::String("descr") => &mut descr,
            Value::String("fortran_order") => &mut fortran_order,
            Value::String("shape") => &mut shape,
            _ => return Err(Rejection::NoArray(format!("it has the unknown key {}", shorten(key.text)))),
        };
        if slot.replace(value).is_some() {
            return Err(Rejection::NoArray(format!("it has the key {} twice", key.text)));
        }
    }
    let needed =
        |slot: Option<_>, key| slot.ok_or_else(|| Rejection::NoArray(format!("it has no key '{key}'")));
    let descr = needed(descr, "descr")?;
    let Value::Bool(fortran_order) = needed(fortran_order, "fortran_order")?.value else {
        return Err("its 'fortran_order' is not `True` or `False`".into());
    };
    let shape = extents(needed(shape, "shape")?)?;
    let (dtype, descr, big_endian) = match descr.value {
        Value::String(name) => {
            let (dtype, big_endian) = element_type(name)
                .ok_or_else(|| Rejection::NoArray(format!("NumPy has no type `{}`", shorten(name))))?;
            (dtype, name, big_endian)
        }
        // A list of fields: a structured type, which is not supported.
        Value::List(_) => (None, descr.text, false),
        _ => return Err("its 'descr' is not a string or a list".into()),
    };
    Ok((Header { dtype, descr: descr.to_owned(), shape, fortran_order }, big_endian))
}

fn extents(shape: Literal<'_>) -> Result<Vec<usize>, Rejection> {
    let (Value::Tuple(axes) | Value::List(axes)) = shape.value else {
        return Err("its 'shape' is not a tuple".into());
    };
    if axes.len() > MAX_AXES {
        return Err("it has too many axes".into());
    }
    // A zero counts as one: strides are products of the other extents and must not overflow either.
    let mut product = 1u64;
    axes.into_iter()
        .map(|axis| {
            let Value::Integer(extent) = axis.value else {
                return Err("the extent of an axis is not an integer".into());
            };
            product = product.checked_mul(extent.max(1)).ok_or(Rejection::TooLarge)?;
            usize::try_from(extent).map_err(|_| Rejection::TooLarge)
        })
        .collect()
}

/// Parses a NumPy type name. Returns the element type, if it is supported, and whether it is big-endian. Returns `None` if NumPy has no
/// such type.
///
/// NumPy writes a byte order, a kind and a number of bytes, such as `<f8`. It reads every name that `np.dtype` accepts: a byte order may be
/// missing or `=`, the native one, or `|`, none; a character of C such as `d` can replace kind and size; and types have names, such as
/// `float64`, which have no byte order.
fn element_type(name: &str) -> Option<(Option<DType>, bool)> {
    let (order, code) = match name.strip_prefix(['<', '>', '=', '|']) {
        Some(code) => (name.chars().next(), code),
        None => (None, name),
    };
    let big_endian = match order {
        Some('<') => false,
        Some('>') => true,
        _ => cfg!(target_endian = "big"),
    };
    let named = || if order.is_none() { named_type(code) } else { None };
    Some((coded_type(code).or_else(named)?, big_endian))
}

/// Returns the signed or the unsigned integer type of this number of bytes.
fn integer(signed: bool, bytes: usize) -> Option<DType> {
    match (bytes, signed) {
        (1, true) => Some(DType::I8),
        (2, true) => Some(DType::I16),
        (4, true) => Some(DType::I32),
        (8, true) => Some(DType::I64),
        (1, false) => Some(DType::U8),
        (2, false) => Some(DType::U16),
        (4, false) => Some(DType::U32),
        (8, false) => Some(DType::U64),
        _ => None,
    }
}

/// Returns the type of a kind and a number of bytes, or of one of NumPy's type characters. As in NumPy, some types of C have the size that
/// they have on this machine.
fn coded_type(code: &str) -> Option<Option<DType>> {
    Some(match code {
        "b1" | "?" => Some(DType::Bool),
        "i1" | "b" => Some(DType::I8),
        "i2" | "h" => Some(DType::I16),
        "i4" => Some(DType::I32),
        "i8" | "q" => Some(DType::I64),
        "u1" | "B" => Some(DType::U8),
        "u2" | "H" => Some(DType::U16),
        "u4" => Some(DType::U32),
        "u8" | "Q" => Some(DType::U64),
        "i" | "I" => integer(code == "i", size_of::<c_int>()),
        "l" | "L" => integer(code == "l", size_of::<c_long>()),
        "p" | "n" | "P" | "N" => integer(code == "p" || code == "n", size_of::<isize>()),
        "f4" | "f" => Some(DType::F32),
        "f8" | "d" => Some(DType::F64),
        "c8" | "F" => Some(DType::C32),
        "c16" | "D" => Some(DType::C64),
        // Half and extended precision, objects, and single characters.
        "f2" | "e" | "f12" | "f16" | "g" | "c24" | "c32" | "G" | "O" | "O4" | "O8" | "c" => None,
        _ if is_sized(code) => None,
        _ => return None,
    })
}

/// Returns whether NumPy has this kind of byte strings, texts or structured types, with any size, or of dates and time spans, with any unit.
fn is_sized(code: &str) -> bool {
    if let Some(unit) = code.strip_prefix(['m', 'M']) {
        return matches!(unit, "" | "8") || unit.starts_with("8[") && unit.ends_with(']');
    }
    code.strip_prefix(['S', 'a', 'U', 'V']).is_some_and(|size| size.is_empty() || is_size(size))
}

/// Returns the type of a name in NumPy 2.
fn named_type(name: &str) -> Option<Option<DType>> {
    Some(match name {
        "bool" | "bool_" => Some(DType::Bool),
        "int8" | "byte" => Some(DType::I8),
        "int16" | "short" => Some(DType::I16),
        "int32" => Some(DType::I32),
        "int64" | "longlong" => Some(DType::I64),
        "uint8" | "ubyte" => Some(DType::U8),
        "uint16" | "ushort" => Some(DType::U16),
        "uint32" => Some(DType::U32),
        "uint64" | "ulonglong" => Some(DType::U64),
        "intc" | "uintc" => integer(name == "intc", size_of::<c_int>()),
        "long" | "ulong" => integer(name == "long", size_of::<c_long>()),
        "int" | "int_" | "intp" => integer(true, size_of::<isize>()),
        "uint" | "uintp" => integer(false, size_of::<usize>()),
        "float32" | "single" => Some(DType::F32),
        "float64" | "double" | "float" => Some(DType::F64),
        "complex64" | "csingle" => Some(DType::C32),
        "complex128" | "cdouble" | "complex" => Some(DType::C64),
        "float16" | "half" | "longdouble" | "clongdouble" | "float96" | "float128" | "complex192"
        | "complex256" | "object" | "object_" | "bytes" | "bytes_" | "str" | "str_" | "unicode" | "void"
        | "datetime64" | "timedelta64" => None,
        _ => return None,
    })
}

/// Returns whether `digits` is a valid size in a NumPy type name: a number without a sign that fits in `i32`.
fn is_size(digits: &str) -> bool {
    digits.bytes().all(|c| c.is_ascii_digit()) && digits.parse::<i32>().is_ok()
}

// ------------------------------------------------------------------ conversion

impl Header {
    /// Returns the element type, shape and memory order of the file's tensor, or an error message if the element type is not supported.
    pub(super) fn contents(&self) -> Result<Contents, String> {
        let Some(dtype) = self.dtype else {
            return Err(format!(
                "holds elements of the NumPy type `{}`, which tensors do not have; convert it in Python, e.g. with \
                 `.astype(np.float64)`",
                shorten(&self.descr)
            ));
        };
        Ok(Contents { dtype, shape: self.shape.clone(), row_major: !self.fortran_order })
    }
}

// ------------------------------------------------------------------ writing

/// Returns NumPy's name of an element type as `Codec::encode` writes it: little-endian on every machine.
fn descr(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "|b1",
        DType::I8 => "|i1",
        DType::I16 => "<i2",
        DType::I32 => "<i4",
        DType::I64 => "<i8",
        DType::U8 => "|u1",
        DType::U16 => "<u2",
        DType::U32 => "<u4",
        DType::U64 => "<u8",
        DType::F32 => "<f4",
        DType::F64 => "<f8",
        DType::C32 => "<c8",
        DType::C64 => "<c16",
    }
}

/// Returns everything before the data, byte for byte as NumPy writes it on a little-endian machine.
pub(super) fn bytes(contents: &Contents) -> Vec<u8> {
    let Contents { dtype, ref shape, row_major } = *contents;
    let shape = &shape[..];
    let fortran_order = !row_major && !same_in_both_orders(shape);
    let shape_text = match shape {
        [] => "()".to_owned(),
        [extent] => format!("({extent},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    };
    let order_text = if fortran_order { "True" } else { "False" };
    let descr = descr(dtype);
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': {order_text}, 'shape': {shape_text}, }}");
    // Like NumPy, reserve blanks, so that a program that appends data can rewrite the header in place: the extent of the axis with the
    // largest stride can grow to 21 digits.
    if let Some(slowest) = if fortran_order { shape.last() } else { shape.first() } {
        text += &" ".repeat(21 - slowest.to_string().len());
    }
    // The data begin at a multiple of 64 bytes: after magic, version, length, text, at least one blank, and a newline.
    text += &" ".repeat(64 - (6 + 2 + 2 + text.len() + 1) % 64);
    text.push('\n');
    let length = u16::try_from(text.len()).expect("at most 64 axes of at most 20 digits");
    [&b"\x93NUMPY\x01\x00"[..], &length.to_le_bytes(), text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected names are from NumPy's documentation of `dtype.str`.
    #[test]
    fn descr_is_little_endian_for_every_type() {
        let names =
            ["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8", "<c8", "<c16"];
        let mut found = DType::ALL.map(descr);
        found.sort_by_key(|name| names.iter().position(|known| known == name));
        assert_eq!(found, names);
        for dtype in DType::ALL {
            let bytes = bytes(&Contents { dtype, shape: vec![2, 3], row_major: false });
            let (header, big_endian) = parse(&bytes[10..]).unwrap();
            assert_eq!((header.dtype, big_endian), (Some(dtype), false));
        }
    }
}
