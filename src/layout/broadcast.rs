//! The common shape of operands, by the broadcasting rule of the memory order.

use crate::error::Error;

/// Writes the shape that `left` and `right` broadcast to. `to` has as many axes as the longer of these shapes.
///
/// Row-major order aligns the trailing axes (NumPy's rule); column-major order aligns the leading axes. An axis of extent 1 is repeated.
///
/// # Errors
/// [`Error::ShapeMismatch`] if the shapes do not broadcast.
#[inline]
pub(crate) fn binary_shape(
    op: &'static str,
    left: &[usize],
    right: &[usize],
    row_major: bool,
    to: &mut [usize],
) -> Result<(), Error> {
    if common_shape(left, right, row_major, to) {
        return Ok(());
    }
    Err(do_not_broadcast(op, left, right, row_major))
}

/// Writes the shape that `left` and `right` broadcast to. `to` has as many axes as the longer of these shapes. Returns `false` if the
/// shapes do not broadcast.
#[inline]
pub(crate) fn common_shape(left: &[usize], right: &[usize], row_major: bool, to: &mut [usize]) -> bool {
    if left.len() == to.len() && same(left, right) {
        to.copy_from_slice(left);
        return true;
    }
    to.fill(1);
    for shape in [left, right] {
        let first = if row_major { to.len() - shape.len() } else { 0 };
        for (into, &extent) in to[first..].iter_mut().zip(shape) {
            match (*into, extent) {
                (a, b) if a == b => {}
                (1, b) => *into = b,
                (_, 1) => {}
                _ => return false,
            }
        }
    }
    true
}

#[cold]
fn do_not_broadcast(op: &'static str, left: &[usize], right: &[usize], row_major: bool) -> Error {
    Error::ShapeMismatch { op, left: left.to_vec(), right: right.to_vec(), row_major }
}

/// Returns whether two shapes are equal. Faster than `==`, which calls `memcmp`: for a few axes, the call costs more than the comparison.
#[inline]
pub(crate) fn same(left: &[usize], right: &[usize]) -> bool {
    left.iter().eq(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common<const N: usize>(left: &[usize], right: &[usize], row_major: bool) -> Option<[usize; N]> {
        let mut to = [7; N];
        common_shape(left, right, row_major, &mut to).then_some(to)
    }

    #[test]
    fn both_rules() {
        assert_eq!(common(&[2, 3], &[3], true), Some([2, 3]));
        assert_eq!(common::<2>(&[2, 3], &[3], false), None);
        assert_eq!(common(&[2, 3], &[2], false), Some([2, 3]));
        assert_eq!(common(&[1, 0], &[3, 1], true), Some([3, 0]));
        assert_eq!(common(&[], &[3, 1], false), Some([3, 1]));
    }
}
