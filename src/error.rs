//! The error type of this crate. A message names the operation, the operands with their values, the reason, and a fix.

#![forbid(unsafe_code)]

mod conversion;
mod message;

use crate::element::DType;
use crate::order::MemoryOrder;
pub use conversion::ConversionError;
pub(crate) use message::wider;
pub(crate) use vierbein_macros::fallible;

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

impl std::error::Error for Error {}

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
