//! Linear algebra: determines which axes of a tensor are the matrix, and reports errors with the tensor's shape and indices.
//!
//! As in matrix products, the memory order determines the matrix: the last two axes in row-major order, the first two in column-major
//! order. The other axes are those of the batch. Devices expect the axes of the batch first, so the axes of column-major tensors are
//! permuted.

pub(crate) mod truncation;

use super::gemm::matmul;
use crate::device::family::decompose::{Decompose, LinalgElement, Structure};
use crate::device::{Copy, Gemm, MatrixOperand, Operand, Output};
use crate::error::Error;
use crate::layout::Layout;
use crate::layout::broadcast::common_shape;
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

    /// Checks that the matrices are square.
    ///
    /// # Errors
    /// [`Error::Argument`] if they are not.
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

/// Writes the shape of a result to `to`: the extents of the batch axes of `shape`, then `extents`. In column-major order, `extents` come
/// first.
pub(crate) fn result_shape(row_major: bool, shape: &[usize], extents: &[usize], to: &mut [usize]) {
    let (batch, kept) = (shape.len() - 2, extents.len());
    let (of_batch, at_batch, at_matrix) =
        if row_major { (&shape[..batch], 0, batch) } else { (&shape[2..], kept, 0) };
    to[at_batch..at_batch + batch].copy_from_slice(of_batch);
    to[at_matrix..at_matrix + kept].copy_from_slice(extents);
}

/// Replaces the operation and the shape in the error of a device by `op` and `shape`, the shape of the caller's tensor.
pub(crate) fn named(error: Error, op: &'static str, shape: &[usize]) -> Error {
    let shape = shape.to_vec();
    match error {
        Error::NotFinite { matrix, .. } => Error::NotFinite { op, shape, matrix },
        Error::NotConverged { matrix, .. } => Error::NotConverged { op, shape, matrix },
        Error::OutOfRange { matrix, .. } => Error::OutOfRange { op, shape, matrix },
        Error::Singular { matrix, pivot, .. } => Error::Singular { op, shape, matrix, pivot },
        Error::NotPositiveDefinite { matrix, order, .. } => {
            Error::NotPositiveDefinite { op, shape, matrix, order }
        }
        other => other,
    }
}

/// Returns the shape of a batch of matrices after its axes are merged into one.
pub(crate) fn merged_shape(row_major: bool, shape: &[usize]) -> [usize; 3] {
    let of = Matrices::new(row_major, shape);
    let batch = batch_of(row_major, shape, 2).iter().product();
    if row_major { [batch, of.m, of.n] } else { [of.m, of.n, batch] }
}

/// Returns the extents of the batch axes, without the axes of a matrix (`kept` is 2) or of a vector (`kept` is 1).
pub(crate) fn batch_of(row_major: bool, shape: &[usize], kept: usize) -> &[usize] {
    if row_major { &shape[..shape.len() - kept] } else { &shape[kept..] }
}

/// Converts the error of an operation on a batch whose axes were merged into one. The converted error contains `op`, the shape of the
/// original tensor, and the index of the matrix along the original axes of the batch.
pub(crate) fn in_terms_of(error: Error, op: &'static str, row_major: bool, shape: &[usize]) -> Error {
    let mut error = named(error, op, shape);
    if let Error::NotFinite { matrix, .. }
    | Error::NotConverged { matrix, .. }
    | Error::OutOfRange { matrix, .. }
    | Error::Singular { matrix, .. }
    | Error::NotPositiveDefinite { matrix, .. } = &mut error
    {
        let batch = batch_of(row_major, shape, 2);
        let mut merged = matrix.first().copied().unwrap_or(0);
        let mut index = vec![0; batch.len()];
        let mut along = |axis: usize| {
            index[axis] = merged % batch[axis];
            merged /= batch[axis];
        };
        if row_major {
            (0..batch.len()).rev().for_each(&mut along);
        } else {
            (0..batch.len()).for_each(&mut along);
        }
        *matrix = index;
    }
    error
}

/// Returns the axes in the order that devices expect: the axes of the batch, then the `kept` axes of a matrix or a vector.
pub(crate) fn batch_first(row_major: bool, layout: Layout, kept: usize) -> Layout {
    if row_major {
        return layout;
    }
    let (rank, mut order) = (layout.shape().len(), [0; MAX_RANK]);
    for (k, axis) in order.iter_mut().enumerate().take(rank) {
        *axis = (k + kept) % rank;
    }
    layout.permute(&order[..rank]).expect("the order of the axes is a permutation")
}

/// Returns the rank of the solution of `a · x = b`.
///
/// # Errors
/// [`Error::UnsupportedRank`] if the rank of `a` is less than 2, that of `b` is 0, or a rank is greater than [`MAX_RANK`].
pub(crate) fn solution_rank(op: &'static str, a: usize, b: usize) -> Result<usize, Error> {
    crate::rank::check_matrices(op, a)?;
    if b == 0 {
        let reason = "a tensor of `Rank<0>` has no right-hand sides: expected a vector, a matrix or a batch of matrices";
        return Err(Error::UnsupportedRank { op, reason: reason.into() });
    }
    let rank = matmul::rank(a, b)?;
    if a.max(b).max(rank) > MAX_RANK {
        let reason = format!(
            "matrices of rank {a} and right-hand sides of rank {b}: this operation supports ranks up to {MAX_RANK}; merge the axes of the \
             batch first with `.reshape(..)`"
        );
        return Err(Error::UnsupportedRank { op, reason });
    }
    Ok(rank)
}

