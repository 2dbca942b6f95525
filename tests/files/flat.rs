//! Tests of safetensors files: files that the reference implementation wrote, files that this crate wrote, and hostile files.

use super::golden::{Folder, Golden, made, values};
use super::memory::{modest, peak};
use super::{data, says, viewed, why};
use proptest::prelude::*;
use std::fs;
use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
use vierbein::prelude::*;
use vierbein::{DType, DynTensor, Error, c64, tensor};

fn open(bytes: &[u8]) -> Result<Safetensors, Error> {
    Safetensors::read_from(bytes)
}

/// Returns the bytes of a safetensors file with this header and these data.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

// ------------------------------------------------------------------ files of the reference implementation

#[test]
fn files_of_the_reference_implementation_are_read_and_mapped() {
    fn check<T: Golden>(file: &Safetensors) {
        if T::DTYPE == DType::C64 {
            return;
        }
        let name = |rank: usize| format!("{}_{rank}", T::NAME);
        assert_eq!(file.get(&name(0)), Ok(made::<T, Rank<0>, RowMajor>([])));
        assert_eq!(file.get(&name(1)), Ok(made::<T, Rank<1>, RowMajor>([5])));
        assert_eq!(file.get(&name(3)), Ok(made::<T, Rank<3>, RowMajor>([2, 3, 4])));
        let erased: DynTensor = file.get(&name(2)).unwrap();
        assert_eq!(erased.to_vec::<T>().unwrap(), values::<T>(&[3, 4], true));
        if let Some(view) = viewed::<T, Rank<2>>(file, &name(2)) {
            assert_eq!(view, made::<T, Rank<2>, RowMajor>([3, 4]));
        }
    }
    let path = data("safetensors/reference.safetensors");
    // SAFETY: the file is part of the repository, and no test changes it while it is mapped.
    for file in [Safetensors::read(&path).unwrap(), unsafe { Safetensors::map(&path) }.unwrap()] {
        assert_eq!(file.names().len(), 4 * 12 + 2);
        for_all_types!(check(&file));
        assert_eq!(file.get::<Tensor<f32, Rank<3>>>("empty").unwrap().shape(), [2, 0, 4]);
        assert!(viewed::<f32, Rank<3>>(&file, "empty").is_none_or(|view| view.shape() == [2, 0, 4]));
        assert_eq!(file.get("ünï \" \\ name"), Ok(made::<u8, Rank<1>, RowMajor>([5])));
        let metadata: Vec<_> = file.metadata().iter().map(|(k, v)| (&k[..], &v[..])).collect();
        assert_eq!(metadata, [("format", "np"), ("quote", "\"")]);
    }
}

#[test]
fn unsupported_element_types_are_rejected_by_name() {
    let file = Safetensors::read(data("safetensors/lacking.safetensors")).unwrap();
    for (name, dtype) in [("half", "F16"), ("brain", "BF16"), ("small", "F8_E4M3")] {
        let expected = format!(
            "lacking.safetensors, tensor `{name}`: holds elements of the safetensors type `{dtype}`, which tensors do not have"
        );
        says(&why(file.get::<DynTensor>(name)), &expected);
        says(&why(file.view::<f32, Rank<1>>(name)), &expected);
        assert_eq!((file.info(name).unwrap().dtype(), file.info(name).unwrap().dtype_name()), (None, dtype));
    }
    assert_eq!(file.get("here"), Ok(tensor![1.5f32]));
}

#[test]
fn view_shares_memory_with_mapped_file() {
    let folder = Folder::new();
    let path = folder.file("x.safetensors");
    let x = Tensor::<u8, _>::from_fn([100, 100], |[i, j]| (i + 3 * j) as u8);
    SafetensorsWriter::new().add("x", &x).unwrap().write(&path).unwrap();
    // SAFETY: only this test accesses the file. The writer replaces it by a rename, which leaves the mapped file unchanged.
    let file = unsafe { Safetensors::map(&path) }.unwrap();
    let (view, bytes) = peak(|| file.view::<u8, Rank<2>>("x").unwrap());
    assert!(bytes < 1000, "{bytes}");
    assert_eq!(view, x);
    let again = file.view::<u8, Rank<2>>("x").unwrap();
    assert_eq!(view.try_as_slice().unwrap().as_ptr(), again.try_as_slice().unwrap().as_ptr());
    // The writer replaces the file by a rename. The mapped file keeps its old contents.
    SafetensorsWriter::new().add("x", &tensor![1]).unwrap().write(&path).unwrap();
    assert_eq!(view, x);
    let found = why(file.view::<u8, Rank<1>>("x"));
    says(&found, "holds a row-major u8 tensor of shape [100, 100], not one of rank 1");
}

