//! Covariances and correlations of the rows of a matrix.

use super::binary::{Div, Sub};
use super::compute::check_out;
use super::operands::WithRight;
use super::select::Clamp;
use super::unary::Sqrt;
use crate::device::{Device, Elementwise, Gemm, Reduce};
use crate::element::{CastTo, RealFloat, RealScalar, Scalar};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::Rank;
use crate::storage::{Storage, StorageMut};
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
        let centred = self.centred()?;
        let mut products = centred.try_matmul(centred.t())?;
        products.try_apply_inplace(self.per_observation(ddof))?;
        Ok(products)
    }

    /// [`cov`](Tensor::cov) into a preallocated matrix or mutable view of exactly the result's shape.
    ///
    /// # Panics
    /// If `out` does not have the result's shape, or is on another instance of the device, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2, 2]);
    /// tensor![[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]].cov_into(1, &mut out);
    /// assert_eq!(out, tensor![[1.0, -1.0], [-1.0, 1.0]]);
    /// ```
    #[track_caller]
    pub fn cov_into<S2>(&self, ddof: usize, out: &mut Tensor<T::Magnitude, Rank<2>, O, Dev, S2>)
    where
        T: CastTo<T::Magnitude>,
        Dev: Elementwise<T> + Elementwise<T::Magnitude> + Reduce<T::Magnitude> + Gemm<T::Magnitude>,
        S2: StorageMut<T::Magnitude, Dev>,
    {
        unwrap_or_panic(self.try_cov_into(ddof, out));
    }

    /// Fallible variant of [`cov_into`](Tensor::cov_into).
    ///
    /// # Errors
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    pub fn try_cov_into<S2>(
        &self,
        ddof: usize,
        out: &mut Tensor<T::Magnitude, Rank<2>, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: CastTo<T::Magnitude>,
        Dev: Elementwise<T> + Elementwise<T::Magnitude> + Reduce<T::Magnitude> + Gemm<T::Magnitude>,
        S2: StorageMut<T::Magnitude, Dev>,
    {
        self.covariances_into("cov", ddof, out)
    }

    /// [`try_cov_into`](Tensor::try_cov_into) for an operation with this name.
    fn covariances_into<S2>(
        &self,
        op: &'static str,
        ddof: usize,
        out: &mut Tensor<T::Magnitude, Rank<2>, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: CastTo<T::Magnitude>,
        Dev: Elementwise<T> + Elementwise<T::Magnitude> + Reduce<T::Magnitude> + Gemm<T::Magnitude>,
        S2: StorageMut<T::Magnitude, Dev>,
    {
        let [rows, _] = self.shape();
        check_out(op, &[rows, rows], self.device(), out)?;
        let centred = self.centred()?;
        centred.try_matmul_into(centred.t(), out)?;
        out.try_apply_inplace(self.per_observation(ddof))
    }

    /// Returns the differences between the elements and the mean of their row.
    fn centred(&self) -> Result<Tensor<T::Magnitude, Rank<2>, O, Dev>, Error>
    where
        T: CastTo<T::Magnitude>,
        Dev: Elementwise<T> + Elementwise<T::Magnitude> + Reduce<T::Magnitude> + Gemm<T::Magnitude>,
    {
        let mut centred = self.try_cast::<T::Magnitude>()?;
        let means = centred.try_mean_keepdims(1)?;
        centred.try_apply2_inplace(Sub, &means)?;
        Ok(centred)
    }

    /// Returns the division by the number of observations minus `ddof`, or by NaN if the difference is not positive.
    fn per_observation(&self, ddof: usize) -> WithRight<Div, T::Magnitude> {
        let [_, count] = self.shape();
        let right = if count > ddof { T::Magnitude::from_usize(count - ddof) } else { T::Magnitude::nan() };
        WithRight { op: Div, right }
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
        divide_by_deviations(&mut products)?;
        Ok(products)
    }

    /// [`corrcoef`](Tensor::corrcoef) into a preallocated matrix or mutable view of exactly the result's shape.
    ///
    /// # Panics
    /// If `out` does not have the result's shape, or is on another instance of the device, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2, 2]);
    /// tensor![[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]].corrcoef_into(&mut out);
    /// assert!(out.all_close(&tensor![[1.0, -1.0], [-1.0, 1.0]], 1e-14, 0.0));
    /// ```
    #[track_caller]
    pub fn corrcoef_into<S2>(&self, out: &mut Tensor<T::Magnitude, Rank<2>, O, Dev, S2>)
    where
        T: CastTo<T::Magnitude>,
        Dev: Elementwise<T> + Elementwise<T::Magnitude> + Reduce<T::Magnitude> + Gemm<T::Magnitude>,
        S2: StorageMut<T::Magnitude, Dev>,
    {
        unwrap_or_panic(self.try_corrcoef_into(out));
    }

    /// Fallible variant of [`corrcoef_into`](Tensor::corrcoef_into).
    ///
    /// # Errors
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    pub fn try_corrcoef_into<S2>(
        &self,
        out: &mut Tensor<T::Magnitude, Rank<2>, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: CastTo<T::Magnitude>,
        Dev: Elementwise<T> + Elementwise<T::Magnitude> + Reduce<T::Magnitude> + Gemm<T::Magnitude>,
        S2: StorageMut<T::Magnitude, Dev>,
    {
        self.covariances_into("corrcoef", 0, out)?;
        divide_by_deviations(out)
    }
}

/// Divides covariances by the standard deviations of their row and their column, and limits the results to `-1 ..= 1`.
fn divide_by_deviations<T, O, Dev, S>(covariances: &mut Tensor<T, Rank<2>, O, Dev, S>) -> Result<(), Error>
where
    T: RealFloat,
    O: Order,
    Dev: Elementwise<T>,
    S: StorageMut<T, Dev>,
{
    let deviations = covariances.try_diagonal(0, 1)?.try_apply(Sqrt)?;
    covariances.try_apply2_inplace(Div, &deviations.try_insert_axis(1)?)?;
    covariances.try_apply2_inplace(Div, &deviations.try_insert_axis(0)?)?;
    let one = T::from_f64(1.0);
    covariances.try_apply_inplace(Clamp(-one, one))
}
