//! Tests of CSV files: golden files that Python wrote (`data/csv/make.py`), round trips of all element types, line ends and quotes,
//! options, errors with their line and column, and hostile text.

use super::golden::Folder;
use super::memory::modest;
use super::{data, says, why};
use std::fmt::Debug;
use std::io::{self, Read};
use vierbein::io::csv::{Categories, CsvElement, CsvReader, CsvWriter};
use vierbein::prelude::*;
use vierbein::{DType, DynTensor, Error, MemoryOrder};

type Matrix<T, O = RowMajor> = Tensor<T, Rank<2>, O>;

const NAMES: [&str; 4] = ["plain", "with, comma", "with \"quotes\"", "two\nlines"];

fn read<T: CsvElement>(text: &str) -> Result<(Vec<String>, Matrix<T>), Error> {
    CsvReader::new().read_from(text.as_bytes())
}

/// Reads text without a header.
fn rows<T: CsvElement>(text: &str) -> Result<Matrix<T>, Error> {
    CsvReader::new().no_header().read_from(text.as_bytes()).map(|(_, x)| x)
}

/// Returns the bits of each element, with one pattern for all NaN.
fn bits<O: Order>(x: &Matrix<f64, O>) -> Vec<u64> {
    let bits = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    x.to_order::<RowMajor>().into_vec().into_iter().map(bits).collect()
}

// ------------------------------------------------------------------ golden files

fn check_golden<O: Order>(name: &str, reader: &CsvReader, names: &[&str]) {
    let expected = Matrix::<f64>::read_npy(data(&format!("csv/{name}.npy"))).unwrap();
    let path = data(&format!("csv/{name}.csv"));
    let (found, x) = reader.read::<Matrix<f64, O>>(&path).unwrap();
    assert_eq!((found, x.shape()), (names.iter().map(|name| name.to_string()).collect(), expected.shape()));
    assert_eq!(bits(&x), bits(&expected), "{name}");
    let (_, erased) = reader.read_dyn(&path, DType::F64).unwrap();
    assert_eq!(bits(&erased.downcast::<f64, Rank<2>, RowMajor, Cpu>().unwrap()), bits(&expected), "{name}");
}

#[test]
fn golden_files_are_read_as_python_reads_them() {
    check_golden::<RowMajor>("numbers", &CsvReader::new(), &["a", "b", "c", "d", "e", "f"]);
    check_golden::<ColMajor>("numbers", &CsvReader::new(), &["a", "b", "c", "d", "e", "f"]);
    check_golden::<RowMajor>("quoted", &CsvReader::new(), &NAMES);
    check_golden::<ColMajor>("byte_order_mark", CsvReader::new().delimiter(b';'), &["größe", "b", "c", "d"]);
    check_golden::<RowMajor>("savetxt", CsvReader::new().delimiter(b' ').no_header(), &[]);
}

#[test]
fn integers_and_names_are_written_as_python_writes_them() {
    let x = Matrix::<i64>::read_npy(data("csv/integers.npy")).unwrap();
    let golden = std::fs::read(data("csv/integers.csv")).unwrap();
    let mut text = Vec::new();
    x.write_csv_to(&mut text, &NAMES).unwrap();
    assert_eq!(text, golden);
    let (names, read) = Matrix::<i64>::read_csv(data("csv/integers.csv")).unwrap();
    assert_eq!((names, read), (NAMES.map(str::to_owned).to_vec(), x));
}

