//! Tests that products of the factors equal the operand, that vectors are orthonormal, and that results have the documented order
//! and signs.

use super::ldl;
use super::matrix::{Matrix, Number, Random, Value, Wide, cases};
use super::placed::{Call, LAYOUTS, Layout, Placed, Size};
use vierbein::Complex;
use vierbein::linalg::Structure;

/// Asserts that the norm of `error` is at most `bound · T::UNIT · max(m, n) · norm`.
#[track_caller]
fn assert_small<T: Number>(what: &str, name: &str, error: &Wide, bound: f64, shape: [usize; 2], norm: f64) {
    assert_small_norm::<T>(what, name, error.norm(), bound, shape, norm);
}

/// Asserts that `is`, the norm of an error, is at most `bound · T::UNIT · max(m, n) · norm`.
#[track_caller]
fn assert_small_norm<T: Number>(what: &str, name: &str, is: f64, bound: f64, [m, n]: [usize; 2], norm: f64) {
    let most = bound * T::UNIT * m.max(n) as f64 * norm;
    assert!(is <= most, "{what} of {name}, {m} × {n}: {is:e} is more than {most:e}");
}

/// Asserts that the columns are orthonormal.
#[track_caller]
fn assert_orthonormal<T: Number>(what: &str, name: &str, q: &Wide) {
    assert_small_norm::<T>(what, name, q.distance_from_orthonormal(), 12.0, [q.m, q.n], 1.0);
}

/// Asserts that in each column, the first element whose magnitude is at least 0.99 of the largest one is real and positive.
#[track_caller]
fn assert_gauge(what: &str, v: &Wide) {
    for j in 0..v.n {
        let column: Vec<_> = (0..v.m).map(|i| v.at(i, j)).collect();
        let largest = column.iter().map(|x| x.norm()).fold(0.0, f64::max);
        // A column is not checked if an earlier element is so close to the limit 0.99 that rounding errors decide whether it
        // counts.
        let first = column.iter().find(|x| x.norm() > 0.9901 * largest).unwrap();
        let before =
            column.iter().take_while(|x| x.norm() <= 0.9901 * largest).any(|x| x.norm() > 0.9899 * largest);
        assert!(before || first.re > 0.0 && first.im == 0.0, "{what}: {first}");
    }
}

fn of<T: Number>(a: &Wide) -> Matrix<T> {
    a.map(T::rounded)
}

fn wide<T: Value>(values: &[T]) -> Vec<Complex<f64>> {
    values.iter().map(|&x| x.wide()).collect()
}

fn reals<T: Value>(values: &[T]) -> Vec<f64> {
    values.iter().map(|&x| x.wide().re).collect()
}

/// Returns the sizes of factors to test. For square matrices, both are the same call.
fn sizes([m, n]: [usize; 2]) -> &'static [Size] {
    if m == n { &[Size::Thin] } else { &[Size::Thin, Size::Full] }
}

fn check_svd<T: Number>(shape: [usize; 2], name: &str, a: &Matrix<T>) {
    let alone = Call::of(a).singular_values().unwrap().vector(0);
    for &size in sizes(shape) {
        let (u, s, vh) = Call::of(a).svd(size).unwrap();
        let s = s.vector(0);
        assert_svd(shape, name, a, [u.matrix(0), vh.matrix(0)], [&s, &alone]);
    }
}

/// Checks a singular value decomposition. `s` and `alone` are the singular values, computed with and without vectors.
#[track_caller]
fn assert_svd<T: Number>(
    shape: [usize; 2],
    name: &str,
    a: &Matrix<T>,
    [u, vh]: [Matrix<T>; 2],
    [s, alone]: [&[T::Magnitude]; 2],
) where
    T::Magnitude: Value,
{
    let [m, n] = shape;
    let exact = a.wide();
    let norm = exact.norm();
    let (u, vh) = (u.wide(), vh.wide());
    let k = m.min(n);
    let product = u.columns(k).scaled_columns(&wide(s)).times(&vh.adjoint().columns(k).adjoint());
    assert_small::<T>("svd", name, &product.minus(&exact), 20.0, shape, norm);
    assert_orthonormal::<T>("u", name, &u);
    assert_orthonormal::<T>("v", name, &vh.adjoint());
    assert_gauge("u", &u);
    let (s, alone) = (reals(s), reals(alone));
    assert!(s.windows(2).all(|pair| pair[0] >= pair[1]) && s.iter().all(|&s| s >= 0.0), "{name}: {s:?}");
    let difference = s.iter().zip(&alone).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(difference <= 10.0 * T::UNIT * m.max(n) as f64 * norm, "{name}: {s:?} and {alone:?}");
}

