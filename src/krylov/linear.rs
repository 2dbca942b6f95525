//! Linear systems: calls an iterative method, computes the residual of its result, and calls the method again for a correction if the
//! residual is too large.

use super::operator::{Map, Operator, given, on_vectors};
use super::options::{Iteration, not_converged};
use super::vector::{Vector, divide, norm, scale, shaped, times_power};
use crate::device::family::decompose::LinalgElement;
use crate::device::{Backend, Device};
use crate::element::Scalar;
use crate::error::Error;
use crate::ops::decompose::balance::Scaled;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use num_traits::{One, Zero};

/// The solution of a linear system: the result of [`cg`](super::cg), [`minres`](super::minres), [`gmres`](super::gmres) and their variants.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Solution<T: Scalar, D: Dim, O: Order, Dev: Device> {
    /// The solution of `A·x = b`.
    pub x: Tensor<T, D, O, Dev>,
    /// The norm of `b − A·x`, divided by the norm of `b`. It is computed from `x`, not by a recurrence.
    pub residual: T::Magnitude,
    /// The number of applications of the operator.
    pub applications: usize,
    /// Whether the residual is within the tolerance.
    pub converged: bool,
}

/// An iterative method. Returns an approximate solution `d` of `A·d = r` whose residual is at most `target` by the method's own estimate,
/// and a spare vector with unspecified elements. If only one application is left, the solution can be less accurate. `r` has norm 1, or a
/// smaller norm if `d` corrects an earlier solution.
pub(super) type Method<T, Dev> = fn(
    operator: &mut Operator<'_, T, Dev>,
    r: Vector<T, Dev>,
    target: <T as Scalar>::Magnitude,
    vectors: usize,
) -> Result<[Vector<T, Dev>; 2], Error>;

/// A preconditioner that writes its result to its last argument.
pub(super) type Precondition<'a, T, D, O, Dev> =
    dyn FnMut(TensorView<'_, T, D, O, Dev>, &mut Tensor<T, D, O, Dev>) -> Result<(), Error> + 'a;

/// Solves `A·x = b` by an iterative method.
///
/// The methods compute residuals by recurrences, which drift from the true residuals. So the true residual is computed; if it is too large,
/// the method solves for a correction.
pub(super) fn solution<T: LinalgElement, D: Dim, O: Order, Dev: Backend<T>>(
    op: &'static str,
    apply: impl FnMut(TensorView<'_, T, D, O, Dev>, &mut Tensor<T, D, O, Dev>) -> Result<(), Error>,
    preconditioner: Option<&mut Precondition<'_, T, D, O, Dev>>,
    b: &Tensor<T, D, O, Dev>,
    how: Iteration,
    method: Method<T, Dev>,
) -> Result<Solution<T, D, O, Dev>, Error> {
    let shape = b.shape();
    let tolerance = how.checked_tolerance(op)?;
    let vectors = how.vectors(op, b.len())?;
    let (r, size) = given(op, "the right-hand side", b)?;
    let mut apply = on_vectors(op, "operator", shape, apply);
    let mut preconditioner = preconditioner.map(|f| on_vectors(op, "preconditioner", shape, f));
    let preconditioner = preconditioner.as_mut().map(|f| f as &mut Map<'_, T, Dev>);
    let mut operator =
        Operator::new(op, how.max_applications, &mut apply).with_preconditioner(preconditioner);
    let (x, residual) = if size.is_zero() {
        (r, size)
    } else {
        corrected(&mut operator, r, size, tolerance, vectors, method)?
    };
    let converged = residual <= tolerance;
    if !converged && !how.accept_unconverged {
        return Err(not_converged(op, operator.applications, residual, tolerance));
    }
    Ok(Solution { x: shaped(x, shape), residual, applications: operator.applications, converged })
}

/// Returns the best solution, and its residual relative to `size`, the norm of `b`.
fn corrected<T: LinalgElement, Dev: Backend<T>>(
    operator: &mut Operator<'_, T, Dev>,
    mut b: Vector<T, Dev>,
    size: T::Magnitude,
    tolerance: T::Magnitude,
    vectors: usize,
    method: Method<T, Dev>,
) -> Result<(Vector<T, Dev>, T::Magnitude), Error> {
    // The system is solved for a right-hand side of norm 1, so that squares of norms neither overflow nor underflow.
    divide(&mut b, size)?;
    let mut x: Vector<T, Dev> = Tensor::try_zeros_in([b.len()], b.device())?;
    let mut residual = T::Magnitude::one();
    let mut r = b.try_clone()?;
    while residual > tolerance && !operator.has_less_than(2) {
        let [mut candidate, spare] = method(operator, r, tolerance, vectors)?;
        candidate.try_add_scaled(T::one(), &x)?;
        let [candidate, mut image] = operator.apply([candidate, spare])?;
        // r = b − A·x
        crate::try_einsum_into!(&mut image, T::one(), -T::one(); "n->n", &b)?;
        r = image;
        let found = norm(&r)?;
        operator.check_finite(found)?;
        // Stops if a correction does not make the residual smaller: it then consists of rounding errors, or the method makes no progress.
        let stagnates = found > residual * T::Magnitude::from_f64(0.999);
        if found < residual {
            (x, residual) = (candidate, found);
        }
        if stagnates {
            break;
        }
    }
    let Scaled { mantissa, exponent } = Scaled::new(size, -operator.exponent());
    scale(&mut x, mantissa)?;
    times_power(&mut x, exponent)?;
    Ok((x, residual))
}