/// Reads numbers of any length and scale. The expected values come from the standard library's parser, which the CSV reader does not
/// use.
#[test]
fn numbers_are_read_as_by_the_standard_library() {
    let mut state = 12345u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut texts = Vec::new();
    for _ in 0..20_000 {
        let digits = 1 + random(25);
        let mut text: String =
            (0..digits).map(|_| char::from(b'0' + u8::try_from(random(10)).unwrap())).collect();
        if random(2) == 0 {
            text.insert(random(digits + 1) as usize, '.');
        }
        if random(2) == 0 {
            text += &format!("e{}", random(700) as i64 - 350);
        }
        texts.push(if random(2) == 0 { format!("-{text}") } else { text });
    }
    let all = texts.join("\n");
    let (double, single) = (rows::<f64>(&all).unwrap(), rows::<f32>(&all).unwrap());
    for (k, text) in texts.iter().enumerate() {
        assert_eq!(double[[k, 0]].to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        assert_eq!(single[[k, 0]].to_bits(), text.parse::<f32>().unwrap().to_bits(), "{text}");
    }
}

// ------------------------------------------------------------------ round trips

/// Writes the matrix in both memory orders, as a transposed and as a reversed view, typed and dynamic. Reads it again.
fn check_round_trip<T: CsvElement>(x: &Matrix<T>, equal: fn(&T, &T) -> bool) {
    let names: Vec<String> = (0..x.shape()[1]).map(|k| format!("x{k}")).collect();
    let mut first = Vec::new();
    x.write_csv_to(&mut first, &names).unwrap();
    let text = |write: &dyn Fn(&mut Vec<u8>) -> Result<(), Error>| {
        let mut text = Vec::new();
        write(&mut text).unwrap();
        assert!(text == first);
    };
    let by_columns = x.to_order::<ColMajor>();
    let reversed = x.slice(s![..;-1, ..;-1]).to_owned();
    text(&|to| by_columns.write_csv_to(to, &names));
    text(&|to| x.t().to_owned().t().write_csv_to(to, &names));
    text(&|to| reversed.slice(s![..;-1, ..;-1]).write_csv_to(to, &names));
    text(&|to| DynTensor::from(x.clone()).write_csv_to(to, &names));
    text(&|to| DynTensor::from(by_columns.clone()).write_csv_to(to, &names));
    text(&|to| DynTensor::from(x.clone()).flip_order().to_owned()?.flip_order().write_csv_to(to, &names));
    let (found, read) = Matrix::<T>::read_csv_from(&first[..]).unwrap();
    let same = |found: &Matrix<T>| {
        assert_eq!(found.shape(), x.shape());
        for (found, x) in found.iter().zip(x.iter()) {
            assert!(equal(found, x), "{found:?}, not {x:?}");
        }
    };
    assert_eq!(found, names);
    same(&read);
    let (found, read) = Matrix::<T, ColMajor>::read_csv_from(&first[..]).unwrap();
    assert_eq!(found, names);
    same(&read.to_order());
    let (found, read) = DynTensor::read_csv_from(&first[..], T::DTYPE).unwrap();
    assert_eq!((found, read.order()), (names, MemoryOrder::RowMajor));
    same(&read.downcast().unwrap());
}

fn check_integers<T: CsvElement + RealScalar>() {
    let some = [T::LOWEST, T::HIGHEST, T::from_f64(0.0), T::from_f64(7.0), T::from_f64(100.0)];
    check_round_trip(&Tensor::from_fn([5, 3], |[i, j]| some[(i + 2 * j) % 5]), T::eq);
}

#[test]
fn elements_round_trip() {
    check_integers::<i8>();
    check_integers::<i16>();
    check_integers::<i32>();
    check_integers::<i64>();
    check_integers::<u8>();
    check_integers::<u16>();
    check_integers::<u32>();
    check_integers::<u64>();
    check_round_trip(&Tensor::from_fn([4, 3], |[i, j]| (i + j) % 3 == 0), bool::eq);
    let special = [
        0.0,
        -0.0,
        1.0,
        0.1,
        -1.5e-7,
        1e16,
        1e300,
        5e-324,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        0.1 + 0.2,
        123456789.125,
    ];
    let same = |a: &f64, b: &f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    check_round_trip(&Tensor::from_fn([15, 2], |[i, j]| special[(i + 7 * j) % 15]), same);
    // A matrix with a single column: a row whose only value is missing must not be read as an empty line.
    check_round_trip(
        &Tensor::from_fn([15, 1], |[i, _]| if i % 2 == 0 { f64::NAN } else { special[i] }),
        same,
    );
    let single = |a: &f32, b: &f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    check_round_trip(&Tensor::from_fn([15, 2], |[i, j]| special[(i + 7 * j) % 15] as f32), single);
}

/// Matrices are copied and written in parts. A row can be longer than a part.
#[test]
fn large_matrices_round_trip() {
    for shape in [[0, 3], [1, 1], [3, 40_000], [40_000, 1], [257, 129]] {
        check_round_trip(&Tensor::from_fn(shape, |[i, j]| (i * 100_000 + j) as u32), u32::eq);
    }
}

#[test]
fn names_round_trip() {
    let mut folder = Folder::new();
    let path = folder.file("x.csv");
    let names = ["", " ", "a b", "ü", "\u{feff}", "\r\n", "\"", "'", ";", "# a"];
    for delimiter in [b',', b';', b'\t', b' ', b'|', b'\''] {
        let x = Matrix::<u8>::from_fn([2, 10], |[i, j]| (i + j) as u8);
        CsvWriter::new().delimiter(delimiter).header(names).write(&path, &x).unwrap();
        let (found, read) = CsvReader::new().delimiter(delimiter).read::<Matrix<u8>>(&path).unwrap();
        assert_eq!((found.iter().map(|name| &name[..]).collect::<Vec<_>>(), read), (names.to_vec(), x));
    }
    let (column, mut text) = (tensor![[1], [2]], Vec::new());
    column.write_csv_to(&mut text, &[""]).unwrap();
    assert_eq!(read::<i32>(str::from_utf8(&text).unwrap()), Ok((vec![String::new()], column)));
    assert_eq!(folder.names(), ["x.csv"]);
    folder = Folder::new();
    assert!(folder.names().is_empty());
}

// ------------------------------------------------------------------ text

/// A reader that returns few bytes per call and reports interruptions.
struct Slow<'a>(&'a [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.1 += 1;
        if self.1.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = (1 + self.1 % 2).min(self.0.len()).min(to.len());
        self.0.read(&mut to[..count])
    }
}

