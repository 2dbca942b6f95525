//! Decompositions of matrices on a GPU by cuSOLVER, and solutions of triangular systems by cuBLAS, with the preparation of their operands
//! and the completion of their results. No code in this directory is generic over element types.
//!
//! ```text
//! copy the matrices to new memory in column-major order, conjugated if asked  (matrices)
//! find the largest element of each; NaN and infinities are errors             (scaling)
//! multiply each by a power of two, as on the host                             (scaling)
//! call cuSOLVER, for one matrix after the other or for many together          (solver)
//! make singular vectors and eigenvectors orthonormal                          (orthonormal)
//! fix the signs and phases of vectors                                         (orient)
//! undo the scaling                                                            (scaling)
//! read cuSOLVER's results for each matrix; a failure is an error              (solver)
//! copy the results to the outputs
//! ```
//!
//! If a function of this directory returns `false`, it has not written to the outputs, and the host has to compute. One reason is an
//! iteration that did not converge. The other reason is results that contain NaN: some versions of cuSOLVER return NaN for matrices of
//! zeros, and an LU decomposition returns NaN after a pivot of 0.

pub(in crate::device::cuda::runtime) mod cholesky;
pub(in crate::device::cuda::runtime) mod eigh;
pub(in crate::device::cuda::runtime) mod lu;
pub(in crate::device::cuda::runtime) mod matrices;
pub(in crate::device::cuda::runtime) mod orient;
mod orthonormal;
pub(in crate::device::cuda::runtime) mod qr;
pub(in crate::device::cuda::runtime) mod scaling;
pub(in crate::device::cuda::runtime) mod solve;
pub(in crate::device::cuda::runtime) mod solver;
pub(in crate::device::cuda::runtime) mod svd;
pub(in crate::device::cuda::runtime) mod triangular;

use crate::device::cpu::decompose::Failure;
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::error::Error;

/// Matrices to decompose. None of their extents is 0.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda::runtime) struct Input<'a> {
    /// The name of the operation, for errors.
    pub(in crate::device::cuda::runtime) op: &'static str,
    pub(in crate::device::cuda::runtime) shape: &'a [usize],
    pub(in crate::device::cuda::runtime) elements: RawOperand<'a>,
    pub(in crate::device::cuda::runtime) conjugate: bool,
}

impl Input<'_> {
    fn batch(&self) -> &[usize] {
        &self.shape[..self.shape.len() - 2]
    }

    fn rows(&self) -> usize {
        self.shape[self.shape.len() - 2]
    }

    fn columns(&self) -> usize {
        self.shape[self.shape.len() - 1]
    }

    /// Returns the error for the given matrix of the batch, counted in row-major order.
    fn error(&self, mut matrix: usize, why: Failure) -> Error {
        let mut index = self.batch().to_vec();
        for n in index.iter_mut().rev() {
            let extent = *n;
            *n = matrix % extent;
            matrix /= extent;
        }
        why.error(self.op, self.shape.to_vec(), index)
    }

    /// Checks `infos`, cuSOLVER's status values of the matrices that were decomposed. If one is positive, returns the error `why` for the
    /// first such matrix. Otherwise, if fewer than `count` matrices were decomposed, returns an error for the first one that was not: it
    /// has an element that is not finite.
    fn check(&self, infos: &[i32], count: usize, why: fn(usize) -> Failure) -> Result<(), Error> {
        if let Some(k) = infos.iter().position(|&info| info > 0) {
            return Err(self.error(k, why(infos[k] as usize)));
        }
        if infos.len() < count {
            return Err(self.error(infos.len(), Failure::NotFinite));
        }
        Ok(())
    }
}
