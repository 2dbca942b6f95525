//! Results that contain the elements of one operand at other indices or several times: `roll`, `tile`, `repeat`, `pad`, and the triangles
//! of matrices. The constructors of [`Rearrangement`] check arguments and compute the shape of the result; [`write`] writes the
//! result.
//!
//! [`write`]: Rearrangement::write

use super::join::{self, Repeat, Triangle};
use super::pieces::{self, Pad, Piece, copy_pieces};
use crate::device::{Copy, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::axes::check_axis;
use crate::rank::IndexNumber;

/// How the elements of the result are copied from the operand.
#[derive(Debug)]
pub(crate) enum Rearrangement {
    /// In pieces: a list of pieces for each axis.
    Pieces(Vec<Vec<Piece>>),
    /// In pieces, surrounded by a constant: the pieces, and for each axis the number of indices added before and after the operand.
    Bordered(Vec<Vec<Piece>>, Vec<[usize; 2]>),
    /// Several times, with a count for each axis.
    Repeat(Repeat, Vec<usize>),
    /// One triangle of each matrix, including the diagonal with this offset; zeros elsewhere.
    Triangle(Triangle, isize),
}

/// How often each index of an axis is repeated.
#[derive(Debug, Clone)]
pub enum Counts {
    All(usize),
    Each(Vec<usize>),
}

impl Counts {
    /// Converts numbers of any type.
    ///
    /// # Errors
    /// If a number is negative.
    pub(crate) fn each<I: IndexNumber>(numbers: impl IntoIterator<Item = I>) -> Result<Counts, Error> {
        Ok(Counts::Each(numbers.into_iter().map(count).collect::<Result<_, _>>()?))
    }

    /// Converts one number for all indices.
    ///
    /// # Errors
    /// If the number is negative.
    pub(crate) fn all(number: impl IndexNumber) -> Result<Counts, Error> {
        Ok(Counts::All(count(number)?))
    }
}

/// Converts a number of repetitions.
fn count(number: impl IndexNumber) -> Result<usize, Error> {
    let number = number.number();
    usize::try_from(number).map_err(|_| {
        let reason = format!("{number} is not a number of repetitions; pass numbers that are not negative");
        Error::Argument { op: "repeat", reason }
    })
}

impl Rearrangement {
    /// Shifts elements along axes. If an axis is named twice, its shifts add up.
    ///
    /// # Errors
    /// If an axis is out of range, or the numbers of axes and shifts differ.
    pub(crate) fn roll(shape: &[usize], axes: &[usize], by: &[isize]) -> Result<Self, Error> {
        const OP: &str = "roll";
        if axes.len() != by.len() {
            let reason = format!(
                "there are {} axes and {} shifts; pass one shift for each axis",
                axes.len(),
                by.len()
            );
            return Err(Error::Argument { op: OP, reason });
        }
        let mut total = vec![0isize; shape.len()];
        for (&axis, &by) in axes.iter().zip(by) {
            check_axis(OP, axis, shape)?;
            // In 128 bits, because the sum of two shifts may overflow `isize`.
            let extent = shape[axis].max(1) as i128;
            total[axis] = (total[axis] as i128 + by as i128).rem_euclid(extent) as isize;
        }
        Ok(Self::Pieces(shape.iter().zip(&total).map(|(&n, &by)| pieces::rolled(n, by)).collect()))
    }

    /// Repeats the whole operand along each axis. Multiplies the extents in `shape` by the counts.
    ///
    /// # Errors
    /// If there is not one count for each axis.
    pub(crate) fn tile(shape: &mut [usize], counts: &[usize]) -> Result<Self, Error> {
        if counts.len() != shape.len() {
            let reason = format!(
                "there are {} counts for shape {shape:?}; pass one count for each axis",
                counts.len()
            );
            return Err(Error::Argument { op: "tile", reason });
        }
        // If a product overflows, the saturated extent exceeds the address space, so the allocation of the result returns an error.
        shape.iter_mut().zip(counts).for_each(|(extent, &count)| *extent = extent.saturating_mul(count));
        Ok(Self::Repeat(Repeat::Whole, counts.to_vec()))
    }

    /// Repeats each index of an axis. Replaces the extent of the axis in `shape` by that of the result.
    ///
    /// # Errors
    /// If the axis is out of range, or there is not one count for each index.
    pub(crate) fn repeat(shape: &mut [usize], axis: usize, counts: Counts) -> Result<Self, Error> {
        const OP: &str = "repeat";
        check_axis(OP, axis, shape)?;
        let counts = match counts {
            Counts::All(count) => {
                let mut all = vec![1; shape.len()];
                all[axis] = count;
                shape[axis] = shape[axis].saturating_mul(count);
                return Ok(Self::Repeat(Repeat::Each, all));
            }
            Counts::Each(counts) => counts,
        };
        if counts.len() != shape[axis] {
            let reason = format!(
                "there are {} counts for axis {axis} of shape {shape:?}; pass one number, or one for each of its {} indices",
                counts.len(),
                shape[axis]
            );
            return Err(Error::Argument { op: OP, reason });
        }
        let mut pieces: Vec<_> = shape.iter().map(|&n| vec![Piece::copy(0, 0, n)]).collect();
        pieces[axis].clear();
        let mut to = 0usize;
        for (from, len) in counts.into_iter().enumerate().filter(|(_, len)| *len > 0) {
            pieces[axis].push(Piece { to, len, from, step: 0 });
            to = to.saturating_add(len);
        }
        shape[axis] = to;
        Ok(Self::Pieces(pieces))
    }

    /// Adds indices before and after each axis: adds `widths` to the extents in `shape`. An element has `element_bytes` bytes.
    ///
    /// # Errors
    /// If there is not one pair of widths for each axis, the new shape exceeds the address space, or `kind` is not [`Pad::Constant`] and
    /// indices are added to an axis of extent 0.
    pub(crate) fn pad(
        shape: &mut [usize],
        widths: Vec<[usize; 2]>,
        kind: Pad<()>,
        element_bytes: usize,
    ) -> Result<Self, Error> {
        if widths.len() != shape.len() {
            let reason = format!(
                "there are {} pairs of widths for shape {shape:?}; pass one pair for each axis",
                widths.len()
            );
            return Err(Error::Argument { op: "pad", reason });
        }
        let pieces = pieces::padded_axes(shape, &widths, kind, element_bytes)?;
        Ok(if kind == Pad::Constant(()) { Self::Bordered(pieces, widths) } else { Self::Pieces(pieces) })
    }

    /// Writes the result. `scalar`, of rank 0, is the constant of a border or the zero outside of a triangle.
    pub(crate) fn write<T: Element, Dev: Copy<T>>(
        &self,
        device: &Dev,
        row_major: bool,
        from: Operand<'_, T, Dev>,
        scalar: Option<Operand<'_, T, Dev>>,
        mut out: Output<'_, T, Dev>,
    ) -> Result<(), Error> {
        let scalar = || scalar.expect("this rearrangement has a scalar");
        match self {
            Self::Pieces(pieces) => copy_pieces(device, pieces, from, out),
            Self::Bordered(pieces, widths) => {
                pieces::fill_border(device, from.shape(), widths, scalar(), &mut out)?;
                copy_pieces(device, pieces, from, out)
            }
            Self::Repeat(how, counts) => join::repeat(device, *how, counts, from, out),
            Self::Triangle(kept, k) => join::triangle(device, row_major, *kept, *k, scalar(), from, out),
        }
    }
}
