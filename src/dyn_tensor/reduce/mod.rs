//! Reductions of dynamic tensors over all or some axes, optionally keeping the reduced axes with extent 1; cumulative sums and
//! products; traces.

mod histogram;
mod scan;
mod softmax;
mod statistics;
mod trace;
mod weighted;
mod widened;

use super::elementwise::unary::cast_to;
use super::operand::{lacking, needs};
use super::storage::DynData;
use super::tensor::{DynTensor, DynView};
use super::typed::{numbers, typed};
use super::view::shape::axes_of;
use crate::element::DType;
use crate::error::Error;
use crate::layout::Layout;
use crate::rank::{IndexNumber, from_start};
use core::ops::RangeFull;

/// The axes of a reduction: `..` for all of them, one axis, or a list of axes.
///
/// ```
/// use vierbein::{DynTensor, tensor};
/// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
/// assert_eq!(x.sum_axes(0)?.downcast_ref()?, tensor![4, 6]);
/// assert_eq!(x.sum_axes([-1])?.downcast_ref()?, tensor![3, 7]);
/// assert_eq!(x.sum_axes([0, 1])?.item()?, 10.into());
/// assert_eq!(x.sum_axes(..)?.item()?, 10.into());
/// # Ok::<(), vierbein::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name axes",
    label = "expected `..`, one axis or a list of axes",
    note = "write `..`, `1`, `-1`, `[0, 2]` or `&list`, counted from 0, or from the end with negative numbers"
)]
pub trait DynAxes {
    /// Returns the numbers of the axes as they were given, or `None` for all axes.
    #[doc(hidden)]
    fn numbers(&self) -> Option<Vec<isize>>;
}
impl DynAxes for RangeFull {
    fn numbers(&self) -> Option<Vec<isize>> {
        None
    }
}
impl<I: IndexNumber> DynAxes for I {
    fn numbers(&self) -> Option<Vec<isize>> {
        Some(vec![self.number()])
    }
}
impl<I: IndexNumber, const N: usize> DynAxes for [I; N] {
    fn numbers(&self) -> Option<Vec<isize>> {
        Some(numbers(self))
    }
}
impl<I: IndexNumber> DynAxes for [I] {
    fn numbers(&self) -> Option<Vec<isize>> {
        Some(numbers(self))
    }
}
impl<I: IndexNumber> DynAxes for &[I] {
    fn numbers(&self) -> Option<Vec<isize>> {
        Some(numbers(self))
    }
}
impl<I: IndexNumber> DynAxes for Vec<I> {
    fn numbers(&self) -> Option<Vec<isize>> {
        Some(numbers(self))
    }
}

/// Returns the axes of the argument, or all axes for `..`.
pub(super) fn all_or(axes: &impl DynAxes, rank: usize) -> Vec<isize> {
    axes.numbers().unwrap_or_else(|| (0..rank as isize).collect())
}

/// Removes axes of extent 1 from a contiguous tensor.
fn without_axes(x: DynTensor, axes: &[isize]) -> DynTensor {
    let (rank, order) = (x.rank(), x.order());
    let mut kept = Layout::point(0);
    for (axis, &extent) in x.shape().iter().enumerate() {
        if !axes.iter().any(|&removed| from_start(removed, rank) == axis) {
            kept.push(extent, 1);
        }
    }
    let layout = Layout::contiguous(kept.shape(), order.is_row_major());
    DynTensor::of(x.into_storage(), layout, order)
}

/// Returns a copy converted to `f64` if the elements are integers, so that the kernels for variances and norms of integers are not compiled.
/// Checks the axes before the conversion allocates memory.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn integers_as_floats(
    name: &'static str,
    x: DynView<'_>,
    axes: &[isize],
) -> Result<Option<DynTensor>, Error> {
    match x.dtype() {
        DType::Bool => Err(lacking(name, x.dtype(), needs::NUMBERS)),
        DType::F32 | DType::F64 | DType::C32 | DType::C64 => Ok(None),
        _ => {
            x.layout().axes().check_distinct_axes(name, &axes_of(axes, x.rank()))?;
            cast_to::<f64>(x).map(Some)
        }
    }
}

