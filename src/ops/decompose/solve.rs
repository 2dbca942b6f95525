//! Linear systems: general, Hermitian and triangular ones.

use super::stack::{Stack, StackView};
use crate::device::family::decompose::{Decompose, LinalgElement, Structure};
use crate::device::{Copy, Device};
use crate::element::Element;
use crate::engine::decompose::{self, Matrices, solution_rank, solution_shape};
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::ops::MatchingOperand;
use crate::order::Order;
use crate::rank::{Dim, MatmulRanks, MatrixStack};
use crate::storage::Storage;
use crate::tensor::{Tensor, TensorView};

/// Pairs of ranks for which a linear system can be solved: `Self` is the rank of the matrix or of the batch of matrices, and `Other` is the
/// rank of the right-hand side. The pairs are those of a matrix product.
///
/// ```
/// use vierbein::linalg::{LinalgElement, SolveRanks};
/// use vierbein::{MatrixStack, prelude::*};
/// fn solutions<T, D, E, R>(a: &Tensor<T, D>, b: &Tensor<T, E>) -> Tensor<T, R>
/// where
///     T: LinalgElement,
///     D: MatrixStack + SolveRanks<E, Solution = R>,
///     E: Dim,
///     R: Dim,
/// {
///     a.solve(b)
/// }
/// assert_eq!(solutions(&tensor![[2.0, 0.0], [1.0, 4.0]], &tensor![2.0, 9.0]), tensor![1.0, 2.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "cannot solve a linear system with a matrix of `{Self}` and a right-hand side of `{Other}`",
    label = "expected a vector, or a matrix whose columns are right-hand sides",
    note = "for a right-hand side with equal elements, repeat the number: `Tensor::full([n], x)`",
    note = "in generic code, bound the rank: `D: SolveRanks<E>`"
)]
pub trait SolveRanks<Other>: Dim {
    /// The rank of the solution.
    type Solution: Dim;
}

#[diagnostic::do_not_recommend]
impl<D: MatmulRanks<E>, E> SolveRanks<E> for D {
    type Solution = D::Product;
}

/// Solves a linear system for each matrix of the stack `a`, with right-hand sides from the stack `b`. The batches of both have equal
/// extents.
pub(super) fn solve_stacks<T: LinalgElement, O: Order, Dev: Decompose<T> + Copy<T>>(
    structure: Structure,
    a: &StackView<'_, T, O, Dev>,
    b: &StackView<'_, T, O, Dev>,
) -> Result<Stack<T, O, Dev>, Error> {
    a.solved("solve", structure, b.view())
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Solves the linear system `a · x = b` with a square matrix, or with each matrix of a batch, by an LU decomposition with partial
    /// pivoting. Returns `x`.
    ///
    /// | matrices, row-major | column-major | `b` | `x` |
    /// |---|---|---|---|
    /// | `[.., n, n]` | `[n, n, ..]` | `[n]` | `[.., n]` or `[n, ..]` |
    /// | `[.., n, n]` | `[n, n, ..]` | `[.., n, p]` or `[n, p, ..]` | `[.., n, p]` or `[n, p, ..]` |
    ///
    /// A `b` of rank 1 is one right-hand side. A `b` of a higher rank has a right-hand side in each of its columns. Batches (`..`)
    /// broadcast. A matrix counts as singular if a pivot is exactly 0. If a matrix may be almost singular, compute its condition number
    /// with [`cond`](Tensor::cond).
    ///
    /// # Errors
    /// * If the matrix is not square or is singular, or an element is NaN or infinite.
    /// * If `b` does not have as many rows as the matrix, or batches do not broadcast.
    /// * If an element of the solution exceeds the limits of its type, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[2.0, 0.0], [1.0, 4.0]];
    /// assert_eq!(a.solve(tensor![2.0, 9.0]), tensor![1.0, 2.0]);
    /// assert_eq!(a.solve(tensor![[2.0, 0.0], [9.0, 4.0]]), tensor![[1.0, 0.0], [2.0, 1.0]]);
    /// ```
    #[fallible]
    pub fn solve<B, R>(&self, b: B) -> Tensor<T, R, O, Dev>
    where
        T: LinalgElement,
        B: MatchingOperand<T, O, Dev>,
        D: MatrixStack + SolveRanks<B::Dim, Solution = R>,
        R: Dim,
        Dev: Decompose<T> + Copy<T>,
    {
        self.solved("solve", Structure::General, b.agreed())
    }

    /// [`solve`](Tensor::solve) with a matrix whose [structure](Structure) is known: positive definite, Hermitian or triangular.
    ///
    /// A triangular system takes about `n²` additions and multiplications for each right-hand side. A positive definite system takes about
    /// half of the time of a general one. A Hermitian system is solved by the decomposition of [`ldl`](Tensor::ldl). The result does not
    /// depend on the part of the matrix that the structure does not use, but a NaN or infinite element there is an error.
    ///
    /// # Errors
    /// For the reasons for which [`solve`](Tensor::solve) panics, or if `structure` is [`Structure::PositiveDefinite`] and the matrix is
    /// not positive definite.
    ///
    /// ```
    /// use vierbein::linalg::Structure;
    /// use vierbein::tensor;
    /// let a = tensor![[2.0, 7.0], [1.0, 4.0]];
    /// assert_eq!(a.solve_as(Structure::Lower { unit: false }, tensor![2.0, 9.0]), tensor![1.0, 2.0]);
    /// assert_eq!(a.solve_as(Structure::Upper { unit: false }, tensor![9.0, 4.0]), tensor![1.0, 1.0]);
    /// let definite = tensor![[4.0, 2.0], [2.0, 10.0]];
    /// let x = definite.solve_as(Structure::PositiveDefinite, tensor![8.0, 22.0]);
    /// assert!(x.all_close(&tensor![1.0, 2.0], 1e-14, 0.0));
    /// let indefinite = tensor![[0.0, 2.0], [2.0, 1.0]];
    /// let x = indefinite.solve_as(Structure::Hermitian, tensor![2.0, 5.0]);
    /// assert!(x.all_close(&tensor![2.0, 1.0], 1e-14, 0.0));
    /// ```
    #[fallible]
    pub fn solve_as<B, R>(&self, structure: Structure, b: B) -> Tensor<T, R, O, Dev>
    where
        T: LinalgElement,
        B: MatchingOperand<T, O, Dev>,
        D: MatrixStack + SolveRanks<B::Dim, Solution = R>,
        R: Dim,
        Dev: Decompose<T> + Copy<T>,
    {
        self.solved("solve", structure, b.agreed())
    }

    pub(super) fn solved<E: Dim, R: Dim>(
        &self,
        op: &'static str,
        structure: Structure,
        b: TensorView<'_, T, E, O, Dev>,
    ) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: LinalgElement,
        D: MatrixStack + SolveRanks<E, Solution = R>,
        Dev: Decompose<T> + Copy<T>,
    {
        same_instance(op, self.device(), b.device())?;
        let a = self.shape();
        let mut shape = R::shape(solution_rank(op, self.rank(), b.rank())?);
        Matrices::new(O::ROW_MAJOR, a.as_ref()).check_square(op, a.as_ref())?;
        solution_shape(op, O::ROW_MAJOR, a.as_ref(), b.shape().as_ref(), shape.as_mut())?;
        Tensor::allocate_with(shape, self.device().clone(), |x, device| {
            decompose::solve(op, O::ROW_MAJOR, device, structure, self.operand().into(), b.operand(), x)
        })
    }
}
