//! What an operation costs: which memory it asks for, where its result lies, and how long it takes.
//!
//! `cargo run --example costs` counts and writes the table of `docs/performance.md`; `-- --check` only says whether it is there.
//! `cargo run --release --example costs -- --measure` times the operations as well, and draws `docs/figures/costs.svg`.

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

/// The page, from the repository's root.
const PAGE: &str = "docs/performance.md";
/// Between these lines of the page is the table.
const MARKS: [&str; 2] = ["<!-- from here: cargo run --example costs -->\n", "\n<!-- to here -->"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The table as it is found now.
fn table() -> String {
    let mut table = String::from("| operation | asks for | its elements |\n|---|---|---|");
    for (what, operations) in operations::counted() {
        table += &format!("\n| **{what}** | | |");
        for (code, Found { memory, place }) in operations {
            table += &format!("\n| `{code}` | {memory} | {place} |");
        }
    }
    table
}

/// The page, and the page with the table as it is found now.
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
fn the_page_says_what_is_found() {
    let (page, new) = pages().unwrap();
    for (line, found) in page.lines().zip(new.lines()) {
        assert_eq!(line, found, "run `cargo run --example costs`");
    }
    assert_eq!(page.lines().count(), new.lines().count());
}
