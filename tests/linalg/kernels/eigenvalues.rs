//! Tests of eigenvalues and Schur decompositions of matrices that need not be Hermitian.

use super::matrix::{Matrix, Number, Random, Value, Wide, cases};
use super::placed::Call;
use vierbein::Complex;

/// Returns the absolute difference between the norm of each column and 1.
fn lengths(v: &Wide) -> impl Iterator<Item = f64> {
    (0..v.n).map(|j| ((0..v.m).map(|i| v.at(i, j).norm_sqr()).sum::<f64>().sqrt() - 1.0).abs())
}

/// Returns the trace of `a · a`, without computing the other elements of the product.
fn trace_of_square(a: &Wide) -> Complex<f64> {
    let mut trace = Complex::new(0.0, 0.0);
    for i in 0..a.n {
        for j in 0..a.n {
            trace += a.at(i, j) * a.at(j, i);
        }
    }
    trace
}

/// Asserts that `a · v = v · diag(w)`, and that the columns of `v` have norm 1. For real matrices, also asserts that complex
/// eigenvalues are in conjugate pairs, and that the eigenvalue with the positive imaginary part is the first of each pair.
#[track_caller]
fn check_eig<T: Number>(name: &str, a: &Matrix<T>) {
    let n = a.n;
    let exact = a.wide();
    let (w, v) = Call::of(a).eig().unwrap();
    let (w, v) = (w.vector(0), v.matrix(0).wide());
    let w: Vec<_> = w.into_iter().map(Value::wide).collect();
    let error = exact.times(&v).minus(&v.scaled_columns(&w)).norm();
    let unit = T::UNIT * n as f64;
    let most = 20.0 * unit * exact.norm().max(f64::MIN_POSITIVE);
    assert!(error <= most, "eig of {name}, {n}: {error:e} is more than {most:e}");
    assert!(lengths(&v).all(|error| error <= 10.0 * unit), "vectors of {name}, {n}");
    let alone: Vec<_> = Call::of(a).eigvals().unwrap().vector(0).into_iter().map(Value::wide).collect();
    // The sums of the eigenvalues and of their squares are the traces of `a` and of `a · a`.
    let traces = [(0..n).map(|i| exact.at(i, i)).sum::<Complex<f64>>(), trace_of_square(&exact)];
    let norm = exact.norm();
    for values in [&w, &alone] {
        let sums = [values.iter().sum::<Complex<f64>>(), values.iter().map(|w| w * w).sum()];
        assert!((sums[0] - traces[0]).norm() <= 20.0 * unit * norm, "sum of {name}, {n}");
        assert!((sums[1] - traces[1]).norm() <= 40.0 * unit * norm * norm, "squares of {name}, {n}");
        if !T::IS_COMPLEX {
            let mut k = 0;
            while k < n {
                if values[k].im == 0.0 {
                    k += 1;
                } else {
                    assert!(values[k].im > 0.0 && values[k + 1] == values[k].conj(), "{name}: {values:?}");
                    k += 2;
                }
            }
        }
    }
    if !T::IS_COMPLEX {
        for (j, value) in w.iter().enumerate() {
            if value.im < 0.0 {
                assert!((0..n).all(|i| v.at(i, j) == v.at(i, j - 1).conj()), "{name}");
            }
        }
    }
}

/// Asserts that `a = z · t · zᴴ`, that `z` is unitary, and that `t` is triangular. For real types, `t` may also have 2 × 2 blocks on its
/// diagonal, with equal diagonal elements and with other elements of opposite signs.
#[track_caller]
fn check_schur<T: Number>(name: &str, a: &Matrix<T>) {
    let n = a.n;
    let exact = a.wide();
    let (t, z) = Call::of(a).schur().unwrap_or_else(|error| panic!("{name}: {error}"));
    let (t, z) = (t.matrix(0).wide(), z.matrix(0).wide());
    let unit = T::UNIT * n as f64;
    let error = z.times(&t).times(&z.adjoint()).minus(&exact).norm();
    assert!(error <= 10.0 * unit * exact.norm(), "schur of {name}, {n}: {error:e}");
    let error = z.distance_from_orthonormal();
    // For some defective matrices, the iteration needs many sweeps, and each has rounding errors.
    assert!(error <= 20.0 * unit, "z of {name}, {n}: {error:e} is more than {:e}", 20.0 * unit);
    for j in 0..n {
        for i in j + 1..n {
            let below = t.at(i, j);
            if i == j + 1 && below != Complex::ZERO {
                assert!(!T::IS_COMPLEX, "{name}");
                let [p, b, c, d] = [(j, j), (j, i), (i, j), (i, i)].map(|(i, j)| t.at(i, j).re);
                assert!(p == d && b * c < 0.0, "{name}: [[{p}, {b}], [{c}, {d}]]");
                assert!(i + 1 == n || t.at(i + 1, i) == Complex::ZERO, "{name}: blocks overlap");
            } else {
                assert_eq!(below, Complex::ZERO, "{name}, {i}, {j}");
            }
        }
    }
}