fn check_qr<T: Number>(shape: [usize; 2], name: &str, a: &Matrix<T>) {
    let exact = a.wide();
    let alone = Call::of(a).r().unwrap();
    for &size in sizes(shape) {
        let (q, r) = Call::of(a).qr(size).unwrap();
        if size == Size::Thin {
            assert_eq!(alone.matrix(0).bits(), r.matrix(0).bits());
        }
        let (q, r) = (q.matrix(0).wide(), r.matrix(0).wide());
        assert_small::<T>("qr", name, &q.times(&r).minus(&exact), 20.0, shape, exact.norm());
        assert_orthonormal::<T>("q", name, &q);
        for i in 0..r.m {
            let first = (0..r.n).find(|&j| r.at(i, j) != Complex::ZERO);
            assert!(
                first.is_none_or(|j| j >= i && r.at(i, j).re > 0.0 && r.at(i, j).im == 0.0),
                "{name}: row {i}"
            );
        }
    }
}

fn check_lu<T: Number>(shape: [usize; 2], name: &str, a: &Matrix<T>) {
    let [m, n] = shape;
    let exact = a.wide();
    let (lu, rows) = Call::of(a).lu().unwrap();
    let (lu, rows) = (lu.matrix(0).wide(), rows.vector(0));
    let k = m.min(n);
    let one = Complex::from(1.0);
    let l = Matrix::from_fn(m, k, |i, j| {
        if i > j {
            lu.at(i, j)
        } else if i == j {
            one
        } else {
            Complex::ZERO
        }
    });
    let u = Matrix::from_fn(k, n, |i, j| if i <= j { lu.at(i, j) } else { Complex::ZERO });
    let permuted = Matrix::from_fn(m, n, |i, j| exact.at(rows[i] as usize, j));
    let mut sorted = rows.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..m as i64).collect::<Vec<_>>(), "{name}");
    assert_small::<T>("lu", name, &l.times(&u).minus(&permuted), 10.0, shape, exact.norm());
    assert!(l.elements.iter().all(|x| x.norm() < 1.5), "{name}: the pivot is about the largest element");
}

fn check_eigh<T: Number>(shape: [usize; 2], name: &str, a: &Matrix<T>) {
    let (w, v) = Call::of(a).eigh().unwrap();
    let (w, alone) = (w.vector(0), Call::of(a).eigvalsh().unwrap().vector(0));
    assert_eigh(shape, name, a, v.matrix(0), [&w, &alone]);
}

/// Checks eigenvalues and eigenvectors. `w` and `alone` are the eigenvalues, computed with and without vectors.
#[track_caller]
fn assert_eigh<T: Number>(
    shape: [usize; 2],
    name: &str,
    a: &Matrix<T>,
    v: Matrix<T>,
    [w, alone]: [&[T::Magnitude]; 2],
) where
    T::Magnitude: Value,
{
    let n = shape[0];
    // The lower triangle of `a` determines the Hermitian matrix. The upper triangle of `a` has other elements, which must not be
    // used.
    let lower = a.wide();
    let hermitian = Matrix::from_fn(n, n, |i, j| match i.cmp(&j) {
        core::cmp::Ordering::Less => lower.at(j, i).conj(),
        core::cmp::Ordering::Equal => Complex::from(lower.at(i, i).re),
        core::cmp::Ordering::Greater => lower.at(i, j),
    });
    let v = v.wide();
    let product = v.scaled_columns(&wide(w)).times(&v.adjoint());
    assert_small::<T>("eigh", name, &product.minus(&hermitian), 10.0, shape, hermitian.norm());
    assert_orthonormal::<T>("v", name, &v);
    assert_gauge("v", &v);
    let (w, alone) = (reals(w), reals(alone));
    assert!(w.windows(2).all(|pair| pair[0] <= pair[1]), "{name}: {w:?}");
    let difference = w.iter().zip(&alone).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(difference <= 10.0 * T::UNIT * n as f64 * hermitian.norm(), "{name}: {w:?} and {alone:?}");
}

