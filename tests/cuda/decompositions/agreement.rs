//! Compares the results of tensors on the GPU with those of the host: batches, views and both memory orders. The conventions for signs and
//! phases make the results unique.

use crate::data::scrambled;
use crate::gpu::there;
use vierbein::linalg::{Decompose, LinalgElement, Structure};
use vierbein::prelude::*;
use vierbein::{Cuda, c32, c64};

/// Returns small pseudorandom numbers.
fn value(k: usize) -> f64 {
    (scrambled(k) % 20_011) as f64 / 10_000.0 - 1.0
}

/// The batch size, rows and columns of each test: small and large matrices, alone and in batches.
const SHAPES: [[usize; 3]; 8] =
    [[1, 1, 1], [4, 3, 3], [3, 5, 4], [2, 4, 5], [1, 6, 6], [3, 32, 32], [2, 40, 33], [2, 3, 34]];

/// The name of a result, and the real and imaginary parts of its elements.
type Got = (String, Vec<f64>);

trait Parts: Copy {
    fn parts(self) -> [f64; 2];
}
impl Parts for f32 {
    fn parts(self) -> [f64; 2] {
        [f64::from(self), 0.0]
    }
}
impl Parts for f64 {
    fn parts(self) -> [f64; 2] {
        [self, 0.0]
    }
}
impl Parts for i64 {
    fn parts(self) -> [f64; 2] {
        [self as f64, 0.0]
    }
}
impl<R: Into<f64> + Copy> Parts for vierbein::Complex<R> {
    fn parts(self) -> [f64; 2] {
        [self.re.into(), self.im.into()]
    }
}

fn put<T: Parts + vierbein::Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    all: &mut Vec<Got>,
    what: String,
    x: &Tensor<T, D, O, Dev>,
) {
    all.push((format!("{what} {:?}", x.shape()), x.to_vec().into_iter().flat_map(Parts::parts).collect()));
}

/// Computes all decompositions of matrices whose elements are `number(k)` for flat indices `k`.
fn decomposed<T, O, Dev>(number: fn(usize) -> T) -> Vec<Got>
where
    T: LinalgElement<Magnitude: Parts> + Parts,
    O: Order,
    Dev: Backend<T> + Backend<T::Magnitude> + Backend<i64> + Decompose<T> + Default,
{
    let mut all = Vec::new();
    for [batch, m, n] in SHAPES {
        let shape = if O::ROW_MAJOR { [batch, m, n] } else { [m, n, batch] };
        let matrices = Tensor::<T, Rank<3>, O>::from_fn(shape, |index| {
            let [b, i, j] = if O::ROW_MAJOR { index } else { [index[2], index[0], index[1]] };
            let x = number((b * m + i) * n + j);
            // Operations on Hermitian matrices read only the lower triangle. The large diagonal elements make the matrix positive
            // definite. The diagonal elements differ, so the eigenvalues are well separated and the eigenvectors are unique.
            let diagonal = (2 * n + 3 * i) as f64;
            if i == j && m == n { x + <T as vierbein::Scalar>::from_f64(diagonal) } else { x }
        });
        let on_device = matrices.to_device::<Dev>().unwrap();
        let backwards = on_device.slice(s![..;-1, ..;-1, ..;-1]);
        for (name, a) in [("", on_device.view()), ("reversed ", backwards.view())] {
            let what = |of: &str| format!("{of} of {name}{batch} matrices of {m} x {n}");
            let svd = a.svd();
            put(&mut all, what("u"), &svd.u);
            put(&mut all, what("s"), &svd.s);
            put(&mut all, what("vh"), &svd.vh);
            // The vectors that belong to no singular value are unique only if there is at most one of them.
            if m.abs_diff(n) <= 1 {
                let svd = a.svd_full();
                put(&mut all, what("full u"), &svd.u);
                put(&mut all, what("full vh"), &svd.vh);
            }
            put(&mut all, what("singular values"), &a.singular_values());
            let (q, r) = a.qr();
            put(&mut all, what("q"), &q);
            put(&mut all, what("r"), &r);
            put(&mut all, what("complete r"), &a.qr_complete().1);
            if !T::COMPLEX {
                let lu = a.lu();
                put(&mut all, what("l"), &lu.l);
                put(&mut all, what("u of lu"), &lu.u);
                put(&mut all, what("rows"), &lu.rows);
            }
            if m == n {
                let (w, v) = a.eigh();
                put(&mut all, what("w"), &w);
                put(&mut all, what("v"), &v);
                put(&mut all, what("eigenvalues"), &a.eigvalsh());
                put(&mut all, what("cholesky"), &a.cholesky());
                put(&mut all, what("inverse"), &a.inv());
                put(&mut all, what("solution"), &a.solve(a.slice(s![..;-1, .., ..])));
                let right = a.slice(s![.., .., ..;-1]);
                put(&mut all, what("definite solution"), &a.solve_as(Structure::PositiveDefinite, right));
                put(&mut all, what("hermitian solution"), &a.solve_as(Structure::Hermitian, right));
                for unit in [false, true] {
                    put(&mut all, what("lower"), &a.solve_as(Structure::Lower { unit }, right));
                    put(&mut all, what("upper"), &a.solve_as(Structure::Upper { unit }, right));
                }
            }
        }
    }
    all
}

fn compare(host: Vec<Got>, gpu: Vec<Got>, tolerance: f64) {
    assert_eq!(host.len(), gpu.len());
    for ((what, expected), (found_what, found)) in host.iter().zip(&gpu) {
        assert_eq!(what, found_what);
        assert_eq!(expected.len(), found.len(), "{what}");
        let largest = expected.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        for (k, (x, y)) in expected.iter().zip(found).enumerate() {
            assert!((x - y).abs() <= tolerance * largest, "{what}: {x} and {y} at {k}");
        }
    }
}

macro_rules! agreement {
    ($($name:ident: $T:ty, $number:expr, $tolerance:expr;)*) => {$(
        #[test]
        fn $name() {
            if !there() {
                return;
            }
            let number: fn(usize) -> $T = $number;
            compare(
                decomposed::<$T, RowMajor, Cpu>(number),
                decomposed::<$T, RowMajor, Cuda>(number),
                $tolerance,
            );
            compare(
                decomposed::<$T, ColMajor, Cpu>(number),
                decomposed::<$T, ColMajor, Cuda>(number),
                $tolerance,
            );
        }
    )*};
}
agreement! {
    results_of_f32_equal_those_of_the_host: f32, |k| value(k) as f32, 2e-3;
    results_of_f64_equal_those_of_the_host: f64, value, 1e-11;
    results_of_complex_f32_equal_those_of_the_host: c32, |k| c32::new(value(k) as f32, value(k + 7) as f32), 2e-3;
    results_of_complex_f64_equal_those_of_the_host: c64, |k| c64::new(value(k), value(k + 7)), 1e-11;
}
