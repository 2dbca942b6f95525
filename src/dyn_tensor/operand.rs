//! Operands of operations: the type [`DynOperand`], the checks that operands agree, and the dispatch on device and element type.

use super::scalar::DynScalar;
use super::storage::DynData;
use super::tensor::{DynTensor, DynView};
use crate::device::Device;
use crate::dispatch;
use crate::element::{DType, Element};
use crate::error::Error;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::OwnedData;
use crate::tensor::Tensor;

/// The right operand of an operation: a [`DynTensor`] or a view of one, a typed tensor, or a scalar.
///
/// ```
/// use vierbein::{DynTensor, tensor};
/// let x = DynTensor::from(tensor![1, 2]);
/// let twice = x.try_add(&x)?;
/// assert_eq!(twice.try_mul(10)?.try_sub(&tensor![1, 1])?.downcast_ref()?, tensor![19, 39]);
/// # Ok::<(), vierbein::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[allow(
    clippy::large_enum_variant,
    reason = "an operand is `Copy`, and a layout is as large as its largest rank"
)]
pub enum DynOperand<'a> {
    /// A tensor to broadcast with.
    OfTensor(DynView<'a>),
    /// A scalar, which broadcasts.
    OfScalar(DynScalar),
}

impl<'a, S: DynData> From<&'a DynTensor<S>> for DynOperand<'a> {
    fn from(tensor: &'a DynTensor<S>) -> Self {
        DynOperand::OfTensor(tensor.look())
    }
}
impl<'a> From<DynView<'a>> for DynOperand<'a> {
    fn from(view: DynView<'a>) -> Self {
        DynOperand::OfTensor(view)
    }
}
impl<'a, T: Element, D: Dim, O: Order, Dev: Device> From<&'a Tensor<T, D, O, Dev>> for DynOperand<'a> {
    fn from(tensor: &'a Tensor<T, D, O, Dev>) -> Self {
        DynOperand::OfTensor(tensor.into())
    }
}
impl<X: Into<DynScalar>> From<X> for DynOperand<'_> {
    fn from(scalar: X) -> Self {
        DynOperand::OfScalar(scalar.into())
    }
}

/// Evaluates an expression in which `$Dev` is the type of the device of `$x`. If dynamic tensors do not compute on that device, the
/// macro evaluates to an error instead.
///
/// This macro is the only list of the supported devices. Each device in the list adds kernels for all element types to the program.
/// Therefore the list contains neither further GPUs nor devices of other crates. Typed tensors compute on those devices, too.
macro_rules! on_device {
    ($op:expr, $x:expr, $Dev:ident => $body:expr) => {
        'computed: {
            if $x.device::<$crate::device::Cpu>().is_some() {
                type $Dev = $crate::device::Cpu;
                let computed = $body;
                break 'computed computed;
            }
            #[cfg(feature = "cuda")]
            if $x.device::<$crate::device::Cuda>().is_some() {
                type $Dev = $crate::device::Cuda;
                let computed = $body;
                break 'computed computed;
            }
            Err($crate::error::Error::UnsupportedDevice { op: $op, device: $x.device_name() })
        }
    };
}
pub(super) use on_device;

/// Returns a scalar as a tensor of rank 0 on the device of `x`.
///
/// # Errors
/// * [`Error::ScalarType`] if the scalar's type is not the element type of `x`.
/// * If dynamic tensors do not compute on the device, or if the device allocation fails.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
pub(super) fn scalar_for(op: &'static str, x: DynView<'_>, scalar: DynScalar) -> Result<DynTensor, Error> {
    if scalar.dtype() != x.dtype() {
        return Err(Error::ScalarType { op, tensor: x.dtype(), scalar: scalar.dtype() });
    }
    scalar_beside(op, x, scalar)
}