fn check<T: Number>() {
    for n in [1, 2, 3, 4, 5, 8, 16, 17, if cfg!(debug_assertions) { 22 } else { 30 }] {
        for (k, (name, a)) in cases(n, n, !T::IS_COMPLEX).into_iter().enumerate() {
            // Builds with debug assertions, which are slow, test half of the cases of each large size. Each case is tested for 16 or 17.
            if cfg!(debug_assertions) && n >= 16 && (k + n) % 2 == 1 {
                continue;
            }
            let a = a.map(T::rounded);
            check_schur(name, &a);
            check_eig(name, &a);
        }
    }
    // For 75 or more rows, faer uses another algorithm.
    let a = Random(8).matrix(77, 77).map(T::rounded);
    check_schur("random", &a);
    check_eig("random", &a);
}

#[test]
fn eigenvalues_of_f32() {
    check::<f32>();
}

#[test]
fn eigenvalues_of_f64() {
    check::<f64>();
}

#[test]
fn eigenvalues_of_complex_f32() {
    check::<Complex<f32>>();
}

#[test]
fn eigenvalues_of_complex_f64() {
    check::<Complex<f64>>();
}

/// Checks matrices that have too few eigenvectors or are otherwise difficult. For some, back substitution without scaling would overflow.
/// For others, the iteration would not converge without exceptional shifts.
fn check_defective<T: Number>() {
    let one = Complex::from(1.0);
    for n in [2, 3, 4, 7, if cfg!(debug_assertions) { 16 } else { 24 }] {
        let jordan = Matrix::from_fn(n, n, |i, j| if j == i || j == i + 1 { one } else { Complex::ZERO });
        let triangular = Matrix::from_fn(n, n, |i, j| if j >= i { one } else { Complex::ZERO });
        let cyclic = Matrix::from_fn(n, n, |i, j| if i == (j + 1) % n { one } else { Complex::ZERO });
        let nilpotent = Matrix::from_fn(n, n, |i, j| if j == i + 1 { one } else { Complex::ZERO });
        // The 2 × 2 blocks on the diagonal all have the eigenvalues ±i. The elements above the blocks are 1.
        let twisted = Matrix::from_fn(n, n, |i, j| {
            let of_block = if i / 2 == j / 2 { (j as f64) - (i as f64) } else { 0.0 };
            Complex::from(if j / 2 > i / 2 { 1.0 } else { of_block })
        });
        let cases = [
            ("Jordan", jordan),
            ("triangular", triangular),
            ("cyclic", cyclic),
            ("nilpotent", nilpotent),
            ("twisted", twisted),
        ];
        for (name, a) in cases {
            for (name, a) in
                [(name, a.map(T::rounded)), (&*format!("{name}, transposed"), a.transposed().map(T::rounded))]
            {
                check_schur(name, &a);
                check_eig(name, &a);
            }
        }
    }
}

#[test]
fn defective_matrices() {
    check_defective::<f32>();
    check_defective::<f64>();
    check_defective::<Complex<f32>>();
    check_defective::<Complex<f64>>();
}

/// Tests the companion matrix of `(x - 1) · (x - 2) · (x² + 1)`, and a rotation.
#[test]
fn eigenvalues_of_known_matrices() {
    let number = |x: f64| Complex::from(x);
    let companion =
        [[3.0, -3.0, 3.0, -2.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let a: Matrix<f64> = Matrix::from_fn(4, 4, |i, j| companion[i][j]);
    let w = Call::of(&a).eigvals().unwrap().vector(0);
    let expected = [Complex::new(0.0, -1.0), Complex::new(0.0, 1.0), number(1.0), number(2.0)];
    for w in &w {
        assert!(expected.iter().any(|x| (x - w).norm() < 1e-13), "{w}");
    }
    for x in &expected {
        assert!(w.iter().any(|w| (x - w).norm() < 1e-13), "{x}");
    }
    let rotation: Matrix<f64> = Matrix { m: 2, n: 2, elements: vec![0.6, -0.8, 0.8, 0.6] };
    let (w, v) = Call::of(&rotation).eig().unwrap();
    assert!((w.vector(0)[0] - Complex::new(0.6, 0.8)).norm() < 1e-15);
    assert!((v.matrix(0).at(0, 0) - 0.5f64.sqrt()).norm() < 1e-15);
    assert!((v.matrix(0).at(1, 0) - Complex::new(0.0, -(0.5f64.sqrt()))).norm() < 1e-15);
}
