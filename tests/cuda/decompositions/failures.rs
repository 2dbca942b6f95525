//! Tests of decompositions in unusual cases: a result does not exist, cuSOLVER fails, a singular value is 0, a batch is very large, or
//! there is little device memory.

use super::matrix::{Matrix, Random};
use super::placed::{Call, Layout, Placed, Size};
use crate::gpu::{self, there};
use vierbein::linalg::Structure;
use vierbein::prelude::*;
use vierbein::{Complex, Cuda, Error};

/// Environment variable that marks the child processes. In these, the emulated cuSOLVER fails, or there is little memory.
const CHILD: &str = "VIERBEIN_TEST_DECOMPOSITIONS";

/// Runs a test of this file in a child process, in the emulator, with an additional environment variable. Returns whether this process is
/// the child.
fn in_a_child(test: &str, variable: &str, value: &str) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let Some(folder) = gpu::emulator_or_say() else { return false };
    let mut program = gpu::program(&folder);
    program.args(["--exact", &format!("decompositions::failures::{test}"), "--nocapture"]);
    program.env(CHILD, "1").env(variable, value).env("VIERBEIN_REQUIRE_GPU", "1");
    let ran = program.output().unwrap();
    let text = gpu::text(&ran);
    assert!(ran.status.success() && text.contains("1 passed"), "{text}");
    false
}

#[test]
fn host_computes_if_an_iteration_does_not_converge() {
    let test = "host_computes_if_an_iteration_does_not_converge";
    if in_a_child(test, "VIERBEIN_EMULATOR_NOT_CONVERGED", "1") {
        check_that_the_host_computes();
    }
}

#[test]
fn host_computes_if_vectors_contain_nan() {
    if in_a_child("host_computes_if_vectors_contain_nan", "VIERBEIN_EMULATOR_SOLVER_NAN", "1") {
        check_that_the_host_computes();
    }
}

/// Asserts that the results have the bits of the host's results.
fn check_that_the_host_computes() {
    for [batch, n] in [[1, 6], [3, 6], [2, 40]] {
        let a = Tensor::<f64, _>::from_vec([batch, n, n], random(batch * n * n));
        let on_gpu = a.to_device::<Cuda>().unwrap();
        let (host, gpu) = (a.svd(), on_gpu.svd());
        assert_eq!(gpu.u.to_device::<Cpu>().unwrap(), host.u);
        assert_eq!(gpu.s.to_device::<Cpu>().unwrap(), host.s);
        assert_eq!(gpu.vh.to_device::<Cpu>().unwrap(), host.vh);
        let ((w, v), of_gpu) = (a.eigh(), on_gpu.eigh());
        assert_eq!(of_gpu.0.to_device::<Cpu>().unwrap(), w);
        assert_eq!(of_gpu.1.to_device::<Cpu>().unwrap(), v);
        assert_eq!(on_gpu.singular_values().to_device::<Cpu>().unwrap(), a.singular_values());
        assert_eq!(on_gpu.eigvalsh().to_device::<Cpu>().unwrap(), a.eigvalsh());
    }
}

#[test]
fn failed_call_is_error() {
    if !in_a_child("failed_call_is_error", "VIERBEIN_EMULATOR_SOLVER_FAILS", "1") {
        return;
    }
    let host = Tensor::<f64, _>::from_vec([2, 4, 4], random(32));
    let a = host.to_device::<Cuda>().unwrap();
    let results = [
        ("svd", a.try_svd().map(drop)),
        ("svd", a.try_singular_values().map(drop)),
        ("eigh", a.try_eigh().map(drop)),
        ("qr", a.try_qr().map(drop)),
        ("lu", a.try_lu().map(drop)),
        ("cholesky", a.try_cholesky().map(drop)),
        ("solve", a.try_solve(&a).map(drop)),
    ];
    for (name, result) in results {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::DeviceFailed { .. }), "{name}: {error:?}");
        let text = error.to_string();
        assert!(text.contains(name) && text.contains("Cuda<0>") && text.contains("cuSOLVER"), "{text}");
    }
    assert_eq!(a.to_device::<Cpu>().unwrap(), host);
}

