//! Benchmark rows of `linalg`: decompositions of matrices and linear systems. The benchmarks call methods of each library's matrix type,
//! which allocate their results and their workspace in each call. For comparison, `Library::Limit` calls faer's low-level functions, with
//! results and a workspace that are allocated before the measurement.

use super::Entry;
use crate::implementation::{Library, Outcome};
use crate::number::Generator;
use crate::{Number, Problem, Row, parallel};
use faer::diag::{Diag, DiagMut};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::solvers::Solve;
use faer::linalg::{evd, householder, lu, qr, svd};
use faer::{Conj, Mat, MatRef, Par, Side};
use nalgebra::DMatrix;
use rayon::prelude::*;
use vierbein::linalg::{Decompose, LinalgElement};
use vierbein::{Cpu, Rank, Tensor};

/// The element types.
pub(super) trait Inexact:
    Number + LinalgElement<Magnitude = f64> + nalgebra::ComplexField<RealField = f64>
{
}
impl<T: Number + LinalgElement<Magnitude = f64> + nalgebra::ComplexField<RealField = f64>> Inexact for T {}

pub(super) fn all<T: Inexact>() -> Vec<Entry<f64>>
where
    Cpu: Decompose<T>,
{
    let mut rows = Vec::new();
    let mut add = |name: String, build: fn(usize) -> Row<f64>, n| {
        rows.push(Entry::new(name, move || build(n)).of(T::NAME));
    };
    for n in [64, 256, 1000] {
        add(format!("svd {n}²"), singular::<T>, n);
        add(format!("eigh {n}²"), hermitian::<T>, n);
        add(format!("qr {n}²"), triangular::<T>, n);
        add(format!("solve {n}²"), solution::<T>, n);
    }
    for n in [4, 16] {
        add(format!("svd 1000 × {n}²"), singular_batch::<T>, n);
        add(format!("eigh 1000 × {n}²"), hermitian_batch::<T>, n);
    }
    rows
}

/// A result, with a function that returns the numbers to compare.
struct Checked<V> {
    value: V,
    len: usize,
    at: fn(&V, usize) -> f64,
}

impl<V> Outcome<f64> for Checked<V> {
    fn size(&self) -> usize {
        self.len
    }
    fn at(&self, position: usize) -> f64 {
        (self.at)(&self.value, position)
    }
}

fn entry<T: Inexact>(x: f64) -> T {
    T::sample(x, 0.0)
}

fn real<T: Number>(x: T) -> f64 {
    x.magnitude()
}

/// Returns a random unitary matrix: the `Q` of a random matrix.
fn unitary<T: Inexact>(n: usize, seed: u64) -> Mat<T> {
    let mut numbers = Generator(seed);
    let random = Mat::from_fn(n, n, |_, _| numbers.number::<T>());
    with_threads(Par::Seq, || random.qr().compute_thin_Q())
}

/// Returns the product of `left`, the diagonal matrix with the elements `value(j)`, and `right`.
fn with_values<T: Inexact>(
    n: usize,
    left: &Mat<T>,
    right: MatRef<'_, T>,
    value: impl Fn(usize) -> f64,
) -> Mat<T> {
    let scaled = Mat::from_fn(n, n, |i, j| left[(i, j)] * entry::<T>(value(j)));
    scaled * right
}

/// Returns a Hermitian matrix with the eigenvalues 1, 2, .., `n`.
fn with_eigenvalues<T: Inexact>(n: usize, seed: u64) -> Mat<T> {
    let u = unitary::<T>(n, seed);
    with_values(n, &u, u.adjoint().to_owned().as_ref(), |j| (j + 1) as f64)
}

fn tensor<T: Inexact>(a: &Mat<T>) -> Tensor<T, Rank<2>> {
    Tensor::from_fn([a.nrows(), a.ncols()], |[i, j]| a[(i, j)])
}

fn dense<T: Inexact>(a: &Mat<T>) -> DMatrix<T> {
    DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)])
}

/// Returns faer's parallelism for a matrix of `n` rows.
fn par(n: usize) -> Par {
    if parallel() && n > 64 { Par::rayon(rayon::current_num_threads()) } else { Par::Seq }
}

/// Sets the parallelism of faer's methods to `par`, and calls `f`.
fn with_threads<R>(par: Par, f: impl FnOnce() -> R) -> R {
    faer::set_global_parallelism(par);
    f()
}

fn with(memory: &mut MemBuffer) -> &mut MemStack {
    MemStack::new(memory)
}

