//! The header of an npy file: a version, a length, and a dictionary as Python would write it.

#![forbid(unsafe_code)]

use crate::element::DType;
use crate::io::contents::{Contents, same_in_both_orders, shorten};
use npyz::TypeChar;

/// What a file holds, as its header says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The element type, if tensors have it.
    pub dtype: Option<DType>,
    /// The element type as NumPy writes it: `<f8` for little-endian `f64`; a list of fields for records.
    pub descr: String,
    /// The length of each axis.
    pub shape: Vec<usize>,
    /// Whether the first axis runs fastest. NumPy writes `false` where both orders are the same.
    pub fortran_order: bool,
}

// ------------------------------------------------------------------ reading

/// The deepest brackets that are read: a dictionary and a tuple, and two more so that records can be told by name.
const MAX_DEPTH: usize = 4;
/// The most numbers that are read: the most axes that NumPy knows.
const MAX_NUMBERS: usize = 64;

/// A file's header, and whether each element's highest byte comes first. `bytes` are the file's first ones, of which the
/// last `length` are the dictionary.
pub(super) fn parse(bytes: &mut [u8], length: usize) -> Result<(Header, bool), String> {
    let text = bytes.len() - length;
    check_text(&mut bytes[text..])?;
    let header = npyz::NpyHeader::from_reader(&bytes[..]).map_err(|e| {
        let shown = shorten(String::from_utf8_lossy(&bytes[text..]).trim());
        // Syntax errors come with a drawing of the place, above the line that says what is wrong.
        let why = e.to_string();
        let why = why.lines().last().unwrap_or_default().trim_start_matches(" = ");
        format!("has the header `{shown}`, which describes no array: {}", shorten(why))
    })?;
    let shape = header.shape().iter().map(|&extent| usize::try_from(extent)).collect::<Result<_, _>>();
    let shape = shape.map_err(|_| "has a shape that exceeds the address space")?;
    let fortran_order = header.order() == npyz::Order::Fortran;
    let dtype = header.dtype();
    let (tag, descr, big_endian) = match &dtype {
        npyz::DType::Plain(plain) => {
            (tag_of(plain), plain.to_string(), plain.endianness() == npyz::Endianness::Big)
        }
        records => (None, records.descr(), false),
    };
    Ok((Header { dtype: tag, descr, shape, fortran_order }, big_endian))
}

/// Refuses what npyz must not see.
///
/// npyz multiplies extents without a check; its parser takes time exponential in the depth of brackets, and stack for each;
/// it nests one type in another for each extent of a field. So brackets, numbers and the product of the numbers are
/// bounded here. The marks of Python 2's long integers are blanked, as NumPy does.
fn check_text(text: &mut [u8]) -> Result<(), String> {
    let text = match text {
        [text @ .., b'\n'] => text,
        text => text,
    };
    // Without backslashes, the next quote of its kind ends a string.
    if let Some(&c) = text.iter().find(|&&c| c == b'\\' || c < b' ') {
        return Err(format!("has the character `{}` in its header", c.escape_ascii()));
    }
    let (mut depth, mut numbers, mut product, mut at) = (0usize, 0, 1u64, 0);
    while at < text.len() {
        let rest = &mut text[at..];
        at += match rest[0] {
            quote @ (b'\'' | b'"') => match rest[1..].iter().position(|&c| c == quote) {
                Some(length) => length + 2,
                None => return Err("has a string without an end in its header".to_owned()),
            },
            b'{' | b'[' | b'(' => {
                depth += 1;
                1
            }
            b'}' | b']' | b')' => {
                // Where none is open, npyz gets no further.
                depth = depth.saturating_sub(1);
                1
            }
            b' ' | b',' | b':' => 1,
            _ => {
                let delimiter = |c: &u8| b" {}[](),:'\"".contains(c);
                let length = rest.iter().position(delimiter).unwrap_or(rest.len());
                let word = &mut rest[..length];
                if word != b"True" && word != b"False" {
                    let extent = number(word).ok_or_else(|| {
                        let word = String::from_utf8_lossy(word);
                        format!(
                            "has `{}` in its header, where the length of an axis should be",
                            shorten(&word)
                        )
                    })?;
                    numbers += 1;
                    // Zero counts as one: the others are multiplied for strides.
                    product = product
                        .checked_mul(extent.max(1))
                        .ok_or("has a shape that exceeds the address space")?;
                }
                length
            }
        };
        if depth > MAX_DEPTH || numbers > MAX_NUMBERS {
            return Err("has too many brackets or numbers in its header for an array of numbers".to_owned());
        }
    }
    Ok(())
}

