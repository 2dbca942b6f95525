//! Tests of laws that hold exactly, for all bits of the results. If the operand is multiplied by a power of two, eigenvalues, singular
//! values and triangular factors are multiplied by the same power, and vectors and unitary factors stay the same. A batch of a few
//! matrices, or of the smallest ones, has the results of a loop over its matrices. Any number of threads gives the same results.

use super::matrix::{Matrix, Number, Random, Value, cases, power};
use super::placed::{Call, Layout, Placed, Size};
use vierbein::Complex;
use vierbein::linalg::Structure;

fn shifted<T: Value>(values: &[T], k: i32) -> Vec<[u64; 2]> {
    values.iter().map(|x| x.shift(k).bits()).collect()
}

fn bits<T: Value>(values: &[T]) -> Vec<[u64; 2]> {
    values.iter().map(|x| x.bits()).collect()
}

/// Returns a matrix of small integers. They have few digits, so their products with powers of two are exact, even if these products
/// are subnormal.
fn integers<T: Number>(m: usize, n: usize) -> Matrix<T> {
    Random(77).matrix(m, n).map(|x| T::rounded(Complex::new((x.re * 8.0).round(), (x.im * 8.0).round())))
}

fn check_scales<T: Number>(powers: &[i32], sizes: &[usize]) {
    for &n in sizes {
        let a = integers::<T>(n, n);
        let one = Call::of(&a);
        let (u, s, vh) = one.svd(Size::Thin).unwrap();
        let (w, v) = one.eigh().unwrap();
        let (q, r) = one.qr(Size::Thin).unwrap();
        let (values, vectors) = one.eig().unwrap();
        let (t, z) = one.schur().unwrap();
        for &k in powers {
            let scaled = Call::of(&a.map(|x| x.shift(k)));
            let of = scaled.svd(Size::Thin).unwrap();
            assert_eq!(u.matrix(0).bits(), of.0.matrix(0).bits(), "{n}, 2^{k}");
            assert_eq!(shifted(&s.vector(0), k), bits(&of.1.vector(0)), "{n}, 2^{k}");
            assert_eq!(vh.matrix(0).bits(), of.2.matrix(0).bits(), "{n}, 2^{k}");
            let of = scaled.eigh().unwrap();
            assert_eq!(shifted(&w.vector(0), k), bits(&of.0.vector(0)), "{n}, 2^{k}");
            assert_eq!(v.matrix(0).bits(), of.1.matrix(0).bits(), "{n}, 2^{k}");
            let of = scaled.qr(Size::Thin).unwrap();
            assert_eq!(q.matrix(0).bits(), of.0.matrix(0).bits(), "{n}, 2^{k}");
            assert_eq!(r.matrix(0).map(|x| x.shift(k)).bits(), of.1.matrix(0).bits(), "{n}, 2^{k}");
            let of = scaled.eig().unwrap();
            assert_eq!(shifted(&values.vector(0), k), bits(&of.0.vector(0)), "{n}, 2^{k}");
            assert_eq!(vectors.matrix(0).bits(), of.1.matrix(0).bits(), "{n}, 2^{k}");
            let of = scaled.schur().unwrap();
            assert_eq!(t.matrix(0).map(|x| x.shift(k)).bits(), of.0.matrix(0).bits(), "{n}, 2^{k}");
            assert_eq!(z.matrix(0).bits(), of.1.matrix(0).bits(), "{n}, 2^{k}");
        }
    }
}

#[test]
fn powers_of_two_scale_results_exactly() {
    if !super::there() {
        return;
    }
    check_scales::<f64>(&[-1060, -900, -40, 33, 900, 1010], &[1, 2, 5, 8, 9, 17]);
    check_scales::<Complex<f64>>(&[-1060, 1010], &[2, 4, 5, 20]);
    check_scales::<f32>(&[-140, -20, 90, 115], &[2, 8, 9, 20]);
    check_scales::<Complex<f32>>(&[-140, 115], &[2, 4, 5, 20]);
    // For more than 128 rows, faer uses another algorithm. Its results are wrong, unless the matrix is first scaled to a norm of about 1.
    let a = integers::<f64>(130, 130);
    let (w, v) = Call::of(&a).eigh().unwrap();
    let of = Call::of(&a.map(|x| x.shift(33))).eigh().unwrap();
    assert_eq!(shifted(&w.vector(0), 33), bits(&of.0.vector(0)));
    assert_eq!(v.matrix(0).bits(), of.1.matrix(0).bits());
}

