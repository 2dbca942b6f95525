//! An orthonormal basis: one matrix with a vector in each row.

use super::projected::Small;
use super::vector::{Vector, norm, to_device};
use crate::device::{Backend, Cpu, Device};
use crate::element::{Element, Inexact};
use crate::error::Error;
use crate::order::RowMajor;
use crate::rank::Rank;
use crate::tensor::{Tensor, TensorView};

pub(super) struct Basis<T: Element, Dev: Device> {
    rows: Tensor<T, Rank<2>, RowMajor, Dev>,
    len: usize,
}

impl<T: Inexact, Dev: Backend<T>> Basis<T, Dev> {
    /// Returns an empty basis with space for this number of vectors of `n` elements.
    pub(super) fn new(vectors: usize, n: usize, device: &Dev) -> Result<Self, Error> {
        Ok(Basis { rows: Tensor::try_zeros_in([vectors, n], device)?, len: 0 })
    }

    /// The number of vectors.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Removes all vectors.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    fn vectors(&self) -> Result<TensorView<'_, T, Rank<2>, RowMajor, Dev>, Error> {
        self.rows.try_slice(crate::s![..self.len, ..])
    }

    /// Returns a copy of a vector.
    pub(super) fn vector(&self, index: usize) -> Result<Vector<T, Dev>, Error> {
        self.rows.try_index_axis(0, index)?.try_to_owned()
    }

    /// Appends a vector. The caller must ensure that there is space for it.
    pub(super) fn push(&mut self, v: &Vector<T, Dev>) -> Result<(), Error> {
        self.rows.try_index_axis_mut(0, self.len)?.try_assign(v)?;
        self.len += 1;
        Ok(())
    }

    /// Subtracts the projection of `w` on the basis. Returns the coefficients of the projection, and the norm of the remaining `w`.
    ///
    /// Classical Gram–Schmidt, twice: if the remaining vector is small, the rounding errors of the first pass can be large compared with
    /// it, and need not be orthogonal to the basis.
    pub(super) fn orthogonalise(&self, w: &mut Vector<T, Dev>) -> Result<(Vec<T>, T::Magnitude), Error> {
        let mut sum = vec![T::zero(); self.len];
        if self.len > 0 {
            let rows = self.vectors()?;
            for _ in 0..2 {
                let h = crate::try_einsum!("jn,n->j", rows.conj_view(), &*w)?;
                crate::try_einsum_into!(&mut *w, -T::one(), T::one(); "jn,j->n", rows, &h)?;
                let h = h.to_device::<Cpu>()?;
                sum.iter_mut().zip(h.iter()).for_each(|(sum, &h)| *sum += h);
            }
        }
        Ok((sum, norm(w)?))
    }

    /// Returns the inner products of the basis vectors with `w`.
    pub(super) fn coefficients(&self, w: &Vector<T, Dev>) -> Result<Vec<T>, Error> {
        Ok(crate::try_einsum!("jn,n->j", self.vectors()?.conj_view(), w)?.to_device::<Cpu>()?.into_vec())
    }

    /// Returns the linear combination of the first `weights.len()` vectors.
    pub(super) fn combine(&self, weights: &[T]) -> Result<Vector<T, Dev>, Error> {
        let weights = to_device(weights, self.rows.device())?;
        let rows = self.rows.try_slice(crate::s![..weights.len(), ..])?;
        crate::try_einsum!("jn,j->n", rows, &weights)
    }

    /// Replaces the vectors by `columns` linear combinations of them: column `j` of `weights` has the coefficients of combination `j`.
    pub(super) fn rotate(&mut self, weights: &Small<T>, columns: usize) -> Result<(), Error> {
        let mut elements = Vec::with_capacity(columns * self.len);
        for column in 0..columns {
            elements.extend((0..self.len).map(|row| weights[[row, column]]));
        }
        let weights: Tensor<T, Rank<2>, RowMajor, Dev> =
            Tensor::<T, Rank<2>>::try_from_vec([columns, self.len], elements)?
                .to_device_in(self.rows.device())?;
        let rotated = crate::try_einsum!("kj,jn->kn", &weights, self.vectors()?)?;
        self.rows.try_slice_mut(crate::s![..columns, ..])?.try_assign(&rotated)?;
        self.len = columns;
        Ok(())
    }
}