/// Returns a scalar as a tensor of rank 0 on the device of `x`. The scalar's type may differ from the element type of `x`.
// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
pub(super) fn scalar_beside(op: &'static str, x: DynView<'_>, scalar: DynScalar) -> Result<DynTensor, Error> {
    on_device!(op, x, Dev => {
        let device = device_of::<Dev>(&x);
        dispatch!(scalar.dtype(), T => {
            let value = scalar.get::<T>().expect("the scalar has this type");
            Ok(DynTensor::contiguous(OwnedData::of_vec(vec![value], device)?, &[], x.order()))
        })
    })
}

impl<'a> DynOperand<'a> {
    /// Returns an operand beside `x` as a view. A scalar must have the element type of `x`, and becomes a tensor of rank 0, which `kept`
    /// owns.
    ///
    /// # Errors
    /// Those of [`scalar_for`].
    pub(super) fn beside(
        self,
        op: &'static str,
        x: DynView<'_>,
        kept: &'a mut Option<DynTensor>,
    ) -> Result<DynView<'a>, Error> {
        Ok(match self {
            DynOperand::OfTensor(tensor) => tensor,
            DynOperand::OfScalar(scalar) => kept.insert(scalar_for(op, x, scalar)?).look(),
        })
    }
}

/// Returns the value of a scalar, which must have the element type `T` of a tensor.
///
/// # Errors
/// [`Error::ScalarType`] if it has another type.
pub(super) fn value_of<T: Element>(op: &'static str, scalar: DynScalar) -> Result<T, Error> {
    scalar.get().ok_or(Error::ScalarType { op, tensor: T::DTYPE, scalar: scalar.dtype() })
}

/// Checks that an operand agrees in memory order and device type with `leading`, the operand before it. Returns the operand that determines
/// the common order: the first one of rank 2 or more, because tensors of rank 0 and 1 have both orders. If no operand has such a rank, it
/// is the first one.
///
/// # Errors
/// [`Error::OrderMismatch`] if both ranks are at least 2 and the orders differ; [`Error::DeviceMismatch`].
// References, because a view is 300 bytes.
pub(super) fn leading<'r, 'a>(
    op: &'static str,
    leading: &'r DynView<'a>,
    x: &'r DynView<'a>,
) -> Result<&'r DynView<'a>, Error> {
    let by_rank = leading.rank() < 2 && x.rank() >= 2;
    if leading.rank() >= 2 && x.rank() >= 2 && leading.order() != x.order() {
        return Err(Error::OrderMismatch { op, left: leading.order(), right: x.order() });
    }
    same_device(op, leading, x)?;
    Ok(if by_rank { x } else { leading })
}

/// Checks that two tensors are on devices of the same type. The error has the text of the compiler's message for typed tensors.
pub(super) fn same_device(op: &'static str, left: &DynView<'_>, right: &DynView<'_>) -> Result<(), Error> {
    let device = |x: &DynView<'_>| (*x.storage()).device().type_id();
    if device(left) == device(right) {
        return Ok(());
    }
    Err(Error::DeviceMismatch { op, left: left.device_name(), right: right.device_name() })
}

/// Checks that an operand has the element type of `first`, and agrees in memory order and device type with `before`, the operand before it.
/// Returns the operand that determines the common order: see [`leading`].
pub(super) fn agree_with<'r, 'a>(
    op: &'static str,
    first: &DynView<'_>,
    before: &'r DynView<'a>,
    x: &'r DynView<'a>,
) -> Result<&'r DynView<'a>, Error> {
    if x.dtype() != first.dtype() {
        return Err(Error::DTypeMismatch { op, left: first.dtype(), right: x.dtype() });
    }
    leading(op, before, x)
}

/// Checks that tensors agree in element type, memory order and device type. Returns the one that determines the common order: see
/// [`leading`].
///
/// # Panics
/// If there are no tensors.
pub(super) fn agree_all<'r, 'a>(
    op: &'static str,
    tensors: &'r [DynView<'a>],
) -> Result<&'r DynView<'a>, Error> {
    let first = &tensors[0];
    tensors[1..].iter().try_fold(first, |before, x| agree_with(op, first, before, x))
}

