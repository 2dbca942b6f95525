//! Least squares.

use super::ranks::{Negligible, pseudo_inverse_factors};
use super::solve::SolveRanks;
use super::stack::{StackExtents, stacked};
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Device, Operand};
use crate::element::Element;
use crate::engine::decompose::{Matrices, multiply_sides, side_axis, solution_rank, solution_shape};
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::ops::MatchingOperand;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// For `lstsq`: the name of the operation in messages, and which singular values count as 0.
const LSTSQ: (&str, Negligible) = ("lstsq", Negligible::Rounding);

/// Returns, for `lstsq_with`, the name of the operation in messages, and which singular values count as 0.
///
/// # Errors
/// [`Error::Argument`] if `relative` is negative or NaN.
fn lstsq_with(relative: f64) -> Result<(&'static str, Negligible), Error> {
    let op = "lstsq_with";
    Ok((op, Negligible::relative(op, ".lstsq(b)", relative)?))
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the `x` for which the norm of `a · x − b` is least, for a matrix of any shape or each matrix of a batch. If there are
    /// several such `x`, returns the one with the least norm.
    ///
    /// Shapes are those of [`solve`](Tensor::solve): `b` is one right-hand side of length `m`, or has a right-hand side in each of its
    /// columns, and batches broadcast. Singular values of at most `max(m, n) · ε` times the largest one count as 0, as in NumPy; `ε` is the
    /// machine epsilon. To choose another factor, use [`lstsq_with`](Tensor::lstsq_with).
    ///
    /// # Errors
    /// * If `b` does not have as many rows as the matrix, batches do not broadcast, or an element is NaN or infinite.
    /// * If the iteration for singular values does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// // The line through (0, 1), (1, 3) and (2, 5).
    /// let a = tensor![[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]];
    /// let x = a.lstsq(tensor![1.0, 3.0, 5.0]);
    /// assert!(x.all_close(&tensor![2.0, 1.0], 1e-14, 0.0));
    /// ```
    #[fallible]
    pub fn lstsq<B, R>(&self, b: B) -> Tensor<T, R, O, Dev>
    where
        T: LinalgElement,
        B: MatchingOperand<T, O, Dev>,
        D: MatrixStack + SolveRanks<B::Dim, Solution = R>,
        R: Dim,
        Dev: Decompose<T> + Backend<T>,
    {
        self.least_squares(LSTSQ, b)
    }

    /// Variant of [`lstsq`](Tensor::lstsq) that counts a singular value as 0 if it is at most `relative` times the largest one. If the
    /// errors of the matrix have a known norm, divide it by the spectral norm of the matrix to get `relative`. Singular values that are
    /// smaller than the errors would amplify the errors.
    ///
    /// # Errors
    /// For the reasons for which `lstsq` panics, or if `relative` is negative or NaN.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[1.0, 0.0], [0.0, 1e-6], [0.0, 0.0]];
    /// let b = tensor![2.0, 3.0, 5.0];
    /// assert!(a.lstsq(&b).all_close(&tensor![2.0, 3e6], 1e-14, 0.0));
    /// assert_eq!(a.lstsq_with(&b, 1e-3), tensor![2.0, 0.0]);
    /// ```
    #[fallible]
    pub fn lstsq_with<B, R>(&self, b: B, relative: f64) -> Tensor<T, R, O, Dev>
    where
        T: LinalgElement,
        B: MatchingOperand<T, O, Dev>,
        D: MatrixStack + SolveRanks<B::Dim, Solution = R>,
        R: Dim,
        Dev: Decompose<T> + Backend<T>,
    {
        self.least_squares(lstsq_with(relative)?, b)
    }

    fn least_squares<B: MatchingOperand<T, O, Dev>, R: Dim>(
        &self,
        (op, negligible): (&'static str, Negligible),
        b: B,
    ) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: LinalgElement,
        D: MatrixStack + SolveRanks<B::Dim, Solution = R>,
        Dev: Decompose<T> + Backend<T>,
    {
        let b = b.agreed();
        same_instance(op, self.device(), b.device())?;
        let mut shape = R::shape(solution_rank(op, self.rank(), b.rank())?);
        solution_shape(op, O::ROW_MAJOR, self.shape().as_ref(), b.shape().as_ref(), shape.as_mut())?;
        if !b.try_is_finite()?.try_all()?.try_item()? {
            let reason =
                "the right-hand sides have an element that is NaN or infinite; find it with `.is_finite()`";
            return Err(Error::Argument { op, reason: reason.into() });
        }
        let (left, right) = stacked(self, op, StackExtents::Any, |a| pseudo_inverse_factors(&a, negligible))?;
        let vectors = b.rank() == 1;
        let product = |a: &Tensor<T, D, O, Dev>, b: Operand<'_, T, Dev>, shape: R::Shape| {
            Tensor::<T, R, O, Dev>::allocate_with(shape, a.device().clone(), |out, device| {
                multiply_sides(O::ROW_MAJOR, device, a.operand(), b, vectors, out)
            })
        };
        let mut inner = shape;
        let of_right = Matrices::new(O::ROW_MAJOR, right.shape().as_ref());
        inner.as_mut()[side_axis(O::ROW_MAJOR, shape.as_ref().len(), vectors)] = of_right.m;
        product(&left, product(&right, b.operand(), inner)?.operand(), shape)
    }
}
