//! The law of scales: if a matrix or an operator is multiplied by a power of two, each result is multiplied by a power of this power, which
//! may be 1. So results do not depend on units. The powers reach almost to the limits of the types.

use vierbein::linalg::{
    Iteration, Krylov, LinalgElement, RandomizedSvd, Structure, Truncation, arnoldi, arnoldi_into, cg,
    cg_into, cg_preconditioned, cg_preconditioned_into, davidson, davidson_into, davidson_preconditioned,
    davidson_preconditioned_into, eigs, eigs_into, expm_multiply, expm_multiply_into, gmres, gmres_into,
    gmres_preconditioned, gmres_preconditioned_into, lanczos, lanczos_into, minres, minres_into,
    minres_preconditioned, minres_preconditioned_into, randomized_svd,
};
use vierbein::prelude::*;
use vierbein::{Error, c32, c64, stack};

/// An element type.
trait Number: LinalgElement {
    /// The exponents of the powers of two by which matrices are multiplied.
    const EXPONENTS: [i32; 4];
    const UNIT: f64;
    /// The exponent of the least positive number.
    const LEAST: i32;
    fn of(re: f64, im: f64) -> Self;
    /// Returns the number, which is exact.
    fn wide(self) -> c64;
}
macro_rules! numbers {
    ($($T:ty, $exponents:expr, $unit:expr, |$re:ident, $im:ident| $of:expr, |$x:ident| $wide:expr;)*) => {$(
        impl Number for $T {
            const EXPONENTS: [i32; 4] = $exponents;
            const UNIT: f64 = $unit as f64;
            const LEAST: i32 = if $exponents[0] == DOUBLE[0] { -1074 } else { -149 };
            fn of($re: f64, $im: f64) -> $T { $of }
            fn wide(self) -> c64 { let $x = self; $wide }
        }
    )*};
}
const DOUBLE: [i32; 4] = [-1000, -520, 540, 1000];
const SINGLE: [i32; 4] = [-120, -70, 80, 120];
numbers! {
    f32, SINGLE, f32::EPSILON, |re, _im| re as f32, |x| Complex::new(x.into(), 0.0);
    f64, DOUBLE, f64::EPSILON, |re, _im| re, |x| Complex::new(x, 0.0);
    c32, SINGLE, f32::EPSILON, |re, im| Complex::new(re as f32, im as f32), |x| Complex::new(x.re.into(), x.im.into());
    c64, DOUBLE, f64::EPSILON, |re, im| Complex::new(re, im), |x| x;
}

type Matrix<T> = Tensor<T, Rank<2>>;
type Vector<T> = Tensor<T, Rank<1>>;

/// Returns `2^exponent`, which must be in range.
fn power<T: Number>(exponent: i32) -> T {
    T::of(2f64.powi(exponent), 0.0)
}

/// Returns `x · 2^exponent`. Neither the number nor the result need be in the middle of the range.
fn times(x: c64, exponent: i32) -> c64 {
    let half = exponent / 2;
    x.scale(2f64.powi(half)).scale(2f64.powi(exponent - half))
}

/// Returns a well-conditioned matrix of multiples of 1/64, so that small elements are exact after the multiplication by the least power.
fn matrix<T: Number>(m: usize, n: usize, mut state: u64) -> Matrix<T> {
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 57) as f64 / 64.0 - 1.0
    };
    Tensor::from_fn([m, n], |[i, j]| {
        let (re, im) = (next(), next());
        T::of(if i == j { re + 3.0 } else { re }, im)
    })
}

/// Returns a Hermitian, positive definite matrix.
fn definite<T: Number>(n: usize) -> Matrix<T> {
    let a = matrix::<T>(n, n, 3);
    a.matmul(a.adjoint()) + Tensor::eye(n)
}

/// Returns a Hermitian matrix with eigenvalues of both signs.
fn indefinite<T: Number>(n: usize) -> Matrix<T> {
    let a = matrix::<T>(n, n, 4);
    let shift =
        Tensor::from_fn([n, n], |[i, j]| T::of(if i == j { (i % 2) as f64 * -9.0 } else { 0.0 }, 0.0));
    &a + a.adjoint() + shift
}

/// A result: elements that are multiplied by `2^(exponent · halves / 2)` if the matrix is multiplied by `2^exponent`.
struct Part {
    halves: i32,
    elements: Vec<c64>,
}

