//! Compares iterative methods with closed forms, values from the Bethe ansatz, and a direct solver that shares no code with the
//! crate.

use crate::common::Remote;
use std::f64::consts::PI;
use vierbein::linalg::{
    ComplexEigenpairs, Eigenpairs, Iteration, Krylov, LinalgElement, RandomizedSvd, SingularTriplets,
    Solution, arnoldi, arnoldi_into, cg, cg_into, cg_preconditioned, cg_preconditioned_into, davidson,
    davidson_into, davidson_preconditioned, davidson_preconditioned_into, eigs, eigs_into, expm_multiply,
    expm_multiply_into, gmres, gmres_into, gmres_preconditioned, gmres_preconditioned_into, lanczos,
    lanczos_into, minres, minres_into, minres_preconditioned, minres_preconditioned_into, randomized_svd,
    try_arnoldi, try_cg, try_cg_preconditioned, try_davidson, try_davidson_preconditioned, try_eigs,
    try_expm_multiply, try_gmres, try_gmres_preconditioned, try_lanczos, try_minres,
    try_minres_preconditioned, try_randomized_svd,
};
use vierbein::prelude::*;
use vierbein::{CastTo, Error, c32, c64};

/// Returns a generator of numbers between −1 and 1.
fn numbers(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / (1u64 << 23) as f64 - 1.0
    }
}

fn complex_matrix(n: usize, seed: u64) -> Tensor<c64, Rank<2>> {
    let mut next = numbers(seed);
    Tensor::from_fn([n, n], |_| Complex::new(next(), next()))
}

fn complex_vector(n: usize, seed: u64) -> Tensor<c64, Rank<1>> {
    let mut next = numbers(seed);
    Tensor::from_fn([n], |_| Complex::new(next(), next()))
}

/// Solves a system by Gaussian elimination with partial pivoting.
fn solved_directly(a: &Tensor<c64, Rank<2>>, b: &Tensor<c64, Rank<1>>) -> Tensor<c64, Rank<1>> {
    let n = b.len();
    let mut rows: Vec<Vec<c64>> =
        (0..n).map(|i| (0..n).map(|j| a[[i, j]]).chain([b[[i]]]).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].norm().total_cmp(&rows[j][k].norm())).unwrap();
        rows.swap(k, pivot);
        let pivot_row = rows[k].clone();
        for row in &mut rows[k + 1..] {
            let factor = row[k] / pivot_row[k];
            row.iter_mut().zip(&pivot_row).for_each(|(x, above)| *x -= factor * above);
        }
    }
    let mut x = vec![c64::default(); n];
    for i in (0..n).rev() {
        let known: c64 = (i + 1..n).map(|j| rows[i][j] * x[j]).sum();
        x[i] = (rows[i][n] - known) / rows[i][i];
    }
    Tensor::from(x)
}

