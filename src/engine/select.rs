//! Operations on elements at positions along an axis, and on elements under masks. The functions move the indexed axis last, check
//! shapes, and call the device.
//!
//! Devices enumerate axes in row-major order. If the tensors are column-major, their axes are reversed first. So duplicate positions and
//! the elements of masks are visited in memory order.

use super::elementwise::repeated;
use super::same_instance;
use crate::device::{BinaryOp, Device, Operand, Output, Select};
use crate::element::Element;
use crate::error::Error;
use crate::layout::Layout;
use crate::layout::axes::Axes;
use crate::order::MemoryOrder;
use crate::rank::{AnyRank, MAX_RANK, as_given, check_axis_count};

/// Whether an operation has the same positions, or separate ones, for each index of the axes other than the indexed one.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Positions {
    /// The same positions for each index of the other axes. In the result, the axes of the positions replace the indexed axis.
    Shared,
    /// Separate positions for each index of the other axes. The positions have the rank of the tensor.
    Each,
}

/// An operation on positions along an axis: its name in messages, the axis, and the order in which axes are enumerated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Along {
    /// The operation, as a verb.
    pub(crate) op: &'static str,
    /// The axis. It must be in range.
    pub(crate) axis: usize,
    /// Whether the tensors are row-major.
    pub(crate) row_major: bool,
    /// Whether each `i64` position has the bits of a `usize`. If so, a negative position is out of range: it does not count from the end.
    pub(crate) unsigned: bool,
}

/// Layouts for the device. The indexed axis is last in `tensor`. In the other two, the axes of the positions take its place.
struct Nest {
    /// The tensor with the indexed axis last.
    tensor: Layout,
    /// The operand or output with one element for each position.
    elements: Layout,
    /// The positions, with the axes of `elements`.
    at: Layout,
}

impl Along {
    /// Checks that the axis is in range.
    pub(crate) fn check(self, shape: &[usize]) -> Result<(), Error> {
        check_axis_count(self.op, shape)?;
        if self.axis < shape.len() {
            return Ok(());
        }
        Err(Error::AxisOutOfRange { op: self.op, axis: as_given(self.axis), shape: shape.to_vec() })
    }

    /// Sets `to` to `shape`, with the extent of the axis replaced by the extents in `at`: the shape of the elements at the positions.
    pub(crate) fn taken(self, shape: &[usize], at: &[usize], to: &mut [usize]) {
        let all = shape[..self.axis].iter().chain(at).chain(&shape[self.axis + 1..]);
        to.iter_mut().zip(all).for_each(|(to, &n)| *to = n);
    }

    /// Returns the layouts for a tensor, elements and positions. The shapes must have been checked.
    fn nest(self, tensor: Axes<'_>, elements: Axes<'_>, at: Axes<'_>, positions: Positions) -> Nest {
        let Along { axis, row_major, .. } = self;
        let places = if positions == Positions::Shared { at.rank() } else { 1 };
        let mut nest = Nest { tensor: Layout::point(0), elements: Layout::point(0), at: Layout::point(0) };
        let from = |k: usize, rank: usize| if row_major { k } else { rank - 1 - k };
        let rank = tensor.rank();
        for k in (0..rank).map(|k| from(k, rank)).filter(|&k| k != axis) {
            let after = if k < axis { k } else { k + places - 1 };
            nest.tensor.push(tensor.shape()[k], tensor.strides()[k]);
            nest.elements.push(elements.shape()[after], elements.strides()[after]);
            let stride = if positions == Positions::Shared { 0 } else { at.strides()[k] };
            nest.at.push(tensor.shape()[k], stride);
        }
        nest.tensor.push(tensor.shape()[axis], tensor.strides()[axis]);
        for k in (0..places).map(|k| from(k, places)) {
            nest.elements.push(elements.shape()[axis + k], elements.strides()[axis + k]);
            let of = if positions == Positions::Shared { k } else { axis };
            nest.at.push(at.shape()[of], at.strides()[of]);
        }
        nest
    }

    /// Adds the operation, the axis and the shape to the error of a device, which knows none of them.
    fn located(self, error: Error, shape: &[usize]) -> Error {
        match error {
            Error::IndexOutOfBounds { index, .. } => {
                Error::IndexOutOfBounds { op: self.op, index, axis: self.axis, shape: shape.to_vec() }
            }
            other => other,
        }
    }

