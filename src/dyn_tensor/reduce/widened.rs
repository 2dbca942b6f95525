//! Sums, products and traces of dynamic tensors in a wider type than that of the elements.

use super::{all_or, without_axes};
use crate::dyn_tensor::operand::{lacking, needs};
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::dyn_tensor::view::shape::axes_of;
use crate::element::{DType, c32, c64};
use crate::error::Error;
use crate::ops::op;
use crate::rank::{IndexNumber, from_start};

fn is_integer(dtype: DType) -> bool {
    !matches!(dtype, DType::Bool | DType::F32 | DType::F64 | DType::C32 | DType::C64)
}

/// Returns the type in which elements of the type `from` are reduced, if the result has the type `to`: integers in 64 bits, so that there is
/// one kernel for all of them, and complex results in real numbers if the elements are real. `None` if `to` does not have all values of
/// `from`.
fn between(from: DType, to: DType) -> Option<DType> {
    use DType::{C32, C64, F32, F64, I64, U64};
    match (from, to) {
        (DType::Bool, _) | (_, DType::Bool) => None,
        (_, U64) if is_integer(from) => Some(U64),
        (_, to) if is_integer(from) && is_integer(to) => Some(I64),
        (from, F32 | C32) if is_integer(from) || from == F32 => Some(F32),
        (from, F64 | C64) if is_integer(from) || matches!(from, F32 | F64) => Some(F64),
        (C32, C32) => Some(C32),
        (C32 | C64, C64) => Some(C64),
        _ => None,
    }
}

/// Converts results of the type in which they were computed to the type `to`.
///
/// # Errors
/// If a result does not fit.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn converted(
    noun: &str,
    extents: &[usize],
    result: Result<DynTensor, Error>,
    to: DType,
) -> Result<DynTensor, Error> {
    let beyond = || Error::Arithmetic {
        op: "reduce",
        dtype: to.name(),
        values: format!("the {noun} over axes of extents {extents:?}"),
    };
    let result = match result {
        Err(Error::Arithmetic { .. }) => return Err(beyond()),
        result => result?,
    };
    if result.dtype() == to {
        return Ok(result);
    }
    let narrow = result.to_dtype(to)?;
    if is_integer(to) {
        let same = match to {
            // The conversion from `i64` wraps, and so would the one back.
            DType::U64 => result.ge(0_i64)?,
            _ => narrow.to_dtype(result.dtype())?.equal(&result)?,
        };
        if same.all()?.item()? != DynScalar::from(true) {
            return Err(beyond());
        }
    }
    Ok(narrow)
}

/// The error if sums or products of the elements cannot have the type `to`.
fn check(name: &'static str, from: DType, to: DType) -> Result<DType, Error> {
    if from == DType::Bool || to == DType::Bool {
        return Err(lacking(name, DType::Bool, needs::NUMBERS));
    }
    between(from, to).ok_or_else(|| Error::Argument {
        op: name,
        reason: format!(
            "`{to}` does not have all values of `{from}`, so sums and products of `{from}` are not computed in `{to}`; \
             convert the elements first, with `.to_dtype(DType::{to:?})`"
        ),
    })
}

/// Reduces axes, which are kept with extent 1, by an operation with an accumulator. The result has the type that [`between`] chooses.
macro_rules! widened {
    ($name:expr, $x:expr, $axes:expr, $via:expr, $Exact:ident, $Wide:ident) => {{
        let (x, axes, via) = ($x, $axes, $via);
        match (x.dtype(), via) {
            (DType::F32, DType::F64) => widened!(@row $name, [in f32], x, axes, op::$Wide::<f64>::default()),
            (DType::C32, DType::C64) => widened!(@row $name, [in c32], x, axes, op::$Wide::<c64>::default()),
            (dtype, _) if !is_integer(dtype) => widened!(@row $name, [Inexact], x, axes, op::$Exact),
            (_, DType::U64) => widened!(@row $name, [Integer], x, axes, op::$Wide::<u64>::default()),
            (_, DType::F32) => widened!(@row $name, [Integer], x, axes, op::$Wide::<f32>::default()),
            (_, DType::F64) => widened!(@row $name, [Integer], x, axes, op::$Wide::<f64>::default()),
            _ => widened!(@row $name, [Integer], x, axes, op::$Wide::<i64>::default()),
        }
    }};
    (@row $name:expr, [$($bound:tt)*], $x:expr, $axes:expr, $op:expr) => {
        typed!($name, [$($bound)*], (x = $x; axes: &[isize] = $axes) => x.try_reduce_keepdims(axes, $op))
    };
}

const SUM: &str = "sum";
const PRODUCT: &str = "product";