/// Applies the negative second difference with zero boundary values: `y[k] = 2·x[k] − x[k − 1] − x[k + 1]`.
fn path<T, O, Dev>(x: TensorView<'_, T, Rank<1>, O, Dev>) -> Tensor<T, Rank<1>, O, Dev>
where
    T: LinalgElement,
    O: Order,
    Dev: Backend<T>,
{
    let mut y = x * T::from_f64(2.0);
    y.slice_mut(s![1..]).add_scaled(-T::one(), x.slice(s![..-1]));
    y.slice_mut(s![..-1]).add_scaled(-T::one(), x.slice(s![1..]));
    y
}

/// Applies the negative discrete Laplacian on a grid with zero boundary values.
fn grid<O: Order>(x: TensorView<'_, f64, Rank<2>, O>) -> Tensor<f64, Rank<2>, O> {
    let mut y = x * 4.0;
    y.slice_mut(s![1.., ..]).add_scaled(-1.0, x.slice(s![..-1, ..]));
    y.slice_mut(s![..-1, ..]).add_scaled(-1.0, x.slice(s![1.., ..]));
    y.slice_mut(s![.., 1..]).add_scaled(-1.0, x.slice(s![.., ..-1]));
    y.slice_mut(s![.., ..-1]).add_scaled(-1.0, x.slice(s![.., 1..]));
    y
}

/// Returns eigenvalue `k` of the operator `path` on `n` nodes, counted from 1.
fn of_path(k: usize, n: usize) -> f64 {
    2.0 - 2.0 * (PI * k as f64 / (n + 1) as f64).cos()
}

/// Compares the lowest and highest eigenpairs of the operator `path` with closed forms.
fn check_path<T, O, Dev>(tolerance: f64)
where
    T: LinalgElement,
    T::Magnitude: Into<f64>,
    O: Order,
    Dev: Backend<T> + Default,
{
    const N: usize = 60;
    let mut next = numbers(1);
    let host = Tensor::<T, Rank<1>, O>::from_fn([N], |_| T::from_f64(next()));
    let start = host.to_device::<Dev>().unwrap();
    for highest in [false, true] {
        let how = if highest { Krylov::highest(3) } else { Krylov::lowest(3) };
        let found: Eigenpairs<T, Rank<1>, O, Dev> = lanczos(path, &start, how).unwrap();
        assert!(found.converged && found.applications > 20, "{found:?}");
        for k in 0..3 {
            let expected = of_path(if highest { N - k } else { k + 1 }, N);
            let value: f64 = found.values[k].into();
            assert!((value - expected).abs() < tolerance, "{value} and {expected}");
            // The stated residual equals the true one, except for rounding errors.
            let x = &found.vectors[k];
            let mut rest = path(x.view());
            rest.add_scaled(T::from_f64(-value), x);
            let (residual, stated): (f64, f64) = (rest.norm().item().into(), found.residuals[k].into());
            assert!((residual - stated).abs() < tolerance, "{residual} and {stated}");
            assert!((x.norm().item().into() - 1.0).abs() < tolerance);
            for other in &found.vectors[..k] {
                let overlap: f64 = x.vdot(other).norm().item().into();
                assert!(overlap < tolerance);
            }
        }
    }
}

#[test]
fn lanczos_finds_both_ends_of_spectrum_of_path() {
    check_path::<f64, RowMajor, Cpu>(1e-9);
    check_path::<f64, ColMajor, Remote>(1e-9);
    check_path::<c64, ColMajor, Cpu>(1e-9);
    check_path::<f32, ColMajor, Cpu>(1e-4);
    check_path::<c32, RowMajor, Cpu>(1e-4);
}

/// The Hamiltonian of an open spin-1/2 Heisenberg chain, Σ S·S = Σ (P/2 − 1/4), where P exchanges two neighbours.
fn heisenberg<T: LinalgElement, O: Order>(x: TensorView<'_, T, Rank<12>, O>) -> Tensor<T, Rank<12>, O> {
    let mut y = x * T::from_f64(-11.0 / 4.0);
    for site in 0..11 {
        y.add_scaled(T::from_f64(0.5), x.swap_axes(site, site + 1));
    }
    y
}

#[test]
fn lanczos_finds_ground_state_of_heisenberg_chain() {
    // By the Bethe ansatz.
    const ENERGY: f64 = -5.142_090_632_840_53;
    let mut next = numbers(2);
    let start = Tensor::<f64, Rank<12>>::from_fn([2; 12], |_| next());
    let (energy, state) = lanczos(heisenberg, &start, Krylov::lowest(1)).unwrap().into_first();
    assert!((energy - ENERGY).abs() < 1e-12, "{energy}");
    assert_eq!(state.shape(), [2; 12]);

    let mut next = numbers(3);
    let start = Tensor::<c64, Rank<12>, ColMajor>::from_fn([2; 12], |_| Complex::new(next(), next()));
    let found = lanczos(heisenberg, &start, Krylov::lowest(2)).unwrap();
    assert!((found.values[0] - ENERGY).abs() < 1e-12, "{found:?}");
    // The expected gap to the lowest triplet was computed by exact diagonalisation.
    assert!((found.values[1] - found.values[0] - 0.280_942_695_804).abs() < 1e-10);
}

#[test]
fn lanczos_agrees_with_eigh() {
    const N: usize = 40;
    let a = complex_matrix(N, 4);
    let h = &a + a.t().conj();
    let expected = h.eigvalsh();
    let start = complex_vector(N, 5);
    // With and without restarts, and with a basis that is larger than the space.
    for basis in [6, 12, 40, 1000] {
        let found =
            lanczos(|x| h.matmul(&x), &start, Krylov::lowest(4).basis(basis).tolerance(1e-12)).unwrap();
        for k in 0..4 {
            assert!(
                (found.values[k] - expected[[k]]).abs() < 1e-11,
                "{basis}: {:?}\n{expected}",
                found.values
            );
        }
        assert!(basis < 40 || found.applications <= 40);
    }
}

#[test]
fn lanczos_scales_with_operator() {
    let start = Tensor::<f64, Rank<1>>::from_fn([30], |[k]| (k as f64).sin() * 1e-200);
    for factor in [1e-180, 1e150] {
        let found = lanczos(|x| path(x) * factor, &start, Krylov::lowest(1)).unwrap();
        assert!((found.values[0] / factor - of_path(1, 30)).abs() < 1e-12, "{found:?}");
    }
}

#[test]
fn lanczos_continues_after_invariant_subspace() {
    // The start tensor is an eigenvector.
    let found =
        lanczos(|x| x * &tensor![3.0, 1.0, 2.0], &tensor![1.0f64, 0.0, 0.0], Krylov::lowest(1)).unwrap();
    assert_eq!((found.values.as_slice(), found.applications), ([3.0].as_slice(), 1));
    let found =
        lanczos(|x| x * &tensor![3.0, 1.0, 2.0], &tensor![1.0f64, 0.0, 0.0], Krylov::lowest(3)).unwrap();
    for (value, expected) in found.values.iter().zip([1.0, 2.0, 3.0]) {
        assert!((value - expected).abs() < 1e-14, "{found:?}");
    }
    // The operator is the identity, so every vector is an eigenvector.
    let start = Tensor::<f64, Rank<1>>::ones([7]);
    let found = lanczos(|x| x.to_owned(), &start, Krylov::highest(3)).unwrap();
    assert!(found.converged && found.values.iter().all(|value| (value - 1.0).abs() < 1e-14), "{found:?}");
    let vectors = stack(0, &found.vectors);
    assert!(vectors.matmul(vectors.t()).all_close(&Tensor::eye(3), 0.0, 1e-14));
    let number = lanczos(|x| x * 5.0, &Tensor::<f64, Rank<0>>::scalar(-2.0), Krylov::lowest(1)).unwrap();
    assert_eq!((number.values[0], number.vectors[0].item()), (5.0, -1.0));
    let found = lanczos(|x| x * 0.0, &start, Krylov::lowest(2)).unwrap();
    assert_eq!(found.values, [0.0, 0.0]);
}

#[test]
fn lanczos_reports_what_has_not_converged() {
    let start = Tensor::<f64, Rank<1>>::from_fn([500], |[k]| (k as f64 * 0.7).cos());
    let how = Krylov::lowest(2).max_applications(30);
    let error = lanczos(path, &start, how).unwrap_err();
    let Error::IterationLimit { applications: 30, residual, tolerance, .. } = error else {
        panic!("{error}")
    };
    assert!(residual > tolerance && tolerance == 1e-10);
    let message = error.to_string();
    assert!(
        message.starts_with("cannot find eigenpairs by `lanczos`: after 30 applications of the operator")
    );
    assert!(message.contains("accept_unconverged"), "{message}");

    let found = lanczos(path, &start, how.accept_unconverged()).unwrap();
    assert!(!found.converged && found.applications == 30 && found.values.len() == 2);
    // The eigenvalues of the projected operator are upper bounds of the lowest eigenvalues of `path`.
    assert!(found.values[0] > of_path(1, 500) && found.values[0] < 0.1);
}

fn reason<V: std::fmt::Debug>(result: Result<V, Error>) -> String {
    match result.unwrap_err() {
        Error::Argument { op, reason } => format!("{op}: {reason}"),
        other => panic!("{other}"),
    }
}

#[test]
fn lanczos_rejects_bad_input() {
    let start = Tensor::<f64, Rank<1>>::ones([5]);
    let one = Krylov::lowest(1);
    let check = |result: Result<Eigenpairs<f64, Rank<1>, RowMajor, Cpu>, Error>, expected: &str| {
        let reason = reason(result);
        assert!(
            reason.starts_with("find eigenpairs by `lanczos`: ") && reason.contains(expected),
            "{reason}"
        );
    };
    check(lanczos(path, &Tensor::zeros([5]), one), "the start tensor is zero; start with");
    check(
        lanczos(path, &tensor![1.0, f64::NAN], one),
        "the start tensor has an element that is NaN or infinite",
    );
    check(
        lanczos(path, &Tensor::zeros([0]), one),
        "1 eigenpairs are requested, and a tensor of 0 elements has 0",
    );
    check(lanczos(path, &start, Krylov::lowest(0)), "0 eigenpairs are requested; request at least 1");
    check(lanczos(path, &start, Krylov::lowest(6)), "and a tensor of 5 elements has 5; request at most 5");
    check(
        lanczos(path, &start, Krylov::lowest(2).basis(3)),
        "a basis of 3 vectors is too small for 2 eigenpairs",
    );
    check(lanczos(path, &start, one.tolerance(-1.0)), "the tolerance is -1");
    check(lanczos(path, &start, one.tolerance(f64::NAN)), "the tolerance is NaN");
    check(lanczos(path, &start, one.max_applications(0)), "need at least as many applications");
    check(
        lanczos(|_| Tensor::ones([4]), &start, one),
        "the operator maps shape [5] to shape [4]; its result must have the shape of its argument",
    );
    let mut calls = 0;
    let result = lanczos(
        |x| {
            calls += 1;
            if calls == 3 { x * f64::NAN } else { path(x) }
        },
        &tensor![1.0, 0.0, 0.0, 0.0, 0.0],
        one,
    );
    check(result, "application 3 of the operator returned a tensor with a NaN or infinite element");
    let shift = tensor![[0.0, 1.0], [0.0, 0.0]];
    check(
        lanczos(|x| shift.matmul(&x), &tensor![1.0, 2.0], Krylov::lowest(2)),
        "the operator is not Hermitian",
    );
    let complex = lanczos(|x| x * Complex::new(0.0, 1.0), &complex_vector(3, 1), one);
    assert!(reason(complex).contains("the operator is not Hermitian"));
}

#[test]
fn errors_of_operators_are_returned() {
    let failure = || Error::Argument { op: "ask", reason: "no answer".into() };
    let b = Tensor::<f64, Rank<1>>::ones([5]);
    assert_eq!(try_lanczos(|_| Err(failure()), &b, Krylov::lowest(1)).unwrap_err(), failure());
    assert_eq!(try_davidson(|_| Err(failure()), &b, &b, Krylov::lowest(1)).unwrap_err(), failure());
    assert_eq!(try_arnoldi(|_| Err(failure()), &b, 2).unwrap_err(), failure());
    let how = Iteration::new();
    assert_eq!(try_cg(|_| Err(failure()), &b, how).unwrap_err(), failure());
    assert_eq!(try_minres(|_| Err(failure()), &b, how).unwrap_err(), failure());
    assert_eq!(try_gmres(|_| Err(failure()), &b, how).unwrap_err(), failure());
    assert_eq!(try_expm_multiply(|_| Err(failure()), 1.0, &b, how).unwrap_err(), failure());
    let how = RandomizedSvd::rank(1);
    let result: Result<SingularTriplets<f64, Rank<1>, Rank<1>, RowMajor, Cpu>, _> =
        try_randomized_svd(|x| Ok(x.to_owned()), |_| Err(failure()), [5], &Cpu, how);
    assert_eq!(result.unwrap_err(), failure());
}

#[test]
fn conjugate_gradients_solve_poisson_equation() {
    fn check<O: Order>() {
        const SHAPE: [usize; 2] = [9, 12];
        let mut next = numbers(6);
        let b = Tensor::<f64, Rank<2>, O>::from_fn(SHAPE, |_| next());
        let found = cg(grid, &b, Iteration::new().tolerance(1e-13)).unwrap();
        assert!(found.converged && found.residual <= 1e-13);
        // The matrix of the operator, with flat indices in row-major order.
        let n = SHAPE[0] * SHAPE[1];
        let mut matrix = Tensor::<c64, Rank<2>>::zeros([n, n]);
        for k in 0..n {
            let unit = Tensor::<f64, Rank<2>>::from_fn(SHAPE, |[i, j]| f64::from(i * SHAPE[1] + j == k));
            matrix.index_axis_mut(1, k).assign(&grid(unit.view()).flatten().cast::<c64>());
        }
        let flat = b.to_order::<RowMajor>().flatten().cast::<c64>();
        let expected = solved_directly(&matrix, &flat).re().reshape(SHAPE).to_order::<O>();
        assert!(found.x.all_close(&expected, 1e-12, 1e-12), "{}\n{expected}", found.x);
    }
    check::<RowMajor>();
    check::<ColMajor>();
}

/// Compares a solution with that of Gaussian elimination, and the stated residual with the true residual.
fn check_solution(
    a: &Tensor<c64, Rank<2>>,
    b: &Tensor<c64, Rank<1>>,
    found: &Solution<c64, Rank<1>, RowMajor, Cpu>,
) {
    let expected = solved_directly(a, b);
    let error = (&found.x - &expected).norm().item() / expected.norm().item();
    assert!(found.converged && error < 1e-10, "{error:e}, {found:?}");
    let residual = (b - a.matmul(&found.x)).norm().item() / b.norm().item();
    assert!((residual - found.residual).abs() < 1e-14 && residual <= 1e-13, "{residual:e}");
}

#[test]
fn solvers_agree_with_elimination() {
    const N: usize = 30;
    let (a, b) = (complex_matrix(N, 7), complex_vector(N, 8));
    let how = Iteration::new().tolerance(1e-13);
    let positive = a.t().conj().matmul(&a) + Tensor::<c64, Rank<2>>::eye(N);
    check_solution(&positive, &b, &cg(|x| positive.matmul(&x), &b, how).unwrap());
    check_solution(&positive, &b, &minres(|x| positive.matmul(&x), &b, how).unwrap());
    // Eigenvalues of both signs.
    let hermitian = &a + a.t().conj();
    let w = hermitian.eigvalsh();
    assert!(w[[0]] < -1.0 && w[[N - 1]] > 1.0);
    check_solution(&hermitian, &b, &minres(|x| hermitian.matmul(&x), &b, how).unwrap());
    let general = &a + 8.0 * Tensor::<c64, Rank<2>>::eye(N);
    // With restarts, and without.
    for basis in [10, 30, 100] {
        let found = gmres(|x| general.matmul(&x), &b, how.basis(basis)).unwrap();
        check_solution(&general, &b, &found);
        assert!(basis < 30 || found.applications < 40, "{}", found.applications);
    }
}

#[test]
fn solvers_handle_special_systems() {
    let how = Iteration::new();
    let zero = cg(path, &Tensor::<f64, Rank<1>>::zeros([4]), how).unwrap();
    assert_eq!((zero.x, zero.applications, zero.converged), (Tensor::zeros([4]), 0, true));
    let empty = gmres(path, &Tensor::<f64, Rank<1>>::zeros([0]), how).unwrap();
    assert_eq!((empty.x.len(), empty.converged), (0, true));
    // For the identity, the Krylov space has one dimension.
    let b = Tensor::<f64, Rank<1>>::from_fn([6], |[k]| k as f64 * 1e-170);
    for found in
        [cg(|x| x.to_owned(), &b, how), minres(|x| x.to_owned(), &b, how), gmres(|x| x.to_owned(), &b, how)]
    {
        let found = found.unwrap();
        assert!(found.x.all_close(&b, 1e-15, 0.0) && found.applications <= 3, "{found:?}");
    }
    // A singular system with a solution, and one without.
    let singular = |x: TensorView<'_, f64, Rank<1>>| x * &tensor![2.0, 0.0, -1.0];
    let b = tensor![2.0, 0.0, 3.0];
    assert!(minres(singular, &b, how).unwrap().x.all_close(&tensor![1.0, 0.0, -3.0], 1e-14, 0.0));
    assert!(gmres(singular, &b, how).unwrap().x.all_close(&tensor![1.0, 0.0, -3.0], 1e-14, 0.0));
    let b = tensor![2.0, 1.0, 3.0];
    for result in [minres(singular, &b, how), gmres(singular, &b, how)] {
        assert!(
            matches!(result, Err(Error::IterationLimit { residual, .. }) if residual > 0.1),
            "{result:?}"
        );
    }
}

#[test]
fn solvers_report_what_has_not_converged() {
    let b = Tensor::<f64, Rank<1>>::ones([300]);
    let how = Iteration::new().max_applications(20).basis(5);
    for result in [cg(path, &b, how), minres(path, &b, how), gmres(path, &b, how)] {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::IterationLimit { applications: ..=20, .. }), "{error}");
    }
    let how = how.accept_unconverged();
    for result in [cg(path, &b, how), minres(path, &b, how), gmres(path, &b, how)] {
        let found = result.unwrap();
        assert!(!found.converged && found.applications <= 20);
        let residual = (&b - path(found.x.view())).norm().item() / b.norm().item();
        assert!((residual - found.residual).abs() < 1e-12 && residual < 1.0 + 1e-12, "{residual} {found:?}");
    }
}