    /// Checks that `at`, the shape of the positions, is the shape of the tensor, except for the extent of the indexed axis.
    pub(crate) fn check_each(self, shape: &[usize], at: &[usize]) -> Result<(), Error> {
        let same = |k: usize| k == self.axis || shape[k] == at[k];
        if shape.len() == at.len() && (0..shape.len()).all(same) {
            return Ok(());
        }
        let reason = format!(
            "the positions have shape {at:?} and the tensor has shape {shape:?}; only the extents of axis {} may differ; broadcast the \
             positions with `.broadcast_to(..)`",
            self.axis
        );
        Err(Error::Argument { op: self.op, reason })
    }

    /// Checks all positions. Kernels check positions too, but an operation on zero elements calls no kernel, and the kernel of `take` may
    /// find an invalid position only after it has written elements.
    fn check_positions<T: Element, Dev: Select<T>>(
        self,
        device: &Dev,
        shape: &[usize],
        at: Operand<'_, i64, Dev>,
    ) -> Result<(), Error> {
        let checked = match self.unsigned {
            true => Select::<T>::check_unsigned(device, at, shape[self.axis]),
            false => Select::<T>::check_positions(device, at, shape[self.axis]),
        };
        checked.map_err(|error| self.located(error, shape))
    }

    /// Copies the elements of `a` at positions along the axis to `out`, whose shape is that of [`taken`](Along::taken). `existing` states
    /// whether `out` is a preallocated output. If it is `true`, an invalid position leaves `out` unchanged.
    pub(crate) fn take<T: Element, Dev: Select<T>>(
        self,
        device: &Dev,
        out: Output<'_, T, Dev>,
        a: Operand<'_, T, Dev>,
        at: Operand<'_, i64, Dev>,
        existing: bool,
    ) -> Result<(), Error> {
        self.take_at(device, out, a, at, Positions::Shared, existing)
    }

    /// Copies elements of `a` to `out`, with separate positions for each index of the other axes. `existing` has the meaning that it has
    /// for [`take`](Along::take).
    pub(crate) fn take_each<T: Element, Dev: Select<T>>(
        self,
        device: &Dev,
        out: Output<'_, T, Dev>,
        a: Operand<'_, T, Dev>,
        at: Operand<'_, i64, Dev>,
        existing: bool,
    ) -> Result<(), Error> {
        self.take_at(device, out, a, at, Positions::Each, existing)
    }

    fn take_at<T: Element, Dev: Select<T>>(
        self,
        device: &Dev,
        out: Output<'_, T, Dev>,
        a: Operand<'_, T, Dev>,
        at: Operand<'_, i64, Dev>,
        positions: Positions,
        existing: bool,
    ) -> Result<(), Error> {
        check_axis_count(self.op, a.shape())?;
        check_axis_count(self.op, out.shape())?;
        if existing || out.shape().contains(&0) {
            self.check_positions::<T, Dev>(device, a.shape(), at)?;
        }
        if out.shape().contains(&0) {
            return Ok(());
        }
        let nest = self.nest(a.axes(), out.axes(), at.axes(), positions);
        let (out, at) = (out.in_layout(&nest.elements), at.in_layout(&nest.at));
        let from = a.in_layout(&nest.tensor);
        let taken =
            if self.unsigned { device.take_unsigned(out, from, at) } else { device.take(out, from, at) };
        taken.map_err(|error| self.located(error, a.shape()))
    }

    /// Writes elements of `values` to positions along the axis of `out`, with separate positions for each index of the other axes. `values`
    /// broadcasts to the shape of the positions.
    pub(crate) fn put_each<T: Element, Dev: Select<T>>(
        self,
        device: &Dev,
        out: Output<'_, T, Dev>,
        at: Operand<'_, i64, Dev>,
        values: Operand<'_, T, Dev>,
    ) -> Result<(), Error> {
        check_axis_count(self.op, out.shape())?;
        check_axis_count(self.op, values.shape())?;
        repeated::<AnyRank, _, _>(self.op, self.row_major, at.shape(), values, |values| {
            if at.shape().contains(&0) {
                return Ok(());
            }
            let nest = self.nest(out.axes(), values.axes(), at.axes(), Positions::Each);
            let (at, values) = (at.in_layout(&nest.at), values.in_layout(&nest.elements));
            let shape = out.axes().shape();
            device
                .scatter(out.in_layout(&nest.tensor), at, values)
                .map_err(|error| self.located(error, shape))
        })
    }

