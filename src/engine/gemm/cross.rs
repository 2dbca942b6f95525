//! Computes the shape of a cross product, and which axis of each operand contains the vectors.

use crate::error::Error;
use crate::layout::broadcast::binary_shape;
use crate::rank::as_given;

pub(crate) const CROSS: &str = "cross";

/// `FACTORS[k]` is `[i, j]` for component `k` of a cross product, `a[i] · b[j] − a[j] · b[i]`.
pub(crate) const FACTORS: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

/// Sets `common` to the shape to which the operands broadcast. `axis` is the axis of the vectors in this shape. Returns the axes of the
/// vectors in `a` and in `b`.
///
/// # Errors
/// If the shapes do not broadcast, the axis is out of range, or an operand does not have extent 3 along it.
pub(crate) fn arrange(
    axis: usize,
    a: &[usize],
    b: &[usize],
    row_major: bool,
    common: &mut [usize],
) -> Result<[usize; 2], Error> {
    binary_shape(CROSS, a, b, row_major, common)?;
    if axis >= common.len() {
        return Err(Error::AxisOutOfRange { op: CROSS, axis: as_given(axis), shape: common.to_vec() });
    }
    let of = |shape: &[usize]| {
        let own = if row_major { (axis + shape.len()).checked_sub(common.len()) } else { Some(axis) };
        own.filter(|&own| shape.get(own) == Some(&3))
    };
    match (of(a), of(b)) {
        (Some(a), Some(b)) => Ok([a, b]),
        _ => Err(Error::Argument {
            op: CROSS,
            reason: format!(
                "shapes {a:?} and {b:?} along axis {axis} of their common shape {common:?}: \
                 both must have 3 elements along this axis; name the axis of the vectors"
            ),
        }),
    }
}