#[test]
fn solvers_reject_bad_input() {
    let b = Tensor::<f64, Rank<1>>::ones([4]);
    let how = Iteration::new();
    let check = |result: Result<Solution<f64, Rank<1>, RowMajor, Cpu>, Error>, expected: &str| {
        let reason = reason(result);
        assert!(reason.contains(expected), "{reason}");
    };
    check(cg(|x| x * -1.0, &b, how), "solve by `cg`: the operator is not positive definite");
    check(
        cg(path, &tensor![f64::INFINITY], how),
        "solve by `cg`: the right-hand side has an element that is NaN",
    );
    let nan = |x: TensorView<'_, f64, Rank<1>>| x * f64::NAN;
    for result in [cg(nan, &b, how), minres(nan, &b, how), gmres(nan, &b, how)] {
        check(result, "application 1 of the operator returned a tensor with a NaN or infinite element");
    }
    check(gmres(|_| Tensor::ones([3]), &b, how), "maps shape [4] to shape [3]");
    check(gmres(path, &b, how.basis(0)), "the basis has 0 vectors");
    check(minres(path, &b, how.tolerance(-0.5)), "the tolerance is -0.5");
}

/// Computes how the state of a quantum particle on a path graph (a chain of points) evolves. Compares it with the exact solution, a sum of
/// standing waves.
fn check_particle<T, O>(t: T, exponential: impl Fn(f64) -> T, basis: usize)
where
    T: LinalgElement<Magnitude = f64>,
    O: Order,
{
    const N: usize = 50;
    let start = Tensor::<T, Rank<1>, O>::from_fn([N], |[k]| T::from_f64(f64::from(k == 10)));
    let how = Iteration::new().basis(basis);
    let found = expm_multiply(path, t, &start, how).unwrap();
    let wave = |k: usize, i: usize| {
        (2.0 / (N + 1) as f64).sqrt() * (PI * (k * (i + 1)) as f64 / (N + 1) as f64).sin()
    };
    let expected = Tensor::<T, Rank<1>, O>::from_fn([N], |[i]| {
        (1..=N).fold(T::zero(), |sum, k| {
            sum + T::from_f64(wave(k, 10) * wave(k, i)) * exponential(of_path(k, N))
        })
    });
    let error = (&found.x - &expected).norm().item();
    assert!(found.converged && found.error <= 1e-10 && error < 1e-10, "{error:e}, {found:?}");
    // The error is less than twice the estimate, except for rounding errors.
    assert!(error < 2.0 * found.error + 1e-13, "{error:e} and {:e}", found.error);
}

