//! The results of a factorisation: memory to which the device writes matrices, and which becomes a tensor.

use super::groups::Groups;
use crate::device::{Copy, Device, Operand, Output};
use crate::element::{Element, RealFloat};
use crate::engine::contract::{Labelled, Labels};
use crate::engine::decompose::truncation::Truncation;
use crate::error::Error;
use crate::layout::{Layout, element_count};
use crate::storage::OwnedData;

/// The elements and the shape of a result. The elements are contiguous in the memory order of the operand.
#[derive(Debug)]
pub(crate) struct NewFactor<T: Element, Dev: Device> {
    pub(crate) data: OwnedData<T, Dev>,
    pub(crate) layout: Layout,
}

/// Allocates a buffer of unspecified elements for this shape. The caller must write all of them.
pub(super) fn buffer<T: Element, Dev: Device>(
    device: &Dev,
    shape: &[usize],
) -> Result<OwnedData<T, Dev>, Error> {
    OwnedData::for_overwrite(element_count(shape, size_of::<T>())?, device.clone())
}

/// One of the two factors of a factorisation. If the axes of the factor can be fused to a batch of matrices, the device writes the matrices
/// to the memory of the result, otherwise to a temporary buffer.
#[derive(Debug)]
pub(super) struct Factor<T: Element, Dev: Device> {
    data: OwnedData<T, Dev>,
    /// The axes of `data`.
    axes: Labelled,
    /// The axes of `data` as a batch of matrices.
    matrices: Layout,
    /// The labels of the result's axes.
    labels: Labels,
    /// If `data` is the memory of the result, the extent of the bond, that is, of the labels that both factors share. `None` if `data` is a
    /// temporary buffer.
    in_place: Option<usize>,
}

impl<T: Element, Dev: Copy<T>> Factor<T, Dev> {
    /// Allocates memory for the first factor (`which` is 0) or the second factor (`which` is 1). `matrix` contains the row labels and the
    /// column labels of the factor's matrices.
    ///
    /// # Errors
    /// If the allocation fails, or the shape exceeds the address space.
    pub(super) fn new(
        device: &Dev,
        groups: &Groups,
        row_major: bool,
        which: usize,
        matrix: [&[u8]; 2],
    ) -> Result<Self, Error> {
        let labels = groups.factors[which];
        let result = Layout::contiguous(groups.shape(&labels).shape(), row_major);
        let axes = Labelled::new(result.axes(), &labels, &groups.extents);
        if let Some(matrices) = groups.matrices(&axes, matrix) {
            let data = buffer(device, result.shape())?;
            return Ok(Factor { data, axes, matrices, labels, in_place: Some(groups.bond()) });
        }
        // In the temporary buffer, the bond (the labels that both factors share) is followed by the other axes of the factor. So the
        // elements for each index of the bond, a row or a column of a matrix, are contiguous.
        let group = if which == 0 { &groups.rows } else { &groups.columns };
        let axes = Labelled::contiguous(&groups.after_batch([&groups.bond, group]), &groups.extents);
        let matrices = groups.matrices(&axes, matrix).expect("adjacent axes of a contiguous tensor fuse");
        let data = buffer(device, axes.layout().shape())?;
        Ok(Factor { data, axes, matrices, labels, in_place: None })
    }

    /// Returns the matrices, all of whose elements the device must write.
    pub(super) fn output(&mut self) -> Output<'_, T, Dev> {
        self.data.output(&self.matrices)
    }

    /// Returns the layout of the transposes of the matrices.
    pub(super) fn transposed(&self) -> Layout {
        let rank = self.matrices.rank();
        self.matrices.swap_axes(rank - 2, rank - 1).expect("the last two axes are the matrix")
    }

    /// Returns the elements that the device has written, with a layout derived from that of the matrices.
    pub(super) fn operand<'a>(&'a self, layout: &'a Layout) -> Operand<'a, T, Dev> {
        self.data.operand(layout)
    }

    /// Returns the result. If a truncation has shortened the bond in `groups` (the axis that both factors share), the result has only the
    /// first elements along the bond.
    ///
    /// # Errors
    /// If the allocation fails, or the device reports an error.
    pub(super) fn finish(
        self,
        device: &Dev,
        groups: &Groups,
        row_major: bool,
    ) -> Result<NewFactor<T, Dev>, Error> {
        let layout = Layout::contiguous(groups.shape(&self.labels).shape(), row_major);
        if self.in_place == Some(groups.bond()) {
            return Ok(NewFactor { data: self.data, layout });
        }
        let mut data = buffer(device, layout.shape())?;
        let from = self.axes.arrange(&self.labels, &groups.extents);
        device.copy(data.output(&layout), self.data.operand(&from))?;
        Ok(NewFactor { data, layout })
    }
}

