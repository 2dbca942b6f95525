//! Dynamic tensors: linear interpolation, integrals by the trapezoidal rule, gradients, covariances and correlation coefficients.

use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::{typed, vector};
use crate::element::Scalar;
use crate::engine::elementwise::interpolate::{INTERPOLATE, Interpolation};
use crate::engine::elementwise::spacing::{Halves, Spacing};
use crate::error::Error;
use crate::ops::{EdgeOrder, GRADIENT, TRAPEZOID};
use crate::rank::{IndexNumber, from_start};

impl<S: DynData> DynTensor<S> {
    /// Returns, for each element, the value of the piecewise linear function through the points `(xp[k], fp[k])`: see
    /// [`Tensor::interp`](crate::Tensor::interp).
    ///
    /// # Errors
    /// * If `xp` and `fp` are not vectors, differ in length or are empty, or `xp` does not increase strictly.
    /// * If the tensors differ in element type, order or device, or their elements are not `f32` or `f64`.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![-1.0, 0.5, 2.0]);
    /// let y = x.interp(&tensor![0.0, 1.0], &tensor![0.0, 10.0])?;
    /// assert_eq!(y.downcast_ref()?, tensor![0.0, 5.0, 10.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn interp<'x, 'f>(
        &self,
        xp: impl Into<DynView<'x>>,
        fp: impl Into<DynView<'f>>,
    ) -> Result<DynTensor, Error> {
        self.interp_with(xp, fp, Interpolation::default())
    }

    /// [`interp`](DynTensor::interp) with options, whose numbers are converted to the element type: see
    /// [`Tensor::interp_with`](crate::Tensor::interp_with).
    ///
    /// # Errors
    /// * Those of [`interp`](DynTensor::interp).
    /// * If the period is zero or not finite, or two positions are equal modulo the period.
    ///
    /// ```
    /// use vierbein::{DynTensor, Interpolation, tensor};
    /// let x = DynTensor::from(tensor![-1.0, 0.5, 2.0]);
    /// let y = x.interp_with(&tensor![0.0, 1.0], &tensor![0.0, 10.0], Interpolation::new().left(-1.0))?;
    /// assert_eq!(y.downcast_ref()?, tensor![-1.0, 5.0, 10.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn interp_with<'x, 'f>(
        &self,
        xp: impl Into<DynView<'x>>,
        fp: impl Into<DynView<'f>>,
        options: Interpolation<f64>,
    ) -> Result<DynTensor, Error> {
        typed!(
            INTERPOLATE, RealFloat,
            (x = self.look(), xp = xp.into(), fp = fp.into(); options: Interpolation<f64> = options) => {
                let [xp, fp] = [xp, fp].map(|points| vector(INTERPOLATE, "points", points));
                x.try_interp_with(xp?, fp?, options.map(<T as Scalar>::from_f64))
            }
        )
    }

    /// Returns the integrals along an axis by the trapezoidal rule, for points with a distance or with coordinates: see
    /// [`Tensor::trapezoid`](crate::Tensor::trapezoid).
    ///
    /// # Errors
    /// * If the axis is out of range, or the number of coordinates differs from its extent.
    /// * If the elements are not floating-point or complex numbers, or if the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let y = DynTensor::from(tensor![[0.0, 1.0, 4.0], [1.0, 1.0, 1.0]]);
    /// assert_eq!(y.trapezoid(1, 0.5)?.downcast_ref()?, tensor![1.5, 1.0]);
    /// assert_eq!(y.trapezoid(1, &[0.0, 1.0, 3.0])?.downcast_ref()?, tensor![5.5, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn trapezoid<'x>(
        &self,
        axis: impl IndexNumber,
        spacing: impl Into<Spacing<'x, f64>>,
    ) -> Result<DynTensor, Error> {
        let axis = from_start(axis, self.rank());
        let halves = spacing.into().halves(TRAPEZOID, self.layout().axes(), axis)?;
        typed!(TRAPEZOID, Inexact, (x = self.look(); axis: usize = axis, halves: Halves<f64> = halves) => {
            x.trapezoid_of(axis, &halves.map(<<T as Scalar>::Magnitude as Scalar>::from_f64))
        })
    }

    /// Returns the derivatives along an axis of a function whose values at some points are the elements: see
    /// [`Tensor::gradient`](crate::Tensor::gradient).
    ///
    /// # Errors
    /// * If the axis is out of range, or has fewer than two points; with [`EdgeOrder::Second`], fewer than three.
    /// * If the number of coordinates differs from the extent of the axis.
    /// * If the elements are not floating-point or complex numbers, or if the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, EdgeOrder, tensor};
    /// let squares = DynTensor::from(tensor![0.0, 1.0, 4.0, 9.0]);
    /// assert_eq!(squares.gradient(0, 1.0, EdgeOrder::First)?.downcast_ref()?, tensor![1.0, 2.0, 4.0, 5.0]);
    /// let y = DynTensor::from(tensor![0.0, 1.0, 9.0]);
    /// assert_eq!(y.gradient(0, &[0.0, 1.0, 3.0], EdgeOrder::Second)?.downcast_ref()?, tensor![0.0, 2.0, 6.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn gradient<'x>(
        &self,
        axis: impl IndexNumber,
        spacing: impl Into<Spacing<'x, f64>>,
        edges: EdgeOrder,
    ) -> Result<DynTensor, Error> {
        let axis = from_start(axis, self.rank());
        let halves = spacing.into().halves(GRADIENT, self.layout().axes(), axis)?;
        typed!(
            GRADIENT, Inexact,
            (x = self.look(); axis: usize = axis, halves: Halves<f64> = halves, edges: EdgeOrder = edges) => {
                x.gradient_of(axis, &halves.map(<<T as Scalar>::Magnitude as Scalar>::from_f64), edges)
            }
        )
    }

    /// Returns the covariance matrix of the rows of a matrix: see [`Tensor::cov`](crate::Tensor::cov).
    ///
    /// # Errors
    /// If the tensor is not a matrix, if the elements are not numbers, or if the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[0, 1, 2], [2, 1, 0]]);
    /// assert_eq!(x.cov(1)?.downcast_ref()?, tensor![[1.0, -1.0], [-1.0, 1.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn cov(&self, ddof: usize) -> Result<DynTensor, Error> {
        typed!("cov", Scalar, (x = self.look(); ddof: usize = ddof) => x.try_cov(ddof))
    }

    /// Returns the correlation coefficients of the rows of a matrix: see [`Tensor::corrcoef`](crate::Tensor::corrcoef).
    ///
    /// # Errors
    /// If the tensor is not a matrix, if the elements are not numbers, or if the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[0.0, 2.0], [3.0, 1.0]]);
    /// assert_eq!(x.corrcoef()?.downcast_ref()?, tensor![[1.0, -1.0], [-1.0, 1.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn corrcoef(&self) -> Result<DynTensor, Error> {
        typed!("corrcoef", Scalar, (x = self.look()) => x.try_corrcoef())
    }
}
