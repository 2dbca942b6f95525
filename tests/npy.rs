//! Tests of `.npy` files: golden files that NumPy wrote (`data/npy/make.py`), round trips, files that NumPy reads back, and damaged
//! and hostile files.

#![cfg(feature = "npy")]

#[allow(dead_code)]
mod common;
#[macro_use]
#[path = "common/golden.rs"]
mod golden;
#[path = "npy/rejected.rs"]
mod rejected;

use common::Remote;
use golden::{Folder, Golden, made, values};
use proptest::prelude::*;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use vierbein::io::npy::read_header;
use vierbein::prelude::*;
use vierbein::{DType, Error, c32, c64, tensor};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/npy").join(format!("{name}.npy"))
}

fn bytes_of<T: Element, D: Dim, O: Order>(x: TensorView<'_, T, D, O>) -> Vec<u8> {
    let mut bytes = Vec::new();
    x.write_npy_to(&mut bytes).unwrap();
    bytes
}

/// Returns the bytes of a `.npy` file with this header and these data. Version 1 stores the header's length in two bytes, other
/// versions in four.
fn file(version: u8, text: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x93, b'N', b'U', b'M', b'P', b'Y', version, 0];
    bytes.extend(&(text.len() as u32).to_le_bytes()[..if version == 1 { 2 } else { 4 }]);
    bytes.extend(text.bytes());
    bytes.extend(data);
    bytes
}

fn plain(descr: &str, fortran_order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    file(1, &format!("{{'descr': {descr}, 'fortran_order': {fortran_order}, 'shape': {shape}, }}\n"), data)
}

/// Reads the bytes as a `.npy` file. Asserts that the result is a file error, and returns the reason in it.
fn why<T: Element, D: Dim, O: Order>(bytes: &[u8]) -> String {
    match Tensor::<T, D, O>::read_npy_from(bytes) {
        Err(Error::File { path, reason }) if path == "<stream>" => reason,
        other => panic!("expected an error of the stream, got {other:?}"),
    }
}

// ------------------------------------------------------------------ golden files

/// Reads a golden file, and asserts its shape and elements. Writing the tensor must give the bytes of the file.
fn check_golden<T: Golden, D: Dim, O: Order>(shape: D::Shape, suffix: &str) {
    let path = data(&format!("{}_{suffix}", T::NAME));
    let x = Tensor::<T, D, O>::read_npy(&path).unwrap();
    assert_eq!(x.shape(), shape, "{path:?}");
    assert_eq!(x.as_slice(), values::<T>(shape.as_ref(), O::ROW_MAJOR), "{path:?}");
    assert_eq!(bytes_of(x.view()), fs::read(&path).unwrap(), "{path:?}");
    let header = read_header(&path).unwrap();
    assert_eq!((header.dtype, &header.shape[..]), (Some(T::DTYPE), shape.as_ref()), "{path:?}");
}

#[test]
fn golden_files_are_read_and_written() {
    fn check<T: Golden>() {
        check_golden::<T, Rank<0>, RowMajor>([], "c_0");
        check_golden::<T, Rank<0>, ColMajor>([], "c_0");
        check_golden::<T, Rank<1>, RowMajor>([5], "c_1");
        check_golden::<T, Rank<1>, ColMajor>([5], "c_1");
        check_golden::<T, Rank<2>, RowMajor>([3, 4], "c_2");
        check_golden::<T, Rank<2>, ColMajor>([3, 4], "f_2");
        check_golden::<T, Rank<3>, RowMajor>([2, 3, 4], "c_3");
        check_golden::<T, Rank<3>, ColMajor>([2, 3, 4], "f_3");
    }
    for_all_types!(check());
}

#[test]
fn big_endian_files_are_read() {
    fn check<T: Golden>() {
        if size_of::<T>() > 1 {
            let path = data(&format!("{}_big", T::NAME));
            assert!(read_header(&path).unwrap().descr.starts_with('>'));
            let x = Tensor::<T, Rank<2>, ColMajor>::read_npy(&path).unwrap();
            assert_eq!(x.as_slice(), values::<T>(&[3, 4], false), "{path:?}");
        }
    }
    for_all_types!(check());
}

