//! Eigenpairs of operators that need not be Hermitian: the Krylov–Schur method.
//!
//! G. Stewart, SIAM J. Matrix Anal. Appl. 23, 601 (2002). A restart keeps a space that is invariant under the projected operator. Any
//! orthonormal basis of that space can be kept: the projected matrix stores all coefficients of the orthogonalisation, so it need not have
//! Hessenberg form.

use super::basis::Basis;
use super::lanczos::check_start;
use super::methods::methods;
use super::operator::{Operator, given, on_vectors};
use super::options::{End, Krylov, not_converged};
use super::projected::Small;
use super::schur::leading;
use super::vector::{Vector, divide, modulus, norm as norm_of, random, shaped, zeros};
use crate::device::family::decompose::LinalgElement;
use crate::device::{Backend, Device};
use crate::element::{CastTo, Element, Scalar};
use crate::error::Error;
use crate::ops::decompose::balance::scaled;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use core::cmp::Ordering;
use num_traits::{Float, One, Zero};

/// Complex eigenvalues and eigenvectors: the result of [`eigs`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ComplexEigenpairs<T: LinalgElement, D: Dim, O: Order, Dev: Device> {
    /// The eigenvalues: the lowest, the highest or the largest one first.
    pub values: Vec<T::Complex>,
    /// The right eigenvectors, of norm 1, in the order of the eigenvalues. Each is determined up to a phase.
    pub vectors: Vec<Tensor<T::Complex, D, O, Dev>>,
    /// The norms of the residuals `A·x − λ·x`.
    pub residuals: Vec<T::Magnitude>,
    /// The number of applications of the operator.
    pub applications: usize,
    /// Whether all residuals are within the tolerance.
    pub converged: bool,
}

methods! {
    /// Computes a few eigenvalues and right eigenvectors of any operator that is given as a closure: those with the largest moduli, or with
    /// the lowest or highest real parts.
    ///
    /// The closure gets a view of a tensor with the shape of `start`, and returns the operator times this tensor, of the same shape. Rank,
    /// memory order and device are arbitrary. The operator can be real; eigenvalues and eigenvectors are complex. For Hermitian operators,
    /// [`lanczos`](super::lanczos) needs less time and is more accurate.
    ///
    /// * **Choice.** [`Krylov::largest`] requests the eigenvalues of largest modulus, [`Krylov::lowest`] and [`Krylov::highest`] those with
    ///   the lowest and highest real parts. For eigenvalues near a number `σ`, pass the inverse of `A − σ`, which has the same
    ///   eigenvectors and the eigenvalues `1 / (λ − σ)`.
    /// * **Conjugate pairs.** A real operator has complex eigenvalues in conjugate pairs. In each pair, the eigenvalue with a positive
    ///   imaginary part is first. If only one eigenvalue of a pair fits in the requested number, the result does not contain the other.
    /// * **Start, equal eigenvalues, limits.** As in [`lanczos`](super::lanczos).
    /// * **Accuracy.** The error of an eigenvalue is about the norm of its residual times its condition number, which is large if the
    ///   eigenvectors are almost linearly dependent.
    ///
    /// # Errors
    /// * [`Error::IterationLimit`] if the eigenpairs have not converged.
    /// * [`Error::Argument`] if `start` is zero or not finite, or if the requested number of eigenpairs or of basis vectors is not
    ///   possible.
    /// * [`Error::Argument`] if the operator returns another shape, or an element that is NaN or infinite.
    /// * [`Error::OutOfMemory`], or the error of the device.
    ///
    /// ```
    /// use vierbein::linalg::{Krylov, eigs};
    /// use vierbein::prelude::*;
    /// // A random walk on a ring of 50 nodes, which goes forward with probability 0.9. Its eigenvalues are 0.9·ω + 0.1·conj(ω), where
    /// // ω are the roots of unity.
    /// let walk = |x: TensorView<f64, Rank<1>>| 0.9 * x.roll(0, 1) + 0.1 * x.roll(0, -1);
    /// let start = Tensor::from_fn([50], |[k]| (k * k % 17) as f64);
    /// let found = eigs(walk, &start, Krylov::highest(3))?;
    /// let angle = std::f64::consts::TAU / 50.0;
    /// let expected = [Complex::new(1.0, 0.0), Complex::new(angle.cos(), 0.8 * angle.sin())];
    /// assert!((found.values[0] - expected[0]).norm() < 1e-9);
    /// assert!((found.values[1] - expected[1]).norm() < 1e-9);
    /// assert!((found.values[2] - expected[1].conj()).norm() < 1e-9);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    eigs, try_eigs, eigs_into
        (apply(); start: &Tensor<T, D, O, Dev>, how: Krylov) -> ComplexEigenpairs<T, D, O, Dev>
        where Dev: Backend<T::Complex>
    {
        const OP: &str = "find eigenpairs by `eigs`";
        let shape = start.shape();
        let (first, norm) = given(OP, "the start tensor", start)?;
        let mut apply = on_vectors(OP, "operator", shape, apply);
        let mut operator = Operator::new(OP, how.limits.max_applications, &mut apply);
        let (basis, ritz) = pairs(&mut operator, first, norm, &how)?;
        let vectors = ritz.vectors.iter().map(|y| Ok(shaped(complex_combination(&basis, y)?, shape)));
        Ok(ComplexEigenpairs {
            vectors: vectors.collect::<Result<_, Error>>()?,
            values: ritz.values.iter().map(|&x| scaled(x, operator.exponent())).collect(),
            residuals: ritz.residuals.iter().map(|&x| scaled(x, operator.exponent())).collect(),
            applications: operator.applications,
            converged: ritz.converged,
        })
    }
}

