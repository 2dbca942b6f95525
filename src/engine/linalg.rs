//! Linear algebra: which axes of a tensor are the matrix, and errors in terms of the tensor.
//!
//! As in matrix products, the memory order determines the matrix: the last two axes in row-major order, the first two in column-major order.
//! The other axes are those of the batch. Devices expect the axes of the batch first, so the axes of column-major tensors are permuted.

use crate::error::Error;
use crate::layout::axes::{Axes, AxesMut};
use crate::rank::MAX_RANK;

/// The number of axes of a batch, and the extents of its matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Matrices {
    pub(crate) batch: usize,
    pub(crate) m: usize,
    pub(crate) n: usize,
}

impl Matrices {
    /// Returns the matrices of a tensor of this shape, which has at least two axes.
    pub(crate) fn new(row_major: bool, shape: &[usize]) -> Matrices {
        let batch = shape.len() - 2;
        let first = if row_major { batch } else { 0 };
        Matrices { batch, m: shape[first], n: shape[first + 1] }
    }

    /// Returns the smaller extent.
    pub(crate) fn k(self) -> usize {
        self.m.min(self.n)
    }

    /// Checks that the matrices are square.
    ///
    /// # Errors
    /// [`Error::Argument`].
    pub(crate) fn check_square(self, op: &'static str, shape: &[usize]) -> Result<(), Error> {
        if self.m == self.n {
            return Ok(());
        }
        let reason = format!(
            "shape {shape:?}: the matrix has {} rows and {} columns, and must be square",
            self.m, self.n
        );
        Err(Error::Argument { op, reason })
    }
}

/// Writes the extents of the axes of a batch, and `extents` after or before them, to `to`: the shape of a result.
pub(crate) fn result_shape(row_major: bool, shape: &[usize], extents: &[usize], to: &mut [usize]) {
    let (batch, kept) = (shape.len() - 2, extents.len());
    let (of_batch, at_batch, at_matrix) =
        if row_major { (&shape[..batch], 0, batch) } else { (&shape[2..], kept, 0) };
    to[at_batch..at_batch + batch].copy_from_slice(of_batch);
    to[at_matrix..at_matrix + kept].copy_from_slice(extents);
}

/// Writes the axes in the order that devices expect: the axes of the batch, then the last `kept` axes, those of a matrix or a vector.
pub(crate) fn arrange<'a>(row_major: bool, axes: Axes<'_>, kept: usize, mut to: AxesMut<'a>) -> Axes<'a> {
    let rank = axes.rank();
    let mut order = [0; MAX_RANK];
    for (k, axis) in order.iter_mut().enumerate().take(rank) {
        *axis = if row_major { k } else { (k + kept) % rank };
    }
    axes.permute(&order[..rank], to.reborrow()).expect("the order of the axes is a permutation");
    to.into_axes()
}

/// Returns the error of a device with the name of the operation and the shape of the tensor that the caller knows.
pub(crate) fn named(error: Error, op: &'static str, shape: &[usize]) -> Error {
    let shape = shape.to_vec();
    match error {
        Error::NotFinite { matrix, .. } => Error::NotFinite { op, shape, matrix },
        Error::NotConverged { matrix, .. } => Error::NotConverged { op, shape, matrix },
        Error::Singular { matrix, pivot, .. } => Error::Singular { op, shape, matrix, pivot },
        Error::NotPositiveDefinite { matrix, order, .. } => {
            Error::NotPositiveDefinite { op, shape, matrix, order }
        }
        other => other,
    }
}
