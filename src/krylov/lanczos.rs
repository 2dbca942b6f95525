//! The Lanczos method with thick restarts.
//!
//! K. Wu and H. Simon, SIAM J. Matrix Anal. Appl. 22, 602 (2000). The projected matrix is tridiagonal before a restart, but not after it.
//! So all coefficients of the orthogonalisation are stored, in a full matrix.

use super::basis::Basis;
use super::methods::methods;
use super::operator::{Operator, given, on_vectors};
use super::options::{Krylov, not_converged};
use super::projected::Projected;
use super::vector::{Vector, divide, modulus, random, shaped, zeros};
use crate::device::family::decompose::LinalgElement;
use crate::device::{Backend, Device};
use crate::element::{CastTo, RealScalar, Scalar};
use crate::error::Error;
use crate::ops::decompose::balance::scaled;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use num_traits::{Float, Zero};

/// Eigenvalues and eigenvectors: the result of [`lanczos`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Eigenpairs<T: Scalar, D: Dim, O: Order, Dev: Device> {
    /// The eigenvalues: the lowest or the highest one first.
    pub values: Vec<T::Magnitude>,
    /// The eigenvectors, which are orthonormal, in the order of the eigenvalues. Each is determined up to a sign or a phase.
    pub vectors: Vec<Tensor<T, D, O, Dev>>,
    /// The norms of the residuals `A·x − λ·x`.
    pub residuals: Vec<T::Magnitude>,
    /// The number of applications of the operator.
    pub applications: usize,
    /// Whether all residuals are within the tolerance.
    pub converged: bool,
}

impl<T: Scalar, D: Dim, O: Order, Dev: Device> Eigenpairs<T, D, O, Dev> {
    /// Returns the first eigenvalue and its eigenvector: the lowest or the highest one.
    ///
    /// ```
    /// use vierbein::linalg::{Krylov, lanczos};
    /// use vierbein::prelude::*;
    /// let a = tensor![[2.0, 1.0], [1.0, 2.0]];
    /// let (value, vector) = lanczos(|x| a.matmul(&x), &tensor![1.0f64, 0.0], Krylov::highest(1))?.into_first();
    /// assert!((value - 3.0).abs() < 1e-14);
    /// assert!(a.matmul(&vector).all_close(&(value * &vector), 1e-12, 0.0));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn into_first(self) -> (T::Magnitude, Tensor<T, D, O, Dev>) {
        let value = self.values[0];
        let vector = self.vectors.into_iter().next().expect("there is at least one eigenpair");
        (value, vector)
    }
}

methods! {
    /// Computes a few of the lowest or highest eigenvalues of a Hermitian operator, which is given as a closure, and their eigenvectors.
    ///
    /// The operator gets a view of a tensor with the shape of `start`, and returns the operator times this tensor, of the same shape. Rank,
    /// memory order and device are arbitrary. The result states residuals, the number of applications, and whether the pairs have
    /// converged.
    ///
    /// * **Start.** Eigenvectors that are orthogonal to `start` are not found, unless rounding errors contribute them. If you know nothing
    ///   about the eigenvectors, start with random numbers. A good guess saves applications.
    /// * **Equal eigenvalues.** For a multiple eigenvalue, one eigenvector is found: the projection of `start` on the eigenspace. Rounding
    ///   errors can contribute others after many applications.
    /// * **Convergence.** If the pairs have not converged after [`Krylov::max_applications`], the result is an error, so that unconverged
    ///   numbers are not used by mistake. [`Krylov::accept_unconverged`] requests the result so far instead.
    /// * **Method.** Lanczos with thick restarts. Each new vector is orthogonalised twice against the whole basis. Each step takes the time
    ///   of one application of the operator and of four passes over the basis ([`Krylov::basis`]).
    ///
    /// # Errors
    /// * [`Error::IterationLimit`] if the eigenpairs have not converged.
    /// * [`Error::Argument`] if `start` is zero or not finite, or if the requested number of eigenpairs or of basis vectors is not
    ///   possible.
    /// * [`Error::Argument`] if the operator returns another shape or an element that is NaN or infinite, or is found to be not Hermitian.
    /// * [`Error::OutOfMemory`], or the error of the device.
    ///
    /// ```
    /// use vierbein::linalg::{Krylov, lanczos};
    /// use vierbein::prelude::*;
    /// // Minus the second difference along both axes of a 20 × 30 grid, zero outside.
    /// let grid = |x: TensorView<f64, Rank<2>>| {
    ///     let mut y = 4.0 * x;
    ///     y.slice_mut(s![1.., ..]).add_scaled(-1.0, x.slice(s![..-1, ..]));
    ///     y.slice_mut(s![..-1, ..]).add_scaled(-1.0, x.slice(s![1.., ..]));
    ///     y.slice_mut(s![.., 1..]).add_scaled(-1.0, x.slice(s![.., ..-1]));
    ///     y.slice_mut(s![.., ..-1]).add_scaled(-1.0, x.slice(s![.., 1..]));
    ///     y
    /// };
    /// let found = lanczos(grid, &Tensor::ones([20, 30]), Krylov::lowest(1))?;
    /// let wave = |n: f64| 2.0 - 2.0 * (std::f64::consts::PI / (n + 1.0)).cos();
    /// assert!((found.values[0] - (wave(20.0) + wave(30.0))).abs() < 1e-10);
    /// assert_eq!(found.vectors[0].shape(), [20, 30]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    lanczos, try_lanczos, lanczos_into(apply(); start: &Tensor<T, D, O, Dev>, how: Krylov) -> Eigenpairs<T, D, O, Dev> {
        eigenpairs_of("find eigenpairs by `lanczos`", apply, start, &how, eigenpairs)
    }
}

