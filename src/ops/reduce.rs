//! Reductions: whole, over one axis, over several, with the reduced axes kept as length 1; traces; running sums.

use super::arithmetic::{Add, Mul};
use super::unary::{larger, smaller};
use crate::axis::{AxesArg, AxisArg, OtherAxis};
use crate::device::{BinaryOp, Device, Reduce, Reduction};
use crate::element::{CastTo, Element, Inexact, RealFloat, RealScalar, Scalar};
use crate::error::{Error, expect};
use crate::layout::Layout;
use crate::order::Order;
use crate::rank::{Dim, MAX_RANK, Rank, RemoveAxes};
use crate::tensor::{Storage, Tensor};
use num_traits::{Float, One, Zero};

// ------------------------------------------------------------------ reductions as values

/// The sum, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum;

impl<T: Scalar> Reduction<T> for Sum {
    type Acc = T::Accumulator;
    type Output = T;
    const NAME: &'static str = "sum";
    fn identity(&self) -> T::Accumulator {
        T::zero().widen()
    }
    #[inline]
    fn fold(&self, acc: T::Accumulator, x: T, _: usize) -> T::Accumulator {
        T::acc_add(acc, x.widen())
    }
    #[inline]
    fn combine(&self, a: T::Accumulator, b: T::Accumulator) -> T::Accumulator {
        T::acc_add(a, b)
    }
    fn finish(&self, acc: T::Accumulator, _: usize) -> Option<T> {
        let (sum, fits) = T::narrow(acc);
        (fits || !cfg!(debug_assertions)).then_some(sum)
    }
}

/// A product so far: whether it overflowed, and whether an integer factor was zero.
#[derive(Debug, Clone, Copy)]
pub struct Product<A> {
    value: A,
    overflowed: bool,
    zero: bool,
}

/// The product, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prod;

impl<T: Scalar> Reduction<T> for Prod {
    type Acc = Product<T::Accumulator>;
    type Output = T;
    const NAME: &'static str = "product";
    fn identity(&self) -> Self::Acc {
        Product { value: T::one().widen(), overflowed: false, zero: false }
    }
    #[inline]
    fn fold(&self, acc: Self::Acc, x: T, _: usize) -> Self::Acc {
        let (value, overflowed) = T::acc_mul(acc.value, x.widen());
        Product {
            value,
            overflowed: acc.overflowed || overflowed,
            zero: acc.zero || (T::INTEGER && x.is_zero()),
        }
    }
    #[inline]
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
        let (value, overflowed) = T::acc_mul(a.value, b.value);
        Product { value, overflowed: a.overflowed || b.overflowed || overflowed, zero: a.zero || b.zero }
    }
    fn finish(&self, acc: Self::Acc, _: usize) -> Option<T> {
        let (product, fits) = T::narrow(acc.value);
        // A factor of zero makes up for every overflow.
        (acc.zero || (fits && !acc.overflowed) || !cfg!(debug_assertions)).then_some(product)
    }
}

/// The arithmetic mean, as a reduction. Integers are summed exactly and divided as `f64`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean;

impl<T: Scalar> Reduction<T> for Mean {
    type Acc = T::Accumulator;
    type Output = T::Float;
    const NAME: &'static str = "mean";
    fn identity(&self) -> T::Accumulator {
        T::zero().widen()
    }
    #[inline]
    fn fold(&self, acc: T::Accumulator, x: T, _: usize) -> T::Accumulator {
        T::acc_add(acc, x.widen())
    }
    #[inline]
    fn combine(&self, a: T::Accumulator, b: T::Accumulator) -> T::Accumulator {
        T::acc_add(a, b)
    }
    fn finish(&self, acc: T::Accumulator, count: usize) -> Option<T::Float> {
        Some(T::acc_to_float(acc).unscale(T::Magnitude::from_usize(count)))
    }
}

/// Count, mean and sum of squared distances to it, updated as Welford (Technometrics 4, 1962) and combined as Chan, Golub
/// and LeVeque (Am. Stat. 37, 1983) do: stable in one pass.
#[derive(Debug, Clone, Copy)]
pub struct Moments<F: Scalar> {
    count: F::Magnitude,
    mean: F,
    squares: F::Magnitude,
}

impl<F: Inexact> Moments<F> {
    const fn of_nothing(zero: F, real_zero: F::Magnitude) -> Self {
        Moments { count: real_zero, mean: zero, squares: real_zero }
    }

