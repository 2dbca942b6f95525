//! Factorisations of matrices by the crate faer, and the steps before and after the calls of its functions.
//!
//! ```text
//! choose the number of threads from the shape of the matrices             (parallel)
//! for each matrix of the batch, split between threads                     (batch)
//!     copy it to the workspace in column-major order, conjugated if asked (workspace)
//!     return an error if an element is not finite                         (scale)
//!     multiply it by a power of two: the largest element is then about 1  (scale)
//!     decompose it by a Jacobi method if it has only a few columns        (jacobi)
//!         or is in a batch of small matrices: several at once             (lanes)
//!     otherwise call faer, which writes the results to the workspace      (svd, eigh, qr, ..)
//!     check a singular value decomposition, and repeat it if it is wrong  (residual)
//!     fix the signs and phases of vectors                                 (gauge)
//!     undo the scaling, and copy the results to the outputs
//! ```
//!
//! The scaling is necessary. Without it, these results of faer are wrong for large matrices, which it computes by divide and conquer:
//! * Eigenvalues of Hermitian matrices whose elements are not between about 10⁻³ and 10³ in magnitude.
//! * Singular values below 10⁻¹⁶⁰ or above 10¹⁴⁰.
//!
//! The scaling also has a consequence for results that are proportional to the matrix, such as singular values. If a matrix is
//! multiplied by a power of two, only their exponents change, and all other bits are equal.
//!
//! The algorithms of `lu`, `ldl`, `cholesky` and `solve` are right for all but the most extreme elements. They scale extreme matrices
//! only, because scaling can make small elements of graded matrices 0. `lu` and `solve` scale columns instead of whole matrices, and if the
//! inverse of a pivot would overflow, they repeat the elimination with divisions, which is slower.
//!
//! The check for NaN is necessary too: with one NaN, faer iterates for minutes.
//!
//! The number of parts into which faer splits its work depends on the shape only. So the bits of the results do not depend on the number
//! of threads.

mod batch;
mod family;
mod gauge;
mod householder;
mod jacobi;
mod lanes;
mod parallel;
mod residual;
mod scale;
mod square;
mod workspace;

pub(in crate::device) mod cholesky;
pub(in crate::device) mod eig;
pub(in crate::device) mod eigh;
pub(in crate::device) mod ldl;
pub(in crate::device) mod lu;
pub(in crate::device) mod qr;
pub(in crate::device) mod schur;
pub(in crate::device) mod solve;
pub(in crate::device) mod svd;

use crate::device::family::decompose::LinalgElement;
use crate::device::{Cpu, Device};
use crate::element::Scalar;
use crate::error::Error;
use faer::traits::ComplexField;

#[cfg(feature = "cuda")]
pub(in crate::device) use scale::moderate_exponent;

/// The element types of matrices, which both this crate and faer support.
pub(in crate::device) trait Field:
    LinalgElement + ComplexField<Real = <Self as Scalar>::Magnitude>
{
}

impl<T: LinalgElement + ComplexField<Real = <T as Scalar>::Magnitude>> Field for T {}

/// The reason why a matrix has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device) enum Failure {
    /// An element is NaN or infinite.
    NotFinite,
    /// The iteration did not converge.
    NotConverged,
    /// The pivot with this index is 0. For a triangular matrix, the diagonal element with this index is 0.
    Singular(usize),
    /// The leading principal minor of this order is not positive.
    NotPositiveDefinite(usize),
    /// The result exceeds the range of its type.
    OutOfRange,
    /// The allocation of the workspace failed. The field is the size of the workspace in bytes.
    OutOfMemory(usize),
}

impl Failure {
    /// Returns the error. `shape` is that of the operand, and `matrix` the index of the matrix in the batch.
    pub(in crate::device) fn error(self, op: &'static str, shape: Vec<usize>, matrix: Vec<usize>) -> Error {
        match self {
            Failure::NotFinite => Error::NotFinite { op, shape, matrix },
            Failure::NotConverged => Error::NotConverged { op, shape, matrix },
            Failure::Singular(pivot) => Error::Singular { op, shape, matrix, pivot },
            Failure::NotPositiveDefinite(order) => Error::NotPositiveDefinite { op, shape, matrix, order },
            Failure::OutOfRange => Error::OutOfRange { op, shape, matrix },
            Failure::OutOfMemory(bytes) => Error::OutOfMemory { device: Cpu.name(), bytes },
        }
    }
}
