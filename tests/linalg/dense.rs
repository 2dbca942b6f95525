//! Tests of the methods of typed tensors for dense matrices: mathematical laws, residuals, views, batches, and operands without
//! elements.

use crate::common::Remote;
use vierbein::linalg::{Ldl, LinalgElement, Lu, Structure, Truncation};
use vierbein::prelude::*;
use vierbein::{DynTensor, c32, c64, stack};

/// Element types that are created from a real and an imaginary part. Real types ignore the imaginary part.
trait Number: LinalgElement {
    const UNIT: f64;
    fn of(re: f64, im: f64) -> Self;
    fn size(self) -> f64;
}
macro_rules! numbers {
    ($($T:ty, $R:ty: |$re:ident, $im:ident| $of:expr, |$x:ident| $size:expr;)*) => {$(
        impl Number for $T {
            const UNIT: f64 = <$R>::EPSILON as f64;
            fn of($re: f64, $im: f64) -> $T { $of }
            fn size(self) -> f64 { let $x = self; $size }
        }
    )*};
}
numbers! {
    f32, f32: |re, _im| re as f32, |x| x.abs().into();
    f64, f64: |re, _im| re, |x| x.abs();
    c32, f32: |re, im| Complex::new(re as f32, im as f32), |x| x.norm().into();
    c64, f64: |re, im| Complex::new(re, im), |x| x.norm();
}

/// Returns a tensor of numbers whose real and imaginary parts are between −1 and 1.
fn random<T: Number, D: Dim, O: Order>(shape: D::Shape, mut state: u64) -> Tensor<T, D, O> {
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / (1u64 << 23) as f64 - 1.0
    };
    let len = shape.as_ref().iter().product();
    Tensor::from_vec(shape, (0..len).map(|_| T::of(next(), next())).collect())
}

type Matrix<T, O> = Tensor<T, Rank<2>, O>;

/// Returns the matrix product, computed by its definition.
fn product<T: Number, O: Order>(a: &Matrix<T, O>, b: &Matrix<T, O>) -> Matrix<T, O> {
    let ([m, k], [_, n]) = (a.shape(), b.shape());
    // Row `i` of `a` and column `j` of `b` are slices. Without optimisation, indexing tensors takes far longer than the products.
    let (rows, columns) = (a.to_order::<RowMajor>().to_vec(), b.to_order::<ColMajor>().to_vec());
    Tensor::from_fn([m, n], |[i, j]| {
        let (row, column) = (&rows[i * k..][..k], &columns[j * k..][..k]);
        let (mut sum, mut l) = (T::zero(), 0);
        while l < k {
            sum += row[l] * column[l];
            l += 1;
        }
        sum
    })
}

fn adjoint<T: Number, O: Order>(a: &Matrix<T, O>) -> Matrix<T, O> {
    let [m, n] = a.shape();
    Tensor::from_fn([n, m], |[i, j]| a[[j, i]].conj())
}

/// Asserts that each element of `a` differs from that of `b` by at most `bound · T::UNIT · max(1, s)`, where `s` is the largest
/// absolute value of the elements of `b`.
#[track_caller]
fn close<T: Number, O: Order>(a: &Matrix<T, O>, b: &Matrix<T, O>, bound: f64, what: &str) {
    assert_eq!(a.shape(), b.shape(), "{what}");
    let largest = b.iter().map(|x| x.size()).fold(1.0, f64::max);
    for (k, (x, y)) in a.iter().zip(b.iter()).enumerate() {
        assert!(
            (*x - *y).size() <= bound * T::UNIT * largest,
            "{what}: element {k} is {x:?}, expected {y:?}"
        );
    }
}

fn identity<T: Number, O: Order>(n: usize) -> Matrix<T, O> {
    Tensor::from_fn([n, n], |[i, j]| if i == j { T::one() } else { T::zero() })
}

fn factors_of_any_matrix<T: Number, O: Order>() {
    for [m, n] in [[1, 1], [2, 3], [3, 2], [5, 5], [17, 9], [9, 17], [40, 40]] {
        let what = format!("[{m}, {n}] of {}", std::any::type_name::<T>());
        let a: Matrix<T, O> = random([m, n], 3 + (m * 64 + n) as u64);
        let (k, bound) = (m.min(n), 40.0 * m.max(n) as f64);
        let orthonormal = |columns: &Matrix<T, O>| {
            let n = columns.shape()[1];
            close(&product(&adjoint(columns), columns), &identity(n), bound, &what);
        };
        let Lu { l, u, rows } = a.lu();
        let permuted = Tensor::from_fn([m, n], |[i, j]| a[[rows[[i]] as usize, j]]);
        close(&product(&l, &u), &permuted, bound, &what);
        assert!((0..m).all(|i| (i..k).all(|j| l[[i, j]] == if i == j { T::one() } else { T::zero() })));
        assert!((0..n).all(|j| (j + 1..k).all(|i| u[[i, j]] == T::zero())));
        let (q, r) = a.qr_complete();
        assert_eq!((q.shape(), r.shape()), ([m, m], [m, n]));
        close(&product(&q, &r), &a, bound, &what);
        orthonormal(&q);
        assert!((0..n).all(|j| (j + 1..m).all(|i| r[[i, j]] == T::zero())));
        let (l, q) = a.lq();
        close(&product(&l, &q), &a, bound, &what);
        orthonormal(&adjoint(&q));
        assert!((0..m).all(|i| (i + 1..k).all(|j| l[[i, j]] == T::zero())));
        assert!((0..k).all(|i| l[[i, i]] == T::of(l[[i, i]].size(), 0.0) && l[[i, i]] != T::zero()));
        let (r, q) = a.rq();
        close(&product(&r, &q), &a, bound, &what);
        orthonormal(&adjoint(&q));
        for i in 0..k {
            // The last `k` rows of `r` are an upper triangle. The triangle's diagonal element in column `i` is in this row.
            let row = m - k + i;
            assert!((0..i).all(|j| r[[row, j]] == T::zero()), "{what}");
            assert!(r[[row, i]] == T::of(r[[row, i]].size(), 0.0) && r[[row, i]] != T::zero(), "{what}");
        }
        let (u, p) = a.polar();
        close(&product(&u, &p), &a, bound, &what);
        close(&adjoint(&p), &p, bound, &what);
        if m >= n {
            orthonormal(&u);
        } else {
            orthonormal(&adjoint(&u));
        }
        let x = a.pinv();
        // The four Penrose conditions, which only the pseudoinverse satisfies.
        let (ax, xa) = (product(&a, &x), product(&x, &a));
        let bound = bound * x.iter().map(|x| x.size()).fold(10.0, f64::max);
        close(&product(&ax, &a), &a, bound, &what);
        close(&product(&xa, &x), &x, bound, &what);
        close(&adjoint(&ax), &ax, bound, &what);
        close(&adjoint(&xa), &xa, bound, &what);
        assert_eq!(a.matrix_rank().item(), k as i64);
        let null = a.null_space();
        assert_eq!(null.shape(), [n, n - k]);
        orthonormal(&null);
        close(&product(&a, &null), &Tensor::zeros([m, n - k]), bound, &what);
        assert_eq!(a.adjoint(), adjoint(&a));
    }
}