fn singular<T: Inexact>(n: usize) -> Row<f64>
where
    Cpu: Decompose<T>,
{
    let a = with_values(n, &unitary::<T>(n, 1), unitary(n, 2).as_ref(), |j| (n - j) as f64);
    let (x, y) = (tensor(&a), dense(&a));
    let par = par(n);
    let (mut u, mut v) = (Mat::<T>::zeros(n, n), Mat::<T>::zeros(n, n));
    let thin = svd::ComputeSvdVectors::Thin;
    let mut memory = MemBuffer::new(svd::svd_scratch::<T>(n, n, thin, thin, par, Default::default()));
    let z = a.clone();
    let out = Checked { value: Diag::<T>::zeros(n), len: n, at: |s, j| real(s[j]) };
    Row::new(Problem::defined([n], move |i| ((n - i[0]) as f64, n as f64)))
        .fresh(Library::Vierbein, move || Checked {
            value: x.svd(),
            len: n,
            at: |svd, j| svd.s.as_slice()[j],
        })
        .over(Library::Limit, out, move |out| {
            let (u, v) = (Some(u.as_mut()), Some(v.as_mut()));
            svd::svd(a.as_ref(), out.value.as_mut(), u, v, par, with(&mut memory), Default::default())
                .unwrap();
        })
        .fresh(Library::Faer, move || Checked {
            value: with_threads(par, || z.thin_svd()).expect("the iteration converges"),
            len: n,
            at: |svd, j| real(svd.S()[j]),
        })
        .fresh(Library::Nalgebra, move || Checked {
            value: y.clone().svd(true, true),
            len: n,
            at: |svd, j| svd.singular_values[j],
        })
}

fn hermitian<T: Inexact>(n: usize) -> Row<f64>
where
    Cpu: Decompose<T>,
{
    let a = with_eigenvalues::<T>(n, 1);
    let (x, y) = (tensor(&a), dense(&a));
    let par = par(n);
    let mut v = Mat::<T>::zeros(n, n);
    let yes = evd::ComputeEigenvectors::Yes;
    let mut memory = MemBuffer::new(evd::self_adjoint_evd_scratch::<T>(n, yes, par, Default::default()));
    let z = a.clone();
    let out = Checked { value: Diag::<T>::zeros(n), len: n, at: |w, j| real(w[j]) };
    Row::new(Problem::defined([n], move |i| ((i[0] + 1) as f64, n as f64)))
        .fresh(Library::Vierbein, move || Checked {
            value: x.eigh(),
            len: n,
            at: |(w, _), j| w.as_slice()[j],
        })
        .over(Library::Limit, out, move |out| {
            let (stack, v) = (with(&mut memory), Some(v.as_mut()));
            evd::self_adjoint_evd(a.as_ref(), out.value.as_mut(), v, par, stack, Default::default()).unwrap();
        })
        .fresh(Library::Faer, move || Checked {
            value: with_threads(par, || z.self_adjoint_eigen(Side::Lower)).expect("the iteration converges"),
            len: n,
            at: |eigen, j| real(eigen.S()[j]),
        })
        .fresh(Library::Nalgebra, move || {
            // nalgebra does not sort eigenvalues.
            let mut eigen = y.clone().symmetric_eigen();
            eigen.eigenvalues.as_mut_slice().sort_by(f64::total_cmp);
            Checked { value: eigen, len: n, at: |eigen, j| eigen.eigenvalues[j] }
        })
}

