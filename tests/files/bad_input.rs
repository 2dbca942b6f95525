//! The table of bad input for the features `npz`, `safetensors`, `csv` and `serde`. The hazards (kinds of bad input) and the reference
//! implementation are those of `tests/bad_input`. The list of public items comes from rustdoc, built with these features.
//!
//! A tensor that is read must equal the written tensor bit for bit. Tensors with too many elements for a file must be rejected
//! before anything is written.

// This table uses only a part of the shared modules, so warnings about dead code are disabled.
#[allow(dead_code)]
#[path = "../bad_input/array.rs"]
mod array;
#[allow(dead_code, unused_macros, unused_imports)]
#[path = "../bad_input/driver.rs"]
mod driver;
#[allow(dead_code)]
#[path = "../bad_input/hazards.rs"]
mod hazards;
#[allow(dead_code)]
#[path = "../bad_input/operand.rs"]
mod operand;
#[path = "../bad_input/public.rs"]
mod public;
#[allow(dead_code, unused_macros, unused_imports)]
#[path = "../bad_input/ranks.rs"]
mod ranks;

use super::memory::modest;
use array::{Array, Outcome, reject};
use driver::{ByHand, Done, Hazard, Hazard::*, Row, done};
use hazards::one;
use operand::{Operand, Place, ToArray};
use ranks::at_rank;
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use std::io::Cursor;
use std::path::PathBuf;
use vierbein::dyn_tensor::SliceItem;
use vierbein::io::csv::{Column, CsvReader, CsvWriter};
use vierbein::io::npz::{Npz, NpzWriter};
use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
use vierbein::prelude::*;
use vierbein::{DType, DynTensor, DynView, Error, MemoryOrder};

#[test]
fn every_public_function() {
    let rows = vec![npz(), safetensors(), csv(), erased_csv(), serialised(), erased()];
    let public = || {
        let (without, with) = public::functions(&[]).zip(public::functions(&public::formats()))?;
        Some(with.difference(&without).cloned().collect())
    };
    driver::check(rows, public, &[]);
}

/// Returns a row of the bad-input table: a round trip for each operand, and the hand-written outcomes `wrong` for invalid calls.
fn round_trips(
    names: &'static [&'static str],
    run: fn(&[Operand]) -> Option<Done>,
    expected: fn(&Operand) -> Outcome,
    wrong: fn() -> Vec<(Done, Outcome)>,
) -> Row {
    Row::by_hand(names, "", move |hazard: Hazard| -> ByHand {
        if hazard == WrongShape {
            return Ok(wrong());
        }
        if names.iter().any(|name| name.contains("csv")) && matches!(hazard, Rank0 | Rank16) {
            return Err("a table has rank 2");
        }
        // With 32-bit pointers, no view is too large for a file. The test omits huge operands there, because it would write 2 GiB
        // for each.
        let operands = one(hazard).into_iter().filter(|o| usize::BITS > 32 || !endless(&o[0]));
        let outcomes = operands.filter_map(|o| Some((run(&o)?, expected(&o[0]))));
        Ok(outcomes.collect())
    })
}

/// Returns the expected result of a round trip: the same elements, or an error if there are more than a file can contain.
fn same_or_rejected(o: &Operand) -> Outcome {
    if endless(o) { reject("File") } else { Ok(o.array()) }
}

fn endless(o: &Operand) -> bool {
    o.is_huge() && !o.shape.contains(&0)
}

/// Asserts that the elements that were read have the same bits as those of the operand.
#[track_caller]
fn assert_same(found: &impl ToArray, o: &Operand) {
    let (found, expected) = (found.array(), o.array());
    assert_eq!(found.shape, expected.shape);
    let bits = |x: Array| x.data.into_iter().map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(found), bits(expected));
}

/// If `result` is an error, asserts that its text contains `words`. Returns `result`.
#[track_caller]
fn saying<V>(words: &str, result: Result<V, Error>) -> Result<V, Error> {
    if let Err(error) = &result {
        super::says(&error.to_string(), words);
    }
    result
}

/// Returns the path of a temporary file, after removing the file if it exists.
fn file(name: &str) -> PathBuf {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    path
}

/// Returns a buffer that is large enough for everything that these tests write.
fn room() -> Vec<u8> {
    vec![0; 1 << 16]
}

