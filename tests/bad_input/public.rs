//! Lists the public items of the crate from the pages that rustdoc writes. Unlike the source files, these pages list the methods
//! that macros define.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the enabled features for files and for arrays of other libraries. The tests of both use the same pages, so that these are built
/// once.
#[allow(dead_code, reason = "not every test that shares this file has these features")]
pub(crate) fn formats() -> Vec<&'static str> {
    let features = [
        ("npz", cfg!(feature = "npz")),
        ("safetensors", cfg!(feature = "safetensors")),
        ("csv", cfg!(feature = "csv")),
        ("serde", cfg!(feature = "serde")),
        ("ndarray", cfg!(feature = "ndarray")),
        ("nalgebra", cfg!(feature = "nalgebra")),
        ("faer", cfg!(feature = "faer")),
    ];
    features.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect()
}

/// Builds the documentation and returns the directory of its pages. The enabled features are those of `npy` and `rayon` with which this
/// test was built, and those in `more`. `more` contains only features that the test program has, too, so that no other dependencies are
/// built. Returns `None`, and prints the reason, if cargo cannot be started.
///
/// The pages stay in a directory of their own for each set of features, where the next test program finds them.
pub(crate) fn documentation(more: &[&str]) -> Option<PathBuf> {
    if cfg!(windows) && std::env::var_os("WINEPREFIX").is_some() {
        println!(
            "skipped: the comparison with all public names: wine cannot start the cargo that it was built by"
        );
        return None;
    }
    let features = [("npy", cfg!(feature = "npy")), ("rayon", cfg!(feature = "rayon"))];
    let enabled = features.iter().filter(|(_, on)| *on).map(|(name, _)| *name);
    let enabled: Vec<&str> = enabled.chain(more.iter().copied()).collect();
    // `CARGO_TARGET_TMPDIR` is a subdirectory of the target directory of this build. Cargo gets the same target directory below, so
    // that it reuses the compiled dependencies.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in the target folder");
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("public").join(enabled.join("-"));
    // Rustdoc writes the pages of each set of features to the same directory, and test programs may run at the same time.
    let lock = Path::new(env!("CARGO_TARGET_TMPDIR")).join("public.lock");
    let lock = std::fs::File::create(lock).expect("cargo has made this directory");
    lock.lock().expect("a file on a local disk can be locked");
    if is_up_to_date(&kept.join("all.html")) {
        return Some(kept);
    }
    let pages = target.join("doc/vierbein");
    // Cargo can consider pages up to date that it built with other features. It rebuilds them if they are missing.
    let _ = std::fs::remove_dir_all(&pages);
    // Removes compiler flags, such as those of a sanitizer, because rustdoc reads dependencies that are compiled without these
    // flags.
    let flags = std::env::vars_os().map(|(name, _)| name);
    let flags = flags.filter(|name| name.to_string_lossy().ends_with("RUSTFLAGS"));
    let mut command = Command::new(env!("CARGO"));
    flags.for_each(|name| {
        command.env_remove(name);
    });
    // Without `--package`, cargo would also check the library for the other default members of the workspace.
    let output = command
        .args(["doc", "--package", "vierbein", "--no-deps", "--lib", "--offline", "--quiet"])
        .args(["--no-default-features", "--features"])
        .arg(enabled.join(","))
        .arg("--manifest-path")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        // `CARGO_BUILD_TARGET` would change the output directory. `RUSTDOCFLAGS` could turn links to items of disabled features
        // into errors.
        .env_remove("CARGO_BUILD_TARGET")
        .env_remove("RUSTDOCFLAGS")
        .output()
        .expect("cargo was there to build this test");
    assert!(output.status.success(), "cargo doc: {}", String::from_utf8_lossy(&output.stderr));
    let _ = std::fs::remove_dir_all(&kept);
    std::fs::create_dir_all(kept.parent().expect("the directory of all sets")).expect("it can be created");
    std::fs::rename(pages, &kept).expect("both directories are in the target directory");
    Some(kept)
}

