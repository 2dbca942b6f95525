//! The cost of operations: which memory they allocate, where their result is, and how long they take.
//!
//! `cargo run --release --example costs` updates the table in `docs/performance.md`; `-- --check` only reports whether it is up to date.
//! `cargo run --release --example costs -- --measure` also times the operations, and draws `docs/figures/costs.svg`.

mod count;
#[path = "../../tests/common/counting.rs"]
mod counting;
mod operations;
mod plot;

use count::Found;
use counting::Counting;
use std::error::Error;
use std::path::Path;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The path of the page that contains the table, relative to the repository's root.
const PAGE: &str = "docs/performance.md";
/// The lines of the page before and after the table.
const MARKS: [&str; 2] = ["<!-- from here: cargo run --release --example costs -->\n", "\n<!-- to here -->"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the current table.
fn table() -> String {
    let mut table = String::from("| operation | allocates | its elements |\n|---|---|---|");
    for (what, operations) in operations::counted() {
        table += &format!("\n| **{what}** | | |");
        for (code, Found { memory, place }) in operations {
            table += &format!("\n| `{code}` | {memory} | {place} |");
        }
    }
    table
}

/// Returns the current text of the page, and its text with an up-to-date table.
fn pages() -> Result<(String, String), Box<dyn Error>> {
    let page = std::fs::read_to_string(root().join(PAGE))?;
    let (before, rest) = page.split_once(MARKS[0]).ok_or("the page has no place for the table")?;
    let (_, after) = rest.split_once(MARKS[1]).ok_or("the page's table has no end")?;
    let new = format!("{before}{}{}{}{after}", MARKS[0], table(), MARKS[1]);
    Ok((page, new))
}

fn main() -> Result<(), Box<dyn Error>> {
    let options: Vec<String> = std::env::args().skip(1).collect();
    let (page, new) = pages()?;
    if options.iter().any(|option| option == "--check") {
        return if page == new { Ok(()) } else { Err(format!("{PAGE} is out of date").into()) };
    }
    std::fs::write(root().join(PAGE), new)?;
    if options.iter().any(|option| option == "--measure") {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        plot::draw(&root().join("docs/figures/costs.svg"), &pool.install(operations::timed))?;
    }
    Ok(())
}

#[test]
fn page_has_current_table() {
    let (page, new) = pages().unwrap();
    // In builds with debug assertions, the crate `matrixmultiply` computes matrix products, and allocates memory for it.
    let other =
        |line: &str| cfg!(debug_assertions) && (line.contains("matmul") || line.contains("ij,kj->ik"));
    for (line, found) in page.lines().zip(new.lines()) {
        assert!(
            line == found || (other(line) && other(found)),
            "run `cargo run --release --example costs`: {found}"
        );
    }
    assert_eq!(page.lines().count(), new.lines().count());
}