/// Returns the device of a tensor.
///
/// # Panics
/// If the device is not a `Dev`.
pub(super) fn device_of<'a, Dev: Device>(x: &'a DynView<'_>) -> &'a Dev {
    x.device().expect("the device was found to be this one")
}

// ------------------------------------------------------------------ unsupported element types

/// The reasons in errors of operations that do not support an element type. The compiler's messages for typed tensors have the same
/// text.
pub(super) mod needs {
    pub(in super::super) const NUMBERS: &str = "is not a number: arithmetic needs a numeric element type; convert `bool` \
        with `.to_dtype(DType::I64)`, combine masks with `&`, `|`, `^` and `!`, choose with `.select(&a, &b)`";
    pub(in super::super) const SIGNS: &str = "has no negative numbers: `-` needs a signed element type; convert first, e.g. with `.to_dtype(DType::I64)`";
    pub(in super::super) const ORDER: &str = "is not an ordered element type: expected integers or real floating-point numbers; \
        compare complex numbers by `.abs()`, `.re()` or `.im()`";
    pub(in super::super) const SORTABLE: &str = "is not an ordered element type: expected integers, real floating-point numbers or \
        `bool`; compare complex numbers by `.abs()`, `.re()` or `.im()`";
    pub(in super::super) const INEXACT: &str = "is not a floating-point or complex type: this function needs floating-point or complex elements; \
        convert integers first, e.g. with `.to_dtype(DType::F64)`";
    pub(in super::super) const FLOATS: &str = "is not a real floating-point type: this function needs `f32` or `f64` elements; \
        convert integers first, e.g. with `.to_dtype(DType::F64)`; take `.abs()`, `.re()` or `.im()` of complex numbers";
    pub(in super::super) const BITS: &str = "does not support bitwise operations: `&`, `|`, `^` and `!` need `bool` or integers; \
        compare first, e.g. with `.gt(0.0)`";
    pub(in super::super) const INTEGERS: &str =
        "is not an integer: shifts need integer elements; convert first, e.g. with `.to_dtype(DType::I64)`";
    pub(in super::super) const COUNTS: &str =
        "is not an integer type: convert the elements first, e.g. with `.to_dtype(DType::I64)`";
    pub(in super::super) const WEIGHTS: &str =
        "is not the element type of weights: convert them with `.to_dtype(DType::F64)`";
    pub(in super::super) const POSITIONS: &str =
        "is not `i64`: positions are tensors of `i64`; convert them first with `.to_dtype(DType::I64)`";
    #[cfg(feature = "fft")]
    pub(in super::super) const TRANSFORM: &str = "has no Fourier transform: expected `f32`, `f64`, `Complex<f32>` or `Complex<f64>`; \
        convert integers first, e.g. with `.to_dtype(DType::F64)`";
    #[cfg(feature = "fft")]
    pub(in super::super) const REAL_TRANSFORM: &str = "has no Fourier transform of real numbers: expected `f32` or `f64`; \
        transform complex numbers with `.fft(axis)`, and convert integers first, e.g. with `.to_dtype(DType::F64)`";
    #[cfg(feature = "fft")]
    pub(in super::super) const COMPLEX_TRANSFORM: &str = "has no inverse Fourier transform to real numbers: expected `Complex<f32>` or \
        `Complex<f64>`; `irfft` takes the result of `rfft`; convert real numbers first, e.g. with `.to_dtype(DType::C64)`";
    #[cfg(feature = "linalg")]
    pub(in super::super) const FACTORISATIONS: &str = "has no factorisations: expected `f32`, `f64`, `Complex<f32>` or `Complex<f64>`; \
        convert integers first, e.g. with `.to_dtype(DType::F64)`";
    pub(in super::super) const MASK: &str =
        "is not `bool`: expected a mask; compare first, e.g. with `.gt(0.0)`";
}