/// Writes the shape of the solution of `a · x = b` to `to`. If `b` has rank 1, it is a vector. Otherwise, it is a matrix or a batch of
/// matrices, whose columns are right-hand sides.
///
/// # Errors
/// [`Error::Argument`] if the numbers of rows differ or the batches do not broadcast.
pub(crate) fn solution_shape(
    op: &'static str,
    row_major: bool,
    a: &[usize],
    b: &[usize],
    to: &mut [usize],
) -> Result<(), Error> {
    let (of, kept) = (Matrices::new(row_major, a), b.len().min(2));
    let (of_a, of_b) = (batch_of(row_major, a, 2), batch_of(row_major, b, kept));
    let sides = if row_major { &b[b.len() - kept..] } else { &b[..kept] };
    let operands = format_args!("matrices of shape {a:?} and right-hand sides of shape {b:?}");
    if sides[0] != of.m {
        let reason = format!(
            "{operands}: a matrix has {} rows, and the right-hand sides have {} elements; give the right-hand sides as a vector or as the columns \
             of a matrix",
            of.m, sides[0]
        );
        return Err(Error::Argument { op, reason });
    }
    let (batch, solution) = if row_major {
        to.split_at_mut(to.len() - kept)
    } else {
        let (solution, batch) = to.split_at_mut(kept);
        (batch, solution)
    };
    if !batch.is_empty() && !common_shape(of_a, of_b, row_major, batch) {
        let reason = format!(
            "{operands}: the batches {of_a:?} and {of_b:?} do not broadcast; make their extents equal or 1"
        );
        return Err(Error::Argument { op, reason });
    }
    solution.copy_from_slice(sides);
    solution[0] = of.n;
    Ok(())
}

/// Solves `a · x = b`. `a`, `b` and `x` have their axes in the order of tensors, and `x` has the [`solution_shape`]. This function
/// reorders the axes for the device.
///
/// # Errors
/// The errors of [`Decompose::solve`], with the shape of `a`.
pub(crate) fn solve<T: LinalgElement, Dev: Decompose<T> + Copy<T>>(
    op: &'static str,
    row_major: bool,
    device: &Dev,
    structure: Structure,
    a: MatrixOperand<'_, T, Dev>,
    b: Operand<'_, T, Dev>,
    mut x: Output<'_, T, Dev>,
) -> Result<(), Error> {
    let kept = b.shape().len().min(2);
    let shape = Layout::new(x.shape(), x.strides());
    let batch = batch_of(row_major, shape.shape(), kept);
    let to_x = spread(row_major, &shape, kept, batch);
    let of_b = spread(row_major, &Layout::new(b.shape(), b.strides()), kept, batch);
    let of_a = spread(row_major, &Layout::new(a.operand.shape(), a.operand.strides()), 2, batch);
    device.copy(x.reborrow().with_axes(to_x.axes(), 0), b.with_axes(of_b.axes(), 0))?;
    let matrices = MatrixOperand { operand: a.operand.with_axes(of_a.axes(), 0), conjugate: a.conjugate };
    device
        .solve(structure, x.with_axes(to_x.axes(), 0), matrices)
        .map_err(|error| named(error, op, a.operand.shape()))
}

/// Writes the product of one or more matrices `a` and right-hand sides `b`. If `vectors` is `true`, `b` has a vector for each matrix,
/// otherwise a matrix.
///
/// # Errors
/// The error of the device.
pub(crate) fn multiply_sides<T: LinalgElement, Dev: Gemm<T>>(
    row_major: bool,
    device: &Dev,
    a: Operand<'_, T, Dev>,
    b: Operand<'_, T, Dev>,
    vectors: bool,
    out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    if !vectors {
        return matmul::write(row_major, device, a.into(), b.into(), out);
    }
    let with_one_column = |shape: &[usize], strides: &[isize]| {
        Layout::new(shape, strides).insert_axis(if row_major { shape.len() } else { 1 })
    };
    let (of_b, to) = (with_one_column(b.shape(), b.strides())?, with_one_column(out.shape(), out.strides())?);
    matmul::write(
        row_major,
        device,
        a.into(),
        b.with_axes(of_b.axes(), 0).into(),
        out.with_axes(to.axes(), 0),
    )
}

/// Returns the axis of a tensor of rank `rank` along which one right-hand side extends. The right-hand sides are vectors if `vectors` is
/// `true`, and otherwise the columns of matrices.
pub(crate) fn side_axis(row_major: bool, rank: usize, vectors: bool) -> usize {
    match (row_major, vectors) {
        (true, true) => rank - 1,
        (true, false) => rank - 2,
        (false, _) => 0,
    }
}

/// Returns the axes in the order that devices expect, with a batch that is broadcast to `batch`. A vector becomes a matrix with one column.
fn spread(row_major: bool, layout: &Layout, kept: usize, batch: &[usize]) -> Layout {
    let (mut shape, rank) = ([0; MAX_RANK], batch.len() + kept);
    let axes = layout.shape();
    let (of_batch, of_matrix) = if row_major {
        let (of_batch, of_matrix) = shape[..rank].split_at_mut(batch.len());
        of_matrix.copy_from_slice(&axes[axes.len() - kept..]);
        (of_batch, of_matrix)
    } else {
        let (of_matrix, of_batch) = shape[..rank].split_at_mut(kept);
        of_matrix.copy_from_slice(&axes[..kept]);
        (of_batch, of_matrix)
    };
    debug_assert_eq!(of_matrix.len(), kept);
    of_batch.copy_from_slice(batch);
    let spread = layout.broadcast_to(&shape[..rank], row_major).expect("the batches broadcast");
    let mut to = batch_first(row_major, spread, kept);
    if kept == 1 {
        to.push(1, 1);
    }
    to
}