fn triangular<T: Inexact>(n: usize) -> Row<f64>
where
    Cpu: Decompose<T>,
{
    let mut numbers = Generator(3);
    let above: Vec<T> = (0..n * n).map(|_| numbers.number()).collect();
    let r = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => above[i * n + j],
        std::cmp::Ordering::Equal => entry((i + 1) as f64),
        std::cmp::Ordering::Greater => entry(0.0),
    });
    let a = unitary::<T>(n, 1) * r;
    let (x, y) = (tensor(&a), dense(&a));
    let par = par(n);
    let block = qr::no_pivoting::factor::recommended_block_size::<T>(n, n);
    let (mut factor, mut q) = (Mat::<T>::zeros(block, n), Mat::<T>::zeros(n, n));
    let mut memory = MemBuffer::new(
        qr::no_pivoting::factor::qr_in_place_scratch::<T>(n, n, block, par, Default::default())
            .or(householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(n, block, n)),
    );
    let z = a.clone();
    let out = Checked { value: Mat::<T>::zeros(n, n), len: n, at: |r, j| real(r[(j, j)]) };
    Row::new(Problem::defined([n], move |i| ((i[0] + 1) as f64, n as f64)))
        .fresh(Library::Vierbein, move || Checked { value: x.qr(), len: n, at: |(_, r), j| real(r[[j, j]]) })
        .over(Library::Limit, out, move |out| {
            let a_copy = &mut out.value;
            a_copy.copy_from(&a);
            let stack = with(&mut memory);
            qr::no_pivoting::factor::qr_in_place(
                a_copy.as_mut(),
                factor.as_mut(),
                par,
                stack,
                Default::default(),
            );
            q.fill(entry(0.0));
            q.diagonal_mut().fill(entry(1.0));
            householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
                a_copy.as_ref(),
                factor.as_ref(),
                Conj::No,
                q.as_mut(),
                par,
                stack,
            );
        })
        .fresh(Library::Faer, move || Checked {
            value: with_threads(par, || {
                let qr = z.qr();
                (qr.compute_thin_Q(), qr)
            }),
            len: n,
            at: |(_, qr), j| real(qr.thin_R()[(j, j)]),
        })
        .fresh(Library::Nalgebra, move || Checked {
            value: y.clone().qr().unpack(),
            len: n,
            at: |(_, r), j| real(r[(j, j)]),
        })
}

fn solution<T: Inexact>(n: usize) -> Row<f64>
where
    Cpu: Decompose<T>,
{
    let a = with_values(n, &unitary::<T>(n, 1), unitary(n, 2).as_ref(), |j| (n + j) as f64);
    let x = Mat::<T>::from_fn(n, 1, |i, _| entry((i + 1) as f64));
    let b = &a * &x;
    let (operand, right) = (tensor(&a), tensor(&b));
    let (y, z) = (dense(&a), dense(&b));
    let par = par(n);
    let mut memory = MemBuffer::new(
        StackReq::new::<usize>(n).array(2).and(
            lu::partial_pivoting::factor::lu_in_place_scratch::<usize, T>(n, n, par, Default::default())
                .or(lu::partial_pivoting::solve::solve_in_place_scratch::<usize, T>(n, 1, par)),
        ),
    );
    let mut factored = Mat::<T>::zeros(n, n);
    let (of_faer, right_of_faer) = (a.clone(), b.clone());
    let out = Checked { value: Mat::<T>::zeros(n, 1), len: n, at: |x, j| real(x[(j, 0)]) };
    Row::new(Problem::defined([n], move |i| ((i[0] + 1) as f64, n as f64 * n as f64)))
        .fresh(Library::Vierbein, move || Checked {
            value: operand.solve(&right),
            len: n,
            at: |x, j| real(x.as_slice()[j]),
        })
        .over(Library::Limit, out, move |out| {
            factored.copy_from(&a);
            out.value.copy_from(&b);
            let (mut forward, stack) = with(&mut memory).make_with(n, |_| 0usize);
            let (mut backward, stack) = stack.make_with(n, |_| 0usize);
            let (_, rows) = lu::partial_pivoting::factor::lu_in_place(
                factored.as_mut(),
                &mut forward,
                &mut backward,
                par,
                stack,
                Default::default(),
            );
            let (lu, to) = (factored.as_ref(), out.value.as_mut());
            lu::partial_pivoting::solve::solve_in_place_with_conj(lu, lu, rows, Conj::No, to, par, stack);
        })
        .fresh(Library::Faer, move || Checked {
            value: with_threads(par, || of_faer.partial_piv_lu().solve(&right_of_faer)),
            len: n,
            at: |x, j| real(x[(j, 0)]),
        })
        .fresh(Library::Nalgebra, move || Checked {
            value: y.clone().lu().solve(&z).expect("the matrix is regular"),
            len: n,
            at: |x, j| real(x[(j, 0)]),
        })
}

/// The workspace in which one thread decomposes matrices of a batch with faer.
struct Single<T> {
    memory: MemBuffer,
    u: Mat<T>,
    v: Mat<T>,
}

/// Calls `f` for each matrix of a batch and its `n` elements of `values`, to which `f` writes. Runs in parallel if the benchmark
/// uses several threads.
fn for_each<T: Inexact>(
    matrices: &[Mat<T>],
    values: &mut [T],
    n: usize,
    scratch: impl Fn() -> StackReq + Sync,
    f: impl Fn(&Mat<T>, &mut [T], &mut Single<T>) + Sync,
) {
    let start = || Single { memory: MemBuffer::new(scratch()), u: Mat::zeros(n, n), v: Mat::zeros(n, n) };
    if parallel() {
        let pairs = matrices.par_iter().zip(values.par_chunks_mut(n)).with_min_len(16);
        pairs.for_each_init(start, |single, (a, values)| f(a, values, single));
    } else {
        let mut single = start();
        matrices.iter().zip(values.chunks_mut(n)).for_each(|(a, values)| f(a, values, &mut single));
    }
}

