//! Functions of Hermitian matrices, and the generalised eigenproblem of a Hermitian and a positive definite matrix.

use super::eigh::{Eigh, eigh};
use super::lu::cholesky;
use super::solve::solve_stacks;
use super::stack::{
    Stack, StackExtents, StackView, adjoint, check_finite, dense, each_vector, extents, scale_columns,
    stacked, vectors,
};
use crate::device::family::decompose::{Decompose, LinalgElement, Structure};
use crate::device::{Backend, Device};
use crate::element::Element;
use crate::engine::decompose::{Matrices, merged_shape};
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::ops::MatchingOperand;
use crate::ops::op::Add;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Removed, check_matrices};
use crate::storage::Storage;
use crate::tensor::Tensor;

fn hermitian_map<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
    mut f: impl FnMut(T::Magnitude) -> T,
) -> Result<Stack<T, O, Dev>, Error> {
    let [batch, n, _] = extents::<O>(a.shape());
    let (w, v) = eigh(a)?;
    let mapped = each_vector(&w, |_, w| w.iter().map(|&w| f(w)).collect::<Vec<T>>())?.concat();
    let scaled = scale_columns(&v.view(), &vectors(mapped, batch, n, a.device())?)?;
    scaled.try_matmul(&adjoint(&v.view())?)
}

/// Returns the eigenvalues and eigenvectors of `a · v = b · v · w`. With `b = l · lᴴ`, the eigenvalues are those of the Hermitian matrix
/// `l⁻¹ · a · l⁻ᴴ`, and the eigenvectors are `l⁻ᴴ` times the eigenvectors of this matrix.
fn eigh_generalized<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
    b: &StackView<'_, T, O, Dev>,
) -> Result<Eigh<T, O, Dev>, Error> {
    check_finite(GENERALIZED, a)?;
    let l = cholesky(b)?;
    // Mirror the lower triangle of `a`, to obtain the whole Hermitian matrix.
    let strict = a.try_tril(-1)?;
    let whole = adjoint(&strict.view())?.try_apply2(Add, &a.try_tril(0)?)?;
    let lower = Structure::Lower { unit: false };
    let half = adjoint(&solve_stacks(lower, &l.view(), &whole.view())?.view())?;
    let (w, v) = eigh(&solve_stacks(lower, &l.view(), &half.view())?.view())?;
    let v = solve_stacks(Structure::Upper { unit: false }, &adjoint(&l.view())?.view(), &v.view())?;
    Ok((w, v))
}

/// The name of the operation in messages.
const GENERALIZED: &str = "eigh_generalized";

/// Checks that the shapes of the two matrices are equal and square.
///
/// # Errors
/// [`Error::Argument`] if they are not.
fn check_pair(row_major: bool, a: &[usize], b: &[usize]) -> Result<(), Error> {
    check_matrices(GENERALIZED, a.len())?;
    Matrices::new(row_major, a).check_square(GENERALIZED, a)?;
    if a == b {
        return Ok(());
    }
    let reason = format!("matrices of shape {a:?} and {b:?}: the shapes must be equal");
    Err(Error::Argument { op: GENERALIZED, reason })
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Solves the generalised eigenproblem `a · v = b · v · w` of a Hermitian matrix and a positive definite matrix `b`, or of each pair of
    /// matrices of two batches. Returns the eigenvalues, in ascending order, and the eigenvectors, as columns.
    ///
    /// The eigenvectors are orthonormal with respect to `b`: `vᴴ · b · v = 1`. Only the lower triangles of both matrices are used. The
    /// problem is reduced to [`eigh`](Tensor::eigh) by a Cholesky decomposition of `b`, so errors grow with the [condition](Tensor::cond)
    /// of `b`.
    ///
    /// # Errors
    /// * If the matrices are not square or differ in shape, `b` is not positive definite, or an element is NaN or infinite.
    /// * If the iteration does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[2.0, 0.0], [0.0, 12.0]];
    /// let b = tensor![[1.0, 0.0], [0.0, 4.0]];
    /// let (w, v) = a.eigh_generalized(&b);
    /// assert_eq!(w, tensor![2.0, 3.0]);
    /// assert_eq!(v, tensor![[1.0, 0.0], [0.0, 0.5]]);
    /// ```
    #[fallible]
    pub fn eigh_generalized<B>(
        &self,
        b: B,
    ) -> (Tensor<T::Magnitude, Removed<D, 1>, O, Dev>, Tensor<T, D, O, Dev>)
    where
        T: LinalgElement,
        B: MatchingOperand<T, O, Dev, Dim = D>,
        D: MatrixStack,
        Dev: Decompose<T> + Backend<T>,
    {
        let b = b.agreed();
        same_instance(GENERALIZED, self.device(), b.device())?;
        check_pair(O::ROW_MAJOR, self.shape().as_ref(), b.shape().as_ref())?;
        let merged = merged_shape(O::ROW_MAJOR, b.shape().as_ref());
        let b = b.try_to_owned()?.try_reshape(merged)?;
        stacked(self, GENERALIZED, StackExtents::Square, |a| eigh_generalized(&a, &b.view()))
    }
}

dense! {
    /// Returns a function of a Hermitian matrix, or of each matrix of a batch: `v · f(w) · vᴴ`, where `w` are the eigenvalues and `v` the
    /// eigenvectors.
    ///
    /// `f` receives the eigenvalues as real numbers and returns elements, which are complex numbers if the matrix has complex elements:
    /// `|w| Complex::new(0.0, -w * t).exp()` is the time evolution `exp(−i·a·t)`. Only the lower triangle of the matrix is used.
    ///
    /// # Errors
    /// For the reasons for which [`eigh`](Tensor::eigh) panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[5.0, 4.0], [4.0, 5.0]];
    /// let root = a.hermitian_map(f64::sqrt);
    /// assert!(root.all_close(&tensor![[2.0, 1.0], [1.0, 2.0]], 1e-14, 0.0));
    /// ```
    hermitian_map(f: impl FnMut(T::Magnitude) -> T) -> Tensor<T, D, O, Dev>, Square hermitian_map;
}