    #[inline]
    fn with(self, x: F) -> Self {
        let count = self.count + F::Magnitude::one();
        let before = x - self.mean;
        let mean = self.mean + before.unscale(count);
        let squares = self.squares + before.dot_re(x - mean);
        Moments { count, mean, squares }
    }

    fn joined(self, other: Self) -> Self {
        if self.count.is_zero() {
            return other;
        }
        if other.count.is_zero() {
            return self;
        }
        let count = self.count + other.count;
        let apart = other.mean - self.mean;
        let share = other.count / count;
        Moments {
            count,
            mean: self.mean + apart * F::from_magnitude(share),
            squares: self.squares + other.squares + apart.dot_re(apart) * self.count * share,
        }
    }

    /// NaN where `ddof` leaves nothing to divide by.
    fn variance(self, ddof: usize) -> F::Magnitude {
        let divisor = self.count - F::Magnitude::from_usize(ddof);
        if divisor > F::Magnitude::zero() { self.squares / divisor } else { F::Magnitude::nan() }
    }
}

/// The variance, as a reduction: `Σ|x − mean|² / (n − ddof)`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Var {
    /// What the divisor lacks of the number of elements.
    pub ddof: usize,
}

/// The standard deviation, as a reduction: the square root of the variance.
#[derive(Debug, Clone, Copy, Default)]
pub struct Std {
    /// What the divisor lacks of the number of elements.
    pub ddof: usize,
}

macro_rules! moments {
    ($($Op:ident, $name:literal, |$variance:ident| $finish:expr;)*) => {$(
        impl<T: Scalar> Reduction<T> for $Op {
            type Acc = Moments<T::Float>;
            type Output = T::Magnitude;
            const NAME: &'static str = $name;
            fn identity(&self) -> Self::Acc {
                Moments::of_nothing(T::Float::zero(), T::Magnitude::zero())
            }
            #[inline]
            fn fold(&self, acc: Self::Acc, x: T, _: usize) -> Self::Acc {
                acc.with(x.cast_to())
            }
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                a.joined(b)
            }
            fn finish(&self, acc: Self::Acc, _: usize) -> Option<T::Magnitude> {
                let $variance = acc.variance(self.ddof);
                Some($finish)
            }
        }
    )*};
}
moments! {
    Var, "variance", |variance| variance;
    Std, "standard deviation", |variance| Float::sqrt(variance);
}

/// The Euclidean norm, as a reduction, without overflow or underflow in between: tiny, ordinary and huge parts are squared
/// in scales of their own (Blue, ACM TOMS 4, 1978; Anderson, ACM TOMS 44, 2017, as in LAPACK 3.10).
#[derive(Debug, Clone, Copy)]
pub struct Norm<M> {
    tiny: M,
    huge: M,
    scale_up: M,
    scale_down: M,
}

impl<M: RealFloat> Default for Norm<M> {
    fn default() -> Self {
        let two = |n: i32| Float::powi(M::one() + M::one(), n);
        // The exponents follow from the precision and the range of the type.
        let [tiny, huge, up, down] =
            if size_of::<M>() == 4 { [-63, 52, 75, -76] } else { [-511, 486, 537, -538] };
        Norm { tiny: two(tiny), huge: two(huge), scale_up: two(up), scale_down: two(down) }
    }
}

impl<M: RealFloat> Norm<M> {
    #[inline]
    fn add(&self, [small, medium, big]: [M; 3], x: M) -> [M; 3] {
        let x = Float::abs(x);
        let (up, down) = (x * self.scale_up, x * self.scale_down);
        if x > self.huge {
            [small, medium, big + down * down]
        } else if x < self.tiny {
            [small + up * up, medium, big]
        } else {
            [small, medium + x * x, big]
        }
    }

    fn root(&self, [small, medium, big]: [M; 3]) -> M {
        let zero = M::zero();
        // NaN lands in the middle; it counts wherever the middle is looked at.
        let has_medium = medium > zero || Float::is_nan(medium);
        if big > zero {
            let medium = if has_medium { (medium * self.scale_down) * self.scale_down } else { zero };
            Float::sqrt(big + medium) / self.scale_down
        } else if small > zero {
            let (small, medium) = (Float::sqrt(small) / self.scale_up, Float::sqrt(medium));
            if has_medium { Float::hypot(small, medium) } else { small }
        } else {
            Float::sqrt(medium)
        }
    }
}