    /// Combines the elements of `out` at positions along the axis with `values` by `op`. `values` broadcasts to the shape of
    /// [`taken`](Along::taken).
    pub(crate) fn scatter<T: Element, Dev: Select<T> + Select<T>, F: BinaryOp<T, T, Output = T>>(
        self,
        op: &F,
        device: &Dev,
        out: Output<'_, T, Dev>,
        at: Operand<'_, i64, Dev>,
        values: Operand<'_, T, Dev>,
    ) -> Result<(), Error> {
        check_axis_count(self.op, out.shape())?;
        check_axis_count(self.op, values.shape())?;
        let (mut taken, rank) = ([0; MAX_RANK], out.shape().len() - 1 + at.shape().len());
        if rank > MAX_RANK {
            return check_axis_count(self.op, &[out.shape(), at.shape()].concat()[1..]);
        }
        self.taken(out.shape(), at.shape(), &mut taken[..rank]);
        let taken = &taken[..rank];
        repeated::<AnyRank, _, _>(self.op, self.row_major, taken, values, |values| {
            if taken.contains(&0) {
                return self.check_positions::<T, Dev>(device, out.shape(), at);
            }
            let nest = self.nest(out.axes(), values.axes(), at.axes(), Positions::Shared);
            let (at, values) = (at.in_layout(&nest.at), values.in_layout(&nest.elements));
            let shape = out.axes().shape();
            let out = out.in_layout(&nest.tensor);
            let scattered = match self.unsigned {
                true => device.scatter_with_unsigned(op, out, at, values),
                false => device.scatter_with(op, out, at, values),
            };
            scattered.map_err(|error| self.located(error, shape))
        })
    }
}

/// Returns the positions at which a mask along an axis is `true`.
///
/// # Errors
/// If the axis is out of range, the mask does not have the extent of the axis, or the mask cannot be copied to the host.
pub(crate) fn positions_of<Dev: Device>(
    along: Along,
    device: &Dev,
    shape: &[usize],
    mask: Operand<'_, bool, Dev>,
) -> Result<Vec<i64>, Error> {
    along.check(shape)?;
    if mask.shape() != [shape[along.axis]] {
        let reason = format!(
            "the mask has shape {:?}, but axis {} of shape {shape:?} has extent {}",
            mask.shape(),
            along.axis,
            shape[along.axis]
        );
        return Err(Error::Argument { op: along.op, reason });
    }
    let mask = device.gather(mask)?;
    let mut positions = crate::device::via_host::zeros::<i64>(mask.iter().filter(|&&chosen| chosen).count())?;
    // Each index is stored, and `next` advances only if the element is `true`. So there is no branch on the mask's elements, which would
    // be hard to predict. The `break` is taken at most once, after the last position.
    let mut next = 0;
    for (k, &chosen) in mask.iter().enumerate() {
        let Some(to) = positions.get_mut(next) else { break };
        *to = k as i64;
        next += usize::from(chosen);
    }
    Ok(positions)
}

/// Checks that a mask has the shape of the tensor and is on the same instance of the device.
pub(crate) fn check_mask<Dev: Device>(
    op: &'static str,
    (device, shape): (&Dev, &[usize]),
    (mask_device, mask): (&Dev, &[usize]),
) -> Result<(), Error> {
    same_instance(op, device, mask_device)?;
    if shape == mask {
        return Ok(());
    }
    let reason = format!(
        "the mask has shape {mask:?} and the tensor has shape {shape:?}; the shapes must be equal; broadcast the mask with `.broadcast_to(..)`"
    );
    Err(Error::Argument { op, reason })
}

/// Checks that there is one value for each element that is `true` in a mask of shape `shape`.
pub(crate) fn check_values(
    op: &'static str,
    shape: &[usize],
    count: usize,
    values: usize,
) -> Result<(), Error> {
    if count == values {
        return Ok(());
    }
    let reason = format!(
        "the mask of shape {shape:?} has {count} `true` elements, and there are {values} values; pass one value for each, or call \
         `.masked_fill(..)` with a single one"
    );
    Err(Error::Argument { op, reason })
}

/// Returns the axes in the order in which devices enumerate them: reversed if the tensor is column-major.
pub(crate) fn enumerated(axes: Axes<'_>, order: MemoryOrder) -> Layout {
    let layout = Layout::new(axes.shape(), axes.strides());
    if order.is_row_major() { layout } else { layout.reverse_axes() }
}

