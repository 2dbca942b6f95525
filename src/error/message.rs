//! The messages of errors.

use super::Error;
use crate::element::DType;
use core::fmt;

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
            Error::AxisPair { op, axes: [a, b], shape } if shape.is_empty() => {
                write!(f, "cannot {op} over axes {a} and {b}: a tensor of rank 0 has no axes")
            }
            Error::AxisPair { op, axes: [a, b], shape } => {
                let axes = AxisRange { rank: shape.len(), from_end: *a < 0 || *b < 0 };
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
                let shown = if shapes.len() == 1 { "shape" } else { "shapes" };
                write!(f, "cannot {op} {shown} {}: {reason}", Enumeration(shapes))
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
            Error::Arithmetic { op, dtype, values } => write_arithmetic(f, op, dtype, values),
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

/// Writes the message of [`Error::Arithmetic`].
fn write_arithmetic(f: &mut fmt::Formatter<'_>, op: &str, dtype: &str, values: &str) -> fmt::Result {
    let wide = if SUMS.contains(&op) { wider(dtype) } else { "f64" };
    write!(
        f,
        "cannot {op} tensors of {dtype}: there is no {dtype} result for {values}; convert them first, e.g. with `.cast::<{wide}>()`"
    )?;
    let method = match op {
        "reduce" if values.starts_with("the sum ") => "sum_as",
        "reduce" if values.starts_with("the product ") => "prod_as",
        _ => return Ok(()),
    };
    write!(f, ", or compute the result in a wider type, e.g. with `.{method}::<{}>()`", wider(dtype))
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

/// Displays shapes: `[2], [3] and [4]`.
struct Enumeration<'a>(&'a [Vec<usize>]);

impl fmt::Display for Enumeration<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, shape) in self.0.iter().enumerate() {
            let before = match k {
                0 => "",
                k if k + 1 == self.0.len() => " and ",
                _ => ", ",
            };
            write!(f, "{before}{shape:?}")?;
        }
        Ok(())
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