#[test]
fn exponentials_agree_with_standing_waves() {
    for basis in [10, 30] {
        check_particle::<f64, RowMajor>(-1.5, |w| (-1.5 * w).exp(), basis);
        check_particle::<f64, ColMajor>(-30.0, |w| (-30.0 * w).exp(), basis);
        for t in [0.3, 20.0] {
            check_particle::<c64, ColMajor>(
                Complex::new(0.0, -t),
                |w| Complex::new(0.0, -t * w).exp(),
                basis,
            );
        }
    }
}

#[test]
fn exponentials_of_special_operators() {
    let how = Iteration::new();
    // A shift is not diagonalisable. Its exponential has the coefficients tᵏ / k!.
    let shift = |x: TensorView<'_, f64, Rank<1>>| {
        let mut y = Tensor::zeros([12]);
        y.slice_mut(s![1..]).assign(x.slice(s![..-1]));
        y
    };
    let start = Tensor::<f64, Rank<1>>::from_fn([12], |[k]| f64::from(k == 0));
    let found = expm_multiply(shift, 2.0, &start, how).unwrap();
    let expected = Tensor::<f64, Rank<1>>::from_fn([12], |[k]| (1..=k).map(|j| 2.0 / j as f64).product());
    assert!(found.x.all_close(&expected, 1e-13, 1e-14), "{}\n{expected}", found.x);

    // The start tensor is an eigenvector. In the second call, it has rank 0.
    let found = expm_multiply(|x| x * 3.0, -1.0, &(&start * 1e-250), how).unwrap();
    assert!(found.x.all_close(&(&start * (1e-250 * (-3.0f64).exp())), 1e-14, 0.0) && found.applications == 1);
    let number = expm_multiply(|x| x * 2.0, 1.0, &Tensor::<f64, Rank<0>>::scalar(1.0), how).unwrap();
    assert!((number.x.item() - 2.0f64.exp()).abs() < 1e-13);
    // The exponent is too large for one step.
    let decayed = expm_multiply(|x| x * &tensor![1.0, 2.0], -500.0, &tensor![1.0, 1.0], how).unwrap();
    assert!(decayed.x.all_close(&tensor![(-500.0f64).exp(), 0.0], 1e-12, 1e-230), "{}", decayed.x);

    let zero = Tensor::<f64, Rank<1>>::zeros([12]);
    assert_eq!(expm_multiply(shift, 2.0, &zero, how).unwrap().x, zero);
    assert_eq!(expm_multiply(shift, 0.0, &start, how).unwrap().x, start);
}

#[test]
fn exponentials_reject_bad_input() {
    let start = Tensor::<f64, Rank<1>>::ones([4]);
    let how = Iteration::new();
    assert!(reason(expm_multiply(path, f64::NAN, &start, how)).contains("the factor `t` is NaN"));
    assert!(
        reason(expm_multiply(|x| x * f64::NAN, 1.0, &start, how)).contains("application 1 of the operator")
    );
    assert!(reason(expm_multiply(|x| x * 1.0, 1e4, &start, how)).contains("the result overflows"));
    let long = Tensor::<f64, Rank<1>>::from_fn([100], |[k]| f64::from(k == 50));
    let few = how.max_applications(10);
    let error = expm_multiply(path, -40.0, &long, few).unwrap_err();
    assert!(matches!(error, Error::IterationLimit { applications: 10, .. }), "{error}");
    let found = expm_multiply(path, -10.0, &long, few.accept_unconverged()).unwrap();
    assert!(!found.converged && found.error > 1e-10 && found.applications == 10);
}

#[test]
fn operators_stay_on_device() {
    let b = Tensor::<f64, Rank<1>>::ones([4]).to_device::<Remote>().unwrap();
    let elsewhere = Tensor::<f64, Rank<1>>::ones([4]).to_device_in(&Remote::elsewhere()).unwrap();
    let error = cg(|_| elsewhere.clone(), &b, Iteration::new()).unwrap_err();
    assert!(matches!(error, Error::DeviceInstanceMismatch { op: "solve by `cg`", .. }), "{error}");
}

#[test]
fn davidson_agrees_with_eigh() {
    const N: usize = 60;
    let a = complex_matrix(N, 9);
    let diagonal = Tensor::<c64, Rank<1>>::from_fn([N], |[k]| Complex::new(20.0 * k as f64, 0.0));
    let h = (&a + a.t().conj()) * 0.3 + Tensor::from_diagonal(&diagonal);
    let w = h.eigvalsh();
    let start = complex_vector(N, 10);
    for (how, highest) in [(Krylov::lowest(3), false), (Krylov::highest(3).basis(8), true)] {
        let found = davidson(|x| h.matmul(&x), &h.diagonal(0, 1).to_owned(), &start, how).unwrap();
        let plain = lanczos(|x| h.matmul(&x), &start, how).unwrap();
        for k in 0..3 {
            let expected = w[[if highest { N - 1 - k } else { k }]];
            assert!((found.values[k] - expected).abs() < 1e-9, "{:?}\n{w}", found.values);
            let x = &found.vectors[k];
            let residual = (h.matmul(x) - x * Complex::from(found.values[k])).norm().item();
            assert!((residual - found.residuals[k]).abs() < 1e-12 && residual < 1e-7, "{residual:e}");
        }
        assert!(found.applications < plain.applications, "{} {}", found.applications, plain.applications);
    }
}

#[test]
fn davidson_handles_special_operators() {
    let (diagonal, start) = (tensor![3.0f64, 1.0, 2.0], tensor![1.0, 0.0, 0.0]);
    let found = davidson(|x| x * &diagonal, &diagonal, &start, Krylov::lowest(3)).unwrap();
    for (value, expected) in found.values.iter().zip([1.0, 2.0, 3.0]) {
        assert!((value - expected).abs() < 1e-14, "{found:?}");
    }
    let check = |result: Result<Eigenpairs<f64, Rank<1>, RowMajor, Cpu>, Error>, expected: &str| {
        let reason = reason(result);
        assert!(
            reason.starts_with("find eigenpairs by `davidson`: ") && reason.contains(expected),
            "{reason}"
        );
    };
    let one = Krylov::lowest(1);
    check(
        davidson(path, &tensor![1.0], &start, one),
        "the diagonal has shape [1], and the start tensor has shape [3]",
    );
    check(
        davidson(path, &tensor![1.0, f64::NAN, 0.0], &start, one),
        "the diagonal has an element that is NaN",
    );
    check(davidson(path, &diagonal, &Tensor::zeros([3]), one), "the start tensor is zero");
    check(davidson(|x| x * f64::NAN, &diagonal, &start, one), "application 1 of the operator returned");
    let long = Tensor::<f64, Rank<1>>::ones([300]);
    let few = one.max_applications(15);
    let error = davidson(path, &long, &long, few).unwrap_err();
    assert!(matches!(error, Error::IterationLimit { applications: 15, .. }), "{error}");
    let found = davidson(path, &long, &long, few.accept_unconverged()).unwrap();
    assert!(!found.converged && found.values[0] > of_path(1, 300) && found.residuals[0] > 0.0);
}

