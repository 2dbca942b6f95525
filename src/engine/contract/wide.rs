//! Contractions of operands, or into results, with more than 16 axes: fuses the axes of each group, so that the operands get few labels.

use super::execute::into_new;
use super::labelled::{LabelExtents, Labelled};
use super::labels::Labels;
use super::operand::{Elements, Factor, Input, RealProducts};
use crate::device::wide::{MAX_LOOPS, Nest, Temporary, row_major as contiguous};
use crate::device::{Contract, Device, MatrixOperand};
use crate::element::{Element, Scalar};
use crate::error::Error;
use crate::layout::axes::Axes;
use crate::storage::OwnedData;

/// A copy of an operand.
enum PackedFactor<T: Element, Dev: Device> {
    Same(Temporary<T, Dev>, bool),
    Real(Temporary<T::Part, Dev>, &'static RealProducts<T, Dev>),
}

impl<T: Element, Dev: Device> PackedFactor<T, Dev> {
    /// Copies an operand, whose axes are those of the nest, in the order of the nest.
    fn new(device: &Dev, factor: Factor<'_, T, Dev>, nest: &Nest) -> Result<Self, Error> {
        Ok(match factor.0 {
            Elements::Same(MatrixOperand { operand, conjugate }) => {
                PackedFactor::Same(Temporary::packed(device, nest, 0, operand)?, conjugate)
            }
            Elements::Real(operand, products) => {
                PackedFactor::Real(Temporary::packed(device, nest, 0, operand)?, products)
            }
        })
    }

    fn get(&self) -> Factor<'_, T, Dev> {
        Factor(match self {
            PackedFactor::Same(made, conjugate) => {
                Elements::Same(MatrixOperand { operand: made.operand(), conjugate: *conjugate })
            }
            PackedFactor::Real(made, products) => Elements::Real(made.operand(), products),
        })
    }
}

/// Returns the extents and strides of some axes.
fn select(of: Axes<'_>, axes: &[usize]) -> (Vec<usize>, Vec<isize>) {
    axes.iter().map(|&axis| (of.shape()[axis], of.strides()[axis])).unzip()
}

/// Returns the axes of operand `k` of the first nest, followed by those of operand `l` of the second nest.
fn joined(first: &Nest, k: usize, second: &Nest, l: usize) -> (Vec<usize>, Vec<isize>) {
    let (first, second) = (first.axes(k), second.axes(l));
    ([first.shape(), second.shape()].concat(), [first.strides(), second.strides()].concat())
}

/// Contracts two operands over pairs of axes: axis `summed[0][k]` of the left and `summed[1][k]` of the right operand. The axes must be
/// distinct, and those of a pair must have the same extent. The result has the remaining axes, the left operand's first, and is contiguous
/// in the memory order.
pub(crate) fn contract_wide<T: Scalar, Dev: Contract<T>>(
    device: &Dev,
    [left, right]: [Factor<'_, T, Dev>; 2],
    summed: [&[usize]; 2],
    row_major: bool,
) -> Result<OwnedData<T, Dev>, Error> {
    // A column-major result is a row-major result with reversed axes.
    let [(a, sum_a), (b, sum_b)] = match row_major {
        true => [(left, summed[0]), (right, summed[1])],
        false => [(right, summed[1]), (left, summed[0])],
    };
    let kept = |of: Axes<'_>, summed: &[usize]| {
        let mut axes: Vec<usize> = (0..of.rank()).filter(|axis| !summed.contains(axis)).collect();
        if !row_major {
            axes.reverse();
        }
        let (shape, strides) = select(of, &axes);
        Nest::new(Axes::new(&shape, &strides)).ordered()
    };
    let (rows, columns) = (kept(a.axes(), sum_a), kept(b.axes(), sum_b));
    let ((shape, in_a), (_, in_b)) = (select(a.axes(), sum_a), select(b.axes(), sum_b));
    let mut sums = Nest::new(Axes::new(&shape, &in_a));
    sums.push(Axes::new(&shape, &in_b));
    let sums = sums.unordered();

    let run = |a, of_a: Axes<'_>, b, of_b: Axes<'_>, [r, s]: [usize; 2]| {
        let (on_a, on_b) = (0..of_a.rank() as u8, r as u8..(r + of_b.rank()) as u8);
        let (on_a, on_b): (Labels, Labels) = (on_a.collect(), on_b.collect());
        let mut extents = LabelExtents::new();
        for (labels, axes) in [(&on_a, of_a), (&on_b, of_b)] {
            labels.iter().zip(axes.shape()).for_each(|(&label, &extent)| extents.set(label, extent));
        }
        let result: Labels = on_a[..r].iter().chain(&on_b[s..]).copied().collect();
        let a = Input::given(a, Labelled::new(of_a, &on_a, &extents));
        let b = Input::given(b, Labelled::new(of_b, &on_b, &extents));
        into_new(device, a, b, &result, &extents).map(|(made, _)| made)
    };
    let (of_a, of_b) = (joined(&rows, 0, &sums, 0), joined(&sums, 1, &columns, 0));
    let (of_a, of_b) = (Axes::new(&of_a.0, &of_a.1), Axes::new(&of_b.0, &of_b.1));
    if of_a.rank().max(of_b.rank()).max(rows.rank() + columns.rank()) <= MAX_LOOPS {
        return run(a, of_a, b, of_b, [rows.rank(), sums.rank()]);
    }
    let packed_a = PackedFactor::new(device, a, &Nest::new(of_a))?;
    let packed_b = PackedFactor::new(device, b, &Nest::new(of_b))?;
    let (of_a, of_b) = ([rows.len(), sums.len()], [sums.len(), columns.len()]);
    let (in_a, in_b) = (contiguous(&of_a), contiguous(&of_b));
    run(packed_a.get(), Axes::new(&of_a, &in_a), packed_b.get(), Axes::new(&of_b, &in_b), [1, 1])
}
