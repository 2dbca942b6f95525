//! Axes by label: the label, extent and stride of each axis.

use super::labels::{LABELS, Labels, Set, set_of};
use super::spec::{MAX_DOTS, Spec, Term, letter};
use crate::device::{Gemm, MatrixOperand, Output, ProductArgs, Scaling};
use crate::element::Scalar;
use crate::error::Error;
use crate::layout::Layout;
use crate::layout::axes::Axes;
use crate::rank::MAX_RANK;

/// The extent of each label's axes, and the operand that determined it.
#[derive(Debug, Clone)]
pub(crate) struct Extents {
    by_label: [usize; LABELS],
    operand: [u8; LABELS],
    known: Set,
}

impl Extents {
    pub(crate) fn new() -> Extents {
        Extents { by_label: [1; LABELS], operand: [0; LABELS], known: 0 }
    }

    pub(crate) fn of(&self, label: u8) -> usize {
        self.by_label[label as usize]
    }

    pub(super) fn all(&self) -> &[usize; LABELS] {
        &self.by_label
    }

    /// Returns the product of the extents of some labels.
    pub(super) fn product(&self, labels: &[u8]) -> usize {
        labels.iter().map(|&label| self.of(label)).fold(1, usize::saturating_mul)
    }

    /// Sets the extent of a label, for operands that are known to agree.
    pub(crate) fn set(&mut self, label: u8, extent: usize) {
        self.by_label[label as usize] = extent;
    }

    /// Records the extent of an axis. Axes with the same name must have equal extents; axes of an ellipsis broadcast.
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
    /// Labels the axes. Axes with the same label become one axis, whose stride is the sum of their strides. The caller must have checked
    /// that their extents are equal.
    pub(crate) fn new(axes: Axes<'_>, labels: &[u8], extents: &Extents) -> Labelled {
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

    /// Creates contiguous axes, the last label's axis fastest.
    pub(super) fn contiguous(labels: &[u8], extents: &Extents) -> Labelled {
        let mut shape = [1; MAX_RANK];
        for (extent, &label) in shape.iter_mut().zip(labels) {
            *extent = extents.of(label);
        }
        Labelled {
            layout: Layout::contiguous(&shape[..labels.len()], true),
            labels: labels.iter().copied().collect(),
        }
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

    /// Returns the stride of a label's axis: 0 if there is none.
    pub(super) fn stride(&self, label: u8) -> isize {
        let axis = self.labels.iter().position(|&l| l == label);
        axis.map_or(0, |axis| self.layout.strides()[axis])
    }

    /// Returns the axes in the order of these labels. A label without an axis gets stride 0.
    pub(super) fn arrange(&self, labels: &[u8], extents: &Extents) -> Layout {
        let mut layout = Layout::point(0);
        labels.iter().for_each(|&label| layout.push(extents.of(label), self.stride(label)));
        layout
    }

    /// Sorts labels by stride, the largest first.
    pub(super) fn by_stride(&self, mut labels: Labels) -> Labels {
        labels.sort_by_key(|&label| core::cmp::Reverse(self.stride(label).unsigned_abs()));
        labels
    }

    /// Returns the stride of a group of axes as one axis, the first outermost; `None` if they do not fuse.
    pub(super) fn fused(&self, group: &[u8], extents: &Extents) -> Option<isize> {
        let Some((&last, outer)) = group.split_last() else { return Some(0) };
        let stride = self.stride(last);
        // An axis of extent 0 is never stepped along; contiguous strides count it as 1.
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

/// A specification applied to the shapes of operands: labels for each axis of each operand and of the result.
#[derive(Debug)]
pub(crate) struct Bound<'s> {
    spec: &'s Spec<'s>,
    row_major: bool,
    /// The number of axes that the ellipsis stands for in the result.
    dots: usize,
    extents: Extents,
}

impl<'s> Bound<'s> {
    /// Determines the extent of each label's axes.
    ///
    /// # Errors
    /// If axes of one label differ in extent.
    pub(super) fn new<'l>(
        spec: &'s Spec<'s>,
        row_major: bool,
        shapes: impl Iterator<Item = &'l [usize]> + Clone,
    ) -> Result<Bound<'s>, Error> {
        let dots_of = |(term, shape): (&Term, &[usize])| shape.len() - term.labels().len();
        let dots = spec.terms().0.iter().zip(shapes.clone()).map(dots_of).max().unwrap_or(0);
        let mut bound = Bound { spec, row_major, dots, extents: Extents::new() };
        let fail = |reason: String| error(spec, shapes.clone(), reason);
        if dots > MAX_DOTS {
            return Err(fail(format!(
                "the ellipsis stands for {dots} axes, more than the maximum of {MAX_DOTS}; give some of them labels"
            )));
        }
        for (operand, shape) in shapes.clone().enumerate() {
            let labels = bound.labels_of(&spec.terms().0[operand], shape.len());
            for (&label, &extent) in labels.iter().zip(shape) {
                bound.extents.learn(label, extent, operand).map_err(fail)?;
            }
        }
        Ok(bound)
    }

    /// Returns an error with a reason and the shapes of all operands.
    pub(super) fn error<'l>(&self, shapes: impl Iterator<Item = &'l [usize]>, reason: String) -> Error {
        error(self.spec, shapes, reason)
    }

    pub(crate) fn extents(&self) -> &Extents {
        &self.extents
    }

