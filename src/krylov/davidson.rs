//! The Davidson method: E. Davidson, J. Comput. Phys. 17, 87 (1975).

use super::basis::Basis;
use super::lanczos::{Eigenpairs, Found, check_start, eigenpairs_of};
use super::operator::{Operator, given};
use super::options::{Krylov, not_converged};
use super::projected::Projected;
use super::vector::{Vector, divide, inner, norm, random};
use crate::device::Backend;
use crate::device::decompose::LinalgElement;
use crate::element::Scalar;
use crate::error::Error;
use crate::ops::WithRight;
use crate::ops::op::{Add, Sub};
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use num_traits::{Float, Zero};

const OP: &str = "find eigenpairs by `davidson`";

/// Computes the lowest or highest few eigenvalues and eigenvectors of a Hermitian operator, with its diagonal as a preconditioner.
///
/// If the differences between the diagonal elements are much larger than the other elements, as in quantum chemistry, this method needs far
/// fewer applications of the operator than [`lanczos`](super::lanczos). For other operators, `lanczos` needs fewer.
///
/// A good start is a tensor that is zero except where the diagonal is lowest or highest. `diagonal` has the shape of `start`. It need not
/// be exact: errors in it only change the number of applications. The other arguments, the result, convergence and errors are those of
/// [`lanczos`](super::lanczos); but whether the operator is Hermitian is not checked. The residuals are computed from the eigenvectors. The
/// method stores twice as many tensors as `lanczos`.
///
/// [`try_davidson`] takes a closure that returns a `Result`.
///
/// # Errors
/// For the reasons given for [`lanczos`](super::lanczos), or if `diagonal` is not finite or has another shape.
///
/// ```
/// use vierbein::linalg::{Krylov, davidson};
/// use vierbein::prelude::*;
/// let diagonal = Tensor::<f64, _>::from_fn([200], |[k]| (k * k) as f64);
/// let apply = |x: TensorView<f64, Rank<1>>| x * &diagonal + 0.1 * x.sum();
/// let start = Tensor::from_fn([200], |[k]| f64::from(k == 0));
/// let found = davidson(apply, &diagonal, &start, Krylov::lowest(1))?;
/// // The secular equation of a diagonal matrix and one of rank 1.
/// let secular: f64 = diagonal.iter().map(|d| 0.1 / (d - found.values[0])).sum();
/// assert!((secular + 1.0).abs() < 1e-8 && found.applications < 20);
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn davidson<T, D, O, Dev>(
    mut apply: impl FnMut(TensorView<'_, T, D, O, Dev>) -> Tensor<T, D, O, Dev>,
    diagonal: &Tensor<T, D, O, Dev>,
    start: &Tensor<T, D, O, Dev>,
    how: Krylov,
) -> Result<Eigenpairs<T, D, O, Dev>, Error>
where
    T: LinalgElement,
    D: Dim,
    O: Order,
    Dev: Backend<T>,
{
    try_davidson(|x| Ok(apply(x)), diagonal, start, how)
}

/// [`davidson`] for an operator that can fail. An error of the operator ends the iteration and is returned.
///
/// # Errors
/// Those of the operator and of [`davidson`].
pub fn try_davidson<T, D, O, Dev>(
    apply: impl FnMut(TensorView<'_, T, D, O, Dev>) -> Result<Tensor<T, D, O, Dev>, Error>,
    diagonal: &Tensor<T, D, O, Dev>,
    start: &Tensor<T, D, O, Dev>,
    how: Krylov,
) -> Result<Eigenpairs<T, D, O, Dev>, Error>
where
    T: LinalgElement,
    D: Dim,
    O: Order,
    Dev: Backend<T>,
{
    if diagonal.shape() != start.shape() {
        let (found, expected) = (diagonal.shape(), start.shape());
        let reason = format!(
            "the diagonal has shape {:?}, and the start tensor has shape {:?}; pass tensors of the same shape",
            found.as_ref(),
            expected.as_ref()
        );
        return Err(Error::Argument { op: OP, reason });
    }
    let (diagonal, size) = given(OP, "the diagonal", diagonal)?;
    eigenpairs_of(OP, apply, start, &how, |operator, start, norm, how| {
        preconditioned(operator, start, norm, (&diagonal, size), how)
    })
}

/// Computes eigenpairs, beginning with a vector of this norm. `diagonal` is the diagonal and its norm.
fn preconditioned<T: LinalgElement, Dev: Backend<T>>(
    operator: &mut Operator<'_, T, Dev>,
    start: Vector<T, Dev>,
    start_norm: T::Magnitude,
    diagonal: (&Vector<T, Dev>, T::Magnitude),
    how: &Krylov,
) -> Result<Found<T, Dev>, Error> {
    let (n, device) = (start.len(), start.device().clone());
    let capacity = how.vectors(OP, n)?;
    let tolerance: T::Magnitude = how.limits.checked_tolerance(OP)?;
    check_start::<T>(OP, start_norm)?;
    how.check_applications(OP)?;
    let mut basis = Basis::new(capacity, n, &device)?;
    // The operator times the vectors of the basis.
    let mut images = Basis::new(capacity, n, &device)?;
    let mut projected = Projected::<T>::new(capacity)?;
    let mut v = start;
    divide(&mut v, start_norm)?;
    loop {
        basis.push(&v)?;
        let [_, image] = operator.apply(v)?;
        operator.check_finite(norm(&image)?)?;
        images.push(&image)?;
        projected.push(&basis.coefficients(&image)?);
        let len = basis.len();

        let (values, vectors) = projected.eigenpairs(how.highest)?;
        let largest =
            values.iter().fold(T::Magnitude::zero(), |largest, &x| Float::max(largest, Float::abs(x)));
        let exhausted = operator.has_less_than(1);
        let mut found =
            Found { values: Vec::new(), vectors: Vec::new(), residuals: Vec::new(), converged: true };
        // The residual and the index of the first eigenpair that has not converged.
        let mut open = None;
        for (i, &value) in values.iter().enumerate().take(how.count) {
            let weights: Vec<T> = (0..len).map(|j| vectors[[j, i]]).collect();
            let vector = basis.combine(&weights)?;
            let mut residual = images.combine(&weights)?;
            residual.try_add_scaled(T::from_magnitude(-value), &vector)?;
            let size = norm(&residual)?;
            found.values.push(value);
            found.vectors.push(vector);
            found.residuals.push(size);
            // A basis of the whole space cannot be extended: the residuals are rounding errors.
            if size > tolerance * largest && len < n {
                found.converged = false;
                if open.is_none() {
                    open = Some((residual, i));
                }
                if !exhausted {
                    break;
                }
            }
        }
        if found.values.len() == how.count && (found.converged || exhausted) {
            if !found.converged && !how.limits.accept_unconverged {
                let worst =
                    found.residuals.iter().fold(T::Magnitude::zero(), |worst, &x| Float::max(worst, x));
                return Err(not_converged(OP, operator.applications, worst / largest, tolerance));
            }
            return Ok(found);
        }
        let direction = match open {
            Some((residual, i)) => corrected(residual, found.vectors.swap_remove(i), values[i], diagonal)?,
            None => random(n, len as u64, &device)?,
        };
        if len == capacity {
            // Vectors in addition to the requested ones make the convergence faster.
            let kept = (how.count + (capacity - how.count) / 3).min(capacity - 1);
            basis.rotate(&vectors, kept)?;
            images.rotate(&vectors, kept)?;
            projected.restart(&values[..kept]);
        }
        v = unit_outside(&basis, direction, len as u64)?;
    }
}

/// Returns a correction of an approximate eigenvector `x`: `M⁻¹·r − ε·M⁻¹·x`, where M is the diagonal minus the eigenvalue. Small elements of
/// M are increased. The correction is orthogonal to `x`: without the second term, it is almost `x` if `r` is almost `M·x`.
///
/// J. Olsen, P. Jørgensen and J. Simons, Chem. Phys. Lett. 169, 463 (1990).
fn corrected<T: LinalgElement, Dev: Backend<T>>(
    mut residual: Vector<T, Dev>,
    mut x: Vector<T, Dev>,
    value: T::Magnitude,
    (diagonal, size): (&Vector<T, Dev>, T::Magnitude),
) -> Result<Vector<T, Dev>, Error> {
    // 1 / m becomes m / (m² + δ²).
    let delta = size * T::Magnitude::from_f64(1e-8) + T::Magnitude::min_positive_value();
    let m = diagonal.try_apply(WithRight { op: Sub, right: T::from_magnitude(value) })?;
    let mut divisor = m.try_mul(&m)?;
    divisor.try_apply_inplace(WithRight { op: Add, right: T::from_magnitude(delta * delta) })?;
    let inverse = m.try_div(&divisor)?;
    residual.try_mul_assign(&inverse)?;
    let overlap = inner(&x, &residual)?;
    let direction = x.try_mul(&inverse)?;
    let share = inner(&x, &direction)?;
    x = direction;
    if !share.is_zero() {
        residual.try_add_scaled(-overlap / share, &x)?;
    }
    Ok(residual)
}

/// Returns the part of a direction that is orthogonal to the basis, with norm 1. If nothing remains, uses a random direction.
fn unit_outside<T: LinalgElement, Dev: Backend<T>>(
    basis: &Basis<T, Dev>,
    mut direction: Vector<T, Dev>,
    seed: u64,
) -> Result<Vector<T, Dev>, Error> {
    let before = norm(&direction)?;
    let (_, mut rest) = basis.orthogonalise(&mut direction)?;
    let smallest = T::Magnitude::epsilon() * T::Magnitude::from_f64(1e3) * before;
    let usable = Float::is_finite(rest) && rest > smallest;
    if !usable {
        direction = random(direction.len(), seed, direction.device())?;
        rest = basis.orthogonalise(&mut direction)?.1;
    }
    divide(&mut direction, rest)?;
    Ok(direction)
}
