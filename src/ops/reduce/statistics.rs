//! Covariances and correlations of the rows of a matrix.

use crate::device::op::binary::{Div, Mul, Sub};
use crate::device::op::reduction::rescale::scale;
use crate::device::op::scalar::WithRight;
use crate::device::{CudaSource, Device, Elementwise, Gemm, Reduce, UnaryOp, via_host};
use crate::element::{Inexact, RealScalar, Scalar};
use crate::error::{Error, fallible};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::{HasRank, Rank, check_has_rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

impl<T: Scalar, D: HasRank<2>, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the covariance matrix of the rows: each row is a variable, and each column an observation.
    ///
    /// Element `[i, j]` is `Σ (x[i, k] − mean_i) · conj(x[j, k] − mean_j) / (n − ddof)` for `n` observations, and NaN if `n ≤ ddof`. Use
    /// `ddof` = 1 if the observations are a sample, as NumPy does by default. For integers, the result is `f64`. The cost is a copy of the
    /// operand, from which the means are subtracted, and the matrix product of this copy and its adjoint. If sums of squares leave the
    /// range of numbers, the covariances are computed again from rows that are scaled by powers of two.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]].cov(1), tensor![[1.0, -1.0], [-1.0, 1.0]]);
    /// ```
    #[fallible]
    pub fn cov(&self, ddof: usize) -> Tensor<T::Float, Rank<2>, O, Dev>
    where
        Dev: Elementwise<T> + Elementwise<T::Float> + Reduce<T::Float> + Gemm<T::Float>,
    {
        check_has_rank::<2>("cov", self.shape().as_ref())?;
        let mut out = self.products()?;
        self.finish_covariances(ddof, &mut out)?;
        Ok(out)
    }

    /// [`cov`](Tensor::cov) into a preallocated matrix or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2, 2]);
    /// tensor![[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]].cov_into(1, &mut out);
    /// assert_eq!(out, tensor![[1.0, -1.0], [-1.0, 1.0]]);
    /// ```
    #[fallible]
    pub fn cov_into<S2>(&self, ddof: usize, out: &mut Tensor<T::Float, Rank<2>, O, Dev, S2>)
    where
        Dev: Elementwise<T> + Elementwise<T::Float> + Reduce<T::Float> + Gemm<T::Float>,
        S2: StorageMut<T::Float, Dev>,
    {
        check_has_rank::<2>("cov", self.shape().as_ref())?;
        let rows = self.shape().as_ref()[0];
        check_out("cov", &[rows, rows], self.device(), out)?;
        self.write_products(None, out)?;
        self.finish_covariances(ddof, out)
    }

    /// Returns the differences between the elements and the mean of their row. Rows are divided by `scales`, if given.
    fn centred(&self, scales: Option<&[f64]>) -> Result<Tensor<T::Float, Rank<2>, O, Dev>, Error>
    where
        Dev: Elementwise<T> + Elementwise<T::Float> + Reduce<T::Float> + Gemm<T::Float>,
    {
        let mut centred = self.view().into_rank::<Rank<2>>().try_cast::<T::Float>()?;
        if let Some(scales) = scales {
            let factors = self.factors(scales.iter().map(|by| 1.0 / by))?;
            centred.try_apply2_inplace(Mul, &factors.try_insert_axis(1)?)?;
        }
        let means = centred.try_mean_keepdims(1)?;
        centred.try_apply2_inplace(Sub, &means)?;
        Ok(centred)
    }

    /// Writes the sums of products of the differences of [`centred`](Tensor::centred).
    fn write_products<S2: StorageMut<T::Float, Dev>>(
        &self,
        scales: Option<&[f64]>,
        out: &mut Tensor<T::Float, Rank<2>, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        Dev: Elementwise<T> + Elementwise<T::Float> + Reduce<T::Float> + Gemm<T::Float>,
    {
        let centred = self.centred(scales)?;
        centred.product_into(centred.t().conj_view(), out)
    }

    /// Returns the sums of products of the differences of [`centred`](Tensor::centred).
    fn products(&self) -> Result<Tensor<T::Float, Rank<2>, O, Dev>, Error>
    where
        Dev: Elementwise<T> + Elementwise<T::Float> + Reduce<T::Float> + Gemm<T::Float>,
    {
        let centred = self.centred(None)?;
        centred.try_matmul(centred.t().conj_view())
    }

    /// Returns real numbers as a vector on the device.
    fn factors(&self, values: impl Iterator<Item = f64>) -> Result<Tensor<T::Float, Rank<1>, O, Dev>, Error> {
        let mut factors: Vec<T::Float> = via_host::zeros(self.shape().as_ref()[0])?;
        factors.iter_mut().zip(values).for_each(|(to, x)| *to = T::Float::from_f64(x));
        Tensor::try_from_vec_in([factors.len()], factors, self.device())
    }

    /// Returns, for each row, a power of two that is near its element of greatest modulus.
    fn row_scales(&self) -> Result<Vec<f64>, Error> {
        let mut scales: Vec<f64> = via_host::zeros(self.shape().as_ref()[0])?;
        for (i, to) in scales.iter_mut().enumerate() {
            *to = row_scale(&self.range(0, i..i + 1).try_to_vec()?);
        }
        Ok(scales)
    }

    /// Makes covariances of the sums of products. If they are not finite, computes them from scaled rows.
    fn finish_covariances<S2: StorageMut<T::Float, Dev>>(
        &self,
        ddof: usize,
        products: &mut Tensor<T::Float, Rank<2>, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        Dev: Elementwise<T> + Elementwise<T::Float> + Reduce<T::Float> + Gemm<T::Float>,
    {
        // The other sums are finite if the sums of squares are, by the inequality of Cauchy and Schwarz.
        let squares = products.try_diagonal(0, 1)?.try_to_vec()?;
        let finite = squares.iter().all(|square| square.all_finite());
        if finite {
            return products.try_apply_inplace(self.per_observation(ddof));
        }
        let scales = self.row_scales()?;
        self.write_products(Some(&scales), products)?;
        products.try_apply_inplace(self.per_observation(ddof))?;
        // The scales are 2^e. Each of these steps multiplies by about 2^(e/2) of a row or a column, so that no product leaves the range if
        // the last one does not.
        for part in [|e: i32| e / 2, |e: i32| e - e / 2] {
            let factors = self.factors(scales.iter().map(|by| 2f64.powi(part(by.log2() as i32))))?;
            products.try_apply2_inplace(Mul, &factors.try_insert_axis(1)?)?;
            products.try_apply2_inplace(Mul, &factors.try_insert_axis(0)?)?;
        }
        Ok(())
    }

    /// Makes correlation coefficients of the sums of products. If sums of squares left the range of numbers, computes them from scaled rows.
    fn finish_correlations<S2: StorageMut<T::Float, Dev>>(
        &self,
        products: &mut Tensor<T::Float, Rank<2>, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        Dev: Elementwise<T> + Elementwise<T::Float> + Reduce<T::Float> + Gemm<T::Float>,
    {
        products.try_apply_inplace(self.per_observation(0))?;
        let mut squares = products.try_diagonal(0, 1)?.try_to_vec()?;
        if !squares.iter().all(|&square| are_ordinary(square)) {
            self.write_products(Some(&self.row_scales()?), products)?;
            products.try_apply_inplace(self.per_observation(0))?;
            squares = products.try_diagonal(0, 1)?.try_to_vec()?;
        }
        let deviations = squares.iter().map(|square| square.re().in_f64().sqrt());
        if const { T::Float::COMPLEX } {
            // The quotient of complex numbers takes longer than a product, and is not more accurate here.
            let factors = self.factors(deviations.map(|deviation| 1.0 / deviation))?;
            products.try_apply2_inplace(Mul, &factors.try_insert_axis(1)?)?;
            products.try_apply2_inplace(Mul, &factors.try_insert_axis(0)?)?;
        } else {
            let deviations = self.factors(deviations)?;
            products.try_apply2_inplace(Div, &deviations.try_insert_axis(1)?)?;
            products.try_apply2_inplace(Div, &deviations.try_insert_axis(0)?)?;
        }
        products.try_apply_inplace(ClampParts)
    }

    /// Returns the division by the number of observations minus `ddof`, or by NaN if the difference is not positive.
    fn per_observation(&self, ddof: usize) -> WithRight<Div, T::Float> {
        let count = self.shape().as_ref()[1];
        let right =
            if count > ddof { T::Float::from_usize(count - ddof) } else { T::Float::from_f64(f64::NAN) };
        WithRight { op: Div, right }
    }

    /// Returns the correlation coefficients (Pearson) of the rows: each row is a variable, and each column an observation.
    ///
    /// Element `[i, j]` is the covariance of rows `i` and `j` divided by the standard deviations of both rows. Its real and its imaginary
    /// part are limited to `-1 ..= 1`. It is NaN if the computed variance of one of these rows is 0, as for a row of equal integers. For a
    /// row of equal floating-point numbers, the computed variance can be positive, because the mean is rounded. For integers, the result is
    /// `f64`.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]];
    /// assert!(x.corrcoef().all_close(&tensor![[1.0, -1.0], [-1.0, 1.0]], 1e-14, 0.0));
    /// ```
    #[fallible]
    pub fn corrcoef(&self) -> Tensor<T::Float, Rank<2>, O, Dev>
    where
        Dev: Elementwise<T> + Elementwise<T::Float> + Reduce<T::Float> + Gemm<T::Float>,
    {
        check_has_rank::<2>("corrcoef", self.shape().as_ref())?;
        let mut out = self.products()?;
        self.finish_correlations(&mut out)?;
        Ok(out)
    }

    /// [`corrcoef`](Tensor::corrcoef) into a preallocated matrix or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If `out` does not have the result's shape, or is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2, 2]);
    /// tensor![[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]].corrcoef_into(&mut out);
    /// assert!(out.all_close(&tensor![[1.0, -1.0], [-1.0, 1.0]], 1e-14, 0.0));
    /// ```
    #[fallible]
    pub fn corrcoef_into<S2>(&self, out: &mut Tensor<T::Float, Rank<2>, O, Dev, S2>)
    where
        Dev: Elementwise<T> + Elementwise<T::Float> + Reduce<T::Float> + Gemm<T::Float>,
        S2: StorageMut<T::Float, Dev>,
    {
        check_has_rank::<2>("corrcoef", self.shape().as_ref())?;
        let rows = self.shape().as_ref()[0];
        check_out("corrcoef", &[rows, rows], self.device(), out)?;
        self.write_products(None, out)?;
        self.finish_correlations(out)
    }
}

/// Returns a power of two that is near the element of greatest modulus, or 1 if the elements are zero or not finite. Its reciprocal is a
/// normal number of their type, too.
pub(crate) fn row_scale<T: Scalar>(row: &[T]) -> f64 {
    let limit = if size_of::<T::Magnitude>() == 4 { 2f64.powi(120) } else { 2f64.powi(1000) };
    scale::<T, false>(row.iter().copied()).map_or(1.0, |(by, _)| by.clamp(1.0 / limit, limit))
}

/// Returns whether a sum of squares is finite, and so large that squares that underflowed do not matter.
pub(crate) fn are_ordinary<T: Inexact>(squares: T) -> bool {
    let (squares, least) = (squares.re(), if size_of::<T::Magnitude>() == 4 { -100 } else { -960 });
    squares.in_f64() >= 2f64.powi(least) && squares.in_f64().is_finite()
}

/// Limits the real and the imaginary part to `-1 ..= 1`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClampParts;

impl<T: Inexact> UnaryOp<T> for ClampParts {
    type Output = T;
    const NAME: &'static str = "clamp";
    const CUDA: CudaSource = CudaSource::builtin("clamp_parts(a)");
    fn apply(&self, a: T) -> T {
        let one = <T::Magnitude as Scalar>::from_f64(1.0);
        // Unlike `min` and `max`, the comparisons keep NaN.
        a.map_parts(|x| {
            if x > one {
                one
            } else if x < -one {
                -one
            } else {
                x
            }
        })
    }
}
