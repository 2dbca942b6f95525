//! Corrects the singular vectors and eigenvectors that cuSOLVER computes, so that they are orthonormal to the precision of their type.

use super::matrices::Matrices;
use crate::device::cuda::runtime::driver::context::Context;
use crate::device::cuda::runtime::kernels::gemm;
use crate::device::cuda::runtime::kernels::gemm::products::{PackedScaling, ProductBatch, ProductOperand};
use crate::element::{DType, c32, c64};
use crate::error::Error;

/// The number of iterations. In results of cuSOLVER for `f32`, the deviation of `VᴴV` from the identity can be as large as 10⁻² (Frobenius
/// norm). One iteration squares the deviation, approximately, so two iterations make it smaller than the machine epsilon.
const ITERATIONS: usize = 2;

impl Matrices {
    /// Replaces each matrix V, whose columns are almost orthonormal, by the nearest matrix with orthonormal columns: its unitary polar
    /// factor. Each iteration replaces V by V (3 I − VᴴV) / 2 (N. J. Higham, "Functions of Matrices", 2008, section 8.3).
    pub(super) fn orthonormalise(&self, context: &'static Context) -> Result<(), Error> {
        let (count, rows, columns) = (self.count(), self.rows, self.columns);
        let gram = Matrices::new(context, self.dtype, self.batch(), [columns, columns])?;
        let old = Matrices::new(context, self.dtype, self.batch(), [rows, columns])?;
        let (strides, of_gram) = (self.flat_strides(), gram.flat_strides());
        let [batch, row, column] = strides;
        let adjoint_strides = [batch, column, row];
        let factor = |elements, conjugate| ProductOperand { elements, conjugate };
        for _ in 0..ITERATIONS {
            old.copy_columns(context, self, columns)?;
            let (v, to_gram) = (old.elements(&strides), gram.elements(&of_gram));
            let adjoint = factor(old.elements(&adjoint_strides), true);
            let product = ProductBatch { shape: &[count], m: columns, k: rows, n: columns };
            // SAFETY: the strides address the elements of `old` and `gram`, and the products have their extents. The two are different
            // allocations, and nothing else has their addresses.
            unsafe {
                gemm::multiply(
                    context,
                    &weights(self.dtype, 1.0, 0.0),
                    product,
                    to_gram,
                    [adjoint, factor(v, false)],
                )?
            };
            let product = ProductBatch { shape: &[count], m: rows, k: columns, n: columns };
            let (to, factors) = (self.elements(&strides), [factor(v, false), factor(to_gram, false)]);
            // SAFETY: the strides address the elements of `self`, `old` and `gram`, and the products have their extents. The three are
            // different allocations, and nothing else has their addresses.
            unsafe { gemm::multiply(context, &weights(self.dtype, -0.5, 1.5), product, to, factors)? };
        }
        Ok(())
    }
}

/// Returns the scaling factors `alpha` and `beta` of a product, in the type of its matrices.
fn weights(dtype: DType, alpha: f64, beta: f64) -> PackedScaling {
    match dtype {
        DType::F32 => PackedScaling::new(alpha as f32, beta as f32),
        DType::F64 => PackedScaling::new(alpha, beta),
        DType::C32 => PackedScaling::new(c32::from(alpha as f32), c32::from(beta as f32)),
        DType::C64 => PackedScaling::new(c64::from(alpha), c64::from(beta)),
        other => unreachable!("matrices of {other} have no decompositions"),
    }
}
