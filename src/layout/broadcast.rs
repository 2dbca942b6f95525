//! The common shape of operands, by the order's rule.

use crate::error::Error;
use crate::rank::Dim;

/// The shape that all of `shapes` broadcast to, as rank `D`; `None` where there is none.
///
/// Row-major aligns trailing axes (NumPy's rule), column-major leading ones; an axis of length 1 repeats.
pub(crate) fn common_shape<D: Dim>(shapes: &[&[usize]], row_major: bool) -> Option<D::Shape> {
    let mut common = D::Shape::default();
    let out = common.as_mut();
    out.fill(1);
    for shape in shapes {
        let first = if row_major { out.len() - shape.len() } else { 0 };
        for (into, &extent) in out[first..].iter_mut().zip(shape.iter()) {
            match (*into, extent) {
                (a, b) if a == b => {}
                (1, b) => *into = b,
                (_, 1) => {}
                _ => return None,
            }
        }
    }
    Some(common)
}

/// Whether two shapes are equal. Not `==`, which calls a function for these few numbers.
#[inline]
pub(crate) fn same(left: &[usize], right: &[usize]) -> bool {
    left.iter().eq(right)
}

/// [`common_shape`] of two, or the error that names both.
#[inline]
pub(crate) fn binary_shape<D: Dim>(
    op: &'static str,
    left: &[usize],
    right: &[usize],
    row_major: bool,
) -> Result<D::Shape, Error> {
    if left.len() == D::NDIM && same(left, right) {
        let mut shape = D::Shape::default();
        shape.as_mut().copy_from_slice(left);
        return Ok(shape);
    }
    common_shape::<D>(&[left, right], row_major).ok_or_else(|| Error::Shapes {
        op,
        left: left.to_vec(),
        right: right.to_vec(),
        row_major,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::Rank;

    #[test]
    fn both_rules() {
        assert_eq!(common_shape::<Rank<2>>(&[&[2, 3], &[3]], true), Some([2, 3]));
        assert_eq!(common_shape::<Rank<2>>(&[&[2, 3], &[3]], false), None);
        assert_eq!(common_shape::<Rank<2>>(&[&[2, 3], &[2]], false), Some([2, 3]));
        assert_eq!(common_shape::<Rank<2>>(&[&[1, 0], &[3, 1], &[]], true), Some([3, 0]));
    }
}