#[test]
fn ranks_0_and_1_are_read_in_both_orders() {
    fn check<D: Dim, O: Order>(shape: D::Shape) {
        let path = data(&format!("empty_{}", shape.as_ref().len()));
        let x = Tensor::<f64, D, O>::read_npy(&path).unwrap();
        assert_eq!((x.shape(), x.len()), (shape, 0));
        assert_eq!(bytes_of(x.view()), fs::read(&path).unwrap());
    }
    check::<Rank<1>, RowMajor>([0]);
    check::<Rank<1>, ColMajor>([0]);
    check::<Rank<2>, RowMajor>([0, 3]);
    check::<Rank<2>, ColMajor>([0, 3]);
    check::<Rank<3>, RowMajor>([2, 0, 4]);
    check::<Rank<3>, ColMajor>([2, 0, 4]);

    let bytes = fs::read(data("unit_axes")).unwrap();
    let rows = Tensor::<i32, Rank<3>, RowMajor>::read_npy_from(&bytes[..]).unwrap();
    let cols = Tensor::<i32, Rank<3>, ColMajor>::read_npy_from(&bytes[..]).unwrap();
    assert_eq!(rows.as_slice(), values::<i32>(&[1, 4, 1], true));
    assert_eq!(cols.as_slice(), rows.as_slice());
    assert_eq!(bytes_of(cols.view()), bytes);
    let turned = plain("'|u1'", "True", "(1, 3)", &[7, 8, 9]);
    assert_eq!(Tensor::read_npy_from(&turned[..]), Ok(tensor![[7u8, 8, 9]]));
}

#[test]
fn special_float_values_round_trip() {
    let x = Tensor::<f64, Rank<1>>::read_npy(data("special_f64")).unwrap();
    let bits: Vec<_> = x.iter().map(|x| x.to_bits()).collect();
    assert_eq!(bits, [0x7ff8 << 48, 0x7ff0 << 48, 0xfff0 << 48, 1 << 63, 1]);
    assert_eq!(bytes_of(x.view()), fs::read(data("special_f64")).unwrap());
    let x = Tensor::<f32, Rank<1>>::read_npy(data("special_f32")).unwrap();
    let bits: Vec<_> = x.iter().map(|x| x.to_bits()).collect();
    assert_eq!(bits, [0x7fc0 << 16, 0x7f80 << 16, 0xff80 << 16, 1 << 31, 1]);
    assert_eq!(bytes_of(x.view()), fs::read(data("special_f32")).unwrap());
}

#[test]
fn all_format_versions_are_read() {
    for version in ["version_2", "version_3"] {
        let x = Tensor::<i32, Rank<2>>::read_npy(data(version)).unwrap();
        assert_eq!(x.as_slice(), values::<i32>(&[3, 4], true));
    }
    let two_and_three = Ok(tensor![[0u8, 1, 2], [3, 4, 5]]);
    for shape in ["(2L, 3L)", "(2, 3L,)", "[2, 3]", "(2 , 3)"] {
        assert_eq!(
            Tensor::read_npy_from(&plain("'|u1'", "False", shape, &[0, 1, 2, 3, 4, 5])[..]),
            two_and_three
        );
    }
    // NumPy 2 reads each of these headers, too: any white space, keys in any order, and literals of Python 2.
    for text in [
        "{'shape': (2L, 3L), u'descr': u'|u1', 'fortran_order': False}",
        "\n{'descr': 'u1',\n 'fortran_order': False,\r\n\t'shape': (2, 3)}\n\n",
        "  ({'descr': ('|u1'), 'fortran_order': (False), 'shape': (2,\x0c3,),})\t",
    ] {
        for version in 1..=3 {
            let bytes = file(version, text, &[0, 1, 2, 3, 4, 5]);
            assert_eq!(Tensor::read_npy_from(&bytes[..]), two_and_three, "{text:?}");
        }
    }
    let unpadded =
        file(1, "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<u1\"}", &[0, 1, 2, 3, 4, 5]);
    assert_eq!(Tensor::read_npy_from(&unpadded[..]), two_and_three);
}