/// Tests solutions and triangular factors of matrices whose elements are near the limits of their type.
#[test]
fn solutions_near_the_limits() {
    if !super::there() {
        return;
    }
    for k in [-1060, -1000, -500, 500, 1000, 1015] {
        let a = Matrix { m: 3, n: 3, elements: vec![4.0, 2.0, 0.0, 2.0, 5.0, 2.0, 0.0, 2.0, 5.0f64] };
        let (scaled, x) = (a.map(|x| x.shift(k)), [1.0, 2.0, -1.0]);
        let b = Matrix::from_fn(3, 1, |i, _| (0..3).map(|j| a.at(i, j) * x[j]).sum::<f64>().shift(k));
        for structure in [Structure::General, Structure::PositiveDefinite, Structure::Hermitian] {
            let solved = Call::of(&scaled).solve(structure, &b).unwrap().matrix(0);
            assert!(solved.elements.iter().zip(x).all(|(is, x)| (is - x).abs() < 1e-14), "2^{k}: {solved:?}");
        }
        // The Cholesky factor of `2^even · a` is [[2, 0, 0], [1, 2, 0], [0, 1, 2]] times `2^(even / 2)`.
        let even = k / 2 * 2;
        let l = Call::of(&a.map(|x| x.shift(even))).cholesky().unwrap().matrix(0);
        assert_eq!(
            l.elements,
            [2.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 1.0, 2.0].map(|x: f64| x.shift(even / 2)),
            "2^{k}"
        );
        let (lu, rows) = Call::of(&scaled).lu().unwrap();
        assert_eq!(rows.vector(0), [0, 1, 2]);
        let of_u = [4.0, 2.0, 0.0, 4.0, 2.0, 4.0].map(|x: f64| x.shift(k));
        let lu = lu.matrix(0);
        assert_eq!([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(i, j)| lu.at(i, j)), of_u, "2^{k}");
        assert_eq!([lu.at(1, 0), lu.at(2, 0), lu.at(2, 1)], [0.5, 0.0, 0.5]);
    }
}

/// Matrices whose elements have very different magnitudes must not be scaled, because small elements would underflow.
#[test]
fn solutions_of_graded_systems() {
    if !super::there() {
        return;
    }
    let a: Matrix<f64> = Matrix { m: 2, n: 2, elements: vec![1e-200, 0.0, 0.0, 1e200] };
    let b = Matrix { m: 2, n: 2, elements: vec![3e-200, 1e100, 5e200, 1e-100] };
    let structures = [
        Structure::General,
        Structure::PositiveDefinite,
        Structure::Hermitian,
        Structure::Lower { unit: false },
        Structure::Upper { unit: false },
    ];
    for structure in structures {
        let x = Call::of(&a).solve(structure, &b).unwrap().matrix(0);
        for (&is, expected) in x.elements.iter().zip([3.0, 1e300, 5.0, 1e-300]) {
            assert!((is / expected - 1.0).abs() < 1e-15, "{structure:?}: {x:?}");
        }
    }
}

