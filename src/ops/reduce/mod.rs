//! Reductions: over all elements, over one axis, over several axes, or with the reduced axes kept with extent 1.

pub(crate) mod histogram;
pub(crate) mod into;
pub(crate) mod scan;
pub(crate) mod scan_extremes;
pub(crate) mod softmax;
pub(crate) mod statistics;
pub(crate) mod trace;
pub(crate) mod weighted;
pub(crate) mod widened;

use crate::axis::{AxesArg, AxisArg, IndexNumber, all_from_start};
use crate::device::into_output::Reduced;
use crate::device::reduction::{
    All, Any, ArgMax, ArgMin, Count, Max, Mean, Min, NanArgMax, NanArgMin, NanMax, NanMean, NanMin, NanProd,
    NanStd, NanSum, NanVar, Norm, PeakToPeak, Prod, Std, Sum, Var,
};
use crate::device::{Device, Reduce, Reduction};
use crate::element::{Element, Inexact, Ordered, RealFloat, RealScalar, Scalar};
use crate::engine::reduce::reduced_last;
use crate::error::{Error, unwrap_or_panic};
use crate::layout::axes::{Axes, AxesMut};
use crate::order::Order;
use crate::rank::{Dim, Rank, RemoveAxes};
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Reduce<T>, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the operand's shape and strides, permuted so that the axes to reduce are last and in memory order.
    #[inline]
    pub(crate) fn reduced_last<R: Reduction<T>>(
        &self,
        axes: &[usize],
    ) -> Result<(D::Shape, D::Strides), Error> {
        let (mut shape, mut strides) = (D::Shape::default(), D::Strides::default());
        let to = AxesMut::new(shape.as_mut(), strides.as_mut());
        reduced_last(R::NAME, R::DEFINED_ON_EMPTY, self.axes(), axes, O::ROW_MAJOR, to)?;
        Ok((shape, strides))
    }

    #[inline]
    pub(crate) fn reduced<R: Reduction<T>, E: Dim>(
        &self,
        op: R,
        axes: &[usize],
    ) -> Result<Tensor<R::Output, E, O, Dev>, Error> {
        let (from, strides) = self.reduced_last::<R>(axes)?;
        let mut shape = E::Shape::default();
        shape.as_mut().copy_from_slice(&from.as_ref()[..E::NDIM]);
        let operand = self.operand_with_axes(Axes::new(from.as_ref(), strides.as_ref()), 0);
        Tensor::computed(shape, self.device().clone(), Reduced { op, from: operand })
    }

    // Always inlined, like its callers. The compiler can then remove the allocation of a result that is read and dropped at once,
    // as in `x.sum().item()`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn reduced_whole<R: Reduction<T>>(
        &self,
        op: R,
    ) -> Result<Tensor<R::Output, Rank<0>, O, Dev>, Error> {
        if !R::DEFINED_ON_EMPTY && self.is_empty() {
            return Err(Error::Empty { op: R::NAME, shape: self.shape().as_ref().to_vec() });
        }
        // All axes are reduced, so the iteration order is arbitrary, except for reductions that use the flat index in memory order.
        if O::ROW_MAJOR || !R::USES_INDEX || D::NDIM < 2 {
            let operand = self.operand();
            return Tensor::computed([], self.device().clone(), Reduced { op, from: operand });
        }
        self.reduced_whole_in_order(op)
    }

    #[inline(never)]
    fn reduced_whole_in_order<R: Reduction<T>>(
        &self,
        op: R,
    ) -> Result<Tensor<R::Output, Rank<0>, O, Dev>, Error> {
        let layout = self.enumeration();
        let operand = self.operand_in(&layout);
        Tensor::computed([], self.device().clone(), Reduced { op, from: operand })
    }

    pub(crate) fn reduced_keeping<R: Reduction<T>>(
        &self,
        op: R,
        axes: &[usize],
    ) -> Result<Tensor<R::Output, D, O, Dev>, Error> {
        let (from, strides) = self.reduced_last::<R>(axes)?;
        let mut shape = self.shape();
        for &axis in axes {
            shape.as_mut()[axis] = 1;
        }
        let mut out = Tensor::allocate(shape, self.device().clone())?;
        let (mut kept, mut steps) = (D::Shape::default(), D::Strides::default());
        out.axes().move_last(R::NAME, axes, O::ROW_MAJOR, AxesMut::new(kept.as_mut(), steps.as_mut()))?;
        let rank = D::NDIM - axes.len();
        let (output, device) =
            out.output_with_axes(Axes::new(&kept.as_ref()[..rank], &steps.as_ref()[..rank]), 0);
        device.reduce(&op, output, self.operand_with_axes(Axes::new(from.as_ref(), strides.as_ref()), 0))?;
        Ok(out)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Applies a built-in or user-defined reduction to all elements, on any device.
    ///
    /// # Panics
    /// * If the result is undefined, such as the maximum of zero elements.
    /// * If the result is not representable in the output type.
    /// * If the allocation fails.
    ///
    /// ```
    /// use vierbein::{device::Reduction, tensor};
    /// /// Counts the positive elements.
    /// #[derive(Clone, Copy)]
    /// struct Positive;
    /// impl Reduction<f64> for Positive {
    ///     type Acc = i64;
    ///     type Output = i64;
    ///     const NAME: &'static str = "number of positive elements";
    ///     fn identity(&self) -> i64 { 0 }
    ///     fn fold(&self, acc: i64, x: f64, _: usize) -> i64 { acc + i64::from(x > 0.0) }
    ///     fn combine(&self, a: i64, b: i64) -> i64 { a + b }
    ///     fn finish(&self, acc: i64, _: usize) -> Option<i64> { Some(acc) }
    /// }
    /// let x = tensor![[1.0, -2.0], [3.0, 0.5]];
    /// assert_eq!(x.reduce(Positive).item(), 3);
    /// assert_eq!(x.reduce_axis(0, Positive), tensor![2, 1]);
    /// ```
    #[track_caller]
    pub fn reduce<F: Reduction<T>>(&self, op: F) -> Tensor<F::Output, Rank<0>, O, Dev>
    where
        Dev: Reduce<T>,
    {
        unwrap_or_panic(self.try_reduce(op))
    }

    /// Fallible variant of [`reduce`](Tensor::reduce).
    ///
    /// # Errors
    /// * If the result is undefined, such as the maximum of zero elements.
    /// * If the result is not representable in the output type.
    /// * If the allocation fails.
    pub fn try_reduce<F: Reduction<T>>(&self, op: F) -> Result<Tensor<F::Output, Rank<0>, O, Dev>, Error>
    where
        Dev: Reduce<T>,
    {
        self.reduced_whole(op)
    }

    /// Applies a reduction along one axis, and removes this axis. See [`reduce`](Tensor::reduce).
    ///
    /// # Panics
    /// If the axis is out of range, or for the reasons given for [`reduce`](Tensor::reduce).
    #[track_caller]
    pub fn reduce_axis<F, R, A>(&self, axis: A, op: F) -> Tensor<F::Output, R, O, Dev>
    where
        F: Reduction<T>,
        R: Dim,
        Dev: Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        unwrap_or_panic(self.try_reduce_axis(axis, op))
    }

    /// Fallible variant of [`reduce_axis`](Tensor::reduce_axis).
    ///
    /// # Errors
    /// If the axis is out of range, or for the reasons given for [`reduce`](Tensor::reduce).
    pub fn try_reduce_axis<F, R, A>(&self, axis: A, op: F) -> Result<Tensor<F::Output, R, O, Dev>, Error>
    where
        F: Reduction<T>,
        R: Dim,
        Dev: Reduce<T>,
        D: RemoveAxes<1, Removed = R>,
        A: AxisArg<D>,
    {
        self.reduced(op, &[axis.index()])
    }

    /// [`reduce`](Tensor::reduce) over several axes, which are removed.
    ///
    /// # Panics
    /// If an axis is out of range or named twice, or for the reasons given for [`reduce`](Tensor::reduce).
    #[track_caller]
    pub fn reduce_axes<const K: usize, F, R>(
        &self,
        axes: [impl IndexNumber; K],
        op: F,
    ) -> Tensor<F::Output, R, O, Dev>
    where
        F: Reduction<T>,
        R: Dim,
        Dev: Reduce<T>,
        D: RemoveAxes<K, Removed = R>,
    {
        unwrap_or_panic(self.try_reduce_axes(axes, op))
    }

    /// [`reduce`](Tensor::reduce) over one axis or several, which are kept with extent 1.
    ///
    /// # Panics
    /// If an axis is out of range or named twice, or for the reasons given for [`reduce`](Tensor::reduce).
    #[track_caller]
    pub fn reduce_keepdims<A: AxesArg<D>, F: Reduction<T>>(
        &self,
        axes: A,
        op: F,
    ) -> Tensor<F::Output, D, O, Dev>
    where
        Dev: Reduce<T>,
    {
        unwrap_or_panic(self.try_reduce_keepdims(axes, op))
    }

    /// Fallible variant of [`reduce_keepdims`](Tensor::reduce_keepdims).
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or for the reasons given for [`reduce`](Tensor::reduce).
    pub fn try_reduce_keepdims<A: AxesArg<D>, F: Reduction<T>>(
        &self,
        axes: A,
        op: F,
    ) -> Result<Tensor<F::Output, D, O, Dev>, Error>
    where
        Dev: Reduce<T>,
    {
        self.reduced_keeping(op, axes.axes().as_ref())
    }

    /// Fallible variant of [`reduce_axes`](Tensor::reduce_axes).
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or for the reasons given for [`reduce`](Tensor::reduce).
    pub fn try_reduce_axes<const K: usize, F, R>(
        &self,
        axes: [impl IndexNumber; K],
        op: F,
    ) -> Result<Tensor<F::Output, R, O, Dev>, Error>
    where
        F: Reduction<T>,
        R: Dim,
        Dev: Reduce<T>,
        D: RemoveAxes<K, Removed = R>,
    {
        self.reduced(op, &all_from_start(axes, D::NDIM))
    }
}

