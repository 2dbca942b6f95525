//! Conversion of dynamic tensors into typed tensors on the host. It also changes the memory order and the element type if necessary.
//! A conversion of the element type that would lose more than precision is an error.

use crate::device::Cpu;
use crate::dispatch;
use crate::dyn_tensor::downcast::{DowncastError, described, rank_differs, wanted};
use crate::dyn_tensor::elementwise::unary::cast_to;
use crate::dyn_tensor::promote::same_kind;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::{DType, Element, RealScalar, c64};
use crate::error::Error;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::Tensor;

impl DynTensor {
    /// Converts a tensor of any element type, memory order and device into a `Tensor<T, D, O>` on the host.
    ///
    /// * The rank must be `D`.
    /// * Element types convert within their kind or to a higher kind, as with NumPy's `same_kind`: `bool` to all types, unsigned to
    ///   signed integers, integers to floating-point types, real to complex types. Numbers are rounded to the precision of `T`.
    /// * If a finite number would become infinite, or if an integer does not fit in `T`, the conversion returns an error. For
    ///   conversions to a lower kind, such as `f64` to `i32`, call [`to_dtype`](DynTensor::to_dtype).
    /// * The elements are arranged in memory order `O`. Elements on another device are copied to the host.
    ///
    /// If the tensor already has the requested type, it keeps its memory. Otherwise, the elements are copied. Elements on another
    /// device are copied to the host first; values that must be checked are copied for the check.
    ///
    /// # Errors
    /// If the tensor cannot be converted. The message describes the tensor and says what to call;
    /// [`DowncastError::into_inner`] returns the unchanged tensor.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// use vierbein::DynTensor;
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// let y: Tensor<f64, Rank<2>, ColMajor> = x.cast_into()?;
    /// assert_eq!(y, Tensor::from([[1.0, 2.0], [3.0, 4.0]]));
    ///
    /// let error = DynTensor::from(tensor![[1.5]]).cast_into::<i32, Rank<2>, RowMajor>().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "a row-major f64 tensor of shape [1, 1] on Cpu is not a `Tensor<i32, Rank<2>, RowMajor, Cpu>`: \
    ///      `f64` to `i32` may lose more than precision; convert it first: `.to_dtype(DType::I32)`"
    /// );
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn cast_into<T: Element, D: Dim, O: Order>(self) -> Result<Tensor<T, D, O>, DowncastError> {
        let free = self.dtype() == T::DTYPE
            && (self.order() == O::MEMORY_ORDER || self.rank() < 2)
            && self.device::<Cpu>().is_some();
        if free {
            return self.downcast();
        }
        match converted::<T, D, O>(self.look()) {
            Ok(converted) => converted.downcast(),
            Err(error) => Err(DowncastError::new(error, self)),
        }
    }
}

/// Copies a view to the host, with this element type and memory order.
fn converted<T: Element, D: Dim, O: Order>(x: DynView<'_>) -> Result<DynTensor, Error> {
    let fail = |reason| Error::Downcast { found: described(&x), wanted: wanted::<T, D, O, Cpu>(), reason };
    if let Some(reason) = rank_differs::<D>(x.rank()) {
        return Err(fail(reason));
    }
    let (from, to) = (x.dtype(), T::DTYPE);
    if !same_kind(from, to) {
        return Err(fail(format!(
            "`{from}` to `{to}` may lose more than precision; convert it first: `.to_dtype(DType::{to:?})`"
        )));
    }
    // The checks of values and the conversion run on the host.
    let on_host;
    let x = if x.device::<Cpu>().is_some() {
        x
    } else {
        on_host = x.to_device::<Cpu>()?;
        on_host.look()
    };
    if let (Some(_), Some(range)) = (integers(from), integers(to))
        && let Some(value) = first_outside(x, range)?
    {
        return Err(fail(format!(
            "{value} is not representable as `{to}`; read it as `{from}`, or as a larger type"
        )));
    }
    if matches!((from, to), (DType::F64 | DType::C64, DType::F32 | DType::C32))
        && let Some(value) = first_too_large(x)?
    {
        return Err(fail(format!(
            "{value:e} is not representable as a finite `{to}`; read it as `{from}`, or convert it: `.to_dtype(DType::{to:?})`"
        )));
    }
    let x = x.as_order(O::MEMORY_ORDER);
    if from == to { x.to_owned() } else { cast_to::<T>(x) }
}

/// Returns the first finite number, or part of a complex number, that would be infinite as `f32`.
fn first_too_large(x: DynView<'_>) -> Result<Option<f64>, Error> {
    let large = |x: &f64| x.is_finite() && (*x as f32).is_infinite();
    Ok(match x.dtype() {
        DType::F64 => x.to_vec::<f64>()?.into_iter().find(large),
        _ => x.to_vec::<c64>()?.into_iter().flat_map(|z| [z.re, z.im]).find(large),
    })
}

/// Returns the smallest and the largest integer of a type, or `None` for other types.
fn integers(dtype: DType) -> Option<(i128, i128)> {
    dispatch!(dtype, T: Integer => Some((T::MIN as i128, T::MAX as i128)), else => None)
}

/// Returns the first integer outside of a range. Elements are copied only if their type has values outside of the range.
fn first_outside(x: DynView<'_>, (low, high): (i128, i128)) -> Result<Option<i128>, Error> {
    dispatch!(x.dtype(), T: Integer => {
        if low <= T::MIN as i128 && T::MAX as i128 <= high {
            return Ok(None);
        }
        Ok(x.to_vec::<T>()?.into_iter().map(RealScalar::in_i128).find(|value| !(low..=high).contains(value)))
    }, else => Ok(None))
}
