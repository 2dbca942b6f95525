//! The fuzz targets of the file formats, and in [`api`] the target of the safe API. Each target of a format reads bytes as a file.
//! If the file is valid, the target writes its tensors, reads them again, and compares. The option `-malloc_limit_mb` detects a
//! large allocation for a file that is small but declares a large size.
//!
//! ```text
//! cargo install cargo-fuzz
//! cargo +nightly fuzz run npy -- -max_len=4096 -malloc_limit_mb=16 -max_total_time=600
//! ```

pub mod api;

use serde_json::Value;
use std::io::Cursor;
use vierbein::io::csv::CsvReader;
use vierbein::io::npy::read_header_from;
use vierbein::io::npz::{Npz, NpzWriter};
use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
use vierbein::prelude::*;
use vierbein::{DType, DynTensor, Error};

/// Returns the value, or `None` for an [`Error::File`]. Any other error is a fault.
fn of_the_file<V>(result: Result<V, Error>) -> Option<V> {
    match result {
        Ok(value) => Some(value),
        Err(Error::File { .. }) => None,
        Err(other) => panic!("{other}"),
    }
}

/// Returns the tensor as the bytes of an `.npy` file. Comparing bytes instead of elements treats equal NaNs as equal.
fn npy_bytes(x: &DynTensor) -> Vec<u8> {
    let mut bytes = Vec::new();
    x.write_npy_to(&mut bytes).unwrap();
    bytes
}

/// The target `npy`: reads the bytes as an `.npy` file.
pub fn npy(bytes: &[u8]) {
    let header = of_the_file(read_header_from(bytes));
    if let Some(x) = of_the_file(DynTensor::read_npy_from(bytes)) {
        assert_eq!(header.map(|header| header.shape).as_deref(), Some(x.shape()));
        let written = npy_bytes(&x);
        assert_eq!(npy_bytes(&DynTensor::read_npy_from(&written[..]).unwrap()), written);
    }
    of_the_file(Tensor::<f64, Rank<2>, ColMajor>::read_npy_from(bytes));
}

/// The target `npz`: reads the bytes as an `.npz` archive.
pub fn npz(bytes: &[u8]) {
    let Some(mut archive) = of_the_file(Npz::new(Cursor::new(bytes))) else { return };
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    for name in &names {
        of_the_file(archive.header(name));
        if let Some(x) = of_the_file(archive.get::<DynTensor>(name)) {
            let mut written = Cursor::new(Vec::new());
            NpzWriter::new().compressed().push(&x).unwrap().write_to(&mut written).unwrap();
            let back: DynTensor = Npz::new(written).unwrap().get("arr_0").unwrap();
            assert_eq!(npy_bytes(&back), npy_bytes(&x));
        }
    }
}

/// The target `safetensors`: reads the bytes as a safetensors file.
pub fn safetensors(bytes: &[u8]) {
    let Some(file) = of_the_file(Safetensors::read_from(bytes)) else { return };
    let mut writer = SafetensorsWriter::new();
    for (key, value) in file.metadata() {
        writer.metadata(key, value);
    }
    let read = file.names().filter_map(|name| Some((name, of_the_file(file.get::<DynTensor>(name))?)));
    let read: Vec<_> = read.collect();
    for (name, x) in &read {
        writer.add(name, x).unwrap();
        of_the_file(file.view::<f64, Rank<1>>(name));
        of_the_file(file.view::<bool, Rank<2>>(name));
    }
    let mut written = Vec::new();
    writer.write_to(&mut written).unwrap();
    let back = Safetensors::read_from(&written[..]).unwrap();
    assert_eq!(back.metadata(), file.metadata());
    for (name, x) in &read {
        assert_eq!(npy_bytes(&back.get::<DynTensor>(name).unwrap()), npy_bytes(x));
    }
}

/// The target `csv`: reads the bytes as CSV text with and without a header.
pub fn csv(bytes: &[u8]) {
    if let Some((names, x)) = of_the_file(DynTensor::read_csv_from(bytes, DType::F64)) {
        let mut written = Vec::new();
        x.write_csv_to(&mut written, &names).unwrap();
        let (again, back) = DynTensor::read_csv_from(&written[..], DType::F64).unwrap();
        // A CSV text can contain a NaN with a sign. The writer writes every NaN as a missing value, so the sign is lost.
        let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        let [x, back] = [x, back].map(|x| x.downcast::<f64, Rank<2>, RowMajor, Cpu>().unwrap());
        assert_eq!((again, back.shape()), (names, x.shape()));
        assert!(x.iter().zip(back.iter()).all(same));
    }
    let mut reader = CsvReader::new();
    reader.no_header().delimiter(b';').columns([0, -1]);
    of_the_file(reader.read_from::<Tensor<i8, Rank<2>, ColMajor>>(bytes));
    of_the_file(reader.read_dyn_from(bytes, DType::Bool));
}

/// The target `json`: reads the bytes as JSON, through serde.
pub fn json(bytes: &[u8]) {
    if let Ok(x) = serde_json::from_slice::<DynTensor>(bytes) {
        let text = serde_json::to_string(&x).unwrap();
        let back: DynTensor = serde_json::from_str(&text).unwrap();
        assert_eq!(npy_bytes(&back), npy_bytes(&x));
        // `Value` sorts the keys of an object, so this tests that the fields can be read in another order.
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(npy_bytes(&serde_json::from_value(value).unwrap()), npy_bytes(&x));
    }
    let _ = serde_json::from_slice::<Tensor<f64, Rank<2>, ColMajor>>(bytes);
}