/// Asserts that `error` is that of a failed write to a stream, and that nothing was written to the stream's buffer `room`.
#[track_caller]
fn assert_rejected(error: &Error, room: &[u8]) {
    assert!(error.to_string().starts_with("<stream>: cannot be written: "), "{error}");
    assert!(room.iter().all(|&byte| byte == 0), "something was written");
}

// ------------------------------------------------------------------ archives

fn npz() -> Row {
    round_trips(
        &[
            "io::npz::Npz::get",
            "io::npz::Npz::header",
            "io::npz::Npz::names",
            "io::npz::Npz::new",
            "io::npz::Npz::open",
            "io::npz::NpzWriter::add",
            "io::npz::NpzWriter::compressed",
            "io::npz::NpzWriter::new",
            "io::npz::NpzWriter::push",
            "io::npz::NpzWriter::write",
            "io::npz::NpzWriter::write_to",
        ],
        |o| at_rank!(o, x: view, [0 1 2 16], done!(try modest(0, || through_npz(x, &o[0])))),
        same_or_rejected,
        wrong_npz,
    )
}

/// Writes an archive that contains a tensor twice, and reads it again. Does so for stored and compressed archives in a stream, and
/// for a file.
fn through_npz<D: Dim>(x: &TensorView<'_, f64, D>, o: &Operand) -> Result<Tensor<f64, D>, Error> {
    let path = file("bad_input.npz");
    let mut archive = NpzWriter::new();
    archive.push(x)?.add("x", x)?;
    for compressed in [false, true] {
        if compressed {
            archive.compressed();
        }
        let mut room = room();
        let mut stream = Cursor::new(&mut room[..]);
        match archive.write_to(&mut stream) {
            Err(error) => {
                assert_rejected(&error, &room);
                let rejected = saying("bad_input.npz: cannot be written: ", archive.write(&path));
                assert!(!path.exists());
                return rejected.map(|()| unreachable!("the stream rejected it"));
            }
            Ok(()) => {
                let end = stream.position() as usize;
                let mut read = Npz::new(Cursor::new(&room[..end]))?;
                assert_eq!(read.names().collect::<Vec<_>>(), ["arr_0", "x"]);
                let header = read.header("x")?;
                assert_eq!((&header.descr[..], &header.shape[..]), ("<f8", &o.shape[..]));
                assert_same(&read.get::<Tensor<f64, D>>("arr_0")?, o);
                assert_same(&read.get::<Tensor<f64, D>>("x")?, o);
            }
        }
    }
    archive.write(&path)?;
    let read: Tensor<f64, D> = Npz::open(&path)?.get("x")?;
    assert_same(&read, o);
    Ok(read)
}

/// Returns the outcomes for a wrong rank, type, memory order or name, a missing file, a file of another format, and invalid names.
fn wrong_npz() -> Vec<(Done, Outcome)> {
    let x = Operand::contiguous(&[2, 3]);
    let path = file("bad_input_wrong.npz");
    NpzWriter::new()
        .add("x", &x.view::<2>())
        .and_then(|archive| archive.write(&path))
        .expect("it is written");
    let missing = file("bad_input_missing.npz");
    let text = file("bad_input_text.npz");
    std::fs::write(&text, "no archive").expect("the folder is there");
    type Matrix<T, O = RowMajor> = Tensor<T, Rank<2>, O>;
    let open = || Npz::open(&path);
    let entry = "bad_input_wrong.npz, entry `x`: holds a row-major f64 tensor of shape [2, 3], not ";
    let of = |what: &str| format!("{entry}{what}");
    let none = "bad_input_wrong.npz: has no entry `y`; it has `x`";
    let add = |names: &[&str]| {
        let vector = x.view::<2>();
        let mut archive = NpzWriter::new();
        names.iter().try_for_each(|name| archive.add(name, &vector).map(drop))?;
        archive.push(&vector).map(drop)
    };
    let file_error = |done: Done| (done, reject("File"));
    let argument = |done: Done| (done, reject("Argument"));
    vec![
        (done!(try open()?.get::<Matrix<f64>>("x")), Ok(x.array())),
        file_error(done!(try saying(&of("one of rank 1;"), open()?.get::<Tensor<f64, Rank<1>>>("x")))),
        file_error(done!(try saying(&of("one of f32;"), open()?.get::<Matrix<f32>>("x")))),
        file_error(done!(try saying(&of("a column-major one;"), open()?.get::<Matrix<f64, ColMajor>>("x")))),
        file_error(done!(try saying(none, open()?.get::<Matrix<f64>>("y")))),
        file_error(done!(try saying(none, open()?.header("y").map(|_| 0.0)))),
        file_error(
            done!(try saying("bad_input_missing.npz: cannot be read", Npz::open(&missing).map(|_| 0.0))),
        ),
        file_error(done!(try saying("bad_input_text.npz: ", Npz::open(&text).map(|_| 0.0)))),
        file_error(done!(try saying("<stream>: ", Npz::new(Cursor::new(b"no archive")).map(|_| 0.0)))),
        argument(done!(try saying("the name `x` is taken", add(&["x", "x"]).map(|()| 0.0)))),
        argument(done!(try saying("the name `` could be", add(&[""]).map(|()| 0.0)))),
        argument(done!(try saying("the name `../x` could be", add(&["../x"]).map(|()| 0.0)))),
        argument(done!(try saying("the name `arr_0` is taken", add(&["arr_0"]).map(|()| 0.0)))),
    ]
}

