//! Reductions of dynamic tensors over all or some axes, optionally keeping the reduced axes with extent 1; cumulative sums and
//! products; traces.

pub(crate) mod histogram;
mod scan;
pub(crate) mod softmax;
pub(crate) mod statistics;
pub(crate) mod trace;
pub(crate) mod weighted;
pub(crate) mod widened;

use self::statistics::number;
use super::elementwise::unary::cast_to;
use super::operand::{allocate_with, device_of, elements, lacking, needs, on_device, output_of};
use super::scalar::DynScalar;
use super::storage::DynData;
use super::tensor::{DynTensor, DynView};
use crate::device::op::reduction::{NanSpread, Spread};
use crate::device::{CudaSource, Elementwise, Reduce, Reduction, Scalars, UnaryOp};
use crate::dispatch;
use crate::element::{DType, Element, Inexact, Scalar};
use crate::engine::reduce::reduced_last;
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::op;
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
    #[doc(hidden)]
    fn axes(&self, rank: usize) -> Option<Vec<usize>>;
}
impl DynAxes for RangeFull {
    fn axes(&self, _rank: usize) -> Option<Vec<usize>> {
        None
    }
}
impl<I: IndexNumber> DynAxes for I {
    fn axes(&self, rank: usize) -> Option<Vec<usize>> {
        Some(vec![from_start(*self, rank)])
    }
}
impl<I: IndexNumber, const N: usize> DynAxes for [I; N] {
    fn axes(&self, rank: usize) -> Option<Vec<usize>> {
        self[..].axes(rank)
    }
}
impl<I: IndexNumber> DynAxes for [I] {
    fn axes(&self, rank: usize) -> Option<Vec<usize>> {
        Some(self.iter().map(|&axis| from_start(axis, rank)).collect())
    }
}
impl<I: IndexNumber> DynAxes for &[I] {
    fn axes(&self, rank: usize) -> Option<Vec<usize>> {
        (**self).axes(rank)
    }
}
impl<I: IndexNumber> DynAxes for Vec<I> {
    fn axes(&self, rank: usize) -> Option<Vec<usize>> {
        self[..].axes(rank)
    }
}

/// The axes to reduce (`None` for all), and whether the result keeps them with extent 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Over<'a> {
    axes: Option<&'a [usize]>,
    keep: bool,
}

impl<'a> Over<'a> {
    /// All axes, which are removed.
    pub(crate) fn all() -> Self {
        Over { axes: None, keep: false }
    }

    /// These axes, which are removed.
    pub(crate) fn these(axes: &'a [usize]) -> Self {
        Over { axes: Some(axes), keep: false }
    }
}

/// Checks the reduced axes, and returns three layouts:
///
/// * that of the operand, with the reduced axes last and in memory order;
/// * that of the result;
/// * that of the result without the reduced axes, which differs from the second if the result keeps them.
pub(crate) fn arranged(
    op: &'static str,
    defined_on_empty: bool,
    x: DynView<'_>,
    over: Over<'_>,
) -> Result<[Layout; 3], Error> {
    let all: Vec<usize> = (0..x.rank()).collect();
    let axes = over.axes.unwrap_or(&all);
    let row_major = x.order().is_row_major();
    let mut from = *x.layout();
    reduced_last(op, defined_on_empty, x.layout().axes(), axes, row_major, from.axes_mut())?;
    let stay = &from.shape()[..x.rank() - axes.len()];
    let (result, to) = if over.keep {
        let shape: Vec<usize> =
            x.shape().iter().enumerate().map(|(k, &n)| if axes.contains(&k) { 1 } else { n }).collect();
        let result = Layout::contiguous(&shape, row_major);
        (result, result.move_last(op, axes, row_major)?.leading(stay.len()))
    } else {
        let result = Layout::contiguous(stay, row_major);
        (result, result)
    };
    Ok([from, result, to])
}

