//! Elementwise functions of one operand, and conversions of element types.

use crate::device::op::catalogue::{unary, verb};
use crate::device::{CudaSource, Device, Elementwise, Scalars, UnaryOp};
use crate::dispatch;
use crate::dyn_tensor::operand::on_device;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::{erased, typed};
use crate::element::{CastTo, DType, Element, Elementary, FloatFunction, Inexact, Scalar};
use crate::error::Error;
use crate::ops::op;
use crate::order::{ColMajor, MemoryOrder, RowMajor};

/// An elementary function as a value. Its evaluation takes far longer than the branch that selects the function, so one kernel
/// computes all of these functions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dispatched(pub(crate) FloatFunction);

impl<T: Inexact> UnaryOp<T> for Dispatched {
    type Output = T;
    const NAME: &'static str = "take a function of";
    const CUDA: CudaSource = CudaSource::builtin("function(a, which)");
    const COST: usize = <op::Exp as UnaryOp<T>>::COST;
    fn apply(&self, x: T) -> T {
        x.function(self.0)
    }
    fn elementary(&self) -> Option<Elementary> {
        Some(Elementary::Float(self.0))
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.constant("which", self.0 as u8);
    }
}

macro_rules! operations {
    ($($Name:ident: $method:ident $(, $try_method:ident)? {
        doc: $doc:literal,
        $(symbol: $symbol:literal,)?
        $(verb: $verb:literal,)?
        elements: $bound:ident $(+ $also:path)?, gives: $Output:ty, example: $input:literal => $expected:literal,
        $($computed:tt)*
    })*) => {
        /// A value that stands for a function of one element, for programs that choose it at run time. For each variant, there is also
        /// a method of [`DynTensor`].
        ///
        /// ```
        /// use vierbein::dyn_tensor::Unary;
        /// use vierbein::{DynTensor, tensor};
        /// let x = DynTensor::from(tensor![1.0, 4.0]);
        /// assert_eq!(x.unary(Unary::Sqrt)?.downcast_ref()?, tensor![1.0, 2.0]);
        /// # Ok::<(), vierbein::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Unary {
            $(#[doc = concat!($doc, ", element by element." $(, " Fallible variant of `", $symbol, "a`.")?)] $Name,)*
        }

        impl Unary {
            /// All functions of one element.
            pub const ALL: &[Unary] = &[$(Unary::$Name),*];
        }

        $(
            #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
            pub(crate) fn $method(x: DynView<'_>) -> Result<DynTensor, Error> {
                const NAME: &str = verb!($method $($verb)?);
                typed!(NAME, [$bound $(+ $also)?], (x = x) => x.try_apply(operations!(@kernel $Name, $($computed)*)))
            }

            impl<S: DynData> DynTensor<S> {
                #[doc = concat!($doc, ", element by element." $(, " Fallible variant of `", $symbol, "a`.")?)]
                ///
                /// # Errors
                /// * If the function does not support the element type.
                /// * If an integer result overflows, in builds with debug assertions.
                /// * If the device allocation fails.
                ///
                /// ```
                /// use vierbein::{Complex, DynTensor, tensor};
                #[doc = concat!("let x = DynTensor::from(tensor!", $input, ");")]
                #[doc = concat!(
                    "assert_eq!(x.", stringify!($method), "()?.downcast_ref()?, tensor!", $expected, ");"
                )]
                /// # Ok::<(), vierbein::Error>(())
                /// ```
                pub fn $method(&self) -> Result<DynTensor, Error> {
                    $method(self.look())
                }
            }
        )*

        impl<S: DynData> DynTensor<S> {
            /// Applies the function `op`, which is chosen at run time, to each element.
            ///
            /// # Errors
            /// The errors of the method with the same name as `op`.
            pub fn unary(&self, op: Unary) -> Result<DynTensor, Error> {
                let x = self.look();
                match op {
                    $(Unary::$Name => $method(x),)*
                }
            }
        }
    };
    (@kernel $Name:ident, function: $function:ident, $($rest:tt)*) => { Dispatched(FloatFunction::$function) };
    (@kernel $Name:ident, $($rest:tt)*) => { op::$Name };
}
// `unary!`, in `device/op/catalogue/unary.rs`, calls `operations!` with one row for each function.
unary!(operations);

/// Evaluates `$body`, in which `$T` and `$U` are the element types that the [`DType`]s `$from` and `$to` stand for. If `$T` does
/// not implement `CastTo<$U>`, the macro evaluates to an error instead.
macro_rules! for_pair {
    ($from:expr, $to:expr, $T:ident, $U:ident => $body:expr) => {{
        use crate::element::{c32, c64};
        let none = || Err(Error::LossyCast { from: $from, to: $to });
        match $from {
            DType::Bool => {
                type $T = bool;
                dispatch!($to, $U => $body)
            }
            DType::C32 => {
                type $T = c32;
                dispatch!($to, $U in [c32, c64] => $body, else => none())
            }
            DType::C64 => {
                type $T = c64;
                dispatch!($to, $U in [c32, c64] => $body, else => none())
            }
            real => dispatch!(
                real,
                $T: RealScalar => dispatch!($to, $U: Scalar => $body, else => none()),
                else => none()
            ),
        }
    }};
}

fn cast_pair<T: CastTo<U>, Dev: Elementwise<T> + Device, U: Element>(
    x: DynView<'_>,
) -> Result<DynTensor, Error> {
    match x.order() {
        MemoryOrder::RowMajor => erased(|| x.typed::<T, RowMajor, Dev>().try_cast::<U>()),
        MemoryOrder::ColMajor => erased(|| x.typed::<T, ColMajor, Dev>().try_cast::<U>()),
    }
}

