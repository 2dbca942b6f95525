//! Applies the specification of a factorisation to the shape of an operand. The result is the labels of the rows, of the columns and of
//! the batch, with their extents.

use super::spec::{FactorSpec, Factorisation};
use crate::engine::contract::notation::{MAX_DOTS, letter_of};
use crate::engine::contract::{LabelExtents, Labelled, Labels};
use crate::error::Error;
use crate::layout::Layout;

/// The groups of labels of a factorisation, and the extent of each label.
///
/// A row of the matrices stands for a combination of indices, one for each row label. The first factor determines the order of the row
/// labels, and the index of the last label varies fastest. In the same way, the second factor determines the order of the column labels.
///
/// The rows and columns are enumerated like this in both memory orders, because results depend on the enumeration. The signs and phases of
/// vectors depend on the vectors' first elements. The triangle of a QR decomposition depends on the order of the columns.
#[derive(Debug)]
pub(super) struct Groups {
    /// The labels of the ellipsis's axes.
    pub(super) batch: Labels,
    pub(super) rows: Labels,
    pub(super) columns: Labels,
    /// The labels of the bond, the axes over which the product of the factors sums: a single label or, for a polar decomposition, one
    /// label for each column label.
    pub(super) bond: Labels,
    /// The labels of the operand's axes.
    pub(super) operand: Labels,
    /// The labels of the factors' axes.
    pub(super) factors: [Labels; 2],
    pub(super) extents: LabelExtents,
}

impl Groups {
    /// Groups the axes of an operand of this shape. Its rank must match the specification. The bond has the extent that it has without
    /// truncation: the minimum of the numbers of rows and columns. The bond of a polar decomposition has the extents of the columns.
    ///
    /// # Errors
    /// * If an ellipsis stands for too many axes.
    /// * If the rows and columns of a Hermitian matrix differ in their extents.
    pub(super) fn new(spec: &FactorSpec<'_>, row_major: bool, shape: &[usize]) -> Result<Groups, Error> {
        let fail = |reason: String| {
            let op = format!("{} \"{}\" over", spec.factorisation().name(), spec.text());
            Err(Error::Contraction { op, shapes: vec![shape.to_vec()], reason })
        };
        let dots = shape.len() - spec.labels(0);
        if dots > MAX_DOTS {
            return fail(format!(
                "the ellipsis stands for {dots} axes, more than the maximum of {MAX_DOTS}; merge some of them with `.reshape(..)`"
            ));
        }
        let [operand, first, second] = spec.terms();
        let operand = operand.labels_of(shape.len(), row_major);
        let factors = [first, second].map(|factor| factor.labels_of(factor.len() + dots, row_major));
        let [rows, columns] = [first, second]
            .map(|f| f.labels().iter().copied().filter(|l| !spec.bond().contains(l)).collect::<Labels>());
        let in_groups = |label: &u8| rows.contains(label) || columns.contains(label);
        let batch = operand.iter().copied().filter(|label| !in_groups(label)).collect();
        let mut extents = LabelExtents::new();
        operand.iter().zip(shape).for_each(|(&label, &extent)| extents.set(label, extent));
        if spec.factorisation() == Factorisation::Eigh {
            let different = rows.iter().zip(&*columns).find(|&(&r, &c)| extents.of(r) != extents.of(c));
            if let Some((&row, &column)) = different {
                return fail(format!(
                    "label `{}` of the rows has extent {}, but its column label `{}` has extent {}; the matrix must be square",
                    letter_of(row) as char,
                    extents.of(row),
                    letter_of(column) as char,
                    extents.of(column)
                ));
            }
        }
        let bond: Labels = spec.bond().iter().copied().collect();
        let mut groups = Groups { batch, rows, columns, bond, operand, factors, extents };
        if spec.factorisation() == Factorisation::Polar {
            for (&new, &column) in bond.iter().zip(&*columns) {
                groups.extents.set(new, groups.extents.of(column));
            }
        } else {
            groups.set_bond(groups.rank());
        }
        Ok(groups)
    }

    /// Returns the minimum of the numbers of rows and columns of the matrices.
    pub(super) fn rank(&self) -> usize {
        self.extents.product(&self.rows).min(self.extents.product(&self.columns))
    }

    /// Returns the number of indices of the bond.
    pub(super) fn bond(&self) -> usize {
        self.extents.product(&self.bond)
    }

    /// Sets the extent of a bond with one label.
    pub(super) fn set_bond(&mut self, extent: usize) {
        self.extents.set(self.bond[0], extent);
    }

    /// Returns a layout with the extents of these labels. Its strides are 0.
    pub(super) fn shape(&self, labels: &[u8]) -> Layout {
        let mut shape = Layout::point(0);
        labels.iter().for_each(|&label| shape.push(self.extents.of(label), 0));
        shape
    }

    /// Returns the labels of the batch, followed by those of both groups.
    pub(super) fn after_batch(&self, groups: [&[u8]; 2]) -> Labels {
        let mut labels = self.batch;
        groups.iter().for_each(|group| labels.extend(group));
        labels
    }

    /// Returns the batch of matrices in a tensor with these axes, as devices expect it: the axes of the batch, then the rows, fused to one
    /// axis, then the columns, fused to one axis. Returns `None` if the axes of a group do not fuse.
    pub(super) fn matrices(&self, axes: &Labelled, groups: [&[u8]; 2]) -> Option<Layout> {
        let mut layout = axes.arrange(&self.batch, &self.extents);
        for group in groups {
            let long: Labels = group.iter().copied().filter(|&label| self.extents.of(label) != 1).collect();
            layout.push(self.extents.product(group), axes.fused(&long, &self.extents)?);
        }
        Some(layout)
    }
}