/// Results of the first power, and of other powers.
fn part<T: Number, D: Dim>(halves: i32, x: &Tensor<T, D>) -> Part {
    Part { halves, elements: x.iter().map(|x| x.wide()).collect() }
}

fn reals<R: Number>(halves: i32, x: &[R]) -> Part {
    Part { halves, elements: x.iter().map(|x| x.wide()).collect() }
}

fn integers<D: Dim>(x: &Tensor<i64, D>) -> Part {
    Part { halves: 0, elements: x.iter().map(|&x| Complex::new(x as f64, 0.0)).collect() }
}

fn tensors<T: Number, D: Dim>(halves: i32, x: &[Tensor<T, D>]) -> Part {
    Part { halves, elements: x.iter().flat_map(|x| x.iter().map(|x| x.wide()).collect::<Vec<_>>()).collect() }
}

/// Asserts the law for results of a matrix and of the matrix times `2^exponent`. The errors may be `bound` units of rounding, relative to the
/// largest element of a part. Results that are denormal numbers are rounded to fewer digits.
#[track_caller]
fn check<T: Number>(name: &str, exponent: i32, bound: f64, of_one: &[Part], of_power: &[Part]) {
    assert_eq!(of_one.len(), of_power.len());
    for (k, (x, y)) in of_one.iter().zip(of_power).enumerate() {
        assert_eq!(x.elements.len(), y.elements.len(), "{name}");
        let largest = x.elements.iter().map(|x| x.norm()).fold(0.0, f64::max);
        for (&x, &y) in x.elements.iter().zip(&y.elements) {
            let exact = times(y, -exponent * of_one[k].halves / 2);
            let error = (x - exact).norm();
            let denormal = 2f64.powi(T::LEAST - exponent * of_one[k].halves / 2);
            assert!(
                error <= bound * T::UNIT * largest + denormal,
                "{name}, part {k}, {} · 2^{exponent}: {exact} and {x}",
                T::DTYPE
            );
        }
    }
}

/// Names a function of a matrix, the largest error of the law in units of rounding, and an array of the parts of the result.
macro_rules! law {
    ($T:ty, $matrix:expr; $($name:literal within $bound:expr, |$a:ident| $parts:expr;)*) => {{
        let matrix: Matrix<$T> = $matrix;
        $({
            let parts = |exponent: i32| -> Vec<Part> {
                let $a: Matrix<$T> = &matrix * power::<$T>(exponent);
                $parts.into()
            };
            let of_one = parts(0);
            // Builds with debug assertions, which are slow, multiply large matrices by the least and the largest power only.
            let step = if cfg!(debug_assertions) && matrix.len() > 1000 { 3 } else { 1 };
            for exponent in <$T>::EXPONENTS.into_iter().step_by(step) {
                check::<$T>($name, exponent, $bound as f64, &of_one, &parts(exponent));
            }
        })*
    }};
}

