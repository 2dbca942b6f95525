//! Tests of operands for which an operation must return an error, and of operands without elements.

use super::matrix::{Matrix, Number, Random};
use super::placed::{Call, Layout, Placed, Size};
use vierbein::device::{Cpu, HostPtr, MatrixOperand, Operand, Output};
use vierbein::linalg::{Decompose, Structure};
use vierbein::{Complex, Error};

/// Calls all decompositions of a batch of square matrices and, if the batch is a single matrix, all solvers. Asserts that each call
/// fails, and returns the errors.
fn all<T: Number>(a: &Call<T>) -> Vec<Error> {
    let [b] = [Matrix::from_fn(a.a.matrix(0).m, 1, |_, _| T::one())];
    let single = |structure| a.solve(structure, &b).map(drop);
    let mut results = vec![
        a.svd(Size::Thin).map(drop),
        a.svd(Size::Full).map(drop),
        a.singular_values().map(drop),
        a.eigh().map(drop),
        a.eigvalsh().map(drop),
        a.eig().map(drop),
        a.eigvals().map(drop),
        a.schur().map(drop),
        a.qr(Size::Thin).map(drop),
        a.r().map(drop),
        a.lu().map(drop),
        a.cholesky().map(drop),
        a.ldl().map(drop),
    ];
    if a.a.operand().shape().len() == 2 {
        results.extend([
            single(Structure::General),
            single(Structure::PositiveDefinite),
            single(Structure::Hermitian),
            single(Structure::Lower { unit: false }),
            single(Structure::Upper { unit: true }),
        ]);
    }
    results
        .into_iter()
        .enumerate()
        .map(|(k, result)| result.expect_err(&format!("decomposition {k}")))
        .collect()
}

fn check_not_finite<T: Number>() {
    for n in [1, 2, 3, 8, 9, 40] {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            // One element is not finite, first in the lower triangle, then in the upper triangle.
            for at in [(n - 1, 0), (0, n - 1)] {
                let mut a = Random(n as u64).matrix(n, n).map(T::rounded);
                a.elements[at.0 * n + at.1] = T::rounded(Complex::from(value));
                for error in all(&Call::of(&a)) {
                    let Error::NotFinite { matrix, shape, .. } = error else { panic!("{error}") };
                    assert_eq!((matrix, shape), (vec![], vec![n, n]));
                }
            }
        }
    }
}

#[test]
fn nan_and_infinity_are_errors() {
    if !super::there() {
        return;
    }
    check_not_finite::<f32>();
    check_not_finite::<f64>();
    check_not_finite::<Complex<f32>>();
    check_not_finite::<Complex<f64>>();
    // Only the imaginary part of one element is not finite.
    let mut a = Random(1).matrix(3, 3);
    a.elements[4].im = f64::NAN;
    assert!(all(&Call::of(&a)).iter().all(|error| matches!(error, Error::NotFinite { .. })));
}

/// Without a check of the elements, faer would iterate for minutes.
#[test]
fn nan_in_a_large_matrix_is_an_error_at_once() {
    if !super::there() {
        return;
    }
    let mut a = Random(1).matrix(300, 300).map(|x| x.re);
    a.elements[300 * 299 + 150] = f64::NAN;
    assert!(all(&Call::of(&a)).iter().all(|error| matches!(error, Error::NotFinite { .. })));
}

#[test]
fn errors_name_the_first_matrix_of_a_batch() {
    if !super::there() {
        return;
    }
    let mut matrices: Vec<_> = (0..60).map(|k| Random(k).matrix(5, 5).map(|x| x.re)).collect();
    for k in [17, 23, 59] {
        matrices[k].elements[7] = f64::INFINITY;
    }
    for layout in [Layout::Rows, Layout::Reversed] {
        let batch = Call::new(Placed::batch(&[6, 10], &matrices, layout));
        let all = [
            batch.svd(Size::Thin).map(drop),
            batch.eigh().map(drop),
            batch.lu().map(drop),
            batch.schur().map(drop),
        ];
        for error in all {
            let Err(Error::NotFinite { matrix, shape, .. }) = error else { panic!("{error:?}") };
            assert_eq!((matrix, shape), (vec![1, 7], vec![6, 10, 5, 5]));
        }
    }
}

