//! Small dense problems on the host: operators projected on a basis.

use crate::device::decompose::LinalgElement;
use crate::error::Error;
use crate::rank::Rank;
use crate::tensor::Tensor;

/// A small matrix on the host.
pub(super) type Small<T> = Tensor<T, Rank<2>>;

/// A Hermitian operator, projected on a basis that grows: a Hermitian matrix.
pub(super) struct Projected<T: LinalgElement> {
    matrix: Small<T>,
    len: usize,
}

impl<T: LinalgElement> Projected<T> {
    pub(super) fn new(vectors: usize) -> Result<Self, Error> {
        Ok(Projected { matrix: Tensor::try_zeros([vectors, vectors])?, len: 0 })
    }

    /// Appends a column, and its conjugate as a row. The last element is that of the diagonal.
    pub(super) fn push(&mut self, column: &[T]) {
        let j = self.len;
        for (i, &h) in column.iter().enumerate() {
            self.matrix[[i, j]] = h;
            self.matrix[[j, i]] = h.conj();
        }
        self.len += 1;
    }

    /// Replaces the matrix by a diagonal one.
    pub(super) fn restart(&mut self, diagonal: &[T::Magnitude]) {
        self.matrix.fill(T::zero());
        self.len = diagonal.len();
        for (i, &value) in diagonal.iter().enumerate() {
            self.matrix[[i, i]] = T::from_magnitude(value);
        }
    }

    /// Returns the eigenvalues, in ascending or descending order, and the eigenvectors as columns.
    pub(super) fn eigenpairs(&self, descending: bool) -> Result<(Vec<T::Magnitude>, Small<T>), Error> {
        let (values, vectors) = self.matrix.try_slice(crate::s![..self.len, ..self.len])?.try_eigh()?;
        let mut values = values.into_vec();
        if !descending {
            return Ok((values, vectors));
        }
        values.reverse();
        Ok((values, vectors.try_flip([1])?.try_to_owned()?))
    }
}
