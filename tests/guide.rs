//! The tables of the guide that say the same thing twice: each row is in the program beneath its table, which runs as a test of
//! the documentation. (`scripts/fill-guide.py` writes the programs, and executes NumPy's halves.)

use std::path::Path;

/// The code in the two columns of a row, if it is one of two pieces of code.
fn halves(row: &str) -> Option<(String, String)> {
    let row = row.strip_prefix("| `")?.strip_suffix("` |")?.replace("\\|", "|");
    let (theirs, ours) = row.split_once("` | `")?;
    Some((theirs.into(), ours.into()))
}

/// The rows of all tables with this header, each with the program beneath its table.
fn rows<'t>(text: &'t str, header: &str) -> Vec<((String, String), &'t str)> {
    let mut rows = Vec::new();
    for table in text.split(header).skip(1) {
        let program = table.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next());
        let lines = table.trim_start().lines().skip(1).take_while(|line| line.starts_with('|'));
        for line in lines {
            let halves = halves(line).unwrap_or_else(|| panic!("not a row of two pieces of code: {line}"));
            rows.push((halves, program.expect("a program")));
        }
    }
    rows
}

fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)).unwrap()
}

#[test]
fn every_row_from_numpy_is_tested() {
    let text = page("from_numpy.md");
    let rows = rows(&text, "\n| NumPy | vierbein |\n");
    for ((_, ours), program) in &rows {
        // A statement is a line; what has a value is what a line asserts.
        let asserted = [", ", ")", " - ", ".all_close("].map(|after| format!("({ours}{after}"));
        let says_so = |line: &str| match ours.ends_with(';') {
            true => line.ends_with(ours),
            false => line.contains("assert") && asserted.iter().any(|text| line.contains(text)),
        };
        assert!(program.lines().any(says_so), "run `scripts/fill-guide.py`: no program has `{ours}`");
    }
    assert!(rows.len() >= 200, "{} rows", rows.len());
}

#[test]
fn every_row_from_ndarray_is_tested() {
    let text = page("from_ndarray.md");
    let rows = rows(&text, "\n| ndarray | vierbein |\n");
    for ((theirs, ours), program) in &rows {
        for half in [theirs, ours] {
            assert!(program.contains(half.as_str()), "run `scripts/fill-guide.py`: no program has `{half}`");
        }
    }
    assert!(rows.len() >= 70, "{} rows", rows.len());
}
