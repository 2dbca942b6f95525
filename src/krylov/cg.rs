//! The method of conjugate gradients: M. Hestenes and E. Stiefel, J. Res. Natl. Bur. Stand. 49, 409 (1952).

use super::linear::{Solution, solution};
use super::operator::Operator;
use super::options::Iteration;
use super::vector::{Vector, inner, norm};
use crate::device::Backend;
use crate::device::decompose::LinalgElement;
use crate::element::{CastTo, RealScalar};
use crate::error::Error;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use num_traits::Zero;

/// Solves `A·x = b` by conjugate gradients, for a Hermitian, positive definite operator that is given as a closure.
///
/// The operator gets a view of a tensor with the shape of `b`, and returns the operator times this tensor, of the same shape. Rank, memory
/// order and device are arbitrary. The method stores four tensors in addition to `b`.
///
/// The iteration starts at zero. To start at a guess `x0`, solve for the correction: `x0 + cg(apply, &(b − A·x0), how)`. If the tolerance is
/// not reached, the result is an error, so that a wrong solution is not used by mistake. [`Iteration::accept_unconverged`] requests the
/// result so far instead. For operators that are Hermitian, but not positive definite, use [`minres`](super::minres); for other operators,
/// [`gmres`](super::gmres).
///
/// [`try_cg`] takes a closure that returns a `Result`.
///
/// # Errors
/// * [`Error::IterationLimit`] if the iteration has not converged, or makes no progress.
/// * [`Error::Argument`] if the operator is found to be not positive definite, or returns another shape or an element that is NaN or
///   infinite; or if `b` is not finite.
/// * [`Error::OutOfMemory`], or the error of the device.
///
/// ```
/// use vierbein::linalg::{Iteration, cg};
/// use vierbein::tensor;
/// let a = tensor![[4.0, 1.0], [1.0, 3.0]];
/// let solution = cg(|x| a.matmul(&x), &tensor![1.0, 2.0], Iteration::new())?;
/// assert!(solution.x.all_close(&tensor![1.0 / 11.0, 7.0 / 11.0], 1e-10, 0.0));
/// assert!(solution.residual <= 1e-10);
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn cg<T, D, O, Dev>(
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
    try_cg(|x| Ok(apply(x)), b, how)
}

/// [`cg`] for an operator that can fail. An error of the operator ends the iteration and is returned.
///
/// # Errors
/// Those of the operator and of [`cg`].
pub fn try_cg<T, D, O, Dev>(
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
    solution("solve by `cg`", apply, b, how, conjugate_gradients)
}

fn conjugate_gradients<T: LinalgElement, Dev: Backend<T>>(
    operator: &mut Operator<'_, T, Dev>,
    mut r: Vector<T, Dev>,
    target: T::Magnitude,
    _: usize,
) -> Result<Vector<T, Dev>, Error> {
    let mut x: Vector<T, Dev> = Tensor::try_zeros_in([r.len()], r.device())?;
    let mut p = r.try_clone()?;
    let mut residual = norm(&r)?;
    while residual > target && !operator.has_less_than(2) {
        let [direction, image] = operator.apply(p)?;
        p = direction;
        let curvature: T::Magnitude = inner(&p, &image)?.re().cast_to();
        operator.check_finite(curvature)?;
        if curvature <= T::Magnitude::zero() {
            let reason = format!(
                "the operator is not positive definite: `⟨p, A·p⟩` is {:.1e} for the direction `p` of application {}; use `minres` for \
                 Hermitian operators, or `gmres`",
                curvature.in_f64(),
                operator.applications
            );
            return Err(Error::Argument { op: operator.op, reason });
        }
        let step = residual * residual / curvature;
        x.try_add_scaled(T::from_magnitude(step), &p)?;
        r.try_add_scaled(T::from_magnitude(-step), &image)?;
        let next = norm(&r)?;
        operator.check_finite(next)?;
        let ratio = next / residual;
        crate::try_einsum_into!(&mut p, T::one(), T::from_magnitude(ratio * ratio); "n->n", &r)?;
        residual = next;
    }
    Ok(x)
}
