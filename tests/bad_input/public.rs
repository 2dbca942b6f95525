//! What is public, as the compiler sees it: read from the documentation that rustdoc writes of the crate, in which the methods that
//! macros make have their places like all others.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the documentation, with those features of this test that all tables have rows for, and with more. Archives and
/// serialisation have a table of their own, and so have the arrays of other libraries. `None`, with the reason printed, where cargo
/// cannot be started.
pub(crate) fn documentation(more: &[&str]) -> Option<PathBuf> {
    if cfg!(windows) && std::env::var_os("WINEPREFIX").is_some() {
        println!(
            "skipped: the comparison with all public names: wine cannot start the cargo that it was built by"
        );
        return None;
    }
    let features = [
        ("npy", cfg!(feature = "npy")),
        ("rayon", cfg!(feature = "rayon")),
        ("rand", cfg!(feature = "rand")),
    ];
    let enabled = features.iter().filter(|(_, on)| *on).map(|(name, _)| *name);
    let enabled: Vec<&str> = enabled.chain(more.iter().copied()).collect();
    // Beside the folder of the test's own files is what was built, of which rustdoc reads the dependencies.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in the target folder");
    let pages = target.join("doc/vierbein");
    // Documentation with other features may lie there, which cargo does not see: what is not there it makes anew.
    let _ = std::fs::remove_file(pages.join("index.html"));
    // Flags for the compiler alone, such as those of a sanitizer, do not fit the dependencies that rustdoc reads.
    let flags = std::env::vars_os().map(|(name, _)| name);
    let flags = flags.filter(|name| name.to_string_lossy().ends_with("RUSTFLAGS"));
    let mut command = Command::new(env!("CARGO"));
    flags.for_each(|name| {
        command.env_remove(name);
    });
    let output = command
        .args(["doc", "--no-deps", "--lib", "--offline", "--quiet", "--no-default-features", "--features"])
        .arg(enabled.join(","))
        .arg("--manifest-path")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        // What would put the pages elsewhere, or make errors of links to what these features leave out.
        .env_remove("CARGO_BUILD_TARGET")
        .env_remove("RUSTDOCFLAGS")
        .output()
        .expect("cargo was there to build this test");
    assert!(output.status.success(), "cargo doc: {}", String::from_utf8_lossy(&output.stderr));
    Some(pages)
}

/// What stands between `before` and `after` each time.
pub(crate) fn between<'a>(text: &'a str, before: &str, after: char) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(move |rest| rest.split(after).next())
}

/// All public functions: `method` of a tensor, `Type::method` of others with their path, `path::function`, `macro!`. Types without
/// methods of their own and traits are no functions; methods of traits count for tensors, which have operators by them. `None` as for
/// [`documentation`].
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
                let own = &text[..end("id=\"trait-implementations\"")];
                let with_traits = &text[..end("id=\"synthetic-implementations\"")];
                let tensor = name == "Tensor" || name == "DynTensor";
                // A second method of a name has a number behind it.
                for method in between(if tensor { with_traits } else { own }, "id=\"method.", '"') {
                    let method = method.split('-').next().expect("a part");
                    found.insert(if name == "Tensor" { method.into() } else { format!("{path}::{method}") });
                }
            }
            _ => {}
        }
    }
    // Nor shall somebody's own documentation be taken for made because of this one.
    let _ = std::fs::remove_file(root.join("index.html"));
    assert!(found.len() > 400, "there is more that is public: {found:?}");
    Some(found)
}

/// All files with this extension in a directory of the package, and below it.
pub(crate) fn sources(directory: &str) -> Vec<String> {
    fn visit(directory: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(directory).expect("a directory of the package").flatten() {
            let path = entry.path();
            if path.is_dir() {
                visit(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(std::fs::read_to_string(path).expect("Rust is text"));
            }
        }
    }
    let mut found = Vec::new();
    visit(&Path::new(env!("CARGO_MANIFEST_DIR")).join(directory), &mut found);
    found
}

/// The source without comments and without what is in strings.
fn code(source: &str) -> String {
    let mut code = String::new();
    for line in source.lines() {
        // In these sources a string ends on its line, or the lines that continue it are text, which names nothing that is called.
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

/// The names in the code of the tests: of functions that it calls, also by a macro that is given the name. Names in strings, in
/// comments, and of functions that the tests define do not count.
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
