//! Whether the operations' texts say what the operations do. Compiled as C++, with the CPU's own mathematical library, they give
//! the same bits. And whether NVRTC compiles every kernel for every element type.

mod kernels;
mod program;
mod samples;
mod table;
mod units;

use super::program::PRELUDE;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directory of its own, deleted in the end.
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

/// Compiles a program as C++ and runs it.
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
        let threads = (0..table::GROUPS.len()).map(|n| scope.spawn(move || run((n, table::program(n)))));
        let threads: Vec<_> = threads.collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it does not panic")).collect()
    });
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes.join("\n"));
}

/// What implements one of the operations' traits in the sources. A macro that does so has one line for each, which begins with
/// the operation and its method or name.
fn implemented(traits: &[&str]) -> BTreeSet<String> {
    fn visit(directory: &Path, traits: &[&str], found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(directory).expect("the sources are there") {
            let path = entry.expect("the sources are there").path();
            match path.file_name().and_then(|name| name.to_str()) {
                Some("tests" | "tests.rs" | "texts") => (),
                _ if path.is_dir() => visit(&path, traits, found),
                _ if path.extension().is_some_and(|extension| extension == "rs") => {
                    let source = std::fs::read_to_string(&path).expect("the sources are there");
                    of_file(&source, traits, found);
                }
                _ => (),
            }
        }
    }
    fn of_file(source: &str, traits: &[&str], found: &mut BTreeSet<String>) {
        let mut by_macro = false;
        for line in source.lines().filter(|line| line.trim_start().starts_with("impl")) {
            if let Some((head, implementor)) = line.split_once(" for ")
                && traits.iter().any(|name| head.contains(&format!(" {name}")))
            {
                let end =
                    implementor.find(|c: char| !c.is_alphanumeric() && c != '$').unwrap_or(implementor.len());
                match &implementor[..end] {
                    "$Op" => by_macro = true,
                    name => drop(found.insert(name.to_string())),
                }
            }
        }
        if by_macro {
            found.extend(source.lines().filter_map(|line| {
                let (name, rest) = line.strip_prefix("    ")?.split_once(", ")?;
                let (method, _) = rest.split_once(',')?;
                let named = name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphanumeric);
                let called = method.starts_with(char::is_lowercase) && !method.contains(' ');
                let called = called || method.starts_with('"');
                (named && called).then(|| name.to_string())
            }));
        }
    }
    let mut found = BTreeSet::new();
    visit(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), traits, &mut found);
    found
}

#[test]
fn every_operation_is_tried() {
    let mut tried: BTreeSet<String> =
        (0..table::GROUPS.len()).flat_map(|n| table::program(n).names).collect();
    // Those of the tests: the documentation's examples, and literals.
    assert!(["Gelu", "Apart", "Literals"].iter().all(|&own| tried.remove(own)));
    let mut implemented = implemented(&["UnaryOp<", "BinaryOp<", "TernaryOp<", "Generator<"]);
    // Closures stay on the host.
    assert!(implemented.remove("Closure"));
    assert_eq!(tried, implemented);
}

#[test]
fn every_reduction_is_compiled() {
    assert_eq!(kernels::Kernels::all().reductions, implemented(&["Reduction<"]));
}