fn random(len: usize) -> Vec<f64> {
    Random(7).matrix(len, 1).elements.iter().map(|x| x.re).collect()
}

/// If several matrices of a batch have no result, for different reasons, the error names the first one.
#[test]
fn errors_name_the_first_matrix() {
    if !there() {
        return;
    }
    for n in [3, 40] {
        let good = Matrix::from_fn(n, n, |i, j| if i == j { 2.0 } else { 0.0 });
        let mut of_no_use = good.clone();
        of_no_use.elements[n + 1] = 0.0;
        let mut not_finite = good.clone();
        not_finite.elements[1] = f64::NAN;
        let batch = |order: [&Matrix<f64>; 4]| {
            let matrices: Vec<_> = order.into_iter().cloned().collect();
            Call::new(Placed::batch(&[2, 2], &matrices, Layout::Reversed))
        };
        let call = batch([&good, &of_no_use, &not_finite, &of_no_use]);
        let error = call.cholesky().unwrap_err();
        let Error::NotPositiveDefinite { op, shape, matrix, order } = error else { panic!("{error}") };
        assert_eq!((op, shape, matrix, order), ("cholesky", vec![2, 2, n, n], vec![0, 1], 2));
        let call = batch([&good, &good, &not_finite, &of_no_use]);
        let error = call.cholesky().unwrap_err();
        let Error::NotFinite { matrix, .. } = error else { panic!("{error}") };
        assert_eq!(matrix, [1, 0]);
        let error = call.lu().map(drop).unwrap_err();
        assert!(matches!(&error, Error::NotFinite { matrix, .. } if *matrix == [1, 0]), "{error}");

        let stacked = |order: [&Matrix<f64>; 3]| {
            let elements = order.into_iter().flat_map(|a| a.elements.clone()).collect();
            Tensor::<f64, _>::from_vec([3, n, n], elements)
        };
        let right = Tensor::<f64, _>::ones([3, n, 2]);
        let solve = |a: &Tensor<f64, Rank<3>>, b: &Tensor<f64, Rank<3>>| {
            a.to_device::<Cuda>()?.try_solve(b.to_device::<Cuda>()?)?.to_device::<Cpu>()
        };
        let error = solve(&stacked([&good, &of_no_use, &not_finite]), &right).unwrap_err();
        let Error::Singular { matrix, pivot, .. } = error else { panic!("{error}") };
        assert_eq!((matrix, pivot), (vec![1], 1));
        // The right-hand side of the second matrix has an infinite element.
        let mut infinite = right.clone();
        infinite[[1, n - 1, 1]] = f64::INFINITY;
        let error = solve(&stacked([&good, &good, &not_finite]), &infinite).unwrap_err();
        assert!(matches!(&error, Error::NotFinite { matrix, .. } if *matrix == [1]), "{error}");
    }
}

/// Signs of vectors that belong to no singular value, or to a singular value of 0.
#[test]
fn free_vectors_have_positive_elements() {
    if !there() {
        return;
    }
    let a = Matrix::from_fn(5, 4, |i, j| if j < 2 { Random((i * 7 + j) as u64).real() } else { 0.0 });
    for a in [a.clone(), a.transposed()] {
        let (_, s, vh) = Call::of(&a).svd(Size::Full).unwrap();
        assert!(s.vector(0)[2..].iter().all(|&s| s.abs() < 1e-14));
        let vh = vh.matrix(0);
        for i in (0..vh.m).filter(|&i| s.vector(0).get(i).is_none_or(|&s| s == 0.0)) {
            let row: Vec<f64> = (0..vh.n).map(|j| vh.at(i, j)).collect();
            let largest = row.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            assert!(*row.iter().find(|x| x.abs() >= 0.995 * largest).unwrap() > 0.0, "{row:?}");
        }
    }
}