impl<T: Scalar> Reduction<T> for Norm<T::Magnitude> {
    type Acc = [T::Magnitude; 3];
    type Output = T::Magnitude;
    const NAME: &'static str = "norm";
    fn identity(&self) -> Self::Acc {
        [T::Magnitude::zero(); 3]
    }
    #[inline]
    fn fold(&self, acc: Self::Acc, x: T, _: usize) -> Self::Acc {
        let acc = self.add(acc, x.re().cast_to());
        if T::COMPLEX { self.add(acc, x.im().cast_to()) } else { acc }
    }
    #[inline]
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
        [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
    }
    fn finish(&self, acc: Self::Acc, _: usize) -> Option<T::Magnitude> {
        Some(self.root(acc))
    }
}

macro_rules! extremes {
    ($($Op:ident, $name:literal, $start:ident, $pick:ident, $doc:literal;)*) => {$(
        #[doc = concat!($doc, ", as a reduction. NaN if there is one.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        impl<T: RealScalar> Reduction<T> for $Op {
            type Acc = T;
            type Output = T;
            const NAME: &'static str = $name;
            fn identity(&self) -> T {
                T::$start
            }
            #[inline]
            fn fold(&self, acc: T, x: T, _: usize) -> T {
                $pick(acc, x)
            }
            #[inline]
            fn combine(&self, a: T, b: T) -> T {
                $pick(a, b)
            }
            fn finish(&self, acc: T, count: usize) -> Option<T> {
                debug_assert!(count > 0, "the front-end refuses to take an extreme of nothing");
                Some(acc)
            }
        }
    )*};
}
extremes! {
    Max, "maximum", LOWEST, larger, "The largest element";
    Min, "minimum", HIGHEST, smaller, "The smallest element";
}

macro_rules! positions {
    ($($Op:ident, $name:literal, $beats:tt, $doc:literal;)*) => {$(
        #[doc = concat!("Where the ", $doc, " element is, as a reduction: the first one, or the first NaN if there is one.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        impl<T: RealScalar> Reduction<T> for $Op {
            type Acc = Option<(T, usize)>;
            type Output = i64;
            const NAME: &'static str = $name;
            const ORDERED: bool = true;
            fn identity(&self) -> Self::Acc {
                None
            }
            #[inline]
            fn fold(&self, acc: Self::Acc, x: T, index: usize) -> Self::Acc {
                self.combine_of::<T>(acc, Some((x, index)))
            }
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                self.combine_of::<T>(a, b)
            }
            fn finish(&self, acc: Self::Acc, _: usize) -> Option<i64> {
                acc.and_then(|(_, index)| i64::try_from(index).ok())
            }
        }

        impl $Op {
            /// The earlier one, unless the later one is better.
            #[inline]
            #[allow(clippy::eq_op, reason = "only NaN differs from itself")]
            fn combine_of<T: RealScalar>(
                &self,
                early: Option<(T, usize)>,
                late: Option<(T, usize)>,
            ) -> Option<(T, usize)> {
                match (early, late) {
                    (Some((a, _)), Some((b, _))) if b $beats a || (b != b && a == a) => late,
                    (Some(_), _) => early,
                    (None, _) => late,
                }
            }
        }
    )*};
}
positions! {
    ArgMax, "position of the maximum", >, "largest";
    ArgMin, "position of the minimum", <, "smallest";
}

/// Whether all elements are `true`, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct All;
/// Whether an element is `true`, as a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Any;

macro_rules! quantifiers {
    ($($Op:ident, $name:literal, $neutral:literal, $combine:tt;)*) => {$(
        impl Reduction<bool> for $Op {
            type Acc = bool;
            type Output = bool;
            const NAME: &'static str = $name;
            fn identity(&self) -> bool {
                $neutral
            }
            fn fold(&self, acc: bool, x: bool, _: usize) -> bool {
                acc $combine x
            }
            fn combine(&self, a: bool, b: bool) -> bool {
                a $combine b
            }
            fn finish(&self, acc: bool, _: usize) -> Option<bool> {
                Some(acc)
            }
        }
    )*};
}
quantifiers! {
    All, "conjunction", true, &;
    Any, "disjunction", false, |;
}

// ------------------------------------------------------------------ from tensors to kernels

/// What a reduction may be asked of: elements, or also nothing.
#[derive(Clone, Copy, PartialEq)]
enum OfNothing {
    HasValue,
    HasNone,
}

