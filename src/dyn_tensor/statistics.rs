//! Dynamic tensors: linear interpolation, integrals by the trapezoidal rule, covariances and correlation coefficients.

use super::operand::{agree, device_of, lacking, needs, on_device};
use super::reduce::DynReduction;
use super::scalar::DynScalar;
use super::storage::DynData;
use super::tensor::{DynTensor, DynView};
use crate::axis::{IndexNumber, as_given, from_start};
use crate::dispatch;
use crate::element::{DType, RealFloat};
use crate::engine::interpolate::interpolate;
use crate::error::Error;

/// Interpolates on the host, and copies the result to the device of `x`.
fn interpolated<T: RealFloat>(x: DynView<'_>, xp: DynView<'_>, fp: DynView<'_>) -> Result<DynTensor, Error> {
    let mut values = x.to_vec::<T>()?;
    interpolate(&mut values, &xp.to_vec::<T>()?, &fp.to_vec::<T>()?)?;
    on_device!("interpolate", x, Dev => {
        DynTensor::from_vec(x.shape(), values, x.order())?.to_device_in(device_of::<Dev>(&x))
    })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn interp(x: DynView<'_>, xp: DynView<'_>, fp: DynView<'_>) -> Result<DynTensor, Error> {
    const NAME: &str = "interpolate";
    agree(NAME, x, xp)?;
    agree(NAME, x, fp)?;
    for points in [xp, fp] {
        if points.rank() != 1 {
            let reason = format!("expected points as vectors, found a tensor of shape {:?}", points.shape());
            return Err(Error::UnsupportedRank { op: NAME, reason });
        }
    }
    dispatch!(
        x.dtype(),
        T: RealFloat => interpolated::<T>(x, xp, fp),
        else => Err(lacking(NAME, x.dtype(), needs::FLOATS))
    )
}

/// Returns the number as a scalar of type `dtype`, which must be floating-point or complex.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn number(value: f64, dtype: DType) -> DynScalar {
    use crate::element::Scalar;
    dispatch!(dtype, T: Inexact => DynScalar::of(T::from_f64(value)), else => DynScalar::of(value))
}

/// Checks that `x` is a matrix of real numbers, and returns a copy. Integers are converted to `f64`.
// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn rows_as_floats(op: &'static str, x: DynView<'_>) -> Result<DynTensor, Error> {
    if x.rank() != 2 {
        let reason =
            format!("expected a matrix whose rows are variables, found a tensor of shape {:?}", x.shape());
        return Err(Error::UnsupportedRank { op, reason });
    }
    match x.dtype() {
        DType::Bool => Err(lacking(op, x.dtype(), needs::NUMBERS)),
        DType::C32 | DType::C64 => Err(lacking(op, x.dtype(), needs::ORDER)),
        DType::F32 | DType::F64 => x.to_owned(),
        _ => x.to_dtype(DType::F64),
    }
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn covariances(op: &'static str, x: DynView<'_>, ddof: usize) -> Result<DynTensor, Error> {
    let mut centred = rows_as_floats(op, x)?;
    let means = centred.reduce_keepdims(DynReduction::Mean, 1)?;
    centred.try_sub_assign(&means)?;
    let count = x.shape()[1];
    let divisor = if count > ddof { (count - ddof) as f64 } else { f64::NAN };
    centred.matmul(centred.t()?)?.try_div(number(divisor, centred.dtype()))
}

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
        interp(self.look(), xp.into(), fp.into())
    }

    /// Returns the integrals along an axis by the trapezoidal rule, for points at distance `dx`: see
    /// [`Tensor::trapezoid`](crate::Tensor::trapezoid).
    ///
    /// # Errors
    /// If the axis is out of range, if the elements are not floating-point or complex numbers, or if the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let y = DynTensor::from(tensor![[0.0, 1.0, 4.0], [1.0, 1.0, 1.0]]);
    /// assert_eq!(y.trapezoid(1, 0.5)?.downcast_ref()?, tensor![1.5, 1.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn trapezoid(&self, axis: impl IndexNumber, dx: f64) -> Result<DynTensor, Error> {
        const NAME: &str = "trapezoid";
        let (x, axis) = (self.look(), from_start(axis, self.rank()));
        if !matches!(x.dtype(), DType::F32 | DType::F64 | DType::C32 | DType::C64) {
            return Err(lacking(NAME, x.dtype(), needs::INEXACT));
        }
        let Some(&extent) = x.shape().get(axis) else {
            return Err(Error::AxisOutOfRange { op: NAME, axis: as_given(axis), shape: x.shape().to_vec() });
        };
        let intervals = extent.saturating_sub(1);
        let (left, _) = x.layout().split_at(axis, intervals)?;
        let (_, right) = x.layout().split_at(axis, extent - intervals)?;
        let sums = x.with_axes(left).try_add(x.with_axes(right))?.sum_axis(axis)?;
        sums.try_mul(number(0.5 * dx, x.dtype()))
    }

    /// Returns the covariance matrix of the rows of a matrix: see [`Tensor::cov`](crate::Tensor::cov).
    ///
    /// # Errors
    /// If the tensor is not a matrix, if the elements are not real numbers, or if the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[0, 1, 2], [2, 1, 0]]);
    /// assert_eq!(x.cov(1)?.downcast_ref()?, tensor![[1.0, -1.0], [-1.0, 1.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn cov(&self, ddof: usize) -> Result<DynTensor, Error> {
        covariances("cov", self.look(), ddof)
    }

    /// Returns the correlation coefficients of the rows of a matrix: see [`Tensor::corrcoef`](crate::Tensor::corrcoef).
    ///
    /// # Errors
    /// If the tensor is not a matrix, if the elements are not real numbers, or if the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[0.0, 2.0], [3.0, 1.0]]);
    /// assert_eq!(x.corrcoef()?.downcast_ref()?, tensor![[1.0, -1.0], [-1.0, 1.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn corrcoef(&self) -> Result<DynTensor, Error> {
        let products = covariances("corrcoef", self.look(), 0)?;
        let deviations = products.diagonal(0, 1)?.sqrt()?;
        let dtype = products.dtype();
        products
            .try_div(deviations.insert_axis(1)?)?
            .try_div(deviations.insert_axis(0)?)?
            .clamp(number(-1.0, dtype), number(1.0, dtype))
    }
}
