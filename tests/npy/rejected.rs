//! Tests of `.npy` files that must be rejected: files of another element type, memory order or rank than requested, and damaged or
//! hostile files. The reader must return an error with the reason. It must neither panic nor allocate much memory.

use super::*;

// ------------------------------------------------------------------ another type, order or rank than requested

#[test]
fn mismatched_order_type_or_rank_is_error_naming_fix() {
    let rows = bytes_of(made::<f64, Rank<2>, RowMajor>([3, 4]).view());
    let cols = bytes_of(made::<f64, Rank<2>, ColMajor>([3, 4]).view());
    let vector = bytes_of(made::<i32, Rank<1>, RowMajor>([3]).view());
    let complex = bytes_of(made::<c64, Rank<2>, RowMajor>([3, 4]).view());
    assert_eq!(
        why::<f64, Rank<2>, RowMajor>(&cols),
        "holds a column-major f64 tensor of shape [3, 4], not a row-major one; \
         read it as `Tensor<f64, Rank<2>, ColMajor>` and convert with `.to_order::<RowMajor>()`"
    );
    assert_eq!(
        why::<f64, Rank<2>, ColMajor>(&rows),
        "holds a row-major f64 tensor of shape [3, 4], not a column-major one; \
         read it as `Tensor<f64, Rank<2>>` and convert with `.to_order::<ColMajor>()`"
    );
    assert_eq!(
        why::<f32, Rank<2>, RowMajor>(&rows),
        "holds a row-major f64 tensor of shape [3, 4], not one of f32; \
         read it as `Tensor<f64, Rank<2>>` and convert with `.cast::<f32>()`"
    );
    assert_eq!(
        why::<f64, Rank<1>, RowMajor>(&rows),
        "holds a row-major f64 tensor of shape [3, 4], not one of rank 1; \
         read it as `Tensor<f64, Rank<2>>` and convert with `.flatten()`"
    );
    assert_eq!(
        why::<f32, Rank<3>, RowMajor>(&cols),
        "holds a column-major f64 tensor of shape [3, 4], not a row-major one of f32 and rank 3; \
         read it as `Tensor<f64, Rank<2>, ColMajor>` and convert with `.cast::<f32>()`, then \
         `.to_order::<RowMajor>()`, then `.reshape(..)`"
    );
    assert_eq!(
        why::<bool, Rank<2>, ColMajor>(&vector),
        "holds a column-major i32 tensor of shape [3], not one of bool and rank 2; \
         read it as `Tensor<i32, Rank<1>, ColMajor>` and convert with `.not_equal(0)`, then `.reshape(..)`"
    );
    let ways = |why: String| why.split(" and convert with ").nth(1).unwrap().to_owned();
    assert_eq!(ways(why::<f64, Rank<2>, RowMajor>(&complex)), "`.re()`, `.im()` or `.abs()`");
    assert_eq!(
        ways(why::<i8, Rank<2>, RowMajor>(&complex)),
        "`.re()`, `.im()` or `.abs()`, then `.cast::<i8>()`"
    );
    assert_eq!(ways(why::<c32, Rank<2>, RowMajor>(&complex)), "`.cast::<Complex<f32>>()`");
    assert_eq!(ways(why::<bool, Rank<2>, RowMajor>(&complex)), "`.not_equal(Complex::ZERO)`");
    assert_eq!(ways(why::<bool, Rank<2>, RowMajor>(&rows)), "`.not_equal(0.0)`");
}

#[test]
fn errors_name_the_file() {
    let path = data("i16_f_2");
    let error = Tensor::<i16, Rank<2>>::read_npy(&path).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: holds a column-major i16 tensor", path.display())), "{error}");
    let folder = Folder::new();
    let missing = folder.file("missing.npy");
    for error in [read_header(&missing).unwrap_err(), Tensor::<i16, Rank<2>>::read_npy(&missing).unwrap_err()]
    {
        assert!(
            error.to_string().starts_with(&format!("{}: cannot be read: ", missing.display())),
            "{error}"
        );
    }
    assert!(matches!(Tensor::<i16, Rank<2>>::read_npy(&folder.0), Err(Error::File { .. })));
}

#[test]
fn fixes_in_messages_work() {
    let path = data("i16_f_2");
    let x: Tensor<f64, Rank<1>> = Tensor::<i16, Rank<2>, ColMajor>::read_npy(path)
        .unwrap()
        .cast::<f64>()
        .to_order::<RowMajor>()
        .flatten();
    assert_eq!(x.as_slice(), values::<i16>(&[3, 4], true).into_iter().map(f64::from).collect::<Vec<_>>());
}

