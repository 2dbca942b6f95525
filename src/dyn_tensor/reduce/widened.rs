//! Sums, products and traces of dynamic tensors in a wider type than that of the elements.

use super::trace::diagonal_of;
use super::{Over, arranged};
use crate::device::{Reduce, Reduction};
use crate::dispatch;
use crate::dyn_tensor::operand::{allocate_with, device_of, elements, lacking, needs, on_device};
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::{DType, Element};
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::op;
use crate::rank::{IndexNumber, from_start};

/// The elements to reduce.
#[derive(Debug, Clone, Copy)]
struct WidenedOperand<'a> {
    x: DynView<'a>,
    /// The axes of the elements, with the reduced axes last, and the offset of the first element in `x`.
    from: Layout,
    offset: isize,
    result: Layout,
}

impl<'a> WidenedOperand<'a> {
    fn over(name: &'static str, x: DynView<'a>, over: Over<'_>) -> Result<Self, Error> {
        let [from, result, _] = arranged(name, true, x, over)?;
        Ok(WidenedOperand { x, from, offset: 0, result })
    }
}

fn reduced<T: Element, Dev: Reduce<T>, R: Reduction<T>>(
    op: R,
    of: WidenedOperand<'_>,
) -> Result<DynTensor, Error> {
    let (device, x) = (device_of::<Dev>(&of.x), of.x);
    let operand = elements::<T, Dev>(&x).with_axes(of.from.axes(), of.offset);
    allocate_with(device, of.result, x.order(), &mut |out| device.reduce(&op, out, operand))
}

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
fn converted(
    noun: &str,
    of: &WidenedOperand<'_>,
    result: Result<DynTensor, Error>,
    to: DType,
) -> Result<DynTensor, Error> {
    let beyond = || Error::Arithmetic {
        op: "reduce",
        dtype: to.name(),
        values: format!("the {noun} over axes of extents {:?}", &of.from.shape()[of.result.rank()..]),
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

// The functions below instantiate kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn sum(name: &'static str, of: WidenedOperand<'_>, to: DType) -> Result<DynTensor, Error> {
    let (x, via) = (of.x, check(name, of.x.dtype(), to)?);
    let result = on_device!(name, x, Dev => dispatch!(
        x.dtype(),
        // Sums of these types fit 64 bits.
        T in [i8, i16, i32, u8, u16, u32] => reduced::<T, Dev, _>(op::SumAs::<i64>::default(), of),
        else => dispatch!(
            x.dtype(),
            T in [i64, u64] => dispatch!(
                via,
                U in [i64, u64, f32, f64] => reduced::<T, Dev, _>(op::SumAs::<U>::default(), of),
                else => unreachable!("integers are summed in these types")
            ),
            else => match (x.dtype(), via) {
                (DType::F32, DType::F64) => reduced::<f32, Dev, _>(op::SumAs::<f64>::default(), of),
                (DType::C32, DType::C64) => reduced::<crate::c32, Dev, _>(op::SumAs::<crate::c64>::default(), of),
                _ => dispatch!(
                    x.dtype(),
                    T: Inexact => reduced::<T, Dev, _>(op::Sum, of),
                    else => unreachable!("the other types have branches above")
                ),
            }
        )
    ));
    converted("sum", &of, result, to)
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn product(name: &'static str, of: WidenedOperand<'_>, to: DType) -> Result<DynTensor, Error> {
    let (x, via) = (of.x, check(name, of.x.dtype(), to)?);
    let result = on_device!(name, x, Dev => dispatch!(
        x.dtype(),
        T: Integer => dispatch!(
            via,
            U in [i64, u64, f32, f64] => reduced::<T, Dev, _>(op::ProdAs::<U>::default(), of),
            else => unreachable!("integers are multiplied in these types")
        ),
        else => match (x.dtype(), via) {
            (DType::F32, DType::F64) => reduced::<f32, Dev, _>(op::ProdAs::<f64>::default(), of),
            (DType::C32, DType::C64) => reduced::<crate::c32, Dev, _>(op::ProdAs::<crate::c64>::default(), of),
            _ => dispatch!(
                x.dtype(),
                T: Inexact => reduced::<T, Dev, _>(op::Prod, of),
                else => unreachable!("the other types have branches above")
            ),
        }
    ));
    converted("product", &of, result, to)
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
        sum("sum", WidenedOperand::over("sum", self.look(), Over::all())?, dtype)
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
        let axis = [from_start(axis, self.rank())];
        sum("sum", WidenedOperand::over("sum", self.look(), Over::these(&axis))?, dtype)
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
        product("product", WidenedOperand::over("product", self.look(), Over::all())?, dtype)
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
        let axis = [from_start(axis, self.rank())];
        product("product", WidenedOperand::over("product", self.look(), Over::these(&axis))?, dtype)
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
        let x = self.look();
        let from = diagonal_of(x, from_start(a, self.rank()), from_start(b, self.rank()), None)?;
        let result = Layout::contiguous(&from.shape()[..from.rank() - 1], x.order().is_row_major());
        sum("trace", WidenedOperand { x, from, offset: from.offset() - x.layout().offset(), result }, dtype)
    }
}
