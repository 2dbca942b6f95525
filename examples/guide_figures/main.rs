//! Draws the figures of the guide in `docs/`: where the elements of tensors lie, read off the addresses of real ones.
//!
//! `cargo run --example guide_figures` writes `docs/figures`; `-- --check` only says whether they are what would be drawn.

mod memory;
mod svg;

use std::error::Error;
use std::path::{Path, PathBuf};

/// The folder of the figures.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/figures")
}

/// The name of each file and what belongs into it: every figure, and then their addresses for rustdoc, which shows no image that
/// is a file of the repository: each page names its figures by reference, and where a reference has two definitions Markdown
/// takes the first.
fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut inline = String::new();
    for (name, figure) in memory::figures() {
        inline += &format!("[{name}]: {}\n", svg::data_uri(&figure));
        files.push((format!("{name}.svg"), figure));
    }
    // The one with measured times is drawn by the example `costs`.
    if let Ok(figure) = std::fs::read_to_string(folder().join("costs.svg")) {
        inline += &format!("[costs]: {}\n", svg::data_uri(&figure));
    }
    files.push(("rustdoc.md".into(), inline));
    files
}

/// The files that are not what would be drawn.
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
fn the_figures_are_what_would_be_drawn() {
    assert_eq!(outdated(), [""; 0], "run `cargo run --example guide_figures`");
}