#[test]
fn unsupported_element_types_are_rejected() {
    for (name, descr) in [
        ("f16", "<f2"),
        ("f128", "<f16"),
        ("string", "<U3"),
        ("bytes", "|S3"),
        ("time", "<M8[D]"),
        ("object", "|O"),
        ("records", "[('a', '<f8'), ('b', '<i4', (2, 3))]"),
        ("nested", "[('a', [('b', [('c', '<i4')])])]"),
        ("void", "|V3"),
    ] {
        let path = data(&format!("refused_{name}"));
        let header = read_header(&path).unwrap();
        assert_eq!((header.dtype, &header.descr[..], header.shape.len()), (None, descr, 1));
        let message = format!("holds elements of the NumPy type `{descr}`, which tensors do not have");
        let bytes = fs::read(path).unwrap();
        assert!(why::<f64, Rank<1>, RowMajor>(&bytes).starts_with(&message));
        assert!(why::<i64, Rank<1>, RowMajor>(&bytes).starts_with(&message));
    }
    let deep = fs::read(data("rank_17")).unwrap();
    assert!(why::<f64, Rank<16>, RowMajor>(&deep).contains("ranks go up to 16"));
}

// ------------------------------------------------------------------ damaged files

#[test]
fn invalid_headers_are_errors() {
    let of = |descr, order, shape| plain(descr, order, shape, &[0; 64]);
    let shaped = |shape: &str| plain("'|u1'", "False", shape, &[0; 64]);
    let text = |text: &str| file(1, text, &[0; 64]);
    let deep = |open: &str, n: usize| text(&open.repeat(n));
    for (bytes, expected) in [
        (vec![], "is empty"),
        (b"PK\x03\x04".to_vec(), "zip archive"),
        (b"\x93NUMP".to_vec(), "is not an npy file"),
        (b"\x93NUMPY".to_vec(), "ends within its header"),
        (b"\x93NUMPY\x01".to_vec(), "ends within its header"),
        (b"\x93NUMPY\x01\x00\x80".to_vec(), "ends within its header"),
        (b"\x93NUMPY\x01\x00\x80\x00{".to_vec(), "ends within its header"),
        (b"\x93NUMPX\x01\x00\x00\x00".to_vec(), "is not an npy file"),
        (b"\x93NUMPY\x09\x09\x00\x00".to_vec(), "has version 9.9"),
        (b"\x93NUMPY\x01\x01\x00\x00".to_vec(), "has version 1.1"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(), "has a header of 4294967295 bytes"),
        (text(&" ".repeat(10_001)), "has a header of 10001 bytes"),
        (text(""), "has a header that ends where a value should be"),
        (text("[1]"), "it is not a dictionary"),
        (text("{}"), "it has no key 'descr'"),
        (text("{'descr': '<f8', 'fortran_order': False, }"), "it has no key 'shape'"),
        (text("{'descr': '<f8', 'shape': (), }"), "it has no key 'fortran_order'"),
        (text("{'fortran_order': False, 'shape': (), }"), "it has no key 'descr'"),
        (text("{'descr': '<f8', 'fortran_order': False, 'shape': (), } x"), "has `x` in its header"),
        (text("{'descr': '<f8"), "a string without an end"),
        (text("{'descr': '<f\\x38'}"), "has the character `\\\\`"),
        (text("{\x0b'descr': '<f8'}"), "has the character `\\u{b}`"),
        (text("{'descr': '<f8\n'}"), "a string without an end"),
        (text("{b'descr': '<f8'}"), "has `b` in its header"),
        (text("{'descr': '<f8', 'descr': ('<f8'}"), "has `}` in its header, where a `,` or `)` should be"),
        (text("{'descr': '<f8', 'descr': '<f8'}"), "it has the key 'descr' twice"),
        (
            text("{'descr': '<f8', 'fortran_order': False, 'shape': (), 'order': 'C'}"),
            "it has the unknown key 'order'",
        ),
        (
            text("{'descr': '<f8' 'shape': ()}"),
            "has `'shape': ()}` in its header, where a `,` or `}` should be",
        ),
        (text("{'descr' '<f8'}"), "where a `:` should be"),
        (text("{'descr': '<f8',"), "has a header that ends where a value should be"),
        (deep("[", 5000), "too many brackets"),
        (deep("{", 5000), "too many brackets"),
        (deep("(", 5000), "too many brackets"),
        (deep("{'a':", 33), "too many brackets"),
        (deep("]", 5000), "where a value should be"),
        (of("' f8'", "False", "(8,)"), "has the invalid header"),
        (of("'=float64'", "False", "(8,)"), "has the invalid header"),
        (of("'d8'", "False", "(8,)"), "has the invalid header"),
        (of("'<f3'", "False", "(8,)"), "has the invalid header"),
        (of("'!f8'", "False", "(8,)"), "has the invalid header"),
        (of("''", "False", "(8,)"), "has the invalid header"),
        (of("'<U99999999999999999999'", "False", "(8,)"), "has the invalid header"),
        (of("'<U9999999999999999999'", "False", "(8,)"), "has the invalid header"),
        (of("8", "False", "(8,)"), "its 'descr' is not a string or a list"),
        (of("'|u1'", "0", "(8,)"), "its 'fortran_order' is not `True` or `False`"),
        (of("'|u1'", "'True'", "(8,)"), "its 'fortran_order' is not"),
        (of("[('a', '<f8', (2**31,))]", "False", "(8,)"), "`2**31`"),
        (
            of(&format!("[('a', '<f8', ({}))]", "1,".repeat(3000)), "False", "(8,)"),
            "which tensors do not have",
        ),
        (of("[('a', '<f8', (9223372036854775808, 2))]", "False", "(8,)"), "which tensors do not have"),
        (shaped("8"), "its 'shape' is not a tuple"),
        (shaped("(-8,)"), "has `-8` in its header"),
        (shaped("(+8,)"), "has `+8` in its header"),
        (shaped("(08,)"), "has `08` in its header"),
        (shaped("(8.0,)"), "has `8.0` in its header"),
        (shaped("(1e1,)"), "has `1e1` in its header"),
        (shaped("(nan,)"), "has `nan` in its header"),
        (shaped("(0x8,)"), "has `0x8` in its header"),
        (shaped("(8j,)"), "has `8j` in its header"),
        (shaped("(L,)"), "has `L` in its header"),
        (shaped("('8',)"), "the extent of an axis is not an integer"),
        (shaped("(True,)"), "the extent of an axis is not an integer"),
        (shaped("((8,),)"), "the extent of an axis is not an integer"),
        (shaped("(18446744073709551616,)"), "has `18446744073709551616` in its header"),
        (shaped("(4294967296, 4294967296)"), "exceeds the address space"),
        (shaped("(0, 4294967296, 4294967296)"), "exceeds the address space"),
        (shaped(&format!("({})", "1,".repeat(65))), "it has too many axes"),
    ] {
        let found = why::<u8, Rank<1>, RowMajor>(&bytes);
        assert!(found.contains(expected), "{found:?} should contain {expected:?}");
        assert!(found.len() < 400, "{found:?}");
    }
    let mut latin = text("{'descr': '\u{e9}', 'fortran_order': False, 'shape': (8,), }");
    assert!(why::<u8, Rank<1>, RowMajor>(&latin).contains("has the invalid header"));
    let at = latin.iter().position(|&c| c == 0xc3).unwrap();
    latin[at + 1] = b'x';
    assert!(why::<u8, Rank<1>, RowMajor>(&latin).contains("has the invalid header"));
}