/// Eigenpairs of the projected operator: either all of them, sorted so that the requested ones are first, or only the requested ones.
struct Ritz<T: LinalgElement> {
    values: Vec<T::Complex>,
    /// For each eigenvector, the vector of its coefficients in the basis of the Krylov space. This vector has norm 1.
    vectors: Vec<Vec<T::Complex>>,
    residuals: Vec<T::Magnitude>,
    converged: bool,
}

impl<T: LinalgElement> Ritz<T> {
    /// Returns all eigenpairs of the projected operator `h`. `rest` is the norm of the part of `A·v` outside of the Krylov space, where
    /// `v` is the last basis vector.
    fn new(h: &Small<T>, rest: T::Magnitude, end: End) -> Result<Self, Error> {
        let (w, v) = h.try_eig()?;
        let len = w.len();
        let key = |j: &usize| {
            let value: T::Complex = w[[*j]];
            end.key(real(value), modulus(value))
        };
        let mut order: Vec<usize> = (0..len).collect();
        // The sort is stable, so conjugate eigenvalues remain adjacent.
        order.sort_by(|i, j| key(i).partial_cmp(&key(j)).unwrap_or(Ordering::Equal));
        Ok(Ritz {
            values: order.iter().map(|&j| w[[j]]).collect(),
            vectors: order.iter().map(|&j| (0..len).map(|i| v[[i, j]]).collect()).collect(),
            residuals: order.iter().map(|&j| rest * modulus(v[[len - 1, j]])).collect(),
            converged: false,
        })
    }
}

/// Returns the real part.
fn real<C: LinalgElement>(x: C) -> C::Magnitude {
    x.re().cast_to()
}