#[test]
fn factors() {
    factors_of_any_matrix::<f64, RowMajor>();
    factors_of_any_matrix::<f64, ColMajor>();
    factors_of_any_matrix::<f32, ColMajor>();
    factors_of_any_matrix::<c32, RowMajor>();
    factors_of_any_matrix::<c64, RowMajor>();
    factors_of_any_matrix::<c64, ColMajor>();
}

fn square_matrices<T: Number, O: Order>() {
    for n in [1, 2, 3, 8, 30] {
        let what = format!("{n} of {}", std::any::type_name::<T>());
        // The diagonal makes the condition number small.
        let shifted = |seed, shift: f64| {
            let a: Matrix<T, O> = random([n, n], seed);
            let diagonal = T::of(shift, 0.0);
            Tensor::from_fn([n, n], |[i, j]| a[[i, j]] + if i == j { diagonal } else { T::zero() })
        };
        let (a, b) = (shifted(5, 2.0 * n as f64), shifted(6, n as f64));
        let bound = 100.0 * n as f64;
        close(&product(&a, &a.solve(&b)), &b, bound, &what);
        close(&product(&a, &a.inv()), &identity(n), bound, &what);
        close(&a.matrix_power(-1), &a.inv(), bound, &what);
        close(&a.matrix_power(5), &product(&product(&a, &a), &product(&a, &product(&a, &a))), bound, &what);
        assert_eq!(a.matrix_power(0), identity(n));
        let (of_a, of_b, of_product) = (a.slogdet(), b.slogdet(), product(&a, &b).slogdet());
        assert!((of_a.0.item() * of_b.0.item() - of_product.0.item()).size() < bound * T::UNIT, "{what}");
        let logarithms = [of_a.1, of_b.1, of_product.1].map(|x| x.cast::<T>().item());
        assert!(
            (logarithms[0] + logarithms[1] - logarithms[2]).size() < bound * n as f64 * T::UNIT,
            "{what}"
        );
        let (t, z) = a.schur();
        close(&product(&z, &product(&t, &adjoint(&z))), &a, bound, &what);
        close(&product(&adjoint(&z), &z), &identity(n), bound, &what);
        let (w, v) = a.eig();
        let complex = Tensor::from_fn([n, n], |[i, j]| a[[i, j]].to_complex());
        let scaled = Tensor::from_fn([n, n], |[i, j]| v[[i, j]] * w[[j]]);
        let near = |x: &Matrix<T::Complex, O>, y: &Matrix<T::Complex, O>| {
            let [distance, size] = [(x - y).norm(), y.norm()].map(|x| x.cast::<T>().item().size());
            assert!(distance <= bound * T::UNIT * size, "{what}: {distance} of {size}");
        };
        near(&complex.matmul(&v), &scaled);
        let root = a.sqrtm();
        near(&root.matmul(&root), &complex);
        near(&a.logm().expm(), &complex);
        let exponential = a.expm();
        let scale = a.spectral_norm().cast::<T>().item().size();
        close(
            &product(&exponential, &(-&a).expm()),
            &identity(n),
            bound * (2.0 * scale).exp().min(1e6),
            &what,
        );
        let hermitian = &a + adjoint(&a);
        let definite = product(&b, &adjoint(&b));
        let l = definite.cholesky();
        close(&product(&l, &adjoint(&l)), &definite, bound, &what);
        close(
            &product(&definite, &definite.solve_as(Structure::PositiveDefinite, &a)),
            &a,
            bound * 10.0,
            &what,
        );
        let (w, v) = hermitian.eigh_generalized(&definite);
        let w = w.cast::<T>();
        let scaled = Tensor::from_fn([n, n], |[i, j]| v[[i, j]] * w[[j]]);
        close(&product(&hermitian, &v), &product(&definite, &scaled), bound * 10.0, &what);
        close(&product(&adjoint(&v), &product(&definite, &v)), &identity(n), bound * 10.0, &what);
        // The functions must not read the upper triangles.
        let below = |x: &Matrix<T, O>| {
            Tensor::from_fn([n, n], |[i, j]| if i < j { T::of(7.0, 7.0) } else { x[[i, j]] })
        };
        assert_eq!(below(&hermitian).eigh_generalized(below(&definite)).1, v);
        assert_eq!(below(&definite).cholesky(), l);
        let Ldl { l, d, rows } = hermitian.ldl();
        let exchanged = Tensor::from_fn([n, n], |[i, j]| hermitian[[rows[[i]] as usize, rows[[j]] as usize]]);
        close(&product(&l, &product(&d, &adjoint(&l))), &exchanged, bound, &what);
        assert_eq!((below(&hermitian).ldl().d, adjoint(&d)), (d.clone(), d));
        let x = hermitian.solve_as(Structure::Hermitian, &a);
        close(&x, &hermitian.solve(&a), bound * 100.0, &what);
        close(
            &hermitian.hermitian_map(T::from_magnitude_squared),
            &product(&hermitian, &hermitian),
            bound,
            &what,
        );
    }
}

/// Computes the square of a real number, and converts it to an element.
trait Squared: LinalgElement {
    fn from_magnitude_squared(x: Self::Magnitude) -> Self;
}
impl<T: LinalgElement> Squared for T {
    fn from_magnitude_squared(x: T::Magnitude) -> T {
        vierbein::CastTo::cast_to(x * x)
    }
}

#[test]
fn square() {
    square_matrices::<f64, RowMajor>();
    square_matrices::<f64, ColMajor>();
    square_matrices::<f32, RowMajor>();
    square_matrices::<c32, ColMajor>();
    square_matrices::<c64, RowMajor>();
    square_matrices::<c64, ColMajor>();
}

/// A complex function of a Hermitian matrix: the time evolution operator.
#[test]
fn unitary_evolution() {
    let h = tensor![
        [Complex::new(1.0, 0.0), Complex::new(0.0, -2.0)],
        [Complex::new(0.0, 2.0), Complex::new(-1.0, 0.0)]
    ];
    let evolved = h.hermitian_map(|w: f64| Complex::new(0.0, -w * 0.7).exp());
    let expected = (&h * Complex::new(0.0, -0.7)).expm();
    close(&evolved, &expected, 50.0, "exp(−iht)");
}

