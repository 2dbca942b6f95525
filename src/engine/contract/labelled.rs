//! Applies a specification to the shapes and strides of tensors: each axis gets a label. Also recognises simple contractions for
//! fast paths.

use super::labels::{LABELS, Labels, Set, set_of};
use super::notation::{MAX_DOTS, Term, letter};
use super::spec::Spec;
use crate::device::{Contract, MatrixOperand, Output, ProductArgs, Scaling};
use crate::element::Scalar;
use crate::error::Error;
use crate::layout::Layout;
use crate::layout::axes::Axes;
use crate::layout::sort_axes_by_key;
use crate::rank::MAX_RANK;

/// The extent of each label, and the operand that determined the extent.
#[derive(Debug, Clone)]
pub(crate) struct LabelExtents {
    by_label: [usize; LABELS],
    /// The number of the operand that determined the extent, for error messages.
    operand: [u8; LABELS],
    /// The labels whose extents have been recorded.
    known: Set,
}

impl LabelExtents {
    pub(crate) fn new() -> LabelExtents {
        LabelExtents { by_label: [1; LABELS], operand: [0; LABELS], known: 0 }
    }

    pub(crate) fn of(&self, label: u8) -> usize {
        self.by_label[label as usize]
    }

    pub(super) fn all(&self) -> &[usize; LABELS] {
        &self.by_label
    }

    /// Returns the product of the extents of these labels, at most `usize::MAX`.
    pub(crate) fn product(&self, labels: &[u8]) -> usize {
        labels.iter().map(|&label| self.of(label)).fold(1, usize::saturating_mul)
    }

    /// Sets the extent of a label. The caller must have checked that all axes with this label have this extent.
    pub(crate) fn set(&mut self, label: u8, extent: usize) {
        self.by_label[label as usize] = extent;
    }

    /// Records the extent of an axis of operand number `operand`. Axes with the same letter must have equal extents; axes of an
    /// ellipsis broadcast.
    ///
    /// # Errors
    /// The reason, as text, if the extent does not match the recorded one.
    fn learn(&mut self, label: u8, extent: usize, operand: usize) -> Result<(), String> {
        let k = label as usize;
        let broadcasts = k >= LABELS - MAX_DOTS;
        if self.known & (1 << label) == 0 || (broadcasts && self.by_label[k] == 1) {
            (self.by_label[k], self.operand[k]) = (extent, operand as u8);
            self.known |= 1 << label;
        } else if self.by_label[k] != extent && !(broadcasts && extent == 1) {
            let (first, was) = (self.operand[k] as usize + 1, self.by_label[k]);
            let (name, now) = (letter(label), operand + 1);
            return Err(if broadcasts {
                format!(
                    "{name} has an axis of extent {was} in operand {first} and of {extent} in operand {now}, which do not broadcast"
                )
            } else if first == now {
                format!(
                    "{name} has extents {was} and {extent} in operand {first}; shorten the longer axis with `.slice(..)` first"
                )
            } else {
                let hint = if was == 1 || extent == 1 {
                    "; axes of extent 1 broadcast only in an ellipsis, or with `.broadcast_to(..)`"
                } else {
                    ""
                };
                format!("{name} has extent {was} in operand {first} and {extent} in operand {now}{hint}")
            });
        }
        Ok(())
    }
}

/// A layout whose axes have labels, each label once. Axes of extent 1 are left out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Labelled {
    layout: Layout,
    labels: Labels,
}

impl Labelled {
    /// Assigns `labels` to `axes`. Axes with the same label become one axis, whose stride is the sum of their strides. The caller
    /// must have checked that axes with the same label have equal extents.
    pub(crate) fn new(axes: Axes<'_>, labels: &[u8], extents: &LabelExtents) -> Labelled {
        let (mut kept, mut run) = (Labels::NONE, Layout::point(0));
        for (axis, &label) in labels.iter().enumerate() {
            let stride = axes.strides()[axis];
            if axes.shape()[axis] == 1 {
                continue;
            }
            match kept.iter().position(|&l| l == label) {
                Some(at) => run.widen_step(at, stride),
                None => {
                    kept.push(label);
                    run.push(extents.of(label), stride);
                }
            }
        }
        Labelled { layout: run, labels: kept }
    }

