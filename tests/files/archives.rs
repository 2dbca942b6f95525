//! Tests of `.npz` archives: archives that NumPy wrote, archives that this crate wrote, and hostile archives.

use super::golden::{Golden, made, values};
use super::memory::modest;
use super::{data, says, why};
use proptest::prelude::*;
use std::fs;
use std::io::Cursor;
use vierbein::io::npz::{Npz, NpzWriter};
use vierbein::prelude::*;
use vierbein::{DType, DynTensor, Error, tensor};

type Vector = Tensor<u8, Rank<1>>;

fn open(bytes: &[u8]) -> Result<Npz<Cursor<&[u8]>>, Error> {
    Npz::new(Cursor::new(bytes))
}

fn archive(compressed: bool) -> Vec<u8> {
    let x = Tensor::<i32, _>::from_fn([3, 4], |[i, j]| (10 * i + j) as i32);
    let mut writer = NpzWriter::new();
    if compressed {
        writer.compressed();
    }
    let mut bytes = Cursor::new(Vec::new());
    let y = tensor![true, false];
    writer.add("x", &x).unwrap().add("y", &y).unwrap().write_to(&mut bytes).unwrap();
    bytes.into_inner()
}

#[test]
fn archives_of_numpy_are_read() {
    fn check<T: Golden>(archive: &mut Npz) {
        let name = |suffix: &str| format!("{}_{suffix}", T::NAME);
        let c: Tensor<T, Rank<2>> = archive.get(&name("c")).unwrap();
        let f: Tensor<T, Rank<2>, ColMajor> = archive.get(&name("f")).unwrap();
        let big: Tensor<T, Rank<1>> = archive.get(&name("big")).unwrap();
        assert_eq!(c.as_slice(), values::<T>(&[3, 4], true));
        assert_eq!(f.as_slice(), values::<T>(&[3, 4], false));
        assert_eq!(big.as_slice(), values::<T>(&[5], true));
        let erased: DynTensor = archive.get(&name("f")).unwrap();
        assert_eq!(erased.downcast_ref::<T, Rank<2>, ColMajor, Cpu>().unwrap(), f);
    }
    for file in ["npz/stored.npz", "npz/deflated.npz"] {
        let mut archive = Npz::open(data(file)).unwrap();
        assert_eq!(archive.names().len(), 3 * 13 + 5);
        for_all_types!(check(&mut archive));
        assert_eq!(archive.get("arr_0"), Ok(made::<f32, Rank<3>, RowMajor>([2, 3, 4])));
        assert_eq!(archive.get("arr_1"), Ok(made::<i64, Rank<1>, RowMajor>([5])));
        assert_eq!(archive.get::<Tensor<f64, Rank<0>>>("scalar").unwrap().item(), -3.0);
        assert_eq!(archive.get::<Tensor<f32, Rank<3>>>("empty").unwrap().shape(), [2, 0, 4]);
        assert_eq!(archive.get("a/path, and more"), Ok(made::<u8, Rank<1>, RowMajor>([5])));
        assert_eq!(archive.header("u16_big").unwrap().descr, ">u2");
    }
    let mut zeros = Npz::open(data("npz/zeros.npz")).unwrap();
    assert_eq!(zeros.get::<Tensor<f64, Rank<2>>>("zeros"), Ok(Tensor::zeros([500, 200])));
}

#[test]
fn unsupported_entries_are_errors_when_read() {
    let mut bytes = fs::read(data("npz/others.npz")).unwrap();
    says(&why(open(&bytes)), "which is compressed by method 14");
    // Overwrites the compression method in the directory with the method of stored entries, and the size with the compressed size.
    let at = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    let (packed, size) = (bytes[at + 20..at + 24].to_vec(), at + 24);
    bytes[at + 10] = 0;
    bytes[size..size + 4].copy_from_slice(&packed);
    let mut archive = open(&bytes).unwrap();
    assert_eq!(archive.names().collect::<Vec<_>>(), ["text.txt", "x", "packed"]);
    says(&why(archive.get::<DynTensor>("text.txt")), "<stream>, entry `text.txt`: is not an npy file");
    says(&why(archive.get::<DynTensor>("x")), "<stream>, entry `x`: is not an npy file");
    says(&why(archive.get::<DynTensor>("packed")), "that contradicts the directory");
    says(&why(archive.get::<DynTensor>("z")), "has no entry `z`; it has `text.txt`, `x`, `packed`");
}