/// Copies the elements of `a` at which `mask` is `true` to the vector `out`, in memory order. `mask` has the shape of `a`.
pub(crate) fn compress<T: Element, Dev: Select<T>>(
    device: &Dev,
    order: MemoryOrder,
    out: Output<'_, T, Dev>,
    a: Operand<'_, T, Dev>,
    mask: Operand<'_, bool, Dev>,
) -> Result<(), Error> {
    check_axis_count("select elements under a mask", a.shape())?;
    let (of_a, of_mask) = (enumerated(a.axes(), order), enumerated(mask.axes(), order));
    device.compress(out, a.in_layout(&of_a), mask.in_layout(&of_mask))
}

/// Copies the vector `values` to the elements of `out` at which `mask` is `true`, in memory order. `mask` has the shape of `out`.
pub(crate) fn expand<T: Element, Dev: Select<T>>(
    device: &Dev,
    order: MemoryOrder,
    out: Output<'_, T, Dev>,
    mask: Operand<'_, bool, Dev>,
    values: Operand<'_, T, Dev>,
) -> Result<(), Error> {
    check_axis_count("assign elements under a mask", out.shape())?;
    let (of_out, of_mask) = (enumerated(out.axes(), order), enumerated(mask.axes(), order));
    device.expand(out.in_layout(&of_out), mask.in_layout(&of_mask), values)
}

/// Writes the indices of all elements of `mask` that are `true` to the rows of the matrix `out`, in memory order.
pub(crate) fn nonzero<Dev: Select<bool>>(
    device: &Dev,
    order: MemoryOrder,
    out: Output<'_, i64, Dev>,
    mask: Operand<'_, bool, Dev>,
) -> Result<(), Error> {
    check_axis_count("find nonzero elements", mask.shape())?;
    let of_mask = enumerated(mask.axes(), order);
    if order.is_row_major() || out.shape().contains(&0) {
        return device.nonzero(out, mask.in_layout(&of_mask));
    }
    // `of_mask` has the axes of the mask in reverse order. `out` has one column for each axis, so its columns are reversed, too.
    let (axes, columns) = (out.axes(), out.shape()[1]);
    let (row_stride, col_stride) = (axes.strides()[0], axes.strides()[1]);
    let reversed =
        Layout::new(axes.shape(), &[row_stride, -col_stride]).moved((columns - 1) as isize * col_stride);
    device.nonzero(out.in_layout(&reversed), mask.in_layout(&of_mask))
}

/// Checks that the rows of the matrix `at` are valid indices for a tensor of shape `shape`. The matrix has one column for each axis.
pub(crate) fn check_rows<T: Element, Dev: Select<T>>(
    op: &'static str,
    device: &Dev,
    shape: &[usize],
    at: Operand<'_, i64, Dev>,
) -> Result<(), Error> {
    if at.shape().contains(&0) {
        return Ok(());
    }
    let (rows, strides) = (at.shape()[0], at.strides());
    for (axis, &n) in shape.iter().enumerate() {
        let column = Layout::new(&[rows], &strides[..1]).moved(axis as isize * strides[1]);
        let along = Along { op, axis, row_major: true, unsigned: false };
        Select::<T>::check_positions(device, at.in_layout(&column), n)
            .map_err(|error| along.located(error, shape))?;
    }
    Ok(())
}

/// Copies single elements of `a`, whose indices are the rows of the matrix `at`, to the vector `out`.
pub(crate) fn pick<T: Element, Dev: Select<T>>(
    op: &'static str,
    device: &Dev,
    out: Output<'_, T, Dev>,
    a: Operand<'_, T, Dev>,
    at: Operand<'_, i64, Dev>,
) -> Result<(), Error> {
    device.pick(out, a, at).map_err(|error| match error {
        Error::IndexOutOfBounds { index, axis, shape, .. } => {
            Error::IndexOutOfBounds { op, index, axis, shape }
        }
        other => other,
    })
}

/// Checks that a matrix of indices has one column for each axis.
pub(crate) fn check_indices(op: &'static str, shape: &[usize], at: &[usize]) -> Result<(), Error> {
    check_axis_count(op, shape)?;
    if at[1] == shape.len() {
        return Ok(());
    }
    let reason = format!(
        "the indices have shape {at:?} and the tensor has shape {shape:?}; there must be one column for each axis"
    );
    Err(Error::Argument { op, reason })
}