/// Sums along axes, which are removed.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn sum(name: &'static str, x: DynView<'_>, axes: &[isize], to: DType) -> Result<DynTensor, Error> {
    let via = check(name, x.dtype(), to)?;
    // Sums of integers of up to 32 bits fit 64 bits.
    let via = if is_integer(x.dtype()) && x.dtype().size() < 8 { DType::I64 } else { via };
    let extents = extents_of(name, x, axes)?;
    let result = widened!(SUM, x, axes, via, Sum, SumAs);
    Ok(without_axes(converted("sum", &extents, result, to)?, axes))
}

/// Multiplies along axes, which are removed.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn product(x: DynView<'_>, axes: &[isize], to: DType) -> Result<DynTensor, Error> {
    let via = check(PRODUCT, x.dtype(), to)?;
    let extents = extents_of(PRODUCT, x, axes)?;
    let result = widened!(PRODUCT, x, axes, via, Prod, ProdAs);
    Ok(without_axes(converted("product", &extents, result, to)?, axes))
}

/// Checks the axes, and returns their extents.
fn extents_of(name: &'static str, x: DynView<'_>, axes: &[isize]) -> Result<Vec<usize>, Error> {
    let axes = axes_of(axes, x.rank());
    x.layout().axes().check_distinct_axes(name, &axes)?;
    Ok(axes.iter().map(|&axis| x.shape()[axis]).collect())
}

impl<S: DynData> DynTensor<S> {
    /// Returns the sum of all elements in the type `dtype`. The elements are widened as they are read: nothing is copied. See
    /// [`Tensor::sum_as`](crate::Tensor::sum_as).
    ///
    /// # Errors
    /// * If the elements are not numbers, or `dtype` does not have all values of a type that is not an integer.
    /// * If `dtype` is an integer type and the sum does not fit it, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![200u8, 100]);
    /// assert_eq!(x.sum_as(DType::U64)?.item()?, 300_u64.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn sum_as(&self, dtype: DType) -> Result<DynTensor, Error> {
        sum(SUM, self.look(), &all_or(&.., self.rank()), dtype)
    }

    /// [`sum_as`](DynTensor::sum_as) over one axis, which is removed.
    ///
    /// # Errors
    /// If the axis is out of range, or one of the errors of [`sum_as`](DynTensor::sum_as).
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[200u8, 1], [100, 2]]);
    /// assert_eq!(x.sum_axis_as(0, DType::U64)?.downcast_ref()?, tensor![300_u64, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn sum_axis_as(&self, axis: impl IndexNumber, dtype: DType) -> Result<DynTensor, Error> {
        sum(SUM, self.look(), &[axis.number()], dtype)
    }

    /// Returns the product of all elements in the type `dtype`. The elements are widened as they are read: nothing is copied. See
    /// [`Tensor::prod_as`](crate::Tensor::prod_as).
    ///
    /// # Errors
    /// * If the elements are not numbers, or `dtype` does not have all values of a type that is not an integer.
    /// * If `dtype` is an integer type and the product does not fit it, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![200u8, 100]);
    /// assert_eq!(x.prod_as(DType::U64)?.item()?, 20_000_u64.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn prod_as(&self, dtype: DType) -> Result<DynTensor, Error> {
        product(self.look(), &all_or(&.., self.rank()), dtype)
    }

    /// [`prod_as`](DynTensor::prod_as) over one axis, which is removed.
    ///
    /// # Errors
    /// If the axis is out of range, or one of the errors of [`prod_as`](DynTensor::prod_as).
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[200u8, 1], [100, 2]]);
    /// assert_eq!(x.prod_axis_as(0, DType::U64)?.downcast_ref()?, tensor![20_000_u64, 2]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn prod_axis_as(&self, axis: impl IndexNumber, dtype: DType) -> Result<DynTensor, Error> {
        product(self.look(), &[axis.number()], dtype)
    }

    /// [`trace`](DynTensor::trace) in the type `dtype`: see [`sum_as`](DynTensor::sum_as).
    ///
    /// # Errors
    /// * If the rank is below 2, or an axis is out of range.
    /// * If `a` and `b` are the same axis, or differ in extent.
    /// * One of the errors of [`sum_as`](DynTensor::sum_as).
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[200u8, 1], [2, 100]]);
    /// assert_eq!(x.trace_as(0, 1, DType::U64)?.item()?, 300_u64.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn trace_as(
        &self,
        a: impl IndexNumber,
        b: impl IndexNumber,
        dtype: DType,
    ) -> Result<DynTensor, Error> {
        const TRACE: &str = "trace";
        let (a, b) = (from_start(a, self.rank()), from_start(b, self.rank()));
        let diagonal = self.look().with_axes(self.layout().diagonal(TRACE, a, b)?);
        sum(TRACE, diagonal, &[-1], dtype)
    }
}