/// The expected types are those that `np.load` returns on x86-64: see `data/npy/make.py`.
#[test]
fn type_names_are_those_that_numpy_reads() {
    // The sizes of some types depend on the system: `int` has the size of a pointer, and `long` that of C's.
    let varies = |name: &str| {
        let code = name.trim_start_matches(['<', '>', '=', '|']);
        ["l", "L", "long", "ulong", "p", "P", "n", "N", "int", "int_", "intp", "uint", "uintp"]
            .contains(&code)
    };
    let lp64 = cfg!(all(target_pointer_width = "64", not(windows)));
    let table = include_str!("data/npy/spellings.tsv");
    let mut read = 0;
    for (name, expected) in table.lines().map(|line| line.split_once('\t').unwrap()) {
        if varies(name) && !lp64 {
            continue;
        }
        let text = format!("{{'descr': '{name}', 'fortran_order': False, 'shape': (1,), }}\n");
        let Some((expected, order)) = expected.split_once(' ') else {
            let header = vierbein::io::npy::read_header_from(&file(1, &text, &[])[..]);
            assert_eq!(header.ok().and_then(|header| header.dtype), None, "{name}");
            continue;
        };
        macro_rules! check {
            ($($t:ty)*) => {
                match expected {
                    $(<$t>::NAME => {
                        let value = <$t>::of(123);
                        // `write_npy_to` writes the bytes of the element last, little-endian.
                        let mut bytes = bytes_of(Tensor::<$t, _>::from([value]).view()).split_off(128);
                        if order == ">" || order == "=" && cfg!(target_endian = "big") {
                            // The two parts of a complex number are reversed separately.
                            let part = if expected.starts_with('c') { bytes.len() / 2 } else { bytes.len() };
                            bytes.chunks_mut(part).for_each(<[u8]>::reverse);
                        }
                        let found = Tensor::<$t, Rank<1>>::read_npy_from(&file(1, &text, &bytes)[..]);
                        assert_eq!(found, Ok(Tensor::from([value])), "{name}");
                    })*
                    other => panic!("{other} is not the name of a type"),
                }
            };
        }
        check!(bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c32 c64);
        read += 1;
    }
    assert!(read > 100, "{read}");
}

#[test]
fn iris_file_is_complete() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/iris.npy");
    let iris = Tensor::<f64, Rank<2>>::read_npy(path).unwrap();
    assert_eq!(iris.shape(), [150, 4]);
    assert_eq!((iris[[0, 0]], iris[[50, 0]], iris[[149, 3]]), (5.1, 7.0, 1.8));
}

// ------------------------------------------------------------------ round trips

fn round_trip<T: Golden, D: Dim, O: Order>(shape: D::Shape) {
    let x = made::<T, D, O>(shape);
    let bytes = bytes_of(x.view());
    assert_eq!(bytes.len() % 64, size_of::<T>() * x.len() % 64, "the data are aligned");
    assert_eq!(Tensor::<T, D, O>::read_npy_from(&bytes[..]).unwrap(), x);
    // The same round trip for a view in the other memory order.
    let across = x.as_order::<O::Transposed>();
    let back = Tensor::<T, D, O::Transposed>::read_npy_from(&bytes_of(across)[..]).unwrap();
    assert_eq!(back, across);
}