#[test]
fn unaligned_tensors_can_be_copied() {
    let header = |blanks: &str| {
        format!(
            r#"{{"b":{{"dtype":"U8","shape":[1],"data_offsets":[0,1]}},"x":{{"dtype":"F64","shape":[2],"data_offsets":[1,17]}}}}{blanks}"#
        )
    };
    let data = [&[7][..], &1.5f64.to_le_bytes(), &2.5f64.to_le_bytes()].concat();
    let mut views = 0;
    for blanks in ["", " ", "  ", "   ", "    ", "     ", "      ", "       "] {
        let bytes = file(&header(blanks), &data);
        let file = open(&bytes).unwrap();
        assert_eq!(file.get("x"), Ok(tensor![1.5, 2.5]));
        match file.view::<f64, Rank<1>>("x") {
            Ok(view) => {
                views += 1;
                assert_eq!(view, tensor![1.5, 2.5]);
            }
            error if cfg!(target_endian = "big") => says(&why(error), "this machine is big-endian"),
            error => {
                let (at, alignment) = (bytes.len() - 16, align_of::<f64>());
                says(
                    &why(error),
                    &format!(
                        "begins at byte {at}, which is not a multiple of {alignment}; copy it with `.get(..)`"
                    ),
                );
            }
        }
    }
    // The alignment of `f64` depends on the target: on 32-bit x86 it is 4.
    let aligned = if cfg!(target_endian = "big") { 0 } else { 8 / align_of::<f64>() };
    assert_eq!(views, aligned);
}

#[test]
fn writer_rejects_unsupported_tensors() {
    let z = tensor![c64::new(1.0, 2.0)];
    let columns = DynTensor::from(made::<i32, Rank<2>, ColMajor>([3, 4]));
    let x = tensor![1, 2];
    let mut writer = SafetensorsWriter::new();
    let error = |result: Result<&mut SafetensorsWriter<'_>, Error>| result.unwrap_err().to_string();
    says(
        &error(writer.add("z", &z)),
        "`z` holds Complex<f64>, which the format does not support; add `.re()`",
    );
    says(
        &error(writer.add("c", &columns)),
        "`c` is column-major, but the format supports row-major tensors only",
    );
    says(&error(writer.add("__metadata__", &x)), "is reserved by the format");
    writer.add("x", &x).unwrap();
    says(&error(writer.add("x", &x)), "the name `x` is taken");
    let mut bytes = Vec::new();
    writer.write_to(&mut bytes).unwrap();
    assert_eq!(open(&bytes).unwrap().names().collect::<Vec<_>>(), ["x"]);
}

#[test]
fn names_and_metadata_round_trip() {
    let x = tensor![1u8, 2];
    let y = tensor![[1.5], [2.5]];
    let names = ["", "\"", "\\", "\n\0", "ü", "{}", "data_offsets"];
    let mut writer = SafetensorsWriter::new();
    for name in names {
        writer.add(name, &x).unwrap().metadata(name, name);
    }
    writer.add("y", &y).unwrap();
    let mut bytes = Vec::new();
    writer.write_to(&mut bytes).unwrap();
    let file = open(&bytes).unwrap();
    for name in names {
        assert_eq!(file.get(name), Ok(x.clone()));
        assert_eq!(file.metadata()[name], name);
    }
    // The writer orders tensors by the size of their elements, largest first, so that all are aligned.
    assert!(viewed::<f64, Rank<2>>(&file, "y").is_none_or(|view| view == y));
    assert_eq!(file.get("y"), Ok(y));
    assert_eq!((8 + u64::from_le_bytes(bytes[..8].try_into().unwrap())) % 8, 0);
}

// ------------------------------------------------------------------ hostile files

