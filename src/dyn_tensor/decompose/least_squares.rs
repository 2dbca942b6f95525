//! Least-squares solutions of linear systems, by singular value decompositions.

use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::error::Error;

impl<S: DynData> DynTensor<S> {
    /// Returns the `x` for which the norm of `a · x − b` is least: see [`Tensor::lstsq`](crate::Tensor::lstsq).
    ///
    /// # Errors
    /// * Those of [`solve`](DynTensor::solve), except that the matrices need not be square and may be singular.
    /// * If the iteration for the singular values does not converge.
    pub fn lstsq<'b>(&self, b: impl Into<DynView<'b>>) -> Result<DynTensor, Error> {
        typed!("lstsq", LinalgElement, (x = self.look(), b = b.into()) => x.try_lstsq(b))
    }

    /// Returns the `x` for which the norm of `a · x − b` is least, with singular values of at most `relative` times the largest one counted
    /// as 0: see [`Tensor::lstsq_with`](crate::Tensor::lstsq_with).
    ///
    /// # Errors
    /// Those of [`lstsq`](DynTensor::lstsq), and if `relative` is negative or NaN.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let a = DynTensor::from(tensor![[1.0, 0.0], [0.0, 1e-6]]);
    /// assert_eq!(a.lstsq_with(&tensor![2.0, 3.0], 1e-3)?.downcast_ref()?, tensor![2.0, 0.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn lstsq_with<'b>(&self, b: impl Into<DynView<'b>>, relative: f64) -> Result<DynTensor, Error> {
        typed!("lstsq_with", LinalgElement, (x = self.look(), b = b.into(); relative: f64 = relative) => {
            x.try_lstsq_with(b, relative)
        })
    }
}
