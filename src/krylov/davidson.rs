//! The Davidson method: E. Davidson, J. Comput. Phys. 17, 87 (1975).

use super::basis::Basis;
use super::lanczos::{Eigenpairs, Found, check_start, eigenpairs_of};
use super::methods::methods;
use super::operator::{Operator, check_preconditioned, given, on_vectors};
use super::options::{Krylov, not_converged};
use super::projected::Projected;
use super::vector::{Vector, divide, inner, norm, random, times_power, zeros};
use crate::device::Backend;
use crate::device::family::decompose::LinalgElement;
use crate::device::op::scalar::WithRight;
use crate::element::Scalar;
use crate::error::Error;
use crate::ops::decompose::balance::{exponent, extreme_exponent, scaled};
use crate::ops::op::{Add, Sub};
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use num_traits::{Float, Zero};

const OP: &str = "find eigenpairs by `davidson`";

methods! {
    /// Computes a few of the lowest or highest eigenvalues of a Hermitian operator, and their eigenvectors, with its diagonal as a
    /// preconditioner.
    ///
    /// If the differences between the diagonal elements are much larger than the off-diagonal elements, as in quantum chemistry, this
    /// method needs far fewer applications of the operator than [`lanczos`](super::lanczos). For other operators, `lanczos` needs fewer.
    ///
    /// A good start is a tensor that is zero except where the diagonal is lowest or highest. `diagonal` has the shape of `start`. It need
    /// not be exact: errors in it only change the number of applications. The other arguments, the result, convergence and errors are as in
    /// [`lanczos`](super::lanczos), except that this method does not check whether the operator is Hermitian. The residuals are computed
    /// from the eigenvectors; `lanczos` estimates them from the projected operator. The method stores twice as many tensors as `lanczos`.
    /// For another preconditioner, use [`davidson_preconditioned`].
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
    davidson, try_davidson, davidson_into
        (apply(); diagonal: &Tensor<T, D, O, Dev>, start: &Tensor<T, D, O, Dev>, how: Krylov) -> Eigenpairs<T, D, O, Dev>
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
        let (mut diagonal, size) = given(OP, "the diagonal", diagonal)?;
        // A factor of the preconditioner does not matter.
        let exponent = extreme_exponent(size);
        times_power(&mut diagonal, -exponent)?;
        let size = scaled(size, -exponent);
        let mut cache: Option<(T::Magnitude, Vector<T, Dev>)> = None;
        let mut precondition = |[r, mut z]: [Vector<T, Dev>; 2], value| {
            let (_, inverse) = match cache.take() {
                Some(kept) if kept.0 == value => cache.insert(kept),
                _ => cache.insert((value, shifted_inverse(&diagonal, size, scaled(value, -exponent))?)),
            };
            z.try_assign(&r)?;
            z.try_mul_assign(&*inverse)?;
            Ok([r, z])
        };
        eigenpairs_of(OP, apply, start, &how, |operator, start, norm, how| {
            eigenpairs(operator, start, norm, &mut precondition, how)
        })
    }

    /// Computes a few of the lowest or highest eigenvalues of a Hermitian operator, and their eigenvectors, with a preconditioner.
    ///
    /// `precondition` gets a view of a residual and an approximate eigenvalue `λ`, and returns an approximate solution `z` of
    /// `(A − λ)·z = r`, with the shape of `r`. `z` must be linear in `r`. The closer the solution, the fewer applications of the operator
    /// are needed. `A − λ` is almost singular, so the exact solution can be arbitrarily large; `z` must not be. The preconditioner of
    /// [`davidson`] divides `r` by the diagonal of `A − λ`, with small divisors increased. The other arguments and the result are those of
    /// [`davidson`]; applications of the preconditioner are not counted.
    ///
    /// # Errors
    /// For the reasons given for [`lanczos`](super::lanczos); and [`Error::Argument`] if the preconditioner returns another shape or an
    /// element that is NaN or infinite.
    ///
    /// ```
    /// use vierbein::linalg::{Krylov, davidson_preconditioned};
    /// use vierbein::prelude::*;
    /// // Minus the second difference, plus a potential.
    /// let n = 200;
    /// let laplacian = 2.0 * Tensor::<f64, Rank<2>>::eye(n) - Tensor::from_fn([n, n], |[i, j]| f64::from(i.abs_diff(j) == 1));
    /// let h = &laplacian + Tensor::from_diagonal(&Tensor::from_fn([n], |[k]| 1e-3 * (k as f64).sin()));
    /// // The inverse of the operator without the potential.
    /// let inverse = laplacian.inv();
    /// let found = davidson_preconditioned(|x| h.matmul(&x), |r, _| inverse.matmul(&r), &Tensor::ones([n]), Krylov::lowest(1))?;
    /// assert!((found.values[0] - h.eigvalsh()[[0]]).abs() < 1e-12);
    /// assert!(found.applications < 20);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    davidson_preconditioned, try_davidson_preconditioned, davidson_preconditioned_into
        (apply(), precondition(value: T::Magnitude); start: &Tensor<T, D, O, Dev>, how: Krylov) -> Eigenpairs<T, D, O, Dev>
    {
        let shape = start.shape();
        let mut precondition = precondition;
        let mut precondition = |vectors, value| {
            on_vectors::<T, D, O, Dev>(OP, "preconditioner", shape, |r, z| precondition(r, value, z))(vectors)
        };
        eigenpairs_of(OP, apply, start, &how, |operator, start, norm, how| {
            eigenpairs(operator, start, norm, &mut precondition, how)
        })
    }
}