/// Elements that a structure does not use have no influence, however large they are.
#[test]
fn unused_elements_have_no_influence() {
    if !super::there() {
        return;
    }
    let small = Random(4).matrix(6, 6).map(|x| x.re * 1e-5);
    let b = Random(5).matrix(6, 2).map(|x| x.re);
    let definite = Matrix::from_fn(6, 6, |i, j| if i == j { 1.0 } else { small.at(i, j) });
    let with = |upper: bool| {
        Matrix::from_fn(6, 6, |i, j| if i != j && upper == (j > i) { 1e300 } else { definite.at(i, j) })
    };
    let solve = |a: &Matrix<f64>, structure| Call::of(a).solve(structure, &b).unwrap().matrix(0).bits();
    for unit in [false, true] {
        let (lower, upper) = (Structure::Lower { unit }, Structure::Upper { unit });
        assert_eq!(solve(&with(true), lower), solve(&definite, lower));
        assert_eq!(solve(&with(false), upper), solve(&definite, upper));
    }
    for structure in [Structure::PositiveDefinite, Structure::Hermitian] {
        assert_eq!(solve(&with(true), structure), solve(&definite, structure));
    }
    let [one, other] = [&with(true), &definite].map(|a| Call::of(a).cholesky().unwrap().matrix(0).bits());
    assert_eq!(one, other);
    for n in [3, 6] {
        let [one, other] = [&with(true), &definite]
            .map(|a| Call::of(&Matrix::from_fn(n, n, |i, j| a.at(i, j))).eigh().unwrap())
            .map(|(w, v)| (w.vector(0), v.matrix(0).bits()));
        assert_eq!(one, other);
    }
}

/// Asserts that the results for a batch are equal to the results for each of its matrices.
fn check_batch<T: Number>(m: usize, n: usize) {
    let matrices: Vec<_> = (0..6).map(|k| Random(k).matrix(m, n).map(T::rounded)).collect();
    let alone: Vec<_> = matrices
        .iter()
        .map(|a| {
            let one = Call::of(a);
            let square = (m == n).then(|| (one.eigh().unwrap(), one.eig().unwrap(), one.schur().unwrap()));
            (one.svd(Size::Full).unwrap(), one.qr(Size::Thin).unwrap(), one.lu().unwrap(), square)
        })
        .collect();
    for layout in [Layout::Rows, Layout::Columns, Layout::Reversed] {
        let call = Call { results: layout, ..Call::new(Placed::batch(&[2, 3], &matrices, layout)) };
        let (u, s, vh) = call.svd(Size::Full).unwrap();
        let (q, r) = call.qr(Size::Thin).unwrap();
        let (lu, rows) = call.lu().unwrap();
        for (k, (of_svd, of_qr, of_lu, _)) in alone.iter().enumerate() {
            assert_eq!(u.matrix(k).bits(), of_svd.0.matrix(0).bits());
            assert_eq!(s.vector(k), of_svd.1.vector(0));
            assert_eq!(vh.matrix(k).bits(), of_svd.2.matrix(0).bits());
            assert_eq!(q.matrix(k).bits(), of_qr.0.matrix(0).bits());
            assert_eq!(r.matrix(k).bits(), of_qr.1.matrix(0).bits());
            assert_eq!(lu.matrix(k).bits(), of_lu.0.matrix(0).bits());
            assert_eq!(rows.vector(k), of_lu.1.vector(0));
        }
        if m == n {
            let (w, v) = call.eigh().unwrap();
            let (values, vectors) = call.eig().unwrap();
            let (t, z) = call.schur().unwrap();
            for (k, (.., square)) in alone.iter().enumerate() {
                let (of_eigh, of_eig, of_schur) = square.as_ref().expect("the matrices are square");
                assert_eq!(
                    (w.vector(k), v.matrix(k).bits()),
                    (of_eigh.0.vector(0), of_eigh.1.matrix(0).bits())
                );
                assert_eq!(
                    (values.vector(k), vectors.matrix(k).bits()),
                    (of_eig.0.vector(0), of_eig.1.matrix(0).bits())
                );
                assert_eq!(
                    (t.matrix(k).bits(), z.matrix(k).bits()),
                    (of_schur.0.matrix(0).bits(), of_schur.1.matrix(0).bits())
                );
            }
        }
    }
}

