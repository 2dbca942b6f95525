//! The product of a matrix exponential and a tensor, by the method of Y. Saad, SIAM J. Numer. Anal. 29, 209 (1992).

use super::basis::Basis;
use super::methods::methods;
use super::operator::{Operator, given, on_vectors};
use super::options::{Iteration, not_converged};
use super::projected::Small;
use super::vector::{Vector, divide, modulus, norm, scale, shaped, zeros};
use crate::device::family::decompose::LinalgElement;
use crate::device::{Backend, Device};
use crate::element::Scalar;
use crate::error::Error;
use crate::ops::decompose::balance::scaled;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use num_traits::{Float, One, Zero};

/// The largest 1-norm of a projected operator whose exponential is computed. The exponential then does not overflow, even in `f32`.
const LARGEST_EXPONENT: f64 = 60.0;

/// An exponential times a tensor: the result of [`expm_multiply`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Exponential<T: Scalar, D: Dim, O: Order, Dev: Device> {
    /// `exp(t·A)·start`.
    pub x: Tensor<T, D, O, Dev>,
    /// An estimate of the error: the sum of the estimates of all time steps, each relative to the norm of the tensor at this step.
    pub error: T::Magnitude,
    /// The number of applications of the operator.
    pub applications: usize,
    /// Whether the estimate is within the tolerance.
    pub converged: bool,
}

methods! {
    /// Computes `exp(t·A)·start` for any operator `A` that is given as a closure, without computing the exponential of the operator itself.
    ///
    /// The operator gets a view of a tensor with the shape of `start`, and returns the operator times this tensor, of the same shape. Rank,
    /// memory order and device are arbitrary. For the evolution of a quantum state by the time `τ` under a Hamiltonian `A`, pass
    /// `t = −i·τ`.
    ///
    /// The method projects the operator on a Krylov space of at most [`Iteration::basis`] vectors, and computes the exponential of the
    /// projection. If the estimated error is too large, it divides `t` into steps. [`Iteration::tolerance`] limits the sum of the estimates
    /// of all steps, each relative to the norm of the tensor at this step. If the limit of applications is reached first, the method
    /// returns an error, or with [`Iteration::accept_unconverged`] a result that is less accurate than the tolerance.
    ///
    /// # Errors
    /// * [`Error::IterationLimit`] if the tolerance is not reached within [`Iteration::max_applications`].
    /// * [`Error::Argument`] if `t` or `start` is not finite, if the operator returns another shape or an element that is NaN or infinite,
    ///   or if the result overflows.
    /// * [`Error::OutOfMemory`], or the error of the device.
    ///
    /// ```
    /// use vierbein::linalg::{Iteration, expm_multiply};
    /// use vierbein::tensor;
    /// // A rotation by the angle 0.5.
    /// let generator = tensor![[0.0, -1.0], [1.0, 0.0]];
    /// let rotated = expm_multiply(|x| generator.matmul(&x), 0.5, &tensor![2.0, 0.0], Iteration::new())?;
    /// assert!(rotated.x.all_close(&tensor![2.0 * 0.5f64.cos(), 2.0 * 0.5f64.sin()], 1e-14, 0.0));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    expm_multiply, try_expm_multiply, expm_multiply_into(apply(); t: T, start: &Tensor<T, D, O, Dev>, how: Iteration) -> Exponential<T, D, O, Dev> {
        const OP: &str = "expm_multiply";
        let shape = start.shape();
        let tolerance = how.checked_tolerance(OP)?;
        let vectors = how.vectors(OP, start.len())?;
        if !t.all_finite() {
            return Err(Error::Argument {
                op: OP,
                reason: format!("the factor `t` is {t:?}; use a finite number"),
            });
        }
        let (mut x, mut size) = given(OP, "the start tensor", start)?;
        let mut apply = on_vectors(OP, "operator", shape, apply);
        let mut operator = Operator::new(OP, how.max_applications, &mut apply);
        let (zero, one) = (T::Magnitude::zero(), T::Magnitude::one());
        let (mut done, mut error) = (zero, zero);
        while done < one && !size.is_zero() && !t.is_zero() {
            if operator.has_less_than(1) {
                // No application is left, so there is not even an inaccurate result for the rest of the interval.
                return Err(not_converged(OP, operator.applications, one - done, tolerance));
            }
            divide(&mut x, size)?;
            let step = step(&mut operator, x, t, one - done, tolerance, vectors)?;
            error += step.error;
            if step.error > tolerance * step.share && !how.accept_unconverged {
                return Err(not_converged(OP, operator.applications, step.error / step.share, tolerance));
            }
            done = if step.share == one - done { one } else { done + step.share };
            x = step.x;
            scale(&mut x, size)?;
            size = norm(&x)?;
            if !Float::is_finite(size) {
                return Err(Error::Argument { op: OP, reason: "the result overflows; use a smaller `t`".into() });
            }
        }
        Ok(Exponential {
            x: shaped(x, shape),
            error,
            applications: operator.applications,
            converged: error <= tolerance,
        })
    }
}