fn dense<T>()
where
    T: Number<Magnitude: Number, Complex: Number>,
{
    let (b, columns) = (matrix::<T>(6, 3, 9), matrix::<T>(7, 2, 8));
    // Intermediate results of these functions can be denormal numbers, which changes the last bits.
    let denormals = 8;
    law! { T, matrix::<T>(6, 6, 1);
        "eig" within 0, |a| {
            let (w, v) = a.eig();
            [part(2, &w), part(0, &v)]
        };
        "eigvals" within 0, |a| [{ part(2, &a.eigvals()) }];
        "schur" within 0, |a| {
            let (t, z) = a.schur();
            [part(2, &t), part(0, &z)]
        };
        "lu" within 0, |a| {
            let lu = a.lu();
            [part(0, &lu.l), part(2, &lu.u), integers(&lu.rows)]
        };
        "inv" within denormals, |a| [part(-2, &a.inv())];
        "matrix_power" within denormals, |a| [part(-2, &a.matrix_power(-1)), part(2, &a.matrix_power(1))];
        "solve" within denormals, |a| [part(-2, &a.solve(&b))];
        "solve, column-major" within denormals, |a| [part(-2, &a.to_order::<ColMajor>().solve(b.to_order::<ColMajor>()).to_order())];
        "solve_as lower" within denormals, |a| [part(-2, &a.solve_as(Structure::Lower { unit: false }, &b))];
        "solve_as upper" within denormals, |a| [part(-2, &a.solve_as(Structure::Upper { unit: false }, &b))];
        "sqrtm" within 0, |a| [part(1, &a.sqrtm())];
    }
    law! { T, matrix::<T>(7, 5, 2);
        "svd" within 0, |a| {
            let svd = a.svd();
            [part(0, &svd.u), part(2, &svd.s), part(0, &svd.vh)]
        };
        "svd_full" within 0, |a| {
            let svd = a.svd_full();
            [part(0, &svd.u), part(2, &svd.s), part(0, &svd.vh)]
        };
        "svd_truncated" within 0, |a| {
            let (svd, discarded) = a.svd_truncated(Truncation::new().cutoff(0.1));
            [part(2, &svd.s), part(0, &discarded.share)]
        };
        "singular_values" within 0, |a| [part(2, &a.singular_values())];
        "qr" within 0, |a| {
            let (q, r) = a.qr();
            [part(0, &q), part(2, &r)]
        };
        "qr_complete" within 0, |a| {
            let (q, r) = a.qr_complete();
            [part(0, &q), part(2, &r)]
        };
        "lq" within 0, |a| {
            let (l, q) = a.lq();
            [part(2, &l), part(0, &q)]
        };
        "rq" within 0, |a| {
            let (r, q) = a.rq();
            [part(2, &r), part(0, &q)]
        };
        "polar" within 0, |a| {
            let (u, p) = a.polar();
            [part(0, &u), part(2, &p)]
        };
        "lu" within 0, |a| {
            let lu = a.lu();
            [part(0, &lu.l), part(2, &lu.u), integers(&lu.rows)]
        };
        "lstsq" within 8, |a| [part(-2, &a.lstsq(&columns))];
        "pinv" within 8, |a| [part(-2, &a.pinv())];
        "matrix_rank" within 0, |a| [integers(&a.matrix_rank()), integers(&a.matrix_rank_with(0.5))];
        "null_space" within 0, |a| [part(0, &a.t().null_space()), part(0, &a.null_space_with(0.5))];
        "orth" within 0, |a| [part(0, &a.orth()), part(0, &a.orth_with(0.5))];
        "cond" within 0, |a| [part(0, &a.cond())];
        "nuclear_norm" within 0, |a| [part(2, &a.nuclear_norm())];
        "spectral_norm" within 0, |a| [part(2, &a.spectral_norm())];
        "norm" within 4, |a| [part(2, &a.norm())];
        "adjoint" within 0, |a| [part(2, &a.adjoint())];
    }
    law! { T, definite::<T>(6);
        "eigh" within 0, |a| {
            let (w, v) = a.eigh();
            [part(2, &w), part(0, &v)]
        };
        "eigvalsh" within 0, |a| [part(2, &a.eigvalsh())];
        "hermitian_map" within 0, |a| [part(2, &a.hermitian_map(|w| T::from_magnitude(w)))];
        "cholesky" within 0, |a| [part(1, &a.cholesky())];
        "solve_as definite" within denormals, |a| [part(-2, &a.solve_as(Structure::PositiveDefinite, &b))];
        "eigh_generalized" within 400, |a| {
            let (w, v) = a.eigh_generalized(definite::<T>(6) + Tensor::eye(6));
            [part(2, &w), part(0, &v)]
        };
        "eigh_generalized, second matrix" within 400, |a| {
            let (w, v) = indefinite::<T>(6).eigh_generalized(&a);
            [part(-2, &w), part(-1, &v)]
        };
    }
    law! { T, indefinite::<T>(6);
        "eigh" within 0, |a| {
            let (w, v) = a.eigh();
            [part(2, &w), part(0, &v)]
        };
        "ldl" within 0, |a| {
            let ldl = a.ldl();
            [part(0, &ldl.l), part(2, &ldl.d), integers(&ldl.rows)]
        };
        "solve_as hermitian" within denormals, |a| [part(-2, &a.solve_as(Structure::Hermitian, &b))];
    }
    // Large matrices, for which faer uses other algorithms.
    law! { T, definite::<T>(if T::UNIT > 1e-10 { 130 } else { 12 }) * power::<T>(-5);
        "eigh of many rows" within 0, |a| {
            let (w, v) = a.eigh();
            [part(2, &w), part(0, &v)]
        };
        "svd of many rows" within 0, |a| {
            let svd = a.svd();
            [part(2, &svd.s), part(0, &svd.u)]
        };
        "cholesky of many rows" within 0, |a| [part(1, &a.cholesky())];
    }
    // Batches of small matrices, which are decomposed several at once.
    law! { T, matrix::<T>(4, 4, 5);
        "batch" within 0, |a| {
            let batch = stack(0, [&a; 16]);
            let svd = batch.svd();
            [part(2, &svd.s), part(0, &svd.u), part(2, &batch.eigh().0)]
        };
        "batch of inverses" within denormals, |a| [part(-2, &stack(0, [&a; 16]).inv())];
    }
    // The logarithms of a matrix and of its determinant change by the logarithm of the factor.
    let a = matrix::<T>(6, 6, 1);
    let ((sign, logarithm), log) = (a.slogdet(), a.logm());
    for exponent in T::EXPONENTS {
        let scaled = &a * power::<T>(exponent);
        let by = f64::from(exponent) * std::f64::consts::LN_2;
        let (sign_of, logarithm_of) = scaled.slogdet();
        assert!((sign.item().wide() - sign_of.item().wide()).norm() <= 4.0 * T::UNIT);
        let difference = logarithm_of.item().wide().re - logarithm.item().wide().re - 6.0 * by;
        assert!(difference.abs() <= 8.0 * by.abs() * T::UNIT, "{difference}");
        let shifted = scaled.logm();
        for i in 0..6 {
            for j in 0..6 {
                let expected = log[[i, j]].wide() + if i == j { by } else { 0.0 };
                let error = (shifted[[i, j]].wide() - expected).norm();
                assert!(error <= 8.0 * by.abs() * T::UNIT, "logm, {}: {exponent}, [{i}, {j}]", T::DTYPE);
            }
        }
    }
    // Half of the rows are multiplied by a power, and the others by its inverse. Then the determinant does not change.
    let det = a.det().item().wide();
    for exponent in T::EXPONENTS {
        let powers =
            Tensor::from_fn([6, 1], |[i, _]| power::<T>(if i % 2 == 0 { exponent } else { -exponent }));
        let error = (&a * powers).det().item().wide() - det;
        assert!(error.norm() <= 100.0 * T::UNIT * det.norm(), "det, {}: {exponent}", T::DTYPE);
    }
    // Right-hand sides.
    for exponent in T::EXPONENTS {
        let scaled = &b * power::<T>(exponent);
        for (name, bound, one, of_power) in [
            ("solve", 8.0, a.solve(&b), a.solve(&scaled)),
            ("lstsq", 8.0, a.lstsq(&b), a.lstsq(&scaled)),
            (
                "solve_as",
                8.0,
                definite(6).solve_as(Structure::Hermitian, &b),
                definite(6).solve_as(Structure::Hermitian, &scaled),
            ),
        ] {
            check::<T>(name, exponent, bound, &[part(2, &one)], &[part(2, &of_power)]);
        }
        let both = (&a * power::<T>(exponent)).solve(&scaled);
        check::<T>("both sides", exponent, 8.0, &[part(0, &a.solve(&b))], &[part(0, &both)]);
    }
}