#[test]
fn singular_systems_name_the_pivot() {
    if !super::there() {
        return;
    }
    let ones = Matrix::from_fn(3, 3, |_, _| 1.0);
    let zero_at = |k| Matrix::from_fn(3, 3, |i, j| if i == k && j == k { 0.0 } else { 1.0 });
    let b = Matrix::from_fn(3, 2, |_, _| 1.0);
    let pivot = |a: &Matrix<f64>, structure| match Call::of(a).solve(structure, &b) {
        Err(Error::Singular { pivot, .. }) => pivot,
        other => panic!("{other:?}"),
    };
    assert_eq!(pivot(&ones, Structure::General), 1);
    assert_eq!(pivot(&ones.map(|_| 0.0), Structure::General), 0);
    assert_eq!(pivot(&zero_at(2), Structure::Lower { unit: false }), 2);
    assert_eq!(pivot(&zero_at(1), Structure::Upper { unit: false }), 1);
    // With `unit: true`, the diagonal consists of ones and is not read, so the stored zero is no error.
    Call::of(&zero_at(2)).solve(Structure::Lower { unit: true }, &b).unwrap();
    // A decomposition of a singular matrix is not an error.
    let lu = Call::of(&ones).lu().unwrap().0.matrix(0);
    assert_eq!(lu.elements, [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn indefinite_matrices_name_the_minor() {
    if !super::there() {
        return;
    }
    let order = |a: &Matrix<f64>| {
        let error = Call::of(a).cholesky().unwrap_err();
        let b = Matrix::from_fn(a.n, 1, |_, _| 1.0);
        let of_system = Call::of(a).solve(Structure::PositiveDefinite, &b).unwrap_err();
        match (error, of_system) {
            (Error::NotPositiveDefinite { order, .. }, Error::NotPositiveDefinite { order: same, .. }) => {
                assert_eq!(order, same);
                order
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(order(&Matrix { m: 2, n: 2, elements: vec![1.0, 2.0, 2.0, 1.0] }), 2);
    assert_eq!(order(&Matrix { m: 1, n: 1, elements: vec![0.0] }), 1);
    for (n, k) in [(5, 0), (5, 4), (70, 3), (150, 130), (150, 149)] {
        let a = Matrix::from_fn(n, n, |i, j| {
            if i != j {
                0.0
            } else if i == k {
                -1.0
            } else {
                1.0
            }
        });
        assert_eq!(order(&a), k + 1, "{n}");
    }
}

#[test]
fn empty_matrices_have_empty_results() {
    if !super::there() {
        return;
    }
    for [m, n] in [[0, 0], [0, 3], [3, 0]] {
        let call = Call::new(Placed::<f64>::zeros(&[m, n], Layout::Rows));
        let (u, s, vh) = call.svd(Size::Full).unwrap();
        assert!(s.vector(0).is_empty());
        assert_eq!(u.matrix(0).elements, Matrix::from_fn(m, m, |i, j| f64::from(u8::from(i == j))).elements);
        assert_eq!(vh.matrix(0).elements, Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j))).elements);
        let (q, r) = call.qr(Size::Full).unwrap();
        assert_eq!(q.matrix(0).elements, Matrix::from_fn(m, m, |i, j| f64::from(u8::from(i == j))).elements);
        assert!(r.matrix(0).elements.is_empty());
        call.svd(Size::Thin).unwrap();
        call.qr(Size::Thin).unwrap();
        assert_eq!(call.lu().unwrap().1.vector(0), (0..m as i64).collect::<Vec<_>>());
    }
    let empty = Call::new(Placed::<Complex<f64>>::zeros(&[2, 0, 0], Layout::Rows));
    empty.eigh().unwrap();
    empty.eig().unwrap();
    empty.schur().unwrap();
    empty.cholesky().unwrap();
    empty.ldl().unwrap();
    Call::new(Placed::<f64>::zeros(&[0, 3, 3], Layout::Rows)).eig().unwrap();
    let b = Matrix { m: 3, n: 0, elements: vec![] };
    Call::of(&Matrix::from_fn(3, 3, |_, _| 1.0)).solve(Structure::General, &b).unwrap();
}

/// Returns an operand of any shape whose strides are all 0, so it needs the memory of one element only.
fn broadcast<'a>(element: &'a f64, shape: &'a [usize], strides: &'a [isize]) -> MatrixOperand<'a, f64, Cpu> {
    let first = HostPtr::new(core::ptr::from_ref(element).cast_mut());
    assert!(strides.iter().all(|&stride| stride == 0));
    // SAFETY: all indices address the element, which is borrowed for `'a`.
    unsafe { Operand::from_raw(first, shape, strides) }.into()
}

/// An output without elements.
fn empty<'a>(shape: &'a [usize], strides: &'a [isize]) -> Output<'a, f64, Cpu> {
    assert!(shape.contains(&0));
    // SAFETY: the shape contains 0, so no index addresses an element.
    unsafe { Output::from_raw(HostPtr::new(core::ptr::dangling_mut()), shape, strides) }
}

#[test]
fn huge_extents_are_out_of_memory_or_empty() {
    let element = 1.0;
    for huge in [1 << 31, 1 << 40, isize::MAX as usize, usize::MAX] {
        let mut s = 0.0;
        // SAFETY: the only index addresses `s`, which is exclusively borrowed.
        let mut one = || unsafe { Output::from_raw(HostPtr::new(&raw mut s), &[1], &[1]) };
        let enormous = huge.max(1 << 55);
        for shape in [[enormous, 1], [1, enormous]] {
            let result = Cpu.svd(one(), None, broadcast(&element, &shape, &[0, 0]));
            assert!(matches!(result, Err(Error::OutOfMemory { .. })), "{shape:?}: {result:?}");
        }
        // The operands below have no elements, and the number of matrices in a batch can exceed `usize`.
        let none = || empty(&[0], &[1]);
        Cpu.svd(none(), None, broadcast(&element, &[huge, 0], &[0, 0])).unwrap();
        Cpu.svd(none(), None, broadcast(&element, &[0, huge], &[0, 0])).unwrap();
        let (of_u, of_vh) = ([huge, 0], [0, 0]);
        let vectors = [empty(&of_u, &[1, 1]), empty(&of_vh, &[1, 1])];
        Cpu.svd(none(), Some(vectors), broadcast(&element, &[huge, 0], &[0, 0])).unwrap();
        Cpu.qr(Some(empty(&of_u, &[1, 1])), empty(&of_vh, &[1, 1]), broadcast(&element, &[huge, 0], &[0, 0]))
            .unwrap();
        let (values, shape) = ([huge, huge, 0], [huge, huge, 0, 0]);
        Cpu.eigh(empty(&values, &[0; 3]), None, broadcast(&element, &shape, &[0; 4])).unwrap();
        // SAFETY: `values` contains 0, so no index addresses an element.
        let no_rows = unsafe { Output::from_raw(HostPtr::new(core::ptr::dangling_mut()), &values, &[0; 3]) };
        Cpu.cholesky(empty(&shape, &[0; 4]), broadcast(&element, &shape, &[0; 4])).unwrap();
        Cpu.ldl(
            empty(&shape, &[0; 4]),
            empty(&shape, &[0; 4]),
            no_rows,
            broadcast(&element, &shape, &[0; 4]),
        )
        .unwrap();
        Cpu.solve(Structure::General, empty(&[3, 0], &[1, 1]), broadcast(&element, &[3, 3], &[0, 0]))
            .unwrap();
    }
}