// ------------------------------------------------------------------ safetensors

fn safetensors() -> Row {
    round_trips(
        &[
            "io::safetensors::Info::dtype",
            "io::safetensors::Info::dtype_name",
            "io::safetensors::Info::shape",
            "io::safetensors::Safetensors::get",
            "io::safetensors::Safetensors::info",
            "io::safetensors::Safetensors::map",
            "io::safetensors::Safetensors::metadata",
            "io::safetensors::Safetensors::names",
            "io::safetensors::Safetensors::read",
            "io::safetensors::Safetensors::read_from",
            "io::safetensors::Safetensors::view",
            "io::safetensors::SafetensorsWriter::add",
            "io::safetensors::SafetensorsWriter::metadata",
            "io::safetensors::SafetensorsWriter::new",
            "io::safetensors::SafetensorsWriter::write",
            "io::safetensors::SafetensorsWriter::write_to",
        ],
        |o| at_rank!(o, x: view, [0 1 2 16], done!(try modest(0, || through_safetensors(x, &o[0])))),
        same_or_rejected,
        wrong_safetensors,
    )
}

/// Writes a file that has the tensor under three names, and returns the tensor that is read from it. For the largest views, the total size
/// overflows 64 bits.
fn through_safetensors<D: Dim>(x: &TensorView<'_, f64, D>, o: &Operand) -> Result<Tensor<f64, D>, Error> {
    let path = file("bad_input.safetensors");
    let mut writer = SafetensorsWriter::new();
    writer.add("x", x)?.add("y", x)?.add("z", x)?.metadata("of", "bad input");
    let mut room = room();
    let mut rest = &mut room[..];
    if let Err(error) = writer.write_to(&mut rest) {
        assert_rejected(&error, &room);
        let rejected = saying("bad_input.safetensors: cannot be written: ", writer.write(&path));
        assert!(!path.exists());
        return rejected.map(|()| unreachable!("the stream rejected it"));
    }
    writer.write(&path)?;
    // SAFETY: only this test accesses the file, and it is not changed while it is mapped.
    let mapped = unsafe { Safetensors::map(&path)? };
    for read in [
        Safetensors::read_from(&room[..std::fs::metadata(&path).expect("it was written").len() as usize])?,
        Safetensors::read(&path)?,
        mapped,
    ] {
        assert_eq!(read.names().collect::<Vec<_>>(), ["x", "y", "z"]);
        assert_eq!(read.metadata()["of"], "bad input");
        let info = read.info("y")?;
        assert_eq!((info.dtype(), info.dtype_name(), info.shape()), (Some(DType::F64), "F64", &o.shape[..]));
        for name in ["x", "y", "z"] {
            if let Some(view) = super::viewed::<f64, D>(&read, name) {
                assert_same(&view, o);
            }
            assert_same(&read.get::<Tensor<f64, D>>(name)?, o);
        }
    }
    Safetensors::read(&path)?.get("x")
}