/// Returns a result of a dynamic tensor.
fn dynamic<T: Number, D: Dim>(halves: i32, x: Result<DynTensor, Error>) -> Part {
    part(halves, &x.unwrap().downcast::<T, D, RowMajor, Cpu>().unwrap())
}

/// [`dense`] for dynamic tensors.
fn dense_dynamic<T>()
where
    T: Number<Magnitude: Number, Complex: Number>,
{
    type Two = Rank<2>;
    type One = Rank<1>;
    let of = |x: &Matrix<T>| DynTensor::from(x.clone());
    let (b, columns) = (matrix::<T>(6, 3, 9), matrix::<T>(7, 2, 8));
    let rank = |x: DynTensor| {
        part(0, &x.to_dtype(T::DTYPE).unwrap().downcast::<T, Rank<0>, RowMajor, Cpu>().unwrap())
    };
    law! { T, matrix::<T>(6, 6, 1);
        "dynamic eigvals" within 0, |a| [dynamic::<T::Complex, One>(2, of(&a).eigvals())];
        "dynamic lu" within 0, |a| [dynamic::<T, Two>(2, of(&a).lu().map(|lu| lu.u))];
        "dynamic inv" within 8, |a| [dynamic::<T, Two>(-2, of(&a).inv())];
        "dynamic matrix_power" within 8, |a| [dynamic::<T, Two>(-2, of(&a).matrix_power(-1))];
        "dynamic solve" within 8, |a| [dynamic::<T, Two>(-2, of(&a).solve(&b))];
        "dynamic solve_as" within 8, |a| [dynamic::<T, Two>(-2, of(&a).solve_as(Structure::Lower { unit: false }, &b))];
        "dynamic sqrtm" within 0, |a| [dynamic::<T::Complex, Two>(1, of(&a).sqrtm())];
    }
    law! { T, matrix::<T>(7, 5, 2);
        "dynamic svd" within 0, |a| {
            let svd = of(&a).svd().unwrap();
            [dynamic::<T, Two>(0, Ok(svd.u)), dynamic::<T::Magnitude, One>(2, Ok(svd.s))]
        };
        "dynamic svd_truncated" within 0, |a| [
            dynamic::<T::Magnitude, Rank<0>>(0, of(&a).svd_truncated(Truncation::rank(2)).map(|(_, discarded)| discarded.share)),
        ];
        "dynamic qr" within 0, |a| [dynamic::<T, Two>(2, of(&a).qr().map(|(_, r)| r))];
        "dynamic polar" within 0, |a| [dynamic::<T, Two>(2, of(&a).polar().map(|(_, p)| p))];
        "dynamic lstsq" within 8, |a| [dynamic::<T, Two>(-2, of(&a).lstsq(&columns))];
        "dynamic pinv" within 8, |a| [dynamic::<T, Two>(-2, of(&a).pinv())];
        "dynamic matrix_rank" within 0, |a| [rank(of(&a).matrix_rank().unwrap())];
        "dynamic cond" within 0, |a| [dynamic::<T::Magnitude, Rank<0>>(0, of(&a).cond())];
    }
    law! { T, definite::<T>(6);
        "dynamic eigh" within 0, |a| {
            let (w, v) = of(&a).eigh().unwrap();
            [dynamic::<T::Magnitude, One>(2, Ok(w)), dynamic::<T, Two>(0, Ok(v))]
        };
        "dynamic cholesky" within 0, |a| [dynamic::<T, Two>(1, of(&a).cholesky())];
        "dynamic eigh_generalized" within 400, |a| [
            dynamic::<T::Magnitude, One>(2, of(&a).eigh_generalized(&(definite::<T>(6) + Tensor::eye(6))).map(|(w, _)| w)),
        ];
    }
    law! { T, indefinite::<T>(6);
        "dynamic ldl" within 0, |a| [dynamic::<T, Two>(2, of(&a).ldl().map(|ldl| ldl.d))];
    }
}

