//! Draws the figures of memory layouts for the guide in `docs/`. Also writes all figures, including those of the README, as data
//! URIs for rustdoc.
//!
//! `cargo run --example guide_figures` writes `docs/figures`; `-- --check` only reports whether they are up to date.

mod memory;
mod svg;

use std::error::Error;
use std::path::{Path, PathBuf};

/// Returns the directory of the figures.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/figures")
}

/// Returns the name and the contents of each file: the figures, and `rustdoc.md`, which defines link references with the data URIs of all
/// figures. A page shows a figure by a link reference, which it defines as an image file of the repository. Rustdoc cannot show such files.
/// It includes `rustdoc.md` before each page, and Markdown uses the first of two definitions.
fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut inline = String::new();
    for (name, figure) in memory::figures() {
        inline += &format!("[{name}]: {}\n", svg::data_uri(&figure));
        files.push((format!("{name}.svg"), figure));
    }
    // Figures that are drawn elsewhere: `costs` by the example of that name, `speed` by `scripts/plot-speed.py`, `tensor-type` by
    // hand.
    for name in ["costs", "speed", "tensor-type"] {
        if let Ok(figure) = std::fs::read_to_string(folder().join(format!("{name}.svg"))) {
            inline += &format!("[{name}]: {}\n", svg::data_uri(&figure));
        }
    }
    files.push(("rustdoc.md".into(), inline));
    files
}

/// Returns the names of the files that are out of date.
fn outdated() -> Vec<String> {
    let current = |(name, text): &(String, String)| {
        std::fs::read_to_string(folder().join(name)).is_ok_and(|found| found == *text)
    };
    files().into_iter().filter(|file| !current(file)).map(|(name, _)| name).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().any(|argument| argument == "--check") {
        let outdated = outdated();
        return match outdated.is_empty() {
            true => Ok(()),
            false => Err(format!("out of date: {}", outdated.join(", ")).into()),
        };
    }
    for (name, text) in files() {
        std::fs::write(folder().join(&name), text)?;
        println!("docs/figures/{name}");
    }
    Ok(())
}

#[test]
fn figures_are_up_to_date() {
    assert_eq!(outdated(), [""; 0], "run `cargo run --example guide_figures`");
}
