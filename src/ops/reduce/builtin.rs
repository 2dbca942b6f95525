//! The built-in reductions: a row of `reductions!` generates the methods of each.

use crate::axis::{AxesArg, AxesToRemove, AxisArg};
use crate::device::op::reduction::{
    ArgMax, ArgMin, Max, Mean, Min, NanArgMax, NanArgMin, NanMax, NanMean, NanMin, NanProd, NanStd, NanSum,
    NanVar, Norm, PeakToPeak, Prod, Std, Sum, Var,
};
use crate::device::{Device, Reduce};
use crate::element::{Element, Inexact, Ordered, RealFloat, RealScalar, Scalar};
use crate::error::fallible;
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::Storage;
use crate::tensor::Tensor;

macro_rules! reductions {
    ($(
        $(#[$doc:meta])*
        [$whole:ident; axis: $axis:ident; axes: $axes:ident; keepdims: $keepdims:ident]
        ($($arg:ident: $ty:ty),*) $bound:ident => $Output:ty, $op:expr,
        examples $input:literal, arguments $args:literal, whole $w:literal, axis0 $a:literal;
    )*) => {$(
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
            $(#[$doc])*
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("let x = tensor!", $input, ";")]
            #[doc = concat!("assert_eq!(x.", stringify!($whole), "(", $args, ").item(), ", $w, ");")]
            /// ```
            #[fallible]
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $whole(&self $(, $arg: $ty)*) -> Tensor<$Output, Rank<0>, O, Dev>
            where
                T: $bound,
                Dev: Reduce<T>,
            {
                self.reduced_whole($op)
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over one axis, which is removed.")]
            ///
            /// # Errors
            /// If the axis is out of range, or for the reasons for which the reduction over all elements panics.
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("let x = tensor!", $input, ";")]
            #[doc = concat!("assert_eq!(x.", stringify!($axis), "(0", reductions!(@comma $($arg)*), $args, "), tensor!", $a, ");")]
            /// ```
            #[fallible]
            pub fn $axis<R: Dim, A>(&self, axis: A $(, $arg: $ty)*) -> Tensor<$Output, R, O, Dev>
            where
                T: $bound,
                Dev: Reduce<T>,
                D: RemoveAxes<1, Removed = R>,
                A: AxisArg<D>,
            {
                self.reduced($op, &[axis.index(self.rank())])
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over several axes, which are removed.")]
            ///
            /// # Errors
            /// If an axis is out of range or named twice, or for the reasons for which the reduction over all elements panics.
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("let x = tensor!", $input, ";")]
            #[doc = concat!("assert_eq!(x.", stringify!($axes), "([0, 1]", reductions!(@comma $($arg)*), $args, ").item(), ", $w, ");")]
            /// ```
            #[fallible]
            pub fn $axes<A: AxesToRemove<D>>(&self, axes: A $(, $arg: $ty)*) -> Tensor<$Output, A::Remaining, O, Dev>
            where
                T: $bound,
                Dev: Reduce<T>,
            {
                self.reduced($op, axes.axes(self.rank()).as_ref())
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over one or several axes, which are kept with extent 1, so that the result broadcasts with `self`.")]
            ///
            /// # Errors
            /// If an axis is out of range or named twice, or for the reasons for which the reduction over all elements panics.
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("let x = tensor!", $input, ";")]
            #[doc = concat!("assert_eq!(x.", stringify!($keepdims), "(0", reductions!(@comma $($arg)*), $args, "), tensor![", $a, "]);")]
            #[doc = concat!("assert_eq!(x.", stringify!($keepdims), "([0, 1]", reductions!(@comma $($arg)*), $args, "), tensor![[", $w, "]]);")]
            /// ```
            #[fallible]
            pub fn $keepdims<A: AxesArg<D>>(&self, axes: A $(, $arg: $ty)*) -> Tensor<$Output, D, O, Dev>
            where
                T: $bound,
                Dev: Reduce<T>,
            {
                self.reduced_keeping($op, axes.axes(self.rank()).as_ref())
            }
        }
    )*};
    (@comma) => { "" };
    (@comma $arg:ident) => { ", " };
}