/// Singular values or eigenvalues: one for each matrix of the batch and each index of the bond, the axis that both factors share. The bond
/// is the last axis in row-major order, and the first axis in column-major order. So the values of a matrix are contiguous in both memory
/// orders.
#[derive(Debug)]
pub(super) struct Values<R: Element, Dev: Device> {
    data: OwnedData<R, Dev>,
    labels: Labels,
    layout: Layout,
    /// The layout of the values with the axes of the batch first and the bond last.
    vectors: Layout,
}

impl<R: RealFloat, Dev: Device> Values<R, Dev> {
    /// Allocates memory for the values.
    ///
    /// # Errors
    /// If the allocation fails, or the shape exceeds the address space.
    pub(super) fn new(device: &Dev, groups: &Groups, row_major: bool) -> Result<Self, Error> {
        let labels: Labels = if row_major {
            groups.after_batch([&groups.bond, &[]])
        } else {
            groups.bond.iter().chain(&*groups.batch).copied().collect()
        };
        let layout = Layout::contiguous(groups.shape(&labels).shape(), row_major);
        let axes = Labelled::new(layout.axes(), &labels, &groups.extents);
        let vectors = axes.arrange(&groups.after_batch([&groups.bond, &[]]), &groups.extents);
        Ok(Values { data: buffer(device, layout.shape())?, labels, layout, vectors })
    }

    /// Returns an output for the values, which the device must write: a vector for each matrix of the batch.
    pub(super) fn output(&mut self) -> Output<'_, R, Dev> {
        self.data.output(&self.vectors)
    }

    /// Drops the values that a truncation discards, and shortens the bond (the new axis that the factors share) in `groups`. All matrices of a
    /// batch keep as many values as the matrix that needs most. Calls `see` with the values of each matrix, in memory order, and the number of
    /// values that are kept; not if the truncation is empty.
    ///
    /// # Errors
    /// If an allocation fails, or the device reports an error.
    pub(super) fn truncate(
        self,
        device: &Dev,
        groups: &mut Groups,
        row_major: bool,
        truncation: Truncation,
        mut see: impl FnMut(&[f64], usize),
    ) -> Result<NewFactor<R, Dev>, Error> {
        let bond = groups.bond();
        if bond == 0 || truncation == Truncation::new() {
            return Ok(self.finish());
        }
        let mut values = device.release(self.data.buffer)?;
        let kept = values.chunks(bond).map(|s| truncation.kept(&doubles(s))).max();
        // If the batch has zero matrices, no matrix determines the extent of the bond, so the bond keeps its extent.
        let kept = kept.unwrap_or(bond);
        values.chunks(bond).for_each(|s| see(&doubles(s), kept));
        let mut at = 0;
        values.retain(|_| {
            at += 1;
            (at - 1) % bond < kept
        });
        groups.set_bond(kept);
        let layout = Layout::contiguous(groups.shape(&self.labels).shape(), row_major);
        Ok(NewFactor { data: OwnedData { buffer: device.adopt(values)?, device: device.clone() }, layout })
    }

    pub(super) fn finish(self) -> NewFactor<R, Dev> {
        NewFactor { data: self.data, layout: self.layout }
    }
}

/// Returns the singular values of a matrix as `f64`.
fn doubles<R: RealFloat>(s: &[R]) -> Vec<f64> {
    s.iter().map(|s| s.in_f64()).collect()
}