    /// Creates the axes of a contiguous tensor. The axis of the last label has unit stride.
    pub(crate) fn contiguous(labels: &[u8], extents: &LabelExtents) -> Labelled {
        let mut shape = [1; MAX_RANK];
        for (extent, &label) in shape.iter_mut().zip(labels) {
            *extent = extents.of(label);
        }
        Labelled {
            layout: Layout::contiguous(&shape[..labels.len()], true),
            labels: labels.iter().copied().collect(),
        }
    }

    /// Returns `axes`, which are the axes of `self` and one more, with the labels of `self` and one more.
    pub(super) fn and(&self, label: u8, axes: Axes<'_>) -> Labelled {
        let mut labels = self.labels;
        labels.push(label);
        Labelled { layout: Layout::new(axes.shape(), axes.strides()), labels }
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn labels(&self) -> Labels {
        self.labels
    }

    pub(super) fn set(&self) -> Set {
        set_of(&self.labels)
    }

    /// Returns the label of the axis with the smallest stride that is not 0.
    pub(super) fn innermost(&self) -> Option<u8> {
        let labels = self.labels.iter().copied().filter(|&label| self.stride(label) != 0);
        labels.min_by_key(|&label| self.stride(label).unsigned_abs())
    }

    /// Returns the stride of the axis with this label, or 0 if there is no such axis.
    pub(super) fn stride(&self, label: u8) -> isize {
        let axis = self.labels.iter().position(|&l| l == label);
        axis.map_or(0, |axis| self.layout.strides()[axis])
    }

    /// Returns a layout with an axis for each label of `labels`, in this order. A label without an axis gets stride 0, so elements
    /// repeat along it.
    pub(crate) fn arrange(&self, labels: &[u8], extents: &LabelExtents) -> Layout {
        let mut layout = Layout::point(0);
        labels.iter().for_each(|&label| layout.push(extents.of(label), self.stride(label)));
        layout
    }

    /// Sorts labels by the absolute values of their strides, the largest first.
    pub(super) fn by_stride(&self, mut labels: Labels) -> Labels {
        sort_axes_by_key(&mut labels, |&label| core::cmp::Reverse(self.stride(label).unsigned_abs()));
        labels
    }

    /// Fuses a group of axes, given with the outermost first, to one axis, and returns the stride of that axis. Returns `None` if
    /// the axes do not fuse.
    pub(crate) fn fused(&self, group: &[u8], extents: &LabelExtents) -> Option<isize> {
        let Some((&last, outer)) = group.split_last() else { return Some(0) };
        let stride = self.stride(last);
        // An extent of 0 counts as 1, as in the strides of a contiguous layout. Such an axis is never stepped along.
        let past = |step: isize, label: u8| step.checked_mul(extents.of(label).max(1).try_into().ok()?);
        let mut step = past(stride, last)?;
        for &label in outer.iter().rev() {
            if self.stride(label) != step {
                return None;
            }
            step = past(step, label)?;
        }
        Some(stride)
    }
}

/// A specification applied to the shapes of operands. It gives a label to each axis of each operand and of the result, and an
/// extent to each label.
#[derive(Debug)]
pub(crate) struct Bound<'s> {
    spec: &'s Spec<'s>,
    row_major: bool,
    /// The number of axes that the ellipsis stands for in the result: the maximum over the operands.
    dots: usize,
    extents: LabelExtents,
}

