//! Slices: computes the axes of a view from one argument for each axis of the tensor.

use super::axes::{Axes, AxesMut};
use crate::error::Error;

/// The argument of a slice for one axis, as a value. `SliceItem::from` makes it from an index, a range, a range with a step or
/// [`NewAxis`](crate::NewAxis).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceItem {
    /// One index; removes the axis. A negative index counts from the end.
    At(isize),
    /// A range of indices from `start` to `end`, with a step. Negative values of `start` and `end` count from the end of the axis. If
    /// `step` is negative, the slice starts at the last index of the range.
    Span {
        /// The first index of the range.
        start: isize,
        /// The end of the range; `None` is the end of the axis.
        end: Option<isize>,
        /// Whether the range includes its end.
        inclusive: bool,
        /// The distance of consecutive indices; negative to iterate backwards.
        step: isize,
    },
    /// A new axis of extent 1.
    Unit,
}

/// Returns the number of axes of a slice.
#[inline]
pub(crate) fn rank(items: &[SliceItem]) -> usize {
    items.iter().filter(|item| !matches!(item, SliceItem::At(_))).count()
}

/// Returns the error that a slice has `named` arguments for a tensor with `rank` axes.
#[cold]
fn not_one_for_each_axis(named: usize, rank: usize) -> Error {
    let reason = if named < rank {
        format!(
            "this slice has no arguments for the remaining `Rank<{}>`: too few arguments; \
             a slice has one argument for each axis; write `..` to keep an axis whole",
            rank - named
        )
    } else {
        format!(
            "an argument is not valid for the remaining `Rank<0>`: too many arguments; \
             a slice has one argument for each axis, and the tensor is of `Rank<{rank}>`"
        )
    };
    Error::UnsupportedRank { op: "slice", reason }
}

impl Axes<'_> {
    /// Writes the axes of a slice with one argument for each axis.
    ///
    /// # Errors
    /// If there is not one argument for each axis, or if an index or range does not fit its axis.
    ///
    /// # Panics
    /// If `to` does not have the number of axes that [`rank`] returns.
    pub(crate) fn slice(self, items: &[SliceItem], mut to: AxesMut<'_>) -> Result<isize, Error> {
        // An axis without an argument would be dropped: if its extent is 0, the result would have elements that the tensor does not have.
        // Safe code can implement `SliceOf` and `SliceArg` with any number of arguments.
        let named = items.iter().filter(|item| !matches!(item, SliceItem::Unit)).count();
        if named != self.rank() {
            return Err(not_one_for_each_axis(named, self.rank()));
        }
        assert_eq!(rank(items), to.rank(), "a slice has an axis for each range and each new axis");
        let (mut axis, mut axis_to, mut offset) = (0, 0, 0);
        for item in items {
            let (extent, stride) = match *item {
                SliceItem::Unit => (1, 0),
                SliceItem::At(index) => {
                    let at = from_end(index, self.shape()[axis]);
                    if at < 0 || at as usize >= self.shape()[axis] {
                        return Err(Error::IndexOutOfBounds {
                            op: "slice",
                            index,
                            axis,
                            shape: self.shape().to_vec(),
                        });
                    }
                    offset += at * self.strides()[axis];
                    axis += 1;
                    continue;
                }
                SliceItem::Span { start, end, inclusive, step } => {
                    let (first, extent) = positions(self.shape()[axis], start, end, inclusive, step)
                        .map_err(|reason| Error::InvalidSlice {
                            range: written(start, end, inclusive, step),
                            axis,
                            shape: self.shape().to_vec(),
                            reason,
                        })?;
                    let stride = self.strides()[axis];
                    if extent > 0 {
                        offset += first * stride;
                    }
                    axis += 1;
                    // If the range has at most one index, its stride is never used. The product is then not computed, because it
                    // could overflow for a huge step.
                    (extent, if extent > 1 { stride * step } else { stride })
                }
            };
            to.set(axis_to, extent, stride);
            axis_to += 1;
        }
        Ok(offset)
    }
}

fn from_end(index: isize, extent: usize) -> isize {
    if index < 0 { index.saturating_add_unsigned(extent) } else { index }
}

/// Returns the first index that a range selects along an axis with this extent, and the number of selected indices.
fn positions(
    extent: usize,
    start: isize,
    end: Option<isize>,
    inclusive: bool,
    step: isize,
) -> Result<(isize, usize), &'static str> {
    if step == 0 {
        return Err("the step must not be 0");
    }
    let n = extent as isize;
    let first = from_end(start, extent);
    let last = match end {
        None => n,
        Some(end) => from_end(end, extent).saturating_add(isize::from(inclusive)),
    };
    if first < 0 || last < 0 {
        return Err("it begins or ends before the first index");
    }
    if first > n || last > n {
        return Err("it extends past the end of the axis");
    }
    if first > last {
        return Err("it ends before it begins; use a negative step to iterate backwards");
    }
    let (length, stride) = ((last - first) as usize, step.unsigned_abs());
    let begin = if step > 0 { first } else { last - 1 };
    Ok((begin, length.div_ceil(stride)))
}

fn written(start: isize, end: Option<isize>, inclusive: bool, step: isize) -> String {
    let start = if start == 0 { String::new() } else { start.to_string() };
    let end = end.map_or(String::new(), |end| format!("{}{end}", if inclusive { "=" } else { "" }));
    let step = if step == 1 { String::new() } else { format!("; {step}") };
    format!("{start}..{end}{step}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_as_rust_ranges_with_steps() {
        assert_eq!(positions(10, 1, Some(8), false, 3), Ok((1, 3)));
        assert_eq!(positions(10, 0, None, false, -1), Ok((9, 10)));
        assert_eq!(positions(10, 2, Some(7), false, -2), Ok((6, 3)));
        assert_eq!(positions(10, -3, None, false, 1), Ok((7, 3)));
        assert_eq!(positions(10, 0, Some(-1), true, 1), Ok((0, 10)));
        assert_eq!(positions(10, 10, None, false, 1), Ok((10, 0)));
        assert_eq!(positions(0, 0, None, false, -1), Ok((-1, 0)));
        assert_eq!(positions(3, 0, None, false, isize::MIN), Ok((2, 1)));
        for (start, end, step) in
            [(0, Some(11), 1), (11, None, 1), (-11, None, 1), (5, Some(4), 1), (0, None, 0)]
        {
            assert!(positions(10, start, end, false, step).is_err(), "{start} {end:?} {step}");
        }
        assert!(positions(3, 0, Some(isize::MAX), true, 1).is_err());
    }
}