/// Reduces an operand that has element type `T` and is on `Dev`.
fn compute<T: Element, Dev: Reduce<T>, R: Reduction<T>>(
    op: R,
    name: &'static str,
    x: DynView<'_>,
    over: Over<'_>,
) -> Result<DynTensor, Error> {
    let [from, result, to] = arranged(name, R::DEFINED_ON_EMPTY, x, over)?;
    let device = device_of::<Dev>(&x);
    let operand = elements::<T, Dev>(&x).with_axes(from.axes(), 0);
    allocate_with(device, result, x.order(), &mut |out| device.reduce(&op, out.in_layout(&to), operand))
}

// Reductions are the largest kernels, so as few as possible are instantiated. The mean of floating-point numbers is a sum and a
// division. Variances and standard deviations have the same kernel. Integers are converted to `f64` for variances and norms.

/// The operation that divides a sum by the number of its terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share(pub(crate) usize);

impl<T: Inexact> UnaryOp<T> for Share {
    type Output = T;
    const NAME: &'static str = "mean";
    const CUDA: CudaSource = CudaSource::builtin("a / count");
    fn apply(&self, sum: T) -> T {
        sum.unscale(Scalar::from_usize(self.0))
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar::<T::Magnitude>("count", Scalar::from_usize(self.0));
    }
}

fn divided_sum<T: Inexact, Dev: Reduce<T> + Elementwise<T>>(
    name: &'static str,
    x: DynView<'_>,
    over: Over<'_>,
) -> Result<DynTensor, Error> {
    let mut sum = compute::<T, Dev, _>(op::Sum, name, x, over)?;
    let reduced = |axis: &usize| over.axes.is_none_or(|axes| axes.contains(axis));
    let count = (0..x.rank()).filter(reduced).map(|axis| x.shape()[axis]).product();
    change::<T, Dev, _>(Share(count), &mut sum)?;
    Ok(sum)
}