impl<'s> Bound<'s> {
    /// Determines the extent of each label. The caller must have checked that the rank of each operand matches its term.
    ///
    /// # Errors
    /// * If axes with the same letter differ in extent, or if the axes of ellipses do not broadcast.
    /// * If an ellipsis stands for more than [`MAX_DOTS`] axes.
    pub(super) fn new<'l>(
        spec: &'s Spec<'s>,
        row_major: bool,
        shapes: impl Iterator<Item = &'l [usize]> + Clone,
    ) -> Result<Bound<'s>, Error> {
        let dots_of = |(term, shape): (&Term, &[usize])| shape.len() - term.labels().len();
        let dots = spec.terms().0.iter().zip(shapes.clone()).map(dots_of).max().unwrap_or(0);
        let mut bound = Bound { spec, row_major, dots, extents: LabelExtents::new() };
        let fail = |reason: String| error(spec, shapes.clone(), reason);
        if dots > MAX_DOTS {
            return Err(fail(format!(
                "the ellipsis stands for {dots} axes, more than the maximum of {MAX_DOTS}; give some of them labels"
            )));
        }
        for (operand, shape) in shapes.clone().enumerate() {
            let labels = spec.terms().0[operand].labels_of(shape.len(), row_major);
            for (&label, &extent) in labels.iter().zip(shape) {
                bound.extents.learn(label, extent, operand).map_err(fail)?;
            }
        }
        Ok(bound)
    }

    /// Returns the error with this reason, the specification and the shapes of all operands.
    pub(super) fn error<'l>(&self, shapes: impl Iterator<Item = &'l [usize]>, reason: String) -> Error {
        error(self.spec, shapes, reason)
    }

    pub(crate) fn extents(&self) -> &LabelExtents {
        &self.extents
    }

    /// Returns the axes of operand `k` with their labels.
    pub(super) fn operand(&self, k: usize, axes: Axes<'_>) -> Labelled {
        let labels = self.spec.terms().0[k].labels_of(axes.rank(), self.row_major);
        Labelled::new(axes, &labels, &self.extents)
    }

    /// Returns the labels of operand `k`, without the labels of axes whose extent is 1.
    pub(super) fn set(&self, k: usize, shape: &[usize]) -> Set {
        let labels = self.spec.terms().0[k].labels_of(shape.len(), self.row_major);
        let long = labels.iter().zip(shape).filter(|&(_, &extent)| extent != 1);
        long.fold(0, |set, (label, _)| set | 1 << label)
    }

    /// Returns the labels of the result's axes, in axis order, with repetitions.
    pub(crate) fn result(&self) -> Labels {
        let term = self.spec.terms().1;
        term.labels_of(term.labels().len() + term.dots().map_or(0, |_| self.dots), self.row_major)
    }
}

/// Appends the axes of a single operand to `arranged`: first those of the result, then the summed axes. One copy or reduction then
/// computes the result. This is a fast path for small tensors, without the tables of [`Bound`].
///
/// `arranged` must have no axes. Returns `false` if the fast path does not apply: there are several operands, an ellipsis, a label
/// that the result repeats, or axes with the same label but different extents.
pub(crate) fn single(spec: &Spec<'_>, axes: Axes<'_>, arranged: &mut Layout) -> bool {
    let (operands, result) = spec.terms();
    let [operand] = operands else { return false };
    let mut labels = Labels::NONE;
    if operand.dots().is_some() {
        return false;
    }
    for &label in result.labels() {
        if labels.contains(&label) {
            return false;
        }
        labels.push(label);
    }
    labels.iter().for_each(|_| arranged.push(usize::MAX, 0));
    for (axis, label) in operand.labels().iter().enumerate() {
        let (extent, stride) = (axes.shape()[axis], axes.strides()[axis]);
        match labels.iter().position(|l| l == label) {
            None => {
                labels.push(*label);
                arranged.push(extent, stride);
            }
            Some(at) if arranged.shape()[at] == extent => arranged.widen_step(at, stride),
            Some(at) if arranged.shape()[at] == usize::MAX => arranged.set(at, extent, stride),
            Some(_) => return false,
        }
    }
    true
}

/// The extents and strides of two matrices or vectors whose product, or its transpose, is the result of a contraction.
pub(crate) struct MatrixPair {
    /// The extents: rows of the left matrix, summed axis, columns of the right matrix.
    extents: [usize; 3],
    /// The strides of the left matrix: rows, summed axis.
    left: [isize; 2],
    /// The strides of the right matrix: summed axis, columns.
    right: [isize; 2],
    /// Whether the result is the transpose of the product.
    exchanged: bool,
    /// For each operand, whether it is a matrix. If it is a vector, its missing axis has extent 1 and stride 0.
    matrices: [bool; 2],
}

