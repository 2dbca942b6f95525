//! Serialisation of tensors with serde.
//!
//! A tensor is a struct of four fields, in this order:
//!
//! | field | |
//! |---|---|
//! | `dtype` | the name of the element type: `"f64"`, `"Complex<f64>"` |
//! | `order` | `"row-major"` or `"column-major"` |
//! | `shape` | the extent of each axis |
//! | `values` | the elements in memory order, each with its own serialisation; a complex number is `[re, im]` |
//!
//! The fields `dtype`, `order` and `shape` are checked before an element is read, so they must precede `values`. Alphabetically, `values`
//! is the last of the four names, so it also comes last in maps that sort their keys.

#![forbid(unsafe_code)]

use super::codec::same;
use super::contents::{Contents, shorten};
use super::tensors::{FromFile, ToFile, for_dyn_parts, for_parts};
use crate::device::cpu::reserve;
use crate::device::{CpuBuffer, Device};
use crate::dispatch;
use crate::dyn_tensor::{DynData, DynTensor};
use crate::element::{DType, Element};
use crate::error::Error;
use crate::layout::element_count;
use crate::order::{ColMajor, Order, RowMajor};
use crate::rank::{Dim, MAX_ANY_RANK};
use crate::storage::Storage;
use crate::tensor::Tensor;
use core::fmt;
use core::marker::PhantomData;
use num_complex::Complex;
use serde_core::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{Error as _, SerializeSeq, SerializeStruct};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

const FIELDS: &[&str] = &["dtype", "order", "shape", "values"];
/// Maximum number of elements for which memory is allocated before the first element has been read.
const UNSEEN: usize = 1024;

// ------------------------------------------------------------------ writing

/// Serialises owned tensors and views as a struct of `dtype`, `order`, `shape` and `values`. Requires the feature `serde`.
///
/// What happens to values that a format cannot represent depends on the format. JSON has neither NaN nor infinities: `serde_json`
/// writes them as `null`, and reading them back is an error. Also, `serde_json` parses numbers of many digits exactly only with its
/// feature `float_roundtrip`. Enable it if every bit matters.
impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Serialize for Tensor<T, D, O, Dev, S> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        dispatch!(T::DTYPE, U => {
            let parts: Parts<'_, U> = &|f| for_parts(self, &mut |part| f(same::<Vec<T>, Vec<U>>(part)));
            write(serializer, &self.contents(), parts)
        })
    }
}

/// Serialises a `DynTensor` as the typed tensor that it holds. Requires the feature `serde`.
impl<S: DynData> Serialize for DynTensor<S> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        dispatch!(self.dtype(), U => {
            let parts: Parts<'_, U> = &|f| for_dyn_parts(self.look(), f);
            write(serializer, &self.contents(), parts)
        })
    }
}

/// A function that passes all elements to a callback, one chunk at a time.
type Parts<'a, U> = &'a dyn Fn(&mut dyn FnMut(Vec<U>) -> Result<(), Error>) -> Result<(), Error>;

fn write<U: Serialize, Z: Serializer>(
    serializer: Z,
    contents: &Contents,
    parts: Parts<'_, U>,
) -> Result<Z::Ok, Z::Error> {
    let order = if contents.row_major { RowMajor::NAME } else { ColMajor::NAME };
    let mut fields = serializer.serialize_struct("Tensor", FIELDS.len())?;
    fields.serialize_field("dtype", contents.dtype.name())?;
    fields.serialize_field("order", order)?;
    fields.serialize_field("shape", &contents.shape)?;
    fields.serialize_field("values", &Values { len: contents.shape.iter().product(), parts })?;
    fields.end()
}

/// The field `values`: the elements of a tensor.
struct Values<'a, U> {
    len: usize,
    parts: Parts<'a, U>,
}

impl<U: Serialize> Serialize for Values<'_, U> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        let mut seq = serializer.serialize_seq(Some(self.len))?;
        // The callback can only return this crate's `Error`, so the error of the format is stored here.
        let mut error = None;
        let read = (self.parts)(&mut |part| {
            part.iter().try_for_each(|x| seq.serialize_element(x)).map_err(|e| {
                error = Some(e);
                // This error stops the iteration and is not returned. Without it, the iteration over a huge broadcast view would continue
                // to the end.
                Error::Argument { op: "serialize", reason: String::new() }
            })
        });
        match error {
            Some(error) => Err(error),
            None => {
                read.map_err(Z::Error::custom)?;
                seq.end()
            }
        }
    }
}

// ------------------------------------------------------------------ reading

/// Deserialises owned tensors. Requires the feature `serde`.
///
/// The element type, memory order and rank in the data must be those of the tensor type. If not, the error says which type to read the
/// tensor as, and how to convert from that type. The data are not trusted: memory is allocated as elements arrive.
impl<'de, T: Element, D: Dim, O: Order, Dev: Device + Default> Deserialize<'de> for Tensor<T, D, O, Dev> {
    fn deserialize<Z: Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
        deserialize(deserializer)
    }
}

