//! The error type of this crate. A message names the operation, the operands with their values, the reason, and a fix.

#![forbid(unsafe_code)]

use crate::element::DType;
use crate::order::MemoryOrder;
use core::fmt;

/// The error of a failed operation.
///
/// The operation has not changed its operands. It may have partly written a preallocated output, if its documentation says so.
///
/// Methods without `try_` panic with this error's message; their `try_` variants return the error.
///
/// ```
/// use vierbein::{Tensor, tensor};
/// let a = Tensor::<f64, _>::zeros([2, 3]);
/// let error = a.try_add(&Tensor::zeros([2, 4])).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "cannot add shapes [2, 3] and [2, 4]: axis 1 is 3 and 4 (row-major aligns trailing axes)"
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// Two shapes do not broadcast to a common shape.
    ShapeMismatch {
        /// The operation, as a verb: "add".
        op: &'static str,
        /// The left shape.
        left: Vec<usize>,
        /// The right shape.
        right: Vec<usize>,
        /// Whether broadcasting aligns the trailing axes, as in row-major order, instead of the leading axes.
        row_major: bool,
    },
    /// The source of an assignment or in-place operation does not broadcast to the shape of its target.
    AssignShape {
        /// The operation, as a verb.
        op: &'static str,
        /// The shape of the target.
        to: Vec<usize>,
        /// The shape of the source.
        from: Vec<usize>,
        /// Whether broadcasting aligns the trailing axes, as in row-major order, instead of the leading axes.
        row_major: bool,
    },
    /// A preallocated output does not have the shape of the result.
    OutputShape {
        /// The operation, as a verb.
        op: &'static str,
        /// The shape of the result.
        result: Vec<usize>,
        /// The shape of the output.
        out: Vec<usize>,
    },
    /// A shape does not broadcast to another.
    BroadcastShape {
        /// The operand's shape.
        from: Vec<usize>,
        /// The requested shape.
        to: Vec<usize>,
        /// Whether broadcasting aligns the trailing axes, as in row-major order, instead of the leading axes.
        row_major: bool,
    },
    /// An axis is out of range.
    AxisOutOfRange {
        /// The operation.
        op: &'static str,
        /// The axis, as the caller passed it: negative if it was counted from the end.
        axis: isize,
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// At least one of two axes is out of range.
    AxisPair {
        /// The operation.
        op: &'static str,
        /// The two axes, as the caller passed them: negative if they were counted from the end.
        axes: [isize; 2],
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// An axis occurs twice in a list of axes that must be distinct.
    RepeatedAxis {
        /// The operation.
        op: &'static str,
        /// The axes.
        axes: Vec<usize>,
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// Two axes that must have the same extent have different extents.
    ExtentMismatch {
        /// The operation.
        op: &'static str,
        /// The two axes.
        axes: [usize; 2],
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// An axis to be removed does not have extent 1.
    NotUnitAxis {
        /// The operation.
        op: &'static str,
        /// The axis.
        axis: usize,
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// An index is out of bounds.
    IndexOutOfBounds {
        /// The operation.
        op: &'static str,
        /// The index along `axis`.
        index: isize,
        /// The axis.
        axis: usize,
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// A range or step is not valid for its axis.
    InvalidSlice {
        /// The range and its step, in the notation of [`s!`](crate::s!).
        range: String,
        /// The axis.
        axis: usize,
        /// The operand's shape.
        shape: Vec<usize>,
        /// The reason.
        reason: &'static str,
    },
    /// The number of values differs from the number of elements of the shape.
    LengthMismatch {
        /// The operation.
        op: &'static str,
        /// The shape.
        shape: Vec<usize>,
        /// The number of values.
        found: usize,
    },
    /// Two shapes differ in their number of elements, or an extent of -1 cannot be computed.
    Reshape {
        /// The operand's shape.
        from: Vec<usize>,
        /// The requested shape. An extent of -1 is computed from the number of elements.
        to: Vec<isize>,
        /// The reason.
        reason: String,
    },
    /// The operation requires a contiguous view, because it would have to copy the elements of any other view.
    NotContiguous {
        /// The operation.
        op: &'static str,
        /// The view's shape.
        shape: Vec<usize>,
        /// The view's strides, in elements.
        strides: Vec<isize>,
        /// The memory order in which the view must be contiguous.
        order: &'static str,
    },
    /// Strides from a caller or another library are invalid: out of bounds, or overlapping in a mutable view.
    InvalidStrides {
        /// The operation.
        op: &'static str,
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<isize>,
        /// The reason.
        reason: String,
    },
    /// The number of elements or bytes of a shape exceeds the address space.
    Overflow {
        /// The shape.
        shape: Vec<usize>,
        /// The size of an element in bytes.
        element_bytes: usize,
    },
    /// A reduction without an identity, such as `max`, over zero elements.
    Empty {
        /// The operation.
        op: &'static str,
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// The shapes of a matrix product do not match.
    Matmul {
        /// The left shape.
        left: Vec<usize>,
        /// The right shape.
        right: Vec<usize>,
        /// Whether the last two axes are the matrix, as in row-major order, instead of the first two.
        row_major: bool,
        /// The reason.
        reason: String,
    },
    /// A matrix has an element that is NaN or infinite, so it has no factorisation.
    NotFinite {
        /// The operation, as a verb: "decompose by svd".
        op: &'static str,
        /// The shape of the matrix, or of the batch of matrices.
        shape: Vec<usize>,
        /// The index of the matrix along the axes of the batch. Empty for a single matrix.
        matrix: Vec<usize>,
    },
    /// The iteration for singular values or eigenvalues of a matrix did not converge.
    NotConverged {
        /// The operation, as a verb.
        op: &'static str,
        /// The shape of the matrix, or of the batch of matrices.
        shape: Vec<usize>,
        /// The index of the matrix along the axes of the batch. Empty for a single matrix.
        matrix: Vec<usize>,
    },
    /// A matrix of a linear system is singular.
    Singular {
        /// The operation, as a verb.
        op: &'static str,
        /// The shape of the matrix, or of the batch of matrices.
        shape: Vec<usize>,
        /// The index of the matrix along the axes of the batch. Empty for a single matrix.
        matrix: Vec<usize>,
        /// The index of the pivot that is 0.
        pivot: usize,
    },
    /// A result of a linear system exceeds the range of its type.
    OutOfRange {
        /// The operation, as a verb.
        op: &'static str,
        /// The shape of the matrix, or of the batch of matrices.
        shape: Vec<usize>,
        /// The index of the matrix along the axes of the batch. Empty for a single matrix.
        matrix: Vec<usize>,
    },
    /// A matrix is not positive definite.
    NotPositiveDefinite {
        /// The operation, as a verb.
        op: &'static str,
        /// The shape of the matrix, or of the batch of matrices.
        shape: Vec<usize>,
        /// The index of the matrix along the axes of the batch. Empty for a single matrix.
        matrix: Vec<usize>,
        /// The order of the first leading principal minor that is not positive.
        order: usize,
    },
    /// An iterative method did not reach its tolerance within the permitted number of applications of the operator, or made no progress.
    IterationLimit {
        /// The operation, as a verb: "solve by `cg`".
        op: &'static str,
        /// The number of applications of the operator.
        applications: usize,
        /// The residual, relative to the norm of the right-hand side or to the largest eigenvalue.
        residual: f64,
        /// The tolerance for the residual.
        tolerance: f64,
    },
    /// An error of a contraction or of a factorisation by labels. In a contraction, shapes do not match, an intermediate exceeds a limit,
    /// or a sum of integers overflows. In a factorisation, the shape of the operand does not match the specification.
    Contraction {
        /// The operation, such as `einsum "ij,jk->ik" over`.
        op: String,
        /// The operands' shapes.
        shapes: Vec<Vec<usize>>,
        /// The reason.
        reason: String,
    },
    /// Integer division by zero or integer overflow.
    Arithmetic {
        /// The operation, as a verb.
        op: &'static str,
        /// The element type.
        dtype: &'static str,
        /// The operation on the values, as an expression.
        values: String,
    },
    /// An argument for which the operation is not defined.
    Argument {
        /// The operation.
        op: &'static str,
        /// The reason, and what is accepted.
        reason: String,
    },
    /// Two operands are on different instances of their device type.
    DeviceInstanceMismatch {
        /// The operation, as a verb.
        op: &'static str,
        /// The left device.
        left: String,
        /// The right device.
        right: String,
    },
    /// Two [`DynTensor`](crate::DynTensor) operands have different memory orders.
    OrderMismatch {
        /// The operation, as a verb.
        op: &'static str,
        /// The left memory order.
        left: MemoryOrder,
        /// The right memory order.
        right: MemoryOrder,
    },
    /// Two [`DynTensor`](crate::DynTensor) operands have different element types.
    DTypeMismatch {
        /// The operation, as a verb.
        op: &'static str,
        /// The left element type.
        left: DType,
        /// The right element type.
        right: DType,
    },
    /// The type of a scalar operand is not the element type of the tensor.
    ScalarType {
        /// The operation, as a verb.
        op: &'static str,
        /// The tensor's element type.
        tensor: DType,
        /// The scalar's type.
        scalar: DType,
    },
    /// Two [`DynTensor`](crate::DynTensor) operands are on different devices.
    DeviceMismatch {
        /// The operation, as a verb.
        op: &'static str,
        /// The left device.
        left: String,
        /// The right device.
        right: String,
    },
    /// The operation is not defined for the element type.
    UnsupportedDType {
        /// The operation, as a verb.
        op: &'static str,
        /// The element type.
        dtype: DType,
        /// The reason and the fix.
        reason: &'static str,
    },
    /// A cast that would lose a part of each element: complex to real, or number to `bool`.
    LossyCast {
        /// The tensor's element type.
        from: DType,
        /// The requested element type.
        to: DType,
    },
    /// The operation is not defined for the rank of the tensor.
    UnsupportedRank {
        /// The operation.
        op: &'static str,
        /// The reason, and what is accepted.
        reason: String,
    },
    /// [`DynTensor`](crate::DynTensor) does not support operations on this device.
    UnsupportedDevice {
        /// The operation, as a verb.
        op: &'static str,
        /// The device.
        device: String,
    },
    /// A [`DynTensor`](crate::DynTensor) or [`DynScalar`](crate::DynScalar) does not have the requested type.
    Downcast {
        /// A description of the tensor or scalar.
        found: String,
        /// The requested type.
        wanted: String,
        /// The reason, and how to convert.
        reason: String,
    },
    /// The specification of a contraction or of a factorisation, given at run time, is invalid.
    Spec {
        /// The specification and the reason.
        reason: String,
    },
    /// A memory allocation on the device failed.
    ///
    /// Operations return this error if memory cannot be allocated for results, temporary tensors, or buffers of files. The size of all
    /// of these grows with the number of elements. If kernel workspace on the host, such as packed matrix panels, cannot be allocated,
    /// there is no error: the kernel computes the same result with less workspace, more slowly. Only Fourier transforms of long lines
    /// return this error if their workspace cannot be allocated.
    ///
    /// If one of the following allocations fails, the process aborts with `memory allocation of .. bytes failed`, as is usual in Rust:
    ///
    /// * names, shapes and messages,
    /// * the box of a `DynTensor`,
    /// * a contraction path,
    /// * the tables of a Fourier transform, if their allocation fails although a test allocation of about their size has succeeded,
    /// * the tasks of a thread pool,
    /// * the state of a decompressor,
    /// * the views of `par_axis_iter_mut`.
    OutOfMemory {
        /// The device.
        device: String,
        /// The size of the allocation in bytes.
        bytes: usize,
    },
    /// The device does not exist on this machine, or this build does not support it.
    DeviceUnavailable {
        /// The device.
        device: String,
        /// The reason and the fix.
        reason: String,
    },
    /// The device reported an error.
    DeviceFailed {
        /// The operation, such as "copy".
        op: &'static str,
        /// The device.
        device: String,
        /// The reason: usually the error message of the device's driver.
        reason: String,
    },
    /// A file could not be read or written, or its contents are not what was requested.
    File {
        /// The path, or `<stream>`.
        path: String,
        /// The reason.
        reason: String,
    },
}

/// Returns the last axis along which two shapes do not broadcast, and both extents along it. The axis is numbered as in the result of
/// broadcasting, which has the larger rank.
fn last_mismatch(left: &[usize], right: &[usize], row_major: bool) -> Option<(usize, usize, usize)> {
    let rank = left.len().max(right.len());
    let extent = |shape: &[usize], axis: usize| {
        let skipped = if row_major { rank - shape.len() } else { 0 };
        axis.checked_sub(skipped).and_then(|k| shape.get(k).copied()).unwrap_or(1)
    };
    (0..rank).rev().find_map(|axis| {
        let (l, r) = (extent(left, axis), extent(right, axis));
        (l != r && l != 1 && r != 1).then_some((axis, l, r))
    })
}

fn alignment(row_major: bool) -> &'static str {
    if row_major { "row-major aligns trailing axes" } else { "column-major aligns leading axes" }
}

/// The operations that accumulate many elements, as [`Error::Arithmetic`] names them.
const SUMS: [&str; 4] = ["reduce", "accumulate", "matmul", "sum of products"];

/// Returns the name of the type to which elements are cast so that their sums and products fit.
pub(crate) fn wider(dtype: &str) -> &'static str {
    match dtype {
        "i8" | "i16" | "i32" => "i64",
        "u8" | "u16" | "u32" => "u64",
        _ => "f64",
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::ShapeMismatch { op, left, right, row_major } => {
                write!(f, "cannot {op} shapes {left:?} and {right:?}: ")?;
                match last_mismatch(left, right, *row_major) {
                    Some((axis, l, r)) => write!(f, "axis {axis} is {l} and {r} ")?,
                    None => write!(f, "they have no common shape ")?,
                }
                write!(f, "({})", alignment(*row_major))
            }
            Error::BroadcastShape { from, to, row_major } => write!(
                f,
                "cannot broadcast shape {from:?} to {to:?}: only axes of extent 1 are repeated ({})",
                alignment(*row_major)
            ),
            Error::AssignShape { op, to, from, row_major } => write!(
                f,
                "cannot {op} shape {from:?} in place to shape {to:?}: the source does not broadcast to the target's shape \
                 ({}); compute a new tensor instead",
                alignment(*row_major)
            ),
            Error::OutputShape { op, result, out } => write!(
                f,
                "cannot {op} into shape {out:?}: the result has shape {result:?}; allocate the output with shape {result:?}"
            ),
            Error::AxisOutOfRange { op, axis, shape } => match shape.len() {
                0 => write!(f, "{op}: axis {axis} is out of range: a tensor of rank 0 has no axes"),
                n => write!(
                    f,
                    "{op}: axis {axis} is out of range for shape {shape:?}, whose axes are {}",
                    AxisRange { rank: n, from_end: *axis < 0 }
                ),
            },
            Error::AxisPair { op, axes: [a, b], shape } => {
                let axes = AxisRange { rank: shape.len().max(1), from_end: *a < 0 || *b < 0 };
                write!(
                    f,
                    "cannot {op} over axes {a} and {b}: out of range for shape {shape:?}, whose axes are {axes}"
                )
            }
            Error::RepeatedAxis { op, axes, shape } => {
                write!(f, "{op}: an axis occurs twice in {axes:?}, for shape {shape:?}; name each axis once")
            }
            Error::ExtentMismatch { op, axes: [a, b], shape } => write!(
                f,
                "cannot {op} over axes {a} and {b} of shape {shape:?}: their extents {} and {} differ; shorten the longer \
                 axis with `.slice(..)` first",
                shape[*a], shape[*b]
            ),
            Error::NotUnitAxis { op, axis, shape } => write!(
                f,
                "cannot {op} axis {axis} of shape {shape:?}: its extent is {}, not 1; choose one index \
                 with `.index_axis({axis}, i)` instead",
                shape[*axis]
            ),
            Error::IndexOutOfBounds { op, index, axis, shape } => write!(
                f,
                "cannot {op}: index {index} is out of bounds for axis {axis} of shape {shape:?}, whose extent is {}",
                shape.get(*axis).copied().unwrap_or(0)
            ),
            Error::InvalidSlice { range, axis, shape, reason } => {
                write!(f, "cannot slice axis {axis} of shape {shape:?} with {range}: {reason}")
            }
            Error::LengthMismatch { op, shape, found } => write!(
                f,
                "cannot {op} of shape {shape:?} from {found} values: it has {} elements",
                shape.iter().product::<usize>()
            ),
            Error::Reshape { from, to, reason } => write!(f, "cannot reshape {from:?} to {to:?}: {reason}"),
            Error::NotContiguous { op, shape, strides, order } => write!(
                f,
                "cannot {op} of a view of shape {shape:?} with strides {strides:?}: it is not contiguous in {order} order; \
                 copy it first with `.to_owned()`"
            ),
            Error::InvalidStrides { op, shape, strides, reason } => {
                write!(f, "cannot {op} of shape {shape:?} with strides {strides:?}: {reason}")
            }
            Error::Overflow { shape, element_bytes } => write!(
                f,
                "cannot make a tensor of shape {shape:?} with {element_bytes} bytes per element: \
                 its size exceeds the address space"
            ),
            Error::Empty { op, shape } => {
                write!(f, "cannot take the {op} of shape {shape:?}: the reduced axes have zero elements")
            }
            Error::Matmul { left, right, row_major, reason } => write!(
                f,
                "cannot matmul shapes {left:?} and {right:?}: {reason} ({})",
                if *row_major {
                    "row-major: the last two axes are the matrix, batches lead"
                } else {
                    "column-major: the first two axes are the matrix, batches trail"
                }
            ),
            Error::Contraction { op, shapes, reason } => {
                write!(f, "cannot {op} {} ", if shapes.len() == 1 { "shape" } else { "shapes" })?;
                for (k, shape) in shapes.iter().enumerate() {
                    let before = match k {
                        0 => "",
                        k if k + 1 == shapes.len() => " and ",
                        _ => ", ",
                    };
                    write!(f, "{before}{shape:?}")?;
                }
                write!(f, ": {reason}")
            }
            Error::NotFinite { op, shape, matrix } => write!(
                f,
                "cannot {op} shape {shape:?}: {} has an element that is NaN or infinite; find it with `.is_finite()`, or \
                 replace it with `.nan_to_num()`",
                MatrixOf(matrix)
            ),
            Error::NotConverged { op, shape, matrix } => write!(
                f,
                "cannot {op} shape {shape:?}: the iteration did not converge for {}; scale it, or compute in `f64`",
                MatrixOf(matrix)
            ),
            Error::Singular { op, shape, matrix, pivot } => write!(
                f,
                "cannot {op} shape {shape:?}: {} is singular, because pivot {pivot} is 0; for a least-squares solution, use \
                 `.lstsq(..)` or `.pinv()`",
                MatrixOf(matrix)
            ),
            Error::OutOfRange { op, shape, matrix } => write!(
                f,
                "cannot {op} shape {shape:?}: the result for {} exceeds the range of its type, because the matrix is almost singular or very \
                 small; multiply the matrix by a large number first, or divide the right-hand sides by one",
                MatrixOf(matrix)
            ),
            Error::NotPositiveDefinite { op, shape, matrix, order } => write!(
                f,
                "cannot {op} shape {shape:?}: {} is not positive definite, because its leading principal minor of order {order} \
                 is not positive; for any Hermitian matrix, use `.eigh()`",
                MatrixOf(matrix)
            ),
            Error::IterationLimit { op, applications, residual, tolerance } => write!(
                f,
                "cannot {op}: after {applications} applications of the operator, the relative residual is {residual:.1e}, and the \
                 tolerance is {tolerance:.1e}; set `.max_applications(..)`, `.basis(..)` or `.tolerance(..)`, or request the result so \
                 far with `.accept_unconverged()`"
            ),
            Error::Arithmetic { op, dtype, values } => {
                write!(
                    f,
                    "cannot {op} tensors of {dtype}: there is no {dtype} result for {values}; \
                     convert them first, e.g. with `.cast::<{}>()`",
                    if SUMS.contains(op) { wider(dtype) } else { "f64" }
                )?;
                let method = match *op {
                    "reduce" if values.starts_with("the sum ") => "sum_as",
                    "reduce" if values.starts_with("the product ") => "prod_as",
                    _ => return Ok(()),
                };
                write!(
                    f,
                    ", or compute the result in a wider type, e.g. with `.{method}::<{}>()`",
                    wider(dtype)
                )
            }
            Error::Argument { op, reason } => write!(f, "cannot {op}: {reason}"),
            Error::DeviceInstanceMismatch { op, left, right } => write!(
                f,
                "cannot {op} a tensor on {left} and one on {right}: move one of them first, with `.to_device_in(&device)?`"
            ),
            Error::OrderMismatch { op, left, right } => write!(
                f,
                "{op}: cannot combine a `{left:?}` tensor with a `{right:?}` tensor: the operands differ in memory order; \
                 convert one of them first: `.as_order({left:?})` is a free view, `.to_order({left:?})` copies"
            ),
            Error::DTypeMismatch { op, left, right } => write!(
                f,
                "{op}: cannot combine a tensor of `{left}` with a tensor of `{right}`: the operands differ in element type; \
                 convert one of them first, e.g. with `.to_dtype(DType::{left:?})`, or both with `promote(a, b)`"
            ),
            Error::ScalarType { op, tensor, scalar } => write!(
                f,
                "{op}: cannot combine a tensor of `{tensor}` with `{scalar}`: expected a tensor or a scalar of `{tensor}`; \
                 a scalar has the type of the elements: `1.0` for `f64`, `Complex::from(1.0)` for `Complex<f64>`"
            ),
            Error::DeviceMismatch { op, left, right } => write!(
                f,
                "{op}: cannot combine a tensor on `{left}` with a tensor on `{right}`: the operands are on different devices; \
                 move one of them first, e.g. with `.to_device::<{left}>()?`"
            ),
            Error::UnsupportedDType { op, dtype, reason } => write!(f, "{op}: `{dtype}` {reason}"),
            Error::LossyCast { from, to } => {
                write!(f, "cannot cast `{from}` to `{to}` without losing a part of it: no such cast; ")?;
                f.write_str(match to {
                    DType::Bool => "number to `bool`: compare, e.g. with `.not_equal(0)`",
                    _ => "complex to real: choose a part with `.re()`, `.im()` or `.abs()` first",
                })
            }
            Error::UnsupportedRank { op, reason } => write!(f, "{op}: {reason}"),
            // `DynTensor` supports `Cuda<0>` only.
            Error::UnsupportedDevice { op, device } if device.starts_with("Cuda<") => write!(
                f,
                "{op}: a `DynTensor` computes on the host and on the first GPU only, not on `{device}`; move it with \
                 `.to_device::<Cuda>()?` or `.to_device::<Cpu>()?`, or compute with a typed tensor: `.downcast::<T, D, O, {device}>()?`"
            ),
            Error::UnsupportedDevice { op, device } => write!(
                f,
                "{op}: a `DynTensor` does not compute on `{device}`; move it to the host with `.to_device::<Cpu>()?`, \
                 or compute with a typed tensor: `.downcast::<T, D, O, Dev>()?`"
            ),
            Error::Downcast { found, wanted, reason } => write!(f, "{found} is not a `{wanted}`: {reason}"),
            Error::Spec { reason } => f.write_str(reason),
            Error::OutOfMemory { device, bytes } => {
                write!(f, "cannot allocate {bytes} bytes on {device}: out of memory")
            }
            Error::DeviceUnavailable { device, reason } => write!(f, "{device} is not available: {reason}"),
            Error::DeviceFailed { op, device, reason } => write!(f, "{device} failed ({op}): {reason}"),
            Error::File { path, reason } => write!(f, "{path}: {reason}"),
        }
    }
}

impl std::error::Error for Error {}

/// The error of a conversion that takes its argument by value. Holds the [`Error`] and the unchanged argument.
///
/// Converts into [`Error`], so `?` works in functions that return [`Error`].
///
/// ```
/// use vierbein::{Rank, Tensor};
/// let failed = Tensor::<f64, Rank<2>>::try_from_buffer([2, 2], vec![1.0, 2.0, 3.0]).unwrap_err();
/// assert_eq!(failed.to_string(), "cannot make a tensor of shape [2, 2] from 3 values: it has 4 elements");
/// assert_eq!(failed.into_inner(), [1.0, 2.0, 3.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ConversionError<V> {
    /// The reason.
    pub error: Error,
    /// The argument of the conversion, unchanged.
    pub value: V,
}

impl<V> ConversionError<V> {
    /// Returns the argument of the conversion, unchanged.
    pub fn into_inner(self) -> V {
        self.value
    }
}

impl<V> fmt::Display for ConversionError<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<V: fmt::Debug> std::error::Error for ConversionError<V> {}

impl<V> From<ConversionError<V>> for Error {
    fn from(failed: ConversionError<V>) -> Error {
        failed.error
    }
}

/// Displays which matrix an error is about: `the matrix` if there is only one, or `matrix [k] of the batch`.
struct MatrixOf<'a>(&'a [usize]);

impl fmt::Display for MatrixOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("the matrix"),
            index => write!(f, "matrix {index:?} of the batch"),
        }
    }
}

/// The valid axes, as text. Mentions negative numbers only if the caller passed one.
struct AxisRange {
    rank: usize,
    from_end: bool,
}

impl fmt::Display for AxisRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AxisRange { rank, from_end } = self;
        write!(f, "0 to {}", rank - 1)?;
        if *from_end { write!(f, ", or -{rank} to -1") } else { Ok(()) }
    }
}

/// Returns the value, or panics with the error's message at the caller's location.
#[inline]
#[track_caller]
pub(crate) fn unwrap_or_panic<V>(result: Result<V, Error>) -> V {
    match result {
        Ok(value) => value,
        Err(error) => failed(error),
    }
}

#[cold]
#[track_caller]
fn failed(error: Error) -> ! {
    panic!("{error}")
}