#[test]
fn line_ends_quotes_and_spaces_are_read() {
    let expected = Ok((vec!["a".to_owned(), "b".to_owned()], tensor![[1, 2], [3, 4]]));
    for text in [
        "a,b\n1,2\n3,4\n",
        "a,b\n1,2\n3,4",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\r1,2\r3,4\r",
        "\n\na,b\n\r\n1,2\n\n\r\r3,4\n\n\n",
        "\u{feff}a,b\n1,2\n3,4\n",
        "\"a\",\"b\"\n\"1\",2\n3,\"4\"\n",
        "a,b\n 1 ,\t2\n3,+4 \n",
    ] {
        assert_eq!(read(text), expected, "{text:?}");
        assert_eq!(Matrix::<i32>::read_csv_from(Slow(text.as_bytes(), 0)), expected, "{text:?}");
    }
    assert_eq!(rows::<u8>(""), Ok(Tensor::zeros([0, 0])));
    assert_eq!(rows::<u8>("\n\r\n"), Ok(Tensor::zeros([0, 0])));
    assert_eq!(read::<u8>("a,b\n").unwrap().1.shape(), [0, 2]);
    assert!(rows::<f64>("\"\"\n").unwrap()[[0, 0]].is_nan());
}

#[test]
fn options_select_columns_and_missing_values() {
    let text = "id,x,y\nA,1,2\nB,3,4\n";
    let chosen = |reader: &CsvReader| reader.read_from::<Matrix<i32>>(text.as_bytes());
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let both = Ok((names(&["y", "x"]), tensor![[2, 1], [4, 3]]));
    assert_eq!(chosen(CsvReader::new().columns(["y", "x"])), both);
    assert_eq!(chosen(CsvReader::new().columns([-1, 1])), both);
    assert_eq!(chosen(CsvReader::new().columns([2usize, 1])), both);
    let list = names(&["y", "x"]);
    assert_eq!(chosen(CsvReader::new().columns(&list)), both);
    assert_eq!(chosen(CsvReader::new().columns(list)), both);
    let twice = Ok((names(&["x", "x"]), tensor![[1, 1], [3, 3]]));
    assert_eq!(chosen(CsvReader::new().columns(["x", "x"])), twice);
    let none: [&str; 0] = [];
    assert_eq!(chosen(CsvReader::new().columns(none)).unwrap().1.shape(), [2, 0]);

    let missing = |texts: &[&str], text: &str| {
        let (_, x): (_, Matrix<f64>) =
            CsvReader::new().no_header().missing(texts).read_from(text.as_bytes())?;
        Ok::<_, Error>(x.is_nan().into_vec())
    };
    assert_eq!(missing(&["-999", "?"], "1,-999\n?,-999.0\n"), Ok(vec![false, true, true, false]));
    // `nan` is a number, whatever the texts of missing values are.
    assert_eq!(missing(&[], "nan,1\n"), Ok(vec![true, false]));
    says(&why(missing(&[], "1,\n")), "line 1, column 2: `` is not a number (`f64`)");
    says(&why(missing(&["-"], "NA\n")), "line 1, column 1: `NA` is not a number (`f64`)");
}

