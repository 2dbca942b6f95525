//! Compares results with values from NumPy and SciPy (`tests/data/linalg.tsv`, written by `scripts/make-linalg-table.py`), for all element
//! types and both memory orders.

use vierbein::linalg::{Structure, Truncation};
use vierbein::prelude::*;
use vierbein::{DType, DynTensor, MemoryOrder, c64};

/// Returns elements `0..len` of the sequence from which operands are made.
fn sequence(len: usize, complex: bool) -> Vec<c64> {
    let element = |k: usize| {
        let im = if complex { ((5 * k + 1) % 7) as f64 - 3.0 } else { 0.0 };
        Complex::new(((7 * k + 3) % 11) as f64 - 5.0, im)
    };
    (0..len).map(element).collect()
}

/// Returns the elements of the operand of this kind, in row-major order.
fn operand(kind: &str, shape: &[usize]) -> Vec<c64> {
    let [.., m, n] = shape[..] else { panic!("{shape:?}") };
    let mut a = sequence(shape.iter().product(), kind.starts_with("complex"));
    for a in a.chunks_mut(m * n) {
        for k in 0..m.min(n) {
            a[k * n + k] += 3.5;
        }
        let old = a.to_vec();
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            if kind.contains("hermitian") {
                a[i * n + j] += old[j * n + i].conj();
            } else if kind.contains("definite") {
                let product: c64 = (0..n).map(|k| old[i * n + k] * old[j * n + k].conj()).sum();
                a[i * n + j] = product + f64::from(u8::from(i == j));
            } else if kind.contains("deficient") && i == m - 1 {
                a[i * n + j] = (0..m - 1).map(|k| old[k * n + j]).sum();
            }
        }
    }
    a
}

/// The element type and the memory order of a test.
#[derive(Debug, Clone, Copy)]
struct Case {
    complex: bool,
    single: bool,
    order: MemoryOrder,
}

impl Case {
    /// Returns a tensor with these elements, which are listed in row-major order. The last `kept` axes of `shape` are those of a matrix
    /// or vector, the others are batch axes. In a column-major tensor, the batch axes come last.
    fn tensor(self, elements: &[c64], shape: &[usize], kept: usize) -> DynTensor {
        let row_major = MemoryOrder::RowMajor;
        let x = if self.complex {
            DynTensor::from_vec(shape, elements.to_vec(), row_major)
        } else {
            DynTensor::from_vec(shape, elements.iter().map(|x| x.re).collect::<Vec<_>>(), row_major)
        };
        let dtype = match (self.complex, self.single) {
            (false, false) => DType::F64,
            (false, true) => DType::F32,
            (true, false) => DType::C64,
            (true, true) => DType::C32,
        };
        let x = x.unwrap().to_dtype(dtype).unwrap();
        if self.order.is_row_major() {
            return x;
        }
        let (rank, batch) = (shape.len(), shape.len() - kept);
        let axes: Vec<usize> = (batch..rank).chain(0..batch).collect();
        x.permute(&axes).unwrap().to_order(self.order).unwrap()
    }

    /// Returns the shape, with the batch axes first, and the elements in row-major order.
    fn elements(self, x: &DynTensor, batch: usize) -> (Vec<usize>, Vec<c64>) {
        let (rank, x) = (x.rank(), x.to_dtype(DType::C64).unwrap());
        let x = if self.order.is_row_major() || rank < 2 {
            x.view()
        } else {
            let axes: Vec<usize> = (rank - batch..rank).chain(0..rank - batch).collect();
            x.permute(&axes).unwrap()
        };
        (x.shape().to_vec(), x.to_order(MemoryOrder::RowMajor).unwrap().to_vec().unwrap())
    }
}

