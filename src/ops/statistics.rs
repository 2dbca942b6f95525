//! Covariances and correlations of the rows of a matrix.

use super::binary::{Div, Sub};
use super::select::Clamp;
use super::unary::Sqrt;
use crate::device::{Device, Elementwise, Gemm, Reduce};
use crate::element::{CastTo, RealScalar, Scalar};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::Rank;
use crate::storage::Storage;
use crate::tensor::Tensor;
use num_traits::Float;

impl<T: RealScalar, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, Rank<2>, O, Dev, S> {
    /// Returns the covariance matrix of the rows: each row is a variable, and each column an observation.
    ///
    /// Element `[i, j]` is `Σ (x[i, k] − mean_i) · (x[j, k] − mean_j) / (n − ddof)` for `n` observations, and NaN if `n ≤ ddof`. Use
    /// `ddof` = 1 if the observations are a sample, as NumPy does by default. For integers, the result is `f64`. The cost is a copy of the
    /// operand, from which the means are subtracted, and the matrix product of this copy and its transpose.
    ///
    /// # Panics
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]].cov(1), tensor![[1.0, -1.0], [-1.0, 1.0]]);
    /// ```
    #[track_caller]
    pub fn cov(&self, ddof: usize) -> Tensor<T::Magnitude, Rank<2>, O, Dev>
    where
        T: CastTo<T::Magnitude>,
        Dev: Elementwise<T> + Elementwise<T::Magnitude> + Reduce<T::Magnitude> + Gemm<T::Magnitude>,
    {
        unwrap_or_panic(self.try_cov(ddof))
    }

    /// Fallible variant of [`cov`](Tensor::cov).
    ///
    /// # Errors
    /// If the allocation fails.
    pub fn try_cov(&self, ddof: usize) -> Result<Tensor<T::Magnitude, Rank<2>, O, Dev>, Error>
    where
        T: CastTo<T::Magnitude>,
        Dev: Elementwise<T> + Elementwise<T::Magnitude> + Reduce<T::Magnitude> + Gemm<T::Magnitude>,
    {
        let mut centred = self.try_cast::<T::Magnitude>()?;
        let means = centred.try_mean_keepdims(1)?;
        centred.try_apply2_inplace(Sub, &means)?;
        let products = centred.try_matmul(centred.t())?;
        let [_, count] = self.shape();
        let divisor = if count > ddof { T::Magnitude::from_usize(count - ddof) } else { T::Magnitude::nan() };
        products.try_apply2(Div, divisor)
    }

    /// Returns the correlation coefficients (Pearson) of the rows: each row is a variable, and each column an observation.
    ///
    /// Element `[i, j]` is the covariance of rows `i` and `j` divided by the standard deviations of both rows, limited to `-1 ..= 1`. It is
    /// NaN if the computed variance of one of these rows is 0, as for a row of equal integers. For a row of equal floating-point numbers,
    /// the computed variance can be positive, because the mean is rounded. For integers, the result is `f64`.
    ///
    /// # Panics
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]];
    /// assert!(x.corrcoef().all_close(&tensor![[1.0, -1.0], [-1.0, 1.0]], 1e-14, 0.0));
    /// ```
    #[track_caller]
    pub fn corrcoef(&self) -> Tensor<T::Magnitude, Rank<2>, O, Dev>
    where
        T: CastTo<T::Magnitude>,
        Dev: Elementwise<T> + Elementwise<T::Magnitude> + Reduce<T::Magnitude> + Gemm<T::Magnitude>,
    {
        unwrap_or_panic(self.try_corrcoef())
    }

    /// Fallible variant of [`corrcoef`](Tensor::corrcoef).
    ///
    /// # Errors
    /// If the allocation fails.
    pub fn try_corrcoef(&self) -> Result<Tensor<T::Magnitude, Rank<2>, O, Dev>, Error>
    where
        T: CastTo<T::Magnitude>,
        Dev: Elementwise<T> + Elementwise<T::Magnitude> + Reduce<T::Magnitude> + Gemm<T::Magnitude>,
    {
        let mut products = self.try_cov(0)?;
        let deviations = products.try_diagonal(0, 1)?.try_apply(Sqrt)?;
        products.try_apply2_inplace(Div, &deviations.try_insert_axis(1)?)?;
        products.try_apply2_inplace(Div, &deviations.try_insert_axis(0)?)?;
        let one = T::Magnitude::from_f64(1.0);
        products.try_apply_inplace(Clamp(-one, one))?;
        Ok(products)
    }
}