macro_rules! reductions {
    ($(
        $(#[$doc:meta])*
        [$whole:ident $try_whole:ident $axis:ident $try_axis:ident $axes:ident $try_axes:ident $keep:ident $try_keepdims:ident]
        ($($arg:ident: $ty:ty),*) $bound:ident => $Output:ty, $op:expr,
        examples $input:literal $args:literal whole $w:literal axis0 $a:literal;
    )*) => {$(
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
            $(#[$doc])*
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("let x = tensor!", $input, ";")]
            #[doc = concat!("assert_eq!(x.", stringify!($whole), "(", $args, ").item(), ", $w, ");")]
            /// ```
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            pub fn $whole(&self $(, $arg: $ty)*) -> Tensor<$Output, Rank<0>, O, Dev>
            where
                T: $bound,
                Dev: Reduce<T>,
            {
                unwrap_or_panic(self.$try_whole($($arg),*))
            }

            #[doc = concat!("Fallible variant of [`", stringify!($whole), "`](Tensor::", stringify!($whole), ").")]
            ///
            /// # Errors
            /// * If the result is undefined, such as the maximum of zero elements.
            /// * If the result is not representable in the output type.
            /// * If the allocation fails.
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $try_whole(&self $(, $arg: $ty)*) -> Result<Tensor<$Output, Rank<0>, O, Dev>, Error>
            where
                T: $bound,
                Dev: Reduce<T>,
            {
                self.reduced_whole($op)
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over one axis, which is removed.")]
            ///
            /// # Panics
            /// If the axis is out of range, or for the reasons for which the reduction over all elements panics.
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("let x = tensor!", $input, ";")]
            #[doc = concat!("assert_eq!(x.", stringify!($axis), "(0", reductions!(@comma $($arg)*), $args, "), tensor!", $a, ");")]
            /// ```
            #[track_caller]
            pub fn $axis<R: Dim, A>(&self, axis: A $(, $arg: $ty)*) -> Tensor<$Output, R, O, Dev>
            where
                T: $bound,
                Dev: Reduce<T>,
                D: RemoveAxes<1, Removed = R>,
                A: AxisArg<D>,
            {
                unwrap_or_panic(self.$try_axis(axis $(, $arg)*))
            }

            #[doc = concat!("Fallible variant of [`", stringify!($axis), "`](Tensor::", stringify!($axis), ").")]
            ///
            /// # Errors
            /// If the axis is out of range, or for the reasons for which the reduction over all elements panics.
            pub fn $try_axis<R: Dim, A>(&self, axis: A $(, $arg: $ty)*) -> Result<Tensor<$Output, R, O, Dev>, Error>
            where
                T: $bound,
                Dev: Reduce<T>,
                D: RemoveAxes<1, Removed = R>,
                A: AxisArg<D>,
            {
                self.reduced($op, &[axis.index()])
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over several axes, which are removed.")]
            ///
            /// # Panics
            /// If an axis is out of range or named twice, or for the reasons for which the reduction over all elements panics.
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("let x = tensor!", $input, ";")]
            #[doc = concat!("assert_eq!(x.", stringify!($axes), "([0, 1]", reductions!(@comma $($arg)*), $args, ").item(), ", $w, ");")]
            /// ```
            #[track_caller]
            pub fn $axes<const K: usize, R: Dim>(&self, axes: [impl IndexNumber; K] $(, $arg: $ty)*) -> Tensor<$Output, R, O, Dev>
            where
                T: $bound,
                Dev: Reduce<T>,
                D: RemoveAxes<K, Removed = R>,
            {
                unwrap_or_panic(self.$try_axes(axes $(, $arg)*))
            }

            #[doc = concat!("Fallible variant of [`", stringify!($axes), "`](Tensor::", stringify!($axes), ").")]
            ///
            /// # Errors
            /// If an axis is out of range or named twice, or for the reasons for which the reduction over all elements panics.
            pub fn $try_axes<const K: usize, R: Dim>(
                &self,
                axes: [impl IndexNumber; K] $(, $arg: $ty)*
            ) -> Result<Tensor<$Output, R, O, Dev>, Error>
            where
                T: $bound,
                Dev: Reduce<T>,
                D: RemoveAxes<K, Removed = R>,
            {
                self.reduced($op, &all_from_start(axes, D::NDIM))
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over one or several axes, which are kept with extent 1, so that the result broadcasts with `self`.")]
            ///
            /// # Panics
            /// If an axis is out of range or named twice, or for the reasons for which the reduction over all elements panics.
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("let x = tensor!", $input, ";")]
            #[doc = concat!("assert_eq!(x.", stringify!($keep), "(0", reductions!(@comma $($arg)*), $args, "), tensor![", $a, "]);")]
            #[doc = concat!("assert_eq!(x.", stringify!($keep), "([0, 1]", reductions!(@comma $($arg)*), $args, "), tensor![[", $w, "]]);")]
            /// ```
            #[track_caller]
            pub fn $keep<A: AxesArg<D>>(&self, axes: A $(, $arg: $ty)*) -> Tensor<$Output, D, O, Dev>
            where
                T: $bound,
                Dev: Reduce<T>,
            {
                unwrap_or_panic(self.$try_keepdims(axes $(, $arg)*))
            }

            #[doc = concat!("Fallible variant of [`", stringify!($keep), "`](Tensor::", stringify!($keep), ").")]
            ///
            /// # Errors
            /// If an axis is out of range or named twice, or for the reasons for which the reduction over all elements panics.
            pub fn $try_keepdims<A: AxesArg<D>>(&self, axes: A $(, $arg: $ty)*) -> Result<Tensor<$Output, D, O, Dev>, Error>
            where
                T: $bound,
                Dev: Reduce<T>,
            {
                self.reduced_keeping($op, axes.axes().as_ref())
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
    /// # Panics
    /// If an integer sum overflows (of 64 bits: only in builds with debug assertions), or the allocation fails.
    [sum try_sum sum_axis try_sum_axis sum_axes try_sum_axes sum_keepdims try_sum_keepdims] // `sum_axis(axis)` sums over one axis.
    () Scalar => T, Sum,
    examples "[[1, 2], [3, 4]]" "" whole "10" axis0 "[4, 6]";
}
reductions! {
    /// Returns the product of all elements; one if the tensor is empty.
    ///
    /// The rules for integer overflow are those of [`sum`](Tensor::sum). A product of integers with a zero factor is always 0.
    ///
    /// # Panics
    /// If an integer product overflows (of 64 bits: only in builds with debug assertions), or the allocation fails.
    [prod try_prod prod_axis try_prod_axis prod_axes try_prod_axes prod_keepdims try_prod_keepdims]
    () Scalar => T, Prod,
    examples "[[1, 2], [3, 4]]" "" whole "24" axis0 "[3, 8]";
}
reductions! {
    /// Returns the arithmetic mean; NaN if the tensor is empty.
    ///
    /// The mean of integers is an `f64`, computed from an exact sum. The mean of floating-point or complex numbers has the element
    /// type: it is their [`sum`](Tensor::sum) divided by the number of elements. If the sum of finite numbers overflows, the mean is computed
    /// again from numbers that are scaled by a power of two, so it is finite.
    ///
    /// # Panics
    /// If the allocation fails.
    [mean try_mean mean_axis try_mean_axis mean_axes try_mean_axes mean_keepdims try_mean_keepdims]
    () Scalar => T::Float, Mean,
    examples "[[1, 2], [3, 4]]" "" whole "2.5" axis0 "[2.0, 3.0]";
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
    /// # Panics
    /// If the allocation fails.
    [var try_var var_axis try_var_axis var_axes try_var_axes var_keepdims try_var_keepdims]
    (ddof: usize) Scalar => T::Magnitude, Var { ddof },
    examples "[[1.0, 2.0], [3.0, 6.0]]" "0" whole "3.5" axis0 "[1.0, 4.0]";
}
reductions! {
    /// Returns the standard deviation: the square root of the [`variance`](Tensor::var). It is right even if the variance is not
    /// representable. If squares may have overflowed or underflowed, it is computed again from elements that are scaled by a power of two.
    ///
    /// # Panics
    /// If the allocation fails.
    [std try_std std_axis try_std_axis std_axes try_std_axes std_keepdims try_std_keepdims]
    (ddof: usize) Scalar => T::Magnitude, Std { ddof },
    examples "[[1.0, 1.0], [5.0, 5.0]]" "0" whole "2.0" axis0 "[2.0, 2.0]";
}
reductions! {
    /// Returns the Euclidean (Frobenius) norm `√Σ|x|²`; zero if the tensor is empty.
    ///
    /// The norm of complex numbers is real. The norm of integers is an `f64`. No intermediate value overflows or underflows (Blue, ACM
    /// TOMS 4, 1978; Anderson, ACM TOMS 44, 2017). The error grows like that of a [`sum`](Tensor::sum).
    ///
    /// # Panics
    /// If the allocation fails.
    [norm try_norm norm_axis try_norm_axis norm_axes try_norm_axes norm_keepdims try_norm_keepdims]
    () Scalar => T::Magnitude, Norm::default(),
    examples "[[3.0, 0.0], [4.0, 0.0]]" "" whole "5.0" axis0 "[5.0, 0.0]";
}
reductions! {
    /// Returns the largest element; NaN if an element is NaN.
    ///
    /// # Panics
    /// If the tensor has zero elements, or the allocation fails.
    [max try_max max_axis try_max_axis max_axes try_max_axes max_keepdims try_max_keepdims]
    () RealScalar => T, Max,
    examples "[[1, 7], [3, 4]]" "" whole "7" axis0 "[3, 7]";
}
reductions! {
    /// Returns the smallest element; NaN if an element is NaN.
    ///
    /// # Panics
    /// If the tensor has zero elements, or the allocation fails.
    [min try_min min_axis try_min_axis min_axes try_min_axes min_keepdims try_min_keepdims]
    () RealScalar => T, Min,
    examples "[[2, 7], [3, 4]]" "" whole "2" axis0 "[2, 4]";
}
reductions! {
    /// Returns the flat index of the first occurrence of the largest element. If an element is NaN, returns the flat index of the first
    /// NaN. The largest element of a mask is `true`, if it has one.
    ///
    /// The flat index numbers the elements of the reduced axes from 0, in memory order: the last axis varies fastest if row-major, the
    /// first if column-major.
    ///
    /// # Panics
    /// If the tensor has zero elements, or the allocation fails.
    [argmax try_argmax argmax_axis try_argmax_axis argmax_axes try_argmax_axes argmax_keepdims try_argmax_keepdims]
    () Ordered => i64, ArgMax,
    examples "[[1, 7], [3, 4]]" "" whole "1" axis0 "[1, 0]";
}
reductions! {
    /// Returns the flat index of the first occurrence of the smallest element. If an element is NaN, returns the flat index of the first
    /// NaN. The smallest element of a mask is `false`, if it has one.
    ///
    /// The flat index numbers the elements of the reduced axes from 0, in memory order: the last axis varies fastest if row-major, the
    /// first if column-major.
    ///
    /// # Panics
    /// If the tensor has zero elements, or the allocation fails.
    [argmin try_argmin argmin_axis try_argmin_axis argmin_axes try_argmin_axes argmin_keepdims try_argmin_keepdims]
    () Ordered => i64, ArgMin,
    examples "[[2, 7], [1, 4]]" "" whole "2" axis0 "[1, 1]";
}

reductions! {
    /// Returns the difference between the largest and the smallest element ("peak to peak"); NaN if an element is NaN.
    ///
    /// A difference of integers that overflows the element type panics in builds with debug assertions. Other builds wrap.
    ///
    /// # Panics
    /// If the tensor has zero elements, an integer difference overflows in a build with debug assertions, or the allocation fails.
    [ptp try_ptp ptp_axis try_ptp_axis ptp_axes try_ptp_axes ptp_keepdims try_ptp_keepdims]
    () RealScalar => T, PeakToPeak,
    examples "[[1, 7], [3, 4]]" "" whole "6" axis0 "[2, 3]";
}
reductions! {
    /// Returns the sum of the elements that are not NaN; zero if there are no such elements. A complex number with a NaN part is skipped.
    ///
    /// # Panics
    /// If the allocation fails.
    [nan_sum try_nan_sum nan_sum_axis try_nan_sum_axis nan_sum_axes try_nan_sum_axes nan_sum_keepdims try_nan_sum_keepdims]
    () Inexact => T, NanSum,
    examples "[[1.0, f64::NAN], [3.0, 4.0]]" "" whole "8.0" axis0 "[4.0, 4.0]";
}
reductions! {
    /// Returns the arithmetic mean of the elements that are not NaN; NaN if there are no such elements. A complex number with a NaN part is
    /// skipped.
    ///
    /// # Panics
    /// If the allocation fails.
    [nan_mean try_nan_mean nan_mean_axis try_nan_mean_axis nan_mean_axes try_nan_mean_axes nan_mean_keepdims try_nan_mean_keepdims]
    () Inexact => T, NanMean,
    examples "[[1.0, f64::NAN], [3.0, 5.0]]" "" whole "3.0" axis0 "[2.0, 5.0]";
}
reductions! {
    /// Returns the largest of the elements that are not NaN; NaN if all elements are NaN.
    ///
    /// # Panics
    /// If the tensor has zero elements, or the allocation fails.
    [nan_max try_nan_max nan_max_axis try_nan_max_axis nan_max_axes try_nan_max_axes nan_max_keepdims try_nan_max_keepdims]
    () RealFloat => T, NanMax,
    examples "[[1.0, f64::NAN], [3.0, 4.0]]" "" whole "4.0" axis0 "[3.0, 4.0]";
}
reductions! {
    /// Returns the smallest of the elements that are not NaN; NaN if all elements are NaN.
    ///
    /// # Panics
    /// If the tensor has zero elements, or the allocation fails.
    [nan_min try_nan_min nan_min_axis try_nan_min_axis nan_min_axes try_nan_min_axes nan_min_keepdims try_nan_min_keepdims]
    () RealFloat => T, NanMin,
    examples "[[1.0, f64::NAN], [3.0, 4.0]]" "" whole "1.0" axis0 "[1.0, 4.0]";
}
reductions! {
    /// Returns the product of the elements that are not NaN; one if there are no such elements. A complex number with a NaN part is
    /// skipped.
    ///
    /// # Panics
    /// If the allocation fails.
    [nan_prod try_nan_prod nan_prod_axis try_nan_prod_axis nan_prod_axes try_nan_prod_axes nan_prod_keepdims try_nan_prod_keepdims]
    () Inexact => T, NanProd,
    examples "[[1.0, f64::NAN], [3.0, 4.0]]" "" whole "12.0" axis0 "[3.0, 4.0]";
}
reductions! {
    /// Returns the variance `Σ|x − mean|² / (n − ddof)` of the `n` elements that are not NaN; NaN if `n ≤ ddof`. The variance of
    /// complex numbers is real. A complex number with a NaN part is skipped.
    ///
    /// # Panics
    /// If the allocation fails.
    [nan_var try_nan_var nan_var_axis try_nan_var_axis nan_var_axes try_nan_var_axes nan_var_keepdims try_nan_var_keepdims]
    (ddof: usize) Inexact => T::Magnitude, NanVar { ddof },
    examples "[[1.0, f64::NAN], [5.0, 3.0]]" "0" whole "8.0 / 3.0" axis0 "[4.0, 0.0]";
}
reductions! {
    /// Returns the standard deviation of the elements that are not NaN: the square root of [`nan_var`](Tensor::nan_var).
    ///
    /// # Panics
    /// If the allocation fails.
    [nan_std try_nan_std nan_std_axis try_nan_std_axis nan_std_axes try_nan_std_axes nan_std_keepdims try_nan_std_keepdims]
    (ddof: usize) Inexact => T::Magnitude, NanStd { ddof },
    examples "[[1.0, f64::NAN], [5.0, 3.0]]" "0" whole "f64::sqrt(8.0 / 3.0)" axis0 "[2.0, 0.0]";
}
reductions! {
    /// Returns the flat index of the first occurrence of the largest element, ignoring NaN. The flat index numbers the elements of the
    /// reduced axes from 0, in memory order.
    ///
    /// # Panics
    /// If the tensor has zero elements or all elements are NaN, or the allocation fails.
    [nan_argmax try_nan_argmax nan_argmax_axis try_nan_argmax_axis nan_argmax_axes try_nan_argmax_axes nan_argmax_keepdims try_nan_argmax_keepdims]
    () RealFloat => i64, NanArgMax,
    examples "[[f64::NAN, 1.0], [3.0, 4.0]]" "" whole "3" axis0 "[1, 1]";
}
reductions! {
    /// Returns the flat index of the first occurrence of the smallest element, ignoring NaN. The flat index numbers the elements of the
    /// reduced axes from 0, in memory order.
    ///
    /// # Panics
    /// If the tensor has zero elements or all elements are NaN, or the allocation fails.
    [nan_argmin try_nan_argmin nan_argmin_axis try_nan_argmin_axis nan_argmin_axes try_nan_argmin_axes nan_argmin_keepdims try_nan_argmin_keepdims]
    () RealFloat => i64, NanArgMin,
    examples "[[f64::NAN, 1.0], [3.0, 4.0]]" "" whole "1" axis0 "[1, 0]";
}

macro_rules! mask_reductions {
    ($(
        $(#[$doc:meta])*
        [$whole:ident $try_whole:ident $axis:ident $try_axis:ident $axes:ident $try_axes:ident $keep:ident $try_keepdims:ident]
        $op:ident => $Output:ty, examples $input:literal whole $w:literal axis0 $a:literal;
    )*) => {$(
        impl<D: Dim, O: Order, Dev: Device, S: Storage<bool, Dev>> Tensor<bool, D, O, Dev, S> {
            $(#[$doc])*
            ///
            /// # Panics
            /// If the allocation fails.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($whole), "().item(), ", $w, ");")]
            /// ```
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            pub fn $whole(&self) -> Tensor<$Output, Rank<0>, O, Dev>
            where
                Dev: Reduce<bool>,
            {
                unwrap_or_panic(self.$try_whole())
            }

            #[doc = concat!("Fallible variant of [`", stringify!($whole), "`](Tensor::", stringify!($whole), ").")]
            ///
            /// # Errors
            /// If the allocation fails.
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $try_whole(&self) -> Result<Tensor<$Output, Rank<0>, O, Dev>, Error>
            where
                Dev: Reduce<bool>,
            {
                self.reduced_whole($op)
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over one axis, which is removed.")]
            ///
            /// # Panics
            /// If the axis is out of range, or the allocation fails.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($axis), "(0), tensor!", $a, ");")]
            /// ```
            #[track_caller]
            pub fn $axis<R: Dim, A>(&self, axis: A) -> Tensor<$Output, R, O, Dev>
            where
                Dev: Reduce<bool>,
                D: RemoveAxes<1, Removed = R>,
                A: AxisArg<D>,
            {
                unwrap_or_panic(self.$try_axis(axis))
            }

            #[doc = concat!("Fallible variant of [`", stringify!($axis), "`](Tensor::", stringify!($axis), ").")]
            ///
            /// # Errors
            /// If the axis is out of range, or the allocation fails.
            pub fn $try_axis<R: Dim, A>(&self, axis: A) -> Result<Tensor<$Output, R, O, Dev>, Error>
            where
                Dev: Reduce<bool>,
                D: RemoveAxes<1, Removed = R>,
                A: AxisArg<D>,
            {
                self.reduced($op, &[axis.index()])
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over several axes, which are removed.")]
            ///
            /// # Panics
            /// If an axis is out of range or named twice, or the allocation fails.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($axes), "([0, 1]).item(), ", $w, ");")]
            /// ```
            #[track_caller]
            pub fn $axes<const K: usize, R: Dim>(&self, axes: [impl IndexNumber; K]) -> Tensor<$Output, R, O, Dev>
            where
                Dev: Reduce<bool>,
                D: RemoveAxes<K, Removed = R>,
            {
                unwrap_or_panic(self.$try_axes(axes))
            }

            #[doc = concat!("Fallible variant of [`", stringify!($axes), "`](Tensor::", stringify!($axes), ").")]
            ///
            /// # Errors
            /// If an axis is out of range or named twice, or the allocation fails.
            pub fn $try_axes<const K: usize, R: Dim>(
                &self,
                axes: [impl IndexNumber; K],
            ) -> Result<Tensor<$Output, R, O, Dev>, Error>
            where
                Dev: Reduce<bool>,
                D: RemoveAxes<K, Removed = R>,
            {
                self.reduced($op, &all_from_start(axes, D::NDIM))
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over one or several axes, which are kept with extent 1.")]
            ///
            /// # Panics
            /// If an axis is out of range or named twice, or the allocation fails.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($keep), "(0), tensor![", $a, "]);")]
            /// ```
            #[track_caller]
            pub fn $keep<A: AxesArg<D>>(&self, axes: A) -> Tensor<$Output, D, O, Dev>
            where
                Dev: Reduce<bool>,
            {
                unwrap_or_panic(self.$try_keepdims(axes))
            }

            #[doc = concat!("Fallible variant of [`", stringify!($keep), "`](Tensor::", stringify!($keep), ").")]
            ///
            /// # Errors
            /// If an axis is out of range or named twice, or the allocation fails.
            pub fn $try_keepdims<A: AxesArg<D>>(&self, axes: A) -> Result<Tensor<$Output, D, O, Dev>, Error>
            where
                Dev: Reduce<bool>,
            {
                self.reduced_keeping($op, axes.axes().as_ref())
            }
        }
    )*};
}
mask_reductions! {
    /// Returns whether all elements are `true`; `true` if the tensor is empty.
    [all try_all all_axis try_all_axis all_axes try_all_axes all_keepdims try_all_keepdims]
    All => bool, examples "[[true, false], [true, true]]" whole "false" axis0 "[true, false]";
}
mask_reductions! {
    /// Returns whether any element is `true`; `false` if the tensor is empty.
    [any try_any any_axis try_any_axis any_axes try_any_axes any_keepdims try_any_keepdims]
    Any => bool, examples "[[true, false], [false, false]]" whole "true" axis0 "[true, false]";
}
mask_reductions! {
    /// Counts the elements that are `true`.
    [count try_count count_axis try_count_axis count_axes try_count_axes count_keepdims try_count_keepdims]
    Count => i64, examples "[[true, false], [true, true]]" whole "3" axis0 "[2, 1]";
}