/// The parser of headers takes linear time, also for headers with many or deeply nested items.
#[test]
fn headers_are_parsed_in_linear_time() {
    let start = std::time::Instant::now();
    for open in ["[", "{", "("] {
        for fill in ["'a',", "True,", "[],", "{'a':True},"] {
            let text = open.repeat(30) + &fill.repeat(9900 / fill.len());
            why::<u8, Rank<1>, RowMajor>(&file(1, &text, &[]));
        }
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn data_of_the_wrong_length_are_errors() {
    let folder = Folder::new();
    let path = folder.file("cut.npy");
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Tensor::<f64, Rank<2>>::read_npy(&path).map_err(|error| match error {
            Error::File { reason, .. } => reason,
            other => panic!("{other}"),
        })
    };
    let mut bytes = bytes_of(made::<f64, Rank<2>, RowMajor>([3, 4]).view());
    for length in 0..bytes.len() {
        let (stream, file) =
            (why::<f64, Rank<2>, RowMajor>(&bytes[..length]), read(&bytes[..length]).unwrap_err());
        assert_eq!(stream, file);
    }
    assert_eq!(
        why::<f64, Rank<2>, RowMajor>(&bytes[..128 + 33]),
        "holds 33 bytes of data, fewer than the 96 bytes of a f64 tensor of shape [3, 4]"
    );
    bytes.push(0);
    assert_eq!(
        read(&bytes).unwrap_err(),
        "holds 97 bytes of data, more than the 96 bytes of a f64 tensor of shape [3, 4]"
    );
    // In a stream, more bytes may follow the array.
    assert!(Tensor::<f64, Rank<2>>::read_npy_from(&bytes[..]).is_ok());
}

#[test]
fn invalid_bool_bytes_are_errors() {
    for byte in 2..=255 {
        let bytes = plain("'|b1'", "False", "(3,)", &[0, 1, byte]);
        let (found, at) = (why::<bool, Rank<1>, RowMajor>(&bytes), bytes.len() - 1);
        assert_eq!(found, format!("is damaged: byte {at} is {byte}, but a bool must be 0 or 1"));
    }
}

#[test]
fn interrupted_and_failing_readers() {
    /// A reader that returns one byte per call. Before each byte, one call fails as interrupted.
    struct Slow<'a>(&'a [u8], bool);
    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let length = buffer.len().min(1);
            self.0.read(&mut buffer[..length])
        }
    }
    let x = made::<c32, Rank<3>, ColMajor>([2, 3, 4]);
    let bytes = bytes_of(x.view());
    assert_eq!(Tensor::read_npy_from(Slow(&bytes, false)), Ok(x));

    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the wire is cut"))
        }
    }
    for whole in [5, 60, 150] {
        let error =
            Tensor::<c32, Rank<3>, ColMajor>::read_npy_from(bytes[..whole].chain(Broken)).unwrap_err();
        assert_eq!(error.to_string(), "<stream>: cannot be read: the wire is cut");
    }
}