/// The number of rows of [`long_text`]: enough that the reader splits the text into parts for several threads.
const LONG: usize = 100_000;

fn long_row(i: usize) -> [f64; 3] {
    let x = i as f64;
    [x, if i % 500 == 3 { f64::NAN } else { -x / 8.0 }, 1.0 / (x + 1.0)]
}

/// Returns the text of rows of three numbers. Some rows have quotes, spaces or missing values, or are followed by empty lines. All kinds
/// of line ends occur.
fn long_text() -> String {
    let mut text = "a,b,c\n".to_owned();
    for i in 0..LONG {
        let [a, b, c] = long_row(i);
        let b = if b.is_nan() { "NA".to_owned() } else { b.to_string() };
        let line_end = ["\n", "\r\n", "\r"][i / 7000 % 3];
        text += &match i % 1000 {
            7 => format!("\"{a}\n\",{b},\"{c}\"{line_end}"),
            107 => format!(" {a},{b}\t,+{c}{line_end}"),
            207 => format!("{a},{b},{c:e}{line_end}\n\r\n\r{line_end}"),
            _ => format!("{a},{b},{c}{line_end}"),
        };
    }
    text
}

/// Runs `f` outside of any thread pool and in pools of one and of three threads.
fn on_threads(f: impl Fn() + Sync) {
    f();
    for threads in [1, 3] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&f);
    }
}

/// A reader that fills different fractions of the caller's buffers, but at least three quarters.
struct Parts<'a>(&'a [u8], usize);

impl Read for Parts<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.1 += 1;
        let count = (to.len() - self.1 * 7919 % (to.len() / 4 + 1)).min(self.0.len());
        self.0.read(&mut to[..count])
    }
}

#[test]
fn long_files_are_read_on_several_threads() {
    let text = long_text();
    assert!(text.len() > 3 << 20);
    let folder = Folder::new();
    let path = folder.file("x.csv");
    std::fs::write(&path, &text).unwrap();
    let expected = bits(&Matrix::<f64>::from_fn([LONG, 3], |[i, j]| long_row(i)[j]));
    on_threads(|| {
        let (names, x) = Matrix::<f64>::read_csv(&path).unwrap();
        assert_eq!(names, ["a", "b", "c"]);
        assert!(bits(&x) == expected);
        assert!(bits(&Matrix::<f64>::read_csv_from(Parts(text.as_bytes(), 0)).unwrap().1) == expected);
    });
}

/// The beginning of a row can be longer than the first buffer of the reader.
#[test]
fn long_rows_are_read_on_several_threads() {
    let element = |i: usize, j: usize| ((12_345 * i + j) % 60_000) as u16;
    let x = Matrix::<u16>::from_fn([25, 40_000], |[i, j]| element(i, j));
    let folder = Folder::new();
    let path = folder.file("x.csv");
    x.write_csv(&path, &Vec::from_iter((0..40_000).map(|j| j.to_string()))).unwrap();
    let text = std::fs::read(&path).unwrap();
    assert!(text.len() > 5 << 20);
    on_threads(|| {
        assert!(Matrix::<u16>::read_csv(&path).unwrap().1 == x);
        assert!(Matrix::<u16>::read_csv_from(Parts(&text, 0)).unwrap().1 == x);
    });
}