/// Returns the outcomes for a wrong rank, type or name, a missing file, a file of another format, and names and tensors that the
/// format does not support.
fn wrong_safetensors() -> Vec<(Done, Outcome)> {
    let x = Operand::contiguous(&[2, 3]);
    let path = file("bad_input_wrong.safetensors");
    SafetensorsWriter::new()
        .add("x", &x.view::<2>())
        .and_then(|file| file.write(&path))
        .expect("it is written");
    let missing = file("bad_input_missing.safetensors");
    let text = file("bad_input_text.safetensors");
    std::fs::write(&text, "no tensors").expect("the folder is there");
    type Matrix<T, O = RowMajor> = Tensor<T, Rank<2>, O>;
    let read = Safetensors::read(&path).expect("it was written");
    let tensor =
        "bad_input_wrong.safetensors, tensor `x`: holds a row-major f64 tensor of shape [2, 3], not ";
    let of = |what: &str| format!("{tensor}{what}");
    let none = "bad_input_wrong.safetensors: has no tensor `y`; it has `x`";
    let add = |names: &[&str]| {
        let matrix = x.view::<2>();
        let mut file = SafetensorsWriter::new();
        names.iter().try_for_each(|name| file.add(name, &matrix).map(drop))
    };
    let columns = DynTensor::from(x.view::<2>().to_order::<ColMajor>());
    // The header exceeds its maximum size, because each of these characters becomes 6 bytes (`\u0001`). So nothing is written.
    let wordy = || {
        let mut written = Vec::new();
        let mut file = SafetensorsWriter::new();
        let rejected = file.metadata("of", &"\u{1}".repeat(17_000_000)).write_to(&mut written);
        assert!(written.is_empty());
        rejected.map(|()| 0.0)
    };
    // SAFETY: one path has no file, and the file at the other path is no safetensors file. So the call returns an error, and no
    // view of the mapped bytes exists afterwards.
    let map = |path: &PathBuf| unsafe { Safetensors::map(path) }.map(|_| 0.0);
    let file_error = |done: Done| (done, reject("File"));
    let argument = |done: Done| (done, reject("Argument"));
    vec![
        (
            done!(try read.view::<f64, Rank<2>>("x")),
            if cfg!(target_endian = "big") { reject("File") } else { Ok(x.array()) },
        ),
        file_error(done!(try saying(&of("one of rank 1;"), read.get::<Tensor<f64, Rank<1>>>("x")))),
        file_error(done!(try saying(&of("one of rank 1;"), read.view::<f64, Rank<1>>("x")))),
        file_error(done!(try saying(&of("one of f32;"), read.get::<Matrix<f32>>("x")))),
        file_error(done!(try saying(&of("one of f32;"), read.view::<f32, Rank<2>>("x")))),
        file_error(done!(try saying(&of("a column-major one;"), read.get::<Matrix<f64, ColMajor>>("x")))),
        file_error(done!(try saying(none, read.get::<Matrix<f64>>("y")))),
        file_error(done!(try saying(none, read.view::<f64, Rank<2>>("y")))),
        file_error(done!(try saying(none, read.info("y").map(|_| 0.0)))),
        file_error(
            done!(try saying("bad_input_missing.safetensors: ", Safetensors::read(&missing).map(|_| 0.0))),
        ),
        file_error(done!(try saying("bad_input_missing.safetensors: ", map(&missing)))),
        file_error(done!(try saying("bad_input_text.safetensors: ", Safetensors::read(&text).map(|_| 0.0)))),
        file_error(done!(try saying("bad_input_text.safetensors: ", map(&text)))),
        file_error(done!(try saying("<stream>: ", Safetensors::read_from(&b"no tensors"[..]).map(|_| 0.0)))),
        argument(done!(try saying("the name `x` is taken", add(&["x", "x"]).map(|()| 0.0)))),
        argument(done!(try saying("the name `__metadata__` is", add(&["__metadata__"]).map(|()| 0.0)))),
        file_error(done!(try saying("exceeds the maximum of 100000000", wordy()))),
        argument(
            done!(try saying("`x` is column-major", SafetensorsWriter::new().add("x", &columns).map(|_| 0.0))),
        ),
    ]
}

// ------------------------------------------------------------------ CSV

fn csv() -> Row {
    round_trips(
        &[
            "io::csv::CsvReader::columns",
            "io::csv::CsvReader::delimiter",
            "io::csv::CsvReader::missing",
            "io::csv::CsvReader::new",
            "io::csv::CsvReader::no_header",
            "io::csv::CsvReader::read",
            "io::csv::CsvReader::read_categories",
            "io::csv::CsvReader::read_categories_from",
            "io::csv::CsvReader::read_from",
            "io::csv::CsvReader::read_text",
            "io::csv::CsvReader::read_text_from",
            "io::csv::CsvWriter::delimiter",
            "io::csv::CsvWriter::header",
            "io::csv::CsvWriter::new",
            "io::csv::CsvWriter::write",
            "io::csv::CsvWriter::write_to",
            "read_csv",
            "read_csv_from",
            "write_csv",
            "write_csv_to",
        ],
        |o| at_rank!(o, x: view, [2], done!(try modest(0, || through_csv(x, &o[0])))),
        same_table_or_rejected,
        wrong_csv,
    )
}

