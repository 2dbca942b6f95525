//! Rows of the bad-input table (see `bad_input/mod.rs`): functions that write and read NumPy's `.npy` files.

use super::array::{Array, copy, reject};
use super::driver::{ByHand, Call, Done, Hazard, Hazard::*, Row};
use super::golden::Folder;
use super::operand::ToArray;
use super::{at_rank, done, elementwise::ONE};
use vierbein::prelude::*;

/// Size of the stream's buffer in bytes.
const STREAM: usize = 1 << 10;

/// Returns two rows of the bad-input table: one writes to a file and to a stream and reads both again, the other reads headers.
pub(crate) fn rows() -> [Row; 2] {
    let good = Call {
        names: &["read_npy", "read_npy_from", "write_npy", "write_npy_to"],
        run: |o, _| {
            at_rank!(o, x: view, [0 1 2 16], done!(try {
                let folder = Folder::new();
                let path = folder.file("bad_input.npy");
                let mut bytes = [0; STREAM];
                x.write_npy_to(&mut bytes[..]).and_then(|()| x.write_npy(&path)).and_then(|()| {
                    let mut read = x.to_owned();
                    read.copy_from(Tensor::<_, _, _, Cpu>::read_npy(&path)?)?;
                    assert!(read.array().is(&x.array()));
                    read.copy_from(Tensor::<_, _, _, Cpu>::read_npy_from(&bytes[..])?)?;
                    Ok(read)
                })
            }))
        },
        // Writing a tensor that is larger than the stream's buffer fails with `File`. The stream is written first, so no huge file is
        // created.
        expected: |a, _| if a[0].len() > STREAM as u128 / 8 { reject("File") } else { copy(&a[0]) },
        ..ONE
    };
    [good.into(), Row::by_hand(&["io::npy::read_header", "io::npy::read_header_from"], "<stream>", headers)]
}

/// `.npy` headers with invalid, empty or huge shapes.
fn headers(hazard: Hazard) -> ByHand {
    let header = |shape: &str| {
        let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::to_le_bytes(118));
        bytes.extend(format!("{text:<117}\n").into_bytes());
        bytes
    };
    let read = |shape: &str| {
        let bytes = header(shape);
        done!(try vierbein::io::npy::read_header_from(&bytes[..])
            .map(|header| Array::line(header.shape.iter().map(|&n| n as f64).collect())))
    };
    let of_file = |shape: &str| {
        let bytes = header(shape);
        let folder = Folder::new();
        let path = folder.file("header.npy");
        std::fs::write(&path, &bytes).expect("the folder is there");
        done!(try vierbein::io::npy::read_header(&path)
            .map(|header| Array::line(header.shape.iter().map(|&n| n as f64).collect())))
    };
    let lengths = |values: &[f64]| Ok(Array::line(values.to_vec()));
    let sixteen = ["1"; 16].join(", ");
    Ok(match hazard {
        WrongShape => vec![(read("-1,"), reject("File")), (read("1.5,"), reject("File"))],
        ZeroExtents => vec![(read("0, 3"), lengths(&[0.0, 3.0])), (of_file("0,"), lengths(&[0.0]))],
        // `read` parses only the header. `tensor_of` also checks the size of the tensor and the number of elements.
        HugeExtents => vec![
            (read("99999999999999999999,"), reject("File")),
            (tensor_of(&header("4611686018427387904, 4")), reject("File")),
            (tensor_of(&header("1152921504606846975, 1")), reject("File")),
            (tensor_of(&header("0, 18446744073709551615")), reject("File")),
        ],
        NotFinite => return Err("headers have no elements"),
        NegativeStrides | Aliasing => return Err("files are contiguous"),
        Rank0 => vec![(read(""), lengths(&[])), (of_file(""), lengths(&[]))],
        Rank16 => vec![(read(&sixteen), lengths(&[1.0; 16])), (tensor_of(&header(&sixteen)), reject("File"))],
    })
}

fn tensor_of(bytes: &[u8]) -> Done {
    done!(try Tensor::<f64, Rank<2>>::read_npy_from(bytes))
}
