//! The singular value decomposition.

use super::batch::{Batch, Results};
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
    let threads = THRESHOLDS.threads(T::COMPLEX, m.min(n));
    let batch = Batch::new("svd", a.operand, threads);
    let operations = m.saturating_mul(n).saturating_mul(m.min(n));
    let s = Results::new(s, rank);
    match vectors {
        None if s.is_empty() => Ok(()),
        None => {
            let memory = scratch::<T>(threads.par(), [m, n], None);
            batch.for_each([s.strides()], operations, &|a_k, [at_s]| {
                // SAFETY: `for_each` calls this function once for each matrix, and `at_s` is the offset of that matrix's singular values.
                // So nothing else refers to them.
                let s = unsafe { s.at(at_s) };
                one(threads.par(), memory?, s, None, a_k, a.conjugate)
            })
        }
        Some([u, vh]) => {
            let memory = scratch::<T>(threads.par(), [m, n], Some([u.shape()[rank + 1], vh.shape()[rank]]));
            let [u, vh] = [Results::new(u, rank), Results::new(vh, rank)];
            if u.is_empty() && vh.is_empty() {
                return Ok(());
            }
            batch.for_each(
                [s.strides(), u.strides(), vh.strides()],
                operations,
                &|a_k, [at_s, at_u, at_vh]| {
                    // SAFETY: `for_each` calls this function once for each matrix, and `at_s` is the offset of that matrix's singular
                    // values. So nothing else refers to them.
                    let s = unsafe { s.at(at_s) };
                    // SAFETY: `for_each` calls this function once for each matrix, and `at_u` is the offset of its result in `u`. So
                    // nothing else refers to this result.
                    let u = unsafe { u.at(at_u) };
                    // SAFETY: `for_each` calls this function once for each matrix, and `at_vh` is the offset of its result in `vh`. So
                    // nothing else refers to this result.
                    let vh = unsafe { vh.at(at_vh) };
                    one(threads.par(), memory?, s, Some([u, vh]), a_k, a.conjugate)
                },
            )
        }
    }
}

/// Returns the largest extent for which the method of Jacobi takes less time than faer (measured).
fn largest_small(complex: bool) -> usize {
    if complex { 4 } else { 6 }
}

/// The singular values, and the matrices of singular vectors.
type Outputs<'a, T> = (Output<'a, <T as Scalar>::Magnitude, Cpu>, Option<[Output<'a, T, Cpu>; 2]>);

/// Computes the thin decomposition of a small matrix by the Jacobi method, and returns `None`. If the method has no result,
/// returns the outputs, to which nothing has been written, so that the caller can use another method.
fn small<'a, T: Field>(
    s: Output<'a, T::Magnitude, Cpu>,
    vectors: Option<[Output<'a, T, Cpu>; 2]>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<Option<Outputs<'a, T>>, Failure> {
    let [m, n] = [a.shape()[0], a.shape()[1]];
    let (k, wide) = (m.min(n), m < n);
    let memory = request::<T>(&[[m.max(n), k], [k, k]]).and(StackReq::new::<T::Magnitude>(k));
    with_stack(memory, |stack| {
        let (mut left, stack) = take::<T>([m.max(n), k], stack);
        let (mut right, stack) = take::<T>([k, k], stack);
        let (mut s_copy, _) = stack.make_with(k, |_| T::real_part_impl(&T::zero_impl()));
        let (mut left, mut right) = (left.as_mat_mut(), right.as_mat_mut());
        if wide {
            // The decomposition of aᴴ is v · s · uᴴ.
            let (shape, strides) = ([n, m], [a.strides()[1], a.strides()[0]]);
            load(left.as_mut(), a.with_axes(Axes::new(&shape, &strides), 0), !conjugated);
        } else {
            load(left.as_mut(), a, conjugated);
        }
        let scale = normalise(left.as_mut(), Used::All)?;
        if !jacobi::svd(left.as_mut(), right.as_mut(), &mut s_copy) {
            return Ok(Some((s, vectors)));
        }
        scale.scale_real(&mut s_copy);
        store_vector(s, &s_copy);
        if let Some([u, vh]) = vectors {
            let (mut to_u, mut to_v) = if wide { (right, left) } else { (left, right) };
            for j in 0..k {
                let by = gauge::fix(to_u.as_mut(), j);
                gauge::turn(to_v.as_mut(), j, by);
            }
            store(u, to_u.as_ref());
            conjugate(to_v.as_mut());
            store(vh, to_v.as_ref().transpose());
        }
        Ok(None)
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
    /// less time (measured for 128 to 1000 columns).
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

/// Decomposes one matrix.
fn one<T: Field>(
    par: Par,
    memory: StackReq,
    s: Output<'_, T::Magnitude, Cpu>,
    vectors: Option<[Output<'_, T, Cpu>; 2]>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<(), Failure> {
    let [m, n] = [a.shape()[0], a.shape()[1]];
    let k = m.min(n);
    // The numbers of left and right singular vectors to compute.
    let [p, q] = vectors.as_ref().map_or([0, 0], |[u, vh]| [u.shape()[1], vh.shape()[0]]);
    let (s, vectors) = if k <= largest_small(T::COMPLEX) && m.max(n) <= 4 * k && p.max(q) <= k {
        match small(s, vectors, a, conjugated)? {
            None => return Ok(()),
            Some(outputs) => outputs,
        }
    } else {
        (s, vectors)
    };
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