/// Returns the peak virtual memory of this process in bytes.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmPeak:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[test]
fn claimed_elements_are_not_allocated() {
    let Some(before) = peak() else {
        eprintln!("skipped: this system does not tell how much memory a process has had");
        return;
    };
    let folder = Folder::new();
    let path = folder.file("claim.npy");
    // Some shapes have more bytes of `f64` than the address space. All others fit in it, but have far more bytes than the file.
    let (claims, smallest) = match usize::BITS {
        64 => (["1152921504606846976", "8589934592", "65536, 65536, 4"], 8u64 << 30),
        _ => (["1610612736", "1073741824", "1024, 1024, 1024"], 1 << 30),
    };
    for extents in claims {
        for (descr, tag) in [("'|u1'", DType::U8), ("'<f8'", DType::F64)] {
            let bytes = plain(descr, "False", &format!("({extents},)"), &[0; 100]);
            fs::write(&path, &bytes).unwrap();
            assert_eq!(read_header(&path).unwrap().dtype, Some(tag));
            macro_rules! check {
                ($t:ty, $rank:literal) => {{
                    why::<$t, Rank<$rank>, RowMajor>(&bytes);
                    let error = Tensor::<$t, Rank<$rank>>::read_npy(&path).unwrap_err();
                    assert!(matches!(error, Error::File { .. }), "{error}");
                }};
            }
            match (tag, extents.contains(' ')) {
                (DType::U8, false) => check!(u8, 1),
                (DType::U8, true) => check!(u8, 3),
                (_, false) => check!(f64, 1),
                (_, true) => check!(f64, 3),
            }
        }
    }
    // The limit is far above the memory of other tests that run at the same time, and below the smallest claimed size.
    let grown = peak().unwrap() - before;
    assert!(grown < smallest / 2, "{grown} bytes");
}

// ------------------------------------------------------------------ any damage

/// If the bytes can be read as a tensor, asserts that its elements are those in the bytes.
fn check_read(bytes: &[u8]) {
    if let Ok(x) = Tensor::<i32, Rank<2>, ColMajor>::read_npy_from(bytes) {
        let length = match bytes[6] {
            1 => 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]])),
            _ => 12 + u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize,
        };
        let (header, data) = bytes.split_at(length);
        let big = header.windows(3).any(|word| word == b">i4");
        let ints = data.chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]);
        let ints = ints.map(|c| if big { i32::from_be_bytes(c) } else { i32::from_le_bytes(c) });
        assert_eq!(x.as_slice(), ints.take(x.len()).collect::<Vec<_>>());
        let header = String::from_utf8(header[10..].to_vec()).unwrap().replace(['L', ' '], "");
        assert!(header.contains(&format!("({},{}", x.shape()[0], x.shape()[1])), "{header}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn flipped_bits_never_panic(
        name in prop::sample::select(vec!["i32_f_2", "i32_big", "version_2", "refused_records", "refused_object"]),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8u32), 1..5),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = fs::read(data(name)).unwrap();
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        check_read(&bytes);
        check_read(&bytes[..cut.index(bytes.len())]);
    }

    #[test]
    fn any_bytes_never_panic(version in 1..4u8, text in ".{0,200}", data in prop::collection::vec(any::<u8>(), 0..64)) {
        check_read(&file(version, &text, &data));
        check_read(&data);
    }

    #[test]
    fn any_words_never_panic(
        words in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "(", ")", "[", "]", ",", ":", " ", "\n", "\\", "'", "\"", "'descr'", "'shape'", "'fortran_order'",
            "'<i4'", "'>i4'", "True", "False", "None", "0", "3", "4L", "-1", "1.5", "1e400", "0x1", "1j", "b''", "é",
            "18446744073709551615", "18446744073709551616", "'''", "\\N{x}", "'a','<f8'", "(1,2)",
        ]), 0..40),
    ) {
        check_read(&file(1, &words.concat(), &[1; 64]));
    }

    #[test]
    fn any_shape_and_type_never_panic(
        descr in "([<>|=]?[a-zA-Z?][0-9]{0,3}(\\[[a-z]+\\])?)|<i4|>i4",
        order in prop::sample::select(vec!["True", "False"]),
        shape in prop::collection::vec(prop_oneof![0..5u64, any::<u64>(), Just(1 << 32), Just(1 << 60)], 0..5),
    ) {
        let shape = shape.iter().map(|extent| format!("{extent}, ")).collect::<String>();
        check_read(&plain(&format!("'{descr}'"), order, &format!("({shape})"), &[7; 100]));
    }
}