#[test]
fn dense_functions_obey_the_law_of_scales() {
    dense::<f32>();
    dense::<f64>();
    dense::<c32>();
    dense::<c64>();
}

#[test]
fn dense_functions_of_dynamic_tensors_obey_the_law_of_scales() {
    dense_dynamic::<f32>();
    dense_dynamic::<f64>();
    dense_dynamic::<c32>();
    dense_dynamic::<c64>();
}

/// Returns the inverses of the magnitudes of the diagonal elements: a preconditioner.
fn inverse<T: Number>(a: &Matrix<T>) -> Vector<T> {
    Tensor::from_fn([a.shape()[0]], |[i]| T::of(1.0 / a[[i, i]].wide().norm(), 0.0))
}

fn krylov<T>()
where
    T: Number<Magnitude: Number, Complex: Number>,
{
    let start: Vector<T> = Tensor::from_fn([8], |[k]| T::of((k * k % 5) as f64 - 1.5, (k % 3) as f64));
    let how = Iteration::new();
    let [lowest, largest] = [Krylov::lowest(2), Krylov::largest(2)];
    let bound = 64;
    law! { T, indefinite::<T>(8);
        "lanczos" within bound, |a| {
            let found = lanczos(|x| a.matmul(&x), &start, lowest).unwrap();
            [reals(2, &found.values), tensors(0, &found.vectors)]
        };
        "davidson" within bound, |a| {
            let found = davidson(|x| a.matmul(&x), &a.diagonal(0, 1).to_owned(), &start, lowest).unwrap();
            [reals(2, &found.values), tensors(0, &found.vectors)]
        };
        "davidson_preconditioned" within bound, |a| {
            let inverse = inverse(&a);
            let found = davidson_preconditioned(|x| a.matmul(&x), |r, _| r * &inverse, &start, lowest).unwrap();
            [reals(2, &found.values), tensors(0, &found.vectors)]
        };
        "minres" within bound, |a| [part(-2, &minres(|x| a.matmul(&x), &start, how).unwrap().x)];
        "minres_preconditioned" within bound, |a| {
            let inverse = inverse(&a);
            [part(-2, &minres_preconditioned(|x| a.matmul(&x), |r| r * &inverse, &start, how).unwrap().x)]
        };
    }
    law! { T, definite::<T>(8);
        "cg" within bound, |a| [part(-2, &cg(|x| a.matmul(&x), &start, how).unwrap().x)];
        "cg_preconditioned" within bound, |a| {
            let inverse = inverse(&a);
            [part(-2, &cg_preconditioned(|x| a.matmul(&x), |r| r * &inverse, &start, how).unwrap().x)]
        };
    }
    law! { T, matrix::<T>(8, 8, 7);
        "eigs" within bound, |a| [reals(2, &eigs(|x| a.matmul(&x), &start, largest).unwrap().values)];
        "arnoldi" within bound, |a| {
            let found = arnoldi(|x| a.matmul(&x), &start, 4).unwrap();
            [part(2, &found.h), part(2, &found.rest), tensors(0, &found.v)]
        };
        "gmres" within bound, |a| [part(-2, &gmres(|x| a.matmul(&x), &start, how).unwrap().x)];
        "gmres_preconditioned" within bound, |a| {
            let inverse = inverse(&a);
            [part(-2, &gmres_preconditioned(|x| a.matmul(&x), |r| r * &inverse, &start, how).unwrap().x)]
        };
        "randomized_svd" within bound, |a| [
            reals(2, &randomized_svd(|x: TensorView<T, Rank<1>>| a.matmul(&x), |y: TensorView<T, Rank<1>>| a.adjoint().matmul(&y), [8], &Cpu, RandomizedSvd::rank(3)).unwrap().s),
        ];
    }
    // Operators that write to a given tensor.
    law! { T, indefinite::<T>(8);
        "lanczos_into" within bound, |a| {
            let found = lanczos_into(|x, y| a.try_matmul_into(&x, y), &start, lowest).unwrap();
            [reals(2, &found.values), tensors(0, &found.vectors)]
        };
        "davidson_into" within bound, |a| [
            reals(2, &davidson_into(|x, y| a.try_matmul_into(&x, y), &a.diagonal(0, 1).to_owned(), &start, lowest).unwrap().values),
        ];
        "davidson_preconditioned_into" within bound, |a| {
            let inverse = inverse(&a);
            [reals(2, &davidson_preconditioned_into(
                |x, y| a.try_matmul_into(&x, y), |r, _, z| z.try_assign(r * &inverse), &start, lowest,
            ).unwrap().values)]
        };
        "minres_into" within bound, |a| [
            part(-2, &minres_into(|x, y| a.try_matmul_into(&x, y), &start, how).unwrap().x),
        ];
        "minres_preconditioned_into" within bound, |a| {
            let inverse = inverse(&a);
            [part(-2, &minres_preconditioned_into(
                |x, y| a.try_matmul_into(&x, y), |r, z| z.try_assign(r * &inverse), &start, how,
            ).unwrap().x)]
        };
    }
    law! { T, definite::<T>(8);
        "cg_into" within bound, |a| [part(-2, &cg_into(|x, y| a.try_matmul_into(&x, y), &start, how).unwrap().x)];
        "cg_preconditioned_into" within bound, |a| {
            let inverse = inverse(&a);
            [part(-2, &cg_preconditioned_into(
                |x, y| a.try_matmul_into(&x, y), |r, z| z.try_assign(r * &inverse), &start, how,
            ).unwrap().x)]
        };
    }
    law! { T, matrix::<T>(8, 8, 7);
        "eigs_into" within bound, |a| [
            reals(2, &eigs_into(|x, y| a.try_matmul_into(&x, y), &start, largest).unwrap().values),
        ];
        "arnoldi_into" within bound, |a| [
            part(2, &arnoldi_into(|x, y| a.try_matmul_into(&x, y), &start, 4).unwrap().h),
        ];
        "gmres_into" within bound, |a| [
            part(-2, &gmres_into(|x, y| a.try_matmul_into(&x, y), &start, how).unwrap().x),
        ];
        "gmres_preconditioned_into" within bound, |a| {
            let inverse = inverse(&a);
            [part(-2, &gmres_preconditioned_into(
                |x, y| a.try_matmul_into(&x, y), |r, z| z.try_assign(r * &inverse), &start, how,
            ).unwrap().x)]
        };
    }
    let a = matrix::<T>(8, 8, 7);
    let one = expm_multiply(|x| a.matmul(&x), T::of(0.25, 0.5), &start, how).unwrap();
    for exponent in T::EXPONENTS {
        let scaled = &a * power::<T>(exponent);
        let t = T::of(0.25, 0.5) * power::<T>(-exponent);
        let found = expm_multiply(|x| scaled.matmul(&x), t, &start, how).unwrap();
        check::<T>("expm_multiply", exponent, 64.0, &[part(0, &one.x)], &[part(0, &found.x)]);
        let found = expm_multiply_into(|x, y| scaled.try_matmul_into(&x, y), t, &start, how).unwrap();
        check::<T>("expm_multiply_into", exponent, 64.0, &[part(0, &one.x)], &[part(0, &found.x)]);
        // Right-hand sides and first vectors.
        let by = power::<T>(exponent);
        let apply = |x: TensorView<T, Rank<1>>| a.matmul(&x);
        let x = [gmres(apply, &start, how), gmres(apply, &(&start * by), how)].map(|found| found.unwrap().x);
        check::<T>("right-hand side", exponent, 64.0, &[part(2, &x[0])], &[part(2, &x[1])]);
        let values = [&start, &(&start * by)].map(|start| eigs(apply, start, largest).unwrap().values);
        check::<T>("start", exponent, 64.0, &[reals(0, &values[0])], &[reals(0, &values[1])]);
    }
}

