//! Decompositions of matrices on a GPU by cuSOLVER, solutions of triangular systems by cuBLAS, and what has to happen before and after their
//! functions. No code in this directory is generic over element types.
//!
//! ```text
//! copy the matrices to new memory in column-major order, conjugated if asked  (matrices)
//! find the largest element of each; NaN and infinities are errors             (matrices)
//! multiply each by a power of two, as on the host                             (matrices)
//! call cuSOLVER, for one matrix after the other or for many together          (solver)
//! fix the signs and phases of vectors                                         (orient)
//! undo the scaling
//! read cuSOLVER's results for each matrix; a failure is an error              (solver)
//! copy the results to the outputs
//! ```
//!
//! If a function of this directory returns `false`, it has written nothing, and the host has to compute: if an iteration did not converge or
//! its results contain NaN, as some versions of cuSOLVER return for matrices of zeros, and if an LU decomposition found a pivot of 0, after
//! which its results contain NaN.

pub(in crate::device::cuda::engine) mod cholesky;
pub(in crate::device::cuda::engine) mod eigh;
pub(in crate::device::cuda::engine) mod lu;
pub(in crate::device::cuda::engine) mod matrices;
pub(in crate::device::cuda::engine) mod orient;
pub(in crate::device::cuda::engine) mod qr;
pub(in crate::device::cuda::engine) mod solve;
pub(in crate::device::cuda::engine) mod solver;
pub(in crate::device::cuda::engine) mod svd;
pub(in crate::device::cuda::engine) mod triangular;

use crate::device::cpu::linalg::Failure;
use crate::device::cuda::engine::codegen::operation::RawOperand;
use crate::error::Error;

/// Matrices to decompose. None of their extents is 0.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda::engine) struct Input<'a> {
    /// The name of the operation, for errors.
    pub(in crate::device::cuda::engine) op: &'static str,
    pub(in crate::device::cuda::engine) shape: &'a [usize],
    pub(in crate::device::cuda::engine) elements: RawOperand<'a>,
    pub(in crate::device::cuda::engine) conjugate: bool,
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

    /// Returns the error of a matrix of the batch.
    fn error(&self, mut matrix: usize, why: Failure) -> Error {
        let mut index = self.batch().to_vec();
        for n in index.iter_mut().rev() {
            let extent = *n;
            *n = matrix % extent;
            matrix /= extent;
        }
        why.error(self.op, self.shape.to_vec(), index)
    }

    /// Returns the error of the first matrix that has one: among the matrices that were decomposed, those whose `infos` are positive, and
    /// otherwise the first one that was not decomposed because an element is not finite. `count` is the number of all matrices.
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