/// A reader that fails after its text.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() { Err(io::Error::other("the disk is gone")) } else { self.0.read(to) }
    }
}

#[test]
fn errors_of_readers_are_returned_at_any_length() {
    let text = long_text();
    on_threads(|| {
        for len in [0, 1, 100_000, 1 << 20, 3 << 20, text.len()] {
            let error = why(Matrix::<f64>::read_csv_from(Failing(&text.as_bytes()[..len])));
            assert_eq!(error, "<stream>: cannot be read: the disk is gone", "{len}");
        }
    });
}

/// The error names the first wrong row, for any number of threads.
#[test]
fn errors_in_long_files_name_the_first_wrong_line() {
    let text = long_text();
    let lines = |text: &str| 1 + text.replace("\r\n", "\n").replace('\r', "\n").matches('\n').count();
    let middle = text.find("\n63001,").unwrap() + 1;
    let (before, after) = text.split_at(middle);
    let error =
        |wrong: &str| why(Matrix::<f64>::read_csv_from(format!("{before}{wrong}{after}3,4\n").as_bytes()));
    let at = |text: &str| format!("<stream>: line {}", lines(text));
    on_threads(|| {
        assert_eq!(
            why(Matrix::<f64>::read_csv_from(format!("{text}1,2,x\n").as_bytes())),
            format!("{}, column 3 (`c`): `x` is not a number (`f64`)", at(&text))
        );
        assert_eq!(error(""), format!("{}: has 2 fields, but line 1 has 3", at(&text)));
        assert_eq!(error("1\n"), format!("{}: has 1 field, but line 1 has 3", at(before)));
        assert_eq!(error("1,2,3,4\n"), format!("{}: has 4 fields, but line 1 has 3", at(before)));
        assert_eq!(
            error("1,1e,3\nx\n"),
            format!("{}, column 2 (`b`): `1e` is not a number (`f64`)", at(before))
        );
        // The rows after the quote are part of the field, until the next quote.
        says(&error("1,2,\"3\n"), &format!("{}, column 3 (`c`): `3\u{fffd}63001,", at(before)));
    });
}

// ------------------------------------------------------------------ errors

#[track_caller]
fn fails<V: Debug>(result: Result<V, Error>, message: &str) {
    assert_eq!(why(result), format!("<stream>: {message}"));
}