#[test]
fn randomized_svd_agrees_with_svd() {
    fn check<O: Order>() {
        // The operator maps tensors of shape [5, 8] to tensors of shape [30]. Its singular values are 1 / (k + 1)².
        let (u, v) =
            (complex_matrix(30, 11).to_order::<O>().qr().0, complex_matrix(40, 12).to_order::<O>().qr().0);
        let s =
            Tensor::<c64, Rank<1>, O>::from_fn([30], |[k]| Complex::from(1.0 / ((k + 1) * (k + 1)) as f64));
        let matrix = einsum!("ik,k,jk->ij", &u, &s, v.slice(s![.., ..30]).conj_view());
        let a = matrix.reshape([30, 5, 8]);
        let apply = |x: TensorView<'_, c64, Rank<2>, O>| einsum!("iab,ab->i", &a, &x);
        let adjoint = |y: TensorView<'_, c64, Rank<1>, O>| einsum!("iab,i->ab", a.conj_view(), &y);
        let found = randomized_svd(apply, adjoint, [5, 8], &Cpu, RandomizedSvd::rank(6)).unwrap();
        assert_eq!((found.s.len(), found.applications), (6, 16 * 6));
        for k in 0..6 {
            let expected = 1.0 / ((k + 1) * (k + 1)) as f64;
            assert!((found.s[k] - expected).abs() < 1e-6, "{:?}", found.s);
            let rest = apply(found.v[k].view()) - &found.u[k] * Complex::from(found.s[k]);
            assert!(rest.norm().item() < 1e-4, "{}", rest.norm());
            for other in 0..6 {
                let unit = f64::from(u8::from(other == k));
                assert!((found.u[k].vdot(&found.u[other]).item() - unit).norm() < 1e-13);
                assert!((found.v[k].vdot(&found.v[other]).item() - unit).norm() < 1e-13);
            }
        }
        // Equal seeds give equal bits, and other seeds give other bits.
        let again = |how| randomized_svd(apply, adjoint, [5, 8], &Cpu, how).unwrap().u;
        assert_eq!(again(RandomizedSvd::rank(6)), found.u);
        assert_ne!(again(RandomizedSvd::rank(6).seed(100)), found.u);
        // The samples for this rank span the whole space, so the result is exact.
        let all = randomized_svd(apply, adjoint, [5, 8], &Cpu, RandomizedSvd::rank(100).power(0)).unwrap();
        assert_eq!(all.s.len(), 30);
        for (k, s) in all.s.iter().enumerate() {
            assert!((s - 1.0 / ((k + 1) * (k + 1)) as f64).abs() < 1e-13, "{k}: {s}");
        }
    }
    check::<RowMajor>();
    check::<ColMajor>();
}

#[test]
fn randomized_svd_handles_special_operators() {
    let (zero, how) = (Tensor::<f64, Rank<1>>::zeros([3]), RandomizedSvd::rank(2));
    let none = randomized_svd(|_| zero.clone(), |_| zero.clone(), [3], &Cpu, how).unwrap();
    assert!(none.u.is_empty() && none.s.is_empty() && none.v.is_empty());
    let empty: Tensor<f64, Rank<1>> = Tensor::zeros([0]);
    let none = randomized_svd(|_| zero.clone(), |_| empty.clone(), [0], &Cpu, how).unwrap();
    assert_eq!((none.s.len(), none.applications), (0, 0));
    // Rank 1.
    let one = randomized_svd(|x| &zero + x.sum(), |y| &zero + y.sum(), [3], &Cpu, how).unwrap();
    assert!((one.s[0] - 3.0).abs() < 1e-14 && one.s[1..].iter().all(|s| s.abs() < 1e-14), "{:?}", one.s);

    let message = reason(randomized_svd(|_| &zero + 1.0, |_| Tensor::ones([4]), [3], &Cpu, how));
    assert!(
        message.contains("the adjoint of the operator returned a tensor of shape [4], and shape [3] is"),
        "{message}"
    );
    let message = reason(randomized_svd(|_| &zero * f64::NAN, |_| zero.clone(), [3], &Cpu, how));
    assert!(message.contains("the operator returned a tensor with a NaN or infinite element"), "{message}");
}

#[test]
fn arnoldi_projects_operators() {
    fn check<O: Order>() {
        const N: usize = 12;
        let a = complex_matrix(N, 13).to_order::<O>();
        let start = complex_vector(N, 14).to_order::<O>();
        for vectors in [1, 5, N, 40] {
            let found = arnoldi(|x| a.matmul(&x), &start, vectors).unwrap();
            let k = vectors.min(N);
            assert_eq!((found.v.len(), found.h.shape(), found.invariant), (k, [k, k], k == N));
            assert!((&found.v[0] * start.norm().item()).all_close(&start, 1e-14, 1e-14));
            for j in 0..k {
                // Checks column `j` of the Arnoldi relation: `a · v[j]` is the sum of `h[i, j] · v[i]` over `i`, plus `found.rest` for the
                // last column.
                let mut rest = a.matmul(&found.v[j]);
                for i in 0..k {
                    assert!(i <= j + 1 || found.h[[i, j]] == Complex::default());
                    rest.add_scaled(-found.h[[i, j]], &found.v[i]);
                    let unit = f64::from(u8::from(i == j));
                    assert!((found.v[i].vdot(&found.v[j]).item() - unit).norm() < 1e-14);
                }
                if j == k - 1 {
                    rest -= &found.rest;
                }
                assert!(rest.norm().item() < 1e-13, "{j}: {rest}");
            }
            assert!(found.v.iter().all(|v| v.vdot(&found.rest).item().norm() < 1e-13));
            // The projection on the whole space is similar to the operator, so their traces are equal.
            assert!(k < N || (found.h.trace(0, 1).item() - a.trace(0, 1).item()).norm() < 1e-12);
        }
    }
    check::<RowMajor>();
    check::<ColMajor>();

    let unit = tensor![0.0, 2.0, 0.0];
    let found = arnoldi(|x| x * &tensor![1.0, -3.0, 2.0], &unit, 3).unwrap();
    assert_eq!((found.invariant, found.h, found.rest), (true, tensor![[-3.0]], Tensor::zeros([3])));
    assert!(reason(arnoldi(path, &unit, 0)).contains("project by `arnoldi`: the basis has 0 vectors"));
    assert!(reason(arnoldi(path, &Tensor::<f64, _>::zeros([3]), 2)).contains("the start tensor is zero"));
    assert!(reason(arnoldi(path, &Tensor::<f64, _>::zeros([0]), 2)).contains("the start tensor is zero"));
    assert!(reason(arnoldi(|x| x * f64::NAN, &unit, 2)).contains("application 1 of the operator returned"));
}

