//! Dynamic tensors: linear interpolation, integrals by the trapezoidal rule, gradients, covariances and correlation coefficients.

use super::{DynReduction, change, in_range};
use crate::dispatch;
use crate::dyn_tensor::copy::join::concatenate;
use crate::dyn_tensor::operand::{agree, device_of, lacking, needs, on_device};
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::{DType, Inexact, RealFloat};
use crate::engine::elementwise::interpolate::{Interpolation, interpolate};
use crate::engine::elementwise::spacing::{Halves, Spacing};
use crate::error::Error;
use crate::ops::{ClampParts, EdgeOrder, GRADIENT, are_ordinary, row_scale};
use crate::rank::{IndexNumber, from_start};
use core::ops::Range;

/// Interpolates on the host, and copies the result to the device of `x`.
fn interpolated<T: RealFloat>(
    x: DynView<'_>,
    xp: DynView<'_>,
    fp: DynView<'_>,
    options: Interpolation<f64>,
) -> Result<DynTensor, Error> {
    let mut values = x.to_vec::<T>()?;
    interpolate(&mut values, &xp.to_vec::<T>()?, &fp.to_vec::<T>()?, options.map(T::from_f64))?;
    on_device!("interpolate", x, Dev => {
        DynTensor::from_vec(x.shape(), values, x.order())?.to_device_in(device_of::<Dev>(&x))
    })
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn interp(
    x: DynView<'_>,
    xp: DynView<'_>,
    fp: DynView<'_>,
    options: Interpolation<f64>,
) -> Result<DynTensor, Error> {
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
        T: RealFloat => interpolated::<T>(x, xp, fp, options),
        else => Err(lacking(NAME, x.dtype(), needs::FLOATS))
    )
}

/// Returns the number as a scalar of type `dtype`, which must be floating-point or complex.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
pub(crate) fn number(value: f64, dtype: DType) -> DynScalar {
    use crate::element::Scalar;
    dispatch!(dtype, T: Inexact => DynScalar::of(T::from_f64(value)), else => DynScalar::of(value))
}

/// Checks that the elements are floating-point or complex numbers.
fn check_inexact(op: &'static str, x: DynView<'_>) -> Result<(), Error> {
    match x.dtype() {
        DType::F32 | DType::F64 | DType::C32 | DType::C64 => Ok(()),
        dtype => Err(lacking(op, dtype, needs::INEXACT)),
    }
}

/// Returns real numbers along an axis, with extent 1 along the other axes, and with the element type, order and device of `x`.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn along(x: DynView<'_>, axis: usize, values: &[f64]) -> Result<DynTensor, Error> {
    let mut shape = vec![1; x.rank()];
    shape[axis] = values.len();
    placed(x, &shape, values.to_vec())
}

/// Returns real numbers as a tensor with the element type, order and device of `x`.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn placed(x: DynView<'_>, shape: &[usize], values: Vec<f64>) -> Result<DynTensor, Error> {
    let host = DynTensor::from_vec(shape, values, x.order())?.to_dtype(x.dtype())?;
    on_device!("scale", x, Dev => host.to_device_in(device_of::<Dev>(&x)))
}