/// A preconditioner that depends on the approximate eigenvalue. The buffer of the second vector receives the result, as in
/// [`Map`](super::operator::Map).
type Precondition<'a, T, Dev> =
    dyn FnMut([Vector<T, Dev>; 2], <T as Scalar>::Magnitude) -> Result<[Vector<T, Dev>; 2], Error> + 'a;

/// Computes eigenpairs, beginning with the vector `start` of norm `start_norm`.
fn eigenpairs<T: LinalgElement, Dev: Backend<T>>(
    operator: &mut Operator<'_, T, Dev>,
    start: Vector<T, Dev>,
    start_norm: T::Magnitude,
    precondition: &mut Precondition<'_, T, Dev>,
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
    let mut spare = zeros(n, &device)?;
    loop {
        basis.push(&v)?;
        let image;
        [v, image] = operator.apply([v, spare])?;
        operator.check_finite(norm(&image)?)?;
        images.push(&image)?;
        projected.push(&basis.coefficients(&image)?);
        let len = basis.len();

        let (values, vectors) = projected.eigenpairs(how.end)?;
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
            // A basis of the whole space cannot be extended: its residuals are only rounding errors, so they count as converged.
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
            Some((residual, i)) => {
                let value = scaled(values[i], operator.exponent());
                corrected([residual, found.vectors.swap_remove(i), v], value, precondition)?
            }
            None => random(n, len as u64, &device)?,
        };
        if len == capacity {
            // Restarts with more vectors than requested, because the method then converges faster.
            let kept = (how.count + (capacity - how.count) / 3).min(capacity - 1);
            basis.rotate(&vectors, kept)?;
            images.rotate(&vectors, kept)?;
            projected.restart(&values[..kept]);
        }
        spare = image;
        v = unit_outside(&basis, direction, len as u64)?;
    }
}

/// Returns a correction of an approximate eigenvector `x`: `M·r − ε·M·x`, where `r` is the residual, `M` the preconditioner for the
/// approximate eigenvalue, and `ε` the number that makes the correction orthogonal to `x`. Without the second term, the correction would be
/// almost parallel to `x` if `M` is almost the inverse of `A − λ`.
///
/// J. Olsen, P. Jørgensen and J. Simons, Chem. Phys. Lett. 169, 463 (1990).
fn corrected<T: LinalgElement, Dev: Backend<T>>(
    [residual, x, spare]: [Vector<T, Dev>; 3],
    value: T::Magnitude,
    precondition: &mut Precondition<'_, T, Dev>,
) -> Result<Vector<T, Dev>, Error> {
    // A factor of the residual does not matter. With a norm of about 1, its product with the inverse of a very large operator keeps its
    // digits.
    let mut residual = residual;
    let size = norm(&residual)?;
    times_power(&mut residual, -exponent(size))?;
    let [residual, mut correction] = precondition([residual, spare], value)?;
    let [x, mut direction] = precondition([x, residual], value)?;
    let size = norm(&correction)? + norm(&direction)?;
    check_preconditioned(OP, size)?;
    for vector in [&mut correction, &mut direction] {
        times_power(vector, -extreme_exponent(size))?;
    }
    let (overlap, share) = (inner(&x, &correction)?, inner(&x, &direction)?);
    if !share.is_zero() {
        correction.try_add_scaled((-overlap).quotient(share), &direction)?;
    }
    Ok(correction)
}

/// Returns `1 / (diagonal − value)` for each element of the diagonal. Small divisors are increased. `size` is the norm of the diagonal.
fn shifted_inverse<T: LinalgElement, Dev: Backend<T>>(
    diagonal: &Vector<T, Dev>,
    size: T::Magnitude,
    value: T::Magnitude,
) -> Result<Vector<T, Dev>, Error> {
    // 1 / m becomes m / (m² + δ²).
    let delta = size * T::Magnitude::from_f64(1e-8) + T::Magnitude::min_positive_value();
    let m = diagonal.try_apply(WithRight { op: Sub, right: T::from_magnitude(value) })?;
    let mut divisor = m.try_mul(&m)?;
    divisor.try_apply_inplace(WithRight { op: Add, right: T::from_magnitude(delta * delta) })?;
    m.try_div(&divisor)
}

/// Returns the part of a direction that is orthogonal to the basis, scaled to norm 1. If no such part remains, uses a random direction.
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