/// Solves a system with and without preconditioners. The rows and the columns of its matrix are scaled by factors from 1 to 1e3.
fn check_preconditioned<T, O>(tolerance: f64)
where
    T: LinalgElement,
    T::Magnitude: Into<f64>,
    O: Order,
{
    const N: usize = 80;
    // The operator is D·P·D, where D is diagonal and P is the operator `path`. With the preconditioner D⁻², it is similar to P.
    let scales = Tensor::<T, Rank<1>, O>::from_fn([N], |[k]| T::from_f64(10f64.powf(3.0 * k as f64 / 79.0)));
    let apply = |x: TensorView<'_, T, Rank<1>, O>| path((x * &scales).view()) * &scales;
    let squares = &scales * &scales;
    let expected = Tensor::<T, Rank<1>, O>::from_fn([N], |[k]| T::from_f64((k as f64).cos()));
    let b = apply(expected.view());
    let how = Iteration::new().tolerance(tolerance).basis(N);
    let inverse = |r: TensorView<'_, T, Rank<1>, O>| r / &squares;
    let plain = cg(apply, &b, how.accept_unconverged()).unwrap();
    for found in [
        cg_preconditioned(apply, inverse, &b, how),
        minres_preconditioned(apply, inverse, &b, how),
        gmres_preconditioned(apply, inverse, &b, how),
    ] {
        let found = found.unwrap();
        let residual: f64 = ((apply(found.x.view()) - &b).norm().item() / b.norm().item()).into();
        assert!(found.converged && residual <= 1.01 * tolerance, "{residual:e}");
        assert!(found.applications < plain.applications, "{} {}", found.applications, plain.applications);
        let error: f64 = ((&found.x - &expected) * &scales).norm().item().into();
        // The operator is D·P·D. D is the diagonal matrix of `scales`, which are at least 1. The eigenvalues of P are at least 1.5e-3. For
        // a residual vector r, `error` is |P⁻¹·D⁻¹·r|, so it is less than 1e3·|r|.
        let largest: f64 = b.norm().item().into();
        assert!(error < tolerance * largest * 1e3, "{error:e}");
    }
}

#[test]
fn preconditioners_reduce_applications() {
    check_preconditioned::<f64, RowMajor>(1e-11);
    check_preconditioned::<c64, ColMajor>(1e-11);
    check_preconditioned::<f32, RowMajor>(1e-4);
}

#[test]
fn exact_preconditioners_need_few_applications() {
    // A Hermitian matrix with eigenvalues of both signs, and a matrix that is not Hermitian.
    let a = complex_matrix(30, 20);
    let hermitian = &a + a.t().conj();
    let b = complex_vector(30, 21);
    let how = Iteration::new();
    let square = a.matmul(a.t().conj());
    for (name, matrix, found) in [
        ("cg", &square, {
            let inverse = square.inv();
            cg_preconditioned(|x| square.matmul(&x), |r| inverse.matmul(&r), &b, how)
        }),
        ("minres", &hermitian, {
            // The preconditioner is the inverse of the matrix's absolute value, so the preconditioned operator has the eigenvalues
            // ±1.
            let inverse = hermitian.hermitian_map(|w| (1.0 / w.abs()).into());
            minres_preconditioned(|x| hermitian.matmul(&x), |r| inverse.matmul(&r), &b, how)
        }),
        ("gmres", &a, {
            let inverse = a.inv();
            gmres_preconditioned(|x| a.matmul(&x), |r| inverse.matmul(&r), &b, how)
        }),
    ] {
        let found = found.unwrap();
        // A method takes at most two steps, and two more for a correction. The other applications compute residuals.
        assert!(found.applications <= 6, "{name}: {}", found.applications);
        let expected = solved_directly(matrix, &b);
        assert!(found.x.all_close(&expected, 1e-8, 1e-8), "{name}: {}\n{expected}", found.x);
    }
}

#[test]
fn preconditioned_solvers_reject_bad_input() {
    let b = Tensor::<f64, Rank<1>>::ones([4]);
    let how = Iteration::new();
    let check = |result: Result<Solution<f64, Rank<1>, RowMajor, Cpu>, Error>, expected: &str| {
        let reason = reason(result);
        assert!(reason.contains(expected), "{reason}");
    };
    for result in [
        cg_preconditioned(path, |r| -r, &b, how),
        minres_preconditioned(path, |r| r * 0.0, &b, how),
        minres_preconditioned(path, |r| -r, &b, how),
    ] {
        check(result, "the preconditioner is not positive definite: `⟨r, M·r⟩` is");
    }
    let nan = |r: TensorView<'_, f64, Rank<1>>| r * f64::NAN;
    let short = |_: TensorView<'_, f64, Rank<1>>| Tensor::ones([3]);
    for result in [
        cg_preconditioned(path, nan, &b, how),
        minres_preconditioned(path, nan, &b, how),
        gmres_preconditioned(path, nan, &b, how),
    ] {
        check(result, "the preconditioner returned a tensor with a NaN or infinite element");
    }
    for result in [
        cg_preconditioned(path, short, &b, how),
        minres_preconditioned(path, short, &b, how),
        gmres_preconditioned(path, short, &b, how),
    ] {
        check(result, "the preconditioner maps shape [4] to shape [3]; its result must have the shape of");
    }
    let one = Krylov::lowest(1);
    let message = reason(davidson_preconditioned(path, |r, _| r * f64::NAN, &b, one));
    assert!(message.contains("the preconditioner returned a tensor with a NaN"), "{message}");
    let message = reason(davidson_preconditioned(path, |_, _| Tensor::ones([3]), &b, one));
    assert!(message.contains("the preconditioner maps shape [4] to shape [3]"), "{message}");
    let failure = || Error::Argument { op: "ask", reason: "no answer".into() };
    let apply = |x: TensorView<'_, f64, Rank<1>>| Ok(path(x));
    assert_eq!(try_cg_preconditioned(apply, |_| Err(failure()), &b, how).unwrap_err(), failure());
    assert_eq!(try_minres_preconditioned(apply, |_| Err(failure()), &b, how).unwrap_err(), failure());
    assert_eq!(try_gmres_preconditioned(apply, |_| Err(failure()), &b, how).unwrap_err(), failure());
    assert_eq!(try_davidson_preconditioned(apply, |_, _| Err(failure()), &b, one).unwrap_err(), failure());
}

#[test]
fn davidson_with_preconditioner_finds_path_in_potential() {
    const N: usize = 120;
    // For the lowest eigenvalues of `path`, the inverse operator is a far better preconditioner than the diagonal, which is
    // constant.
    let inverse = Tensor::<f64, Rank<2>>::from_fn([N, N], |[i, j]| {
        let (i, j) = (i.min(j) + 1, i.max(j) + 1);
        (i * (N + 1 - j)) as f64 / (N + 1) as f64
    });
    let mut next = numbers(22);
    let start = Tensor::from_fn([N], |_| next());
    let how = Krylov::lowest(4);
    let mut values = Vec::new();
    let precondition = |r: TensorView<'_, f64, Rank<1>>, value| {
        values.push(value);
        inverse.matmul(&r)
    };
    let found = davidson_preconditioned(path, precondition, &start, how).unwrap();
    for k in 0..4 {
        assert!((found.values[k] - of_path(k + 1, N)).abs() < 1e-10, "{:?}", found.values);
    }
    assert!(values.iter().all(|&value| value > 0.0 && value < 4.0));
    let plain = lanczos(path, &start, how).unwrap();
    assert!(found.applications < plain.applications / 2, "{} {}", found.applications, plain.applications);
}

