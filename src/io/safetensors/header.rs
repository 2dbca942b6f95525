//! The header of a safetensors file: its length, and JSON with the type, shape and offsets of each tensor.

#![forbid(unsafe_code)]

use crate::dispatch;
use crate::element::DType;
use crate::io::contents::{Contents, shorten};
use core::fmt;
use serde_core::Deserializer;
use serde_core::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::collections::btree_map;

/// Maximum length of a header in bytes, as in the reference implementation.
pub(super) const LONGEST_HEADER: u64 = 100_000_000;

/// A parsed header.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) tensors: BTreeMap<String, Info>,
    /// Offset of the data in the file.
    pub(super) data: usize,
}

/// Element type, shape and offsets of a tensor in a safetensors file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    dtype: Type,
    shape: Vec<usize>,
    /// Offsets of the tensor's first byte and of the end of its bytes, relative to the start of the data.
    pub(super) begin: usize,
    pub(super) end: usize,
}

/// An element type that this crate supports, or the name that the file gives to an unsupported type.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Type {
    Here(DType),
    Lacking(String),
}

/// Returns the name of an element type in safetensors files, or `None` if the format does not have the type.
pub(super) fn name_of(dtype: DType) -> Option<&'static str> {
    Some(match dtype {
        DType::Bool => "BOOL",
        DType::I8 => "I8",
        DType::I16 => "I16",
        DType::I32 => "I32",
        DType::I64 => "I64",
        DType::U8 => "U8",
        DType::U16 => "U16",
        DType::U32 => "U32",
        DType::U64 => "U64",
        DType::F32 => "F32",
        DType::F64 => "F64",
        DType::C32 => "C64",
        DType::C64 => return None,
    })
}

/// Returns the size of an element in bytes, or `None` if the format does not have the type.
pub(super) fn size_of(dtype: DType) -> Option<usize> {
    name_of(dtype).map(|_| dispatch!(dtype, U => core::mem::size_of::<U>()))
}

impl Type {
    fn named(name: &str) -> Type {
        match DType::ALL.into_iter().find(|dtype| name_of(*dtype) == Some(name)) {
            Some(dtype) => Type::Here(dtype),
            None => Type::Lacking(shorten(name)),
        }
    }
}

impl Info {
    /// Returns the element type, or `None` if this crate does not support it.
    ///
    /// ```
    /// # use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
    /// # let mut bytes = Vec::new();
    /// # SafetensorsWriter::new().add("x", &vierbein::tensor![1.0, 2.0])?.write_to(&mut bytes)?;
    /// # let file = Safetensors::read_from(&bytes[..])?;
    /// assert_eq!(file.info("x")?.dtype(), Some(vierbein::DType::F64));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[must_use]
    pub fn dtype(&self) -> Option<DType> {
        match self.dtype {
            Type::Here(dtype) => Some(dtype),
            Type::Lacking(_) => None,
        }
    }

    /// Returns the name of the element type in the file, such as `F32`.
    ///
    /// ```
    /// # use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
    /// # let mut bytes = Vec::new();
    /// # SafetensorsWriter::new().add("x", &vierbein::tensor![true])?.write_to(&mut bytes)?;
    /// # let file = Safetensors::read_from(&bytes[..])?;
    /// assert_eq!(file.info("x")?.dtype_name(), "BOOL");
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[must_use]
    pub fn dtype_name(&self) -> &str {
        match &self.dtype {
            Type::Here(dtype) => name_of(*dtype).unwrap_or_default(),
            Type::Lacking(name) => name,
        }
    }

    /// Returns the extent of each axis.
    ///
    /// ```
    /// # use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
    /// # let mut bytes = Vec::new();
    /// # SafetensorsWriter::new().add("x", &vierbein::tensor![[1, 2, 3]])?.write_to(&mut bytes)?;
    /// # let file = Safetensors::read_from(&bytes[..])?;
    /// assert_eq!(file.info("x")?.shape(), [1, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the contents, or an error message if the element type is not supported.
    pub(super) fn contents(&self) -> Result<Contents, String> {
        match &self.dtype {
            Type::Here(dtype) => Ok(Contents { dtype: *dtype, shape: self.shape.clone(), row_major: true }),
            Type::Lacking(name) => Err(format!(
                "holds elements of the safetensors type `{name}`, which tensors do not have; convert it in Python, e.g. \
                 with `.float()`"
            )),
        }
    }