reductions! {
    /// Returns the sum of all elements; zero if the tensor is empty.
    ///
    /// Floating-point and complex numbers are summed pairwise in blocks, so that the error grows as O(log n · ε) (Higham, SIAM J.
    /// Sci. Comput. 14, 1993). On the host it is at most `(log₂ n + 45) · u · Σ|x|`, to first order in `u = ε/2`. For complex
    /// numbers, this holds for each part. See Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., 2002, 4.2. The
    /// result does not depend on the number of threads: see [`Cpu`](crate::Cpu#results).
    ///
    /// Integers of up to 32 bits are accumulated in 64 bits. If the sum does not fit the element type, the method panics in every build:
    /// [`sum_as::<i64>()`](Tensor::sum_as) returns the sum in a wider type, as NumPy does. A sum of 64-bit integers that overflows panics in
    /// builds with debug assertions, which accumulate in 128 bits; in other builds it wraps. A sum of more than 2³² integers of 32 bits, as of
    /// a large broadcast view, counts as a sum that does not fit.
    ///
    /// # Errors
    /// If an integer sum overflows (of 64 bits: only in builds with debug assertions), or the allocation fails.
    [sum; axis: sum_axis; axes: sum_axes; keepdims: sum_keepdims] // `sum_axis(axis)` sums over one axis.
    () Scalar => T, Sum,
    examples "[[1, 2], [3, 4]]", arguments "", whole "10", axis0 "[4, 6]";
}
reductions! {
    /// Returns the product of all elements; one if the tensor is empty.
    ///
    /// The rules for integer overflow are those of [`sum`](Tensor::sum). A product of integers with a zero factor is always 0.
    ///
    /// # Errors
    /// If an integer product overflows (of 64 bits: only in builds with debug assertions), or the allocation fails.
    [prod; axis: prod_axis; axes: prod_axes; keepdims: prod_keepdims]
    () Scalar => T, Prod,
    examples "[[1, 2], [3, 4]]", arguments "", whole "24", axis0 "[3, 8]";
}
reductions! {
    /// Returns the arithmetic mean; NaN if the tensor is empty.
    ///
    /// The mean of integers is an `f64`, computed from an exact sum. The mean of floating-point or complex numbers has the element
    /// type: it is their [`sum`](Tensor::sum) divided by the number of elements. If the sum of finite numbers overflows, the mean is computed
    /// again from numbers that are scaled by a power of two, so it is finite.
    ///
    /// # Errors
    /// If the allocation fails.
    [mean; axis: mean_axis; axes: mean_axes; keepdims: mean_keepdims]
    () Scalar => T::Float, Mean,
    examples "[[1, 2], [3, 4]]", arguments "", whole "2.5", axis0 "[2.0, 3.0]";
}
reductions! {
    /// Returns the variance `Σ|x − mean|² / (n − ddof)` of `n` elements; NaN if `n ≤ ddof`.
    ///
    /// The variance of complex numbers is real. The variance of integers is an `f64`. Use `ddof` = 0 if the elements are the whole
    /// population, and 1 if they are a sample of the population.
    ///
    /// The variance is computed in one stable pass (Welford, Technometrics 4, 1962; Chan, Golub and LeVeque, Am. Stat. 37, 1983). The
    /// relative error grows as O(log n · ε · κ) with the condition number `κ = √(1 + |mean|² / variance)`. κ is large if `|mean|` is
    /// large compared with the standard deviation. If a sum or a difference overflows, the variance is computed again from elements that are
    /// scaled by a power of two. So the variance of finite numbers is infinite only if it is not representable.
    ///
    /// # Errors
    /// If the allocation fails.
    [var; axis: var_axis; axes: var_axes; keepdims: var_keepdims]
    (ddof: usize) Scalar => T::Magnitude, Var { ddof },
    examples "[[1.0, 2.0], [3.0, 6.0]]", arguments "0", whole "3.5", axis0 "[1.0, 4.0]";
}
reductions! {
    /// Returns the standard deviation: the square root of the [`variance`](Tensor::var). It is right even if the variance is not
    /// representable. If squares may have overflowed or underflowed, it is computed again from elements that are scaled by a power of two.
    ///
    /// # Errors
    /// If the allocation fails.
    [std; axis: std_axis; axes: std_axes; keepdims: std_keepdims]
    (ddof: usize) Scalar => T::Magnitude, Std { ddof },
    examples "[[1.0, 1.0], [5.0, 5.0]]", arguments "0", whole "2.0", axis0 "[2.0, 2.0]";
}
reductions! {
    /// Returns the Euclidean (Frobenius) norm `√Σ|x|²`; zero if the tensor is empty.
    ///
    /// The norm of complex numbers is real. The norm of integers is an `f64`. No intermediate value overflows or underflows (Blue, ACM
    /// TOMS 4, 1978; Anderson, ACM TOMS 44, 2017). The error grows like that of a [`sum`](Tensor::sum).
    ///
    /// # Errors
    /// If the allocation fails.
    [norm; axis: norm_axis; axes: norm_axes; keepdims: norm_keepdims]
    () Scalar => T::Magnitude, Norm::default(),
    examples "[[3.0, 0.0], [4.0, 0.0]]", arguments "", whole "5.0", axis0 "[5.0, 0.0]";
}
reductions! {
    /// Returns the largest element; NaN if an element is NaN.
    ///
    /// # Errors
    /// If the tensor has zero elements, or the allocation fails.
    [max; axis: max_axis; axes: max_axes; keepdims: max_keepdims]
    () RealScalar => T, Max,
    examples "[[1, 7], [3, 4]]", arguments "", whole "7", axis0 "[3, 7]";
}
reductions! {
    /// Returns the smallest element; NaN if an element is NaN.
    ///
    /// # Errors
    /// If the tensor has zero elements, or the allocation fails.
    [min; axis: min_axis; axes: min_axes; keepdims: min_keepdims]
    () RealScalar => T, Min,
    examples "[[2, 7], [3, 4]]", arguments "", whole "2", axis0 "[2, 4]";
}
reductions! {
    /// Returns the flat index of the first occurrence of the largest element. If an element is NaN, returns the flat index of the first
    /// NaN. The largest element of a mask is `true`, if it has one.
    ///
    /// The flat index numbers the elements of the reduced axes from 0, in memory order: the last axis varies fastest if row-major, the
    /// first if column-major.
    ///
    /// # Errors
    /// If the tensor has zero elements, or the allocation fails.
    [argmax; axis: argmax_axis; axes: argmax_axes; keepdims: argmax_keepdims]
    () Ordered => i64, ArgMax,
    examples "[[1, 7], [3, 4]]", arguments "", whole "1", axis0 "[1, 0]";
}
reductions! {
    /// Returns the flat index of the first occurrence of the smallest element. If an element is NaN, returns the flat index of the first
    /// NaN. The smallest element of a mask is `false`, if it has one.
    ///
    /// The flat index numbers the elements of the reduced axes from 0, in memory order: the last axis varies fastest if row-major, the
    /// first if column-major.
    ///
    /// # Errors
    /// If the tensor has zero elements, or the allocation fails.
    [argmin; axis: argmin_axis; axes: argmin_axes; keepdims: argmin_keepdims]
    () Ordered => i64, ArgMin,
    examples "[[2, 7], [1, 4]]", arguments "", whole "2", axis0 "[1, 1]";
}

