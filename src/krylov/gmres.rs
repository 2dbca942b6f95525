//! The generalised minimal residual method: Y. Saad and M. Schultz, SIAM J. Sci. Stat. Comput. 7, 856 (1986).

use super::basis::Basis;
use super::linear::{Solution, solution};
use super::methods::methods;
use super::operator::Operator;
use super::options::Iteration;
use super::vector::{Vector, divide, modulus, norm, zeros};
use crate::device::Backend;
use crate::device::family::decompose::LinalgElement;
use crate::element::Scalar;
use crate::error::Error;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use num_traits::{Float, Zero};

methods! {
    /// Solves `A·x = b` by GMRES, for any operator that is given as a closure.
    ///
    /// Arguments, convergence and errors are those of [`cg`](super::cg), except that the operator need not be Hermitian. The method stores
    /// a basis of [`Iteration::basis`] vectors, and restarts when it is full. If it makes no progress after a restart, use a larger basis.
    /// For Hermitian operators, [`minres`](super::minres) needs neither a basis nor restarts.
    ///
    /// # Errors
    /// For the reasons given for [`cg`](super::cg).
    ///
    /// ```
    /// use vierbein::linalg::{Iteration, gmres};
    /// use vierbein::tensor;
    /// let a = tensor![[0.0, 2.0], [-1.0, 1.0]];
    /// let solution = gmres(|x| a.matmul(&x), &tensor![4.0, 1.0], Iteration::new())?;
    /// assert!(solution.x.all_close(&tensor![1.0, 2.0], 1e-10, 0.0));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    gmres, try_gmres, gmres_into(apply(); b: &Tensor<T, D, O, Dev>, how: Iteration) -> Solution<T, D, O, Dev> {
        solution("solve by `gmres`", apply, None, b, how, until_restart)
    }

    /// Solves `A·x = b` by GMRES with a preconditioner. [`gmres`] is the same method without one.
    ///
    /// The preconditioner `M` is an approximation of the inverse of the operator: `precondition` gets a view of a tensor, and returns `M`
    /// times this tensor. `M` need not be Hermitian, but must be the same linear map in each call. It is applied on the right: `A·M·y = b`
    /// and `x = M·y`. So residuals are those of the system without the preconditioner.
    ///
    /// # Errors
    /// For the reasons given for [`gmres`]; and [`Error::Argument`] if the preconditioner returns another shape or an element that is NaN
    /// or infinite.
    ///
    /// ```
    /// use vierbein::linalg::{Iteration, Structure, gmres_preconditioned};
    /// use vierbein::tensor;
    /// let a = tensor![[4.0, 1.0, 0.0], [1.0, 5.0, 1.0], [0.0, 2.0, 6.0]];
    /// // The preconditioner is the inverse of the upper triangle, applied by back substitution.
    /// let upper = Structure::Upper { unit: false };
    /// let b = tensor![6.0, 14.0, 22.0];
    /// let solution = gmres_preconditioned(|x| a.matmul(&x), |r| a.solve_as(upper, r), &b, Iteration::new())?;
    /// assert!(solution.x.all_close(&tensor![1.0, 2.0, 3.0], 1e-10, 0.0));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    gmres_preconditioned, try_gmres_preconditioned, gmres_preconditioned_into
        (apply(), precondition(); b: &Tensor<T, D, O, Dev>, how: Iteration) -> Solution<T, D, O, Dev>
    {
        let mut precondition = precondition;
        solution("solve by `gmres`", apply, Some(&mut precondition), b, how, until_restart)
    }
}

/// A plane rotation `[[c, s], [−conj(s), c]]` that makes the second element of a pair zero.
struct Rotation<T: LinalgElement> {
    c: T,
    s: T,
}

