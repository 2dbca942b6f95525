//! Checks the tables of the guide that translate calls of NumPy and ndarray. Each row must appear in the program below its table,
//! which runs as a doc test. `scripts/fill-guide.py` writes these programs, and runs the NumPy code.

use std::path::Path;

/// Returns the code in the two columns of a table row, or `None` if a column is not code.
fn halves(row: &str) -> Option<(String, String)> {
    let row = row.strip_prefix("| `")?.strip_suffix("` |")?.replace("\\|", "|");
    let (theirs, own) = row.split_once("` | `")?;
    Some((theirs.into(), own.into()))
}

/// Returns the rows of all tables with this header. Each row comes with the program below its table.
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
    for ((_, own), program) in &rows {
        // A statement, which ends with a semicolon, must be the end of a line of the program. An expression must occur in an
        // assertion.
        let asserted = [", ", ")", " - ", ".all_close("].map(|after| format!("({own}{after}"));
        let says_so = |line: &str| match own.ends_with(';') {
            true => line.ends_with(own),
            false => line.contains("assert") && asserted.iter().any(|text| line.contains(text)),
        };
        assert!(program.lines().any(says_so), "run `scripts/fill-guide.py`: no program has `{own}`");
    }
    assert!(rows.len() >= 200, "{} rows", rows.len());
}

#[test]
fn every_row_from_ndarray_is_tested() {
    let text = page("from_ndarray.md");
    let rows = rows(&text, "\n| ndarray | vierbein |\n");
    for ((theirs, own), program) in &rows {
        for half in [theirs, own] {
            assert!(program.contains(half.as_str()), "run `scripts/fill-guide.py`: no program has `{half}`");
        }
    }
    assert!(rows.len() >= 70, "{} rows", rows.len());
}