/// Returns the results of `f` for each matrix of a batch, computed in parallel if the benchmark uses several threads.
fn collect<T: Inexact, R: Send>(matrices: &[Mat<T>], f: impl Fn(&Mat<T>) -> R + Sync + Send) -> Vec<R> {
    with_threads(Par::Seq, || match parallel() {
        true => matrices.par_iter().with_min_len(16).map(f).collect(),
        false => matrices.iter().map(f).collect(),
    })
}

const BATCH: usize = 1000;

fn batch<T: Inexact>(matrices: &[Mat<T>], n: usize) -> Tensor<T, Rank<3>> {
    Tensor::from_fn([BATCH, n, n], |[k, i, j]| matrices[k][(i, j)])
}

fn singular_batch<T: Inexact>(n: usize) -> Row<f64>
where
    Cpu: Decompose<T>,
{
    let matrices: Vec<Mat<T>> = (0..BATCH as u64)
        .map(|k| with_values(n, &unitary::<T>(n, 1 + k), unitary(n, 2000 + k).as_ref(), |j| (n - j) as f64))
        .collect();
    let x = batch(&matrices, n);
    let each = matrices.clone();
    let out = Checked { value: vec![entry::<T>(0.0); BATCH * n], len: BATCH * n, at: |s, j| real(s[j]) };
    let thin = svd::ComputeSvdVectors::Thin;
    Row::new(Problem::defined([BATCH, n], move |i| ((n - i[1]) as f64, n as f64)))
        .fresh(Library::Vierbein, move || Checked {
            value: x.svd(),
            len: BATCH * n,
            at: |svd, j| svd.s.as_slice()[j],
        })
        .fresh(Library::Faer, move || Checked {
            value: collect(&each, |a| a.thin_svd().expect("the iteration converges")),
            len: BATCH * n,
            at: |all, j| real(all[j / all[0].S().dim()].S()[j % all[0].S().dim()]),
        })
        .over(Library::Limit, out, move |out| {
            let scratch = || svd::svd_scratch::<T>(n, n, thin, thin, Par::Seq, Default::default());
            for_each(&matrices, &mut out.value, n, scratch, |a, values, Single { memory, u, v }| {
                let s = DiagMut::from_slice_mut(values).as_dyn_stride_mut();
                let (u, v) = (Some(u.as_mut()), Some(v.as_mut()));
                svd::svd(a.as_ref(), s, u, v, Par::Seq, with(memory), Default::default()).unwrap();
            });
        })
}

fn hermitian_batch<T: Inexact>(n: usize) -> Row<f64>
where
    Cpu: Decompose<T>,
{
    let matrices: Vec<Mat<T>> = (0..BATCH as u64).map(|k| with_eigenvalues(n, k)).collect();
    let x = batch(&matrices, n);
    let each = matrices.clone();
    let out = Checked { value: vec![entry::<T>(0.0); BATCH * n], len: BATCH * n, at: |w, j| real(w[j]) };
    let yes = evd::ComputeEigenvectors::Yes;
    Row::new(Problem::defined([BATCH, n], move |i| ((i[1] + 1) as f64, n as f64)))
        .fresh(Library::Vierbein, move || Checked {
            value: x.eigh(),
            len: BATCH * n,
            at: |(w, _), j| w.as_slice()[j],
        })
        .fresh(Library::Faer, move || Checked {
            value: collect(&each, |a| a.self_adjoint_eigen(Side::Lower).expect("the iteration converges")),
            len: BATCH * n,
            at: |all, j| real(all[j / all[0].S().dim()].S()[j % all[0].S().dim()]),
        })
        .over(Library::Limit, out, move |out| {
            let scratch = || evd::self_adjoint_evd_scratch::<T>(n, yes, Par::Seq, Default::default());
            for_each(&matrices, &mut out.value, n, scratch, |a, values, Single { memory, v, .. }| {
                let w = DiagMut::from_slice_mut(values).as_dyn_stride_mut();
                let v = Some(v.as_mut());
                evd::self_adjoint_evd(a.as_ref(), w, v, Par::Seq, with(memory), Default::default()).unwrap();
            });
        })
}