#[test]
fn operators_write_to_given_tensor() {
    const N: usize = 40;
    let a = complex_matrix(N, 23);
    let h = &a + a.t().conj() + Tensor::<c64, _>::eye(N) * 100.0;
    let diagonal = h.diagonal(0, 1).to_owned();
    let b = complex_vector(N, 24);
    // Collects the addresses to which the operator writes. Their number shows how many tensors a method uses for all applications.
    let addresses = std::cell::RefCell::new(std::collections::BTreeSet::new());
    let write = |x: TensorView<'_, c64, Rank<1>>, y: &mut Tensor<c64, Rank<1>>| {
        addresses.borrow_mut().insert(y.as_slice().as_ptr() as usize);
        h.try_matmul_into(&x, y)
    };
    let precondition = |r: TensorView<'_, c64, Rank<1>>, z: &mut Tensor<c64, Rank<1>>| {
        z.assign(r / &diagonal);
        Ok(())
    };
    let apply = |x: TensorView<'_, c64, Rank<1>>| h.matmul(&x);
    let inverse = |r: TensorView<'_, c64, Rank<1>>| r / &diagonal;
    let (how, of) = (Iteration::new(), Krylov::lowest(2));
    let same = |name: &str, found: &Tensor<c64, Rank<1>>, expected: &Tensor<c64, Rank<1>>, most: usize| {
        assert_eq!(found, expected, "{name}");
        let found = addresses.take().len();
        assert!((1..=most).contains(&found), "{name}: {found} addresses");
    };
    same("cg", &cg_into(write, &b, how).unwrap().x, &cg(apply, &b, how).unwrap().x, 4);
    same("minres", &minres_into(write, &b, how).unwrap().x, &minres(apply, &b, how).unwrap().x, 8);
    same("gmres", &gmres_into(write, &b, how).unwrap().x, &gmres(apply, &b, how).unwrap().x, 8);
    let found = cg_preconditioned_into(write, precondition, &b, how).unwrap();
    same("cg_preconditioned", &found.x, &cg_preconditioned(apply, inverse, &b, how).unwrap().x, 4);
    let found = minres_preconditioned_into(write, precondition, &b, how).unwrap();
    same("minres_preconditioned", &found.x, &minres_preconditioned(apply, inverse, &b, how).unwrap().x, 8);
    let found = gmres_preconditioned_into(write, precondition, &b, how).unwrap();
    same("gmres_preconditioned", &found.x, &gmres_preconditioned(apply, inverse, &b, how).unwrap().x, 8);
    let found = lanczos_into(write, &b, of).unwrap();
    same("lanczos", &found.vectors[1], &lanczos(apply, &b, of).unwrap().vectors[1], 3);
    let found = davidson_into(write, &diagonal, &b, of).unwrap();
    same("davidson", &found.vectors[1], &davidson(apply, &diagonal, &b, of).unwrap().vectors[1], 500);
    let found = davidson_preconditioned_into(write, |r, _, z| precondition(r, z), &b, of).unwrap();
    let expected = davidson_preconditioned(apply, |r, _| inverse(r), &b, of).unwrap();
    same("davidson_preconditioned", &found.vectors[1], &expected.vectors[1], 500);
    let t = Complex::new(0.0, -0.1);
    let found = expm_multiply_into(write, t, &b, how).unwrap();
    same("expm_multiply", &found.x, &expm_multiply(apply, t, &b, how).unwrap().x, 8);
    let found = eigs_into(write, &b, Krylov::largest(2)).unwrap();
    same("eigs", &found.vectors[1], &eigs(apply, &b, Krylov::largest(2)).unwrap().vectors[1], 3);
    let found = arnoldi_into(write, &b, 7).unwrap();
    same("arnoldi", &found.rest, &arnoldi(apply, &b, 7).unwrap().rest, 3);

    // A closure can replace the tensor, but not by one of another shape.
    let replace = |_: TensorView<'_, c64, Rank<1>>, y: &mut Tensor<c64, Rank<1>>| {
        *y = Tensor::zeros([3]);
        Ok(())
    };
    assert!(reason(cg_into(replace, &b, how)).contains("the operator maps shape [40] to shape [3]"));
}