fn erased_csv() -> Row {
    round_trips(
        &[
            "dyn_tensor::DynTensor::read_csv",
            "dyn_tensor::DynTensor::read_csv_from",
            "dyn_tensor::DynTensor::write_csv",
            "dyn_tensor::DynTensor::write_csv_to",
            "io::csv::CsvReader::read_dyn",
            "io::csv::CsvReader::read_dyn_from",
        ],
        |o| {
            if o[0].rank() == 2 {
                with_erased(&o[0], |x| done!(try modest(0, || through_erased_csv(&x, &o[0]))))
            } else {
                None
            }
        },
        same_table_or_rejected,
        wrong_erased_csv,
    )
}

/// Maximum number of names that the tests write.
const MAX_NAMES: usize = 100;

/// Returns the expected result of a round trip. A matrix without columns is rejected. A matrix without rows is rejected if it has more
/// than [`MAX_NAMES`] columns, because the number of names must be the number of columns. Otherwise see [`same_or_rejected`].
fn same_table_or_rejected(o: &Operand) -> Outcome {
    let columns = o.shape[1];
    if columns == 0 || o.shape[0] == 0 && columns > MAX_NAMES {
        reject("Argument")
    } else {
        same_or_rejected(o)
    }
}

fn column_names(o: &Operand) -> Vec<String> {
    (0..o.shape[1].min(MAX_NAMES)).map(|k| format!("x{k}")).collect()
}

/// Writes a matrix with a header and without, and reads both again.
fn through_csv(x: &TensorView<'_, f64, Rank<2>>, o: &Operand) -> Result<Tensor<f64, Rank<2>>, Error> {
    let path = file("bad_input.csv");
    let names = column_names(o);
    let mut room = room();
    if let Err(error) = CsvWriter::new().delimiter(b';').write_to(&mut room[..], x) {
        assert!(room.iter().all(|&byte| byte == 0), "something was written");
        assert_eq!(CsvWriter::new().write(&path, x).is_err(), !path.exists());
        return Err(error);
    }
    let end = room.iter().position(|&byte| byte == 0).expect("a text");
    let (none, read) =
        CsvReader::new().no_header().delimiter(b';').read_from::<Tensor<f64, Rank<2>>>(&room[..end])?;
    assert!(none.is_empty());
    // Without a header, a matrix without rows is an empty file, from which its number of columns cannot be read.
    if o.shape[0] > 0 {
        assert_same(&read, o);
    }
    x.write_csv(&path, &names)?;
    for (found, read) in [Tensor::read_csv(&path)?, CsvReader::new().read(&path)?] {
        assert_eq!(found, names);
        assert_same(&read, o);
        let _: Tensor<f64, Rank<2>> = read;
    }
    let mut text = Vec::new();
    x.write_csv_to(&mut text, &names)?;
    let (found, read) = Tensor::<f64, Rank<2>>::read_csv_from(&text[..])?;
    assert_eq!(found, names);
    Ok(read)
}

fn through_erased_csv(x: &DynView<'_>, o: &Operand) -> Result<DynTensor, Error> {
    let path = file("bad_input_erased.csv");
    let names = column_names(o);
    let mut room = room();
    if let Err(error) = CsvWriter::new().write_to(&mut room[..], x) {
        assert!(room.iter().all(|&byte| byte == 0), "something was written");
        return Err(error);
    }
    x.write_csv(&path, &names)?;
    let mut text = Vec::new();
    x.write_csv_to(&mut text, &names)?;
    for (found, read) in [
        DynTensor::read_csv(&path, DType::F64)?,
        DynTensor::read_csv_from(&text[..], DType::F64)?,
        CsvReader::new().read_dyn(&path, DType::F64)?,
    ] {
        assert_eq!(found, names);
        assert_same(&read, o);
    }
    CsvReader::new().read_dyn_from(&text[..], DType::F64).map(|(_, x)| x)
}

