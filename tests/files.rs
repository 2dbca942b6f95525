//! Tests of `.npz` archives, safetensors files, CSV files and serde: golden files that the reference implementations wrote, round
//! trips through every format, damaged and hostile files, invalid arguments of every function, and writers that fail.

#[macro_use]
#[path = "common/golden.rs"]
mod golden;
#[path = "files/archives.rs"]
mod archives;
#[path = "files/bad_input.rs"]
mod bad_input;
#[path = "files/csv.rs"]
mod csv;
#[path = "files/flat.rs"]
mod flat;
#[path = "files/memory.rs"]
mod memory;
#[cfg(unix)]
#[path = "files/permissions.rs"]
mod permissions;
#[path = "files/python.rs"]
mod python;
#[path = "files/readers.rs"]
mod readers;
#[path = "files/round_trips.rs"]
mod round_trips;
#[path = "files/serialised.rs"]
mod serialised;
#[path = "files/writers.rs"]
mod writers;

use std::path::{Path, PathBuf};
use vierbein::io::safetensors::Safetensors;
use vierbein::prelude::*;
use vierbein::{Error, TensorView};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Asserts that `result` is a file error, and returns its message.
fn why<V: std::fmt::Debug>(result: Result<V, Error>) -> String {
    match result {
        Err(error @ Error::File { .. }) => error.to_string(),
        other => panic!("expected an error of the file, got {other:?}"),
    }
}

/// Returns a view of a tensor in a file. On big-endian machines, a view of elements of several bytes is an error. In this case,
/// asserts the error and returns `None`.
#[track_caller]
fn viewed<'a, T: Element, D: Dim>(file: &'a Safetensors, name: &str) -> Option<TensorView<'a, T, D>> {
    let view = file.view::<T, D>(name);
    if cfg!(target_endian = "big") && size_of::<T>() > 1 {
        says(&why(view), "is little-endian, and this machine is big-endian; copy it with `.get(..)`");
        return None;
    }
    Some(view.unwrap())
}

/// Asserts that a message contains `expected`, and is not too long.
#[track_caller]
fn says(found: &str, expected: &str) {
    assert!(found.contains(expected), "{found:?} should contain {expected:?}");
    assert!(found.len() < 600, "{found:?}");
}

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;
