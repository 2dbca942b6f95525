//! Writes a safetensors file: the header, then the data of all tensors, sorted by decreasing element size.

#![forbid(unsafe_code)]

use super::ALIGNMENT;
use super::header::{LONGEST_HEADER, name_of, size_of};
use crate::device::Device;
use crate::dyn_tensor::{DynData, DynTensor};
use crate::element::Element;
use crate::error::Error;
use crate::io::contents::{same_in_both_orders, shorten};
use crate::io::replace::replace;
use crate::io::tensors::{ToFile, fit_a_file};
use crate::order::RowMajor;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;
use core::fmt;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// A row-major tensor or view, which a safetensors file can hold.
///
/// ```compile_fail
/// use vierbein::io::safetensors::SafetensorsWriter;
/// use vierbein::{ColMajor, tensor};
/// let columns = tensor![[1.0, 2.0], [3.0, 4.0]].to_order::<ColMajor>();
/// SafetensorsWriter::new().add("x", &columns)?; // corrected: `&columns.as_order::<RowMajor>()`
/// # Ok::<(), vierbein::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written to a safetensors file",
    label = "safetensors files hold row-major tensors",
    note = "write a column-major tensor through `&x.as_order::<RowMajor>()`, a free view of the same elements"
)]
pub trait InRowMajor: ToFile {}
impl<T: Element, D: Dim, Dev: Device, S: Storage<T, Dev>> InRowMajor for Tensor<T, D, RowMajor, Dev, S> {}
/// The memory order of a `DynTensor` is known at run time only: adding a column-major one returns an error.
impl<S: DynData> InRowMajor for DynTensor<S> {}

/// Collects references to tensors for a safetensors file. Nothing is copied or written before [`write`](SafetensorsWriter::write).
///
/// ```
/// use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
/// use vierbein::prelude::*;
///
/// let columns = tensor![[1.0, 2.0], [3.0, 4.0]].to_order::<ColMajor>();
/// let mut bytes = Vec::new();
/// SafetensorsWriter::new().add("x", &columns.as_order::<RowMajor>())?.write_to(&mut bytes)?;
///
/// let back: Tensor<f64, Rank<2>> = Safetensors::read_from(&bytes[..])?.get("x")?;
/// assert_eq!(back.to_order::<ColMajor>(), columns);
/// # Ok::<(), vierbein::Error>(())
/// ```
#[derive(Default)]
pub struct SafetensorsWriter<'a> {
    tensors: BTreeMap<String, (&'a dyn ToFile, &'static str)>,
    metadata: BTreeMap<String, String>,
}

impl fmt::Debug for SafetensorsWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.tensors.iter().map(|(name, (x, _))| (name, x.contents()))).finish()
    }
}

impl<'a> SafetensorsWriter<'a> {
    /// Creates a writer without tensors.
    ///
    /// ```
    /// use vierbein::io::safetensors::SafetensorsWriter;
    /// assert_eq!(format!("{:?}", SafetensorsWriter::new()), "{}");
    /// ```
    #[must_use]
    pub fn new() -> Self {
        SafetensorsWriter::default()
    }

    /// Adds a tensor under a name.
    ///
    /// # Errors
    /// [`Error::Argument`] if the name is taken or is `__metadata__`, if the elements are `Complex<f64>`, which the format does not have,
    /// or if a [`DynTensor`] is column-major.
    ///
    /// ```
    /// # use vierbein::io::safetensors::SafetensorsWriter;
    /// use vierbein::{c64, tensor};
    /// let (x, z) = (tensor![1.0, 2.0], tensor![c64::new(1.0, 2.0)]);
    /// let mut file = SafetensorsWriter::new();
    /// file.add("x", &x)?;
    /// assert!(file.add("x", &x).is_err());
    /// assert_eq!(
    ///     file.add("z", &z).unwrap_err().to_string(),
    ///     "cannot add a tensor to the safetensors file: `z` holds Complex<f64>, which the format does not support; \
    ///      add `.re()` and `.im()`, or `.cast::<Complex<f32>>()`"
    /// );
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn add(&mut self, name: &str, tensor: &'a impl InRowMajor) -> Result<&mut Self, Error> {
        let reject =
            |reason: String| Err(Error::Argument { op: "add a tensor to the safetensors file", reason });
        let dtype = tensor.contents().dtype;
        let shown = shorten(name);
        let Some(type_name) = name_of(dtype) else {
            return reject(format!(
                "`{shown}` holds {dtype}, which the format does not support; add `.re()` and `.im()`, or \
                 `.cast::<Complex<f32>>()`"
            ));
        };
        let contents = tensor.contents();
        if !contents.row_major && !same_in_both_orders(&contents.shape) {
            return reject(format!(
                "`{shown}` is column-major, but the format supports row-major tensors only; write it through \
                 `.as_order(MemoryOrder::RowMajor)`, a free view of the same elements"
            ));
        }
        if name == "__metadata__" {
            return reject(format!("the name `{name}` is reserved by the format"));
        }
        if self.tensors.contains_key(name) {
            return reject(format!("the name `{shown}` is taken; every tensor needs its own"));
        }
        self.tensors.insert(name.to_owned(), (tensor, type_name));
        Ok(self)
    }

