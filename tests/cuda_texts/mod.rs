//! Tests that the CUDA sources of operations compute the same as the operations on the host. The sources are compiled as C++,
//! with the C library's mathematical functions. Most results must have the same bits; [`table`] lists the functions whose
//! results may differ by a few units of rounding. Also tests that NVRTC compiles every kernel for every element type.

mod kernels;
mod program;
mod samples;
mod table;
mod units;

use super::program::PRELUDE;
use crate::dyn_tensor::texts::REDUCTIONS;
use crate::simd::Level;
use crate::simd::tests::HIGHEST;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A temporary directory, deleted when dropped.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Directory {
        let path = std::env::temp_dir().join(format!("vierbein-texts-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory for temporary files");
        Directory(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles a program as C++, runs it, and returns what it wrote. `n` distinguishes the files of several programs.
fn output(program: &program::Program, directory: &Path, n: usize) -> Vec<u8> {
    let file = |extension| directory.join(format!("{n}.{extension}"));
    std::fs::write(file("cpp"), program.on_host(&PRELUDE.concat())).expect("the source is written");
    std::fs::write(file("in"), program.input()).expect("the input is written");
    let compiled = Command::new("c++")
        .args(["-std=c++17", "-O1", "-ffp-contract=off", "-w", "-o"])
        .args([file("exe"), file("cpp")])
        .output()
        .expect("the compiler was found");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(file("exe")).args([file("in"), file("out")]).status().expect("the program runs");
    assert!(ran.success(), "the program fails: {ran}");
    std::fs::read(file("out")).expect("the program writes its results")
}

#[test]
fn texts_compute_what_the_host_computes() {
    if cfg!(target_arch = "aarch64") {
        println!("skipped: the host does not compute elementary functions with the C library at any level");
        return;
    }
    if Command::new("c++").arg("--version").output().is_err() {
        println!("skipped: no C++ compiler `c++` is found");
        return;
    }
    let directory = Directory::new();
    let mistakes: Vec<String> = std::thread::scope(|scope| {
        let at = &directory.0;
        let run = |(n, program): (usize, program::Program)| {
            let output = output(&program, at, n);
            program.mistakes(&output)
        };
        // The C++ programs compute elementary functions with the C library. At the lowest SIMD level, the host does so, too.
        let program = |n| {
            HIGHEST.set(Level::Portable);
            table::program(n)
        };
        let threads = (0..table::GROUPS.len()).map(|n| scope.spawn(move || run((n, program(n)))));
        let threads: Vec<_> = threads.collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it does not panic")).collect()
    });
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes.join("\n"));
}

/// Returns the names of the operations whose `impl` blocks are written by hand. Macros generate the other operations from the list in
/// `device/op/catalogue/`; the module `table` tests all operations of that list.
fn written_by_hand() -> BTreeSet<String> {
    fn visit(directory: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(directory).expect("the sources are there") {
            let path = entry.expect("the sources are there").path();
            match path.file_name().and_then(|name| name.to_str()) {
                Some("tests" | "tests.rs" | "texts") => (),
                _ if path.is_dir() => visit(&path, found),
                _ if path.extension().is_some_and(|extension| extension == "rs") => {
                    let source = std::fs::read_to_string(&path).expect("the sources are there");
                    let by_row = ["device/op/unary.rs", "device/op/binary.rs", "ops/elementwise/mixed.rs"]
                        .iter()
                        .any(|file| path.ends_with(file));
                    found.extend(source.lines().filter_map(implementor).filter(|name| {
                        let by_macro = !name.chars().all(char::is_alphanumeric);
                        assert!(!by_macro || by_row, "{path:?}: `{name}` has no row in the catalogue");
                        !by_macro
                    }));
                }
                _ => (),
            }
        }
    }
    /// If a source line begins an `impl` of one of `traits`, returns the name of the implementing type, without type parameters.
    fn implementor(line: &str) -> Option<String> {
        let line = line.replace("->", "");
        let (head, name) = line.trim_start().strip_prefix("impl")?.split_once(" for ")?;
        // Skip the generic parameters: their bounds may name the traits, too.
        let mut depth = 0;
        let end = head.find(|c| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            depth == 0
        })?;
        let implemented = head[end..].trim_start_matches(['>', ' ']);
        let traits = ["UnaryOp<", "BinaryOp<", "TernaryOp<", "Generator<"];
        let name = name.split(['<', ' ']).next()?;
        traits.iter().any(|name| implemented.starts_with(name)).then(|| name.to_string())
    }
    let mut found = BTreeSet::new();
    visit(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found
}

#[test]
fn every_operation_is_tried() {
    let tried: BTreeSet<String> = (0..table::GROUPS.len()).flat_map(|n| table::program(n).names).collect();
    let mut by_hand = written_by_hand();
    // `Closure`, the operation of a Rust closure, has no CUDA source.
    assert!(by_hand.remove("Closure"));
    let untried: Vec<&String> = by_hand.difference(&tried).collect();
    assert!(untried.is_empty(), "not in the table: {untried:?}");
}

#[test]
fn every_reduction_is_compiled() {
    // Reductions that are no `DynReduction`: the check of ranges, the spreads of dynamic tensors, and sums in a wider type.
    let others = ["AllFinite", "SumAs", "ProdAs"];
    let reductions = REDUCTIONS.iter().chain(&others).map(|name| name.to_string()).collect();
    assert_eq!(kernels::Kernels::all().reductions, reductions);
}