/// Computes eigenpairs of an operator on tensors by a method for operators on vectors. The method gets the first vector and its norm.
pub(super) fn eigenpairs_of<T: LinalgElement, D: Dim, O: Order, Dev: Backend<T>>(
    op: &'static str,
    apply: impl FnMut(TensorView<'_, T, D, O, Dev>, &mut Tensor<T, D, O, Dev>) -> Result<(), Error>,
    start: &Tensor<T, D, O, Dev>,
    how: &Krylov,
    method: impl FnOnce(
        &mut Operator<'_, T, Dev>,
        Vector<T, Dev>,
        T::Magnitude,
        &Krylov,
    ) -> Result<Found<T, Dev>, Error>,
) -> Result<Eigenpairs<T, D, O, Dev>, Error> {
    let shape = start.shape();
    let (first, norm) = given(op, "the start tensor", start)?;
    let mut apply = on_vectors(op, "operator", shape, apply);
    let mut operator = Operator::new(op, how.limits.max_applications, &mut apply);
    let mut found = method(&mut operator, first, norm, how)?;
    let numbers = found.values.iter_mut().chain(&mut found.residuals);
    numbers.for_each(|x| *x = scaled(*x, operator.exponent()));
    Ok(Eigenpairs {
        values: found.values,
        vectors: found.vectors.into_iter().map(|v| shaped(v, shape)).collect(),
        residuals: found.residuals,
        applications: operator.applications,
        converged: found.converged,
    })
}

/// The eigenpairs of a scaled operator on vectors.
pub(super) struct Found<T: Scalar, Dev: Device> {
    pub(super) values: Vec<T::Magnitude>,
    pub(super) vectors: Vec<Vector<T, Dev>>,
    pub(super) residuals: Vec<T::Magnitude>,
    pub(super) converged: bool,
}

/// Computes eigenpairs, beginning with the vector `start` of norm `norm`.
fn eigenpairs<T: LinalgElement, Dev: Backend<T>>(
    operator: &mut Operator<'_, T, Dev>,
    start: Vector<T, Dev>,
    norm: T::Magnitude,
    how: &Krylov,
) -> Result<Found<T, Dev>, Error> {
    let (op, n, device) = (operator.op, start.len(), start.device().clone());
    let capacity = how.vectors(op, n)?;
    let tolerance: T::Magnitude = how.limits.checked_tolerance(op)?;
    check_start::<T>(op, norm)?;
    how.check_applications(op)?;
    let epsilon = T::Magnitude::epsilon();
    let mut basis = Basis::new(capacity, n, &device)?;
    let mut projected = Projected::<T>::new(capacity)?;
    // A lower bound of the operator's norm.
    let mut scale = T::Magnitude::zero();
    // If the operator is Hermitian, these are the elements above the diagonal in the next column of the projected matrix.
    let mut expected: Vec<T> = Vec::new();
    let mut v = start;
    divide(&mut v, norm)?;
    let mut spare = zeros(n, &device)?;
    loop {
        basis.push(&v)?;
        let [last, mut w] = operator.apply([v, spare])?;
        spare = last;
        let (column, rest) = basis.orthogonalise(&mut w)?;
        let size = column.iter().fold(rest, |size, h| Float::hypot(size, modulus(*h)));
        operator.check_finite(size)?;
        scale = Float::max(scale, size);
        check_hermitian(op, &column, &expected, scale)?;
        projected.push(&column);
        let len = basis.len();

        // Whether the basis spans an invariant subspace.
        let invariant = len == n || rest <= T::Magnitude::from_f64(10.0) * epsilon * scale;
        let exhausted = operator.has_less_than(1);
        let full = len == capacity;
        let mut restarted = None;
        if len >= how.count && (invariant || full || exhausted || is_checked(len)) {
            let (values, vectors) = projected.eigenpairs(how.end)?;
            let residuals: Vec<T::Magnitude> =
                (0..how.count).map(|i| rest * modulus(vectors[[len - 1, i]])).collect();
            let largest =
                values.iter().fold(T::Magnitude::zero(), |largest, &x| Float::max(largest, Float::abs(x)));
            let worst = residuals.iter().fold(T::Magnitude::zero(), |worst, &x| Float::max(worst, x));
            let converged = invariant || worst <= tolerance * largest;
            if converged || exhausted {
                if !converged && !how.limits.accept_unconverged {
                    return Err(not_converged(op, operator.applications, worst / largest, tolerance));
                }
                let combined = (0..how.count).map(|i| {
                    let weights: Vec<T> = (0..len).map(|j| vectors[[j, i]]).collect();
                    basis.combine(&weights)
                });
                let vectors = combined.collect::<Result<_, Error>>()?;
                return Ok(Found { values: values[..how.count].to_vec(), vectors, residuals, converged });
            }
            if full {
                // Keep more vectors than were requested: the method then converges faster.
                let kept = (how.count + (capacity - how.count) / 3).min(capacity - 1);
                basis.rotate(&vectors, kept)?;
                projected.restart(&values[..kept]);
                let rest = T::from_magnitude(rest);
                restarted = Some((0..kept).map(|i| (rest * vectors[[len - 1, i]]).conj()).collect());
            }
        }
        if invariant {
            // The basis can be continued with any vector outside of the invariant subspace. Take a random one.
            w = random(n, len as u64, &device)?;
            let (_, rest) = basis.orthogonalise(&mut w)?;
            divide(&mut w, rest)?;
            expected = vec![T::zero(); basis.len()];
        } else {
            divide(&mut w, rest)?;
            expected = restarted.unwrap_or_else(|| {
                let mut expected = vec![T::zero(); len];
                expected[len - 1] = T::from_magnitude(rest);
                expected
            });
        }
        v = w;
    }
}

/// Returns whether convergence is checked at this size of the basis. The larger the projected matrix, the longer a check takes, and the
/// rarer checks are.
fn is_checked(len: usize) -> bool {
    len.is_multiple_of((len / 8).max(1))
}

/// Checks that the start tensor is not zero.
///
/// # Errors
/// [`Error::Argument`] if the norm of the start tensor is 0.
pub(super) fn check_start<T: LinalgElement>(op: &'static str, norm: T::Magnitude) -> Result<(), Error> {
    if norm > T::Magnitude::zero() {
        return Ok(());
    }
    let reason =
        "the start tensor is zero; start with a tensor that is not, e.g. with random elements".into();
    Err(Error::Argument { op, reason })
}

/// Compares a column of the projected matrix with the expected one. The threshold is far above rounding errors, so operators that are
/// computed with a low accuracy pass.
///
/// # Errors
/// [`Error::Argument`] if the operator is not Hermitian.
fn check_hermitian<T: LinalgElement>(
    op: &'static str,
    column: &[T],
    expected: &[T],
    scale: T::Magnitude,
) -> Result<(), Error> {
    let last = column.len() - 1;
    let imaginary: T::Magnitude = column[last].im().cast_to();
    let differences = column.iter().zip(expected).map(|(&h, &x)| modulus(h - x));
    let largest = differences.fold(Float::abs(imaginary), Float::max);
    let allowed = Float::sqrt(Float::sqrt(T::Magnitude::epsilon())) * scale;
    if largest <= allowed {
        return Ok(());
    }
    let reason = format!(
        "the operator is not Hermitian: inner products ⟨x, A·y⟩ and ⟨A·x, y⟩ of unit vectors differ by {:.1e}, and its norm is about {:.1e}; \
         apply `x ↦ (A·x + Aᴴ·x) / 2`, if this is what you mean",
        largest.in_f64(),
        scale.in_f64()
    );
    Err(Error::Argument { op, reason })
}