/// Each operation on a batch must equal the operation on each matrix, even for views whose batch axes cannot be fused.
#[test]
fn batches_are_loops() {
    fn check<O: Order>(row_major: bool) {
        let shape = if row_major { [2, 3, 4, 4] } else { [4, 4, 2, 3] };
        let batch: Tensor<f64, Rank<4>, O> = random(shape, 11);
        // Swaps the batch axes and reverses one of them. Axes with these strides cannot be fused.
        let view = if row_major { batch.permute([1, 0, 2, 3]) } else { batch.permute([0, 1, 3, 2]) };
        let view = if row_major { view.flip(0) } else { view.flip(2) };
        let at = |i: usize, j: usize| -> Matrix<f64, O> {
            if row_major {
                view.index_axis(0, i).index_axis(0, j).to_owned()
            } else {
                view.index_axis(2, i).index_axis(2, j).to_owned()
            }
        };
        let b: Tensor<f64, Rank<2>, O> = random([4, 2], 12);
        let (det, inv, lu, x) = (view.det(), view.inv(), view.lu(), view.solve(&b));
        let vector: Tensor<f64, Rank<1>, O> = random([4], 13);
        let (x1, y1, y) = (view.solve(&vector), view.lstsq(&vector), view.lstsq(&b));
        let (svd, discarded) = view.svd_truncated(Truncation::rank(2));
        let ldl = view.ldl();
        let (expm, cond, (l, q)) = (view.expm(), view.cond(), view.lq());
        assert_eq!(det.shape(), [3, 2]);
        for (i, j) in (0..3).flat_map(|i| (0..2).map(move |j| (i, j))) {
            let a = at(i, j);
            macro_rules! same {
                ($batch:expr, $one:expr $(, $tolerance:literal)?) => {{
                    let all = &$batch;
                    let part = if row_major {
                        all.index_axis(0, i).index_axis(0, j).to_owned()
                    } else {
                        let first = all.rank() - 2;
                        all.index_axis(first, i).index_axis(first, j).to_owned()
                    };
                    let equal = part == $one;
                    $(let equal = equal || part.all_close(&$one, $tolerance, $tolerance);)?
                    assert!(equal, "{i}, {j}: {part}, expected {}", $one);
                }};
            }
            same!(det, a.det());
            same!(inv, a.inv());
            same!(lu.l, a.lu().l);
            same!(lu.u, a.lu().u);
            same!(lu.rows, a.lu().rows);
            same!(ldl.l, a.ldl().l);
            same!(ldl.d, a.ldl().d);
            same!(ldl.rows, a.ldl().rows);
            same!(x, a.solve(&b));
            same!(x1, a.solve(&vector));
            // The summation order of products of a batch differs from that of products of one matrix, so results can differ by
            // rounding errors.
            same!(y, a.lstsq(&b), 1e-12);
            same!(y1, a.lstsq(&vector), 1e-12);
            let (one, of_one) = a.svd_truncated(Truncation::rank(2));
            same!(svd.s, one.s);
            same!(svd.u, one.u);
            same!(svd.vh, one.vh);
            same!(discarded.weight, of_one.weight);
            same!(discarded.share, of_one.share);
            same!(expm, a.expm());
            same!(cond, a.cond());
            same!(l, a.lq().0);
            same!(q, a.lq().1);
        }
    }
    check::<RowMajor>(true);
    check::<ColMajor>(false);
}

/// Batches of matrices and of right-hand sides broadcast, as in `matmul`.
#[test]
fn solve_broadcasts() {
    let a: Tensor<f64, Rank<4>> = random([3, 1, 2, 2], 1);
    let b: Tensor<f64, Rank<3>> = random([5, 2, 4], 2);
    let x = a.solve(&b);
    assert_eq!(x.shape(), [3, 5, 2, 4]);
    assert!(a.matmul(&x).all_close(&b.broadcast_to([3, 5, 2, 4]), 1e-12, 1e-12));
    let a: Tensor<f64, Rank<4>, ColMajor> = random([2, 2, 1, 3], 1);
    let b: Tensor<f64, Rank<3>, ColMajor> = random([2, 4, 5], 2);
    let x = a.solve(&b);
    assert_eq!(x.shape(), [2, 4, 5, 3]);
    assert!(a.matmul(&x).all_close(&b.broadcast_to([2, 4, 5, 3]), 1e-12, 1e-12));
}

/// The results of dynamic methods have the same bits as those of typed methods.
#[test]
fn typed_and_dynamic_agree() {
    fn check<O: Order>(shape: [usize; 3]) {
        let a: Tensor<c64, Rank<3>, O> = random(shape, 21);
        let d = DynTensor::from(a.clone());
        macro_rules! same {
            ($($name:ident $(.$part:tt)?),*) => {$(
                assert_eq!(
                    DynTensor::from(a.$name()$(.$part)?),
                    d.$name().unwrap()$(.$part)?,
                    "{}", stringify!($name)
                );
            )*};
        }
        same!(
            svd.u,
            svd.s,
            svd.vh,
            svd_full.u,
            singular_values,
            eig.0,
            eig.1,
            eigvals,
            schur.0,
            schur.1,
            sqrtm,
            logm,
            eigh.0,
            eigh.1,
            eigvalsh,
            qr.0,
            qr.1,
            qr_complete.0,
            lq.0,
            rq.1,
            polar.0,
            lu.l,
            lu.rows,
            ldl.l,
            ldl.d,
            ldl.rows,
            inv,
            det,
            slogdet.0,
            slogdet.1,
            expm,
            pinv,
            matrix_rank,
            cond,
            nuclear_norm,
            spectral_norm,
            null_space,
            orth
        );
        let b = a.matmul(&a);
        assert_eq!(DynTensor::from(a.solve(&b)), d.solve(&b).unwrap());
        let hermitian = Structure::Hermitian;
        assert_eq!(DynTensor::from(a.solve_as(hermitian, &b)), d.solve_as(hermitian, &b).unwrap());
        assert_eq!(DynTensor::from(a.lstsq(&b)), d.lstsq(&b).unwrap());
        assert_eq!(DynTensor::from(a.matrix_power(-3)), d.matrix_power(-3).unwrap());
        // Both matrices have relative singular values above and below the cutoff 0.5, so the results differ from those with the
        // default cutoff.
        assert_ne!(a.pinv_with(0.5), a.pinv());
        assert_eq!(DynTensor::from(a.pinv_with(0.5)), d.pinv_with(0.5).unwrap());
        assert_eq!(DynTensor::from(a.matrix_rank_with(0.5)), d.matrix_rank_with(0.5).unwrap());
        assert_eq!(DynTensor::from(a.matrix_rank_above(0.5)), d.matrix_rank_above(0.5).unwrap());
        assert_eq!(DynTensor::from(a.lstsq_with(&b, 0.5)), d.lstsq_with(&b, 0.5).unwrap());
        // These functions are tested on one matrix, because the ranks of the matrices in a batch can differ.
        let one = a.index_axis(if a.shape()[0] == 2 { 0 } else { 2 }, 1);
        let of_dynamic = DynTensor::from(one.to_owned());
        assert_eq!(DynTensor::from(one.null_space_with(0.5)), of_dynamic.null_space_with(0.5).unwrap());
        assert_eq!(DynTensor::from(one.orth_with(0.5)), of_dynamic.orth_with(0.5).unwrap());
        let truncation = Truncation::new().relative(0.5);
        let ((svd, discarded), (of_dynamic, dynamic)) =
            (a.svd_truncated(truncation), d.svd_truncated(truncation).unwrap());
        assert_eq!(DynTensor::from(svd.vh), of_dynamic.vh);
        assert_eq!(DynTensor::from(discarded.share), dynamic.share);
        let definite = a.matmul(a.adjoint());
        let other = DynTensor::from(definite.clone());
        assert_eq!(DynTensor::from(definite.cholesky()), other.cholesky().unwrap());
        assert_eq!(DynTensor::from(a.eigh_generalized(&definite).1), d.eigh_generalized(&other).unwrap().1);
    }
    check::<RowMajor>([2, 3, 3]);
    check::<ColMajor>([3, 3, 2]);
}

