//! Linear interpolation between points, computed on the host.

use crate::element::RealFloat;
use crate::error::Error;

pub(crate) const INTERPOLATE: &str = "interpolate";

/// Replaces each element `x` of `values` by `f(x)`, where `f` is the piecewise linear function through the points `(xp[k], fp[k])`.
///
/// # Errors
/// If `xp` and `fp` differ in length or are empty, or `xp` does not increase strictly or contains NaN.
pub(crate) fn interpolate<T: RealFloat>(values: &mut [T], xp: &[T], fp: &[T]) -> Result<(), Error> {
    let error = |reason| Err(Error::Argument { op: INTERPOLATE, reason });
    if xp.len() != fp.len() {
        return error(format!(
            "there are {} positions and {} values; each point has both",
            xp.len(),
            fp.len()
        ));
    }
    let (Some(&first), Some(&last)) = (fp.first(), fp.last()) else {
        return error("there are no points; give at least one position and value".to_owned());
    };
    // A comparison with NaN is false, so this rejects NaN too, except as the position of a single point.
    if let Some(k) = xp.windows(2).position(|pair| !matches!(pair, [a, b] if a < b)) {
        return error(format!(
            "positions must increase strictly, but those with indices {k} and {} are {} and {}; sort the points first",
            k + 1,
            xp[k],
            xp[k + 1]
        ));
    }
    if xp[0].is_nan() {
        return error("a position is NaN; leave the point out".to_owned());
    }
    for x in values {
        // The number of positions that are not greater than `x`.
        let k = xp.partition_point(|p| *p <= *x);
        *x = match k {
            _ if x.is_nan() => *x,
            0 => first,
            k if k == xp.len() => last,
            k => between(*x, [xp[k - 1], xp[k]], [fp[k - 1], fp[k]]),
        };
    }
    Ok(())
}

/// Returns the value at `x` of the line through two points. `x` is at least `x0` and less than `x1`.
fn between<T: RealFloat>(x: T, [x0, x1]: [T; 2], [f0, f1]: [T; 2]) -> T {
    if x == x0 {
        return f0;
    }
    let slope = (f1 - f0) / (x1 - x0);
    let from_left = slope * (x - x0) + f0;
    if !from_left.is_nan() {
        return from_left;
    }
    // With infinite positions or values, the formula can give NaN from the left point and a number from the right one.
    let from_right = slope * (x - x1) + f1;
    if from_right.is_nan() && f0 == f1 { f0 } else { from_right }
}
