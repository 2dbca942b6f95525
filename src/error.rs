//! What can go wrong, each with the operation, both operands and the way out.

#![forbid(unsafe_code)]

use crate::element::DType;
use crate::order::MemoryOrder;
use core::fmt;

/// An operation that could not be done. Nothing was changed.
///
/// Methods without `try_` panic with exactly this message; their `try_` twins return it.
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
    /// Two shapes do not broadcast.
    Shapes {
        /// What was tried, as a verb: "add".
        op: &'static str,
        /// The left shape.
        left: Vec<usize>,
        /// The right shape.
        right: Vec<usize>,
        /// Whether trailing axes are aligned.
        row_major: bool,
    },
    /// The left operand of an assignment would have to grow.
    AssignTo {
        /// What was tried, as a verb.
        op: &'static str,
        /// The shape that is written to.
        to: Vec<usize>,
        /// The shape that is read.
        from: Vec<usize>,
        /// Whether trailing axes are aligned.
        row_major: bool,
    },
    /// A tensor that was given for a result has another shape.
    OutputShape {
        /// What was tried, as a verb.
        op: &'static str,
        /// The shape of the result.
        result: Vec<usize>,
        /// The shape that is there.
        out: Vec<usize>,
    },
    /// A shape does not broadcast to a larger one.
    BroadcastShape {
        /// The shape that is there.
        from: Vec<usize>,
        /// The shape that was asked for.
        to: Vec<usize>,
        /// Whether trailing axes are aligned.
        row_major: bool,
    },
    /// An axis is out of range.
    AxisOutOfRange {
        /// What was tried.
        op: &'static str,
        /// The axis.
        axis: usize,
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// One of two axes is out of range, or both are.
    AxisPair {
        /// What was tried.
        op: &'static str,
        /// The two axes.
        axes: [usize; 2],
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// Axes that must differ do not, or are not a permutation.
    RepeatedAxis {
        /// What was tried.
        op: &'static str,
        /// The axes.
        axes: Vec<usize>,
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// Two axes that must be equally long are not.
    UnequalAxes {
        /// What was tried.
        op: &'static str,
        /// The two axes.
        axes: [usize; 2],
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// An axis that is to be removed is longer than 1.
    NotUnitAxis {
        /// What was tried.
        op: &'static str,
        /// The axis.
        axis: usize,
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// An index is out of bounds.
    Index {
        /// What was tried.
        op: &'static str,
        /// The index along that axis.
        index: isize,
        /// The axis.
        axis: usize,
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// A range does not fit its axis.
    Range {
        /// The range as it was written.
        range: String,
        /// The axis.
        axis: usize,
        /// The operand's shape.
        shape: Vec<usize>,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The number of values is not that of the shape.
    Length {
        /// What was tried.
        op: &'static str,
        /// The shape.
        shape: Vec<usize>,
        /// How many values there are.
        found: usize,
    },
    /// Two shapes differ in their number of elements.
    Reshape {
        /// The shape that is there.
        from: Vec<usize>,
        /// The shape that was asked for.
        to: Vec<usize>,
    },
    /// A view's strides do not allow what was asked without a copy.
    NotContiguous {
        /// What was tried.
        op: &'static str,
        /// The view's shape.
        shape: Vec<usize>,
        /// The view's strides, in elements.
        strides: Vec<isize>,
        /// The order asked for.
        order: &'static str,
    },
    /// Strides from outside do not fit the memory that they are of, or the use that is made of it.
    Strides {
        /// What was tried.
        op: &'static str,
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<isize>,
        /// What does not fit.
        why: String,
    },
    /// The element or byte count of a shape exceeds the address space.
    Overflow {
        /// The shape.
        shape: Vec<usize>,
        /// The size of an element in bytes.
        element_bytes: usize,
    },
    /// An operation that has no value for nothing, on nothing.
    Empty {
        /// What was tried.
        op: &'static str,
        /// The operand's shape.
        shape: Vec<usize>,
    },
    /// The summed axes of a matrix product differ.
    Matmul {
        /// The left shape.
        left: Vec<usize>,
        /// The right shape.
        right: Vec<usize>,
        /// Whether the last two axes are the matrix.
        row_major: bool,
        /// What does not agree.
        why: String,
    },
    /// Operands of a contraction do not fit each other, or together need too much.
    Contraction {
        /// What was tried, as it was written: `einsum "ij,jk->ik" over`.
        op: String,
        /// The operands' shapes.
        shapes: Vec<Vec<usize>>,
        /// What does not fit.
        why: String,
    },
    /// Integer arithmetic without a result: a division by zero, or an overflow.
    Arithmetic {
        /// What was tried, as a verb.
        op: &'static str,
        /// The element type.
        dtype: &'static str,
        /// The values, as they would be written.
        values: String,
    },
    /// An argument outside of what the operation is defined for.
    Argument {
        /// What was tried.
        op: &'static str,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// Two operands live on different instances of their device.
    Devices {
        /// What was tried, as a verb.
        op: &'static str,
        /// The left device.
        left: String,
        /// The right device.
        right: String,
    },
    /// Two tensors whose types are known at run time only differ in memory order.
    Orders {
        /// What was tried, as a verb.
        op: &'static str,
        /// The left order.
        left: MemoryOrder,
        /// The right order.
        right: MemoryOrder,
    },
    /// Two tensors whose types are known at run time only differ in element type.
    ElementTypes {
        /// What was tried, as a verb.
        op: &'static str,
        /// The left element type.
        left: DType,
        /// The right element type.
        right: DType,
    },
    /// A scalar has another type than the elements of a tensor.
    ScalarType {
        /// What was tried, as a verb.
        op: &'static str,
        /// The element type.
        tensor: DType,
        /// The scalar's type.
        scalar: DType,
    },
    /// Two tensors whose types are known at run time only live on different devices.
    DeviceTypes {
        /// What was tried, as a verb.
        op: &'static str,
        /// The left device.
        left: String,
        /// The right device.
        right: String,
    },
    /// An operation that elements of this type do not have.
    NotForElements {
        /// What was tried, as a verb.
        op: &'static str,
        /// The element type.
        dtype: DType,
        /// What is missing, and what to do.
        why: &'static str,
    },
    /// A conversion of elements that would lose a part of them.
    NoCast {
        /// The element type that is there.
        from: DType,
        /// The element type that was asked for.
        to: DType,
    },
    /// An operation on a tensor whose rank does not allow it.
    NotForRank {
        /// What was tried.
        op: &'static str,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// A device that tensors whose types are known at run time do not compute on.
    NotOnDevice {
        /// What was tried, as a verb.
        op: &'static str,
        /// The device.
        device: String,
    },
    /// A tensor whose type is known at run time only is not of the type that it was asked to be.
    Downcast {
        /// What is there.
        found: String,
        /// What was wanted.
        wanted: String,
        /// How to get from the one to the other.
        why: String,
    },
    /// A specification of a contraction, given at run time, is not one.
    Spec {
        /// The specification, and what is wrong with it.
        why: String,
    },
    /// The device could not give that much memory.
    ///
    /// This is for all that grows with the elements, however few they are: results, temporaries, and what files are read into or
    /// written from. What the host's kernels work in besides, such as packed panels of matrices, is never the reason: with less of
    /// it they give the same result, later. What does not grow with them (names, shapes and messages, the box around an erased
    /// tensor, the path of a contraction, the tasks of a pool of threads, the state of a decompressor) is asked for as everywhere
    /// in Rust, as are the views that `par_axis_iter_mut` hands out: where not even that is there, the process ends with
    /// `memory allocation of .. bytes failed`.
    OutOfMemory {
        /// The device.
        device: String,
        /// How many bytes were asked for.
        bytes: usize,
    },
    /// There is no such device on this machine or in this build.
    DeviceUnavailable {
        /// The device.
        device: String,
        /// What was looked for, and what to do.
        why: String,
    },
    /// A device that is there refused, or failed.
    DeviceFailed {
        /// What was tried: "copy", or the name of an operation.
        op: &'static str,
        /// The device.
        device: String,
        /// In the device's own words.
        why: String,
    },
    /// A file could not be read or written, or holds something else than was asked for.
    File {
        /// The file, or `<stream>`.
        path: String,
        /// What is wrong with it.
        why: String,
    },
}

/// Where two shapes stop agreeing, counted as the order counts: `(axis of the larger rank, left, right)`.
fn first_disagreement(left: &[usize], right: &[usize], row_major: bool) -> Option<(usize, usize, usize)> {
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Shapes { op, left, right, row_major } => {
                write!(f, "cannot {op} shapes {left:?} and {right:?}: ")?;
                match first_disagreement(left, right, *row_major) {
                    Some((axis, l, r)) => write!(f, "axis {axis} is {l} and {r} ")?,
                    None => write!(f, "they have no common shape ")?,
                }
                write!(f, "({})", alignment(*row_major))
            }
            Error::BroadcastShape { from, to, row_major } => write!(
                f,
                "cannot broadcast shape {from:?} to {to:?}: only axes of length 1 repeat ({})",
                alignment(*row_major)
            ),
            Error::AssignTo { op, to, from, row_major } => write!(
                f,
                "cannot {op} shape {from:?} in place to shape {to:?}: the target's shape cannot grow \
                 ({}); write a new tensor instead",
                alignment(*row_major)
            ),
            Error::OutputShape { op, result, out } => write!(
                f,
                "cannot {op} into shape {out:?}: the result has shape {result:?}, and its shape is what the output must have"
            ),
            Error::AxisOutOfRange { op, axis, shape } => match shape.len() {
                0 => write!(f, "{op}: axis {axis} is out of range, for a tensor of rank 0 has no axes"),
                n => {
                    let last = n - 1;
                    write!(
                        f,
                        "{op}: axis {axis} is out of range for shape {shape:?}, whose axes are 0 to {last}"
                    )
                }
            },
            Error::AxisPair { op, axes: [a, b], shape } => {
                let last = shape.len().saturating_sub(1);
                write!(
                    f,
                    "cannot {op} over axes {a} and {b}: out of range for shape {shape:?}, whose axes are 0 to {last}"
                )
            }
            Error::RepeatedAxis { op, axes, shape } => {
                write!(f, "{op}: axes {axes:?} of shape {shape:?} name one twice; each may be named once")
            }
            Error::UnequalAxes { op, axes: [a, b], shape } => write!(
                f,
                "cannot {op} over axes {a} and {b} of shape {shape:?}: their lengths {} and {} differ; \
                 cut the longer one with `.slice(..)` first",
                shape[*a], shape[*b]
            ),
            Error::NotUnitAxis { op, axis, shape } => write!(
                f,
                "cannot {op} axis {axis} of shape {shape:?}: its length is {}, not 1; \
                 choose one position with `.index_axis({axis}, i)` instead",
                shape[*axis]
            ),
            Error::Index { op, index, axis, shape } => write!(
                f,
                "cannot {op}: index {index} is out of bounds for axis {axis} of shape {shape:?}, whose length is {}",
                shape.get(*axis).copied().unwrap_or(0)
            ),
            Error::Range { range, axis, shape, why } => {
                write!(f, "cannot slice axis {axis} of shape {shape:?} with {range}: {why}")
            }
            Error::Length { op, shape, found } => write!(
                f,
                "cannot {op} of shape {shape:?} from {found} values: it has {} elements",
                shape.iter().product::<usize>()
            ),
            Error::Reshape { from, to } => write!(
                f,
                "cannot reshape {from:?} to {to:?}: they have {} and {} elements",
                from.iter().product::<usize>(),
                Count(to)
            ),
            Error::NotContiguous { op, shape, strides, order } => write!(
                f,
                "cannot {op} of a view of shape {shape:?} with strides {strides:?}: it is not dense in {order} order; \
                 copy it first with `.to_owned()`"
            ),
            Error::Strides { op, shape, strides, why } => {
                write!(f, "cannot {op} of shape {shape:?} with strides {strides:?}: {why}")
            }
            Error::Overflow { shape, element_bytes } => write!(
                f,
                "cannot make a tensor of shape {shape:?} with {element_bytes} bytes an element: \
                 its size exceeds the address space"
            ),
            Error::Empty { op, shape } => {
                write!(
                    f,
                    "cannot take the {op} of nothing: the reduced axes of shape {shape:?} hold no elements"
                )
            }
            Error::Matmul { left, right, row_major, why } => write!(
                f,
                "cannot matmul shapes {left:?} and {right:?}: {why} ({})",
                if *row_major {
                    "row-major: the last two axes are the matrix, batches lead"
                } else {
                    "column-major: the first two axes are the matrix, batches trail"
                }
            ),
            Error::Contraction { op, shapes, why } => {
                write!(f, "cannot {op} {} ", if shapes.len() == 1 { "shape" } else { "shapes" })?;
                for (k, shape) in shapes.iter().enumerate() {
                    let before = match k {
                        0 => "",
                        k if k + 1 == shapes.len() => " and ",
                        _ => ", ",
                    };
                    write!(f, "{before}{shape:?}")?;
                }
                write!(f, ": {why}")
            }
            Error::Arithmetic { op, dtype, values } => {
                write!(
                    f,
                    "cannot {op} tensors of {dtype}: there is no {dtype} result for {values}; \
                     convert them first, e.g. with `.cast::<f64>()`"
                )
            }
            Error::Argument { op, why } => write!(f, "cannot {op}: {why}"),
            Error::Devices { op, left, right } => write!(
                f,
                "cannot {op} a tensor on {left} and one on {right}: move one of them first, with `.to_device_in(&device)?`"
            ),
            Error::Orders { op, left, right } => write!(
                f,
                "{op}: cannot combine a `{left:?}` tensor with a `{right:?}` tensor: the operands differ in memory order; \
                 convert one of them first: `.as_order({left:?})` is a free view, `.to_order({left:?})` copies"
            ),
            Error::ElementTypes { op, left, right } => write!(
                f,
                "{op}: cannot combine a tensor of `{left}` with a tensor of `{right}`: the operands differ in element type; \
                 convert one of them first, e.g. with `.to_dtype(DType::{left:?})`, or both with `promote(a, b)`"
            ),
            Error::ScalarType { op, tensor, scalar } => write!(
                f,
                "{op}: cannot combine a tensor of `{tensor}` with `{scalar}`: expected a tensor or a scalar of `{tensor}`; \
                 a scalar has the type of the elements: `1.0` for `f64`, `Complex::from(1.0)` for `Complex<f64>`"
            ),
            Error::DeviceTypes { op, left, right } => write!(
                f,
                "{op}: cannot combine a tensor on `{left}` with a tensor on `{right}`: the operands live on different devices; \
                 move one of them first, e.g. with `.to_device::<{left}>()?`"
            ),
            Error::NotForElements { op, dtype, why } => write!(f, "{op}: `{dtype}` {why}"),
            Error::NoCast { from, to } => {
                write!(f, "cannot cast `{from}` to `{to}` without losing a part of it: no such cast; ")?;
                f.write_str(match to {
                    DType::Bool => "number to `bool`: compare, e.g. with `.not_equal(0)`",
                    _ => "complex to real: choose a part with `.re()`, `.im()` or `.abs()` first",
                })
            }
            Error::NotForRank { op, why } => write!(f, "{op}: {why}"),
            // Of the GPUs, there is one that does.
            Error::NotOnDevice { op, device } if device.starts_with("Cuda<") => write!(
                f,
                "{op}: a `DynTensor` does not compute on `{device}`, but on the first GPU and on the host; move it there with \
                 `.to_device::<Cuda>()?` or `.to_device::<Cpu>()?`, or compute with its typed tensor: `.downcast::<T, D, O, {device}>()?`"
            ),
            Error::NotOnDevice { op, device } => write!(
                f,
                "{op}: a `DynTensor` does not compute on `{device}`; move it to the host with `.to_device::<Cpu>()?`, \
                 or compute with its typed tensor: `.downcast::<T, D, O, Dev>()?`"
            ),
            Error::Downcast { found, wanted, why } => write!(f, "{found} is not a `{wanted}`: {why}"),
            Error::Spec { why } => f.write_str(why),
            Error::OutOfMemory { device, bytes } => {
                write!(f, "cannot allocate {bytes} bytes on {device}: out of memory")
            }
            Error::DeviceUnavailable { device, why } => write!(f, "{device} is not available: {why}"),
            Error::DeviceFailed { op, device, why } => write!(f, "{device} failed ({op}): {why}"),
            Error::File { path, why } => write!(f, "{path}: {why}"),
        }
    }
}

/// An element count that may exceed `usize`.
struct Count<'a>(&'a [usize]);

impl fmt::Display for Count<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.iter().try_fold(1usize, |n, &d| n.checked_mul(d)) {
            Some(n) => write!(f, "{n}"),
            None => write!(f, "more than {}", usize::MAX),
        }
    }
}

impl std::error::Error for Error {}

/// The error of a conversion that takes its argument by value. Holds the [`Error`] and the unchanged argument.
///
/// Converts into [`Error`], so `?` works in functions that return it.
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

/// Panics with the error's own message, at the caller's line.
#[inline]
#[track_caller]
pub(crate) fn expect<V>(result: Result<V, Error>) -> V {
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
