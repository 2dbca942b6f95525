//! Tests of the LDLᴴ decomposition: the form of the factors, their product, and matrices with known factors.

use super::matrix::{Matrix, Number, Random, Value, Wide};
use super::placed::{Call, Layout, Placed};
use vierbein::linalg::Structure;
use vierbein::{Complex, Error};

/// Returns the Hermitian matrix with this lower triangle.
fn from_lower(lower: &Wide) -> Wide {
    Matrix::from_fn(lower.n, lower.n, |i, j| match i.cmp(&j) {
        core::cmp::Ordering::Less => lower.at(j, i).conj(),
        core::cmp::Ordering::Equal => Complex::from(lower.at(i, i).re),
        core::cmp::Ordering::Greater => lower.at(i, j),
    })
}

/// Checks the form of the factors, and returns the numbers of positive, negative and zero eigenvalues of `d`.
#[track_caller]
fn check_form(what: &str, l: &Wide, d: &Wide, rows: &[i64]) -> [usize; 3] {
    let n = l.n;
    let mut sorted = rows.to_vec();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..n as i64).collect::<Vec<_>>(), "{what}");
    for i in 0..n {
        assert_eq!((l.at(i, i), d.at(i, i).im), (Complex::from(1.0), 0.0), "{what}: diagonal");
        for j in i + 1..n {
            assert_eq!(l.at(i, j), Complex::ZERO, "{what}: above the diagonal of l");
            assert_eq!(d.at(i, j), d.at(j, i).conj(), "{what}: d is Hermitian");
            assert!(j == i + 1 || d.at(i, j) == Complex::ZERO, "{what}: far from the diagonal of d");
        }
    }
    let (mut signs, mut k) = ([0; 3], 0);
    while k < n {
        if k + 1 < n && d.at(k + 1, k) != Complex::ZERO {
            assert!(
                d.at(k, k).re * d.at(k + 1, k + 1).re < d.at(k + 1, k).norm_sqr(),
                "{what}: block at {k}"
            );
            assert_eq!(l.at(k + 1, k), Complex::ZERO, "{what}: block at {k}");
            assert!(
                k + 2 >= n || d.at(k + 2, k + 1) == Complex::ZERO,
                "{what}: blocks of more than two rows"
            );
            (signs[0], signs[1], k) = (signs[0] + 1, signs[1] + 1, k + 2);
        } else {
            let x = d.at(k, k).re;
            signs[if x > 0.0 {
                0
            } else if x < 0.0 {
                1
            } else {
                2
            }] += 1;
            k += 1;
        }
    }
    signs
}

/// Returns the norm of `l · d · lᴴ − a`. All matrices have the form that `check_form` asserts: `l` is triangular, and `d` is 0 except on its
/// diagonal and next to it. The difference is Hermitian, so its lower triangle determines the norm.
fn residual(l: &Wide, d: &Wide, a: impl Fn(usize, usize) -> Complex<f64>) -> f64 {
    let n = l.n;
    let scaled: Wide = Matrix::from_fn(n, n, |i, j| {
        (j.saturating_sub(1)..n.min(j + 2))
            .fold(Complex::ZERO, |sum: Complex<f64>, k| sum + l.at(i, k) * d.at(k, j))
    });
    let mut square = 0.0;
    for i in 0..n {
        for j in 0..=i {
            let (x, y) = (&scaled.elements[i * n..][..n], &l.elements[j * n..][..n]);
            let mut error = -a(i, j);
            // Without iterators and operators of `Complex`, which are slow in builds without optimisation.
            let mut k = 0;
            while k <= j {
                error.re += x[k].re * y[k].re + x[k].im * y[k].im;
                error.im += x[k].im * y[k].re - x[k].re * y[k].im;
                k += 1;
            }
            square += if i == j { 1.0 } else { 2.0 } * (error.re * error.re + error.im * error.im);
        }
    }
    square.sqrt()
}