/// Checks eigenpairs of a real or complex operator: the values, the stated residuals, and the norms of the vectors.
fn check_eigs<T, O, Dev>(
    apply: impl Fn(TensorView<'_, T, Rank<1>, O, Dev>) -> Tensor<T, Rank<1>, O, Dev>,
    start: &Tensor<T, Rank<1>, O, Dev>,
    how: Krylov,
    expected: &[c64],
    tolerance: f64,
) where
    T: LinalgElement + CastTo<c64>,
    T::Magnitude: Into<f64>,
    T::Complex: CastTo<c64>,
    O: Order,
    Dev: Backend<T> + Backend<<T as LinalgElement>::Complex>,
{
    let found = eigs(&apply, start, how).unwrap();
    assert!(found.converged && found.values.len() == expected.len(), "{:?}", found.values);
    // The columns of the operator's matrix, on the host.
    let n = start.len();
    let columns: Vec<Vec<c64>> = (0..n)
        .map(|k| {
            let unit = Tensor::<T, Rank<1>, O>::from_fn([n], |[i]| if i == k { T::one() } else { T::zero() });
            let image = apply(unit.to_device_in(start.device()).unwrap().view());
            image.to_vec().into_iter().map(CastTo::cast_to).collect()
        })
        .collect();
    for (k, &expected) in expected.iter().enumerate() {
        let value: c64 = found.values[k].cast_to();
        assert!((value - expected).norm() < tolerance, "{k}: {value} and {expected}");
        let x: Vec<c64> = found.vectors[k].to_vec().into_iter().map(CastTo::cast_to).collect();
        let rest: Vec<c64> =
            (0..n).map(|i| (0..n).map(|j| columns[j][i] * x[j]).sum::<c64>() - value * x[i]).collect();
        let norm = |x: &[c64]| x.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
        let stated: f64 = found.residuals[k].into();
        assert!((norm(&rest) - stated).abs() < tolerance, "{k}: {:e} and {stated:e}", norm(&rest));
        assert!((norm(&x) - 1.0).abs() < tolerance);
    }
}

/// A circulant operator that is not symmetric: `0.9·x[k − 1] + 0.1·x[k + 1] + factor·x[k]`.
fn ring<T, O, Dev>(x: TensorView<'_, T, Rank<1>, O, Dev>, factor: T) -> Tensor<T, Rank<1>, O, Dev>
where
    T: LinalgElement,
    O: Order,
    Dev: Backend<T>,
{
    let mut y = x * factor;
    for (shift, weight) in [(1, 0.9), (-1, 0.1)] {
        y.add_scaled(T::from_f64(weight), x.roll(0, shift));
    }
    y
}

#[test]
fn eigs_find_spectrum_of_ring() {
    const N: usize = 61;
    fn check<T, O, Dev>(tolerance: f64)
    where
        T: LinalgElement + CastTo<c64>,
        T::Magnitude: Into<f64>,
        <T as LinalgElement>::Complex: CastTo<c64>,
        O: Order,
        Dev: Backend<T> + Backend<<T as LinalgElement>::Complex> + Default,
    {
        let mut next = numbers(30);
        let host = Tensor::<T, Rank<1>, O>::from_fn([N], |_| T::from_f64(next()));
        let start = host.to_device::<Dev>().unwrap();
        let value =
            |k: f64| Complex::new((2.0 * PI * k / N as f64).cos(), 0.8 * (2.0 * PI * k / N as f64).sin());
        for (how, expected) in [
            // If each restart kept the same number of vectors, this iteration would not converge.
            (Krylov::highest(5).basis(16), [value(0.0), value(1.0), value(-1.0), value(2.0), value(-2.0)]),
            (Krylov::lowest(5).basis(40), [value(30.0), value(31.0), value(29.0), value(32.0), value(28.0)]),
        ] {
            check_eigs::<T, O, Dev>(|x| ring(x, T::zero()), &start, how, &expected, tolerance);
        }
        let four = [value(0.0), value(1.0), value(-1.0), value(2.0)].map(|value| value + 3.0);
        let three = T::from_f64(3.0);
        check_eigs::<T, O, Dev>(|x| ring(x, three), &start, Krylov::largest(4), &four, 10.0 * tolerance);
    }
    check::<f64, RowMajor, Cpu>(1e-9);
    check::<f32, ColMajor, Remote>(2e-4);
}

#[test]
fn eigs_find_complex_spectrum() {
    // The eigenvalues of a complex operator need not be conjugate pairs. This operator is i times `ring`, so its eigenvalues are
    // those of `ring` times i.
    const N: usize = 61;
    let value = |k: f64| {
        let angle = 2.0 * PI * k / N as f64;
        Complex::new(-0.8 * angle.sin(), angle.cos())
    };
    let start = complex_vector(N, 31);
    let apply = |x: TensorView<'_, c64, Rank<1>>| ring(x, Complex::default()) * Complex::new(0.0, 1.0);
    // The real part, −0.8 · sin(2πk / N), is largest for k = 46, followed by 45, 47 and 44.
    let expected = [46.0, 45.0, 47.0, 44.0].map(value);
    for basis in [20, 40] {
        check_eigs(apply, &start, Krylov::highest(4).basis(basis).max_applications(30_000), &expected, 1e-8);
    }
    let start = start.to_order::<ColMajor>();
    let a = complex_matrix(N, 32).to_order::<ColMajor>();
    let mut w = a.eigvals().to_vec();
    w.sort_by(|x, y| y.norm().total_cmp(&x.norm()));
    check_eigs(|x| a.matmul(&x), &start, Krylov::largest(6), &w[..6], 1e-8);
}

#[test]
fn eigs_find_convection_and_diffusion() {
    // The operator a·x[k − 1] + b·x[k] + c·x[k + 1] has the eigenvalues b + 2·√(a·c)·cos(k·π / (n + 1)). It is not normal: the
    // eigenvectors are standing waves times (a / c)^(k / 2).
    const N: usize = if cfg!(debug_assertions) { 24 } else { 40 };
    let tridiagonal = |[a, b, c]: [f64; 3]| {
        move |x: TensorView<'_, f64, Rank<1>>| {
            let mut y = x * b;
            y.slice_mut(s![1..]).add_scaled(a, x.slice(s![..-1]));
            y.slice_mut(s![..-1]).add_scaled(c, x.slice(s![1..]));
            y
        }
    };
    let mut next = numbers(33);
    let start = Tensor::<f64, Rank<1>>::from_fn([N], |_| next());
    let wave = |k: usize| (PI * k as f64 / (N + 1) as f64).cos();
    let real = [1, 2, 3].map(|k| Complex::new(4.0 + 2.0 * 1.2f64.sqrt() * wave(k), 0.0));
    for basis in [8, N / 2, N] {
        let how = Krylov::largest(3).basis(basis);
        check_eigs(tridiagonal([1.0, 4.0, 1.2]), &start, how, &real, 1e-6);
    }
    let imaginary = [1, 1, 2, 2].map(|k| 2.0 * 1.2f64.sqrt() * wave(k));
    let imaginary =
        [0, 1, 2, 3].map(|k| Complex::new(0.5, if k % 2 == 0 { imaginary[k] } else { -imaginary[k] }));
    for basis in [8, N / 2, N] {
        let how = Krylov::largest(4).basis(basis);
        check_eigs(tridiagonal([1.0, 0.5, -1.2]), &start, how, &imaginary, 1e-6);
    }
}

#[test]
fn eigs_handle_special_operators() {
    let c = |re: f64, im: f64| Complex::new(re, im);
    // Special cases: an invariant subspace, the zero operator, and tensors of rank 0.
    let unit = tensor![0.0, 2.0, 0.0];
    check_eigs(|x| x * &tensor![1.0, -3.0, 2.0], &unit, Krylov::largest(1), &[c(-3.0, 0.0)], 1e-15);
    let three = [c(-3.0, 0.0), c(2.0, 0.0), c(1.0, 0.0)];
    check_eigs(|x| x * &tensor![1.0, -3.0, 2.0], &unit, Krylov::largest(3), &three, 1e-14);
    check_eigs(|x| x * 0.0, &unit, Krylov::largest(2), &[c(0.0, 0.0); 2], 1e-15);
    let number = eigs(|x| x * -5.0, &Tensor::<f64, Rank<0>>::scalar(2.0), Krylov::largest(1)).unwrap();
    assert_eq!((number.values[0], number.vectors[0].item().norm()), (c(-5.0, 0.0), 1.0));
    // A rotation has one pair of complex conjugate eigenvalues.
    let turn = tensor![[0.0, -2.0], [2.0, 0.0]];
    let turned = |x: TensorView<'_, f64, Rank<1>>| turn.matmul(&x);
    check_eigs(turned, &tensor![1.0, 0.0], Krylov::largest(1), &[c(0.0, 2.0)], 1e-14);
    check_eigs(turned, &tensor![1.0, 0.0], Krylov::largest(2), &[c(0.0, 2.0), c(0.0, -2.0)], 1e-14);
    // A Jordan block has only one eigenvector. Errors of its eigenvalues are about the n-th root of the rounding errors, so only
    // the residuals are checked.
    let shift = |x: TensorView<'_, f64, Rank<1>>| {
        let mut y = x * 2.0;
        y.slice_mut(s![1..]).add_scaled(1.0, x.slice(s![..-1]));
        y
    };
    let mut next = numbers(34);
    let start = Tensor::<f64, Rank<1>>::from_fn([30], |_| next());
    let found = eigs(shift, &start, Krylov::largest(2).accept_unconverged().max_applications(100)).unwrap();
    for (x, (value, residual)) in found.vectors.iter().zip(found.values.iter().zip(&found.residuals)) {
        let rest = shift(x.re().view()).cast::<c64>() + shift(x.im().view()).cast::<c64>() * c(0.0, 1.0)
            - x * *value;
        assert!((rest.norm().item() - residual).abs() < 1e-10, "{:e} {residual:e}", rest.norm().item());
    }
    // Scales near the limits.
    let start = Tensor::<f64, Rank<1>>::from_fn([20], |[k]| (k as f64).sin() * 1e-200);
    for factor in [1e-180, 1e150] {
        let found = eigs(|x| ring(x, 0.0) * factor, &start, Krylov::highest(1)).unwrap();
        assert!((found.values[0] / factor - 1.0).norm() < 1e-10, "{found:?}");
    }
    // `lanczos` finds the eigenvalues of largest modulus, too. Here, they are negative.
    let path_largest = lanczos(
        |x| path(x) - x * 2.5,
        &Tensor::<f64, Rank<1>>::from_fn([50], |_| next()),
        Krylov::largest(2),
    )
    .unwrap();
    for k in 0..2 {
        assert!((path_largest.values[k] - (of_path(k + 1, 50) - 2.5)).abs() < 1e-10, "{path_largest:?}");
    }
}

#[test]
fn eigs_reject_bad_input() {
    let start = Tensor::<f64, Rank<1>>::ones([5]);
    let one = Krylov::largest(1);
    let check = |result: Result<ComplexEigenpairs<f64, Rank<1>, RowMajor, Cpu>, Error>, expected: &str| {
        let reason = reason(result);
        assert!(reason.starts_with("find eigenpairs by `eigs`: ") && reason.contains(expected), "{reason}");
    };
    check(eigs(path, &Tensor::zeros([5]), one), "the start tensor is zero; start with");
    check(
        eigs(path, &tensor![1.0, f64::NAN], one),
        "the start tensor has an element that is NaN or infinite",
    );
    check(eigs(path, &start, Krylov::largest(6)), "and a tensor of 5 elements has 5; request at most 5");
    check(eigs(path, &start, Krylov::largest(2).basis(3)), "a basis of 3 vectors is too small");
    check(eigs(|x| x * f64::NAN, &start, one), "application 1 of the operator returned a tensor with a NaN");
    check(eigs(|_| Tensor::ones([4]), &start, one), "the operator maps shape [5] to shape [4]");
    check(eigs(path, &start, one.max_applications(0)), "need at least as many applications");
    let failure = || Error::Argument { op: "ask", reason: "no answer".into() };
    assert_eq!(try_eigs(|_| Err(failure()), &start, one).unwrap_err(), failure());
    let mut next = numbers(35);
    let long = Tensor::<f64, Rank<1>>::from_fn([500], |_| next());
    let few = Krylov::highest(2).max_applications(25);
    let error = eigs(path, &long, few).unwrap_err();
    assert!(matches!(error, Error::IterationLimit { applications: 25, .. }), "{error}");
    let found = eigs(path, &long, few.accept_unconverged()).unwrap();
    assert!(!found.converged && found.applications == 25 && found.values.len() == 2);
}