    /// Returns the axes of operand `k` with their labels.
    pub(super) fn operand(&self, k: usize, axes: Axes<'_>) -> Labelled {
        let labels = self.labels_of(&self.spec.terms().0[k], axes.rank());
        Labelled::new(axes, &labels, &self.extents)
    }

    /// Returns the labels of operand `k` whose extent is not 1.
    pub(super) fn set(&self, k: usize, shape: &[usize]) -> Set {
        let labels = self.labels_of(&self.spec.terms().0[k], shape.len());
        let long = labels.iter().zip(shape).filter(|&(_, &extent)| extent != 1);
        long.fold(0, |set, (label, _)| set | 1 << label)
    }

    /// Returns the labels of the result's axes, in axis order, with repetitions.
    pub(crate) fn result(&self) -> Labels {
        let term = self.spec.terms().1;
        self.labels_of(term, term.labels().len() + term.dots().map_or(0, |_| self.dots))
    }

    /// Returns a term's labels, including those of the axes that its ellipsis stands for. The labels of an ellipsis are counted from
    /// its last axis (row-major) or from its first axis (column-major).
    fn labels_of(&self, term: &Term, rank: usize) -> Labels {
        let Some(at) = term.dots() else { return term.all() };
        let named = term.labels();
        let dots = rank - named.len();
        let number = |k: usize| if self.row_major { dots - 1 - k } else { k };
        let unnamed = (0..dots).map(|k| (LABELS - 1 - number(k)) as u8);
        named[..at].iter().copied().chain(unnamed).chain(named[at..].iter().copied()).collect()
    }
}

/// Arranges a single operand's axes: first those of the result, then the summed ones. A copy or a reduction then computes the
/// result.
///
/// `arranged` must have no axes. Returns `false` for an ellipsis, a label that the result repeats, or axes of one label that differ
/// in extent. A fast path for small tensors, without the tables of [`Bound`].
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

/// Two matrices whose product is the result of a contraction.
pub(crate) struct MatrixPair {
    /// The extents: rows of the left matrix, summed axis, columns of the right matrix.
    extents: [usize; 3],
    left: [isize; 2],
    right: [isize; 2],
    /// Whether the result is transposed.
    exchanged: bool,
}

impl MatrixPair {
    /// Recognises a contraction that is one matrix product. Returns `None` in other cases, and if an axis has extent 1. A fast
    /// path for small matrices, without the tables of [`Bound`].
    pub(crate) fn new(spec: &Spec<'_>, a: Axes<'_>, b: Axes<'_>) -> Option<MatrixPair> {
        let ([left, right], result) = spec.terms() else { return None };
        if left.dots().is_some() || right.dots().is_some() {
            return None;
        }
        let (&[x, y], &[z, w], &[row, column]) = (left.labels(), right.labels(), result.labels()) else {
            return None;
        };
        // The summed axis of each operand.
        let (at, behind) = match (x == z, x == w, y == z, y == w) {
            (true, false, false, false) => (0, 0),
            (false, true, false, false) => (0, 1),
            (false, false, true, false) => (1, 0),
            (false, false, false, true) => (1, 1),
            _ => return None,
        };
        let kept = ([x, y][1 - at], [z, w][1 - behind]);
        let exchanged = kept == (column, row);
        let (&[_, _], &[_, _]) = (a.shape(), b.shape()) else { return None };
        let [m, k, n] = [a.shape()[1 - at], a.shape()[at], b.shape()[1 - behind]];
        if !exchanged && kept != (row, column) || k != b.shape()[behind] || [m, k, n].contains(&1) {
            return None;
        }
        Some(MatrixPair {
            extents: [m, k, n],
            left: [a.strides()[1 - at], a.strides()[at]],
            right: [b.strides()[behind], b.strides()[1 - behind]],
            exchanged,
        })
    }

    /// Returns the shape of the result.
    pub(crate) fn shape(&self) -> [usize; 2] {
        let [m, _, n] = self.extents;
        if self.exchanged { [n, m] } else { [m, n] }
    }

    /// Multiplies the two operands that were passed to [`MatrixPair::new`]; `out` has the result's shape.
    pub(crate) fn multiply<T: Scalar, Dev: Gemm<T>>(
        &self,
        device: &Dev,
        [a, b]: [MatrixOperand<'_, T, Dev>; 2],
        scaling: Scaling<T>,
        out: Output<'_, T, Dev>,
    ) -> Result<(), Error> {
        let [m, k, n] = self.extents;
        let (of_a, of_b, of_out) = ([m, k], [k, n], [m, n]);
        let (a, b) =
            (a.with_axes(Axes::new(&of_a, &self.left), 0), b.with_axes(Axes::new(&of_b, &self.right), 0));
        let &[row, column] = out.strides() else { unreachable!("the result is a matrix") };
        let strides = if self.exchanged { [column, row] } else { [row, column] };
        let out = out.with_axes(Axes::new(&of_out, &strides), 0);
        device.gemm(ProductArgs { scaling, a, b, out })
    }
}

fn error<'l>(spec: &Spec<'_>, shapes: impl Iterator<Item = &'l [usize]>, reason: String) -> Error {
    let shapes = shapes.map(<[usize]>::to_vec).collect();
    Error::Contraction { op: format!("einsum \"{}\" over", spec.text()), shapes, reason }
}