// ------------------------------------------------------------------ writing

#[test]
fn writers_may_fail() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("no room"))?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            if self.0 == 0 { Err(io::Error::other("no room")) } else { Ok(()) }
        }
    }
    let x = made::<f32, Rank<2>, RowMajor>([3, 4]);
    for room in [0, 128, 175, 176] {
        let error = x.write_npy_to(Full(room)).unwrap_err();
        assert_eq!(error.to_string(), "<stream>: cannot be written: no room");
    }
    assert!(x.write_npy_to(Full(177)).is_ok());
}

#[test]
fn failed_write_leaves_no_file() {
    let folder = Folder::new();
    let x = made::<f32, Rank<2>, RowMajor>([3, 4]);
    let too_long = folder.file(&"x".repeat(300));
    let no_folder = folder.file("no").join("folder.npy");
    for path in [too_long, no_folder, folder.0.clone()] {
        let error = x.write_npy(&path).unwrap_err();
        assert!(
            error.to_string().starts_with(&format!("{}: cannot be written: ", path.display())),
            "{error}"
        );
    }
    assert!(x.write_npy("").is_err());
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn readers_see_old_or_new_file_while_writing() {
    let folder = Folder::new();
    let path = folder.file("x.npy");
    let of = |value: i64| Tensor::<i64, _>::full([1 << 16], value);
    of(0).write_npy(&path).unwrap();
    std::thread::scope(|scope| {
        for value in [1, 2] {
            let path = &path;
            scope.spawn(move || (0..10).for_each(|_| of(value).write_npy(path).unwrap()));
        }
        for _ in 0..50 {
            let x = Tensor::<i64, Rank<1>>::read_npy(&path).unwrap();
            assert!(x.iter().all(|&value| value == x[[0]]));
        }
    });
    assert_eq!(folder.names(), ["x.npy"]);
}

#[cfg(unix)]
#[test]
fn links_permissions_and_pipes_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let (path, link) = (folder.file("x.npy"), folder.file("link.npy"));
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&path, &link).unwrap();
    let x = made::<f32, Rank<2>, RowMajor>([3, 4]);
    x.write_npy(&link).unwrap();
    assert_eq!(fs::read(&path).unwrap(), bytes_of(x.view()));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    x.write_npy("/dev/null").unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());

    // The test writes through a chain of two links to a missing file, and through two links that refer to each other.
    let [first, second, missing] = ["first.npy", "second.npy", "missing.npy"].map(|name| folder.file(name));
    symlink("second.npy", &first).unwrap();
    symlink("missing.npy", &second).unwrap();
    x.write_npy(&first).unwrap();
    assert_eq!(fs::read(&missing).unwrap(), bytes_of(x.view()));
    assert!([&first, &second].iter().all(|link| fs::symlink_metadata(link).unwrap().is_symlink()));
    assert!(fs::symlink_metadata(&missing).unwrap().is_file());
    let [there, back] = ["there.npy", "back.npy"].map(|name| folder.file(name));
    symlink("back.npy", &there).unwrap();
    symlink("there.npy", &back).unwrap();
    let error = x.write_npy(&there).unwrap_err().to_string();
    assert!(
        error.ends_with("there.npy: cannot be written: too many symbolic links lead to each other"),
        "{error}"
    );
    assert!([&there, &back].iter().all(|link| fs::symlink_metadata(link).unwrap().is_symlink()));
}