#[test]
fn mismatched_type_is_error_naming_fix() {
    let bytes = archive(true);
    let found = why(open(&bytes).unwrap().get::<Tensor<f64, Rank<2>, ColMajor>>("x"));
    assert_eq!(
        found,
        "<stream>, entry `x`: holds a row-major i32 tensor of shape [3, 4], not a column-major one of f64; \
         read it as `Tensor<i32, Rank<2>>` and convert with `.cast::<f64>()`, then `.to_order::<ColMajor>()`"
    );
}

#[test]
fn files_are_named_in_errors() {
    let iris = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/iris.npy");
    says(&why(Npz::open(iris)), "iris.npy: is one npy file");
    says(&why(Npz::open("no such file")), "no such file: cannot be read");
    says(&why(Npz::open(data("npz/make.py"))), "make.py: is not a zip archive");
    says(&why(Npz::open(data("npz"))), "npz: cannot be read");
    says(&why(open(b"")), "is not a zip archive");
}

/// The number of entries does not fit in 16 bits, so the archive needs ZIP64 records.
#[test]
fn archives_with_70000_entries_round_trip() {
    let x: Vec<_> = (0..70_000).map(|n| Tensor::<i32, _>::from_vec([1], vec![n])).collect();
    let mut writer = NpzWriter::new();
    for x in &x {
        writer.push(x).unwrap();
    }
    let mut bytes = Cursor::new(Vec::new());
    writer.write_to(&mut bytes).unwrap();
    let mut archive = Npz::new(bytes).unwrap();
    assert_eq!(archive.names().len(), 70_000);
    for n in [0, 1, 65_535, 65_536, 69_999] {
        assert_eq!(archive.get(&format!("arr_{n}")), Ok(x[n].clone()));
    }
}

#[test]
fn writer_rejects_names_that_are_paths() {
    let x = tensor![1];
    for name in ["", "/x", "..", "../x", "a/../x", "a\\x", "C:x", "a\0", &"x".repeat(2000)] {
        assert!(NpzWriter::new().add(name, &x).is_err(), "{name:?}");
    }
    for name in ["x", "a/b", "a.b", "x.npy", "..x", "ü"] {
        let mut bytes = Cursor::new(Vec::new());
        NpzWriter::new().add(name, &x).unwrap().write_to(&mut bytes).unwrap();
        assert_eq!(Npz::new(bytes).unwrap().get(name), Ok(x.clone()), "{name:?}");
    }
}

// ------------------------------------------------------------------ hostile archives

/// An archive entry whose fields can all be falsified. A field that is `None` gets its correct value.
#[derive(Clone)]
struct Lie {
    name: Vec<u8>,
    local_name: Option<Vec<u8>>,
    flags: u16,
    method: u16,
    checksum: Option<u32>,
    size: Option<u32>,
    packed: Option<u32>,
    header: Option<u32>,
    bytes: Vec<u8>,
}