/// A device that implements no method of `Decompose` itself has all methods, by host fallbacks. The copies on the host have other
/// strides, so results can differ by rounding errors.
#[test]
fn other_devices() {
    fn check<O: Order>(shape: [usize; 3]) {
        let a: Tensor<c64, Rank<3>, O> = random(shape, 31);
        let there = a.to_device::<Remote>().unwrap();
        macro_rules! same {
            ($($name:ident($($arg:expr),*) $(.$part:tt $(.$field:ident)?)?),*) => {$(
                let found = there.$name($($arg),*)$(.$part $(.$field)?)?.to_device::<Cpu>().unwrap();
                let expected = a.$name($($arg),*)$(.$part $(.$field)?)?;
                assert!(found.all_close(&expected, 1e-11, 1e-11), "{}: {found} {expected}", stringify!($name));
            )*};
        }
        same!(
            svd_truncated(Truncation::rank(2)).0.vh,
            svd_truncated(Truncation::rank(2)).1.weight,
            lu().l,
            ldl().l,
            ldl().d,
            qr_complete().0,
            lq().0,
            rq().1,
            polar().1,
            eig().0,
            schur().1,
            det(),
            slogdet().1,
            inv(),
            matrix_power(3),
            expm(),
            sqrtm(),
            logm(),
            hermitian_map(|w: f64| Complex::new(0.0, w)),
            pinv(),
            pinv_with(0.5),
            null_space(),
            orth(),
            cond(),
            nuclear_norm(),
            spectral_norm(),
            adjoint()
        );
        assert!(there.solve(&there).to_device::<Cpu>().unwrap().all_close(&a.solve(&a), 1e-11, 1e-11));
        assert!(there.lstsq(&there).to_device::<Cpu>().unwrap().all_close(&a.lstsq(&a), 1e-11, 1e-11));
        assert_eq!(there.lu().rows.to_device::<Cpu>().unwrap(), a.lu().rows);
        assert_eq!(there.ldl().rows.to_device::<Cpu>().unwrap(), a.ldl().rows);
        assert_eq!(there.matrix_rank().to_device::<Cpu>().unwrap(), a.matrix_rank());
        let (definite, remote) = (a.matmul(a.adjoint()), there.matmul(there.adjoint()));
        assert!(remote.cholesky().to_device::<Cpu>().unwrap().all_close(&definite.cholesky(), 1e-11, 1e-11));
        assert!(there.eigh_generalized(&remote).1.to_device::<Cpu>().unwrap().all_close(
            &a.eigh_generalized(&definite).1,
            1e-11,
            1e-11
        ));
    }
    check::<RowMajor>([2, 3, 3]);
    check::<ColMajor>([3, 3, 2]);
}

/// For matrices without rows or columns, the results are those of NumPy and SciPy.
#[test]
fn without_elements() {
    let none = Tensor::<f64, _>::zeros([0, 0]);
    assert_eq!(none.det().item(), 1.0);
    assert_eq!((none.slogdet().0.item(), none.slogdet().1.item()), (1.0, 0.0));
    assert_eq!((none.inv().shape(), none.expm().shape(), none.cholesky().shape()), ([0, 0], [0, 0], [0, 0]));
    assert_eq!((none.ldl().d.shape(), none.ldl().rows.shape()), ([0, 0], [0]));
    assert_eq!(none.matrix_power(-3).shape(), [0, 0]);
    assert_eq!(none.solve(Tensor::<f64, _>::zeros([0, 3])).shape(), [0, 3]);
    assert_eq!(none.eigh_generalized(&none).0.shape(), [0]);
    assert_eq!(none.hermitian_map(f64::exp).shape(), [0, 0]);
    for [m, n] in [[0, 3], [3, 0], [0, 0]] {
        let a = Tensor::<f64, _>::zeros([m, n]);
        assert_eq!(a.pinv().shape(), [n, m]);
        assert_eq!(a.lstsq(Tensor::<f64, _>::ones([m])), Tensor::zeros([n]));
        assert_eq!(
            (a.matrix_rank().item(), a.nuclear_norm().item(), a.spectral_norm().item()),
            (0, 0.0, 0.0)
        );
        assert_eq!(a.null_space(), Tensor::eye(n));
        assert_eq!(a.orth().shape(), [m, 0]);
        assert_eq!((a.lq().0.shape(), a.rq().1.shape(), a.qr_complete().0), ([m, 0], [0, n], Tensor::eye(m)));
        assert_eq!((a.polar().0.shape(), a.polar().1), ([m, n], Tensor::zeros([n, n])));
        assert_eq!((a.lu().l.shape(), a.lu().rows.len()), ([m, 0], m));
        assert_eq!(a.svd_truncated(Truncation::rank(1)).0.s.shape(), [0]);
        assert!(a.try_cond().is_err());
    }
    let batch = Tensor::<f64, _>::zeros([0, 2, 2]);
    assert_eq!((batch.det().shape(), batch.inv().shape(), batch.cond().shape()), ([0], [0, 2, 2], [0]));
    assert_eq!(batch.svd_truncated(Truncation::rank(1)).0.s.shape(), [0, 2]);
    assert_eq!(batch.solve(Tensor::<f64, _>::ones([2])).shape(), [0, 2]);
    assert_eq!(batch.expm().shape(), [0, 2, 2]);
}

/// Tests how many singular values a truncation keeps, and the weight of the discarded ones. The expected values are closed forms.
#[test]
fn truncations() {
    let a: Tensor<f64, Rank<2>> = Tensor::from_diagonal(&tensor![8.0, 4.0, 2.0, 2.0, 1.0, 0.0]);
    let total = 64.0 + 16.0 + 4.0 + 4.0 + 1.0;
    let check = |how: Truncation, kept: usize, weight: f64| {
        let (svd, discarded) = a.svd_truncated(how);
        assert_eq!((svd.u.shape(), svd.s.len(), svd.vh.shape()), ([6, kept], kept, [kept, 6]), "{how:?}");
        assert!((discarded.weight.item() - weight).abs() < 1e-12, "{how:?}");
        assert!((discarded.share.item() - weight / total).abs() < 1e-14, "{how:?}");
        // No value is rescaled.
        assert_eq!(svd.s, [8.0, 4.0, 2.0, 2.0, 1.0, 0.0][..kept].to_vec().into());
    };
    check(Truncation::new(), 6, 0.0);
    check(Truncation::rank(2), 2, 9.0);
    check(Truncation::rank(9), 6, 0.0);
    check(Truncation::new().below(0.5), 5, 0.0);
    check(Truncation::new().below(2.0), 2, 9.0);
    check(Truncation::new().relative(0.125), 4, 1.0);
    check(Truncation::new().relative(1.0), 1, 25.0);
    check(Truncation::new().below(100.0), 1, 25.0);
    check(Truncation::new().cutoff(0.0), 5, 0.0);
    check(Truncation::new().cutoff(1.001 / total), 4, 1.0);
    check(Truncation::new().cutoff(8.9 / total), 3, 5.0);
    check(Truncation::new().cutoff(2.0), 1, 25.0);
    check(Truncation::rank(3).cutoff(1.1 / total), 3, 5.0);
    check(Truncation::rank(5).cutoff(9.1 / total), 2, 9.0);
    // The cutoff applies to `tiny`, too, although the squares of its singular values would underflow.
    let tiny = Tensor::from_diagonal(&tensor![1e-200, 1e-201]);
    assert_eq!(tiny.svd_truncated(Truncation::new().cutoff(1e-3)).0.s.len(), 2);
    assert_eq!(tiny.svd_truncated(Truncation::new().cutoff(2e-2)).0.s.len(), 1);
    let zeros = Tensor::<f64, _>::zeros([3, 3]).svd_truncated(Truncation::new().cutoff(0.1));
    assert_eq!((zeros.0.s.len(), zeros.1.share.item()), (1, 0.0));
    // In a batch, all matrices keep as many singular values as the matrix that needs the most.
    let batch = vierbein::stack(0, [&a, &Tensor::eye(6)]);
    assert_eq!(batch.svd_truncated(Truncation::new().below(0.5)).0.s.shape(), [2, 6]);
    assert_eq!(batch.svd_truncated(Truncation::new().below(0.5).max_rank(3)).1.weight, tensor![5.0, 3.0]);
}