#[test]
fn iterative_methods_obey_the_law_of_scales() {
    krylov::<f32>();
    krylov::<f64>();
    krylov::<c32>();
    krylov::<c64>();
}

fn diagonal<T: Number>(elements: &[f64]) -> Matrix<T> {
    Tensor::from_diagonal(&Tensor::from_fn([elements.len()], |[k]| T::of(elements[k], 0.0)))
}

/// Determinants, inverses and solutions of matrices with elements near both ends of the range: their values, computed by hand.
fn extremes<T: Number<Magnitude: Number, Complex: Number>>(tiny: f64, huge: f64) {
    let near =
        |x: c64, y: f64| assert!((x - y).norm() <= 8.0 * T::UNIT * y.abs(), "{x} and {y}, {}", T::DTYPE);
    let value = |x: Tensor<T, Rank<0>>| x.item().wide();
    // What the elements are after rounding to the type.
    let [of_tiny, of_huge, of_inverse] = [tiny, huge, 1.0 / huge].map(|x| T::of(x, 0.0).wide().re);

    // The product of the first pivots overflows.
    let a = diagonal::<T>(&[huge, 2.0 * huge, 1.0 / huge, 1.0 / huge]);
    near(value(a.det()), 2.0 * (of_huge * of_inverse) * (of_huge * of_inverse));
    let many = diagonal::<T>(&[[10.0; 40], [0.1; 40]].concat());
    assert!((value(many.det()) - 1.0).norm() <= 400.0 * T::UNIT);
    // The inverse of the first pivot overflows.
    let a = diagonal::<T>(&[tiny, 1.0]);
    near(value(a.det()), of_tiny);
    let (sign, logarithm) = a.slogdet();
    near(sign.item().wide(), 1.0);
    near(logarithm.item().wide(), of_tiny.ln());
    assert_eq!(a.lu().u, a);
    let text = "cannot inv shape [2, 2]: the result for the matrix exceeds the range of its type";
    assert!(a.try_inv().unwrap_err().to_string().starts_with(text));
    let batch = stack(0, &[Tensor::eye(2), a.clone()]);
    assert!(matches!(batch.try_inv(), Err(Error::OutOfRange { matrix, .. }) if matrix == [1]));
    let b = Tensor::from_fn([2], |[k]| a[[k, k]]);
    let general = a.to_order::<ColMajor>().solve(b.to_order::<ColMajor>()).to_order::<RowMajor>();
    let structures = [
        Structure::General,
        Structure::PositiveDefinite,
        Structure::Hermitian,
        Structure::Lower { unit: false },
        Structure::Upper { unit: false },
    ];
    assert_eq!(general, Tensor::ones([2]));
    for structure in structures {
        let x = a.solve_as(structure, &b);
        assert!(x.iter().all(|x| (x.wide() - 1.0).norm() <= 2.0 * T::UNIT), "{structure:?}: {x}");
        assert!(a.try_solve_as(structure, Tensor::ones([2])).is_err());
    }
    // The same pivot, in a matrix that is not diagonal: rows [tiny, tiny, 0], [2 · tiny, 0, 1], [0, 1, 1].
    let t = T::of(tiny, 0.0);
    let (zero, one, two) = (T::of(0.0, 0.0), T::of(1.0, 0.0), T::of(2.0, 0.0));
    let a: Matrix<T> = Tensor::from_vec([3, 3], vec![t, t, zero, two * t, zero, one, zero, one, one]);
    let x = a.solve(Tensor::from_vec([3], vec![t + t, one, two]));
    assert!(x.iter().all(|x| (x.wide() - 1.0).norm() <= 8.0 * T::UNIT), "{x}");
    // Elements near both ends of the range.
    let elements = [huge, 1e10, 1.0 / huge];
    let a = diagonal::<T>(&elements);
    near(value(a.det()), 1e10 * (of_huge * of_inverse));
    let (sign, logarithm) = a.slogdet();
    near(sign.item().wide(), 1.0);
    assert!((logarithm.item().wide() - 1e10f64.ln()).norm() <= 1e3 * T::UNIT);
    assert_eq!((a.lu().u, a.ldl().d), (a.clone(), a.clone()));
    let inverse = a.inv();
    let b = Tensor::from_fn([3], |[k]| a[[k, k]]);
    for (k, element) in elements.into_iter().enumerate() {
        near(inverse[[k, k]].wide(), 1.0 / element);
        near(a.cholesky()[[k, k]].wide(), element.sqrt());
        for structure in structures {
            near(a.solve_as(structure, &b)[[k]].wide(), 1.0);
        }
    }
    // Full rank, although the largest singular value times the number of columns is out of range.
    let large = diagonal::<T>(&[3.0 * huge; 12]);
    assert_eq!(large.matrix_rank().item(), 12);
    near(large.pinv()[[3, 3]].wide(), 1.0 / (3.0 * of_huge));
    near(large.lstsq(Tensor::full([12], T::of(3.0 * huge, 0.0)))[[3]].wide(), 1.0);
    // √([[1, 3], [0, 4]]) is [[1, 1], [0, 2]], and its logarithm has the element ln 4 off the diagonal.
    for factor in [huge, 1.0 / huge] {
        let a: Matrix<T> =
            Tensor::from_fn([2, 2], |[i, j]| T::of([[1.0, 3.0], [0.0, 4.0]][i][j] * factor, 0.0));
        let (root, logarithm) = (a.sqrtm(), a.logm());
        near(root[[0, 1]].wide(), factor.sqrt());
        near(root[[1, 1]].wide(), 2.0 * factor.sqrt());
        assert!((logarithm[[0, 1]].wide() - 4f64.ln()).norm() <= 16.0 * T::UNIT);
        near(logarithm[[0, 0]].wide(), factor.ln());
    }
}

#[test]
fn elements_near_both_ends_of_the_range() {
    extremes::<f32>(1e-42, 1e33);
    extremes::<f64>(1e-310, 1e300);
    extremes::<c32>(1e-42, 1e33);
    extremes::<c64>(1e-310, 1e300);
    let large = Tensor::<f64, Rank<2>>::eye(200) * 2e305;
    assert_eq!(large.matrix_rank().item(), 200);
    let large = Tensor::<f32, Rank<2>>::eye(4) * 1e38;
    assert_eq!((large.matrix_rank().item(), large.pinv()), (4, Tensor::<f32, Rank<2>>::eye(4) * 1e-38));
}
