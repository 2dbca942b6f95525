//! The singular value decomposition.

use super::batch::{Matrix, MatrixBatch, Results, SmallMethod, assert_extents};
use super::lanes::{self, Lanes, in_lanes};
use super::parallel::Thresholds;
use super::scale::{Used, normalise};
use super::workspace::{
    check_extents, column, conjugate, load, request, store, store_vector, take, take_loaded, with_stack,
};
use super::{Failure, Field, gauge, jacobi, residual};
use crate::device::cpu::Cpu;
use crate::device::{MatrixOperand, Operand, Output};
use crate::element::Scalar;
use crate::error::Error;
use crate::layout::axes::Axes;
use faer::diag::DiagMut;
use faer::dyn_stack::StackReq;
use faer::linalg::svd::{ComputeSvdVectors, SvdParams, svd as faer_svd, svd_scratch};
use faer::mat::AsMatMut;
use faer::{Auto, Par, Spec};

const THRESHOLDS: Thresholds = Thresholds { real: 128, complex: 128 };

/// Computes [`Decompose::svd`](crate::device::Decompose::svd).
pub(in crate::device) fn svd<T: Field>(
    s: Output<'_, T::Magnitude, Cpu>,
    vectors: Option<[Output<'_, T, Cpu>; 2]>,
    a: MatrixOperand<'_, T, Cpu>,
) -> Result<(), Error> {
    let rank = a.operand.shape().len() - 2;
    let [m, n] = [a.operand.shape()[rank], a.operand.shape()[rank + 1]];
    let k = m.min(n);
    assert_extents(&s, &a.operand, &[k]);
    if let Some([u, vh]) = &vectors {
        // The vectors of the thin decomposition, or of the full one.
        let p = u.shape().last().filter(|&&p| p == k || p == m);
        let q = vh.shape().get(rank).filter(|&&q| q == k || q == n);
        assert_extents(u, &a.operand, &[m, *p.unwrap_or(&k)]);
        assert_extents(vh, &a.operand, &[*q.unwrap_or(&k), n]);
    }
    let threads = THRESHOLDS.threads(T::COMPLEX, k);
    let batch = MatrixBatch::new("svd", a.operand, threads);
    let operations = m.saturating_mul(n).saturating_mul(k);
    // The numbers of left and right singular vectors to compute.
    let counts = vectors.as_ref().map(|[u, vh]| [u.shape()[rank + 1], vh.shape()[rank]]);
    let s = Results::new(s, rank);
    let vectors = vectors.map(|vectors| vectors.map(|vectors| Results::new(vectors, rank)));
    if s.is_empty() && vectors.iter().flatten().all(Results::is_empty) {
        return Ok(());
    }
    // If there are no outputs for vectors, their offsets are not used.
    let [of_u, of_vh] = vectors.as_ref().map_or([s.strides(); 2], |[u, vh]| [u.strides(), vh.strides()]);
    let outputs = |[at_s, at_u, at_vh]: [isize; 3]| {
        // SAFETY: the batch passes the offsets of each matrix's results to one call, and that call uses them once.
        let s = unsafe { s.at(at_s) };
        let vectors = vectors.as_ref().map(|[u, vh]| {
            // SAFETY: as for `s`.
            let u = unsafe { u.at(at_u) };
            // SAFETY: as for `s`.
            [u, unsafe { vh.at(at_vh) }]
        });
        (s, vectors)
    };
    let memory = scratch::<T>(threads.par(), [m, n], counts);
    // The method of Jacobi computes the thin decomposition. For long matrices, it takes more time than faer.
    let thin = counts.is_none_or(|[p, q]| p.max(q) <= k);
    let method = if thin && m.max(n) <= 4 * k && m.max(n) * k <= MAX_SMALL_ELEMENTS {
        SmallMethod::new::<T>(largest_small(T::COMPLEX), k, batch.count())
    } else {
        SmallMethod::None
    };
    batch.for_each_small(
        [s.strides(), of_u, of_vh],
        operations,
        method,
        &|matrices, done| {
            in_lanes!(
                matrices.len() == 1,
                small::<T>(matrices, done, &outputs, vectors.is_some(), a.conjugate)
            )
        },
        &|a_k, to| one(threads.par(), memory?, outputs(to), a_k, a.conjugate),
    )
}

/// Returns the largest extent for which the method of Jacobi takes less time than faer. Chosen by the rows `svd` of
/// `benches/peers/src/rows/linalg.rs`.
fn largest_small(complex: bool) -> usize {
    if complex { 4 } else { 6 }
}

/// The largest number of elements for which the method of Jacobi is used.
const MAX_SMALL_ELEMENTS: usize = 1024;

/// The outputs for the singular values and the matrices of singular vectors.
type Outputs<'a, T> = (Output<'a, <T as Scalar>::Magnitude, Cpu>, Option<[Output<'a, T, Cpu>; 2]>);

/// Computes the thin decompositions of at most `L` small matrices by the method of Jacobi. Sets the `bool` of each matrix
/// whose results are written. They are not if the matrix has an element that is not finite, or if the method has no result.
fn small<'a, T: Field, const P: usize, const L: usize>(
    matrices: &[Matrix<'_, T, 3>],
    done: &mut [bool],
    outputs: &impl Fn([isize; 3]) -> Outputs<'a, T>,
    vectors: bool,
    conjugated: bool,
) -> Result<(), Failure> {
    let [m, n] = [matrices[0].0.shape()[0], matrices[0].0.shape()[1]];
    let (rows, columns, wide) = (m.max(n), m.min(n), m < n);
    let of_v = if vectors { columns * columns } else { 0 };
    let memory = request::<T>(&[[rows, columns], [columns, columns]])
        .and(StackReq::new::<Lanes<T::Magnitude, P, L>>(rows * columns))
        .and(StackReq::new::<Lanes<T::Magnitude, P, L>>(of_v))
        .and(StackReq::new::<[T::Magnitude; L]>(columns))
        .and(StackReq::new::<T::Magnitude>(columns));
    with_stack(memory, |stack| {
        let zero = T::real_part_impl(&T::zero_impl());
        let (mut left, stack) = take::<T>([rows, columns], stack);
        let (mut right, stack) = take::<T>([columns, columns], stack);
        let (mut u, stack) = stack.make_with(rows * columns, |_| Lanes::<_, P, L>::zero());
        let (mut v, stack) = stack.make_with(of_v, |_| Lanes::<_, P, L>::zero());
        let (mut s, stack) = stack.make_with(columns, |_| [zero; L]);
        let (mut s_copy, _) = stack.make_with(columns, |_| zero);
        let (mut left, mut right) = (left.as_mat_mut(), right.as_mat_mut());
        let mut scales = [None; L];
        for (k, (a, _)) in matrices.iter().enumerate() {
            if wide {
                // The decomposition of aᴴ is v · s · uᴴ.
                let (shape, strides) = ([n, m], [a.strides()[1], a.strides()[0]]);
                load(left.as_mut(), a.with_axes(Axes::new(&shape, &strides), 0), !conjugated);
            } else {
                load(left.as_mut(), *a, conjugated);
            }
            scales[k] = normalise(left.as_mut(), Used::All).ok();
            // The lane of a matrix with an element that is not finite is 0.
            if scales[k].is_some() {
                lanes::scatter(left.as_mut(), k, &mut u);
            }
        }
        let valid = jacobi::svd::<_, P, L>(&mut u, &mut v, &mut s);
        for (k, &(_, to)) in matrices.iter().enumerate() {
            let Some(scale) = scales[k].filter(|_| valid[k]) else { continue };
            done[k] = true;
            s_copy.iter_mut().zip(&*s).for_each(|(to, s)| *to = s[k]);
            lanes::gather(left.as_mut(), k, &u);
            lanes::gather(right.as_mut(), k, &v);
            jacobi::sort(&mut s_copy, [left.as_mut(), right.as_mut()], |x, y| x > y);
            scale.scale_real(&mut s_copy);
            let (s, vectors) = outputs(to);
            store_vector(s, &s_copy);
            if let Some([u, vh]) = vectors {
                let (mut to_u, mut to_v) =
                    if wide { (right.as_mut(), left.as_mut()) } else { (left.as_mut(), right.as_mut()) };
                for j in 0..columns {
                    let by = gauge::fix(to_u.as_mut(), j);
                    gauge::turn(to_v.as_mut(), j, by);
                }
                store(u, to_u.as_ref());
                conjugate(to_v.as_mut());
                store(vh, to_v.as_ref().transpose());
            }
        }
        Ok(())
    })
}

/// The smallest number of singular values for which faer chooses divide and conquer.
const DIVISIBLE: usize = 128;

/// How faer decomposes the bidiagonal matrix.
#[derive(Clone, Copy)]
enum Method {
    /// By divide and conquer.
    DivideAndConquer,
    /// By QR iterations.
    Qr,
}

impl Method {
    /// Returns the methods to try, in this order, until the result is correct. For singular values without vectors, QR iterations take
    /// less time.
    ///
    /// faer's divide and conquer (version 0.24) is wrong for some matrices with multiple singular values. If the secular function is 1
    /// except for rounding errors at both ends of the interval that contains a root, the root finder returns one of these ends.
    fn to_try(k: usize, vectors: bool) -> &'static [Method] {
        if vectors && k >= DIVISIBLE { &[Method::DivideAndConquer, Method::Qr] } else { &[Method::Qr] }
    }

    /// Returns faer's parameters.
    fn parameters<T: Field>(self) -> Spec<SvdParams, T> {
        let recursion_threshold = match self {
            Method::DivideAndConquer => DIVISIBLE,
            Method::Qr => usize::MAX,
        };
        SvdParams { recursion_threshold, ..<SvdParams as Auto<T>>::auto() }.into()
    }
}

/// Returns the workspace that [`one`] needs for a matrix. `vectors` contains the numbers of left and of right singular vectors, or is
/// `None` if no vectors are computed.
fn scratch<T: Field>(par: Par, [m, n]: [usize; 2], vectors: Option<[usize; 2]>) -> Result<StackReq, Failure> {
    let (k, [p, q]) = (m.min(n), vectors.unwrap_or([0, 0]));
    check_extents::<T>([m.max(q), n.max(p)])?;
    let which = match vectors {
        None => ComputeSvdVectors::No,
        Some([p, q]) if p == k && q == k => ComputeSvdVectors::Thin,
        Some(_) => ComputeSvdVectors::Full,
    };
    let of_methods = Method::to_try(k, vectors.is_some())
        .iter()
        .map(|method| svd_scratch::<T>(m, n, which, which, par, method.parameters()))
        .fold(residual::scratch::<T>([m, n]), StackReq::or);
    Ok(request::<T>(&[[m, n], [k, 1], [m, p], [n, q]]).and(StackReq::new::<T::Magnitude>(k)).and(of_methods))
}

/// Decomposes one matrix by faer.
fn one<T: Field>(
    par: Par,
    memory: StackReq,
    (s, vectors): Outputs<'_, T>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<(), Failure> {
    let [m, n] = [a.shape()[0], a.shape()[1]];
    let k = m.min(n);
    // The numbers of left and right singular vectors to compute.
    let [p, q] = vectors.as_ref().map_or([0, 0], |[u, vh]| [u.shape()[1], vh.shape()[0]]);
    with_stack(memory, |stack| {
        let (mut a_copy, stack) = take_loaded(a, conjugated, stack);
        let (mut values, stack) = take::<T>([k, 1], stack);
        let (mut u_copy, stack) = take::<T>([m, p], stack);
        let (mut v_copy, stack) = take::<T>([n, q], stack);
        let (mut s_copy, stack) = stack.make_with(k, |_| T::real_part_impl(&T::zero_impl()));
        let (mut a_copy, mut values) = (a_copy.as_mat_mut(), values.as_mat_mut());
        let (mut u_copy, mut v_copy) = (u_copy.as_mat_mut(), v_copy.as_mat_mut());
        let scale = normalise(a_copy.as_mut(), Used::All)?;
        let to = &mut *s_copy;
        for &method in Method::to_try(k, vectors.is_some()) {
            let diagonal = DiagMut::from_slice_mut(column(values.as_mut(), 0)).as_dyn_stride_mut();
            let (to_u, to_v) = match vectors {
                None => (None, None),
                Some(_) => (Some(u_copy.as_mut()), Some(v_copy.as_mut())),
            };
            let converged = faer_svd(a_copy.as_ref(), diagonal, to_u, to_v, par, stack, method.parameters());
            for (to, value) in to.iter_mut().zip(column(values.as_mut(), 0)) {
                *to = T::real_part_impl(value);
            }
            match method {
                Method::Qr => converged.map_err(|_| Failure::NotConverged)?,
                Method::DivideAndConquer => {
                    let vectors = [u_copy.as_ref(), v_copy.as_ref()];
                    if converged.is_ok() && residual::is_svd(a_copy.as_ref(), vectors, to, stack) {
                        break;
                    }
                }
            }
        }
        scale.scale_real(to);
        let Some([u, vh]) = vectors else {
            store_vector(s, to);
            return Ok(());
        };
        for j in 0..p {
            let by = gauge::fix(u_copy.as_mut(), j);
            // `u · s · vᴴ` does not change if column `j` of `u` and column `j` of `v` are multiplied by the same factor of magnitude 1.
            if j < k {
                gauge::turn(v_copy.as_mut(), j, by);
            }
        }
        let zero = T::real_part_impl(&T::zero_impl());
        let free = (0..q).filter(|&j| j >= k || to[j] == zero);
        free.for_each(|j| _ = gauge::fix(v_copy.as_mut(), j));
        store_vector(s, to);
        store(u, u_copy.as_ref());
        conjugate(v_copy.as_mut());
        store(vh, v_copy.as_ref().transpose());
        Ok(())
    })
}