#[test]
fn invalid_headers_are_errors() {
    let one = |dtype: &str, shape: &str, offsets: &str| {
        file(&format!(r#"{{"x":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}}}"#), &[0; 8])
    };
    let two = |first: &str, second: &str| {
        let tensor = |offsets| format!(r#"{{"dtype":"U8","shape":[4],"data_offsets":{offsets}}}"#);
        file(&format!(r#"{{"a":{},"b":{}}}"#, tensor(first), tensor(second)), &[0; 8])
    };
    let text = |header: &str| file(header, &[0; 8]);
    // `huge` elements of `f64` have just too many bytes for the address space. `root * root` just exceeds `usize`.
    let (huge, root) = (isize::MAX as usize / 8 + 1, 1usize << (usize::BITS / 2));
    for (bytes, expected) in [
        (vec![], "is 0 bytes long"),
        (vec![0; 7], "is 7 bytes long"),
        (vec![0; 8], "begin with `{` at byte 8"),
        (vec![0xff; 100], "its header length is 18446744073709551615 bytes, and the maximum is 100000000"),
        (vec![9, 0, 0, 0, 0, 0, 0, 0, b'{'], "is truncated: its header length is 9 bytes, but only 1 follow"),
        (vec![0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], "is 4294967295 bytes, and the maximum is 100000000"),
        (file("{}", &[])[..9].to_vec(), "its header length is 2 bytes, but only 1 follow"),
        (text("[]"), "begin with `{` at byte 8"),
        (text(" {}"), "begin with `{` at byte 8"),
        (text("{"), "has a damaged header, at byte 8"),
        (text("{} x"), "has a damaged header, at byte 11: trailing characters"),
        (text("{\n\n\"x\":}"), "has a damaged header, at byte 15: expected value"),
        (text("{}"), "has data after the 0 bytes of its tensors"),
        (text("{\"x\":1}"), "expected an object that describes the tensor `x`"),
        (text("{\"x\":{}}"), "the tensor `x` has no `dtype`"),
        (text(r#"{"x":{"dtype":"U8","shape":[8]}}"#), "the tensor `x` has no `data_offsets`"),
        (text(r#"{"x":{"dtype":"U8","data_offsets":[0,8]}}"#), "the tensor `x` has no `shape`"),
        (text(r#"{"x":{"dtype":8}}"#), "invalid type: integer `8`, expected a string"),
        (text(r#"{"x":{"dtype":"U8","dtype":"U8"}}"#), "has `dtype` twice"),
        (text(r#"{"__metadata__":{"a":1}}"#), "expected a string"),
        (text(r#"{"__metadata__":{"a":"1","a":"2"}}"#), "the key `a` of `__metadata__` occurs twice"),
        (text(r#"{"__metadata__":{},"__metadata__":{}}"#), "`__metadata__` occurs twice"),
        (
            text(r#"{"x":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"x":1}"#),
            "the tensor `x` occurs twice",
        ),
        (one("U8", "[8]", "[0]"), "has fewer than two `data_offsets`"),
        (one("U8", "[8]", "[]"), "has fewer than two `data_offsets`"),
        (one("U8", "[8]", "[0,8,8]"), "more than 2 numbers"),
        (one("U8", "[8]", "[8,0]"), "which end before they begin"),
        (one("U8", "[8]", "[0,-8]"), "invalid value: integer `-8`, expected usize"),
        (one("U8", "[8]", "[0,8.0]"), "invalid type: floating point `8.0`, expected usize"),
        (one("U8", "[8]", "[0,18446744073709551616]"), "expected usize"),
        (one("U8", "[9]", "[0,9]"), "ends at byte 9 of the data, which has 8 bytes"),
        (
            one("U8", "[9]", "[0,8]"),
            "has 8 bytes by its `data_offsets` [0, 8], and 9 by its `shape` [9] and `dtype` U8",
        ),
        (one("F64", "[2]", "[0,8]"), "and 16 by its `shape` [2] and `dtype` F64"),
        (one("BF16", "[9]", "[0,9]"), "ends at byte 9 of the data"),
        (one("U8", "[7]", "[1,8]"), "begins at byte 1 of the data, but the data before it ends at 0"),
        (one("U8", "[7]", "[0,7]"), "has data after the 7 bytes of its tensors"),
        (one("U8", &format!("[{huge}]"), &format!("[0,{huge}]")), &format!("ends at byte {huge}")[..]),
        (one("U8", &format!("[{huge}]"), "[0,8]"), &format!("and {huge} by its `shape`")[..]),
        (one("F64", &format!("[{huge}]"), "[0,8]"), "which exceeds the address space"),
        (one("U8", &format!("[{root},{root}]"), "[0,8]"), "which exceeds the address space"),
        (one("U8", &format!("[0,{root},{root}]"), "[0,0]"), "which exceeds the address space"),
        (one("U8", &format!("[{}1]", "1,".repeat(64)), "[0,1]"), "more than 64 numbers"),
        (two("[0,4]", "[0,4]"), "begins at byte 0 of the data, but the data before it ends at 4"),
        (two("[0,4]", "[3,7]"), "there must be no gaps and no overlaps"),
        (two("[4,8]", "[4,8]"), "there must be no gaps and no overlaps"),
        (two(&format!("[{},0]", usize::MAX - 3), "[0,4]"), "which end before they begin"),
        (text(&"{\"x\":".repeat(300)), "has a damaged header"),
        (
            text(&format!("{{\"x\":{{\"y\":{}", "[".repeat(300))),
            "has a damaged header, at byte 317: EOF while parsing a list",
        ),
    ] {
        let found = why(modest(bytes.len(), || open(&bytes)));
        says(&found, expected);
        assert!(found.starts_with("<stream>: "), "{found}");
    }
    let mut latin = one("U8", "[8]", "[0,8]");
    latin[10] = 0xff;
    says(&why(open(&latin)), "has a damaged header, at byte");
    let seventeen = file(
        &format!(r#"{{"x":{{"dtype":"U8","shape":[{}8],"data_offsets":[0,8]}}}}"#, "1,".repeat(16)),
        &[0; 8],
    );
    says(&why(open(&seventeen).unwrap().get::<DynTensor>("x")), "ranks go up to 16");
    says(&why(open(&seventeen).unwrap().get::<Tensor<u8, Rank<16>>>("x")), "ranks go up to 16");
    let bytes = one("BOOL", "[8]", "[0,8]");
    let mut bad = bytes.clone();
    *bad.last_mut().unwrap() = 2;
    let expected = format!("is damaged: byte {} is 2, but a bool must be 0 or 1", bytes.len() - 1);
    says(&why(open(&bad).unwrap().get::<DynTensor>("x")), &expected);
    says(&why(open(&bad).unwrap().view::<bool, Rank<1>>("x")), &expected);
    assert_eq!(open(&bytes).unwrap().view::<bool, Rank<1>>("x").unwrap(), Tensor::full([8], false));
}

#[test]
fn errors_name_file_and_available_tensors() {
    let path = data("safetensors/reference.safetensors");
    let file = Safetensors::read(&path).unwrap();
    says(
        &why(file.get::<DynTensor>("y")),
        "reference.safetensors: has no tensor `y`; it has `bool_0`, `bool_1`",
    );
    says(&why(file.get::<DynTensor>("y")), "42 more");
    says(&why(Safetensors::read("no such file")), "no such file: cannot be read");
    says(&why(Safetensors::read(data("npz"))), "npz: cannot be read");
    // SAFETY: the file does not exist, so nothing is mapped.
    says(&why(unsafe { Safetensors::map("no such file") }), "no such file: cannot be read");
    // SAFETY: the file is part of the repository, and no test changes it while it is mapped.
    let error = why(unsafe { Safetensors::map(data("npz/make.py")) });
    says(&error, "make.py: is not a safetensors file: its header length is");
}

fn small() -> Vec<u8> {
    let (x, b) = (tensor![[1.5, 2.5], [3.5, 4.5]], tensor![true, false]);
    let mut bytes = Vec::new();
    let mut writer = SafetensorsWriter::new();
    writer.add("x", &x).unwrap().add("b", &b).unwrap().metadata("format", "pt");
    writer.write_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn truncated_or_extended_files_are_errors() {
    let mut bytes = small();
    for length in 0..bytes.len() {
        why(modest(length, || open(&bytes[..length])));
    }
    bytes.push(0);
    says(&why(open(&bytes)), "has data after the 34 bytes of its tensors");
}

/// A stream may be endless, so invalid contents must be rejected before its end.
#[test]
fn invalid_streams_are_rejected_before_their_end() {
    struct Endless<'a>(&'a [u8], u8);
    impl std::io::Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.0.is_empty() {
                buffer.fill(self.1);
                return Ok(buffer.len());
            }
            self.0.read(buffer)
        }
    }
    let small = small();
    for (start, byte, expected) in [
        (&[][..], 0, "begin with `{` at byte 8"),
        (&[][..], 0xff, "its header length is 18446744073709551615 bytes"),
        (&[9, 0, 0, 0, 0, 0, 0, 0][..], b'{', "has a damaged header, at byte 9"),
        (&small[..], 0, "has data after the 34 bytes of its tensors"),
    ] {
        says(&why(modest(1000, || Safetensors::read_from(Endless(start, byte)))), expected);
    }
}

/// If a file can be opened, asserts that it is consistent: each tensor that can be read has the shape in the header.
fn check(bytes: &[u8]) {
    let Ok(file) = modest(bytes.len(), || open(bytes)) else { return };
    for name in file.names() {
        if let Ok(x) = file.get::<DynTensor>(name) {
            assert_eq!(x.shape(), file.info(name).unwrap().shape());
        }
    }
}

#[test]
fn every_flipped_bit_is_an_error_or_consistent() {
    let mut bytes = small();
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        check(&bytes);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

proptest! {
    #[test]
    fn any_damage_is_an_error_or_consistent(
        name in prop::sample::select(vec!["reference", "lacking"]),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = fs::read(data(&format!("safetensors/{name}.safetensors"))).unwrap();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        check(&bytes);
        check(&bytes[..cut.index(bytes.len())]);
    }

    #[test]
    fn any_numbers_are_an_error_or_consistent(
        dtype in prop::sample::select(vec!["U8", "F64", "BOOL", "C64", "F4", "?"]),
        shape in prop::collection::vec(prop_oneof![0..5u64, any::<u64>(), Just(1 << 32), Just(1 << 60)], 0..5),
        offsets in prop::collection::vec(prop_oneof![0..20u64, any::<u64>()], 0..4),
        data in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        let header = format!(r#"{{"x":{{"dtype":"{dtype}","shape":{shape:?},"data_offsets":{offsets:?}}}}}"#);
        check(&file(&header, &data));
    }
}
