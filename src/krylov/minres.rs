//! The minimal residual method: C. Paige and M. Saunders, SIAM J. Numer. Anal. 12, 617 (1975).

use super::linear::{Solution, solution};
use super::operator::Operator;
use super::options::Iteration;
use super::vector::{Vector, divide, inner, norm, scale};
use crate::device::Backend;
use crate::device::decompose::LinalgElement;
use crate::element::{CastTo, Scalar};
use crate::error::Error;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use num_traits::{Float, One, Zero};

/// Solves `A·x = b` by the minimal residual method, for a Hermitian operator that is given as a closure. The operator may have eigenvalues of
/// both signs.
///
/// Arguments, convergence and errors are those of [`cg`](super::cg), except that the operator need not be positive definite. The method
/// stores seven tensors in addition to `b`.
///
/// [`try_minres`] takes a closure that returns a `Result`.
///
/// # Errors
/// For the reasons given for [`cg`](super::cg). For a singular operator, and a `b` that is not in its range, the result is
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
pub fn minres<T, D, O, Dev>(
    mut apply: impl FnMut(TensorView<'_, T, D, O, Dev>) -> Tensor<T, D, O, Dev>,
    b: &Tensor<T, D, O, Dev>,
    how: Iteration,
) -> Result<Solution<T, D, O, Dev>, Error>
where
    T: LinalgElement,
    D: Dim,
    O: Order,
    Dev: Backend<T>,
{
    try_minres(|x| Ok(apply(x)), b, how)
}

/// [`minres`] for an operator that can fail. An error of the operator ends the iteration and is returned.
///
/// # Errors
/// Those of the operator and of [`minres`].
pub fn try_minres<T, D, O, Dev>(
    apply: impl FnMut(TensorView<'_, T, D, O, Dev>) -> Result<Tensor<T, D, O, Dev>, Error>,
    b: &Tensor<T, D, O, Dev>,
    how: Iteration,
) -> Result<Solution<T, D, O, Dev>, Error>
where
    T: LinalgElement,
    D: Dim,
    O: Order,
    Dev: Backend<T>,
{
    solution("solve by `minres`", apply, b, how, minimal_residual)
}

/// A plane rotation of real numbers.
#[derive(Clone, Copy)]
struct Rotation<R> {
    c: R,
    s: R,
}

fn minimal_residual<T: LinalgElement, Dev: Backend<T>>(
    operator: &mut Operator<'_, T, Dev>,
    r: Vector<T, Dev>,
    target: T::Magnitude,
    _: usize,
) -> Result<Vector<T, Dev>, Error> {
    let (zero, one) = (T::Magnitude::zero(), T::Magnitude::one());
    let zeros = || Tensor::try_zeros_in([r.len()], r.device());
    let (mut x, mut before): (Vector<T, Dev>, Vector<T, Dev>) = (zeros()?, zeros()?);
    // The last two directions.
    let (mut w, mut w_before): (Vector<T, Dev>, Vector<T, Dev>) = (zeros()?, zeros()?);
    let mut residual = norm(&r)?;
    let mut v = r;
    divide(&mut v, residual)?;
    let (mut beta, mut size) = (zero, zero);
    // The last two rotations, which make the tridiagonal matrix of the Lanczos vectors upper triangular.
    let identity = Rotation { c: one, s: zero };
    let (mut last, mut before_last) = (identity, identity);
    // The signed residual.
    let mut eta = residual;
    while residual > target && !operator.has_less_than(2) {
        let [vector, mut next] = operator.apply(v)?;
        v = vector;
        let alpha: T::Magnitude = inner(&v, &next)?.re().cast_to();
        next.try_add_scaled(T::from_magnitude(-alpha), &v)?;
        next.try_add_scaled(T::from_magnitude(-beta), &before)?;
        let beta_next = norm(&next)?;
        operator.check_finite(alpha + beta_next)?;
        size = Float::max(size, Float::abs(alpha) + beta + beta_next);

        // The new column of the triangular matrix.
        let below = last.c * alpha - before_last.c * last.s * beta;
        let diagonal = Float::hypot(below, beta_next);
        let above = last.s * alpha + before_last.c * last.c * beta;
        let above_that = before_last.s * beta;
        if diagonal <= T::Magnitude::epsilon() * size {
            // The operator is singular on the Krylov space: no step in this direction makes the residual smaller.
            break;
        }
        (before_last, last) = (last, Rotation { c: below / diagonal, s: beta_next / diagonal });

        // w = (v − above_that · w_before − above · w) / diagonal
        let mut direction = v.try_clone()?;
        direction.try_add_scaled(T::from_magnitude(-above_that), &w_before)?;
        direction.try_add_scaled(T::from_magnitude(-above), &w)?;
        scale(&mut direction, one / diagonal)?;
        (w_before, w) = (w, direction);
        x.try_add_scaled(T::from_magnitude(last.c * eta), &w)?;
        eta = -last.s * eta;
        residual = Float::abs(eta);
        if beta_next <= T::Magnitude::from_f64(10.0) * T::Magnitude::epsilon() * size {
            // The Krylov space is invariant.
            break;
        }
        divide(&mut next, beta_next)?;
        (before, v) = (v, next);
        beta = beta_next;
    }
    Ok(x)
}