/// Equal singular values are kept or discarded together.
#[test]
fn truncation_keeps_multiplets_whole() {
    let values = [4.0, 1.0, 1.0, 1.0 - 1e-9, 0.5, 0.5];
    let a: Matrix<f64, RowMajor> = Tensor::from_diagonal(&Tensor::from(values.to_vec()));
    let kept = |how: Truncation| a.svd_truncated(how).0.s.len();
    let whole = Truncation::new().multiplets(1e-8);
    assert_eq!((1..=6).map(|k| kept(whole.max_rank(k))).collect::<Vec<_>>(), [1, 1, 1, 4, 4, 6]);
    // A smaller tolerance separates the third and the fourth value of the multiplet.
    let exact = Truncation::new().multiplets(1e-12);
    assert_eq!((1..=6).map(|k| kept(exact.max_rank(k))).collect::<Vec<_>>(), [1, 1, 3, 4, 4, 6]);
    assert_eq!((kept(whole), kept(whole.below(0.7)), kept(whole.below(1.0))), (6, 4, 1));
    // The multiplet of the largest value is always kept.
    let eye = Tensor::<f64, Rank<2>>::eye(3);
    assert_eq!(eye.svd_truncated(whole.max_rank(1)).0.s.len(), 3);
    let (_, s, _) = svd!("ij -> ik, kj", &a; max_rank = 3, multiplets = 1e-8);
    assert_eq!(s, tensor![4.0]);
    let text = "cannot svd_truncated: `multiplets` is -1.0, and must be a number that is at least 0";
    assert_eq!(eye.try_svd_truncated(Truncation::new().multiplets(-1.0)).unwrap_err().to_string(), text);
    // Weights of discarded values that are far smaller than the largest value.
    let a: Matrix<f64, RowMajor> = Tensor::from_diagonal(&tensor![1e100, 3e-100, 4e-100]);
    let discarded = a.svd_truncated(Truncation::rank(1)).1;
    assert!((discarded.weight.item() / 2.5e-199 - 1.0).abs() < 1e-14, "{}", discarded.weight);
    let a: Matrix<f64, RowMajor> = Tensor::from_diagonal(&tensor![1e250, 1e200, 1e150]);
    let discarded = a.svd_truncated(Truncation::rank(1)).1;
    assert!((discarded.share.item() / 1e-100 - 1.0).abs() < 1e-14, "{}", discarded.share);
}

/// Asserts that the roots are these numbers, in any order.
#[track_caller]
fn check_roots<T: LinalgElement<Complex = c64>>(p: &[T], expected: &[c64], bound: f64) {
    let p = Tensor::<T, Rank<1>>::from(p.to_vec());
    let mut found = p.roots().to_vec();
    assert_eq!(DynTensor::from(p.clone()).roots().unwrap().to_vec::<c64>().unwrap(), found);
    assert_eq!(p.to_order::<ColMajor>().roots().to_vec(), found);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for x in expected {
        let nearest =
            (0..found.len()).min_by(|&i, &j| (found[i] - x).norm().total_cmp(&(found[j] - x).norm()));
        let y = found.swap_remove(nearest.unwrap());
        assert!((x - y).norm() <= bound * x.norm(), "{y} and {x}");
    }
}

#[test]
fn roots_of_polynomials() {
    let c = |re: f64, im: f64| Complex::new(re, im);
    let real = |x: &[f64]| x.iter().map(|&x| c(x, 0.0)).collect::<Vec<_>>();
    check_roots(&[1.0, -6.0, 11.0, -6.0], &real(&[1.0, 2.0, 3.0]), 1e-13);
    check_roots(&[2.0, 0.0, 8.0], &[c(0.0, 2.0), c(0.0, -2.0)], 1e-15);
    // Leading and trailing zeros, and constants, as in NumPy.
    check_roots(&[0.0, 0.0, 3.0, -6.0, 0.0, 0.0], &real(&[2.0, 0.0, 0.0]), 1e-15);
    check_roots(&[0.0, 7.0], &[], 0.0);
    check_roots(&[0.0, 0.0], &[], 0.0);
    check_roots::<f64>(&[], &[], 0.0);
    check_roots(&[5.0, 0.0], &real(&[0.0]), 0.0);
    // (x − i)·(x − 2 − i) = x² − (2 + 2i)·x − 1 + 2i.
    check_roots(&[c(1.0, 0.0), c(-2.0, -2.0), c(-1.0, 2.0)], &[c(0.0, 1.0), c(2.0, 1.0)], 1e-14);
    // Roots and coefficients near the limits of the type.
    check_roots(&[1.0, -3e150, 2e300], &real(&[1e150, 2e150]), 1e-14);
    check_roots(&[1e-300, -3e-150, 2.0], &real(&[1e150, 2e150]), 1e-14);
    check_roots(&[1e300, -3e300, 2e300], &real(&[1.0, 2.0]), 1e-14);
    let cubic = [c(2.0, 0.0), c(-1.0, 3f64.sqrt()), c(-1.0, -(3f64.sqrt()))].map(|x| x.scale(1e-100));
    check_roots(&[1e200, 0.0, 0.0, -8e-100], &cubic, 1e-14);
    // Roots of different sizes: (x − 1e8)·(x − 1)·(x − 1e−8).
    let [a, b, d] = [1e8, 1.0, 1e-8];
    check_roots(&[1.0, -(a + b + d), a * b + a * d + b * d, -a * b * d], &real(&[a, b, d]), 1e-7);
    // The roots of unity.
    let mut p = vec![0.0; 13];
    (p[0], p[12]) = (1.0, -1.0);
    let unity: Vec<c64> =
        (0..12).map(|k| Complex::from_polar(1.0, f64::from(k) * std::f64::consts::TAU / 12.0)).collect();
    check_roots(&p, &unity, 1e-13);
    assert_eq!(tensor![1f32, 0.0, -4.0].roots().re().abs(), tensor![2f32, 2.0]);

    let text = "cannot roots: a coefficient is NaN or infinite; find it with `.is_finite()`";
    assert_eq!(tensor![1.0, f64::NAN].try_roots().unwrap_err().to_string(), text);
    assert!(
        tensor![1e-300, 1e300].try_roots().is_ok_and(|x| !x.is_finite().all().item())
            || tensor![1e-300, 1e300].try_roots().is_err()
    );
    assert!(DynTensor::from(tensor![[1.0]]).roots().is_err());
    assert!(DynTensor::from(tensor![1, 2]).roots().is_err());
}