macro_rules! reductions {
    ($(
        $(#[$doc:meta])*
        $Name:ident, $method:ident $method_axis:ident $method_axes:ident $typed:ident ($($arg:ident: $ty:ty)?),
        $verb:literal, $bound:ident $(, after $prepare:ident)?,
        $input:literal, [$($given:literal)?], $expected:literal;
    )*) => {
        /// A reduction as a value, for programs that choose the reduction at run time. It is the argument of [`reduce`](DynTensor::reduce),
        /// and of [`reduce_keepdims`](DynTensor::reduce_keepdims), which keeps the reduced axes. For each variant, there is also a method
        /// of [`DynTensor`].
        ///
        /// ```
        /// use vierbein::dyn_tensor::DynReduction;
        /// use vierbein::{DynTensor, tensor};
        /// let x = DynTensor::from(tensor![[1.0, 2.0], [3.0, 6.0]]);
        /// assert_eq!(x.reduce(DynReduction::Mean, 1)?.downcast_ref()?, tensor![1.5, 4.5]);
        /// let centred = &x - &x.reduce_keepdims(DynReduction::Mean, 1)?;
        /// assert_eq!(centred.downcast_ref()?, tensor![[-0.5, 0.5], [-1.5, 1.5]]);
        /// # Ok::<(), vierbein::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum DynReduction {
            $($(#[$doc])* $Name $({
                /// The number that is subtracted from the number of elements to get the divisor. It is 0 if the elements are the
                /// whole population, and 1 if they are a sample.
                $arg: $ty
            })?,)*
        }

        /// The names of all reductions.
        #[cfg(all(test, feature = "cuda"))]
        pub(crate) const REDUCTIONS: &[&str] = &[$(stringify!($Name)),*];

        $(
            /// Reduces axes, which are kept with extent 1.
            #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
            fn $method(x: DynView<'_>, axes: &[isize] $(, $arg: $ty)?) -> Result<DynTensor, Error> {
                $(
                    let floats = $prepare($verb, x, axes)?;
                    let x = floats.as_ref().map_or(x, DynTensor::look);
                )?
                typed!($verb, $bound, (x = x; axes: &[isize] = axes $(, $arg: $ty = $arg)?) => x.$typed(axes $(, $arg)?))
            }

            impl<S: DynData> DynTensor<S> {
                $(#[$doc])*
                ///
                /// Reduces all axes. The result has rank 0.
                ///
                /// # Errors
                /// * If the reduction does not support the element type.
                /// * If the result is undefined, such as the maximum of zero elements, or does not fit its type.
                /// * If the device allocation fails.
                ///
                /// ```
                /// use vierbein::{Complex, DynTensor, tensor};
                #[doc = concat!("let x = DynTensor::from(tensor!", $input, ");")]
                #[doc = concat!("assert_eq!(x.", stringify!($method_axis), "(0", $(", ", $given,)? ")?.downcast_ref()?, tensor!", $expected, ");")]
                #[doc = concat!("assert_eq!(x.", stringify!($method), "(", $($given,)? ")?.rank(), 0);")]
                /// # Ok::<(), vierbein::Error>(())
                /// ```
                pub fn $method(&self $(, $arg: $ty)?) -> Result<DynTensor, Error> {
                    self.$method_axes(.. $(, $arg)?)
                }

                #[doc = concat!("[`", stringify!($method), "`](DynTensor::", stringify!($method), ") over one axis, which is removed.")]
                ///
                /// # Errors
                #[doc = concat!("If the axis is out of range, or one of the errors of [`", stringify!($method), "`](DynTensor::", stringify!($method), ").")]
                pub fn $method_axis(&self, axis: impl IndexNumber $(, $arg: $ty)?) -> Result<DynTensor, Error> {
                    self.$method_axes(axis $(, $arg)?)
                }

                #[doc = concat!("[`", stringify!($method), "`](DynTensor::", stringify!($method), ") over a list of axes, which are removed.")]
                ///
                /// # Errors
                #[doc = concat!("If an axis is out of range or named twice, or one of the errors of [`", stringify!($method), "`](DynTensor::", stringify!($method), ").")]
                pub fn $method_axes(&self, axes: impl DynAxes $(, $arg: $ty)?) -> Result<DynTensor, Error> {
                    let axes = all_or(&axes, self.rank());
                    Ok(without_axes($method(self.look(), &axes $(, $arg)?)?, &axes))
                }
            }
        )*

        #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
        fn reduce(op: DynReduction, x: DynView<'_>, axes: &[isize]) -> Result<DynTensor, Error> {
            match op {
                $(DynReduction::$Name $({ $arg })? => $method(x, axes $(, $arg)?),)*
            }
        }
    };
}
reductions! {
    /// The sum; 0 for zero elements. Integer overflow is checked in builds with debug assertions, as by
    /// [`Tensor::sum`](crate::Tensor::sum).
    Sum, sum sum_axis sum_axes try_sum_keepdims(), "sum", Scalar, "[[1, 2], [3, 4]]", [], "[4, 6]";
    /// The product; 1 for zero elements.
    Prod, prod prod_axis prod_axes try_prod_keepdims(), "product", Scalar, "[[1, 2], [3, 4]]", [], "[3, 8]";
    /// The arithmetic mean, in `f64` for integers; NaN for zero elements.
    Mean, mean mean_axis mean_axes try_mean_keepdims(), "mean", Scalar, "[[1, 2], [4, 8]]", [], "[2.5, 5.0]";
    /// The variance `Σ|x − mean|² / (n − ddof)` of `n` elements; NaN if `n ≤ ddof`. It is real for complex numbers, and an `f64`
    /// for integers.
    Var, var var_axis var_axes try_var_keepdims(ddof: usize), "variance", Inexact, after integers_as_floats, "[[1.0, 2.0], [3.0, 6.0]]", [1], "[2.0, 8.0]";
    /// The standard deviation: the square root of the variance.
    Std, std std_axis std_axes try_std_keepdims(ddof: usize), "standard deviation", Inexact, after integers_as_floats, "[[1.0, 2.0], [3.0, 6.0]]", [0], "[1.0, 2.0]";
    /// The Euclidean (Frobenius) norm `√Σ|x|²`: real for complex numbers, in `f64` for integers.
    Norm, norm norm_axis norm_axes try_norm_keepdims(), "norm", Inexact, after integers_as_floats, "[[3.0, 0.0], [4.0, 1.0]]", [], "[5.0, 1.0]";
    /// The largest element; NaN if an element is NaN.
    Max, max max_axis max_axes try_max_keepdims(), "maximum", RealScalar, "[[1, 4], [3, 2]]", [], "[3, 4]";
    /// The smallest element; NaN if an element is NaN.
    Min, min min_axis min_axes try_min_keepdims(), "minimum", RealScalar, "[[1, 4], [3, 2]]", [], "[1, 2]";
    /// The flat index of the first maximum, counted in memory order over the reduced axes, as `i64`. NaN counts as the maximum, and
    /// `true` is larger than `false`.
    ArgMax, argmax argmax_axis argmax_axes try_argmax_keepdims(), "index of the maximum", Ordered, "[[1, 4], [3, 2]]", [], "[1_i64, 0]";
    /// The flat index of the first minimum, counted in memory order over the reduced axes, as `i64`. NaN counts as the minimum, and
    /// `true` is larger than `false`.
    ArgMin, argmin argmin_axis argmin_axes try_argmin_keepdims(), "index of the minimum", Ordered, "[[1, 4], [3, 2]]", [], "[0_i64, 1]";
    /// Whether all elements of a mask are `true`; `true` for zero elements.
    All, all all_axis all_axes try_all_keepdims(), "all", bool, "[[true, false], [true, true]]", [], "[true, false]";
    /// Whether at least one element of a mask is `true`; `false` for zero elements.
    Any, any any_axis any_axes try_any_keepdims(), "any", bool, "[[true, false], [true, false]]", [], "[true, false]";
    /// The number of elements of a mask that are `true`, as `i64`.
    Count, count count_axis count_axes try_count_keepdims(), "count", bool, "[[true, false], [true, true]]", [], "[2_i64, 1]";
    /// The difference between the largest and the smallest element; NaN if an element is NaN.
    PeakToPeak, ptp ptp_axis ptp_axes try_ptp_keepdims(), "range", RealScalar, "[[1, 7], [3, 4]]", [], "[2, 3]";
    /// The sum of the elements that are not NaN; 0 if there are none.
    NanSum, nan_sum nan_sum_axis nan_sum_axes try_nan_sum_keepdims(), "sum without NaN", Inexact, "[[1.0, f64::NAN], [3.0, 4.0]]", [], "[4.0, 4.0]";
    /// The arithmetic mean of the elements that are not NaN; NaN if there are none.
    NanMean, nan_mean nan_mean_axis nan_mean_axes try_nan_mean_keepdims(), "mean without NaN", Inexact, "[[1.0, f64::NAN], [3.0, 5.0]]", [], "[2.0, 5.0]";
    /// The largest of the elements that are not NaN; NaN if all elements are NaN.
    NanMax, nan_max nan_max_axis nan_max_axes try_nan_max_keepdims(), "maximum without NaN", RealFloat, "[[1.0, f64::NAN], [3.0, 4.0]]", [], "[3.0, 4.0]";
    /// The smallest of the elements that are not NaN; NaN if all elements are NaN.
    NanMin, nan_min nan_min_axis nan_min_axes try_nan_min_keepdims(), "minimum without NaN", RealFloat, "[[1.0, f64::NAN], [3.0, 4.0]]", [], "[1.0, 4.0]";
    /// The product of the elements that are not NaN; 1 if there are none.
    NanProd, nan_prod nan_prod_axis nan_prod_axes try_nan_prod_keepdims(), "product without NaN", Inexact, "[[1.0, f64::NAN], [3.0, 4.0]]", [], "[3.0, 4.0]";
    /// The variance `Σ|x − mean|² / (n − ddof)` of the `n` elements that are not NaN; NaN if `n ≤ ddof`. It is real for complex numbers.
    NanVar, nan_var nan_var_axis nan_var_axes try_nan_var_keepdims(ddof: usize), "variance without NaN", Inexact, "[[1.0, f64::NAN], [5.0, 3.0]]", [0], "[4.0, 0.0]";
    /// The standard deviation of the elements that are not NaN: the square root of the variance.
    NanStd, nan_std nan_std_axis nan_std_axes try_nan_std_keepdims(ddof: usize), "standard deviation without NaN", Inexact, "[[1.0, f64::NAN], [5.0, 3.0]]", [0], "[2.0, 0.0]";
    /// The flat index of the first maximum of the elements that are not NaN, counted in memory order over the reduced axes, as `i64`. It
    /// is undefined if all elements are NaN.
    NanArgMax, nan_argmax nan_argmax_axis nan_argmax_axes try_nan_argmax_keepdims(), "index of the maximum without NaN", RealFloat, "[[f64::NAN, 1.0], [3.0, 4.0]]", [], "[1_i64, 1]";
    /// The flat index of the first minimum of the elements that are not NaN, counted in memory order over the reduced axes, as `i64`. It
    /// is undefined if all elements are NaN.
    NanArgMin, nan_argmin nan_argmin_axis nan_argmin_axes try_nan_argmin_keepdims(), "index of the minimum without NaN", RealFloat, "[[f64::NAN, 1.0], [3.0, 4.0]]", [], "[1_i64, 0]";
}

impl<S: DynData> DynTensor<S> {
    /// Applies a reduction that is chosen at run time.
    ///
    /// # Errors
    /// Those of the method with the reduction's name.
    pub fn reduce(&self, op: DynReduction, axes: impl DynAxes) -> Result<DynTensor, Error> {
        let axes = all_or(&axes, self.rank());
        Ok(without_axes(reduce(op, self.look(), &axes)?, &axes))
    }

    /// Variant of [`reduce`](DynTensor::reduce) that keeps the reduced axes with extent 1.
    ///
    /// # Errors
    /// Those of the method with the reduction's name.
    pub fn reduce_keepdims(&self, op: DynReduction, axes: impl DynAxes) -> Result<DynTensor, Error> {
        reduce(op, self.look(), &all_or(&axes, self.rank()))
    }
}
