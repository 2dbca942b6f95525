//! Tests of readers that the caller implements: what they see of the buffers that they fill, and numbers of bytes that they did not write.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use vierbein::io::csv::CsvReader;
use vierbein::io::npy::read_header_from;
use vierbein::io::npz::{Npz, NpzWriter};
use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
use vierbein::prelude::*;
use vierbein::{DType, DynTensor, Error};

/// A number whose bytes no file of these tests contains.
const SECRET: f64 = f64::from_bits(0xe7e6_e5e7_e6e5_e7e6);

/// A reader that panics if a buffer that it is given holds a byte other than zero, unless it has delivered this byte before: a buffer may
/// be used again for the same file. The elements in the files are zeros, so that few bytes are allowed.
struct Spy {
    bytes: Cursor<Vec<u8>>,
    delivered: [bool; 256],
}

impl Spy {
    fn new(bytes: &[u8]) -> Spy {
        let mut delivered = [false; 256];
        delivered[0] = true;
        Spy { bytes: Cursor::new(bytes.to_vec()), delivered }
    }
}

impl Read for Spy {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let seen = buffer.iter().find(|&&byte| !self.delivered[usize::from(byte)]);
        assert_eq!(seen, None, "a buffer of {} bytes is not empty", buffer.len());
        let n = self.bytes.read(buffer)?;
        buffer[..n].iter().for_each(|&byte| self.delivered[usize::from(byte)] = true);
        Ok(n)
    }
}

impl Seek for Spy {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}

/// A reader that claims once to have read `claimed` bytes more than the buffer has, after `honest` calls.
struct Liar {
    bytes: Cursor<Vec<u8>>,
    honest: usize,
    claimed: usize,
}

impl Read for Liar {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let lies = self.honest == 0;
        self.honest = self.honest.wrapping_sub(1);
        if lies { Ok(buffer.len().saturating_add(self.claimed)) } else { self.bytes.read(buffer) }
    }
}

impl Seek for Liar {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}

/// A function that reads from a reader, for each format and function.
type Call<R> = (&'static str, fn(R) -> Result<(), Error>);

/// Returns the functions that read from a caller's reader, with the files that they read.
fn calls<R: Read + Seek>(n: usize) -> Vec<(Vec<u8>, Call<R>)> {
    let (numbers, flags) = (Tensor::<f64, _>::zeros([n]), Tensor::<bool, _>::zeros([n]));
    let (mut npy, mut bools) = (Vec::new(), Vec::new());
    numbers.write_npy_to(&mut npy).unwrap();
    flags.write_npy_to(&mut bools).unwrap();
    let mut swapped = npy.clone();
    let order = swapped.iter().position(|&byte| byte == b'<').unwrap();
    swapped[order] = b'>';
    let (mut stored, mut packed) = (Cursor::new(Vec::new()), Cursor::new(Vec::new()));
    NpzWriter::new().add("x", &numbers).unwrap().add("flags", &flags).unwrap().write_to(&mut stored).unwrap();
    NpzWriter::new().compressed().add("x", &numbers).unwrap().write_to(&mut packed).unwrap();
    let mut safe = Vec::new();
    SafetensorsWriter::new().add("x", &numbers).unwrap().write_to(&mut safe).unwrap();
    let text = ["x", &"\n0".repeat(n), "\n"].concat().into_bytes();
    vec![
        (npy.clone(), ("header", |r| read_header_from(r).map(drop))),
        (npy.clone(), ("npy", |r| Tensor::<f64, Rank<1>>::read_npy_from(r).map(drop))),
        (swapped, ("big-endian npy", |r| Tensor::<f64, Rank<1>>::read_npy_from(r).map(drop))),
        (bools, ("npy of bools", |r| Tensor::<bool, Rank<1>>::read_npy_from(r).map(drop))),
        (npy, ("dynamic npy", |r| DynTensor::read_npy_from(r).map(drop))),
        (stored.get_ref().clone(), ("npz", |r| Npz::new(r)?.get::<Tensor<f64, Rank<1>>>("x").map(drop))),
        (
            stored.get_ref().clone(),
            ("npz of bools", |r| Npz::new(r)?.get::<Tensor<bool, Rank<1>>>("flags").map(drop)),
        ),
        (stored.get_ref().clone(), ("dynamic npz", |r| Npz::new(r)?.get::<DynTensor>("x").map(drop))),
        (stored.into_inner(), ("npz header", |r| Npz::new(r)?.header("x").map(drop))),
        (
            packed.into_inner(),
            ("compressed npz", |r| Npz::new(r)?.get::<Tensor<f64, Rank<1>>>("x").map(drop)),
        ),
        (safe, ("safetensors", |r| Safetensors::read_from(r).map(drop))),
        (text.clone(), ("csv", |r| Tensor::<f64, Rank<2>>::read_csv_from(r).map(drop))),
        (text.clone(), ("dynamic csv", |r| DynTensor::read_csv_from(r, DType::F64).map(drop))),
        (text.clone(), ("csv text", |r| CsvReader::new().read_text_from(r).map(drop))),
        (text.clone(), ("csv categories", |r| CsvReader::new().read_categories_from(r).map(drop))),
        (
            text,
            ("csv columns", |r| {
                CsvReader::new().columns(["x"]).read_from::<Tensor<f64, Rank<2>>>(r).map(drop)
            }),
        ),
    ]
}

/// The memory of a dropped tensor is used again, so unwritten memory would hold the secret.
#[test]
fn readers_see_no_memory_of_dropped_tensors() {
    for n in [100, 3000, 100_000] {
        for (bytes, (name, call)) in calls::<Spy>(n) {
            for len in [n, n.next_power_of_two(), bytes.len() / 8 + 1] {
                drop(Tensor::<f64, _>::full([len], SECRET));
            }
            call(Spy::new(&bytes)).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn too_large_counts_of_readers_are_errors() {
    for (bytes, (name, call)) in calls::<Liar>(3000) {
        for claimed in [1, 1000, 1 << 30, usize::MAX] {
            for honest in 0.. {
                let reader = Liar { bytes: Cursor::new(bytes.clone()), honest, claimed };
                match call(reader) {
                    Err(error) => {
                        assert!(matches!(error, Error::File { .. }), "{name}: {error}");
                        let text = error.to_string();
                        assert!(text.contains("the reader returned "), "{name}: {text}");
                    }
                    // The function was done before the lie.
                    Ok(()) => {
                        assert!(honest > 0, "{name}");
                        break;
                    }
                }
            }
        }
    }
}