/// Returns whether a page exists and is newer than the source files of the crate and its manifest.
fn is_up_to_date(page: &Path) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|data| data.modified());
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = files(&package.join("src"));
    sources.push(package.join("Cargo.toml"));
    changed(page).is_ok_and(|written| {
        sources.iter().all(|source| changed(source).expect("a file of the package") < written)
    })
}

/// Returns each text between `before` and the next `after`.
pub(crate) fn between<'a>(text: &'a str, before: &str, after: char) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(move |rest| rest.split(after).next())
}

/// Returns the names of all public functions, or `None` if [`documentation`] returns `None`.
///
/// A name is `method` for `Tensor`, `path::Type::method` for other types, `path::function` or `macro!`. Traits, and types without
/// inherent methods, are omitted. Trait methods are included only for `Tensor` and `DynTensor`, whose operators are trait methods.
pub(crate) fn functions(more: &[&str]) -> Option<BTreeSet<String>> {
    let root = documentation(more)?;
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("rustdoc wrote this page");
    let mut found = BTreeSet::new();
    for page in between(&read("all.html"), "<li><a href=\"", '"') {
        let (folder, file) = page.rsplit_once('/').unwrap_or(("", page));
        let mut parts = file.split('.');
        let (kind, name) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let path = if folder.is_empty() {
            name.to_string()
        } else {
            format!("{}::{name}", folder.replace('/', "::"))
        };
        match kind {
            "fn" => {
                found.insert(path);
            }
            "macro" => {
                found.insert(format!("{path}!"));
            }
            "struct" | "enum" | "union" => {
                let text = read(page);
                let end = |id: &str| text.find(id).unwrap_or(text.len());
                // Without the methods of slices, to which `AnyShape` dereferences.
                let own = &text[..end("id=\"trait-implementations\"").min(end("id=\"deref-methods"))];
                let with_traits = &text[..end("id=\"synthetic-implementations\"")];
                let tensor = name == "Tensor" || name == "DynTensor";
                // rustdoc appends a number to the id of a second method with the same name.
                for method in between(if tensor { with_traits } else { own }, "id=\"method.", '"') {
                    let method = method.split('-').next().expect("a part");
                    found.insert(if name == "Tensor" { method.into() } else { format!("{path}::{method}") });
                }
            }
            _ => {}
        }
    }
    assert!(found.len() > 400, "there is more that is public: {found:?}");
    Some(found)
}

/// Returns the contents of all Rust files in a directory of the package, recursively.
pub(crate) fn sources(directory: &str) -> Vec<String> {
    let all = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(directory));
    let rust = all.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    rust.map(|path| std::fs::read_to_string(path).expect("Rust is text")).collect()
}

/// Returns the paths of all files in a directory, recursively.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory of the package").flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// Returns the source without comments and string contents.
fn code(source: &str) -> String {
    let mut code = String::new();
    for line in source.lines() {
        // Treats every second part between quotes as a string. This assumes that each string ends on its line. The second and later
        // lines of longer strings contain no names of functions.
        for (k, part) in line.replace("\\\"", "").split('"').enumerate().filter(|(k, _)| k % 2 == 0) {
            let part = if k == 0 { part } else { &format!(" {part}") };
            match part.split_once("//") {
                Some((before, _)) => {
                    code += before;
                    break;
                }
                None => code += part,
            }
        }
        code.push('\n');
    }
    code
}

/// Returns all identifiers in the source code of the tests, also those that are passed to macros. Identifiers in strings and
/// comments, and names that follow `fn` in a definition, are omitted.
pub(crate) fn named_by_tests() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for source in sources("tests") {
        let mut before = String::new();
        for word in code(&source).split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if !word.is_empty() {
                if before != "fn" {
                    found.insert(word.to_string());
                }
                before = word.to_string();
            }
        }
    }
    found
}