#[test]
fn errors_name_line_and_column() {
    let number = "is not a number (`f64`)";
    fails(read::<f64>("mass,x\n1,2\n\n3,heavy\n"), &format!("line 4, column 2 (`x`): `heavy` {number}"));
    fails(rows::<f64>("1,2\r\n3,4\r\n5,6 kg\r\n"), &format!("line 3, column 2: `6 kg` {number}"));
    fails(rows::<f64>("1\r2\r\r3,\r"), "line 4: has 2 fields, but line 1 has 1");
    fails(
        read::<f64>("\"a\nb\r\nc\"\n1\n\"x\ny\"\n"),
        &format!("line 5, column 1 (`a\u{fffd}b\u{fffd}\u{fffd}c`): `x\u{fffd}y` {number}"),
    );
    // Line numbers count all line ends in quoted fields: two in the header, three in the row.
    fails(
        read::<f64>("\"a\rb\r\nc\"\n\"1\r\n\n\r\"\rx\n"),
        &format!("line 8, column 1 (`a\u{fffd}b\u{fffd}\u{fffd}c`): `x` {number}"),
    );
    fails(read::<f64>("a,b\n1,2\n3\n"), "line 3: has 1 field, but line 1 has 2");
    fails(read::<f64>("\n\na,b\n1,2,3\n"), "line 4: has 3 fields, but line 3 has 2");
    // A quote that is never closed: the last field ends with the file.
    fails(read::<f64>("a,b\n1,\"2\n3,4\n"), &format!("line 2, column 2 (`b`): `2\u{fffd}3,4` {number}"));
    fails(rows::<f64>("1,5;2\n"), &format!("line 1, column 2: `5;2` {number}"));
    fails(rows::<f64>("0x10\n"), &format!("line 1, column 1: `0x10` {number}"));
    fails(rows::<f32>("1e\n"), "line 1, column 1: `1e` is not a number (`f32`)");
    fails(rows::<i32>("1.0\n"), "line 1, column 1: `1.0` is not an integer (`i32`)");
    fails(rows::<i32>("1\n\u{0661}\n"), "line 2, column 1: `\u{0661}` is not an integer (`i32`)");
    fails(rows::<u8>("1,256\n"), "line 1, column 2: `256` is out of range for `u8` (0 to 255)");
    fails(rows::<i8>("-129\n"), "line 1, column 1: `-129` is out of range for `i8` (-128 to 127)");
    fails(rows::<u64>("-1\n"), "line 1, column 1: `-1` is not an integer (`u64`)");
    fails(rows::<bool>("true\n2\n"), "line 2, column 1: `2` is not a `bool` (`true`, `false`, `1` or `0`)");
    for text in ["", "NA", "N/A", "NaN", "nan", "null"] {
        let reason = "is a missing value, which `i64` does not have; read `f64`, in which it is NaN, or leave the column out";
        fails(rows::<i64>(&format!("1,2\n3,{text}\n")), &format!("line 2, column 2: `{text}` {reason}"));
    }
    fails(read::<f64>(""), "is empty, but a header was expected; call `no_header` to read files without one");
    let bytes = |text: &[u8]| Matrix::<f64>::read_csv_from(text);
    fails(bytes(b"a,\xff\n1,2\n"), "line 1, column 2: the name `\u{fffd}` is not UTF-8 text");
    fails(bytes(b"a,b\n1,\xff\n"), &format!("line 2, column 2 (`b`): `\u{fffd}` {number}"));
    fails(bytes(b"\xff\xfea\0,\0b\0"), "is UTF-16 text; save it as UTF-8");
    let long = format!("a\n{}\n", "x".repeat(5000));
    fails(read::<f64>(&long), &format!("line 2, column 1 (`a`): `{}..` {number}", "x".repeat(100)));
    let folder = Folder::new();
    let path = folder.file("no.csv");
    says(&why(Matrix::<f64>::read_csv(&path)), "no.csv: cannot be read: ");
    std::fs::write(&path, "a\nb\n").unwrap();
    says(&why(Matrix::<f64>::read_csv(&path)), "no.csv: line 2, column 1 (`a`): `b` is not a number (`f64`)");
    says(
        &why(DynTensor::read_csv(&path, DType::U8)),
        "no.csv: line 2, column 1 (`a`): `b` is not an integer (`u8`)",
    );
}