/// Returns the outcomes for invalid text, columns, delimiters and headers, and for a missing file.
fn wrong_csv() -> Vec<(Done, Outcome)> {
    type Matrix = Tensor<f64, Rank<2>>;
    let x = Operand::contiguous(&[2, 3]);
    let missing = file("bad_input_missing.csv");
    let read = |text: &str| Matrix::read_csv_from(text.as_bytes()).map(|(_, x)| x);
    let column = |column: Column| {
        CsvReader::new().columns([column]).read_from::<Matrix>(&b"a,b\n1,2\n"[..]).map(|(_, x)| x)
    };
    let minus =
        || CsvReader::new().delimiter(b'-').missing(["-"]).read_from::<Matrix>(&b"a\n"[..]).map(|(_, x)| x);
    let write = |names: &[&str]| x.view::<2>().write_csv_to(Vec::new(), names).map(|()| 0.0);
    let file_error = |done: Done| (done, reject("File"));
    let argument = |done: Done| (done, reject("Argument"));
    vec![
        (done!(try column(Column::from("b"))), Ok(Array::from_fn(&[1, 1], |_| 2.0))),
        file_error(done!(try saying("<stream>: is empty", read("")))),
        file_error(done!(try saying("line 2: has 1 field, but line 1 has 2", read("a,b\n1\n")))),
        file_error(
            done!(try saying("line 3, column 2 (`b`): `x` is not a number (`f64`)", read("a,b\n1,2\n3,x\n"))),
        ),
        file_error(done!(try saying("has no column `c`; it has `a`, `b`", column(Column::from("c"))))),
        file_error(done!(try saying("has no column of index 2", column(Column::from(2))))),
        file_error(
            done!(try saying("has no column of index -3", column(Column::from(isize::MIN)).or(column(Column::from(-3))))),
        ),
        file_error(
            done!(try saying("bad_input_missing.csv: cannot be read", Matrix::read_csv(&missing).map(|(_, x)| x))),
        ),
        argument(done!(try saying("cannot read CSV: the delimiter `-`", minus()))),
        argument(done!(try saying("has 3 columns, but the header has 2 names", write(&["a", "b"])))),
    ]
}

/// Returns the outcomes for element types and ranks that a CSV table does not support.
fn wrong_erased_csv() -> Vec<(Done, Outcome)> {
    let zeros =
        |shape: &[usize], dtype| DynTensor::zeros(shape, dtype, MemoryOrder::RowMajor).expect("few zeros");
    let write = |shape: &[usize], dtype| zeros(shape, dtype).write_csv_to(Vec::new(), &["a"]).map(|()| 0.0);
    let read = |dtype| DynTensor::read_csv_from(&b"a\nx\n"[..], dtype).map(|(_, x)| x);
    vec![
        (
            done!(try saying("write CSV: expected a matrix", write(&[1], DType::F64))),
            reject("UnsupportedRank"),
        ),
        (
            done!(try saying("write CSV: expected a matrix", write(&[], DType::F64))),
            reject("UnsupportedRank"),
        ),
        (
            done!(try saying("write CSV: `Complex<f64>` has two", write(&[1, 1], DType::C64))),
            reject("UnsupportedDType"),
        ),
        (done!(try saying("read CSV: `Complex<f32>` has two", read(DType::C32))), reject("UnsupportedDType")),
        (done!(try saying("line 2, column 1 (`a`): `x` is not a `bool`", read(DType::Bool))), reject("File")),
        (done!(try saying("line 2, column 1 (`a`): `x` is not an integer", read(DType::I8))), reject("File")),
    ]
}

// ------------------------------------------------------------------ serde

/// Converts an error of a serde format to the error of a file.
fn of_format(error: impl std::fmt::Display) -> Error {
    Error::File { path: "<stream>".into(), reason: error.to_string() }
}

fn serialised() -> Row {
    round_trips(
        &["serialize", "deserialize"],
        |o| at_rank!(o, x: view, [0 1 2 16], done!(try modest(0, || through_serde(x, &o[0], same_type(x))))),
        same_or_rejected,
        wrong_serde,
    )
}

fn erased() -> Row {
    round_trips(
        &["dyn_tensor::DynTensor::serialize", "dyn_tensor::DynTensor::deserialize"],
        |o| with_erased(&o[0], |x| done!(try modest(0, || through_serde::<_, DynTensor>(&x, &o[0], None)))),
        same_or_rejected,
        wrong_serde,
    )
}