fn check_cholesky<T: Number>(shape: [usize; 2], name: &str, a: &Matrix<T>) {
    let n = shape[0];
    // The matrix is a · aᴴ / ‖a‖² plus the identity, rounded to the type.
    let norm = a.wide().norm().max(f64::MIN_POSITIVE);
    let unit = a.wide().map(|x| x / norm);
    let (square, size) = (unit.times(&unit.adjoint()), 1.0);
    let definite = of::<T>(&square.minus(&Wide::identity(n).map(|x| -x * size)));
    let exact = definite.wide();
    let l = Call::of(&definite).cholesky().unwrap().matrix(0).wide();
    assert_small::<T>("cholesky", name, &l.times(&l.adjoint()).minus(&exact), 10.0, shape, exact.norm());
    for i in 0..n {
        assert!(l.at(i, i).re > 0.0 && l.at(i, i).im == 0.0);
        assert!((i + 1..n).all(|j| l.at(i, j) == Complex::ZERO), "{name}: above the diagonal");
    }
    let b = Random(3).matrix(n, 3).map(T::rounded);
    let x = Call::of(&definite).solve(Structure::PositiveDefinite, &b).unwrap().matrix(0).wide();
    let scale = exact.norm() * x.norm();
    assert_small::<T>("solve", name, &exact.times(&x).minus(&b.wide()), 10.0, shape, scale);
}

fn check<T: Number>() {
    for &shape in super::SHAPES {
        for (name, a) in cases(shape[0], shape[1], !T::IS_COMPLEX) {
            let a = of::<T>(&a);
            check_svd(shape, name, &a);
            check_qr(shape, name, &a);
            check_lu(shape, name, &a);
            if shape[0] == shape[1] {
                check_eigh(shape, name, &a);
                check_cholesky(shape, name, &a);
                ldl::check(name, &a);
            }
        }
    }
}

#[test]
fn residuals_of_f32() {
    if !super::there() {
        return;
    }
    check::<f32>();
}

#[test]
fn residuals_of_f64() {
    if !super::there() {
        return;
    }
    check::<f64>();
}

#[test]
fn residuals_of_complex_f32() {
    if !super::there() {
        return;
    }
    check::<Complex<f32>>();
}

#[test]
fn residuals_of_complex_f64() {
    if !super::there() {
        return;
    }
    check::<Complex<f64>>();
}