#[test]
fn wrong_options_are_errors() {
    let of = |reader: &CsvReader, text: &str| reader.read_from::<Matrix<f64>>(text.as_bytes());
    fails(of(CsvReader::new().columns(["z"]), "x,y\n"), "has no column `z`; it has `x`, `y`");
    fails(
        of(CsvReader::new().columns(["x"]), "x,x\n"),
        "has several columns `x`; choose one by its index, such as 0 or 1",
    );
    let index = "it has 2 columns, and indices count from 0";
    fails(of(CsvReader::new().columns([2]), "x,y\n"), &format!("has no column of index 2; {index}"));
    fails(of(CsvReader::new().columns([-3]), "x,y\n"), &format!("has no column of index -3; {index}"));
    let single = "has no column of index 1; it has 1 column, and indices count from 0";
    fails(of(CsvReader::new().columns([1]), "x\n"), single);
    fails(
        of(CsvReader::new().no_header().columns(["x"]), "1,2\n"),
        "is read without a header, so it has no column `x`; choose columns by their indices",
    );
    let argument = |result: Result<(), Error>, reason: &str| match result {
        Err(error @ Error::Argument { .. }) => says(&error.to_string(), reason),
        other => panic!("{other:?}"),
    };
    for delimiter in [b'1', b'e', b'N', b'.', b'+', b'-', b'"', b'\n', b'\r', 0xe9] {
        let shown = delimiter.escape_ascii();
        let (mut reader, mut writer) = (CsvReader::new(), CsvWriter::new());
        let (reader, writer) = (reader.delimiter(delimiter), writer.delimiter(delimiter));
        let reason = |op: &str| format!("cannot {op} CSV: the delimiter `{shown}` could be part of a field");
        argument(of(reader, "").map(drop), &reason("read"));
        argument(reader.read_dyn_from(&b""[..], DType::F64).map(drop), &reason("read"));
        argument(writer.write_to(Vec::new(), &tensor![[1]]), &reason("write"));
    }
    let x = Matrix::<f64>::zeros([2, 3]);
    let mut text = Vec::new();
    argument(
        x.write_csv_to(&mut text, &["a"]),
        "a matrix of shape [2, 3] has 3 columns, but the header has 1 name",
    );
    argument(
        Matrix::<f64>::zeros([2, 0]).write_csv_to::<&str>(&mut text, &[]),
        "a matrix of shape [2, 0] has no columns",
    );
    let vector = DynTensor::from(tensor![1, 2]).write_csv_to(&mut text, &["a"]).unwrap_err();
    assert_eq!(
        vector.to_string(),
        "write CSV: expected a matrix, found a tensor of shape [2]; reshape it to rank 2 first"
    );
    let complex = DynTensor::zeros(&[1, 1], DType::C64, MemoryOrder::RowMajor).unwrap();
    let message = "`Complex<f64>` has two numbers per element, which CSV files do not; \
                   read or write `.re()` and `.im()` as two matrices";
    assert_eq!(
        complex.write_csv_to(&mut text, &["a"]).unwrap_err().to_string(),
        format!("write CSV: {message}")
    );
    let read = DynTensor::read_csv_from(&b"a\n1\n"[..], DType::C64).unwrap_err();
    assert_eq!(read.to_string(), format!("read CSV: {message}"));
    assert!(text.is_empty());
}

/// While hostile text is read, the allocated memory is proportional to the length of the text.
#[test]
fn hostile_text_takes_little_memory() {
    let commas = ",".repeat(1 << 16);
    let lines = "1\n".repeat(1 << 16);
    let quote = format!("\"{}", "\"\"\n".repeat(1 << 16));
    for text in [&commas, &lines, &quote] {
        // Each byte of text yields at most one field. For a field, the reader stores an element, an end and an index, of eight bytes
        // each, and a name of 24 bytes. Buffers double when they grow.
        let _ = modest(8 * text.len(), || rows::<f64>(text));
        let _ = modest(8 * text.len(), || read::<f64>(text));
    }
    says(&why(rows::<f64>(&format!("1\n{commas}"))), "line 2: has 65537 fields, but line 1 has 1");
}

/// The expected codes and labels are those of `pandas.factorize`: see `data/csv/make.py`.
#[test]
fn categories_are_those_of_pandas() {
    let codes = Matrix::<i64>::read_npy(data("csv/categories.npy")).unwrap();
    let mut labels = vec![Vec::new(); 3];
    let (_, written) = CsvReader::new().no_header().read_text(data("csv/labels.csv")).unwrap();
    for (column, label) in written[0].iter().zip(&written[1]) {
        labels[column.parse::<usize>().unwrap()].push(label.clone());
    }
    assert!(labels.iter().all(|labels| labels.len() > 3));
    let path = data("csv/categories.csv");
    let (names, columns) = CsvReader::new().read_categories(&path).unwrap();
    assert_eq!(names, ["city", "größe", "number"]);
    for (k, column) in columns.iter().enumerate() {
        assert_eq!((&column.labels, &column.codes), (&labels[k], &codes.index_axis(1, k).to_owned()));
    }
    let text = std::fs::read(&path).unwrap();
    assert_eq!(CsvReader::new().read_categories_from(&text[..]).unwrap(), (names, columns.clone()));
    let (names, chosen) = CsvReader::new().columns([-1, 0]).read_categories(&path).unwrap();
    assert_eq!(names, ["number", "city"]);
    assert_eq!(chosen, [columns[2].clone(), columns[0].clone()]);
}