/// Computes eigenpairs, beginning with the vector `start` of norm `norm`.
fn pairs<T: LinalgElement, Dev: Backend<T>>(
    operator: &mut Operator<'_, T, Dev>,
    start: Vector<T, Dev>,
    norm: T::Magnitude,
    how: &Krylov,
) -> Result<(Basis<T, Dev>, Ritz<T>), Error> {
    let (op, n, device) = (operator.op, start.len(), start.device().clone());
    let capacity = how.vectors(op, n)?;
    let tolerance: T::Magnitude = how.limits.checked_tolerance(op)?;
    check_start::<T>(op, norm)?;
    how.check_applications(op)?;
    let epsilon = T::Magnitude::epsilon();
    let mut basis = Basis::new(capacity, n, &device)?;
    let mut projected = Small::<T>::try_zeros([capacity, capacity])?;
    // A lower bound of the operator's norm.
    let mut scale = T::Magnitude::zero();
    let mut v = start;
    divide(&mut v, norm)?;
    let mut spare = zeros(n, &device)?;
    let mut restarts = 0;
    loop {
        basis.push(&v)?;
        let [last, mut w] = operator.apply([v, spare])?;
        spare = last;
        let (column, rest) = basis.orthogonalise(&mut w)?;
        let size = column.iter().fold(rest, |size, h| Float::hypot(size, modulus(*h)));
        operator.check_finite(size)?;
        scale = Float::max(scale, size);
        let len = basis.len();
        column.iter().enumerate().for_each(|(i, &h)| projected[[i, len - 1]] = h);

        // Whether the basis spans an invariant subspace.
        let invariant = len == n || rest <= T::Magnitude::from_f64(10.0) * epsilon * scale;
        let exhausted = operator.has_less_than(1);
        let full = len == capacity;
        // The row of the projected operator that couples the next vector to the kept ones after a restart.
        let mut below = Vec::new();
        // The norm of `w`.
        let mut size = rest;
        if len >= how.count && (invariant || full || exhausted || len.is_multiple_of((len / 4).max(1))) {
            let h = projected.try_slice(crate::s![..len, ..len])?.try_to_owned()?;
            let mut ritz = Ritz::new(&h, rest, how.end)?;
            let of_count =
                |x: &[T::Magnitude]| x[..how.count].iter().copied().fold(T::Magnitude::zero(), Float::max);
            let worst = of_count(&ritz.residuals);
            let largest =
                ritz.values.iter().fold(T::Magnitude::zero(), |x, &value| Float::max(x, modulus(value)));
            // Rounding errors keep the residuals above about `epsilon` times the operator's norm. All eigenvalues can be much smaller than
            // that norm, so `tolerance * largest` alone may never be reached.
            ritz.converged = invariant || worst <= Float::max(tolerance * largest, epsilon * scale);
            if ritz.converged || exhausted {
                if !ritz.converged && !how.limits.accept_unconverged {
                    return Err(not_converged(op, operator.applications, worst / largest, tolerance));
                }
                ritz.values.truncate(how.count);
                ritz.vectors.truncate(how.count);
                ritz.residuals.truncate(how.count);
                return Ok((basis, ritz));
            }
            if full {
                projected.fill(T::zero());
                // Vectors in addition to the requested ones make the convergence faster. With the same number in each restart, the
                // iteration can repeat itself: M. Embree, SIAM J. Matrix Anal. Appl. 31, 1 (2009).
                restarts += 1;
                let kept = how.count + (capacity - how.count) / (2 + restarts % 2);
                if let Some((q, kept)) = kept_space(&h, &ritz.values, kept)? {
                    let dimension = q.shape()[1];
                    basis.rotate(&q, dimension)?;
                    projected.try_slice_mut(crate::s![..dimension, ..dimension])?.try_assign(&kept)?;
                    let rest = T::from_magnitude(rest);
                    below = (0..dimension).map(|j| rest * q[[len - 1, j]]).collect();
                } else {
                    // There is no invariant space to keep, up to rounding errors: restart with the sum of the requested eigenvectors.
                    let weights: Vec<T> = (0..len)
                        .map(|j| {
                            let sum = |sum: T::Complex, y: &Vec<T::Complex>| sum + y[j];
                            T::from_complex(ritz.vectors[..how.count].iter().fold(T::Complex::zero(), sum))
                        })
                        .collect();
                    w = basis.combine(&weights)?;
                    size = norm_of(&w)?;
                    basis.clear();
                }
            }
        }
        if invariant {
            // The basis can be continued with any vector outside of the invariant subspace. Take a random one.
            w = random(n, len as u64, &device)?;
            let (_, rest) = basis.orthogonalise(&mut w)?;
            divide(&mut w, rest)?;
        } else {
            divide(&mut w, size)?;
            let row = basis.len();
            if !full && row > 0 {
                projected[[row, row - 1]] = T::from_magnitude(rest);
            }
            below.iter().enumerate().for_each(|(j, &h)| projected[[row, j]] = h);
        }
        v = w;
    }
}

/// Returns an orthonormal basis of an invariant space of the projected operator `h`, and the operator in this basis. The space belongs to
/// the first eigenvalues in `values`, about `kept` of them. Returns `None` if there is no such space up to rounding errors.
#[allow(clippy::type_complexity, reason = "two matrices")]
fn kept_space<T: LinalgElement>(
    h: &Small<T>,
    values: &[T::Complex],
    kept: usize,
) -> Result<Option<(Small<T>, Small<T>)>, Error> {
    let len = values.len();
    // An invariant space of a real matrix belongs to both eigenvalues of a conjugate pair, or to neither.
    let splits = |kept: usize| {
        let [last, next] = [values[kept - 1], values[kept]];
        h_is_real::<T>() && last == next.conj() && last != next
    };
    for kept in [kept, kept + 1, kept - 1, kept.saturating_sub(2)] {
        if (1..len).contains(&kept)
            && !splits(kept)
            && let Some(found) = leading(h, &values[..kept])?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns whether elements of the type are real numbers.
fn h_is_real<T: LinalgElement>() -> bool {
    T::DTYPE != <T::Complex as Element>::DTYPE
}

/// Returns a linear combination of the basis with complex weights.
fn complex_combination<T: LinalgElement, Dev: Backend<T> + Backend<T::Complex>>(
    basis: &Basis<T, Dev>,
    weights: &[T::Complex],
) -> Result<Vector<T::Complex, Dev>, Error> {
    let part = |part: fn(T::Complex) -> T::Magnitude| {
        let weights: Vec<T> = weights.iter().map(|&y| T::from_magnitude(part(y))).collect();
        basis.combine(&weights)?.try_cast::<T::Complex>()
    };
    let mut sum = part(|y| y.re().cast_to())?;
    let unit = T::complex(T::Magnitude::zero(), T::Magnitude::one());
    sum.try_add_scaled(unit, &part(|y| y.im().cast_to())?)?;
    Ok(sum)
}
