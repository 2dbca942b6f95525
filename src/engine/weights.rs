//! Checks the weights of weighted means.

use crate::error::Error;

/// Checks that there is one weight for each index of the axis, and that the sum of the weights is not zero.
pub(crate) fn check_weights(
    shape: &[usize],
    axis: usize,
    count: usize,
    total_is_zero: bool,
) -> Result<(), Error> {
    let error = |reason| Err(Error::Argument { op: "average", reason });
    if count != shape[axis] {
        return error(format!(
            "there are {count} weights for axis {axis} of shape {shape:?}; give one for each of its {} indices",
            shape[axis]
        ));
    }
    if total_is_zero {
        return error(format!("the sum of the {count} weights is zero; give weights whose sum is not zero"));
    }
    Ok(())
}