/// Returns the gradient along an axis, with the formulas of [`Tensor::gradient`](crate::Tensor::gradient).
fn gradient(x: DynView<'_>, axis: usize, halves: &Halves<f64>, edges: EdgeOrder) -> Result<DynTensor, Error> {
    let (n, dtype) = (x.shape()[axis], x.dtype());
    let half_of_difference = |after: Range<usize>, before: Range<usize>| {
        let half = number(0.5, dtype);
        x.range(axis, after).try_mul(half)?.try_sub(&x.range(axis, before).try_mul(half)?)
    };
    let half_at = |k: usize| match halves {
        Halves::Uniform(half) => *half,
        Halves::Each(halves) => halves[k],
    };
    // The slope between points `k` and `k + 1`.
    let slope = |k: usize| half_of_difference(k + 1..k + 2, k..k + 1)?.try_div(number(half_at(k), dtype));
    let edge = |k: usize, next: usize| match edges {
        EdgeOrder::First => slope(k),
        EdgeOrder::Second => {
            let share = half_at(k) / (half_at(k) + half_at(next));
            let slope_at_edge = slope(k)?;
            let more = slope_at_edge.try_sub(&slope(next)?)?.try_mul(number(share, dtype))?;
            slope_at_edge.try_add(&more)
        }
    };
    let mut parts = vec![edge(0, 1)?];
    if n > 2 {
        parts.push(match halves {
            Halves::Uniform(half) => {
                half_of_difference(2..n, 0..n - 2)?.try_div(number(half + half, dtype))?
            }
            Halves::Each(halves) => {
                let slopes = half_of_difference(1..n, 0..n - 1)?.try_div(&along(x, axis, halves)?)?;
                let weights = |share: fn(f64, f64) -> f64| {
                    let weights: Vec<f64> = halves.windows(2).map(|pair| share(pair[0], pair[1])).collect();
                    along(x, axis, &weights)
                };
                let left = slopes.range(axis, 0..n - 2).try_mul(&weights(|a, b| b / (a + b))?)?;
                let right = slopes.range(axis, 1..n - 1).try_mul(&weights(|a, b| a / (a + b))?)?;
                left.try_add(&right)?
            }
        });
    }
    parts.push(edge(n - 2, n.saturating_sub(3))?);
    let parts: Vec<&DynTensor> = parts.iter().collect();
    concatenate(axis, &parts)
}

/// Checks that `x` is a matrix of numbers, and returns a copy. Integers are converted to `f64`.
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
        DType::F32 | DType::F64 | DType::C32 | DType::C64 => x.to_owned(),
        _ => x.to_dtype(DType::F64),
    }
}

/// Returns the sums of products of the differences between the elements and the mean of their row. Rows are divided by `scales`, if given.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn products(rows: &DynTensor, scales: Option<&[f64]>) -> Result<DynTensor, Error> {
    let scaled = match scales {
        Some(scales) => rows.try_mul(factors(rows, scales.iter().map(|by| 1.0 / by))?.insert_axis(1)?)?,
        None => rows.to_owned()?,
    };
    let mut centred = scaled;
    let means = centred.reduce_keepdims(DynReduction::Mean, 1)?;
    centred.try_sub_assign(&means)?;
    if matches!(centred.dtype(), DType::C32 | DType::C64) {
        return centred.matmul(&centred.t()?.conj()?);
    }
    centred.matmul(centred.t()?)
}

/// Returns real numbers as a vector with the element type, order and device of `rows`.
fn factors(rows: &DynTensor, values: impl Iterator<Item = f64>) -> Result<DynTensor, Error> {
    let values: Vec<f64> = values.collect();
    placed(rows.look(), &[values.len()], values)
}

/// Returns, for each row, a power of two that is near its element of greatest modulus.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn row_scales(rows: &DynTensor) -> Result<Vec<f64>, Error> {
    (0..rows.shape()[0])
        .map(|i| {
            let row = rows.index_axis(0, i)?;
            dispatch!(
                row.dtype(),
                T: Inexact => Ok(row_scale(&row.to_vec::<T>()?)),
                else => unreachable!("the rows are floating-point or complex numbers")
            )
        })
        .collect()
}

