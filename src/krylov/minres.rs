//! The minimal residual method: C. Paige and M. Saunders, SIAM J. Numer. Anal. 12, 617 (1975).

use super::linear::{Solution, solution};
use super::methods::methods;
use super::operator::Operator;
use super::options::Iteration;
use super::vector::{Vector, divide, inner, norm, zeros};
use crate::device::Backend;
use crate::device::family::decompose::LinalgElement;
use crate::element::{CastTo, Scalar};
use crate::error::Error;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use num_traits::{Float, One, Zero};

methods! {
    /// Solves `A·x = b` by the minimal residual method, for a Hermitian operator that is given as a closure. The operator may have
    /// eigenvalues of both signs.
    ///
    /// Arguments, convergence and errors are those of [`cg`](super::cg), except that the operator need not be positive definite. The method
    /// stores seven tensors in addition to `b`.
    ///
    /// # Errors
    /// For the reasons given for [`cg`](super::cg). If the operator is singular and `b` is not in its range, the error is
    /// [`Error::IterationLimit`].
    ///
    /// ```
    /// use vierbein::linalg::{Iteration, minres};
    /// use vierbein::tensor;
    /// let a = tensor![[1.0, 2.0], [2.0, 1.0]];
    /// let solution = minres(|x| a.matmul(&x), &tensor![5.0, 4.0], Iteration::new())?;
    /// assert!(solution.x.all_close(&tensor![1.0, 2.0], 1e-10, 0.0));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    minres, try_minres, minres_into(apply(); b: &Tensor<T, D, O, Dev>, how: Iteration) -> Solution<T, D, O, Dev> {
        solution("solve by `minres`", apply, None, b, how, minimal_residual)
    }

    /// Solves `A·x = b` by the minimal residual method with a preconditioner. [`minres`] is the same method without one.
    ///
    /// `precondition` applies a matrix `M`, as in [`cg_preconditioned`](super::cg_preconditioned). `M` must be Hermitian and positive
    /// definite, although the operator need not be positive definite. A good `M` approximates the inverse of the operator's absolute value.
    /// In each step, the method minimises the norm `√⟨r, M·r⟩` of the residual `r`; the tolerance applies to the Euclidean norm.
    ///
    /// # Errors
    /// For the reasons given for [`minres`] and [`cg_preconditioned`](super::cg_preconditioned).
    ///
    /// ```
    /// use vierbein::linalg::{Iteration, minres_preconditioned};
    /// use vierbein::tensor;
    /// let diagonal = tensor![-4.0, 100.0, 1.0];
    /// let absolute = diagonal.abs();
    /// let b = tensor![4.0, 50.0, 3.0];
    /// let solution = minres_preconditioned(|x| x * &diagonal, |r| r / &absolute, &b, Iteration::new())?;
    /// assert!(solution.x.all_close(&tensor![-1.0, 0.5, 3.0], 1e-10, 0.0));
    /// assert_eq!(solution.applications, 3);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    minres_preconditioned, try_minres_preconditioned, minres_preconditioned_into
        (apply(), precondition(); b: &Tensor<T, D, O, Dev>, how: Iteration) -> Solution<T, D, O, Dev>
    {
        let mut precondition = precondition;
        solution("solve by `minres`", apply, Some(&mut precondition), b, how, minimal_residual)
    }
}

/// A plane rotation with real elements.
#[derive(Clone, Copy)]
struct RealRotation<R> {
    c: R,
    s: R,
}

/// The minimal residual method with the preconditioner `M`: minimises the norm `√⟨r, M·r⟩` of the residual `r`. The vectors `v` are
/// orthonormal in the inner product `⟨x, M·y⟩`, and `z` is `M·v`.
fn minimal_residual<T: LinalgElement, Dev: Backend<T>>(
    operator: &mut Operator<'_, T, Dev>,
    r: Vector<T, Dev>,
    target: T::Magnitude,
    _: usize,
) -> Result<[Vector<T, Dev>; 2], Error> {
    let (zero, one) = (T::Magnitude::zero(), T::Magnitude::one());
    let (n, device) = (r.len(), r.device().clone());
    let mut x = zeros(n, &device)?;
    // The last two directions.
    let (mut w, mut w_before) = (zeros(n, &device)?, zeros(n, &device)?);
    let (mut v_before, mut spare) = (zeros(n, &device)?, zeros(n, &device)?);
    let euclidean = norm(&r)?;
    let ([mut v, mut z], mut residual) = operator.weigh([r, zeros(n, &device)?])?;
    divide(&mut v, residual)?;
    divide(&mut z, residual)?;
    // `target` is a Euclidean norm. The method's own norm of the residual must decrease by the same factor.
    let target = target * (residual / euclidean);
    let (mut beta, mut size) = (zero, zero);
    // The last two rotations, which make the tridiagonal matrix of the Lanczos vectors upper triangular.
    let identity = RealRotation { c: one, s: zero };
    let (mut last, mut before_last) = (identity, identity);
    // The signed residual.
    let mut eta = residual;
    while residual > target && !operator.has_less_than(2) {
        let mut next;
        [z, next] = operator.apply([z, spare])?;
        let alpha: T::Magnitude = inner(&z, &next)?.re().cast_to();
        next.try_add_scaled(T::from_magnitude(-alpha), &v)?;
        next.try_add_scaled(T::from_magnitude(-beta), &v_before)?;

        // w = (z − above_that · w_before − above · w) / diagonal. The numerator is computed before `z` gets the next vector, and divided
        // when the diagonal element is known.
        let above = last.s * alpha + before_last.c * last.c * beta;
        let above_that = before_last.s * beta;
        let mut direction = w_before;
        crate::try_einsum_into!(&mut direction, T::one(), T::from_magnitude(-above_that); "n->n", &z)?;
        direction.try_add_scaled(T::from_magnitude(-above), &w)?;

        let beta_next;
        ([next, z], beta_next) = operator.weigh([next, z])?;
        operator.check_finite(alpha + beta_next)?;
        size = Float::max(size, Float::abs(alpha) + beta + beta_next);
        // The new column of the triangular factor of the tridiagonal matrix.
        let below = last.c * alpha - before_last.c * last.s * beta;
        let diagonal = Float::hypot(below, beta_next);
        if diagonal <= T::Magnitude::epsilon() * size {
            // The operator is singular on the Krylov space: no step in this direction makes the residual smaller.
            return Ok([x, next]);
        }
        (before_last, last) = (last, RealRotation { c: below / diagonal, s: beta_next / diagonal });
        divide(&mut direction, diagonal)?;
        (w_before, w) = (w, direction);
        x.try_add_scaled(T::from_magnitude(last.c * eta), &w)?;
        eta = -last.s * eta;
        residual = Float::abs(eta);
        if beta_next <= T::Magnitude::from_f64(10.0) * T::Magnitude::epsilon() * size {
            // The Krylov space is invariant, so further steps cannot make the residual smaller.
            return Ok([x, next]);
        }
        divide(&mut next, beta_next)?;
        divide(&mut z, beta_next)?;
        (spare, v_before, v) = (v_before, v, next);
        beta = beta_next;
    }
    Ok([x, spare])
}