impl<T: Element, D: Dim, O: Order, Dev: Reduce<T>, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// The layout of the operand with the reduced axes last, in the sequence in which they are enumerated.
    fn reduced_last<R: Reduction<T>>(&self, axes: &[usize], of_nothing: OfNothing) -> Result<Layout, Error> {
        let layout = self.layout().move_last(R::NAME, axes)?;
        let kept = layout.rank() - axes.len();
        let (kept_shape, reduced_shape) = layout.shape().split_at(kept);
        if of_nothing == OfNothing::HasNone && reduced_shape.contains(&0) && !kept_shape.contains(&0) {
            return Err(Error::Empty { op: R::NAME, shape: self.shape().as_ref().to_vec() });
        }
        Ok(if O::ROW_MAJOR { layout } else { layout.reverse_axes_from(kept) })
    }

    fn reduced<R: Reduction<T>, E: Dim>(
        &self,
        op: R,
        axes: &[usize],
        of_nothing: OfNothing,
    ) -> Result<Tensor<R::Output, E, O, Dev>, Error> {
        let layout = self.reduced_last::<R>(axes, of_nothing)?;
        let mut shape = E::Shape::default();
        shape.as_mut().copy_from_slice(&layout.shape()[..E::NDIM]);
        let mut out = Tensor::allocate(shape, self.device().clone())?;
        let (output, device) = out.output();
        device.reduce(&op, output, self.operand_in(&layout))?;
        Ok(out)
    }

    fn reduced_whole<R: Reduction<T>>(
        &self,
        op: R,
        of_nothing: OfNothing,
    ) -> Result<Tensor<R::Output, Rank<0>, O, Dev>, Error> {
        let mut all = [0; MAX_RANK];
        for (axis, to) in all.iter_mut().enumerate() {
            *to = axis;
        }
        self.reduced(op, &all[..D::NDIM], of_nothing)
    }

    fn reduced_keeping<R: Reduction<T>>(
        &self,
        op: R,
        axes: &[usize],
        of_nothing: OfNothing,
    ) -> Result<Tensor<R::Output, D, O, Dev>, Error> {
        let layout = self.reduced_last::<R>(axes, of_nothing)?;
        let mut shape = self.shape();
        for &axis in axes {
            shape.as_mut()[axis] = 1;
        }
        let mut out = Tensor::allocate(shape, self.device().clone())?;
        let kept = out.layout().move_last(R::NAME, axes)?;
        let kept = kept.leading(kept.rank() - axes.len());
        let (output, device) = out.output_in(&kept);
        device.reduce(&op, output, self.operand_in(&layout))?;
        Ok(out)
    }
}