/// Returns a function of `x` that is linear, such as a mean, and whose sums may leave the range of numbers. Results that are not finite are
/// computed again from elements divided by 2^64.
pub(crate) fn in_range(
    x: DynView<'_>,
    linear: impl Fn(DynView<'_>) -> Result<DynTensor, Error>,
) -> Result<DynTensor, Error> {
    let plain = linear(x)?;
    let finite = plain.is_finite()?;
    if finite.all()?.item()? == DynScalar::from(true) {
        return Ok(plain);
    }
    let two_to = |n: i32| number(2f64.powi(n), x.dtype());
    let again = linear(x.try_mul(two_to(-64))?.look())?.try_mul(two_to(64))?;
    // An infinite element has an infinite mean, but its product with a complex number has NaN parts.
    let better = again.is_finite()?.try_and(&finite.try_not()?)?;
    better.select(&again, &plain)
}

pub(crate) fn change<T: Element, Dev: Elementwise<T>, F: UnaryOp<T, Output = T>>(
    op: F,
    x: &mut DynTensor,
) -> Result<(), Error> {
    let mut x = x.view_mut();
    let (out, device) = output_of::<T, Dev>(&mut x);
    device.update::<(T,), _>(&op, out, ())
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn mean_of(name: &'static str, x: DynView<'_>, over: Over<'_>) -> Result<DynTensor, Error> {
    on_device!(name, x, Dev => dispatch!(
        x.dtype(),
        T: Inexact => in_range(x, |x| divided_sum::<T, Dev>(name, x, over)),
        else => dispatch!(
            x.dtype(),
            T: Integer => compute::<T, Dev, _>(op::Mean, name, x, over),
            else => Err(lacking(name, x.dtype(), needs::NUMBERS))
        )
    ))
}

/// Calls `reduce` with a view of floating-point or complex elements: `x`, or a copy that is converted to `f64` if `x` contains
/// integers.
fn in_floats(
    name: &'static str,
    x: DynView<'_>,
    over: Over<'_>,
    reduce: impl FnOnce(DynView<'_>) -> Result<DynTensor, Error>,
) -> Result<DynTensor, Error> {
    match x.dtype() {
        DType::Bool => Err(lacking(name, x.dtype(), needs::NUMBERS)),
        DType::F32 | DType::F64 | DType::C32 | DType::C64 => reduce(x),
        _ => {
            // Checks the axes before the conversion allocates memory.
            arranged(name, true, x, over)?;
            reduce(cast_to::<f64>(x)?.look())
        }
    }
}

/// Returns the variance or, if `root`, the standard deviation.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn spread_of(
    name: &'static str,
    x: DynView<'_>,
    over: Over<'_>,
    ddof: usize,
    root: bool,
) -> Result<DynTensor, Error> {
    on_device!(name, x, Dev => in_floats(name, x, over, |x| dispatch!(
        x.dtype(),
        T: Inexact => compute::<T, Dev, _>(Spread { ddof, root }, name, x, over),
        else => Err(lacking(name, x.dtype(), needs::NUMBERS))
    )))
}

/// Returns the variance or, if `root`, the standard deviation of the elements that are not NaN.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn spread_without_nan(
    name: &'static str,
    x: DynView<'_>,
    over: Over<'_>,
    ddof: usize,
    root: bool,
) -> Result<DynTensor, Error> {
    on_device!(name, x, Dev => dispatch!(
        x.dtype(),
        T: Inexact => compute::<T, Dev, _>(NanSpread { ddof, root }, name, x, over),
        else => Err(lacking(name, x.dtype(), needs::INEXACT))
    ))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn norm_of(name: &'static str, x: DynView<'_>, over: Over<'_>) -> Result<DynTensor, Error> {
    on_device!(name, x, Dev => in_floats(name, x, over, |x| dispatch!(
        x.dtype(),
        T: Inexact => compute::<T, Dev, _>(op::Norm::default(), name, x, over),
        else => Err(lacking(name, x.dtype(), needs::NUMBERS))
    )))
}

/// Returns the ranges: maxima minus minima. Computing them by the kernels for maxima and minima instantiates no further kernel.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn range_of(name: &'static str, x: DynView<'_>, over: Over<'_>) -> Result<DynTensor, Error> {
    if matches!(x.dtype(), DType::Bool | DType::C32 | DType::C64) {
        return Err(lacking(name, x.dtype(), needs::ORDER));
    }
    arranged(name, false, x, over)?;
    let mut range = max(x, over)?;
    range.try_sub_assign(&min(x, over)?)?;
    Ok(range)
}

macro_rules! reductions {
    ($(
        $(#[$doc:meta])*
        $Name:ident, $method:ident $method_axis:ident $method_axes:ident ($($arg:ident: $ty:ty)?), $verb:literal, $op:expr, $bound:ident $([$t:ty])?, $need:ident,
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
            // This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
            // `precompiled-dyn`, this crate does.
            #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
            fn $method(x: DynView<'_>, over: Over<'_> $(, $arg: $ty)?) -> Result<DynTensor, Error> {
                reductions!(@run $bound $([$t])?, $verb, x, over, $op, $need $(, $arg)?)
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
                    $method(self.look(), Over { axes: None, keep: false } $(, $arg)?)
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
                    $method(self.look(), Over { axes: axes.axes(self.rank()).as_deref(), keep: false } $(, $arg)?)
                }
            }
        )*

        // This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
        // `precompiled-dyn`, this crate does.
        #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
        fn reduce(op: DynReduction, x: DynView<'_>, over: Over<'_>) -> Result<DynTensor, Error> {
            match op {
                $(DynReduction::$Name $({ $arg })? => $method(x, over $(, $arg)?),)*
            }
        }
    };
    (@run By, $verb:literal, $x:ident, $over:ident, $function:expr, $need:ident $(, $arg:ident)?) => {
        ($function)($verb, $x, $over $(, $arg)?)
    };
    (@run Those [$t:ty], $verb:literal, $x:ident, $over:ident, $op:expr, $need:ident) => {
        on_device!($verb, $x, Dev => dispatch!(
            $x.dtype(),
            T in [$t] => compute::<T, Dev, _>($op, $verb, $x, $over),
            else => Err(lacking($verb, $x.dtype(), needs::$need))
        ))
    };
    (@run $bound:ident, $verb:literal, $x:ident, $over:ident, $op:expr, $need:ident) => {
        on_device!($verb, $x, Dev => dispatch!(
            $x.dtype(),
            T: $bound => compute::<T, Dev, _>($op, $verb, $x, $over),
            else => Err(lacking($verb, $x.dtype(), needs::$need))
        ))
    };
}
reductions! {
    /// The sum; 0 for zero elements. Integer overflow is checked in builds with debug assertions, as by
    /// [`Tensor::sum`](crate::Tensor::sum).
    Sum, sum sum_axis sum_axes(), "sum", op::Sum, Scalar, NUMBERS, "[[1, 2], [3, 4]]", [], "[4, 6]";
    /// The product; 1 for zero elements.
    Prod, prod prod_axis prod_axes(), "product", op::Prod, Scalar, NUMBERS, "[[1, 2], [3, 4]]", [], "[3, 8]";
    /// The arithmetic mean, in `f64` for integers; NaN for zero elements.
    Mean, mean mean_axis mean_axes(), "mean", mean_of, By, NUMBERS, "[[1, 2], [4, 8]]", [], "[2.5, 5.0]";
    /// The variance `Σ|x − mean|² / (n − ddof)` of `n` elements; NaN if `n ≤ ddof`. It is real for complex numbers, and an `f64`
    /// for integers.
    Var, var var_axis var_axes(ddof: usize), "variance", |name, x, over, ddof| spread_of(name, x, over, ddof, false), By, NUMBERS, "[[1.0, 2.0], [3.0, 6.0]]", [1], "[2.0, 8.0]";
    /// The standard deviation: the square root of the variance.
    Std, std std_axis std_axes(ddof: usize), "standard deviation", |name, x, over, ddof| spread_of(name, x, over, ddof, true), By, NUMBERS, "[[1.0, 2.0], [3.0, 6.0]]", [0], "[1.0, 2.0]";
    /// The Euclidean (Frobenius) norm `√Σ|x|²`: real for complex numbers, in `f64` for integers.
    Norm, norm norm_axis norm_axes(), "norm", norm_of, By, NUMBERS, "[[3.0, 0.0], [4.0, 1.0]]", [], "[5.0, 1.0]";
    /// The largest element; NaN if an element is NaN.
    Max, max max_axis max_axes(), "maximum", op::Max, RealScalar, ORDER, "[[1, 4], [3, 2]]", [], "[3, 4]";
    /// The smallest element; NaN if an element is NaN.
    Min, min min_axis min_axes(), "minimum", op::Min, RealScalar, ORDER, "[[1, 4], [3, 2]]", [], "[1, 2]";
    /// The flat index of the first maximum, counted in memory order over the reduced axes, as `i64`. NaN counts as the maximum, and
    /// `true` is larger than `false`.
    ArgMax, argmax argmax_axis argmax_axes(), "index of the maximum", op::ArgMax, Ordered, SORTABLE, "[[1, 4], [3, 2]]", [], "[1_i64, 0]";
    /// The flat index of the first minimum, counted in memory order over the reduced axes, as `i64`. NaN counts as the minimum, and
    /// `true` is larger than `false`.
    ArgMin, argmin argmin_axis argmin_axes(), "index of the minimum", op::ArgMin, Ordered, SORTABLE, "[[1, 4], [3, 2]]", [], "[0_i64, 1]";
    /// Whether all elements of a mask are `true`; `true` for zero elements.
    All, all all_axis all_axes(), "all", op::All, Those [bool], MASK, "[[true, false], [true, true]]", [], "[true, false]";
    /// Whether at least one element of a mask is `true`; `false` for zero elements.
    Any, any any_axis any_axes(), "any", op::Any, Those [bool], MASK, "[[true, false], [true, false]]", [], "[true, false]";
    /// The number of elements of a mask that are `true`, as `i64`.
    Count, count count_axis count_axes(), "count", op::Count, Those [bool], MASK, "[[true, false], [true, true]]", [], "[2_i64, 1]";
    /// The difference between the largest and the smallest element; NaN if an element is NaN.
    PeakToPeak, ptp ptp_axis ptp_axes(), "range", range_of, By, ORDER, "[[1, 7], [3, 4]]", [], "[2, 3]";
    /// The sum of the elements that are not NaN; 0 if there are none.
    NanSum, nan_sum nan_sum_axis nan_sum_axes(), "sum without NaN", op::NanSum, Inexact, INEXACT, "[[1.0, f64::NAN], [3.0, 4.0]]", [], "[4.0, 4.0]";
    /// The arithmetic mean of the elements that are not NaN; NaN if there are none.
    NanMean, nan_mean nan_mean_axis nan_mean_axes(), "mean without NaN", op::NanMean, Inexact, INEXACT, "[[1.0, f64::NAN], [3.0, 5.0]]", [], "[2.0, 5.0]";
    /// The largest of the elements that are not NaN; NaN if all elements are NaN.
    NanMax, nan_max nan_max_axis nan_max_axes(), "maximum without NaN", op::NanMax, RealFloat, FLOATS, "[[1.0, f64::NAN], [3.0, 4.0]]", [], "[3.0, 4.0]";
    /// The smallest of the elements that are not NaN; NaN if all elements are NaN.
    NanMin, nan_min nan_min_axis nan_min_axes(), "minimum without NaN", op::NanMin, RealFloat, FLOATS, "[[1.0, f64::NAN], [3.0, 4.0]]", [], "[1.0, 4.0]";
    /// The product of the elements that are not NaN; 1 if there are none.
    NanProd, nan_prod nan_prod_axis nan_prod_axes(), "product without NaN", op::NanProd, Inexact, INEXACT, "[[1.0, f64::NAN], [3.0, 4.0]]", [], "[3.0, 4.0]";
    /// The variance `Σ|x − mean|² / (n − ddof)` of the `n` elements that are not NaN; NaN if `n ≤ ddof`. It is real for complex numbers.
    NanVar, nan_var nan_var_axis nan_var_axes(ddof: usize), "variance without NaN", |name, x, over, ddof| spread_without_nan(name, x, over, ddof, false), By, INEXACT,
    "[[1.0, f64::NAN], [5.0, 3.0]]", [0], "[4.0, 0.0]";
    /// The standard deviation of the elements that are not NaN: the square root of the variance.
    NanStd, nan_std nan_std_axis nan_std_axes(ddof: usize), "standard deviation without NaN", |name, x, over, ddof| spread_without_nan(name, x, over, ddof, true), By, INEXACT,
    "[[1.0, f64::NAN], [5.0, 3.0]]", [0], "[2.0, 0.0]";
    /// The flat index of the first maximum of the elements that are not NaN, counted in memory order over the reduced axes, as `i64`. It
    /// is undefined if all elements are NaN.
    NanArgMax, nan_argmax nan_argmax_axis nan_argmax_axes(), "index of the maximum without NaN", op::NanArgMax, RealFloat, FLOATS,
    "[[f64::NAN, 1.0], [3.0, 4.0]]", [], "[1_i64, 1]";
    /// The flat index of the first minimum of the elements that are not NaN, counted in memory order over the reduced axes, as `i64`. It
    /// is undefined if all elements are NaN.
    NanArgMin, nan_argmin nan_argmin_axis nan_argmin_axes(), "index of the minimum without NaN", op::NanArgMin, RealFloat, FLOATS,
    "[[f64::NAN, 1.0], [3.0, 4.0]]", [], "[1_i64, 0]";
}

impl<S: DynData> DynTensor<S> {
    /// Applies a reduction that is chosen at run time.
    ///
    /// # Errors
    /// Those of the method with the reduction's name.
    pub fn reduce(&self, op: DynReduction, axes: impl DynAxes) -> Result<DynTensor, Error> {
        reduce(op, self.look(), Over { axes: axes.axes(self.rank()).as_deref(), keep: false })
    }

    /// Variant of [`reduce`](DynTensor::reduce) that keeps the reduced axes with extent 1.
    ///
    /// # Errors
    /// Those of the method with the reduction's name.
    pub fn reduce_keepdims(&self, op: DynReduction, axes: impl DynAxes) -> Result<DynTensor, Error> {
        reduce(op, self.look(), Over { axes: axes.axes(self.rank()).as_deref(), keep: true })
    }
}
