//! Conversion between elements and their little-endian or big-endian bytes, for the readers and writers of files.

#![forbid(unsafe_code)]
// Without the features `npy` and `safetensors`, elements are encoded but never decoded.
#![cfg_attr(not(any(feature = "npy", feature = "safetensors")), allow(dead_code))]

use crate::element::Element;
use core::any::Any;
use num_complex::Complex;

/// Converts a value from the type `A` to `B`, which must be the same type. Used after `dispatch!` on a `DType`.
pub(super) fn same<A: 'static, B: 'static>(value: A) -> B {
    let mut value = Some(value);
    let value = (&mut value as &mut dyn Any).downcast_mut::<Option<B>>();
    value.and_then(Option::take).expect("one element type has one tag")
}

/// Conversion to and from bytes. Implemented for all element types.
pub(super) trait Codec: Element {
    /// Decodes `bytes` and appends the elements to `to`. Returns an error at the first byte that is not a valid `bool`.
    fn decode(bytes: &[u8], big_endian: bool, to: &mut Vec<Self>) -> Result<(), BadByte>;
    /// Converts `elements`, which hold the bytes of a file, from the byte order of the file to that of the machine, in place.
    #[cfg_attr(not(feature = "npy"), allow(dead_code))]
    fn convert(elements: &mut [Self], big_endian: bool);
    /// Appends the bytes of `values` to `to`, little-endian.
    fn encode(values: &[Self], to: &mut Vec<u8>);
}

/// A byte that is not a valid `bool`: its index and its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BadByte {
    pub(super) at: usize,
    pub(super) byte: u8,
}

impl BadByte {
    /// Returns the error message. `before` is the number of bytes in the file before the bytes that were decoded.
    pub(super) fn reason(self, before: u64) -> String {
        format!("is damaged: byte {} is {}, but a bool must be 0 or 1", before + self.at as u64, self.byte)
    }
}

/// Returns an error unless all bytes are 0 or 1.
pub(super) fn check_bools(bytes: &[u8]) -> Result<(), BadByte> {
    match bytes.iter().position(|&byte| byte > 1) {
        Some(at) => Err(BadByte { at, byte: bytes[at] }),
        None => Ok(()),
    }
}

impl Codec for bool {
    fn decode(bytes: &[u8], _: bool, to: &mut Vec<bool>) -> Result<(), BadByte> {
        check_bools(bytes)?;
        to.extend(bytes.iter().map(|&byte| byte == 1));
        Ok(())
    }
    fn convert(_: &mut [bool], _: bool) {}
    fn encode(values: &[bool], to: &mut Vec<u8>) {
        to.extend(values.iter().map(|&x| u8::from(x)));
    }
}

macro_rules! codecs {
    ($($t:ident)*) => {$(
        impl Codec for $t {
            fn decode(bytes: &[u8], big_endian: bool, to: &mut Vec<$t>) -> Result<(), BadByte> {
                let (start, (elements, _)) = (to.len(), bytes.as_chunks());
                to.extend(elements.iter().map(|&bytes| $t::from_ne_bytes(bytes)));
                Self::convert(&mut to[start..], big_endian);
                Ok(())
            }
            fn convert(elements: &mut [$t], big_endian: bool) {
                let from = if big_endian { $t::from_be_bytes } else { $t::from_le_bytes };
                if big_endian != cfg!(target_endian = "big") {
                    elements.iter_mut().for_each(|x| *x = from(x.to_ne_bytes()));
                }
            }
            fn encode(values: &[$t], to: &mut Vec<u8>) {
                let start = to.len();
                to.resize(start + size_of_val(values), 0);
                let (elements, _) = to[start..].as_chunks_mut();
                elements.iter_mut().zip(values).for_each(|(bytes, x)| *bytes = x.to_le_bytes());
            }
        }
    )*};
}
codecs!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

macro_rules! complex_codecs {
    ($($t:ident)*) => {$(
        impl Codec for Complex<$t> {
            fn decode(bytes: &[u8], big_endian: bool, to: &mut Vec<Self>) -> Result<(), BadByte> {
                let (start, (parts, _)) = (to.len(), bytes.as_chunks());
                let (pairs, _) = parts.as_chunks::<2>();
                let part = $t::from_ne_bytes;
                to.extend(pairs.iter().map(|&[re, im]| Complex { re: part(re), im: part(im) }));
                Self::convert(&mut to[start..], big_endian);
                Ok(())
            }
            fn convert(elements: &mut [Self], big_endian: bool) {
                for z in elements {
                    let mut parts = [z.re, z.im];
                    $t::convert(&mut parts, big_endian);
                    [z.re, z.im] = parts;
                }
            }
            fn encode(values: &[Self], to: &mut Vec<u8>) {
                let start = to.len();
                to.resize(start + size_of_val(values), 0);
                let (parts, _) = to[start..].as_chunks_mut();
                let (pairs, _) = parts.as_chunks_mut::<2>();
                pairs.iter_mut().zip(values).for_each(|(bytes, z)| *bytes = [z.re, z.im].map($t::to_le_bytes));
            }
        }
    )*};
}
complex_codecs!(f32 f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_either_order() {
        let mut floats: Vec<f32> = Vec::new();
        f32::decode(&[0, 0, 0x80, 0x3f], false, &mut floats).unwrap();
        f32::decode(&[0xbf, 0x80, 0, 0], true, &mut floats).unwrap();
        assert_eq!(floats, [1.0, -1.0]);
        let mut complex: Vec<Complex<f32>> = Vec::new();
        Complex::decode(&[0x3f, 0x80, 0, 0, 0xbf, 0x80, 0, 0], true, &mut complex).unwrap();
        assert_eq!(complex, [Complex::new(1.0, -1.0)]);
        let mut bytes = Vec::new();
        Codec::encode(&[0x0102u16, 0x0304], &mut bytes);
        Codec::encode(&[Complex::new(1.0f32, -1.0)], &mut bytes);
        assert_eq!(bytes, [2, 1, 4, 3, 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xbf]);
        let mut converted = [u16::from_ne_bytes([1, 2]), 0];
        u16::convert(&mut converted, true);
        assert_eq!(converted[0], 0x0102);
        let mut converted =
            [Complex::new(f32::from_ne_bytes([0x3f, 0x80, 0, 0]), f32::from_ne_bytes([0xbf, 0x80, 0, 0]))];
        Complex::convert(&mut converted, true);
        assert_eq!(converted, complex[..]);
        let mut converted = [f64::from_ne_bytes([0, 0, 0, 0, 0, 0, 0xf0, 0x3f])];
        f64::convert(&mut converted, false);
        assert_eq!(converted, [1.0]);
        let bad = bool::decode(&[1, 0, 2], false, &mut Vec::new()).unwrap_err();
        assert_eq!(bad.reason(128), "is damaged: byte 130 is 2, but a bool must be 0 or 1");
    }
}