macro_rules! reductions {
    ($(
        $(#[$doc:meta])*
        [$whole:ident $try_whole:ident $axis:ident $try_axis:ident $axes:ident $try_axes:ident $keep:ident $try_keep:ident]
        ($($arg:ident: $ty:ty),*) $bound:ident => $Output:ty, $op:expr, $of_nothing:ident,
        examples $input:literal $args:literal whole $w:literal axis0 $a:literal;
    )*) => {$(
        impl<T: $bound, D: Dim, O: Order, Dev: Reduce<T>, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
            $(#[$doc])*
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("let x = tensor!", $input, ";")]
            #[doc = concat!("assert_eq!(x.", stringify!($whole), "(", $args, ").item(), ", $w, ");")]
            /// ```
            #[track_caller]
            pub fn $whole(&self $(, $arg: $ty)*) -> Tensor<$Output, Rank<0>, O, Dev> {
                expect(self.$try_whole($($arg),*))
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") with a `Result`.")]
            ///
            /// # Errors
            /// Where the value does not exist or does not fit its type, or the device has no memory left.
            pub fn $try_whole(&self $(, $arg: $ty)*) -> Result<Tensor<$Output, Rank<0>, O, Dev>, Error> {
                self.reduced_whole($op, OfNothing::$of_nothing)
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over one axis, which is gone then.")]
            ///
            /// # Panics
            /// If the axis is out of range, or as for the whole tensor.
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("let x = tensor!", $input, ";")]
            #[doc = concat!("assert_eq!(x.", stringify!($axis), "(0", reductions!(@comma $($arg)*), $args, "), tensor!", $a, ");")]
            /// ```
            #[track_caller]
            pub fn $axis<R: Dim, A>(&self, axis: A $(, $arg: $ty)*) -> Tensor<$Output, R, O, Dev>
            where
                D: RemoveAxes<1, Removed = R>,
                A: AxisArg<D>,
            {
                expect(self.$try_axis(axis $(, $arg)*))
            }

            #[doc = concat!("[`", stringify!($axis), "`](Tensor::", stringify!($axis), ") with a `Result`.")]
            ///
            /// # Errors
            /// If the axis is out of range, or as for the whole tensor.
            pub fn $try_axis<R: Dim, A>(&self, axis: A $(, $arg: $ty)*) -> Result<Tensor<$Output, R, O, Dev>, Error>
            where
                D: RemoveAxes<1, Removed = R>,
                A: AxisArg<D>,
            {
                self.reduced($op, &[axis.index()], OfNothing::$of_nothing)
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over several axes at once, all gone then.")]
            ///
            /// # Panics
            /// If an axis is out of range or named twice, or as for the whole tensor.
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("let x = tensor!", $input, ";")]
            #[doc = concat!("assert_eq!(x.", stringify!($axes), "([0, 1]", reductions!(@comma $($arg)*), $args, ").item(), ", $w, ");")]
            /// ```
            #[track_caller]
            pub fn $axes<const K: usize, R: Dim>(&self, axes: [usize; K] $(, $arg: $ty)*) -> Tensor<$Output, R, O, Dev>
            where
                D: RemoveAxes<K, Removed = R>,
            {
                expect(self.$try_axes(axes $(, $arg)*))
            }

            #[doc = concat!("[`", stringify!($axes), "`](Tensor::", stringify!($axes), ") with a `Result`.")]
            ///
            /// # Errors
            /// If an axis is out of range or named twice, or as for the whole tensor.
            pub fn $try_axes<const K: usize, R: Dim>(
                &self,
                axes: [usize; K] $(, $arg: $ty)*
            ) -> Result<Tensor<$Output, R, O, Dev>, Error>
            where
                D: RemoveAxes<K, Removed = R>,
            {
                self.reduced($op, &axes, OfNothing::$of_nothing)
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over one axis or several, which stay with length 1, so that the result broadcasts with `self`.")]
            ///
            /// # Panics
            /// If an axis is out of range or named twice, or as for the whole tensor.
            ///
            /// ```
            /// use vierbein::{Complex, tensor};
            #[doc = concat!("let x = tensor!", $input, ";")]
            #[doc = concat!("assert_eq!(x.", stringify!($keep), "(0", reductions!(@comma $($arg)*), $args, "), tensor![", $a, "]);")]
            #[doc = concat!("assert_eq!(x.", stringify!($keep), "([0, 1]", reductions!(@comma $($arg)*), $args, "), tensor![[", $w, "]]);")]
            /// ```
            #[track_caller]
            pub fn $keep<A: AxesArg<D>>(&self, axes: A $(, $arg: $ty)*) -> Tensor<$Output, D, O, Dev> {
                expect(self.$try_keep(axes $(, $arg)*))
            }

            #[doc = concat!("[`", stringify!($keep), "`](Tensor::", stringify!($keep), ") with a `Result`.")]
            ///
            /// # Errors
            /// If an axis is out of range or named twice, or as for the whole tensor.
            pub fn $try_keep<A: AxesArg<D>>(&self, axes: A $(, $arg: $ty)*) -> Result<Tensor<$Output, D, O, Dev>, Error> {
                self.reduced_keeping($op, axes.axes().as_ref(), OfNothing::$of_nothing)
            }
        }
    )*};
    (@comma) => { "" };
    (@comma $arg:ident) => { ", " };
}