#[test]
fn polynomials_that_fit_points() {
    fn check<T: Number, O: Order>(unit: f64, coefficients: &[(f64, f64)]) {
        let p: Vec<T> = coefficients.iter().map(|&(re, im)| T::of(re, im)).collect();
        let x = Tensor::<T, Rank<1>, O>::from_fn([12], |[k]| T::of((k as f64 - 5.0) * unit, 0.0));
        let y = Tensor::<T, Rank<1>, O>::from_vec([p.len()], p.clone()).polyval(&x);
        let found = x.polyfit(&y, p.len() - 1);
        assert_eq!(
            DynTensor::from(x.clone()).polyfit(&y, p.len() - 1).unwrap(),
            DynTensor::from(found.clone())
        );
        for (x, y) in found.iter().zip(&p) {
            assert!((*x - *y).size() <= 200.0 * T::UNIT * y.size(), "{found} and {p:?}");
        }
    }
    let coefficients = [(2.0, 1.0), (-1.0, 0.5), (3.0, -2.0), (5.0, 1.0)];
    check::<f32, RowMajor>(1.0, &coefficients);
    check::<f64, RowMajor>(1.0, &coefficients);
    check::<f64, ColMajor>(1.0, &coefficients);
    check::<c32, ColMajor>(1.0, &coefficients);
    check::<c64, RowMajor>(1.0, &coefficients);
    // Squares of positions near the limits of the type.
    check::<f64, RowMajor>(1e150, &[(2e-300, 0.0), (-1e-150, 0.0), (3.0, 0.0)]);
    check::<f64, RowMajor>(1e-150, &[(2e300, 0.0), (-1e150, 0.0), (3.0, 0.0)]);
    // The values of np.polyfit([0, 1, 2, 3, 4, 5], [0, 0.8, 0.9, 0.1, -0.8, -1], 3), an example of NumPy's documentation.
    let x = tensor![0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    let y = tensor![0.0, 0.8, 0.9, 0.1, -0.8, -1.0];
    let expected = tensor![0.08703704, -0.81349206, 1.69312169, -0.03968254];
    assert!(x.polyfit(&y, 3).all_close(&expected, 0.0, 1e-8));
    assert!(x.polyfit(&y, 0).all_close(&tensor![0.0], 0.0, 1e-15));
    // A polynomial for each column: those that fit the columns alone.
    fn columns<O: Order>() {
        let x = Tensor::<f64, Rank<1>, O>::from_fn([4], |[k]| k as f64);
        // The lines 2 x + 1, 5 − x and 3, and the same times 10.
        let of = |[i, k]: [usize; 2]| [2.0 * i as f64 + 1.0, 5.0 - i as f64, 3.0][k];
        let expected = |[j, k]: [usize; 2]| [[2.0, -1.0, 0.0], [1.0, 5.0, 3.0]][j][k];
        let y = Tensor::<f64, Rank<2>, O>::from_fn([4, 3], of);
        let found = x.polyfit(&y, 1);
        assert!(found.all_close(&Tensor::from_fn([2, 3], expected), 1e-13, 1e-13), "{found}");
        let dynamic = DynTensor::from(x.clone()).polyfit(&y, 1).unwrap();
        assert_eq!(dynamic, DynTensor::from(found));
        let y = Tensor::<f64, Rank<3>, O>::from_fn([4, 3, 2], |[i, k, l]| of([i, k]) * [1.0, 10.0][l]);
        let found = x.polyfit(&y, 1);
        let expected = Tensor::from_fn([2, 3, 2], |[j, k, l]| expected([j, k]) * [1.0, 10.0][l]);
        assert!(found.all_close(&expected, 1e-12, 1e-13), "{found}");
        assert_eq!(x.polyfit(Tensor::<f64, Rank<2>, O>::zeros([4, 0]), 2).shape(), [3, 0]);
        let text = "cannot polyfit: `x` has 4 elements and `y` has 3 rows; pass at least one point, and as many elements of `x` as rows of `y`";
        let y = Tensor::<f64, Rank<2>, O>::zeros([3, 4]);
        assert_eq!(x.try_polyfit(&y, 1).unwrap_err().to_string(), text);
        assert_eq!(DynTensor::from(x).polyfit(&y, 1).unwrap_err().to_string(), text);
    }
    columns::<RowMajor>();
    columns::<ColMajor>();
    assert!(DynTensor::from(tensor![1.0]).polyfit(DynTensor::scalar(1.0).view(), 1).is_err());
    let text = "cannot polyfit: `x` has 6 elements and `y` has 1; pass at least one point, and as many elements of `x` as of `y`";
    assert_eq!(x.try_polyfit(tensor![1.0], 1).unwrap_err().to_string(), text);
    let text = "cannot polyfit: an element of `x` or `y` is NaN or infinite; find it with `.is_finite()`";
    assert_eq!(tensor![f64::NAN].try_polyfit(tensor![1.0], 1).unwrap_err().to_string(), text);
}

/// Compares exponentials with closed forms. The norms of the matrices range from small to large, so that `expm` uses Padé
/// approximants of each degree, and repeated squaring. Some matrices are far from normal.
#[test]
fn exponentials() {
    for angle in [1e-12_f64, 1e-3, 0.1, 0.6, 1.5, 4.0, 30.0] {
        let a = tensor![[0.0, -1.0], [1.0, 0.0]] * angle;
        let expected = tensor![[angle.cos(), -angle.sin()], [angle.sin(), angle.cos()]];
        assert!(a.expm().all_close(&expected, 1e-13, 1e-13), "{angle}");
        let single = a.cast::<f32>().expm();
        assert!(single.cast::<f64>().all_close(&expected, 1e-5, 1e-5), "{angle}");
    }
    for size in [1.0, 1e6, 1e100] {
        let shear = tensor![[0.0, size], [0.0, 0.0]].expm();
        assert!(shear.all_close(&tensor![[1.0, size], [0.0, 1.0]], 1e-14, 0.0), "{size}: {shear}");
    }
    let a = tensor![[-1.0, 1e6], [0.0, -1.0]];
    let e = (-1f64).exp();
    assert!(a.expm().all_close(&tensor![[e, 1e6 * e], [0.0, e]], 1e-13, 1e-20));
    assert_eq!(tensor![[-800.0]].expm(), tensor![[0.0]]);
    assert_eq!(Tensor::<f64, _>::zeros([3, 3]).expm(), Tensor::eye(3));
}

/// Compares the exponential of a nilpotent matrix with its finite series, element by element.
fn check_exponential_of_chain<T: Number, O: Order>(links: &[f64]) {
    let n = links.len() + 1;
    // This permutation of rows and columns makes the matrix non-triangular.
    let place = |i: usize| (i + n / 2) % n;
    let mut a = Tensor::<T, Rank<2>, O>::zeros([n, n]);
    for (i, &link) in links.iter().enumerate() {
        a[[place(i), place(i + 1)]] = T::of(link, 0.0);
    }
    let found = a.expm();
    for i in 0..n {
        for j in 0..n {
            let expected = if i > j { 0.0 } else { (i..j).map(|k| links[k] / (k + 1 - i) as f64).product() };
            let x = found[[place(i), place(j)]];
            let error = (x - T::of(expected, 0.0)).size();
            assert!(error <= 100.0 * T::UNIT * expected, "[{i}, {j}]: {x} and {expected:e} of {links:?}");
        }
    }
}

#[test]
fn exponentials_of_matrices_near_limits() {
    fn check<O: Order>() {
        for x in [1e30, 1e37] {
            check_exponential_of_chain::<f32, O>(&[x]);
            check_exponential_of_chain::<c32, O>(&[x]);
            check_exponential_of_chain::<f32, O>(&[x, 1.0 / x]);
            check_exponential_of_chain::<c32, O>(&[1e15, 1e16, 1e-10, 1e-18]);
        }
        for x in [1e200, 1e300, 1.5e308] {
            check_exponential_of_chain::<f64, O>(&[x]);
            check_exponential_of_chain::<c64, O>(&[x]);
            check_exponential_of_chain::<f64, O>(&[x, 1e-10, 1e-200, 1e150]);
            check_exponential_of_chain::<c64, O>(&[1e120, 1e120, 1e-160, 1e10]);
        }
    }
    check::<RowMajor>();
    check::<ColMajor>();
    // In the first matrix, the sum of a column overflows. In the second, the modulus of an element overflows.
    let a = tensor![[0.0, 0.0, 1e308], [0.0, 0.0, 1e308], [0.0, 0.0, 0.0]];
    let found = a.expm();
    assert!(found.all_close(&(Tensor::eye(3) + &a), 1e-15, 0.0), "{found}");
    let zero = Complex::default();
    let a = tensor![[zero, Complex::new(1.5e308, 1.5e308)], [zero, zero]];
    assert!(a.expm().re().all_close(&tensor![[1.0, 1.5e308], [0.0, 1.0]], 1e-15, 0.0));
    // The eigenvalues of [[30, x], [1 / x, 0]] are 15 ± √226.
    let q = 226.0f64.sqrt();
    let (cosh, sinh) = (15.0f64.exp() * q.cosh(), 15.0f64.exp() * q.sinh() / q);
    let expected = tensor![[cosh + 15.0 * sinh, 1e290 * sinh], [1e-290 * sinh, cosh - 15.0 * sinh]];
    let found = stack(0, &[tensor![[30.0, 1e290], [1e-290, 0.0]], tensor![[0.0, 1.0], [0.0, 0.0]]]).expm();
    assert!(found.index_axis(0, 0).all_close(&expected, 1e-12, 0.0), "{found}");
    assert_eq!(found.index_axis(0, 1), tensor![[1.0, 1.0], [0.0, 1.0]]);
}

/// Asserts that each element of a real matrix, and of the same matrix with complex elements, differs from the expected one by at most
/// `bound` units of rounding, relative to this element.
#[track_caller]
fn check_exponential<O: Order>(a: &Matrix<f64, O>, expected: &Matrix<f64, O>, bound: f64) {
    let complex = a.cast::<c64>().expm();
    for (what, found) in [("real", a.expm()), ("complex", complex.re())] {
        for (x, y) in found.iter().zip(expected) {
            assert!((x - y).abs() <= bound * f64::EPSILON * y.abs(), "{what}: {found} and {expected}");
        }
    }
    assert_eq!(complex.im(), a * 0.0);
}

/// Compares exponentials of matrices with very different rates with the values of mpmath.
#[test]
fn exponentials_of_fast_and_slow_rates() {
    fn check<O: Order>() {
        let matrix = |a: Matrix<f64, RowMajor>| a.to_order::<O>();
        // Triangular matrices. The elements next to the diagonal have full precision, the others almost.
        let lower = matrix(tensor![[-1.0, 0.0], [1.0, -1e10]]);
        let expected = matrix(tensor![[0.36787944117144233, 0.0], [3.6787944120823027e-11, 0.0]]);
        check_exponential(&lower, &expected, 3.0);
        check_exponential(&lower.t().to_owned(), &expected.t().to_owned(), 3.0);
        let lower = matrix(tensor![[-1.0, 0.0, 0.0], [1.0, -1e10, 0.0], [2.0, 3.0, -2.0]]);
        let expected = matrix(tensor![
            [0.36787944117144233, 0.0, 0.0],
            [3.6787944120823027e-11, 0.0, 0.0],
            [0.4650883159394225, 4.060058497910393e-11, 0.1353352832366127]
        ]);
        check_exponential(&lower, &expected, 20.0);
        check_exponential(&lower.t().to_owned(), &expected.t().to_owned(), 20.0);
        let upper = matrix(tensor![[-1e6, 1e5, 3.0], [0.0, -1.0, 0.5], [0.0, 0.0, -1e3]]);
        let expected = matrix(tensor![
            [0.0, 0.03678798090512514, 1.8412402855417986e-05],
            [0.0, 0.36787944117144233, 0.0001841238444301513],
            [0.0, 0.0, 0.0]
        ]);
        check_exponential(&upper, &expected, 20.0);
        // Almost equal eigenvalues.
        let d = [-1.0, -1.0 - 0.5f64.powi(40), -1.0 + 0.5f64.powi(45)];
        let near = matrix(tensor![[d[0], 1000.0, 5.0], [0.0, d[1], 7.0], [0.0, 0.0, d[2]]]);
        let expected = matrix(tensor![
            [0.36787944117144233, 367.879441171275, 1289.4174413055273],
            [0.0, 0.3678794411711077, 2.5751560881989617],
            [0.0, 0.0, 0.36787944117145277]
        ]);
        check_exponential(&near, &expected, 20.0);
        // An exponential that underflows, times a large element.
        let tiny = [(-700f64).exp(), (-740f64).exp()];
        let wide = matrix(tensor![[-700.0, 1e300], [0.0, -740.0]]);
        check_exponential(&wide, &matrix(tensor![[tiny[0], 2.4649191359399427e-06], [0.0, tiny[1]]]), 4.0);

        // Generators: no element is negative except on the diagonal, and rows have the sum 0.
        let a = 1e12;
        for (generator, expected) in [
            (
                tensor![[-a, a], [1.0, -1.0]],
                tensor![[1e-12 - 1e-24, 1.0 - 1e-12], [1e-12 - 1e-24, 1.0 - 1e-12]],
            ),
            (
                tensor![[-a - 1.0, a, 1.0], [2.0, -2.0, 0.0], [0.0, 3.0, -3.0]],
                tensor![
                    [1.9999999999926337e-12, 0.9999999999973167, 6.832623561201658e-13],
                    [1.999999999992733e-12, 0.9999999999973666, 6.334752877524014e-13],
                    [1.900425863257204e-12, 0.9502129316297018, 0.049787068368397844]
                ],
            ),
            (
                tensor![[-a, a, 0.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 0.0, -a, a], [0.0; 4]],
                tensor![
                    [0.0, 0.3678794411718102, 3.678794411721781e-13, 0.6321205588278219],
                    [0.0, 0.36787944117144233, 3.678794411718102e-13, 0.6321205588281898],
                    [0.0, 0.0, 0.0, 1.0],
                    [0.0, 0.0, 0.0, 1.0]
                ],
            ),
        ] {
            let (generator, expected) = (matrix(generator), matrix(expected));
            check_exponential(&generator, &expected, 200.0);
            check_exponential(&generator.t().to_owned(), &expected.t().to_owned(), 200.0);
        }
    }
    check::<RowMajor>();
    check::<ColMajor>();

    // A complex triangular matrix.
    let c = |re: f64, im: f64| Complex::new(re, im);
    let a = tensor![[c(-1.0, 1e6), c(1e6, 0.0)], [c(0.0, 0.0), c(-2.0, -1e5)]];
    let expected = tensor![
        [c(0.344611849193053, -0.12875541399241125), c(-0.11265173096042162, -0.43623703615909487)],
        [c(0.0, 0.0), c(-0.13524877793022044, -0.0048380736989112995)]
    ];
    assert!(a.expm().all_close(&expected, 4e-16, 4e-16), "{}", a.expm());

    // Single precision.
    assert_eq!(tensor![[-1f32, 0.0], [0.0, -1e6]].expm(), tensor![[(-1f32).exp(), 0.0], [0.0, 0.0]]);
    let lower = tensor![[-1f32, 0.0], [1.0, -1e6]].expm();
    assert!(lower.all_close(&tensor![[0.36787944, 0.0], [3.678_798e-7, 0.0]], 3e-7, 0.0), "{lower}");

    // Generators of many states, in a batch and as dynamic tensors: the sum of each row is 1.
    let mut rates = random::<f64, Rank<3>, RowMajor>([3, 20, 20], 5).map(|x| 10f64.powf(12.0 * x).floor());
    for b in 0..3 {
        for i in 0..20 {
            rates[[b, i, i]] = 0.0;
            rates[[b, i, i]] = -rates.index_axis(0, b).index_axis(0, i).sum().item();
        }
    }
    let found = rates.expm();
    assert!(found.sum_axis(2).all_close(&Tensor::ones([3, 20]), 10.0 * f64::EPSILON, 0.0));
    assert!(found.iter().all(|&x| x >= 0.0));
    assert_eq!(DynTensor::from(rates.clone()).expm().unwrap(), DynTensor::from(found));
    let single = rates.cast::<f32>();
    let found = single.expm().sum_axis(2);
    let sums = single.sum_axis(2);
    // The conversion to `f32` rounds each rate, so not all rows have the sum 0.
    for (sum, zero) in found.iter().zip(&sums) {
        assert!(*zero != 0.0 || (sum - 1.0).abs() <= 10.0 * f32::EPSILON, "{sum}");
    }
}

/// Singular values of at most `relative` times the largest one count as 0. The singular values of the test matrices are their diagonal
/// elements.
#[test]
fn chosen_singular_values() {
    fn check<T: Number, O: Order>() {
        let diagonal = |values: [f64; 3]| -> Matrix<T, O> {
            Tensor::from_fn([4, 3], |[i, j]| if i == j { T::of(values[i], 0.0) } else { T::zero() })
        };
        let a = diagonal([4.0, 1.0, 0.5]);
        // A singular value that equals the limit counts as 0.
        let cases =
            [(0.0, 3), (0.1, 3), (0.125, 2), (0.24, 2), (0.25, 1), (0.9, 1), (1.0, 0), (f64::INFINITY, 0)];
        for (relative, rank) in cases {
            assert_eq!(a.matrix_rank_with(relative).item(), rank, "{relative}");
            assert_eq!(a.matrix_rank_above(4.0 * relative).item(), rank, "{relative}");
            let rank = rank as usize;
            let inverses = [0.25, 1.0, 2.0];
            let inverse = |i: usize| T::of(if i < rank { inverses[i] } else { 0.0 }, 0.0);
            let expected = Tensor::from_fn([3, 4], |[i, j]| if i == j { inverse(i) } else { T::zero() });
            assert_eq!(a.pinv_with(relative), expected);
            let b = Tensor::<T, Rank<1>, O>::from_fn([4], |[i]| T::of(i as f64 + 1.0, 2.0));
            let expected = Tensor::from_fn([3], |[i]| inverse(i) * b[[i]]);
            assert_eq!(a.lstsq_with(&b, relative), expected);
            let unit = |m: usize, n: usize, first: usize| -> Matrix<T, O> {
                Tensor::from_fn([m, n], |[i, j]| if i == j + first { T::one() } else { T::zero() })
            };
            let null = a.null_space_with(relative);
            close(
                &product(&null, &adjoint(&null)),
                &product(&unit(3, 3 - rank, rank), &adjoint(&unit(3, 3 - rank, rank))),
                10.0,
                "null space",
            );
            assert_eq!(a.orth_with(relative), unit(4, rank, 0));
        }
        assert_eq!(a.matrix_rank_with(T::UNIT / 4.0).item(), 3);
        // The default of `relative` depends on the largest extent.
        let noise = diagonal([1.0, 0.5, 3.0 * T::UNIT]);
        assert_eq!((noise.matrix_rank().item(), noise.matrix_rank_with(2.0 * T::UNIT).item()), (2, 3));
        assert_eq!(noise.matrix_rank_with(4.0 * T::UNIT), noise.matrix_rank());
        // All singular values of a zero matrix are 0, and a matrix without elements has no singular values.
        let zero = diagonal([0.0; 3]);
        assert_eq!((zero.matrix_rank_with(0.0).item(), zero.pinv_with(0.0)), (0, Tensor::zeros([3, 4])));
        let none = Tensor::<T, Rank<2>, O>::zeros([0, 3]);
        assert_eq!((none.matrix_rank_with(0.1).item(), none.null_space_with(0.1).shape()), (0, [3, 3]));
        // Each matrix of a batch has its own largest singular value.
        let batch = stack(
            if O::ROW_MAJOR { 0 } else { 2 },
            [&diagonal([8.0, 1.0, 0.0]), &diagonal([0.5, 0.25, 0.125])],
        );
        assert_eq!(batch.matrix_rank_with(0.2).to_vec(), [1, 3]);
    }
    check::<f32, RowMajor>();
    check::<f32, ColMajor>();
    check::<f64, RowMajor>();
    check::<f64, ColMajor>();
    check::<c32, RowMajor>();
    check::<c32, ColMajor>();
    check::<c64, RowMajor>();
    check::<c64, ColMajor>();
}