/// Deserialises a `DynTensor` on the host, with the element type, memory order and shape of the data. Requires the feature `serde`.
impl<'de> Deserialize<'de> for DynTensor {
    fn deserialize<Z: Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
        deserialize(deserializer)
    }
}

fn deserialize<'de, X: FromFile, Z: Deserializer<'de>>(deserializer: Z) -> Result<X, Z::Error> {
    deserializer.deserialize_struct("Tensor", FIELDS, Fields(PhantomData))
}

/// The visitor of the struct, which returns an `X`.
struct Fields<X>(PhantomData<X>);

impl<'de, X: FromFile> Visitor<'de> for Fields<X> {
    type Value = X;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tensor: a struct of `dtype`, `order`, `shape` and `values`")
    }

    /// Used by formats that serialise a struct as its fields in order, without names.
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<X, A::Error> {
        let lacks = |field| A::Error::missing_field(field);
        let dtype = seq.next_element_seed(DTypeName)?.ok_or_else(|| lacks("dtype"))?;
        let row_major = seq.next_element_seed(OrderName)?.ok_or_else(|| lacks("order"))?;
        let shape = seq.next_element_seed(Shape)?.ok_or_else(|| lacks("shape"))?;
        let contents = check::<X, A::Error>(Contents { dtype, shape, row_major })?;
        dispatch!(dtype, U => {
            let seed = ElementsField::<U> { contents: &contents, elements: PhantomData };
            let elements = seq.next_element_seed(seed)?.ok_or_else(|| lacks("values"))?;
            X::of_elements(&contents, CpuBuffer::from_vec(elements)).map_err(A::Error::custom)
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<X, A::Error> {
        let (mut dtype, mut row_major, mut shape) = (None, None, None);
        let tensor = loop {
            match map.next_key_seed(Key)? {
                Some("dtype") if dtype.is_none() => dtype = Some(map.next_value_seed(DTypeName)?),
                Some("order") if row_major.is_none() => row_major = Some(map.next_value_seed(OrderName)?),
                Some("shape") if shape.is_none() => shape = Some(map.next_value_seed(Shape)?),
                Some("values") => {
                    let (Some(dtype), Some(row_major), Some(shape)) = (dtype, row_major, shape.take()) else {
                        return Err(A::Error::custom("`values` must follow `dtype`, `order` and `shape`"));
                    };
                    let contents = check::<X, A::Error>(Contents { dtype, shape, row_major })?;
                    break dispatch!(dtype, U => {
                        let seed = ElementsField::<U> { contents: &contents, elements: PhantomData };
                        let elements = CpuBuffer::from_vec(map.next_value_seed(seed)?);
                        X::of_elements(&contents, elements).map_err(A::Error::custom)?
                    });
                }
                Some(twice) => return Err(A::Error::duplicate_field(twice)),
                None => {
                    let lacking = match (dtype, row_major, shape) {
                        (None, ..) => "dtype",
                        (_, None, _) => "order",
                        (.., None) => "shape",
                        _ => "values",
                    };
                    return Err(A::Error::missing_field(lacking));
                }
            }
        };
        match map.next_key_seed(Key)? {
            Some(twice) => Err(A::Error::duplicate_field(twice)),
            None => Ok(tensor),
        }
    }
}

/// Returns an error if `X` rejects the contents, or if the shape exceeds the address space.
fn check<X: FromFile, E: serde_core::de::Error>(contents: Contents) -> Result<Contents, E> {
    match X::rejection(&contents) {
        Some(reason) => Err(E::custom(format!("the data {reason}"))),
        None => {
            let size = dispatch!(contents.dtype, U => size_of::<U>());
            element_count(&contents.shape, size).map_err(E::custom)?;
            Ok(contents)
        }
    }
}

/// Defines visitors that parse a short text.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident -> $value:ty, $expected:literal, |$text:ident| $found:expr;)*) => {$(
        $(#[$doc])*
        struct $name;
        impl<'de> DeserializeSeed<'de> for $name {
            type Value = $value;
            fn deserialize<Z: Deserializer<'de>>(self, d: Z) -> Result<$value, Z::Error> {
                d.deserialize_str(self)
            }
        }
        impl Visitor<'_> for $name {
            type Value = $value;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($expected)
            }
            fn visit_str<E: serde_core::de::Error>(self, $text: &str) -> Result<$value, E> {
                let found: Option<$value> = $found;
                found.ok_or_else(|| E::custom(format!("`{}` is not {}", shorten($text), $expected)))
            }
            fn visit_bytes<E: serde_core::de::Error>(self, bytes: &[u8]) -> Result<$value, E> {
                self.visit_str(&String::from_utf8_lossy(bytes))
            }
        }
    )*};
}
texts! {
    Key -> &'static str, "one of the fields `dtype`, `order`, `shape` and `values`",
        |text| FIELDS.iter().copied().find(|field| *field == text);
    DTypeName -> DType, "an element type of tensors, such as `f64`, in the field `dtype`", |text| {
        DType::ALL.into_iter().find(|dtype| dtype.name() == text)
    };
    OrderName -> bool, "`row-major` or `column-major`, in the field `order`", |text| {
        [(RowMajor::NAME, true), (ColMajor::NAME, false)].into_iter().find(|o| o.0 == text).map(|o| o.1)
    };
}