reductions! {
    /// The sum of all elements; zero of none.
    ///
    /// Floating and complex numbers are added pairwise in blocks, so that the error grows as O(log n · ε) (Higham, SIAM J.
    /// Sci. Comput. 14, 1993), with the same result on any number of threads. Integers of up to 32 bits are added in 64,
    /// those of 64 in 128; a sum that does not fit the element type is an error in builds with debug assertions and wraps
    /// otherwise.
    ///
    /// # Panics
    /// Where an integer sum does not fit (debug assertions), or the device has no memory left.
    [sum try_sum sum_axis try_sum_axis sum_axes try_sum_axes sum_keep try_sum_keep]
    () Scalar => T, Sum, HasValue,
    examples "[[1, 2], [3, 4]]" "" whole "10" axis0 "[4, 6]";

    /// The product of all elements; one of none. Integers are accumulated as in [`sum`](Tensor::sum).
    ///
    /// # Panics
    /// Where an integer product does not fit (debug assertions), or the device has no memory left.
    [prod try_prod prod_axis try_prod_axis prod_axes try_prod_axes prod_keep try_prod_keep]
    () Scalar => T, Prod, HasValue,
    examples "[[1, 2], [3, 4]]" "" whole "24" axis0 "[3, 8]";

    /// The arithmetic mean; NaN of none. Integers have a mean in `f64`, from an exact sum; the other types have one of their own
    /// type.
    ///
    /// # Panics
    /// Where the device has no memory left.
    [mean try_mean mean_axis try_mean_axis mean_axes try_mean_axes mean_keep try_mean_keep]
    () Scalar => T::Float, Mean, HasValue,
    examples "[[1, 2], [3, 4]]" "" whole "2.5" axis0 "[2.0, 3.0]";

    /// The variance `Σ|x − mean|² / (n − ddof)`, real also for complex numbers, in `f64` for integers. `ddof` is 0 for a whole
    /// population, 1 for a sample of one. NaN where `n ≤ ddof`.
    ///
    /// One stable pass (Welford, Technometrics 4, 1962; Chan, Golub and LeVeque, Am. Stat. 37, 1983).
    ///
    /// # Panics
    /// Where the device has no memory left.
    [var try_var var_axis try_var_axis var_axes try_var_axes var_keep try_var_keep]
    (ddof: usize) Scalar => T::Magnitude, Var { ddof }, HasValue,
    examples "[[1.0, 2.0], [3.0, 6.0]]" "0" whole "3.5" axis0 "[1.0, 4.0]";

    /// The standard deviation: the square root of the [`variance`](Tensor::var).
    ///
    /// # Panics
    /// Where the device has no memory left.
    [std try_std std_axis try_std_axis std_axes try_std_axes std_keep try_std_keep]
    (ddof: usize) Scalar => T::Magnitude, Std { ddof }, HasValue,
    examples "[[1.0, 1.0], [5.0, 5.0]]" "0" whole "2.0" axis0 "[2.0, 2.0]";

    /// The Euclidean (Frobenius) norm `√Σ|x|²`, real also for complex numbers, in `f64` for integers; zero of none.
    ///
    /// Nothing overflows or underflows in between (Blue, ACM TOMS 4, 1978; Anderson, ACM TOMS 44, 2017).
    ///
    /// # Panics
    /// Where the device has no memory left.
    [norm try_norm norm_axis try_norm_axis norm_axes try_norm_axes norm_keep try_norm_keep]
    () Scalar => T::Magnitude, Norm::default(), HasValue,
    examples "[[3.0, 0.0], [4.0, 0.0]]" "" whole "5.0" axis0 "[5.0, 0.0]";

    /// The largest element; NaN if there is one.
    ///
    /// # Panics
    /// If there are no elements, or the device has no memory left.
    [max try_max max_axis try_max_axis max_axes try_max_axes max_keep try_max_keep]
    () RealScalar => T, Max, HasNone,
    examples "[[1, 7], [3, 4]]" "" whole "7" axis0 "[3, 7]";

    /// The smallest element; NaN if there is one.
    ///
    /// # Panics
    /// If there are no elements, or the device has no memory left.
    [min try_min min_axis try_min_axis min_axes try_min_axes min_keep try_min_keep]
    () RealScalar => T, Min, HasNone,
    examples "[[2, 7], [3, 4]]" "" whole "2" axis0 "[2, 4]";

    /// Where the largest element is: the first one, counted in the order's enumeration of the reduced axes. The first NaN, if
    /// there is one.
    ///
    /// # Panics
    /// If there are no elements, or the device has no memory left.
    [argmax try_argmax argmax_axis try_argmax_axis argmax_axes try_argmax_axes argmax_keep try_argmax_keep]
    () RealScalar => i64, ArgMax, HasNone,
    examples "[[1, 7], [3, 4]]" "" whole "1" axis0 "[1, 0]";

    /// Where the smallest element is: the first one, counted in the order's enumeration of the reduced axes. The first NaN, if
    /// there is one.
    ///
    /// # Panics
    /// If there are no elements, or the device has no memory left.
    [argmin try_argmin argmin_axis try_argmin_axis argmin_axes try_argmin_axes argmin_keep try_argmin_keep]
    () RealScalar => i64, ArgMin, HasNone,
    examples "[[2, 7], [1, 4]]" "" whole "2" axis0 "[1, 1]";
}