    /// Returns an error message if the shape overflows, or if the offsets are reversed or do not match the shape. If the element type is
    /// not supported, its size is unknown, so offsets are not compared with the shape.
    fn check(&self) -> Result<(), String> {
        let bytes = self.end.checked_sub(self.begin).ok_or_else(|| {
            format!("has the `data_offsets` [{}, {}], which end before they begin", self.begin, self.end)
        })?;
        // Zero extents count as one: the strides of an empty tensor must be representable too.
        let size = self.dtype().and_then(size_of).unwrap_or(1);
        let span = self.shape.iter().try_fold(size, |n, &extent| n.checked_mul(extent.max(1)));
        let span = span.filter(|&span| span <= isize::MAX as usize);
        let span =
            span.ok_or_else(|| format!("has the `shape` {:?}, which exceeds the address space", self.shape))?;
        let expected = if self.shape.contains(&0) { 0 } else { span };
        if matches!(self.dtype, Type::Here(_)) && bytes != expected {
            return Err(format!(
                "has {bytes} bytes by its `data_offsets` [{}, {}], and {expected} by its `shape` {:?} and `dtype` {}",
                self.begin,
                self.end,
                self.shape,
                self.dtype_name()
            ));
        }
        Ok(())
    }
}

// ------------------------------------------------------------------ the whole header

/// Parses the header and checks it against the length of the file.
pub(super) fn parse(file: &[u8]) -> Result<Header, String> {
    let Some((length, rest)) = file.split_first_chunk::<8>() else {
        return Err(format!(
            "is {} bytes long, but safetensors files begin with an 8-byte header length",
            file.len()
        ));
    };
    let length = u64::from_le_bytes(*length);
    if length > LONGEST_HEADER {
        return Err(format!(
            "is not a safetensors file: its header length is {length} bytes, and the maximum is {LONGEST_HEADER}"
        ));
    }
    let text = usize::try_from(length).ok().and_then(|length| rest.get(..length)).ok_or_else(|| {
        format!(
            "is not a safetensors file, or is truncated: its header length is {length} bytes, but only {} follow",
            rest.len()
        )
    })?;
    if text.first() != Some(&b'{') {
        return Err("is not a safetensors file: the header must begin with `{` at byte 8".to_owned());
    }
    let header = Header::of_json(text)?;
    header.check(rest.len() - text.len())?;
    Ok(header)
}

/// Returns the length of the file according to its header, or `None` if the header is invalid. `start` is the file up to the end of the
/// header.
pub(super) fn length(start: &[u8]) -> Option<u64> {
    let header = Header::of_json(start.get(8..)?).ok()?;
    let data = header.tensors.values().map(|info| info.end as u64).max().unwrap_or(0);
    data.checked_add(start.len() as u64)
}

/// Returns the byte index in `text` that corresponds to the line and column of a JSON error.
fn offset(text: &[u8], e: &serde_json::Error) -> usize {
    let lines = text.split_inclusive(|&c| c == b'\n').take(e.line().saturating_sub(1));
    lines.map(<[u8]>::len).sum::<usize>() + e.column().saturating_sub(1)
}

impl Header {
    fn of_json(text: &[u8]) -> Result<Header, String> {
        let mut json = serde_json::Deserializer::from_slice(text);
        let wrong = |e: serde_json::Error| {
            format!("has a damaged header, at byte {}: {}", 8 + offset(text, &e), shorten(&e.to_string()))
        };
        let (metadata, tensors) = json.deserialize_map(Tensors).map_err(wrong)?;
        json.end().map_err(wrong)?;
        Ok(Header { metadata, tensors, data: 8 + text.len() })
    }

    /// Checks that the tensors are contiguous, do not overlap and fill the data exactly.
    fn check(&self, data: usize) -> Result<(), String> {
        let mut by_place: Vec<(&String, &Info)> = self.tensors.iter().collect();
        by_place.sort_by_key(|(_, info)| (info.begin, info.end));
        let mut end = 0;
        for (name, info) in by_place {
            let name = shorten(name);
            info.check().map_err(|reason| format!("says that the tensor `{name}` {reason}"))?;
            if info.begin != end {
                return Err(format!(
                    "says that the tensor `{name}` begins at byte {} of the data, but the data before it ends at {end}: \
                     there must be no gaps and no overlaps",
                    info.begin
                ));
            }
            end = info.end;
            if end > data {
                return Err(format!(
                    "says that the tensor `{name}` ends at byte {end} of the data, which has {data} bytes"
                ));
            }
        }
        if end < data {
            return Err(format!("has data after the {end} bytes of its tensors"));
        }
        Ok(())
    }
}