impl Lie {
    /// Returns a valid entry.
    fn stored(name: &str, bytes: &[u8]) -> Lie {
        Lie {
            name: name.into(),
            local_name: None,
            flags: 0,
            method: 0,
            checksum: None,
            size: None,
            packed: None,
            header: None,
            bytes: bytes.to_vec(),
        }
    }
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

fn zip(lies: &[Lie]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for lie in lies {
        let header = bytes.len() as u32;
        let length = lie.bytes.len() as u32;
        let mut common = vec![20, 0];
        common.extend([lie.flags.to_le_bytes(), lie.method.to_le_bytes(), [0; 2], [0; 2]].concat());
        common.extend(lie.checksum.unwrap_or(crc(&lie.bytes)).to_le_bytes());
        common.extend(lie.packed.unwrap_or(length).to_le_bytes());
        common.extend(lie.size.unwrap_or(length).to_le_bytes());
        let name_length = (lie.name.len() as u16).to_le_bytes();
        let local_name = lie.local_name.as_ref().unwrap_or(&lie.name);
        bytes
            .extend([b"PK\x03\x04", &common[..], &(local_name.len() as u16).to_le_bytes(), &[0; 2]].concat());
        bytes.extend(local_name);
        bytes.extend(&lie.bytes);
        directory.extend([b"PK\x01\x02\x14\0", &common[..], &name_length, &[0; 12]].concat());
        directory.extend(lie.header.unwrap_or(header).to_le_bytes());
        directory.extend(&lie.name);
    }
    let count = (lies.len() as u16).to_le_bytes();
    let end = [directory.len() as u32, bytes.len() as u32].map(u32::to_le_bytes).concat();
    [bytes, directory, b"PK\x05\x06\0\0\0\0".to_vec(), [count, count].concat(), end, vec![0; 2]].concat()
}

fn npy(values: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    Vector::from_slice([values.len()], values).write_npy_to(&mut bytes).unwrap();
    bytes
}

/// Encodes bytes as a stored DEFLATE block, without compression.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u16;
    [&[1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), bytes].concat()
}

#[test]
fn npz_open_rejects_falsified_entries() {
    let honest = Lie::stored("x.npy", &npy(&[1, 2, 3]));
    assert_eq!(open(&zip(std::slice::from_ref(&honest))).unwrap().get("x"), Ok(tensor![1u8, 2, 3]));
    let packed = deflated(&honest.bytes);
    let size = Some(honest.bytes.len() as u32);
    let checksum = Some(crc(&honest.bytes));
    let deflate = Lie { method: 8, bytes: packed, size, checksum, ..honest.clone() };
    assert_eq!(open(&zip(std::slice::from_ref(&deflate))).unwrap().get("x"), Ok(tensor![1u8, 2, 3]));

    let length = honest.bytes.len() as u32;
    let opening = [
        (vec![honest.clone(), honest.clone()], "two entries of the name `x`"),
        (vec![Lie { name: b"x".to_vec(), ..honest.clone() }, honest.clone()], "two entries of the name `x`"),
        (vec![Lie { name: b"x\xff.npy".to_vec(), ..honest.clone() }], "not UTF-8 at its byte 1, at byte"),
        (vec![Lie { flags: 1, ..honest.clone() }], "has the entry `x.npy`, which is encrypted"),
        (vec![Lie { method: 12, ..honest.clone() }], "compressed by method 12"),
        (vec![Lie { size: Some(length + 1), ..honest.clone() }], "is stored uncompressed, but has"),
        (vec![Lie { size: Some(1 << 30), ..deflate.clone() }], "which is impossible"),
        (
            vec![Lie { size: Some(u32::MAX), packed: Some(u32::MAX), ..honest.clone() }],
            "lacks the 64-bit sizes",
        ),
    ];
    for (lies, expected) in opening {
        let bytes = zip(&lies);
        says(&why(modest(bytes.len(), || open(&bytes))), expected);
    }
    let reading = [
        (vec![Lie { local_name: Some(b"y.npy".to_vec()), ..honest.clone() }], "contradicts the directory"),
        (vec![Lie { local_name: Some(vec![b'x'; 5000]), ..honest.clone() }], "contradicts the directory"),
        (vec![Lie { checksum: Some(7), ..honest.clone() }], "expected 00000007"),
        (vec![Lie { checksum: Some(7), ..deflate.clone() }], "expected 00000007"),
        (
            vec![Lie { header: Some(4), ..honest.clone() }],
            "has no header at byte 4, where the directory says",
        ),
        (vec![Lie { header: Some(u32::MAX - 1), ..honest.clone() }], "which extend past byte"),
        (
            vec![Lie { packed: Some(length + 1), size: Some(length + 1), ..honest.clone() }],
            "which extend past byte",
        ),
        (
            vec![Lie { packed: Some(length - 1), size: Some(length - 1), ..honest.clone() }],
            "holds 2 bytes of data, fewer than the 3 bytes",
        ),
        (
            vec![Lie { size: Some(length + 1), ..deflate.clone() }],
            "holds 4 bytes of data, more than the 3 bytes",
        ),
        (
            vec![Lie { size: Some(length - 1), ..deflate.clone() }],
            "holds 2 bytes of data, fewer than the 3 bytes",
        ),
        (vec![Lie { bytes: deflate.bytes[..100].to_vec(), ..deflate.clone() }], ""),
        (vec![Lie { bytes: vec![0xff; 100], ..deflate.clone() }], "cannot be read"),
        // The header of the second entry is claimed to be past the end of the file. So the start of the second entry does not limit
        // the size of the first one.
        (
            vec![
                Lie { packed: Some(1 << 30), size: Some(1 << 30), ..honest.clone() },
                Lie { name: b"z.npy".to_vec(), header: Some(u32::MAX - 1), ..honest.clone() },
            ],
            "which extend past byte",
        ),
        // Two directory entries refer to the same data, as in archives that unpack to petabytes.
        (
            vec![honest.clone(), Lie { name: b"z.npy".to_vec(), header: Some(0), ..honest.clone() }],
            "which extend past byte",
        ),
    ];
    for (lies, expected) in reading {
        let bytes = zip(&lies);
        let mut archive = open(&bytes).unwrap_or_else(|e| panic!("{expected}: {e}"));
        says(&why(modest(bytes.len(), || archive.get::<Vector>("x"))), expected);
    }
}