macro_rules! mask_reductions {
    ($(
        $(#[$doc:meta])*
        [$whole:ident $try_whole:ident $axis:ident $try_axis:ident $axes:ident $try_axes:ident $keep:ident $try_keep:ident]
        $op:ident examples $input:literal whole $w:literal axis0 $a:literal;
    )*) => {$(
        impl<D: Dim, O: Order, Dev: Reduce<bool>, S: Storage<bool, Dev>> Tensor<bool, D, O, Dev, S> {
            $(#[$doc])*
            ///
            /// # Panics
            /// Where the device has no memory left.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($whole), "().item(), ", $w, ");")]
            /// ```
            #[track_caller]
            pub fn $whole(&self) -> Tensor<bool, Rank<0>, O, Dev> {
                expect(self.$try_whole())
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") with a `Result`.")]
            ///
            /// # Errors
            /// Where the device has no memory left.
            pub fn $try_whole(&self) -> Result<Tensor<bool, Rank<0>, O, Dev>, Error> {
                self.reduced_whole($op, OfNothing::HasValue)
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over one axis, which is gone then.")]
            ///
            /// # Panics
            /// If the axis is out of range.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($axis), "(0), tensor!", $a, ");")]
            /// ```
            #[track_caller]
            pub fn $axis<R: Dim, A>(&self, axis: A) -> Tensor<bool, R, O, Dev>
            where
                D: RemoveAxes<1, Removed = R>,
                A: AxisArg<D>,
            {
                expect(self.$try_axis(axis))
            }

            #[doc = concat!("[`", stringify!($axis), "`](Tensor::", stringify!($axis), ") with a `Result`.")]
            ///
            /// # Errors
            /// If the axis is out of range.
            pub fn $try_axis<R: Dim, A>(&self, axis: A) -> Result<Tensor<bool, R, O, Dev>, Error>
            where
                D: RemoveAxes<1, Removed = R>,
                A: AxisArg<D>,
            {
                self.reduced($op, &[axis.index()], OfNothing::HasValue)
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over several axes at once, all gone then.")]
            ///
            /// # Panics
            /// If an axis is out of range or named twice.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($axes), "([0, 1]).item(), ", $w, ");")]
            /// ```
            #[track_caller]
            pub fn $axes<const K: usize, R: Dim>(&self, axes: [usize; K]) -> Tensor<bool, R, O, Dev>
            where
                D: RemoveAxes<K, Removed = R>,
            {
                expect(self.$try_axes(axes))
            }

            #[doc = concat!("[`", stringify!($axes), "`](Tensor::", stringify!($axes), ") with a `Result`.")]
            ///
            /// # Errors
            /// If an axis is out of range or named twice.
            pub fn $try_axes<const K: usize, R: Dim>(
                &self,
                axes: [usize; K],
            ) -> Result<Tensor<bool, R, O, Dev>, Error>
            where
                D: RemoveAxes<K, Removed = R>,
            {
                self.reduced($op, &axes, OfNothing::HasValue)
            }

            #[doc = concat!("[`", stringify!($whole), "`](Tensor::", stringify!($whole), ") over one axis or several, which stay with length 1.")]
            ///
            /// # Panics
            /// If an axis is out of range or named twice.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor!", $input, ".", stringify!($keep), "(0), tensor![", $a, "]);")]
            /// ```
            #[track_caller]
            pub fn $keep<A: AxesArg<D>>(&self, axes: A) -> Tensor<bool, D, O, Dev> {
                expect(self.$try_keep(axes))
            }

            #[doc = concat!("[`", stringify!($keep), "`](Tensor::", stringify!($keep), ") with a `Result`.")]
            ///
            /// # Errors
            /// If an axis is out of range or named twice.
            pub fn $try_keep<A: AxesArg<D>>(&self, axes: A) -> Result<Tensor<bool, D, O, Dev>, Error> {
                self.reduced_keeping($op, axes.axes().as_ref(), OfNothing::HasValue)
            }
        }
    )*};
}
mask_reductions! {
    /// Whether all elements are `true`; so it is for none.
    [all try_all all_axis try_all_axis all_axes try_all_axes all_keep try_all_keep]
    All examples "[[true, false], [true, true]]" whole "false" axis0 "[true, false]";

    /// Whether an element is `true`; of none, none is.
    [any try_any any_axis try_any_axis any_axes try_any_axes any_keep try_any_keep]
    Any examples "[[true, false], [false, false]]" whole "true" axis0 "[true, false]";
}

// ------------------------------------------------------------------ trace

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// The sum over equal indices of two axes: a tensor with two axes fewer. Rank 2 gives rank 0, the trace of a matrix.
    ///
    /// Nothing is copied and nothing contracted: a diagonal is a view whose stride is the sum of two strides, and the trace is
    /// [summed](Tensor::sum) over it, pairwise. Axes are `usize`, or `Axis::<K>` to have them checked at compile time.
    ///
    /// # Panics
    /// If an axis is out of range, the two are the same or differ in length, an integer sum does not fit (debug
    /// assertions), or the device has no memory left.
    ///
    /// ```
    /// use vierbein::{Axis, Tensor, tensor};
    /// assert_eq!(tensor![[1, 2], [3, 4]].trace(0, 1).item(), 5);
    /// let x = Tensor::arange(0..36).reshape([3, 4, 3]);
    /// assert_eq!(x.trace(Axis::<0>, Axis::<2>), tensor![39, 48, 57, 66]);
    /// ```
    #[track_caller]
    pub fn trace<R: Dim, A, B>(&self, a: A, b: B) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        D: RemoveAxes<2, Removed = R>,
        Dev: Reduce<T>,
        A: AxisArg<D> + OtherAxis<B>,
        B: AxisArg<D>,
    {
        expect(self.try_trace(a, b))
    }

    /// [`trace`](Tensor::trace) with a `Result`.
    ///
    /// # Errors
    /// If an axis is out of range, the two are the same or differ in length, an integer sum does not fit (debug
    /// assertions), or the device has no memory left.
    pub fn try_trace<R: Dim, A, B>(&self, a: A, b: B) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Scalar,
        D: RemoveAxes<2, Removed = R>,
        Dev: Reduce<T>,
        A: AxisArg<D> + OtherAxis<B>,
        B: AxisArg<D>,
    {
        let diagonal = self.layout().diagonal("trace", a.index(), b.index())?;
        let mut shape = R::Shape::default();
        shape.as_mut().copy_from_slice(&diagonal.shape()[..R::NDIM]);
        let mut out = Tensor::allocate(shape, self.device().clone())?;
        let (output, device) = out.output();
        device.reduce(&Sum, output, self.operand_in(&diagonal))?;
        Ok(out)
    }
}

// ------------------------------------------------------------------ running sums and products

impl<T: Scalar, D: Dim, O: Order, Dev: Reduce<T>, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// The sums of all elements up to each one along an axis.
    ///
    /// # Panics
    /// If the axis is out of range, an integer sum does not fit (debug assertions), or the device has no memory left.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2, 3], [4, 5, 6]].cumsum(1), tensor![[1, 3, 6], [4, 9, 15]]);
    /// ```
    #[track_caller]
    pub fn cumsum<A: AxisArg<D>>(&self, axis: A) -> Tensor<T, D, O, Dev> {
        expect(self.try_cumsum(axis))
    }

    /// [`cumsum`](Tensor::cumsum) with a `Result`.
    ///
    /// # Errors
    /// If the axis is out of range, an integer sum does not fit (debug assertions), or the device has no memory left.
    pub fn try_cumsum<A: AxisArg<D>>(&self, axis: A) -> Result<Tensor<T, D, O, Dev>, Error> {
        self.scanned(Add, axis.index())
    }

    /// The products of all elements up to each one along an axis.
    ///
    /// # Panics
    /// If the axis is out of range, an integer product does not fit (debug assertions), or the device has no memory left.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2, 3, 4].cumprod(0), tensor![1, 2, 6, 24]);
    /// ```
    #[track_caller]
    pub fn cumprod<A: AxisArg<D>>(&self, axis: A) -> Tensor<T, D, O, Dev> {
        expect(self.try_cumprod(axis))
    }

    /// [`cumprod`](Tensor::cumprod) with a `Result`.
    ///
    /// # Errors
    /// If the axis is out of range, an integer product does not fit (debug assertions), or the device has no memory left.
    pub fn try_cumprod<A: AxisArg<D>>(&self, axis: A) -> Result<Tensor<T, D, O, Dev>, Error> {
        self.scanned(Mul, axis.index())
    }

    fn scanned<F: BinaryOp<T, T, Output = T>>(
        &self,
        op: F,
        axis: usize,
    ) -> Result<Tensor<T, D, O, Dev>, Error> {
        let from = self.layout().move_last("accumulate", &[axis])?;
        let mut out = Tensor::allocate(self.shape(), self.device().clone())?;
        let to = out.layout().move_last("accumulate", &[axis])?;
        let (output, device) = out.output_in(&to);
        device.scan(&op, output, self.operand_in(&from))?;
        Ok(out)
    }
}