#[test]
fn categories_of_missing_values_have_the_code_after_the_labels() {
    let read = |reader: &CsvReader, text: &str| {
        let (_, columns) = reader.read_categories_from(text.as_bytes()).unwrap();
        let of = |column: &Categories| (column.codes.to_vec(), column.labels.clone());
        columns.iter().map(of).collect::<Vec<_>>()
    };
    let strings = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let text = "a,b\nx,NA\n, nan \n x,NA\nx,\n";
    assert_eq!(
        read(&CsvReader::new(), text),
        [(vec![1, 2, 0, 1], strings(&[" x", "x"])), (vec![0, 0, 0, 0], vec![])]
    );
    let nothing: [&str; 0] = [];
    assert_eq!(
        read(CsvReader::new().missing(nothing), text),
        [(vec![2, 0, 1, 2], strings(&["", " x", "x"])), (vec![2, 1, 2, 0], strings(&["", " nan ", "NA"]))]
    );
    assert_eq!(read(CsvReader::new().missing(["x"]), "a\nx\ny\n"), [(vec![1, 0], strings(&["y"]))]);
    assert_eq!(read(&CsvReader::new(), "a\n"), [(vec![], vec![])]);
    assert_eq!(read(CsvReader::new().no_header(), ""), []);
    // Positions of missing values are errors, not the last label.
    let (_, columns) = CsvReader::new().read_categories_from("a\nx\n\"\"\ny\n".as_bytes()).unwrap();
    assert!(Tensor::<f64, _>::zeros([2]).try_scatter_add(0, &columns[0].codes, Tensor::scalar(1.0)).is_err());
    let why = |text: &[u8]| CsvReader::new().read_categories_from(text).unwrap_err().to_string();
    says(&why(b"a,b\nx\n"), "line 2: has 1 field, but line 1 has 2");
    says(&why(b"a,b\nx,y\nx,\xff\n"), "line 3, column 2: the text `\u{fffd}` is not UTF-8 text");
    says(&why(b""), "is empty, but a header was expected");
}

/// Columns of text have the fields as they are in the file, except that quotes around a field are removed, and that two quotes inside of
/// a quoted field are read as one.
#[test]
fn columns_of_text_are_read() {
    let text = "city,mass,\"\"\n\"Rome, Italy\",1,a\n Oslo ,,\"b\n\"\"c\"\"\"\n";
    let read = |reader: &CsvReader, text: &[u8]| reader.read_text_from(text);
    let (names, columns) = read(&CsvReader::new(), text.as_bytes()).unwrap();
    assert_eq!(names, ["city", "mass", ""]);
    assert_eq!(columns, [["Rome, Italy", " Oslo "], ["1", ""], ["a", "b\n\"c\""]]);
    let (names, columns) = read(CsvReader::new().columns([-1, 0]), text.as_bytes()).unwrap();
    assert_eq!(names, ["", "city"]);
    assert_eq!(columns, [["a", "b\n\"c\""], ["Rome, Italy", " Oslo "]]);
    let folder = Folder::new();
    let path = folder.file("x.csv");
    std::fs::write(&path, text).unwrap();
    assert_eq!(CsvReader::new().read_text(&path).unwrap(), read(&CsvReader::new(), text.as_bytes()).unwrap());
    // A file without rows has columns without elements; an empty file without a header has no columns.
    let none: [&[&str]; 2] = [&[], &[]];
    assert_eq!(read(&CsvReader::new(), b"a,b\n").unwrap().1, none);
    assert_eq!(read(CsvReader::new().no_header(), b"").unwrap().1.len(), 0);
    let why = |text: &[u8]| read(&CsvReader::new(), text).unwrap_err().to_string();
    says(&why(b"a,b\nx\n"), "line 2: has 1 field, but line 1 has 2");
    says(&why(b"a,b\nx,\xff\n"), "line 2, column 2: the text `\u{fffd}` is not UTF-8 text");
    says(&why(b""), "is empty, but a header was expected");
}