/// The data of an entry unpack to more bytes than its header states.
#[test]
fn oversized_decompression_is_rejected() {
    let zeros = fs::read(data("npz/zeros.npz")).unwrap();
    let mut archive = open(&zeros).unwrap();
    let at = zeros.windows(5).position(|w| w == b"zeros").unwrap();
    let packed = zeros[at + 9 + 20..].to_vec();
    let end = packed.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    let lie = Lie { method: 8, size: Some(1000), checksum: Some(0), ..Lie::stored("x.npy", &packed[..end]) };
    let bytes = zip(&[lie]);
    says(
        &why(modest(bytes.len(), || open(&bytes).unwrap().get::<DynTensor>("x"))),
        "holds 872 bytes of data, fewer than the 800000 bytes of a f64 tensor of shape [500, 200]",
    );
    assert!(archive.get::<DynTensor>("zeros").is_ok());
}

#[test]
fn claimed_elements_are_not_allocated() {
    for shape in ["(1152921504606846976,)", "(8589934592,)", "(1048576, 1048576, 1048576, 2)"] {
        let text = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut npy = b"\x93NUMPY\x01\0".to_vec();
        npy.extend((text.len() as u16).to_le_bytes());
        npy.extend(text.bytes());
        npy.extend([7; 100]);
        let stored = Lie::stored("x.npy", &npy);
        let size = Some(npy.len() as u32);
        let packed =
            Lie { method: 8, size, bytes: deflated(&npy), checksum: Some(crc(&npy)), ..stored.clone() };
        for lie in [stored, packed] {
            let bytes = zip(&[lie]);
            let mut archive = open(&bytes).unwrap();
            let found = why(modest(bytes.len(), || archive.get::<DynTensor>("x")));
            assert!(found.contains("fewer than") || found.contains("exceeds the address space"), "{found}");
            match archive.header("x") {
                Ok(header) => assert_eq!(header.dtype, Some(DType::U8)),
                // On 32-bit machines, an extent may exceed the address space.
                Err(error) => assert!(usize::BITS == 32 && why::<()>(Err(error)).contains("address space")),
            }
        }
    }
}