#[test]
fn round_trips() {
    fn ranks<T: Golden, O: Order>() {
        round_trip::<T, Rank<0>, O>([]);
        round_trip::<T, Rank<1>, O>([5]);
        round_trip::<T, Rank<2>, O>([3, 4]);
        round_trip::<T, Rank<3>, O>([2, 3, 4]);
        round_trip::<T, Rank<4>, O>([1, 2, 1, 4]);
        round_trip::<T, Rank<4>, O>([1, 0, 3, 2]);
    }
    fn orders<T: Golden>() {
        ranks::<T, RowMajor>();
        ranks::<T, ColMajor>();
    }
    for_all_types!(orders());
    round_trip::<u8, Rank<16>, ColMajor>([1, 2, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
}

#[test]
fn views_are_written_in_memory_order() {
    let mut x = made::<i64, Rank<2>, RowMajor>([3, 4]);
    fn check<O: Order>(view: TensorView<'_, i64, Rank<2>, O>, expected: &[i64], shape: [usize; 2]) {
        let back = Tensor::<i64, Rank<2>, O>::read_npy_from(&bytes_of(view)[..]).unwrap();
        assert_eq!((back.shape(), back.as_slice()), (shape, expected));
    }
    let at = |ns: &[usize]| ns.iter().map(|&n| i64::of(n)).collect::<Vec<_>>();
    check(x.t(), &at(&[0, 10, 20, 1, 11, 21, 2, 12, 22, 3, 13, 23]), [4, 3]);
    check(x.slice(s![..;-1, 1..4;2]), &at(&[21, 23, 11, 13, 1, 3]), [3, 2]);
    check(x.slice(s![1, ..2]).broadcast_to([2, 2]), &at(&[10, 11, 10, 11]), [2, 2]);
    check(x.as_order::<ColMajor>().slice(s![..2, 2..]), &at(&[2, 12, 3, 13]), [2, 2]);
    let mut bytes = Vec::new();
    x.view_mut().write_npy_to(&mut bytes).unwrap();
    assert_eq!(bytes, bytes_of(x.view()));
}

#[test]
fn large_tensors_are_written_in_chunks() {
    fn check<D: Dim, O: Order>(x: TensorView<'_, f64, D, O>, folder: &Folder) {
        let path = folder.file("large.npy");
        x.write_npy(&path).unwrap();
        let (from_path, from_stream) =
            (Tensor::<f64, D, O>::read_npy(&path), Tensor::read_npy_from(fs::File::open(&path).unwrap()));
        assert_eq!(from_path.unwrap(), x);
        assert_eq!(from_stream, Ok(x.to_owned()));
    }
    let folder = Folder::new();
    let x = Tensor::<f64, _>::from_fn([301, 703], |[i, j]| (1000 * i + j) as f64);
    let y = Tensor::<f64, _, ColMajor>::from_fn([2, 1, 70001], |[i, _, k]| (100000 * i + k) as f64);
    check(x.view(), &folder);
    check(x.t(), &folder);
    check(x.as_order::<ColMajor>(), &folder);
    check(x.slice(s![..;-3, 5..]), &folder);
    check(y.view(), &folder);
    check(y.as_order::<RowMajor>(), &folder);
}

#[test]
fn other_devices_write_and_read() {
    let x = made::<f32, Rank<2>, ColMajor>([3, 4]);
    let mut bytes = Vec::new();
    x.to_device::<Remote>().unwrap().t().write_npy_to(&mut bytes).unwrap();
    assert_eq!(bytes, bytes_of(x.t()));
    let back = Tensor::<f32, Rank<2>, ColMajor, Remote>::read_npy_from(&bytes[..]).unwrap();
    assert_eq!(back.to_device::<Cpu>().unwrap(), x.t());
}

#[test]
fn numpy_reads_what_is_written() {
    let has_numpy = std::process::Command::new("python3").args(["-c", "import numpy"]).output();
    if !has_numpy.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no `python3` with NumPy here to judge the files");
        return;
    }
    fn write<T: Golden>(folder: &Folder) {
        fn orders<T: Golden, D: Dim>(folder: &Folder, shape: D::Shape) {
            let path = |view| folder.file(&format!("{}_{}_{view}.npy", T::NAME, shape.as_ref().len()));
            made::<T, D, RowMajor>(shape).write_npy(path("c")).unwrap();
            made::<T, D, ColMajor>(shape).write_npy(path("f")).unwrap();
            made::<T, D, ColMajor>(shape).as_order::<RowMajor>().write_npy(path("v")).unwrap();
        }
        orders::<T, Rank<0>>(folder, []);
        orders::<T, Rank<1>>(folder, [5]);
        orders::<T, Rank<2>>(folder, [3, 4]);
        orders::<T, Rank<3>>(folder, [2, 3, 4]);
    }
    const JUDGE: &str = "
import sys, os
import numpy as np
sys.path.insert(0, sys.argv[1])
from make import DTYPES, SHAPES, values
for name, dtype in DTYPES.items():
    for shape in SHAPES:
        for view in 'cfv':
            file = f'{name}_{len(shape)}_{view}.npy'
            x = np.load(os.path.join(sys.argv[2], file))
            assert x.dtype == np.dtype(dtype) and x.shape == shape, file
            assert np.array_equal(x, values(shape, dtype)), file
            assert x.flags.f_contiguous if view == 'f' else x.flags.c_contiguous, file
";
    let folder = Folder::new();
    for_all_types!(write(&folder));
    let make = data("").parent().unwrap().to_path_buf();
    let args = ["-B".as_ref(), "-c".as_ref(), JUDGE.as_ref(), make.as_os_str(), folder.0.as_os_str()];
    let output = std::process::Command::new("python3").args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

// ------------------------------------------------------------------ invalid input

/// The length of a pipe is unknown. So the reader must not allocate memory for all elements that the header claims.
#[cfg(unix)]
#[test]
fn pipe_shorter_than_header_claims_is_error() {
    let folder = Folder::new();
    let pipe = folder.file("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|made| made.success()) {
        return println!("skipped: no pipe can be made");
    }
    let written = pipe.clone();
    let claims = plain("'<f8'", "False", &format!("({},)", isize::MAX / 16), &[0; 24]);
    let writer = std::thread::spawn(move || fs::write(written, claims));
    let error = Tensor::<f64, Rank<1>>::read_npy(&pipe).unwrap_err();
    assert!(error.to_string().contains("holds 24 bytes of data, fewer than"), "{error}");
    // The writer may have failed, because the reader closed the pipe early.
    let _ = writer.join();
}