/// The first column of the matrix is zero, so the first nonzero element in the first row of `r` is the second. This element is imaginary
/// until its phase is fixed.
#[test]
fn rows_after_columns_of_zeros_begin_with_positive_elements() {
    if !there() {
        return;
    }
    let i = Complex::new(0.0, 1.0);
    for n in [2, 35] {
        let a = Matrix::from_fn(n, n, |row, column| match column {
            0 => Complex::ZERO,
            1 => i,
            _ => Random((row * n + column) as u64).real() * (i + 1.0),
        });
        for size in [Size::Thin, Size::Full] {
            let (q, r) = Call::of(&a).qr(size).unwrap();
            let (q, r) = (q.matrix(0), r.matrix(0));
            let error = q.times(&r).minus(&a).norm();
            assert!(error <= 1e-14 * a.norm(), "{n}: {error:e}");
            assert!((0..n).all(|row| r.at(row, 0) == Complex::ZERO) && r.at(0, 1).im == 0.0);
            assert!(r.at(0, 1).re > 0.0, "{n}: {}", r.at(0, 1));
        }
    }
}

/// The batch has more matrices than one call of cuSOLVER can compute.
#[test]
fn large_batches_are_decomposed() {
    if !there() {
        return;
    }
    let numbers: Vec<f64> = (0..70_000).map(|k| 1.0 + f64::from(k % 1000)).collect();
    let a = Tensor::<f64, _>::from_vec([70_000, 1, 1], numbers.clone()).to_device::<Cuda>().unwrap();
    let check = |found: Vec<f64>, expected: fn(f64) -> f64| {
        assert_eq!(found.len(), numbers.len());
        for (found, &x) in found.into_iter().zip(&numbers) {
            assert!((found - expected(x)).abs() <= 1e-15 * x, "{found} for {x}");
        }
    };
    check(a.singular_values().into_vec(), |x| x);
    check(a.eigvalsh().into_vec(), |x| x);
    check(a.cholesky().into_vec(), f64::sqrt);
}

/// Each attempt leaves more of the memory free, so a decomposition fails at first and then succeeds.
#[test]
fn decompositions_fail_or_succeed_with_little_device_memory() {
    const ALL: usize = 1 << 20;
    if !in_a_child(
        "decompositions_fail_or_succeed_with_little_device_memory",
        "VIERBEIN_EMULATOR_MEMORY",
        &ALL.to_string(),
    ) {
        return;
    }
    let host = Tensor::<f64, _>::from_vec([20, 20], random(400));
    let a = host.to_device::<Cuda>().unwrap();
    let batch = Tensor::<f64, _>::from_vec([3, 8, 8], random(192)).to_device::<Cuda>().unwrap();
    type Tried<'a> = &'a dyn Fn() -> Result<Vec<f64>, Error>;
    let calls: [Tried<'_>; 8] = [
        &|| a.try_svd()?.vh.try_into_vec(),
        &|| batch.try_svd()?.u.try_into_vec(),
        &|| a.try_eigh()?.1.try_into_vec(),
        &|| batch.try_eigh()?.0.try_into_vec(),
        &|| a.try_qr()?.0.try_into_vec(),
        &|| a.try_lu()?.u.try_into_vec(),
        &|| a.try_solve(&a)?.try_into_vec(),
        &|| a.try_solve_as(Structure::Lower { unit: false }, &a)?.try_into_vec(),
    ];
    for (k, call) in calls.iter().enumerate() {
        // The first call loads the kernels, which takes memory of the GPU.
        let expected = call().unwrap();
        crate::memory::with_little_memory(call, |found| assert_eq!(found, expected, "call {k}"));
        assert_eq!(a.to_device::<Cpu>().unwrap(), host);
    }
}
