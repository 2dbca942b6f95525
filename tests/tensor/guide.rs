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

/// The first programs of a NumPy user: a scaled unit matrix, and real beside complex numbers. The values are NumPy's.
#[test]
fn exercises_of_a_newcomer() {
    use vierbein::prelude::*;
    // 2.0 * np.eye(2) + [[0, 1], [1, 0]]
    let x = 2.0 * Tensor::<f64, _>::eye(2) + tensor![[0.0, 1.0], [1.0, 0.0]];
    assert_eq!(x, tensor![[2.0, 1.0], [1.0, 2.0]]);
    // np.exp(1j * np.array([0, np.pi / 2])) * [2, 3]
    let phases =
        (Complex::new(0.0, 1.0) * tensor![0.0, std::f64::consts::FRAC_PI_2]).exp() * tensor![2.0, 3.0];
    assert!(phases.all_close(tensor![Complex::new(2.0, 0.0), Complex::new(0.0, 3.0)], 1e-15, 1e-15));
    // x[0] += 1; x[:, 1] *= 2
    let mut x = x;
    x.slice_mut(s![0, ..]).add_assign(1.0);
    x.slice_mut(s![.., 1]).mul_assign(2.0);
    assert_eq!(x, tensor![[3.0, 4.0], [1.0, 4.0]]);
    // x[x > 3]
    assert_eq!(x.masked(x.gt(3.0)), tensor![4.0, 4.0]);
    // total = 0.0; total += x.sum()
    let mut total = 0.0;
    total += x.sum();
    assert_eq!(total, 12.0);
    // np.negative(x), np.median(x)
    assert_eq!(x.apply(op::Neg).sum(), -12.0);
    assert_eq!(x.flatten().quantile(0, 0.5, Quantile::Linear), 3.5);
}

/// Sums of bytes. NumPy sums them in 64 bits; here, a sum that does not fit is an error, which names both ways out.
#[test]
fn exercises_with_bytes() {
    use vierbein::prelude::*;
    // image = np.array([[200, 100], [50, 200]], np.uint8); image.sum(), image.sum(axis=0), image.prod(axis=1), image.trace()
    let image = tensor![[200u8, 100], [50, 200]];
    let error = image.try_sum().unwrap_err().to_string();
    assert!(error.contains("`.cast::<u64>()`") && error.contains("sum_as"), "{error}");
    assert_eq!(image.sum_as::<i64>(), 550);
    assert_eq!(image.cast::<i64>().sum(), 550);
    assert_eq!(image.sum_axis_as::<u64>(0), tensor![250, 300]);
    assert_eq!(image.prod_axis_as::<u64>(1), tensor![20_000, 10_000]);
    assert_eq!(image.trace_as::<u64>(0, 1), 400);
    // image.cumsum(axis=1), which has no form with another type, and image.mean()
    assert_eq!(image.cast::<i64>().cumsum(1), tensor![[200, 300], [50, 250]]);
    assert_eq!(image.mean(), 137.5);
    // A sum that fits is a sum in the type of the elements.
    assert_eq!(tensor![1u8, 2].sum(), 3);
}

/// Indices and counts that the library returns are indices and counts of its methods. The values are NumPy's.
#[test]
fn exercises_with_indices() {
    use vierbein::prelude::*;
    let (x, names) = (tensor![3.0, -1.0, 2.0, 5.0, 2.0], tensor![10, 20, 30, 40, 50]);
    // names[x.argmax()], x[np.argsort(x)], names[np.argsort(x)[:2]]
    assert_eq!(names[[x.argmax().item()]], 40);
    assert_eq!(x.take(0, x.argsort(0)), tensor![-1.0, 2.0, 2.0, 3.0, 5.0]);
    assert_eq!(names.take(0, x.argsort(0).slice(s![..2])), tensor![20, 30]);
    // m[np.unravel_index(m.argmax(), m.shape)]
    let m = tensor![[1.0, 7.0], [3.0, 4.0]];
    assert_eq!(m[m.unravel_index(m.argmax().item())], 7.0);
    assert_eq!(m.slice(s![m.argmax_axis(0)[[0]], ..]), tensor![3.0, 4.0]);
    // x[np.argmax(x < 2):], x[np.nonzero(x > 2)], m[np.nonzero(m > 2)]
    assert_eq!(x.slice(s![x.lt(2.0).argmax().item()..]), tensor![-1.0, 2.0, 5.0, 2.0]);
    assert_eq!(x.at(x.gt(2.0).nonzero()), tensor![3.0, 5.0]);
    assert_eq!(m.at(m.gt(2.0).nonzero()), tensor![7.0, 3.0, 4.0]);
    // k = np.searchsorted(names, 30); names[k:], names[:k]
    let k = names.searchsorted(tensor![30], Side::Left)[[0]];
    assert_eq!(names.slice(s![k..]), tensor![30, 40, 50]);
    assert_eq!(names.slice(s![..k]), tensor![10, 20]);
    // values, counts = np.unique(x, return_counts=True); np.repeat(values, counts)
    let unique = x.unique_with();
    assert_eq!(unique.values.repeat(0, &unique.counts), tensor![-1.0, 2.0, 2.0, 3.0, 5.0]);
    // np.bincount of labels, and rows chosen by a count
    assert_eq!(names.slice(s![..x.gt(2.0).count().item()]), tensor![10, 20]);
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