#[test]
fn npz_open_rejects_inconsistent_directory() {
    let honest = zip(&[Lie::stored("x.npy", &npy(&[1, 2, 3]))]);
    let end = honest.len() - 22;
    let with = |changes: &[(usize, u8)]| {
        let mut bytes = honest.clone();
        changes.iter().for_each(|&(at, byte)| bytes[end + at] = byte);
        why(modest(bytes.len(), || open(&bytes)))
    };
    says(&with(&[(10, 2)]), "has 2 entries in");
    says(&with(&[(10, 0xff), (11, 0xff)]), "has 65535 entries in");
    says(&with(&[(10, 0)]), "bytes after its entries");
    says(&with(&[(12, 0xff)]), "which is past its end");
    says(&with(&[(19, 0x7f)]), "which is past its end");
    says(&with(&[(12, 0)]), "has 1 entries in 0 bytes");
    says(&with(&[(20, 1)]), "is not a zip archive, or is truncated");

    // Returns the message for an archive whose ZIP64 records contain the given numbers.
    let wide = |place: u64, numbers: [u64; 3]| {
        let mut bytes = honest[..end].to_vec();
        let at = bytes.len() as u64;
        bytes.extend([&b"PK\x06\x06"[..], &44u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8]].concat());
        bytes.extend(numbers[0].to_le_bytes());
        numbers.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        bytes.extend(
            [&b"PK\x06\x07\0\0\0\0"[..], &(at.wrapping_add(place)).to_le_bytes(), &[1, 0, 0, 0]].concat(),
        );
        bytes.extend([&b"PK\x05\x06\0\0\0\0"[..], &[0xff; 12], &[0; 2]].concat());
        bytes
    };
    let directory = u64::from(u32::from_le_bytes(honest[end + 16..end + 20].try_into().unwrap()));
    let length = end as u64 - directory;
    let bytes = wide(0, [1, length, directory]);
    assert_eq!(open(&bytes).unwrap().get("x"), Ok(tensor![1u8, 2, 3]));
    for (place, numbers, expected) in [
        (1, [1, length, directory], "has no directory end record at byte"),
        (1 << 60, [1, length, directory], "past its own end"),
        (0, [1 << 60, length, directory], "too few for them"),
        (0, [1, 1 << 60, directory], "which is past its end"),
        (0, [1, u64::MAX, directory], "which is past its end"),
        (0, [1, length, u64::MAX], "which is past its end"),
    ] {
        let bytes = wide(place, numbers);
        says(&why(modest(bytes.len(), || open(&bytes))), expected);
    }
}

#[test]
fn truncated_archives_are_errors() {
    for compressed in [false, true] {
        let bytes = archive(compressed);
        for length in 0..bytes.len() {
            why(modest(length, || open(&bytes[..length])));
        }
    }
}

/// Each flipped bit in an archive must be detected, by a checksum or by a name, or must not affect the result.
#[test]
fn flipped_bits_are_detected_or_harmless() {
    let x = Tensor::<i32, _>::from_fn([3, 4], |[i, j]| (10 * i + j) as i32);
    for compressed in [false, true] {
        let mut bytes = archive(compressed);
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let read = modest(bytes.len(), || {
                open(&bytes).and_then(|mut archive| archive.get::<Tensor<i32, Rank<2>>>("x"))
            });
            match read {
                Ok(found) => assert_eq!(found, x, "bit {bit}"),
                Err(Error::File { .. }) => {}
                Err(other) => panic!("bit {bit}: {other}"),
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

proptest! {
    #[test]
    fn any_damage_is_detected_or_harmless(
        name in prop::sample::select(vec!["stored", "deflated", "zeros", "others"]),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        splice in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1..40usize)),
    ) {
        let mut bytes = fs::read(data(&format!("npz/{name}.npz"))).unwrap();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some((from, to, length)) = splice {
            let part: Vec<u8> = bytes[from.index(bytes.len())..].iter().copied().take(length).collect();
            let to = to.index(bytes.len());
            bytes.splice(to..to, part);
        }
        for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())]] {
            let Ok(mut archive) = modest(bytes.len(), || open(bytes)) else { continue };
            let names: Vec<String> = archive.names().map(str::to_owned).collect();
            for name in names {
                let _ = archive.get::<DynTensor>(&name);
            }
        }
    }
}