// This function instantiates kernels for all pairs of element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn cast(x: DynView<'_>, to: DType) -> Result<DynTensor, Error> {
    on_device!("cast", x, Dev => for_pair!(x.dtype(), to, T, U => cast_pair::<T, Dev, U>(x)))
}

/// Copies the elements and converts them to `To`. This type is known at compile time, so kernels for other result types are not
/// instantiated.
pub(crate) fn cast_to<To: Element>(x: DynView<'_>) -> Result<DynTensor, Error> {
    on_device!("cast", x, Dev => for_pair!(x.dtype(), To::DTYPE, T, U => {
        if const { To::DTYPE as u8 == U::DTYPE as u8 } {
            cast_pair::<T, Dev, U>(x)
        } else {
            unreachable!("the element type was checked")
        }
    }))
}

impl<S: DynData> DynTensor<S> {
    /// Rounds each element to a number of decimals, ties to even: see [`Tensor::round_to`](crate::Tensor::round_to).
    ///
    /// # Errors
    /// If the elements are not `f32` or `f64`, or if the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![0.125, -2.718]).round_to(2)?;
    /// assert_eq!(x.downcast_ref()?, tensor![0.12, -2.72]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn round_to(&self, decimals: i32) -> Result<DynTensor, Error> {
        const NAME: &str = <op::RoundTo<f64> as UnaryOp<f64>>::NAME;
        typed!(NAME, RealFloat, (x = self.look(); decimals: i32 = decimals) => x.try_round_to(decimals))
    }

    /// Returns each element, with `nan` instead of NaN, `positive` instead of infinity, and `negative` instead of negative infinity. The
    /// three numbers are rounded to the precision of the elements.
    ///
    /// # Errors
    /// If the elements are not `f32` or `f64`, or if the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1.0, f64::NAN, -f64::INFINITY]).nan_to_num_with(0.5, 9.0, -9.0)?;
    /// assert_eq!(x.downcast_ref()?, tensor![1.0, 0.5, -9.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn nan_to_num_with(&self, nan: f64, positive: f64, negative: f64) -> Result<DynTensor, Error> {
        const NAME: &str = <op::NanToNumWith<f64> as UnaryOp<f64>>::NAME;
        typed!(NAME, RealFloat, (x = self.look(); by: [f64; 3] = [nan, positive, negative]) => {
            let [nan, positive, negative] = by.map(<T as Scalar>::from_f64);
            x.try_nan_to_num_with(nan, positive, negative)
        })
    }

    /// Copies the elements and converts them to another type, as `as` does:
    ///
    /// * Floating-point to integer truncates and saturates; NaN becomes 0.
    /// * Integer to integer wraps.
    /// * `bool` becomes 0 or 1.
    /// * A real number becomes a complex number with imaginary part 0.
    ///
    /// These conversions do not check values. [`cast_into`](DynTensor::cast_into) returns an error if a conversion would lose more
    /// than precision.
    ///
    /// # Errors
    /// * If the conversion would lose a part of each element: from complex to real numbers, or from numbers to `bool`.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1.7, -2.7]);
    /// assert_eq!(x.to_dtype(DType::I32)?.downcast_ref()?, tensor![1, -2]);
    /// assert_eq!(
    ///     x.to_dtype(DType::Bool).unwrap_err().to_string(),
    ///     "cannot cast `f64` to `bool` without losing a part of it: no such cast; \
    ///      number to `bool`: compare, e.g. with `.not_equal(0)`"
    /// );
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn to_dtype(&self, dtype: DType) -> Result<DynTensor, Error> {
        if dtype == self.dtype() {
            return self.to_owned();
        }
        cast(self.look(), dtype)
    }

    /// Raises each element to an integer power, by repeated squaring.
    ///
    /// # Errors
    /// * If the elements are `bool`.
    /// * If an integer zero is raised to a negative power, or an integer result overflows in a build with debug assertions.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![2.0, -3.0]);
    /// assert_eq!(x.powi(3)?.downcast_ref()?, tensor![8.0, -27.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn powi(&self, n: i32) -> Result<DynTensor, Error> {
        const NAME: &str = <op::Powi as UnaryOp<f64>>::NAME;
        typed!(NAME, Scalar, (x = self.look(); n: i32 = n) => x.try_powi(n))
    }

    /// Returns the logarithm to `base` of each element: `ln(x) / ln(base)`.
    ///
    /// # Errors
    /// If the elements are not floating-point or complex numbers, or if the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![8.0, 2.0]).log(2.0)?;
    /// assert_eq!(x.downcast_ref()?, tensor![3.0, 1.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn log(&self, base: f64) -> Result<DynTensor, Error> {
        const NAME: &str = <op::Ln as UnaryOp<f64>>::NAME;
        typed!(NAME, Inexact, (x = self.look(); ln_base: f64 = base.ln()) => x.logarithm(<T as Scalar>::from_f64(ln_base)))
    }

    /// Raises each element to a real power. The exponent `n` is rounded to the precision of the elements.
    ///
    /// # Errors
    /// If the elements are not floating-point or complex numbers, or if the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![4.0, 9.0]);
    /// assert_eq!(x.powf(0.5)?.downcast_ref()?, tensor![2.0, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn powf(&self, n: f64) -> Result<DynTensor, Error> {
        const NAME: &str = <op::Powf<f64> as UnaryOp<f64>>::NAME;
        typed!(NAME, Inexact, (x = self.look(); n: f64 = n) => {
            x.try_powf(<<T as Scalar>::Magnitude as Scalar>::from_f64(n))
        })
    }
}