/// Returns the sums of squares on the diagonal of `products`, rounded to `f64`, and whether all are finite and, if `roots`, not so small
/// that squares that underflowed matter.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn squares_of(products: &DynTensor, roots: bool) -> Result<(Vec<f64>, bool), Error> {
    use crate::element::{RealScalar, Scalar};
    let diagonal = products.diagonal(0, 1)?;
    dispatch!(
        diagonal.dtype(),
        T: Inexact => {
            let squares = diagonal.to_vec::<T>()?;
            let right = squares.iter().all(|&x| if roots { are_ordinary(x) } else { Inexact::all_finite(x) });
            Ok((squares.iter().map(|x| x.re().in_f64()).collect(), right))
        },
        else => unreachable!("products are floating-point or complex numbers")
    )
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn covariances(x: DynView<'_>, ddof: usize) -> Result<DynTensor, Error> {
    let rows = rows_as_floats("cov", x)?;
    let count = x.shape()[1];
    let divisor = number(if count > ddof { (count - ddof) as f64 } else { f64::NAN }, rows.dtype());
    let plain = products(&rows, None)?;
    if squares_of(&plain, false)?.1 {
        return plain.try_div(divisor);
    }
    let scales = row_scales(&rows)?;
    let mut result = products(&rows, Some(&scales))?.try_div(divisor)?;
    // As for typed tensors: each step multiplies by about the square root of the scale of a row or a column.
    for part in [|e: i32| e / 2, |e: i32| e - e / 2] {
        let factors = factors(&rows, scales.iter().map(|by| 2f64.powi(part(by.log2() as i32))))?;
        result = result.try_mul(factors.insert_axis(1)?)?.try_mul(factors.insert_axis(0)?)?;
    }
    Ok(result)
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn correlations(x: DynView<'_>) -> Result<DynTensor, Error> {
    let rows = rows_as_floats("corrcoef", x)?;
    let count = number(x.shape()[1] as f64, rows.dtype());
    let mut result = products(&rows, None)?.try_div(count)?;
    let (mut squares, right) = squares_of(&result, true)?;
    if !right {
        result = products(&rows, Some(&row_scales(&rows)?))?.try_div(count)?;
        squares = squares_of(&result, true)?.0;
    }
    let deviations = squares.iter().map(|square| square.sqrt());
    let mut result = if matches!(rows.dtype(), DType::C32 | DType::C64) {
        let factors = factors(&rows, deviations.map(|deviation| 1.0 / deviation))?;
        result.try_mul(factors.insert_axis(1)?)?.try_mul(factors.insert_axis(0)?)?
    } else {
        let deviations = factors(&rows, deviations)?;
        result.try_div(deviations.insert_axis(1)?)?.try_div(deviations.insert_axis(0)?)?
    };
    clamp_parts(&mut result)?;
    Ok(result)
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn clamp_parts(x: &mut DynTensor) -> Result<(), Error> {
    let view = x.look();
    on_device!("clamp", view, Dev => dispatch!(
        x.dtype(),
        T: Inexact => change::<T, Dev, _>(ClampParts, x),
        else => unreachable!("coefficients are floating-point or complex numbers")
    ))
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
        interp(self.look(), xp.into(), fp.into(), Interpolation::default())
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
        interp(self.look(), xp.into(), fp.into(), options)
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
        const NAME: &str = "integrate by trapezoids";
        let (x, axis) = (self.look(), from_start(axis, self.rank()));
        check_inexact(NAME, x)?;
        let halves = spacing.into().halves(NAME, x.layout().axes(), axis)?;
        let extent = x.shape()[axis];
        let intervals = extent.saturating_sub(1);
        in_range(x, |x| {
            let sums = x.range(axis, 0..intervals).try_add(x.range(axis, extent - intervals..extent))?;
            match &halves {
                Halves::Uniform(half) => sums.sum_axis(axis)?.try_mul(number(*half, x.dtype())),
                Halves::Each(halves) => sums.try_mul(&along(x, axis, halves)?)?.sum_axis(axis),
            }
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
        let (x, axis) = (self.look(), from_start(axis, self.rank()));
        check_inexact(GRADIENT, x)?;
        let halves = spacing.into().halves(GRADIENT, x.layout().axes(), axis)?;
        edges.check(x.layout().axes(), axis)?;
        gradient(x, axis, &halves, edges)
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
        covariances(self.look(), ddof)
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
        correlations(self.look())
    }
}
