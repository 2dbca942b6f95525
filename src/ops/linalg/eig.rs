//! Eigenvalues and eigenvectors of matrices that need not be Hermitian, and the Schur decomposition.

use super::stack::{Extents, Stack, StackView, Vectors, arranged, dense, extents, stacked, vectors_shape};
use crate::device::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Device};
use crate::element::Element;
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Removed};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// Computes the eigenvalues, and writes the eigenvectors to `v`.
fn eigenvalues<T, O, Dev>(
    a: &StackView<'_, T, O, Dev>,
    v: Option<&mut Stack<T::Complex, O, Dev>>,
) -> Result<Vectors<T::Complex, O, Dev>, Error>
where
    T: LinalgElement,
    O: Order,
    Dev: Decompose<T>,
{
    let [batch, n, _] = extents::<O>(a.shape());
    let mut w = Vectors::<T::Complex, O, Dev>::allocate(vectors_shape::<O>(batch, n), a.device().clone())?;
    let (of_a, of_w) = (arranged::<O>(a.layout(), 2), arranged::<O>(w.layout(), 1));
    let of_v = v.as_ref().map(|v| arranged::<O>(v.layout(), 2));
    let to_v = v.zip(of_v.as_ref()).map(|(v, of_v)| v.output_in(of_v).0);
    let (to_w, device) = w.output_in(&of_w);
    device.eig(to_w, to_v, a.operand_in(&of_a).into())?;
    Ok(w)
}

pub(crate) fn eigvals<T, O, Dev>(a: &StackView<'_, T, O, Dev>) -> Result<Vectors<T::Complex, O, Dev>, Error>
where
    T: LinalgElement,
    O: Order,
    Dev: Decompose<T>,
{
    eigenvalues(a, None)
}

/// Complex eigenvalues and eigenvectors.
type Eig<C, O, Dev> = (Vectors<C, O, Dev>, Stack<C, O, Dev>);

pub(crate) fn eig<T, O, Dev>(a: &StackView<'_, T, O, Dev>) -> Result<Eig<T::Complex, O, Dev>, Error>
where
    T: LinalgElement,
    O: Order,
    Dev: Decompose<T>,
{
    let mut v = Stack::<T::Complex, O, Dev>::allocate(a.shape(), a.device().clone())?;
    let w = eigenvalues(a, Some(&mut v))?;
    Ok((w, v))
}

pub(crate) fn schur<T, O, Dev>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<(Stack<T, O, Dev>, Stack<T, O, Dev>), Error>
where
    T: LinalgElement,
    O: Order,
    Dev: Decompose<T>,
{
    let mut t = Stack::<T, O, Dev>::allocate(a.shape(), a.device().clone())?;
    let mut z = Stack::<T, O, Dev>::allocate(a.shape(), a.device().clone())?;
    let [of_a, of_t, of_z] = [a.layout(), t.layout(), z.layout()].map(|layout| arranged::<O>(layout, 2));
    let to_z = z.output_in(&of_z).0;
    let (to_t, device) = t.output_in(&of_t);
    device.schur(to_t, to_z, a.operand_in(&of_a).into())?;
    Ok((t, z))
}

dense! {
    /// Returns the eigenvalues and the eigenvectors, as columns, of a square matrix or of each matrix of a batch: `a · v = v · w`. Both are
    /// complex, also those of real matrices.
    ///
    /// The sequence of the eigenvalues is not specified, except that a real matrix has pairs of conjugate eigenvalues next to each other.
    /// Each eigenvector has norm 1; the module [`linalg`](crate::linalg) describes its phase. For Hermitian matrices, use
    /// [`eigh`](Tensor::eigh), which is faster and whose eigenvectors are orthonormal.
    ///
    /// # Panics
    /// If the matrix is not square, an element is NaN or infinite, the iteration does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// let (w, v) = tensor![[0.0, -1.0], [1.0, 0.0]].eig();
    /// assert!(w.all_close(&tensor![Complex::new(0.0, 1.0), Complex::new(0.0, -1.0)], 1e-15, 1e-15));
    /// let a = tensor![[0.0, -1.0], [1.0, 0.0]].cast::<Complex<f64>>();
    /// assert!(a.matmul(&v).all_close(&(&v * &w), 1e-15, 1e-15));
    /// ```
    eig, try_eig() -> (Tensor<T::Complex, Removed<D, 1>, O, Dev>, Tensor<T::Complex, D, O, Dev>), Square eig;

    /// Returns the eigenvalues of a square matrix, or of each matrix of a batch. They are complex, also those of real matrices; their
    /// sequence is not specified.
    ///
    /// # Panics
    /// For the reasons for which [`eig`](Tensor::eig) panics.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// let w = tensor![[2.0, 1.0], [0.0, 2.0]].eigvals();
    /// assert_eq!(w, tensor![Complex::new(2.0, 0.0), Complex::new(2.0, 0.0)]);
    /// ```
    eigvals, try_eigvals() -> Tensor<T::Complex, Removed<D, 1>, O, Dev>, Square eigvals;

    /// Returns the Schur decomposition `a = z · t · zᴴ` of a square matrix, or of each matrix of a batch, as `(t, z)`.
    ///
    /// `z` is unitary, and `t` is upper triangular. If the matrix is real, so are both factors, and `t` has a block of two rows on its
    /// diagonal for each pair of conjugate complex eigenvalues. For a triangular `t`, convert the matrix to complex elements first.
    ///
    /// # Panics
    /// For the reasons for which [`eig`](Tensor::eig) panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[1.0, 2.0], [3.0, 2.0]];
    /// let (t, z) = a.schur();
    /// assert_eq!(t[[1, 0]], 0.0);
    /// assert!(z.matmul(&t).matmul(z.t()).all_close(&a, 1e-14, 0.0));
    /// ```
    schur, try_schur() -> (Tensor<T, D, O, Dev>, Tensor<T, D, O, Dev>), Square schur;
}