/// Checks the decomposition of the matrix with this lower triangle. Returns the numbers of positive, negative and zero eigenvalues
/// of `d`.
#[track_caller]
pub(super) fn check<T: Number>(what: &str, a: &Matrix<T>) -> [usize; 3] {
    let (n, exact) = (a.n, from_lower(&a.wide()));
    let what = format!("{what}, {n} rows");
    let (l, d, rows) = Call::of(a).ldl().unwrap();
    let (l, d, rows) = (l.matrix(0).wide(), d.matrix(0).wide(), rows.vector(0));
    let signs = check_form(&what, &l, &d, &rows);
    let error = residual(&l, &d, |i, j| exact.at(rows[i] as usize, rows[j] as usize));
    let most = 10.0 * T::UNIT * n as f64 * exact.norm();
    assert!(error <= most, "{what}: {error:e} is more than {most:e}");
    signs
}

/// Checks matrices with known numbers of positive and negative eigenvalues, and solves systems with them.
fn check_signs<T: Number>() {
    // Some sizes are close to multiples of the width of a panel in the blocked algorithm. A panel has at most 32 columns, and ends when
    // a pivot with two columns would not fit.
    for n in [1, 2, 3, 8, 30, 31, 32, 33, 40, 64, 65, 100] {
        for negative in [0, n / 3, n] {
            // The matrix is l · diag(±1) · lᴴ with rows and columns in reverse order. By Sylvester's law of inertia, it has as many
            // negative eigenvalues as diag(±1).
            let random = Random((n + negative) as u64).matrix(n, n);
            let l = Matrix::from_fn(n, n, |i, j| match i.cmp(&j) {
                core::cmp::Ordering::Less => Complex::ZERO,
                core::cmp::Ordering::Equal => Complex::from(1.0),
                core::cmp::Ordering::Greater if T::IS_COMPLEX => random.at(i, j) / n as f64,
                core::cmp::Ordering::Greater => Complex::from(random.at(i, j).re / n as f64),
            });
            let signs: Vec<_> =
                (0..n).map(|k| Complex::from(if k < negative { -1.0 } else { 1.0 })).collect();
            let product = l.scaled_columns(&signs).times(&l.adjoint());
            let a = Matrix::from_fn(n, n, |i, j| T::rounded(product.at(n - 1 - i, n - 1 - j)));
            assert_eq!(check("signs", &a), [n - negative, negative, 0]);
            let b = Random(3).matrix(n, 3).map(T::rounded);
            let x = Call::of(&a).solve(Structure::Hermitian, &b).unwrap().matrix(0).wide();
            let (exact, error) = (a.wide(), a.wide().times(&x).minus(&b.wide()).norm());
            let most = 10.0 * T::UNIT * n as f64 * exact.norm() * x.norm();
            assert!(error <= most, "{n}: {error:e} is more than {most:e}");
        }
        // The diagonal is 0, so the first pivot is a 2 × 2 block.
        let a = Random(n as u64).matrix(n, n);
        check(
            "zero diagonal",
            &Matrix::from_fn(n, n, |i, j| T::rounded(if i == j { Complex::ZERO } else { a.at(i, j) })),
        );
        // A matrix of a saddle-point problem: the lower right block is 0.
        check(
            "saddle point",
            &Matrix::from_fn(n, n, |i, j| {
                T::rounded(if i >= n / 2 && j >= n / 2 { Complex::ZERO } else { a.at(i, j) })
            }),
        );
    }
}

#[test]
fn signs_and_solutions() {
    check_signs::<f32>();
    check_signs::<f64>();
    check_signs::<Complex<f32>>();
    check_signs::<Complex<f64>>();
}