/// The field `shape`.
struct Shape;

impl<'de> DeserializeSeed<'de> for Shape {
    type Value = Vec<usize>;
    fn deserialize<Z: Deserializer<'de>>(self, d: Z) -> Result<Vec<usize>, Z::Error> {
        d.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Shape {
    type Value = Vec<usize>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the extent of each axis, in the field `shape`")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<usize>, A::Error> {
        let mut shape = Vec::new();
        while let Some(extent) = seq.next_element()? {
            if shape.len() == MAX_ANY_RANK {
                return Err(A::Error::custom(format!(
                    "the field `shape` has more than {MAX_ANY_RANK} axes, the maximum rank"
                )));
            }
            shape.push(extent);
        }
        Ok(shape)
    }
}

/// The type that an element is deserialised as: the element type itself, except for `f32` and `Complex<f32>`. Serde's own `f32` would
/// silently round large numbers to infinity.
trait Readable: Element {
    type As: for<'de> Deserialize<'de>;
    fn of(read: Self::As) -> Self;
}

macro_rules! readable {
    ($($t:ty as $As:ty, |$read:pat_param| $value:expr;)*) => {$(
        impl Readable for $t {
            type As = $As;
            fn of($read: $As) -> $t {
                $value
            }
        }
    )*};
}
readable! {
    bool as bool, |x| x;
    i8 as i8, |x| x;
    i16 as i16, |x| x;
    i32 as i32, |x| x;
    i64 as i64, |x| x;
    u8 as u8, |x| x;
    u16 as u16, |x| x;
    u32 as u32, |x| x;
    u64 as u64, |x| x;
    f32 as Single, |x| x.0;
    f64 as f64, |x| x;
    Complex<f32> as (Single, Single), |(re, im)| Complex::new(re.0, im.0);
    Complex<f64> as Complex<f64>, |z| z;
}

/// An `f32` from a format that can hold larger numbers, such as a text format. They are errors here; serde's own `f32` would round them
/// to infinity.
struct Single(f32);

impl<'de> Deserialize<'de> for Single {
    fn deserialize<Z: Deserializer<'de>>(d: Z) -> Result<Single, Z::Error> {
        d.deserialize_f32(SingleVisitor)
    }
}

struct SingleVisitor;

impl Visitor<'_> for SingleVisitor {
    type Value = Single;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("f32")
    }
    fn visit_f32<E>(self, x: f32) -> Result<Single, E> {
        Ok(Single(x))
    }
    fn visit_f64<E: serde_core::de::Error>(self, x: f64) -> Result<Single, E> {
        match x as f32 {
            narrow if narrow.is_infinite() && x.is_finite() => {
                Err(E::custom(format!("the field `values` has {x:e}, which is too large for f32")))
            }
            narrow => Ok(Single(narrow)),
        }
    }
    fn visit_i64<E>(self, x: i64) -> Result<Single, E> {
        Ok(Single(x as f32))
    }
    fn visit_u64<E>(self, x: u64) -> Result<Single, E> {
        Ok(Single(x as f32))
    }
}

/// The field `values`. The number of elements must match the shape.
struct ElementsField<'a, U> {
    contents: &'a Contents,
    elements: PhantomData<U>,
}

impl<'de, U: Readable> DeserializeSeed<'de> for ElementsField<'_, U> {
    type Value = Vec<U>;
    fn deserialize<Z: Deserializer<'de>>(self, d: Z) -> Result<Vec<U>, Z::Error> {
        d.deserialize_seq(self)
    }
}

impl<'de, U: Readable> Visitor<'de> for ElementsField<'_, U> {
    type Value = Vec<U>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "elements of the type {}, in the field `values`", U::DTYPE)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<U>, A::Error> {
        let shape = &self.contents.shape;
        let count = element_count(shape, size_of::<U>()).map_err(A::Error::custom)?;
        let wrong = |found: &str| {
            A::Error::custom(format!(
                "the field `values` has {found} the {count} elements of a {} tensor of shape {shape:?}",
                U::DTYPE
            ))
        };
        let mut elements = Vec::new();
        reserve(&mut elements, count.min(UNSEEN)).map_err(A::Error::custom)?;
        while let Some(element) = seq.next_element::<U::As>()? {
            if elements.len() == count {
                return Err(wrong("more than"));
            }
            if elements.len() == elements.capacity() {
                // Doubles the capacity, up to the number of elements that the shape requires.
                let more = elements.len().max(1).min(count - elements.len());
                reserve(&mut elements, more).map_err(A::Error::custom)?;
            }
            elements.push(U::of(element));
        }
        match elements.len() {
            n if n < count => Err(wrong(&format!("{n} elements, fewer than"))),
            _ => Ok(elements),
        }
    }
}