    /// Sets an entry of the file's metadata. Replaces the value of an existing key.
    ///
    /// ```
    /// # use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
    /// # let mut bytes = Vec::new();
    /// SafetensorsWriter::new().metadata("format", "pt").write_to(&mut bytes)?;
    /// # assert_eq!(Safetensors::read_from(&bytes[..])?.metadata().len(), 1);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn metadata(&mut self, key: &str, value: &str) -> &mut Self {
        self.metadata.insert(key.to_owned(), value.to_owned());
        self
    }

    /// Writes the file. An existing file is replaced once the new one is complete.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be written. Other errors if the elements cannot be copied to the host.
    ///
    /// ```
    /// # use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
    /// # let path = std::env::temp_dir().join(format!("vierbein-write-{}.safetensors", std::process::id()));
    /// SafetensorsWriter::new().add("x", &vierbein::tensor![1.0])?.write(&path)?;
    /// assert_eq!(Safetensors::read(&path)?.names().len(), 1);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        replace(path, |file| self.write_all(&name, file))
    }

    /// Writes the file to any writer, like [`write`](SafetensorsWriter::write).
    ///
    /// # Errors
    /// See [`write`](SafetensorsWriter::write).
    ///
    /// ```
    /// # use vierbein::io::safetensors::SafetensorsWriter;
    /// let mut bytes = Vec::new();
    /// SafetensorsWriter::new().add("x", &vierbein::tensor![1.0])?.write_to(&mut bytes)?;
    /// assert_eq!(bytes[8], b'{');
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn write_to(&self, mut writer: impl Write) -> Result<(), Error> {
        self.write_all("<stream>", &mut writer)
    }

    fn write_all(&self, label: &str, writer: &mut dyn Write) -> Result<(), Error> {
        let error =
            |e: io::Error| Error::File { path: label.to_owned(), reason: format!("cannot be written: {e}") };
        fit_a_file(self.tensors.values().map(|(tensor, _)| tensor.contents()), label)?;
        // The data begin at a multiple of 8 bytes. If tensors are sorted by decreasing element size, each begins at a multiple of its
        // element size.
        let mut tensors: Vec<_> =
            self.tensors.iter().map(|(name, (x, t))| (name, *x, *t, x.contents())).collect();
        tensors.sort_by_key(|(.., contents)| core::cmp::Reverse(size_of(contents.dtype)));

        let mut fields = Vec::new();
        if !self.metadata.is_empty() {
            fields.push(format!("\"__metadata__\":{}", json(&self.metadata)));
        }
        // `u64`, as a file may be larger than the address space. `fit_a_file` has checked that the sum does not overflow.
        let mut end = 0u64;
        for (name, _, type_name, contents) in &tensors {
            let begin = end;
            end += contents.bytes();
            fields.push(format!(
                "{}:{{\"dtype\":\"{type_name}\",\"shape\":{},\"data_offsets\":[{begin},{end}]}}",
                json(name),
                json(&contents.shape)
            ));
        }
        let mut text = format!("{{{}}}", fields.join(","));
        text += &" ".repeat(text.len().next_multiple_of(ALIGNMENT) - text.len());
        if text.len() as u64 > LONGEST_HEADER {
            let reason = format!(
                "cannot be written: its header of {} bytes exceeds the maximum of {LONGEST_HEADER}; shorten names and \
                 metadata",
                text.len()
            );
            return Err(Error::File { path: label.to_owned(), reason });
        }
        writer.write_all(&(text.len() as u64).to_le_bytes()).map_err(error)?;
        writer.write_all(text.as_bytes()).map_err(error)?;
        for (_, tensor, ..) in &tensors {
            tensor.put_bytes(&mut |bytes| writer.write_all(bytes).map_err(error))?;
        }
        writer.flush().map_err(error)
    }
}

fn json(value: &impl serde_core::Serialize) -> String {
    serde_json::to_string(value).expect("strings and numbers can be written")
}