/// Asserts that small matrices have the same results alone as in a batch, where several are decomposed at once.
fn check_small_batch<T: Number>(m: usize, n: usize) {
    let cases = cases(m, n, !T::IS_COMPLEX);
    let matrices: Vec<_> =
        (0..40).map(|k| cases[k % cases.len()].1.map(|x| T::rounded(x * (1 + k) as f64))).collect();
    let batch = Call::new(Placed::batch(&[40], &matrices, Layout::Rows));
    let (u, s, vh) = batch.svd(Size::Thin).unwrap();
    for (k, a) in matrices.iter().enumerate() {
        let of = Call::of(a).svd(Size::Thin).unwrap();
        assert_eq!(u.matrix(k).bits(), of.0.matrix(0).bits(), "{m} × {n}, matrix {k}");
        assert_eq!(s.vector(k), of.1.vector(0), "{m} × {n}, matrix {k}");
        assert_eq!(vh.matrix(k).bits(), of.2.matrix(0).bits(), "{m} × {n}, matrix {k}");
    }
    if m == n {
        let (w, v) = batch.eigh().unwrap();
        for (k, a) in matrices.iter().enumerate() {
            let of = Call::of(a).eigh().unwrap();
            assert_eq!(
                (w.vector(k), v.matrix(k).bits()),
                (of.0.vector(0), of.1.matrix(0).bits()),
                "{n}, matrix {k}"
            );
        }
    }
}

#[test]
fn batches_equal_loops() {
    if !super::there() || !super::BATCHES_EQUAL_LOOPS {
        return;
    }
    for [m, n] in [[1, 1], [3, 3], [6, 4], [2, 7], [8, 8], [10, 10]] {
        check_batch::<f64>(m, n);
        check_batch::<Complex<f32>>(m, n);
    }
    for [m, n] in [[1, 1], [2, 2], [3, 3], [4, 4], [4, 2], [3, 9]] {
        check_small_batch::<f32>(m, n);
        check_small_batch::<f64>(m, n);
        check_small_batch::<Complex<f32>>(m, n);
        check_small_batch::<Complex<f64>>(m, n);
    }
}

/// Returns the results of `f` in pools of one, two and three threads.
#[cfg(feature = "rayon")]
fn in_pools<R: Send>(f: impl Fn() -> R + Sync) -> [R; 3] {
    [1, 2, 3].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&f))
}

#[cfg(feature = "rayon")]
#[track_caller]
fn assert_equal<R: PartialEq>([one, two, three]: [R; 3]) {
    assert!(one == two && two == three, "the number of threads changes the result");
}

#[cfg(feature = "rayon")]
#[test]
fn threads_do_not_change_results() {
    if !super::computes_large_matrices() {
        return;
    }
    // Batches, which threads share.
    let matrices: Vec<_> = (0..200).map(|k| Random(k).matrix(10, 10).map(|x| x.re)).collect();
    let batch = Call::new(Placed::batch(&[200], &matrices, Layout::Rows));
    let all = |v: &Placed<f64>| (0..200).flat_map(|k| v.matrix(k).bits()).collect::<Vec<_>>();
    assert_equal(in_pools(|| all(&batch.svd(Size::Thin).unwrap().0)));
    assert_equal(in_pools(|| all(&batch.eigh().unwrap().1)));
    assert_equal(in_pools(|| all(&batch.schur().unwrap().0)));
    assert_equal(in_pools(|| all(&batch.ldl().unwrap().1)));
    // The first two matrices are large enough to be computed by several threads together: from 128 and 256 rows on. `ldl` computes a matrix
    // on one thread. Builds with debug assertions are slow.
    let [of_eigh, of_lu] = if cfg!(debug_assertions) { [141, 261] } else { [256, 384] };
    let real = Call::of(&Random(1).matrix(of_eigh, of_eigh).map(|x| x.re));
    assert_equal(in_pools(|| real.eigh().unwrap().1.matrix(0).bits()));
    let complex = Call::of(&Random(1).matrix(of_lu, of_lu));
    assert_equal(in_pools(|| complex.lu().unwrap().0.matrix(0).bits()));
    let complex = Call::of(&Random(1).matrix(101, 101));
    assert_equal(in_pools(|| complex.ldl().unwrap().0.matrix(0).bits()));
}

#[test]
fn powers_are_exact() {
    for k in [-1060, -3, 0, 1, 1015] {
        assert_eq!(power(k).fold(1.0, |x, factor| x * factor).log2(), f64::from(k));
    }
}
