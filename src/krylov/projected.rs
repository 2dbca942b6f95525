//! Small dense problems on the host: operators projected on a basis.

use super::options::End;
use crate::device::family::decompose::LinalgElement;
use crate::error::Error;
use crate::rank::Rank;
use crate::tensor::Tensor;
use core::cmp::Ordering;
use num_traits::Float;

/// A small matrix on the host.
pub(super) type Small<T> = Tensor<T, Rank<2>>;

/// The projection of a Hermitian operator on a growing basis: a Hermitian matrix.
pub(super) struct Projected<T: LinalgElement> {
    matrix: Small<T>,
    len: usize,
}

impl<T: LinalgElement> Projected<T> {
    pub(super) fn new(vectors: usize) -> Result<Self, Error> {
        Ok(Projected { matrix: Tensor::try_zeros([vectors, vectors])?, len: 0 })
    }

    /// Appends a column, and its conjugate as a row. The last element of the column is on the diagonal.
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

    /// Returns the eigenvalues, the requested ones first, and the eigenvectors as columns.
    pub(super) fn eigenpairs(&self, end: End) -> Result<(Vec<T::Magnitude>, Small<T>), Error> {
        let (values, vectors) = self.matrix.try_slice(crate::s![..self.len, ..self.len])?.try_eigh()?;
        let values = values.into_vec();
        if end == End::Lowest {
            return Ok((values, vectors));
        }
        let key = |j: &usize| end.key(values[*j], Float::abs(values[*j]));
        let mut order: Vec<usize> = (0..self.len).collect();
        order.sort_by(|i, j| key(i).partial_cmp(&key(j)).unwrap_or(Ordering::Equal));
        let vectors = Small::try_from_fn([self.len; 2], |[i, j]| vectors[[i, order[j]]])?;
        Ok((order.iter().map(|&j| values[j]).collect(), vectors))
    }
}