#[test]
fn large_matrices() {
    for n in [129, 200] {
        let a = Random(n as u64).matrix(n, n);
        check("random", &a);
        check("random", &a.map(|x| x.re));
        let left = Matrix::from_fn(n, 20, |i, j| a.at(i, j));
        let deficient =
            left.scaled_columns(&(0..20).map(|k| Complex::from(k as f64 - 9.5)).collect::<Vec<_>>());
        check("rank 20", &deficient.times(&left.adjoint()));
        let graded = |i: usize, j: usize| a.at(i, j).re * 10f64.powi(-((i.max(j) / 8) as i32));
        check("graded", &Matrix::from_fn(n, n, graded));
    }
}

fn real<const N: usize>(elements: [[f64; N]; N]) -> Matrix<f64> {
    Matrix::from_fn(N, N, |i, j| elements[i][j])
}

/// Asserts exact factors.
#[track_caller]
fn assert_factors<T: Number>(a: &Matrix<T>, l: &Matrix<T>, d: &Matrix<T>, rows: &[i64]) {
    let found = Call::of(a).ldl().unwrap();
    assert_eq!(found.2.vector(0), rows);
    assert_eq!(found.0.matrix(0).elements, l.elements);
    assert_eq!(found.1.matrix(0).elements, d.elements);
}