/// A time step: the tensor after it, its share of the whole time interval, and its estimated error.
struct TimeStep<T: LinalgElement, Dev: Device> {
    x: Vector<T, Dev>,
    share: T::Magnitude,
    error: T::Magnitude,
}

/// Performs a time step from a vector of norm 1, over at most the share `rest` of the whole time interval.
fn step<T: LinalgElement, Dev: Backend<T>>(
    operator: &mut Operator<'_, T, Dev>,
    x: Vector<T, Dev>,
    t: T,
    rest: T::Magnitude,
    tolerance: T::Magnitude,
    vectors: usize,
) -> Result<TimeStep<T, Dev>, Error> {
    let n = x.len();
    let mut basis = Basis::new(vectors + 1, n, x.device())?;
    basis.push(&x)?;
    let mut spare = zeros(n, x.device())?;
    let mut v = x;
    // The operator, projected onto the Krylov space of at most `vectors` dimensions. In the additional row, one element
    // is the norm of the part of the operator's last product that is outside of this space. The additional column makes the matrix square.
    let mut projected = Small::<T>::try_zeros([vectors + 1, vectors + 1])?;
    let mut scale = T::Magnitude::zero();
    loop {
        let [last, mut w] = operator.apply([v, spare])?;
        spare = last;
        let (column, outside) = basis.orthogonalise(&mut w)?;
        let size = column.iter().fold(outside, |size, &h| Float::hypot(size, modulus(h)));
        operator.check_finite(size)?;
        scale = Float::max(scale, size);
        let len = basis.len();
        column.iter().enumerate().for_each(|(i, &h)| projected[[i, len - 1]] = h);
        let invariant = len == n || outside <= T::Magnitude::from_f64(10.0) * T::Magnitude::epsilon() * scale;
        let last = invariant || len == vectors || operator.has_less_than(1);
        if !invariant {
            projected[[len, len - 1]] = T::from_magnitude(outside);
            divide(&mut w, outside)?;
            basis.push(&w)?;
        }
        if last || len.is_multiple_of(4) {
            let dimension = basis.len();
            let factor = scaled(t, operator.exponent());
            if !factor.all_finite() {
                let reason = "`t` times the operator exceeds the range of its type; use a smaller `t`".into();
                return Err(Error::Argument { op: operator.op, reason });
            }
            let exponent = projected.try_slice(crate::s![..dimension, ..dimension])? * factor;
            let largest = largest_share::<T>(&exponent, rest);
            let mut share = largest;
            loop {
                let weights =
                    exponential(&(&exponent * T::from_magnitude(share)))?.try_index_axis(1, 0)?.to_vec();
                let error = if invariant { T::Magnitude::zero() } else { modulus(weights[dimension - 1]) };
                let accepted = error <= tolerance * share;
                // The Krylov space is enlarged before the step is shortened. If no applications are left, the step is returned even if its
                // error is too large: a shorter step would require another step, which needs applications.
                if accepted && (last || share == rest) || last && operator.has_less_than(1) {
                    return Ok(TimeStep { x: basis.combine(&weights)?, share, error });
                }
                if !last {
                    break;
                }
                share *= T::Magnitude::from_f64(0.5);
                if share <= T::Magnitude::epsilon() {
                    return Ok(TimeStep { x: basis.combine(&weights)?, share, error });
                }
            }
        }
        v = w;
    }
}

/// Returns the largest share of the time interval, at most `rest`, for which the exponential of `share · exponent` does not overflow.
fn largest_share<T: LinalgElement>(exponent: &Small<T>, rest: T::Magnitude) -> T::Magnitude {
    let norm = one_norm(exponent);
    let largest = T::Magnitude::from_f64(LARGEST_EXPONENT);
    if norm * rest <= largest { rest } else { largest / norm }
}

/// Returns the 1-norm of a matrix: the sum of the moduli of a column, for the column with the largest sum.
fn one_norm<T: LinalgElement>(a: &Small<T>) -> T::Magnitude {
    let [rows, columns] = a.shape();
    (0..columns)
        .map(|j| (0..rows).fold(T::Magnitude::zero(), |sum, i| sum + modulus(a[[i, j]])))
        .fold(T::Magnitude::zero(), Float::max)
}

/// Returns the exponential of a small matrix by scaling and squaring, with the Taylor polynomial of degree 16.
fn exponential<T: LinalgElement>(a: &Small<T>) -> Result<Small<T>, Error> {
    let n = a.shape()[0];
    let half = T::Magnitude::from_f64(0.5);
    let (mut squarings, mut factor) = (0, T::Magnitude::one());
    let norm = one_norm(a);
    while norm * factor > half {
        factor *= half;
        squarings += 1;
    }
    let a = a * T::from_magnitude(factor);
    // Horner's scheme. The norm of `a` is at most 0.5, so the first term that is left out is at most 0.5¹⁷ / 17!, about 2e-20.
    let identity = Small::<T>::try_eye(n)?;
    let mut sum = identity.try_clone()?;
    for k in (1..=16).rev() {
        sum = a.try_matmul(&sum)? * (T::one() / T::from_usize(k));
        sum.try_add_assign(&identity)?;
    }
    for _ in 0..squarings {
        sum = sum.try_matmul(&sum)?;
    }
    Ok(sum)
}