impl MatrixPair {
    /// Recognises a contraction that is one product of two matrices or vectors, with one summed axis. This is a fast path for small
    /// operands, without the tables of [`Bound`].
    ///
    /// Returns `None` for all other contractions, if the summed axes differ in extent, and if an axis has extent 1.
    // Always inlined. The specification of `einsum!` is a constant, so the compiler compares the labels.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(spec: &Spec<'_>, a: Axes<'_>, b: Axes<'_>) -> Option<MatrixPair> {
        let ([left, right], result) = spec.terms() else { return None };
        if left.dots().is_some() || right.dots().is_some() {
            return None;
        }
        let (of_a, of_b) = (left.labels(), right.labels());
        // The index of the summed axis in each operand.
        let [at, to] = match (of_a, of_b) {
            (&[x], &[z]) if x == z => [0, 0],
            (&[x], &[z, w]) | (&[z, w], &[x]) if z != w && (x == z || x == w) => {
                let summed = usize::from(x == w);
                if of_a.len() == 1 { [0, summed] } else { [summed, 0] }
            }
            (&[x, y], &[z, w]) => match (x == z, x == w, y == z, y == w) {
                (true, false, false, false) => [0, 0],
                (false, true, false, false) => [0, 1],
                (false, false, true, false) => [1, 0],
                (false, false, false, true) => [1, 1],
                _ => return None,
            },
            _ => return None,
        };
        if of_a.len() != a.rank() || of_b.len() != b.rank() || a.shape()[at] != b.shape()[to] {
            return None;
        }
        let matrices = [of_a.len() == 2, of_b.len() == 2];
        let exchanged = match (result.labels(), matrices) {
            (&[], [false, false]) => false,
            (&[row], [true, false]) if row == of_a[1 - at] => false,
            (&[column], [false, true]) if column == of_b[1 - to] => false,
            (&[row, column], [true, true]) if (row, column) == (of_a[1 - at], of_b[1 - to]) => false,
            (&[column, row], [true, true]) if (row, column) == (of_a[1 - at], of_b[1 - to]) => true,
            _ => return None,
        };
        if a.shape().contains(&1) || b.shape().contains(&1) {
            return None;
        }
        let kept = |is_matrix, axes: Axes<'_>, axis: usize| match is_matrix {
            true => (axes.shape()[1 - axis], axes.strides()[1 - axis]),
            false => (1, 0),
        };
        let ((m, row), (n, column)) = (kept(matrices[0], a, at), kept(matrices[1], b, to));
        Some(MatrixPair {
            extents: [m, a.shape()[at], n],
            left: [row, a.strides()[at]],
            right: [b.strides()[to], column],
            exchanged,
            matrices,
        })
    }

    /// Returns the extents of the result. If it has fewer than two axes, the last entries have no meaning.
    #[inline]
    pub(crate) fn shape(&self) -> [usize; 2] {
        let [m, _, n] = self.extents;
        match (self.matrices, self.exchanged) {
            ([true, true], true) => [n, m],
            ([false, _], _) => [n, 1],
            _ => [m, n],
        }
    }

    /// Computes `out = alpha · result + beta · out`. `a` and `b` must be the operands whose axes were passed to
    /// [`MatrixPair::new`], and `out` must have the result's [`shape`](MatrixPair::shape).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn multiply<T: Scalar, Dev: Contract<T>>(
        &self,
        device: &Dev,
        [a, b]: [MatrixOperand<'_, T, Dev>; 2],
        scaling: Scaling<T>,
        out: Output<'_, T, Dev>,
    ) -> Result<(), Error> {
        let ([m, k, n], [row, of_a], [of_b, column]) = (self.extents, self.left, self.right);
        if self.matrices == [true, true] {
            let (left, right, product) = ([m, k], [k, n], [m, n]);
            let a = a.with_axes(Axes::new(&left, &self.left));
            let b = b.with_axes(Axes::new(&right, &self.right));
            let &[first, last] = out.strides() else { unreachable!("the result is a matrix") };
            let strides = if self.exchanged { [last, first] } else { [first, last] };
            let out = out.with_axes(Axes::new(&product, &strides), 0);
            return device.gemm(ProductArgs { scaling, a, b, out });
        }
        // At least one operand is a vector. The axis that it lacks has extent 1, so `m` or `n` is 1, and `out` has at most one axis.
        let (shape, of_a, of_b) = ([m * n, k], [row, of_a], [column, of_b]);
        let skipped = 1 - out.shape().len();
        let a = a.with_axes(Axes::new(&shape[skipped..], &of_a[skipped..]));
        let b = b.with_axes(Axes::new(&shape[skipped..], &of_b[skipped..]));
        device.sum_products(ProductArgs { scaling, a, b, out })
    }
}

fn error<'l>(spec: &Spec<'_>, shapes: impl Iterator<Item = &'l [usize]>, reason: String) -> Error {
    let shapes = shapes.map(<[usize]>::to_vec).collect();
    Error::Contraction { op: format!("einsum \"{}\" over", spec.text()), shapes, reason }
}