/// Computes the function that `name` selects, such as `inv` or `solve.vector`, for the operand of this kind and shape.
fn compute(name: &str, case: Case, kind: &str, shape: &[usize]) -> DynTensor {
    let [.., m, n] = shape[..] else { panic!("{shape:?}") };
    let x = case.tensor(&operand(kind, shape), shape, 2);
    let vector = case.tensor(&sequence(m, case.complex), &[m], 1);
    let matrix = case.tensor(&sequence(m * 3, case.complex), &[m, 3], 2);
    let pick = |part: &str, (a, b): (DynTensor, DynTensor)| if part == "0" { a } else { b };
    let adjoint = |x: &DynTensor| x.adjoint().unwrap();
    let number = |text: &str| text.parse().unwrap();
    let result = match name.split_once('.').unwrap_or((name, "")) {
        ("det", _) => x.det(),
        ("slogdet", part) => x.slogdet().map(|pair| pick(part, pair)),
        ("inv", _) => x.inv(),
        ("solve", "vector") => x.solve(&vector),
        ("solve", "matrix") => x.solve(&matrix),
        ("solve", "lower") => x.solve_as(Structure::Lower { unit: false }, &matrix),
        ("solve", "unit_upper") => x.solve_as(Structure::Upper { unit: true }, &matrix),
        ("solve", "hermitian") => x.solve_as(Structure::Hermitian, &matrix),
        ("solve", "definite") => x.solve_as(Structure::PositiveDefinite, &matrix),
        ("matrix_power", exponent) => x.matrix_power(exponent.parse().unwrap()),
        ("expm", _) => {
            case.tensor(&operand(kind, shape).iter().map(|x| x / 4.0).collect::<Vec<_>>(), shape, 2).expm()
        }
        ("eigvalsh", _) => {
            let values = x.eigvalsh();
            let (w, _) = x.eigh().unwrap();
            let ((_, w), (_, other)) = (case.elements(&w, 0), case.elements(values.as_ref().unwrap(), 0));
            let unit = if case.single { f32::EPSILON.into() } else { f64::EPSILON };
            assert!(w.iter().zip(&other).all(|(x, y)| (x - y).norm() < 1e4 * unit), "{w:?} {other:?}");
            values
        }
        ("eigh_generalized", _) => {
            let a = case.tensor(&operand(&format!("{kind} hermitian"), shape), shape, 2);
            let b = case.tensor(&operand(&format!("{kind} definite"), shape), shape, 2);
            a.eigh_generalized(&b).map(|(w, _)| w)
        }
        ("eigvals", _) => x.eigvals(),
        ("sqrtm", _) => x.sqrtm(),
        ("logm", _) => x.logm(),
        ("cholesky", _) => x.cholesky(),
        ("ldl", "det") => x.ldl().and_then(|ldl| ldl.d.det()),
        ("lu", part) => x.lu().map(|lu| match part {
            "0" => lu.l,
            "1" => lu.u,
            _ => lu.rows,
        }),
        ("singular_values", _) => {
            let svd = x.svd_truncated(Truncation::new()).unwrap().0;
            let whole = x.svd().unwrap();
            assert_eq!((svd.u, svd.s, svd.vh), (whole.u, whole.s, whole.vh));
            x.singular_values()
        }
        ("hermitian_map", "exp") => x.hermitian_map(|w| (w / 8.0).exp()),
        ("hermitian_map", _) => x.hermitian_map(f64::sqrt),
        ("pinv", _) => x.pinv(),
        ("pinv_with", relative) => x.pinv_with(number(relative)),
        ("matrix_rank_with", relative) => x.matrix_rank_with(number(relative)),
        ("lstsq_with", relative) => x.lstsq_with(&vector, number(relative)),
        ("null_space_with", relative) => {
            x.null_space_with(number(relative)).map(|v| v.matmul(&adjoint(&v)).unwrap())
        }
        ("orth_with", relative) => x.orth_with(number(relative)).map(|v| v.matmul(&adjoint(&v)).unwrap()),
        ("matrix_rank", _) => x.matrix_rank(),
        ("cond", _) => x.cond(),
        ("nuclear_norm", _) => x.nuclear_norm(),
        ("spectral_norm", _) => x.spectral_norm(),
        ("adjoint", _) => x.adjoint(),
        ("qr", part) => x.qr().map(|pair| pick(part, pair)),
        ("qr_complete", part) => x.qr_complete().map(|pair| pick(part, pair)),
        ("lq", part) => x.lq().map(|pair| pick(part, pair)),
        ("rq", part) => x.rq().map(|pair| pick(part, pair)),
        ("polar", part) => x.polar().map(|pair| pick(part, pair)),
        ("lstsq", "vector") => x.lstsq(&vector),
        ("lstsq", _) => x.lstsq(&matrix),
        ("null_space", _) => x.null_space().map(|v| v.matmul(&adjoint(&v)).unwrap()),
        ("orth", _) => x.orth().map(|v| v.matmul(&adjoint(&v)).unwrap()),
        other => panic!("{other:?} with {n} columns"),
    };
    result.unwrap()
}

#[test]
fn numpy_and_scipy() {
    let table = include_str!("../data/linalg.tsv");
    let mut count = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, kind, shape, result, elements] = cells[..] else { panic!("{line}") };
        let numbers = |text: &str| match text {
            "-" => vec![],
            _ => text.split(',').map(|n| n.parse().unwrap()).collect::<Vec<usize>>(),
        };
        let (shape, result) = (numbers(shape), numbers(result));
        let number = |text: &str| {
            let mut parts = text.split(' ').map(|part| part.parse::<f64>().unwrap());
            Complex::new(parts.next().unwrap(), parts.next().unwrap_or(0.0))
        };
        let expected: Vec<c64> =
            if elements.is_empty() { vec![] } else { elements.split(',').map(number).collect() };
        let largest = expected.iter().map(|x| x.norm()).fold(1.0, f64::max);
        // The condition number of an operand is at most 200. A definite matrix is a product of such operands, so its condition number
        // is squared, and the tolerance is larger. `logm` has the larger tolerance, too.
        let factor =
            if name == "eigh_generalized" || name == "logm" || kind.contains("definite") { 1e6 } else { 1e4 };
        for single in [false, true] {
            for order in [MemoryOrder::RowMajor, MemoryOrder::ColMajor] {
                let case = Case { complex: kind.starts_with("complex"), single, order };
                let what = format!("{name} of {kind} {shape:?}, {case:?}");
                let found = compute(name, case, kind, &shape);
                let (found_shape, mut found) = case.elements(&found, shape.len() - 2);
                assert_eq!(found_shape, result, "{what}");
                if name == "eigvals" {
                    // The order of eigenvalues is not specified. For each expected value, the nearest found value is moved to the index
                    // of the expected one.
                    let n = result[result.len() - 1];
                    for (k, value) in expected.iter().enumerate() {
                        let near = |&j: &usize| (found[j] - value).norm();
                        let following = k..k - k % n + n;
                        let nearest = following.min_by(|i, j| near(i).total_cmp(&near(j))).unwrap();
                        found.swap(k, nearest);
                    }
                }
                let unit = if single { f32::EPSILON.into() } else { f64::EPSILON };
                for (k, (x, y)) in found.iter().zip(&expected).enumerate() {
                    assert!(
                        (x - y).norm() <= factor * unit * largest,
                        "{what}: element {k} is {x}, expected {y}"
                    );
                }
                count += 1;
            }
        }
    }
    assert!(count > 3000, "{count}");
}