/// Decomposes batches with enough small matrices to decompose several at once. Each matrix is in the batch twice, beside different
/// matrices, which must not change the bits of its results.
fn check_batches<T: Number>() {
    let shapes = [
        [1, 1],
        [2, 2],
        [3, 3],
        [3, 4],
        [4, 4],
        [9, 4],
        [5, 5],
        [8, 8],
        [9, 6],
        [12, 12],
        [13, 16],
        [20, 20],
        [24, 24],
    ];
    for (k, [m, n]) in shapes.into_iter().enumerate() {
        let mut cases = cases(m, n, !T::IS_COMPLEX);
        // Builds with debug assertions, which are slow, test a third of the cases of each large shape. Other element types and shapes
        // have the other cases.
        if cfg!(debug_assertions) && m * n > 200 {
            let type_index = 2 * usize::from(T::IS_COMPLEX) + usize::from(T::UNIT > 1e-10);
            cases = cases.into_iter().skip((k + type_index) % 3).step_by(3).collect();
        }
        let names: Vec<_> = cases.iter().chain(cases.iter().rev()).map(|(name, _)| *name).collect();
        let matrices: Vec<_> = cases.iter().chain(cases.iter().rev()).map(|(_, a)| of::<T>(a)).collect();
        let last = matrices.len() - 1;
        // Builds with debug assertions, which are slow, test each shape with one of the layouts.
        let layouts = [Layout::Rows, Layout::Reversed];
        for &layout in if cfg!(debug_assertions) { &layouts[k % 2..][..1] } else { &layouts } {
            let call =
                Call { results: layout, ..Call::new(Placed::batch(&[matrices.len()], &matrices, layout)) };
            let (u, s, vh) = call.svd(Size::Thin).unwrap();
            let alone = call.singular_values().unwrap();
            for (k, a) in matrices.iter().enumerate() {
                let vectors = [u.matrix(k), vh.matrix(k)];
                assert_eq!(
                    vectors.each_ref().map(Matrix::bits),
                    [u.matrix(last - k).bits(), vh.matrix(last - k).bits()]
                );
                assert_eq!(s.vector(k), s.vector(last - k));
                assert_svd([m, n], names[k], a, vectors, [&s.vector(k), &alone.vector(k)]);
            }
            if m != n {
                continue;
            }
            let (w, v) = call.eigh().unwrap();
            let alone = call.eigvalsh().unwrap();
            for (k, a) in matrices.iter().enumerate() {
                assert_eq!(
                    (w.vector(k), v.matrix(k).bits()),
                    (w.vector(last - k), v.matrix(last - k).bits())
                );
                assert_eigh([m, n], names[k], a, v.matrix(k), [&w.vector(k), &alone.vector(k)]);
            }
        }
    }
}

#[test]
fn residuals_of_batches() {
    if !super::there() || !super::BATCHES_EQUAL_LOOPS {
        return;
    }
    check_batches::<f32>();
    check_batches::<f64>();
    check_batches::<Complex<f32>>();
    check_batches::<Complex<f64>>();
}

/// For Hermitian matrices of more than 128 rows, faer uses another algorithm, which needs a norm of about 1. This crate must scale other
/// matrices before it calls faer.
#[test]
fn large_hermitian_matrices_of_any_norm() {
    if !super::computes_large_matrices() {
        return;
    }
    for k in [0, -33, 20] {
        let a = of::<f64>(&Random(5).matrix(131, 131).map(|x| x * 2.0f64.powi(k)));
        check_eigh([131, 131], "random", &a);
    }
    check_svd([131, 131], "random", &of::<f64>(&Random(6).matrix(131, 131)));
}

/// Divide and conquer in faer 0.24 is wrong for these orthogonal projections: the residual of the decomposition is 10⁻⁵. This crate must
/// notice this.
#[test]
fn large_projections() {
    if !super::computes_large_matrices() {
        return;
    }
    let random = of::<f64>(&Random(7).matrix(150, 75));
    let q = Call::of(&random).qr(Size::Thin).unwrap().0.matrix(0).wide();
    let projection = q.times(&q.adjoint());
    check_svd([150, 150], "projection", &of::<f64>(&projection));
    check_svd([150, 150], "projection", &of::<Complex<f64>>(&projection));
}

