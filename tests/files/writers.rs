//! Tests of writers that fail: they must leave the old file unchanged. `tests/faults/files.rs` tests writers that are killed.

use super::golden::Folder;
use super::{says, why};
use std::io::{self, Cursor, Seek, SeekFrom, Write};
use vierbein::io::csv::CsvWriter;
use vierbein::io::npz::{Npz, NpzWriter};
use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
use vierbein::prelude::*;
use vierbein::{DynView, Error, tensor};

/// A writer with a limited capacity in bytes.
struct Full(Cursor<Vec<u8>>, u64);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.position() + bytes.len() as u64 > self.1 {
            return Err(io::Error::other("no room"));
        }
        self.0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Full {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn full_stream_is_error() {
    let (x, y) = (tensor![[1.5, 2.5], [3.5, 4.5]], tensor![true, false]);
    let mut stored = NpzWriter::new();
    stored.add("x", &x).unwrap().add("y", &y).unwrap();
    let mut packed = NpzWriter::new();
    packed.compressed().add("x", &x).unwrap().add("y", &y).unwrap();
    let mut flat = SafetensorsWriter::new();
    flat.add("x", &x).unwrap().add("y", &y).unwrap();
    let written = |write: &dyn Fn(&mut Full) -> Result<(), Error>| {
        let mut all = Full(Cursor::new(Vec::new()), u64::MAX);
        write(&mut all).unwrap();
        let length = all.0.get_ref().len() as u64;
        for room in 0..length {
            let error = why(write(&mut Full(Cursor::new(Vec::new()), room)));
            assert_eq!(error, "<stream>: cannot be written: no room");
        }
        write(&mut Full(Cursor::new(Vec::new()), length)).unwrap();
    };
    written(&|full| stored.write_to(full));
    written(&|full| packed.write_to(full));
    written(&|full| flat.write_to(full));
    written(&|full| x.write_csv_to(full, &["a", "b"]));
}

/// A writer that counts the calls that write at least a mebibyte.
#[derive(Default)]
struct Counting {
    bytes: Vec<u8>,
    large: usize,
}

impl Write for Counting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.large += usize::from(bytes.len() >= 1 << 20);
        self.bytes.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Elements that are contiguous in the memory order are written without a copy, in one call. Others are copied in small parts.
#[test]
#[cfg(target_endian = "little")]
fn contiguous_elements_are_written_in_one_call() {
    fn check<O: Order>() {
        let x = Tensor::<f64, _, O>::from_fn([512, 300], |[i, j]| (i * 300 + j) as f64);
        let erased = DynView::from(&x);
        let write = |write: &dyn Fn(&mut Counting) -> Result<(), Error>| {
            let mut to = Counting::default();
            write(&mut to).unwrap();
            (to.bytes, to.large)
        };
        let part = (x.slice(s![1..;2, ..]), erased.slice(s![1..;2, ..]).unwrap());
        let flipped = (x.slice(s![..;-1, ..;-1]), erased.slice(s![..;-1, ..;-1]).unwrap());
        for ((typed, erased), large) in [((x.view(), erased), 1), (part, 0), (flipped, 0)] {
            let (bytes, calls) = write(&|to| typed.write_npy_to(to));
            assert_eq!(calls, large);
            assert!(write(&|to| erased.write_npy_to(to)) == (bytes.clone(), large));
            assert_eq!(Tensor::<f64, Rank<2>, O>::read_npy_from(&bytes[..]).unwrap(), typed);
        }
    }
    check::<RowMajor>();
    check::<ColMajor>();
}

/// The offsets in the header exceed `u32::MAX`, the maximum of `usize` on 32-bit machines. The test needs only the header, so the
/// stream has no room for the elements.
#[test]
fn safetensors_offsets_have_64_bits() {
    let one = tensor![7u8];
    let x = one.broadcast_to([(1 << 31) - 1]);
    let mut flat = SafetensorsWriter::new();
    flat.add("x", &x).unwrap().add("y", &x).unwrap().add("z", &x).unwrap();
    let mut to = Full(Cursor::new(Vec::new()), 1000);
    assert_eq!(why(flat.write_to(&mut to)), "<stream>: cannot be written: no room");
    let header = to.0.into_inner();
    let text = str::from_utf8(&header[8..]).unwrap().trim_end();
    assert_eq!(
        text,
        "{\"x\":{\"dtype\":\"U8\",\"shape\":[2147483647],\"data_offsets\":[0,2147483647]},\
         \"y\":{\"dtype\":\"U8\",\"shape\":[2147483647],\"data_offsets\":[2147483647,4294967294]},\
         \"z\":{\"dtype\":\"U8\",\"shape\":[2147483647],\"data_offsets\":[4294967294,6442450941]}}"
    );
}

/// A file can have at most 2⁶³ − 1 bytes. The test writes two broadcast views, which have stride 0 and need no memory. Together
/// they have more bytes.
#[cfg(target_pointer_width = "64")]
#[test]
fn writers_reject_more_bytes_than_a_file_can_hold() {
    let one = tensor![7u8];
    for (extent, bytes) in [(1 << 62, "9223372036854775808"), (isize::MAX as usize, "18446744073709551614")] {
        let x = one.broadcast_to([extent]);
        let mut npz = NpzWriter::new();
        npz.push(&x).unwrap().push(&x).unwrap();
        let mut flat = SafetensorsWriter::new();
        flat.add("x", &x).unwrap().add("y", &x).unwrap();
        let (mut archive, mut file) = (Cursor::new(Vec::new()), Vec::new());
        for result in [npz.write_to(&mut archive), flat.write_to(&mut file)] {
            says(
                &why(result),
                &format!("cannot be written: its elements have {bytes} bytes, more than a file can hold"),
            );
        }
        assert!(archive.into_inner().is_empty() && file.is_empty());
    }
}

/// On Windows, a memory-mapped file cannot be replaced, but it can be renamed.
#[test]
fn a_mapped_file_is_replaced_and_its_views_stay_valid() {
    let folder = Folder::new();
    let path = folder.file("x.safetensors");
    let write = |x: &Tensor<u8, Rank<1>>| SafetensorsWriter::new().add("x", x).unwrap().write(&path);
    write(&tensor![1, 2, 3]).unwrap();
    for _ in 0..3 {
        // SAFETY: only this test accesses the file. The writer replaces it by a rename, which leaves the contents of the mapped
        // file unchanged.
        let old = unsafe { Safetensors::map(&path) }.unwrap();
        let x = old.view::<u8, Rank<1>>("x").unwrap();
        let before = x.to_owned();
        write(&(x + 1)).unwrap();
        assert_eq!(Safetensors::read(&path).unwrap().get("x"), Ok(x + 1));
        assert_eq!(x, before);
    }
    // Only the new file is left. On Windows, a mapped file cannot be deleted, so the last replaced file remains until the next write.
    let left = folder.names().len();
    assert!(left == 1 || cfg!(windows) && left == 2, "{:?}", folder.names());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    use std::os::unix::fs::FileTypeExt;
    let x = Tensor::<f64, _>::ones([100, 100]);
    let results = [
        x.write_npy("/dev/full"),
        vierbein::DynTensor::from(x.clone()).write_npy("/dev/full"),
        NpzWriter::new().push(&x).unwrap().write("/dev/full"),
        NpzWriter::new().compressed().push(&x).unwrap().write("/dev/full"),
        SafetensorsWriter::new().add("x", &x).unwrap().write("/dev/full"),
        CsvWriter::new().write("/dev/full", &x),
    ];
    for result in results {
        says(&why(result), "/dev/full: cannot be written: ");
    }
    assert!(std::fs::metadata("/dev/full").unwrap().file_type().is_char_device());
}

#[test]
fn files_are_replaced_as_a_whole() {
    let folder = Folder::new();
    let (npz, flat, csv) = (folder.file("x.npz"), folder.file("x.safetensors"), folder.file("x.csv"));
    for value in [1, 2] {
        let x = Tensor::<i64, _>::full([1000], value);
        NpzWriter::new().add("x", &x).unwrap().write(&npz).unwrap();
        SafetensorsWriter::new().add("x", &x).unwrap().write(&flat).unwrap();
        assert_eq!(Npz::open(&npz).unwrap().get("x"), Ok(x.clone()));
        assert_eq!(Safetensors::read(&flat).unwrap().get("x"), Ok(x.clone()));
        x.insert_axis(1).write_csv(&csv, &["x"]).unwrap();
        let (_, read) = Tensor::<i64, Rank<2>>::read_csv(&csv).unwrap();
        assert_eq!(read, x.insert_axis(1));
    }
    assert_eq!(folder.names(), ["x.csv", "x.npz", "x.safetensors"]);
    let nowhere = folder.file("no").join("folder");
    let x = tensor![1];
    says(&why(NpzWriter::new().push(&x).unwrap().write(&nowhere)), "folder: cannot be written");
    says(&why(SafetensorsWriter::new().write(&folder.0)), "cannot be written");
    says(&why(CsvWriter::new().write(&nowhere, &x.insert_axis(1))), "folder: cannot be written");
}