reductions! {
    /// Returns the difference between the largest and the smallest element ("peak to peak"); NaN if an element is NaN.
    ///
    /// A difference of integers that overflows the element type panics in builds with debug assertions. Other builds wrap.
    ///
    /// # Errors
    /// If the tensor has zero elements, an integer difference overflows in a build with debug assertions, or the allocation fails.
    [ptp; axis: ptp_axis; axes: ptp_axes; keepdims: ptp_keepdims]
    () RealScalar => T, PeakToPeak,
    examples "[[1, 7], [3, 4]]", arguments "", whole "6", axis0 "[2, 3]";
}
reductions! {
    /// Returns the sum of the elements that are not NaN; zero if there are no such elements. A complex number with a NaN part is skipped.
    ///
    /// # Errors
    /// If the allocation fails.
    [nan_sum; axis: nan_sum_axis; axes: nan_sum_axes; keepdims: nan_sum_keepdims]
    () Inexact => T, NanSum,
    examples "[[1.0, f64::NAN], [3.0, 4.0]]", arguments "", whole "8.0", axis0 "[4.0, 4.0]";
}
reductions! {
    /// Returns the arithmetic mean of the elements that are not NaN; NaN if there are no such elements. A complex number with a NaN part is
    /// skipped.
    ///
    /// # Errors
    /// If the allocation fails.
    [nan_mean; axis: nan_mean_axis; axes: nan_mean_axes; keepdims: nan_mean_keepdims]
    () Inexact => T, NanMean,
    examples "[[1.0, f64::NAN], [3.0, 5.0]]", arguments "", whole "3.0", axis0 "[2.0, 5.0]";
}
reductions! {
    /// Returns the largest of the elements that are not NaN; NaN if all elements are NaN.
    ///
    /// # Errors
    /// If the tensor has zero elements, or the allocation fails.
    [nan_max; axis: nan_max_axis; axes: nan_max_axes; keepdims: nan_max_keepdims]
    () RealFloat => T, NanMax,
    examples "[[1.0, f64::NAN], [3.0, 4.0]]", arguments "", whole "4.0", axis0 "[3.0, 4.0]";
}
reductions! {
    /// Returns the smallest of the elements that are not NaN; NaN if all elements are NaN.
    ///
    /// # Errors
    /// If the tensor has zero elements, or the allocation fails.
    [nan_min; axis: nan_min_axis; axes: nan_min_axes; keepdims: nan_min_keepdims]
    () RealFloat => T, NanMin,
    examples "[[1.0, f64::NAN], [3.0, 4.0]]", arguments "", whole "1.0", axis0 "[1.0, 4.0]";
}
reductions! {
    /// Returns the product of the elements that are not NaN; one if there are no such elements. A complex number with a NaN part is
    /// skipped.
    ///
    /// # Errors
    /// If the allocation fails.
    [nan_prod; axis: nan_prod_axis; axes: nan_prod_axes; keepdims: nan_prod_keepdims]
    () Inexact => T, NanProd,
    examples "[[1.0, f64::NAN], [3.0, 4.0]]", arguments "", whole "12.0", axis0 "[3.0, 4.0]";
}
reductions! {
    /// Returns the variance `Σ|x − mean|² / (n − ddof)` of the `n` elements that are not NaN; NaN if `n ≤ ddof`. The variance of
    /// complex numbers is real. A complex number with a NaN part is skipped.
    ///
    /// # Errors
    /// If the allocation fails.
    [nan_var; axis: nan_var_axis; axes: nan_var_axes; keepdims: nan_var_keepdims]
    (ddof: usize) Inexact => T::Magnitude, NanVar { ddof },
    examples "[[1.0, f64::NAN], [5.0, 3.0]]", arguments "0", whole "8.0 / 3.0", axis0 "[4.0, 0.0]";
}
reductions! {
    /// Returns the standard deviation of the elements that are not NaN: the square root of [`nan_var`](Tensor::nan_var).
    ///
    /// # Errors
    /// If the allocation fails.
    [nan_std; axis: nan_std_axis; axes: nan_std_axes; keepdims: nan_std_keepdims]
    (ddof: usize) Inexact => T::Magnitude, NanStd { ddof },
    examples "[[1.0, f64::NAN], [5.0, 3.0]]", arguments "0", whole "f64::sqrt(8.0 / 3.0)", axis0 "[2.0, 0.0]";
}
reductions! {
    /// Returns the flat index of the first occurrence of the largest element, ignoring NaN. The flat index numbers the elements of the
    /// reduced axes from 0, in memory order.
    ///
    /// # Errors
    /// If the tensor has zero elements or all elements are NaN, or the allocation fails.
    [nan_argmax; axis: nan_argmax_axis; axes: nan_argmax_axes; keepdims: nan_argmax_keepdims]
    () RealFloat => i64, NanArgMax,
    examples "[[f64::NAN, 1.0], [3.0, 4.0]]", arguments "", whole "3", axis0 "[1, 1]";
}
reductions! {
    /// Returns the flat index of the first occurrence of the smallest element, ignoring NaN. The flat index numbers the elements of the
    /// reduced axes from 0, in memory order.
    ///
    /// # Errors
    /// If the tensor has zero elements or all elements are NaN, or the allocation fails.
    [nan_argmin; axis: nan_argmin_axis; axes: nan_argmin_axes; keepdims: nan_argmin_keepdims]
    () RealFloat => i64, NanArgMin,
    examples "[[f64::NAN, 1.0], [3.0, 4.0]]", arguments "", whole "1", axis0 "[1, 0]";
}