fn check_solutions<T: Number>() {
    for n in [1, 2, 5, 16, 40] {
        let mut random = Random(n as u64);
        let a = of::<T>(&random.matrix(n, n));
        let b = of::<T>(&random.matrix(n, 3));
        let structures = [
            Structure::General,
            Structure::Hermitian,
            Structure::Lower { unit: false },
            Structure::Upper { unit: false },
            Structure::Lower { unit: true },
            Structure::Upper { unit: true },
        ];
        for structure in structures {
            // The matrix that `solve` uses for this structure: the elements of the triangle that it does not read are zeros, or
            // mirrored for a Hermitian matrix.
            let exact = Matrix::from_fn(n, n, |i, j| {
                let x = a.at(i, j).wide();
                match structure {
                    Structure::Hermitian if j > i => a.at(j, i).wide().conj(),
                    Structure::Hermitian if j == i => Complex::from(x.re),
                    Structure::Lower { .. } if j > i => Complex::ZERO,
                    Structure::Upper { .. } if j < i => Complex::ZERO,
                    Structure::Lower { unit: true } | Structure::Upper { unit: true } if i == j => {
                        Complex::from(1.0)
                    }
                    _ => x,
                }
            });
            for (layout, conjugate) in
                LAYOUTS.into_iter().flat_map(|layout| [(layout, false), (layout, true)])
            {
                let call = Call { a: Placed::of(&a, layout), conjugate, results: layout };
                let x = call.solve(structure, &b).unwrap().matrix(0).wide();
                let exact = if conjugate { exact.conj() } else { exact.clone() };
                let error = exact.times(&x).minus(&b.wide());
                assert_small::<T>(
                    "solve",
                    &format!("{structure:?}"),
                    &error,
                    10.0,
                    [n, n],
                    exact.norm() * x.norm(),
                );
            }
        }
    }
}

#[test]
fn solutions_satisfy_the_equations() {
    if !super::there() {
        return;
    }
    check_solutions::<f32>();
    check_solutions::<f64>();
    check_solutions::<Complex<f32>>();
    check_solutions::<Complex<f64>>();
}

/// The bits of the results must not depend on the layouts of operand and results. An operand that is marked as conjugated must give the
/// same bits as a matrix whose elements were conjugated before.
fn check_layouts<T: Number>() {
    for [m, n] in [[1, 1], [3, 2], [2, 5], [8, 8], [9, 12], [20, 13]] {
        let a = of::<T>(&Random(m as u64).matrix(m, n));
        let conjugated = a.map(|x| T::rounded(x.wide().conj()));
        for (conjugate, equal) in [(false, &a), (true, &conjugated)] {
            let of = Call::of(equal);
            let (svd, qr, lu) = (of.svd(Size::Full).unwrap(), of.qr(Size::Full).unwrap(), of.lu().unwrap());
            let square = (m == n).then(|| (of.eigh().unwrap(), of.eig().unwrap(), of.schur().unwrap()));
            let pairs = LAYOUTS.into_iter().flat_map(|a| [(a, a), (a, Layout::Reversed)]);
            for (layout, results) in pairs {
                let call = Call { a: Placed::of(&a, layout), conjugate, results };
                let (u, s, vh) = call.svd(Size::Full).unwrap();
                assert_eq!(u.matrix(0).bits(), svd.0.matrix(0).bits(), "{layout:?}");
                assert_eq!(s.vector(0), svd.1.vector(0));
                assert_eq!(vh.matrix(0).bits(), svd.2.matrix(0).bits());
                let (q, r) = call.qr(Size::Full).unwrap();
                assert_eq!(q.matrix(0).bits(), qr.0.matrix(0).bits());
                assert_eq!(r.matrix(0).bits(), qr.1.matrix(0).bits());
                let (factors, rows) = call.lu().unwrap();
                assert_eq!(factors.matrix(0).bits(), lu.0.matrix(0).bits());
                assert_eq!(rows.vector(0), lu.1.vector(0));
                if let Some((eigh, eig, schur)) = &square {
                    let (w, v) = call.eigh().unwrap();
                    assert_eq!(w.vector(0), eigh.0.vector(0));
                    assert_eq!(v.matrix(0).bits(), eigh.1.matrix(0).bits());
                    let (w, v) = call.eig().unwrap();
                    assert_eq!(w.vector(0), eig.0.vector(0));
                    assert_eq!(v.matrix(0).bits(), eig.1.matrix(0).bits());
                    let (t, z) = call.schur().unwrap();
                    assert_eq!(t.matrix(0).bits(), schur.0.matrix(0).bits());
                    assert_eq!(z.matrix(0).bits(), schur.1.matrix(0).bits());
                }
            }
        }
    }
}

#[test]
fn layouts_do_not_change_results() {
    if !super::there() {
        return;
    }
    check_layouts::<f32>();
    check_layouts::<f64>();
    check_layouts::<Complex<f32>>();
    check_layouts::<Complex<f64>>();
}