#[test]
fn closed_forms() {
    let identity = |n| Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    let zeros = |n| Matrix::from_fn(n, n, |_, _| 0.0);
    assert_factors(&real([[-3.0]]), &identity(1), &real([[-3.0]]), &[0]);
    assert_factors(&real([[0.0, 1.0], [1.0, 0.0]]), &identity(2), &real([[0.0, 1.0], [1.0, 0.0]]), &[0, 1]);
    for n in [1, 3, 100] {
        let rows: Vec<_> = (0..n as i64).collect();
        assert_factors(&identity(n), &identity(n), &identity(n), &rows);
        assert_factors(&zeros(n), &identity(n), &zeros(n), &rows);
    }
    let (zero, i) = (Complex::ZERO, Complex::<f64>::I);
    let pauli = Matrix { m: 2, n: 2, elements: vec![zero, -i, i, zero] };
    assert_factors(&pauli, &Wide::identity(2), &pauli, &[0, 1]);
    // The adjacency matrix of a path of three vertices, which is singular.
    assert_factors(
        &real([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]),
        &real([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]),
        &real([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
        &[0, 1, 2],
    );
    // The largest element of the diagonal is the first pivot.
    assert_factors(
        &real([[1.0, 4.0], [4.0, 8.0]]),
        &real([[1.0, 0.0], [0.5, 1.0]]),
        &real([[8.0, 0.0], [0.0, -1.0]]),
        &[1, 0],
    );
}

/// After the elimination of the first column, all off-diagonal elements are exactly 0. faer's blocked algorithm computes wrong
/// factors in this case.
#[test]
fn columns_that_cancel() {
    for n in [2, 10, 31, 32, 33, 64, 65, 100, 200] {
        let pattern = |corner: f64, first: f64, diagonal: f64, other: f64| {
            Matrix::from_fn(n, n, |i, j| match (i, j) {
                (0, 0) => corner,
                (_, 0) => first,
                (0, _) => {
                    if other == 0.0 {
                        0.0
                    } else {
                        first
                    }
                }
                _ if i == j => diagonal,
                _ => other,
            })
        };
        let (l, d) = (pattern(1.0, 0.5, 1.0, 0.0), pattern(4.0, 0.0, 1.0, 0.0));
        let a = pattern(4.0, 2.0, 2.0, 1.0);
        assert_factors(&a, &l, &d, &(0..n as i64).collect::<Vec<_>>());
        // A block-diagonal matrix. One block is `a`, the other is a single, much larger element.
        let m = n + 1;
        let large = Matrix::from_fn(m, m, |i, j| {
            if i < n && j < n {
                a.at(i, j)
            } else if i == j {
                1e20
            } else {
                0.0
            }
        });
        let x = Call::of(&large).ldl().unwrap();
        let (l, d) = (x.0.matrix(0), x.1.matrix(0));
        assert!((2..m).all(|i| l.at(i, 1) == 0.5 && (2..i).all(|j| l.at(i, j) == 0.0)), "{n}");
        assert_eq!((d.at(0, 0), d.at(1, 1), d.at(n, n)), (1e20, 4.0, 1.0), "{n}");
        let b = Matrix::from_fn(n, 1, |i, _| (0..n).map(|j| a.at(i, j)).sum());
        let x = Call::of(&a).solve(Structure::Hermitian, &b).unwrap().matrix(0);
        assert!(x.elements.iter().all(|x| (x - 1.0).abs() < 1e-12), "{n}: {x:?}");
    }
}

/// Tests matrices with elements whose quotients overflow or underflow.
#[test]
fn factors_do_not_overflow() {
    let a = real([[0.0, 1e-200, 0.0], [1e-200, 0.0, 1e200], [0.0, 1e200, 0.0]]);
    let d = real([[0.0, 1e200, 0.0], [1e200, 0.0, 0.0], [0.0, 0.0, 0.0]]);
    assert_factors(&a, &Matrix::from_fn(3, 3, |i, j| f64::from(u8::from(i == j))), &d, &[1, 2, 0]);
    let tiny = real([[1e-310, 1e-311, 0.0], [1e-311, 1e-310, 0.0], [0.0, 0.0, 1.0]]);
    let (l, d, rows) = Call::of(&tiny).ldl().unwrap();
    assert_eq!(rows.vector(0)[0], 2);
    assert!((l.matrix(0).at(2, 1) - 0.1).abs() < 1e-12);
    assert!((d.matrix(0).at(2, 2) / 0.99e-310 - 1.0).abs() < 1e-12);
    // A larger complex matrix with the pattern of `a`: next to the diagonal, large and tiny elements alternate. The signs of its large
    // eigenvalues are known.
    let graded = Matrix::from_fn(12, 12, |i, j| {
        let x = if i == j + 1 { 10f64.powi(if i % 2 == 0 { 190 } else { -190 }) } else { 0.0 };
        Complex::new(0.6 * x, 0.8 * x)
    });
    let (l, d, rows) = Call::of(&graded).ldl().unwrap();
    let (l, d) = (l.matrix(0), d.matrix(0));
    assert!(l.elements.iter().all(|x| x.norm() < 3.0));
    // Each of the five large elements contributes a positive and a negative eigenvalue. The first and the last row are negligible
    // in comparison.
    let signs = check_form("graded", &l, &d, &rows.vector(0));
    assert!(signs[0] >= 5 && signs[1] >= 5, "{signs:?}");
}

#[test]
fn powers_of_two_scale_d_exactly() {
    fn check<T: Number>(powers: &[i32]) {
        for n in [1, 2, 5, 20, 33, 70] {
            let integer = |x: Complex<f64>| Complex::new((x.re * 8.0).round(), (x.im * 8.0).round());
            let a = Random(7).matrix(n, n).map(|x| T::rounded(integer(x)));
            let (l, d, rows) = Call::of(&a).ldl().unwrap();
            for &k in powers {
                let of = Call::of(&a.map(|x| x.shift(k))).ldl().unwrap();
                assert_eq!(l.matrix(0).bits(), of.0.matrix(0).bits(), "{n}, 2^{k}");
                assert_eq!(d.matrix(0).map(|x| x.shift(k)).bits(), of.1.matrix(0).bits(), "{n}, 2^{k}");
                assert_eq!(rows.vector(0), of.2.vector(0), "{n}, 2^{k}");
            }
        }
    }
    check::<f64>(&[-700, -33, 1, 900, 1010]);
    check::<Complex<f64>>(&[-700, 1, 900]);
    check::<f32>(&[-80, -20, 1, 110]);
    check::<Complex<f32>>(&[-80, 1, 110]);
    // Subnormal elements have fewer digits, so the factors are not exact multiples of those of the unscaled matrix. Only the product of
    // the factors is checked.
    super::ldl::check("denormal", &Random(1).matrix(9, 9).map(|x| f32::rounded(x).shift(-110)));
}

/// The bits of the results must not depend on the layout, on the elements above the diagonal, or on the imaginary parts on the diagonal.
fn check_layouts<T: Number>() {
    for n in [1, 2, 3, 9, 70] {
        let lower = Random(n as u64).matrix(n, n);
        let a = lower.map(T::rounded);
        let conjugated = a.map(|x| T::rounded(x.wide().conj()));
        let exact = from_lower(&lower).map(T::rounded);
        let (l, d, rows) = Call::of(&a).ldl().unwrap();
        let of = Call::of(&exact).ldl().unwrap();
        assert_eq!((l.matrix(0).bits(), d.matrix(0).bits()), (of.0.matrix(0).bits(), of.1.matrix(0).bits()));
        assert_eq!(rows.vector(0), of.2.vector(0));
        let b = Random(2).matrix(n, 2).map(T::rounded);
        for conjugate in [false, true] {
            let expected = Call::of(if conjugate { &conjugated } else { &a });
            let solve = |call: &Call<T>| call.solve(Structure::Hermitian, &b).unwrap().matrix(0).bits();
            let (of, solution) = (expected.ldl().unwrap(), solve(&expected));
            for layout in super::placed::LAYOUTS {
                let call = Call { a: Placed::of(&a, layout), conjugate, results: layout };
                let found = call.ldl().unwrap();
                assert_eq!(found.0.matrix(0).bits(), of.0.matrix(0).bits(), "{layout:?}");
                assert_eq!(found.1.matrix(0).bits(), of.1.matrix(0).bits(), "{layout:?}");
                assert_eq!(found.2.vector(0), of.2.vector(0), "{layout:?}");
                assert_eq!(solve(&call), solution, "{layout:?}");
            }
        }
    }
}

#[test]
fn layouts_do_not_change_results() {
    check_layouts::<f32>();
    check_layouts::<f64>();
    check_layouts::<Complex<f32>>();
    check_layouts::<Complex<f64>>();
}

#[test]
fn batches_equal_loops() {
    let matrices: Vec<_> = (0..6).map(|k| Random(k).matrix(7, 7)).collect();
    for layout in [Layout::Rows, Layout::Columns, Layout::Reversed] {
        let call = Call { results: layout, ..Call::new(Placed::batch(&[2, 3], &matrices, layout)) };
        let (l, d, rows) = call.ldl().unwrap();
        for (k, a) in matrices.iter().enumerate() {
            let of = Call::of(a).ldl().unwrap();
            assert_eq!(l.matrix(k).bits(), of.0.matrix(0).bits());
            assert_eq!(d.matrix(k).bits(), of.1.matrix(0).bits());
            assert_eq!(rows.vector(k), of.2.vector(0));
        }
    }
}

#[test]
fn singular_systems_name_the_pivot() {
    let b = Matrix::from_fn(3, 1, |_, _| 1.0);
    let pivot = |a: &Matrix<f64>| match Call::of(a).solve(Structure::Hermitian, &b) {
        Err(Error::Singular { pivot, .. }) => pivot,
        other => panic!("{other:?}"),
    };
    assert_eq!(pivot(&real([[0.0; 3]; 3])), 0);
    assert_eq!(pivot(&real([[1.0; 3]; 3])), 1);
    assert_eq!(pivot(&real([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])), 2);
    // This matrix has zeros on its diagonal, but it is not singular, because one of its pivots is a block of two rows.
    let exchange = real([[0.0, 0.0, 2.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0]]);
    let x = Call::of(&exchange).solve(Structure::Hermitian, &b).unwrap().matrix(0);
    assert_eq!(x.elements, [0.5, 1.0, 0.5]);
}