// ------------------------------------------------------------------ JSON

/// The visitor of the header's top-level object.
struct Tensors;

impl<'de> Visitor<'de> for Tensors {
    type Value = (BTreeMap<String, String>, BTreeMap<String, Info>);
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tensors by name")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut metadata, mut tensors) = (None, BTreeMap::new());
        while let Some(name) = map.next_key::<String>()? {
            if name == "__metadata__" {
                if metadata.replace(map.next_value_seed(Metadata)?).is_some() {
                    return Err(A::Error::custom("`__metadata__` occurs twice"));
                }
                continue;
            }
            match tensors.entry(name) {
                btree_map::Entry::Occupied(taken) => {
                    return Err(A::Error::custom(format!(
                        "the tensor `{}` occurs twice",
                        shorten(taken.key())
                    )));
                }
                btree_map::Entry::Vacant(free) => {
                    let info = map.next_value_seed(OneTensor { name: free.key() })?;
                    free.insert(info);
                }
            }
        }
        Ok((metadata.unwrap_or_default(), tensors))
    }
}

/// The visitor of `__metadata__`: an object of strings.
struct Metadata;

impl<'de> DeserializeSeed<'de> for Metadata {
    type Value = BTreeMap<String, String>;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Metadata {
    type Value = BTreeMap<String, String>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of strings, as `__metadata__` is")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut metadata = BTreeMap::new();
        while let Some((key, value)) = map.next_entry::<String, String>()? {
            if metadata.contains_key(&key) {
                let key = shorten(&key);
                return Err(A::Error::custom(format!("the key `{key}` of `__metadata__` occurs twice")));
            }
            metadata.insert(key, value);
        }
        Ok(metadata)
    }
}

/// The visitor of the object that describes the tensor `name`.
struct OneTensor<'a> {
    name: &'a str,
}

impl<'de> DeserializeSeed<'de> for OneTensor<'_> {
    type Value = Info;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Info, D::Error> {
        d.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OneTensor<'_> {
    type Value = Info;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object that describes the tensor `{}`", shorten(self.name))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Info, A::Error> {
        let (mut dtype, mut shape, mut offsets) = (None, None, None);
        let name = || shorten(self.name);
        while let Some(key) = map.next_key::<String>()? {
            let twice = match &key[..] {
                "dtype" => dtype.replace(map.next_value::<String>()?).is_some(),
                "shape" => shape.replace(map.next_value_seed(Numbers { most: 64 })?).is_some(),
                "data_offsets" => offsets.replace(map.next_value_seed(Numbers { most: 2 })?).is_some(),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    false
                }
            };
            if twice {
                return Err(A::Error::custom(format!("the tensor `{}` has `{key}` twice", name())));
            }
        }
        let lacks = |field: &str| A::Error::custom(format!("the tensor `{}` has no `{field}`", name()));
        let dtype = Type::named(&dtype.ok_or_else(|| lacks("dtype"))?);
        let shape = shape.ok_or_else(|| lacks("shape"))?;
        let offsets = offsets.ok_or_else(|| lacks("data_offsets"))?;
        let [begin, end] = offsets[..] else {
            return Err(A::Error::custom(format!(
                "the tensor `{}` has fewer than two `data_offsets`",
                name()
            )));
        };
        Ok(Info { dtype, shape, begin, end })
    }
}

/// The visitor of an array of at most `most` numbers.
struct Numbers {
    most: usize,
}

impl<'de> DeserializeSeed<'de> for Numbers {
    type Value = Vec<usize>;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Vec<usize>, D::Error> {
        d.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Numbers {
    type Value = Vec<usize>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of at most {} numbers", self.most)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<usize>, A::Error> {
        let mut numbers = Vec::new();
        while let Some(number) = seq.next_element()? {
            if numbers.len() == self.most {
                return Err(A::Error::custom(format!("more than {} numbers", self.most)));
            }
            numbers.push(number);
        }
        Ok(numbers)
    }
}