/// Evaluates an expression in which `$T` is the element type that `$dtype` stands for. If that type does not implement the bound in the
/// brackets, the macro evaluates to an error instead, whose reason is the one in [`needs`] for this bound. `[Bound or REASON]` has another
/// reason. `[in f32 c32]` names the element types, which are numbers.
macro_rules! for_elements {
    ([Element], $name:expr, $dtype:expr, $T:ident => $body:expr) => { $crate::dispatch!($dtype, $T => $body) };
    ([bool], $($rest:tt)*) => { $crate::dyn_tensor::operand::for_elements!(@types [in [bool]], MASK, $($rest)*) };
    ([Scalar], $($rest:tt)*) => { $crate::dyn_tensor::operand::for_elements!(@types [: Scalar], NUMBERS, $($rest)*) };
    ([Scalar + $neg:path], $($rest:tt)*) => {
        $crate::dyn_tensor::operand::for_elements!(
            @types [in [i8, i16, i32, i64, f32, f64, $crate::c32, $crate::c64]], SIGNS, $($rest)*
        )
    };
    ([RealScalar], $($rest:tt)*) => { $crate::dyn_tensor::operand::for_elements!(@types [: RealScalar], ORDER, $($rest)*) };
    ([Ordered], $($rest:tt)*) => { $crate::dyn_tensor::operand::for_elements!(@types [: Ordered], SORTABLE, $($rest)*) };
    ([Inexact], $($rest:tt)*) => { $crate::dyn_tensor::operand::for_elements!(@types [: Inexact], INEXACT, $($rest)*) };
    ([RealFloat], $($rest:tt)*) => { $crate::dyn_tensor::operand::for_elements!(@types [: RealFloat], FLOATS, $($rest)*) };
    ([Bits], $($rest:tt)*) => { $crate::dyn_tensor::operand::for_elements!(@types [: Bits], BITS, $($rest)*) };
    ([Integer], $($rest:tt)*) => { $crate::dyn_tensor::operand::for_elements!(@types [: Integer], INTEGERS, $($rest)*) };
    ([LinalgElement], $($rest:tt)*) => { $crate::dyn_tensor::operand::for_elements!(@types [: Inexact], FACTORISATIONS, $($rest)*) };
    ([FftElement], $($rest:tt)*) => { $crate::dyn_tensor::operand::for_elements!(@types [: Inexact], TRANSFORM, $($rest)*) };
    ([FftReal], $($rest:tt)*) => { $crate::dyn_tensor::operand::for_elements!(@types [: RealFloat], REAL_TRANSFORM, $($rest)*) };
    ([FftComplex], $($rest:tt)*) => {
        $crate::dyn_tensor::operand::for_elements!(@types [in [$crate::c32, $crate::c64]], COMPLEX_TRANSFORM, $($rest)*)
    };
    ([$bound:ident or $reason:ident], $($rest:tt)*) => {
        $crate::dyn_tensor::operand::for_elements!(@types [: $bound], $reason, $($rest)*)
    };
    ([in $($t:ty)+], $($rest:tt)*) => { $crate::dyn_tensor::operand::for_elements!(@types [in [$($t),+]], NUMBERS, $($rest)*) };
    (@types [$($types:tt)*], $reason:ident, $name:expr, $dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!(
            $dtype,
            $T $($types)* => $body,
            else => Err($crate::dyn_tensor::operand::lacking($name, $dtype, $crate::dyn_tensor::operand::needs::$reason))
        )
    };
}
pub(super) use for_elements;

/// Returns the error that an operation does not support an element type.
pub(super) fn lacking(op: &'static str, dtype: DType, reason: &'static str) -> Error {
    Error::UnsupportedDType { op, dtype, reason }
}