/// Returns `None`. Its type tells [`through_serde`] which type to read: the type of the owned tensor with the rank of the view.
fn same_type<D: Dim>(_: &TensorView<'_, f64, D>) -> Option<Tensor<f64, D>> {
    None
}

/// Writes a tensor in a binary and in a text format, and reads it again as type `Y`. The text format supports neither NaN nor
/// infinities.
fn through_serde<X: Serialize, Y: DeserializeOwned + ToArray>(
    x: &X,
    o: &Operand,
    _: Option<Y>,
) -> Result<Y, Error> {
    let (mut binary, mut text) = (room(), room());
    let mut rest = (&mut text[..], &mut binary[..]);
    let written = serde_json::to_writer(&mut rest.0, x).map_err(of_format);
    let written_binary = serde_bare::to_writer(&mut rest.1, x).map_err(of_format);
    let (room_left, binary_room_left) = (rest.0.len(), rest.1.len());
    assert_eq!(written.is_err(), written_binary.is_err());
    written?;
    let read: Y = serde_bare::from_slice(&binary[..binary.len() - binary_room_left]).map_err(of_format)?;
    assert_same(&read, o);
    let text = &text[..text.len() - room_left];
    match serde_json::from_slice::<Y>(text) {
        Ok(read) => assert_same(&read, o),
        Err(error) => {
            assert!(o.floats.iter().any(|x| !x.is_finite()), "{error}");
            super::says(&error.to_string(), "invalid type: null, expected f64");
        }
    }
    Ok(read)
}

/// Calls `f` with a dynamic view that has the operand's elements and layout. Returns `None` for `Place::Windows`: dynamic views
/// with overlapping rows are not tested here.
fn with_erased(o: &Operand, f: impl FnOnce(DynView<'_>) -> Done) -> Option<Done> {
    let make = |shape: &[usize]| {
        DynTensor::from_vec(shape, o.floats.clone(), MemoryOrder::RowMajor).expect("it holds its shape")
    };
    match o.place {
        Place::Contiguous => Some(f(make(&o.shape).view())),
        Place::Reversed => {
            let backwards = SliceItem::Span { start: 0, end: None, inclusive: false, step: -1 };
            Some(f(make(&o.shape).slice(vec![backwards; o.rank()]).expect("each axis")))
        }
        Place::Repeated(axes) => {
            Some(f(make(&o.shape[o.rank() - axes..]).broadcast_to(&o.shape).expect("a shape of a view")))
        }
        Place::Windows => None,
    }
}

impl ToArray for DynTensor {
    fn array(&self) -> Array {
        let element = |index: &[usize]| self.get(index).expect("in the shape").get::<f64>().expect("an f64");
        Array::from_fn(self.shape(), element)
    }
}

/// Returns the outcomes for a wrong rank or type, and for wrong fields.
fn wrong_serde() -> Vec<(Done, Outcome)> {
    fn read<Y: DeserializeOwned>(text: &str) -> Result<Y, Error> {
        serde_json::from_str(text).map_err(of_format)
    }
    type Matrix<T, O = RowMajor> = Tensor<T, Rank<2>, O>;
    let x = Operand::contiguous(&[2, 3]);
    let text = &serde_json::to_string(&x.view::<2>()).expect("it is finite");
    let short = &text.replace("[2,3]", "[2,4]");
    let long = &text.replace("[2,3]", "[2,1]");
    let rejected = |done: Done| (done, reject("File"));
    let of = |what: &str| format!("the data holds a row-major f64 tensor of shape [2, 3], not {what}");
    vec![
        (done!(try read::<Matrix<f64>>(text)), Ok(x.array())),
        (done!(try read::<DynTensor>(text)), Ok(x.array())),
        rejected(done!(try saying(&of("one of rank 1;"), read::<Tensor<f64, Rank<1>>>(text)))),
        rejected(done!(try saying(&of("one of f32;"), read::<Matrix<f32>>(text)))),
        rejected(done!(try saying(&of("a column-major one;"), read::<Matrix<f64, ColMajor>>(text)))),
        rejected(done!(try saying("6 elements, fewer than the 8", read::<Matrix<f64>>(short)))),
        rejected(done!(try saying("6 elements, fewer than the 8", read::<DynTensor>(short)))),
        rejected(done!(try saying("more than the 2 elements", read::<Matrix<f64>>(long)))),
        rejected(done!(try saying("more than the 2 elements", read::<DynTensor>(long)))),
    ]
}
