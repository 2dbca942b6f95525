//! The method of conjugate gradients: M. Hestenes and E. Stiefel, J. Res. Natl. Bur. Stand. 49, 409 (1952).

use super::linear::{Solution, solution};
use super::methods::methods;
use super::operator::Operator;
use super::options::Iteration;
use super::vector::{Vector, inner, norm, zeros};
use crate::device::Backend;
use crate::device::family::decompose::LinalgElement;
use crate::element::{CastTo, RealScalar};
use crate::error::Error;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use num_traits::Zero;

methods! {
    /// Solves `A·x = b` by conjugate gradients, for a Hermitian, positive definite operator that is given as a closure.
    ///
    /// The operator gets a view of a tensor with the shape of `b`, and returns the operator times this tensor, of the same shape. Rank,
    /// memory order and device are arbitrary. The method stores four tensors in addition to `b`.
    ///
    /// The iteration starts at zero. To start at a guess `x0`, solve for the correction: `x0 + cg(apply, &(b − A·x0), how)`. If the
    /// tolerance is not reached, the result is an error, so that a wrong solution is not used by mistake. [`Iteration::accept_unconverged`]
    /// requests the result so far instead. For operators that are Hermitian, but not positive definite, use [`minres`](super::minres); for
    /// other operators, [`gmres`](super::gmres).
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
    cg, try_cg, cg_into(apply(); b: &Tensor<T, D, O, Dev>, how: Iteration) -> Solution<T, D, O, Dev> {
        solution("solve by `cg`", apply, None, b, how, conjugate_gradients)
    }

    /// Solves `A·x = b` by conjugate gradients with a preconditioner. [`cg`] is the same method without one.
    ///
    /// The preconditioner `M` is an approximation of the inverse of the operator: `precondition` gets a view of a residual, and returns `M`
    /// times this tensor. `M` must be Hermitian, positive definite and the same in each call. The better the approximation, the fewer
    /// applications of the operator are needed. A simple preconditioner divides by the diagonal of the operator. The residual and the
    /// tolerance are those of the system without the preconditioner, and applications of the preconditioner are not counted.
    ///
    /// # Errors
    /// For the reasons given for [`cg`]; and [`Error::Argument`] if the preconditioner is found to be not positive definite, or returns
    /// another shape or an element that is NaN or infinite.
    ///
    /// ```
    /// use vierbein::linalg::{Iteration, cg, cg_preconditioned};
    /// use vierbein::prelude::*;
    /// let diagonal = Tensor::<f64, _>::from_fn([100], |[k]| ((k + 1) * (k + 1)) as f64);
    /// let apply = |x: TensorView<f64, Rank<1>>| x * &diagonal + x.sum();
    /// let (b, how) = (Tensor::ones([100]), Iteration::new());
    /// let solution = cg_preconditioned(apply, |r| r / &diagonal, &b, how)?;
    /// assert!(apply(solution.x.view()).all_close(&b, 1e-9, 0.0));
    /// assert!(solution.applications < cg(apply, &b, how)?.applications / 10);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    cg_preconditioned, try_cg_preconditioned, cg_preconditioned_into
        (apply(), precondition(); b: &Tensor<T, D, O, Dev>, how: Iteration) -> Solution<T, D, O, Dev>
    {
        let mut precondition = precondition;
        solution("solve by `cg`", apply, Some(&mut precondition), b, how, conjugate_gradients)
    }
}

/// Conjugate gradients with the preconditioner `M`: `z` is `M·r`, or not used if there is no preconditioner.
fn conjugate_gradients<T: LinalgElement, Dev: Backend<T>>(
    operator: &mut Operator<'_, T, Dev>,
    mut r: Vector<T, Dev>,
    target: T::Magnitude,
    _: usize,
) -> Result<[Vector<T, Dev>; 2], Error> {
    let (n, device) = (r.len(), r.device().clone());
    let preconditioned = operator.is_preconditioned();
    let mut x = zeros(n, &device)?;
    let mut z = zeros(if preconditioned { n } else { 0 }, &device)?;
    let mut image = zeros(n, &device)?;
    let mut residual = norm(&r)?;
    // The norm `√⟨r, z⟩`.
    let mut size = residual;
    if preconditioned {
        ([r, z], size) = operator.weigh([r, z])?;
    }
    let mut p = if preconditioned { z.try_clone()? } else { r.try_clone()? };
    while residual > target && !operator.has_less_than(2) {
        [p, image] = operator.apply([p, image])?;
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
        let step = size * size / curvature;
        x.try_add_scaled(T::from_magnitude(step), &p)?;
        r.try_add_scaled(T::from_magnitude(-step), &image)?;
        residual = norm(&r)?;
        operator.check_finite(residual)?;
        let before = size;
        size = residual;
        if preconditioned {
            ([r, z], size) = operator.weigh([r, z])?;
        }
        let (ratio, towards) = (size / before, if preconditioned { &z } else { &r });
        crate::try_einsum_into!(&mut p, T::one(), T::from_magnitude(ratio * ratio); "n->n", towards)?;
    }
    Ok([x, image])
}
