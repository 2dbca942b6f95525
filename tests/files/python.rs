//! Exchanges files with NumPy and with the reference implementation of safetensors: each side reads the files that the other has
//! written. The test runs if a Python with both libraries is available. `scripts/check-python.sh` installs such a Python and runs
//! the test.

use super::golden::{Folder, Golden, values};
use std::path::{Path, PathBuf};
use std::process::Command;
use vierbein::io::npz::{Npz, NpzWriter};
use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
use vierbein::{DType, DynTensor, MemoryOrder, dispatch};

const VARIABLE: &str = "VIERBEIN_PYTHON";

/// The shapes of the exchanged tensors: up to rank 6, some of them empty. `files/python.py` has the same list.
const SHAPES: [&[usize]; 11] = [
    &[],
    &[5],
    &[3, 4],
    &[2, 3, 4],
    &[2, 3, 2, 3],
    &[2, 1, 2, 3, 2],
    &[2, 2, 3, 1, 2, 2],
    &[0],
    &[0, 3],
    &[2, 0, 4],
    &[1, 2, 3, 0, 2, 1],
];

fn python(python: &Path, command: &str, folder: &Path) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/python.py");
    let output = Command::new(python).arg("-B").arg(script).arg(command).arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn name(dtype: DType, shape: &[usize], variant: &str) -> String {
    let of = dispatch!(dtype, T => <T as Golden>::NAME);
    let shape: Vec<_> = shape.iter().map(usize::to_string).collect();
    format!("{of}_{}_{variant}", shape.join("x"))
}

fn check(x: &DynTensor, dtype: DType, shape: &[usize], what: &str) {
    assert_eq!((x.dtype(), x.shape()), (dtype, shape), "{what}");
    let row_major = x.order().is_row_major();
    dispatch!(dtype, T => assert_eq!(x.to_vec::<T>().unwrap(), values::<T>(shape, row_major), "{what}"));
}

fn made(dtype: DType, shape: &[usize], order: MemoryOrder) -> DynTensor {
    dispatch!(dtype, T => DynTensor::from_vec(shape, values::<T>(shape, order.is_row_major()), order).unwrap())
}

/// Returns all pairs of an element type and a shape.
fn all() -> impl Iterator<Item = (DType, &'static [usize])> {
    DType::ALL.into_iter().flat_map(|dtype| SHAPES.map(|shape| (dtype, shape)))
}

fn reads_what_python_writes(folder: &Path) -> usize {
    let mut count = 0;
    let mut archives: Vec<Npz> =
        ["stored.npz", "deflated.npz"].map(|file| Npz::open(folder.join(file)).unwrap()).into();
    let flat = Safetensors::read(folder.join("all.safetensors")).unwrap();
    for (dtype, shape) in all() {
        for variant in ["c", "f", "big_c", "big_f"] {
            let name = name(dtype, shape, variant);
            let mut one = |x: DynTensor| {
                let both = shape.contains(&0) || shape.iter().filter(|&&n| n > 1).count() < 2;
                assert_eq!(x.order().is_row_major(), both || variant.ends_with('c'), "{name}");
                check(&x, dtype, shape, &name);
                count += 1;
            };
            one(DynTensor::read_npy(folder.join(format!("{name}.npy"))).unwrap());
            archives.iter_mut().for_each(|archive| one(archive.get(&name).unwrap()));
        }
        if dtype != DType::C64 {
            check(&flat.get(&name(dtype, shape, "c")).unwrap(), dtype, shape, "safetensors");
            count += 1;
        }
    }
    count
}

fn writes_for_python(folder: &Path) {
    let mut tensors = Vec::new();
    for (dtype, shape) in all() {
        for (variant, order) in [("c", MemoryOrder::RowMajor), ("f", MemoryOrder::ColMajor)] {
            tensors.push((name(dtype, shape, variant), made(dtype, shape, order)));
        }
    }
    let (mut stored, mut deflated, mut flat) = (NpzWriter::new(), NpzWriter::new(), SafetensorsWriter::new());
    for (name, x) in &tensors {
        x.write_npy(folder.join(format!("{name}.npy"))).unwrap();
        stored.add(name, x).unwrap();
        deflated.add(name, x).unwrap();
        if x.order() == MemoryOrder::RowMajor && x.dtype() != DType::C64 {
            flat.add(name, x).unwrap();
        }
    }
    stored.write(folder.join("stored.npz")).unwrap();
    deflated.compressed().write(folder.join("deflated.npz")).unwrap();
    flat.metadata("format", "np").write(folder.join("all.safetensors")).unwrap();
}

#[test]
fn files_are_exchanged_with_python() {
    let Some(path) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        eprintln!(
            "skipped: {VARIABLE} names no Python with NumPy and safetensors; `scripts/check-python.sh` makes one"
        );
        return;
    };
    let (theirs, own) = (Folder::new(), Folder::new());
    python(&path, "write", &theirs.0);
    let read = reads_what_python_writes(&theirs.0);
    writes_for_python(&own.0);
    let judged = python(&path, "judge", &own.0);
    println!("{read} tensors of Python read here; {}", judged.trim());
}