/// The value of a word of digits. An `L` behind them is blanked.
fn number(word: &mut [u8]) -> Option<u64> {
    let (digits, mark) = match word {
        [digits @ .., mark @ b'L'] => (digits, Some(mark)),
        digits => (digits, None),
    };
    // `parse` would take a sign and leading zeros, which Python does not.
    let plain = digits == b"0" || (digits.iter().all(u8::is_ascii_digit) && !digits.starts_with(b"0"));
    let value = str::from_utf8(digits).ok().filter(|_| plain)?.parse().ok()?;
    if let Some(mark) = mark {
        *mark = b' ';
    }
    Some(value)
}

/// The element type that a plain type string stands for.
fn tag_of(plain: &npyz::TypeStr) -> Option<DType> {
    Some(match (plain.type_char(), plain.size_field()) {
        (TypeChar::Bool, 1) => DType::Bool,
        (TypeChar::Int, 1) => DType::I8,
        (TypeChar::Int, 2) => DType::I16,
        (TypeChar::Int, 4) => DType::I32,
        (TypeChar::Int, 8) => DType::I64,
        (TypeChar::Uint, 1) => DType::U8,
        (TypeChar::Uint, 2) => DType::U16,
        (TypeChar::Uint, 4) => DType::U32,
        (TypeChar::Uint, 8) => DType::U64,
        (TypeChar::Float, 4) => DType::F32,
        (TypeChar::Float, 8) => DType::F64,
        (TypeChar::Complex, 8) => DType::C32,
        (TypeChar::Complex, 16) => DType::C64,
        _ => return None,
    })
}

// ------------------------------------------------------------------ what tensors make of it

impl Header {
    /// The tensor that the header describes, or why there is none like it.
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

/// NumPy's name of an element type, as `Codec::encode` writes its elements: little-endian on every machine.
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
    // Room for the slowest axis to grow to 21 digits in place.
    if let Some(slowest) = if fortran_order { shape.last() } else { shape.first() } {
        text += &" ".repeat(21 - slowest.to_string().len());
    }
    // The data begin at a multiple of 64 bytes, after magic, version, length, text, one blank at least and a line end.
    text += &" ".repeat(64 - (6 + 2 + 2 + text.len() + 1) % 64);
    text.push('\n');
    let length = u16::try_from(text.len()).expect("at most 16 axes of at most 20 digits");
    [&b"\x93NUMPY\x01\x00"[..], &length.to_le_bytes(), text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NumPy's documentation of `dtype.str`. `<` is little-endian, which is what `Codec::encode` writes on every machine.
    #[test]
    fn descr_is_little_endian_for_every_type() {
        let names =
            ["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8", "<c8", "<c16"];
        let mut found = DType::ALL.map(descr);
        found.sort_by_key(|name| names.iter().position(|known| known == name));
        assert_eq!(found, names);
        for dtype in DType::ALL {
            let mut bytes = bytes(&Contents { dtype, shape: vec![2, 3], row_major: false });
            let length = bytes.len() - 10;
            let (header, big_endian) = parse(&mut bytes, length).unwrap();
            assert_eq!((header.dtype, big_endian), (Some(dtype), false));
        }
    }
}