impl<T: LinalgElement> Rotation<T> {
    /// Returns the rotation for the pair `[a, b]`, which is not zero.
    fn new(a: T, b: T::Magnitude) -> Self {
        let size = modulus(a);
        let radius = Float::hypot(size, b);
        let phase = if size.is_zero() { T::one() } else { a.unscale(size) };
        Rotation { c: T::from_magnitude(size / radius), s: phase * T::from_magnitude(b / radius) }
    }

    fn apply(&self, [a, b]: [T; 2]) -> [T; 2] {
        [self.c * a + self.s * b, self.c * b - self.s.conj() * a]
    }
}

/// Performs steps until the norm of the residual is at most `target`, the basis has `vectors` vectors, or the limit of applications is
/// reached. The preconditioner `M` is on the right: the method solves `A·M·y = r`, whose residual is that of `x = M·y`.
fn until_restart<T: LinalgElement, Dev: Backend<T>>(
    operator: &mut Operator<'_, T, Dev>,
    r: Vector<T, Dev>,
    target: T::Magnitude,
    vectors: usize,
) -> Result<[Vector<T, Dev>; 2], Error> {
    let mut basis = Basis::new(vectors, r.len(), r.device())?;
    let mut spare = zeros(r.len(), r.device())?;
    let size = norm(&r)?;
    let mut v = r;
    divide(&mut v, size)?;
    // The columns of the triangular matrix R, and the right-hand side of the least-squares problem, after the rotations so far.
    let mut columns: Vec<Vec<T>> = Vec::new();
    let mut rotations: Vec<Rotation<T>> = Vec::new();
    let mut rotated = vec![T::from_magnitude(size)];
    let (mut residual, mut scale) = (size, T::Magnitude::zero());
    while residual > target && basis.len() < vectors && !operator.has_less_than(2) {
        basis.push(&v)?;
        if operator.is_preconditioned() {
            // The buffer of `v` may be overwritten, because the basis has a copy of `v`.
            [spare, v] = operator.precondition([v, spare])?;
            operator.check_preconditioned(norm(&v)?)?;
        }
        let mut w;
        [spare, w] = operator.apply([v, spare])?;
        let (mut column, rest) = basis.orthogonalise(&mut w)?;
        let size = column.iter().fold(rest, |size, &h| Float::hypot(size, modulus(h)));
        operator.check_finite(size)?;
        scale = Float::max(scale, size);
        for (k, rotation) in rotations.iter().enumerate() {
            let below = column.get(k + 1).copied();
            let [a, b] = rotation.apply([column[k], below.unwrap_or_else(T::zero)]);
            column[k] = a;
            if let Some(below) = column.get_mut(k + 1) {
                *below = b;
            }
        }
        let last = column.len() - 1;
        let smallest = T::Magnitude::from_f64(10.0) * T::Magnitude::epsilon() * scale;
        if Float::hypot(modulus(column[last]), rest) <= smallest {
            // The operator is singular on the Krylov space: this column contributes nothing to the solution.
            v = w;
            break;
        }
        let rotation = Rotation::new(column[last], rest);
        column[last] = rotation.apply([column[last], T::from_magnitude(rest)])[0];
        let [a, b] = rotation.apply([rotated[last], T::zero()]);
        rotated[last] = a;
        rotated.push(b);
        residual = modulus(b);
        columns.push(column);
        rotations.push(rotation);
        if rest <= smallest {
            // The Krylov space is invariant, so the solution is in it.
            v = w;
            break;
        }
        divide(&mut w, rest)?;
        v = w;
    }
    // Back substitution.
    let mut weights = rotated;
    weights.truncate(columns.len());
    for i in (0..columns.len()).rev() {
        let known: T = (i + 1..columns.len()).fold(T::zero(), |sum, k| sum + columns[k][i] * weights[k]);
        weights[i] = (weights[i] - known).quotient(columns[i][i]);
    }
    let y = basis.combine(&weights)?;
    if !operator.is_preconditioned() {
        return Ok([y, v]);
    }
    let [y, x] = operator.precondition([y, v])?;
    Ok([x, y])
}
