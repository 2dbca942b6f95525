//! Naive reference implementations of operations that join, cut, repeat and rearrange tensors. The bad-input tables of typed and of
//! dynamic tensors use them.

use super::array::{Array, Outcome, Rejection, allocated, check_axes, permute, reject};

/// Concatenates the shapes and the elements of several results.
pub(crate) fn all(parts: Vec<Array>) -> Array {
    parts.into_iter().reduce(|all, part| all.and(&part)).unwrap_or_else(|| Array::line(vec![]))
}

/// Returns an array of the given shape. Its element at `index` is the element of `x` at `from(index)`, or `fill` if `from(index)` is
/// `None`.
pub(crate) fn picked(
    x: &Array,
    shape: Vec<usize>,
    fill: f64,
    from: impl Fn(&[usize]) -> Option<Vec<usize>>,
) -> Outcome {
    allocated(&shape, 8)?;
    Ok(Array::from_fn(&shape, |index| from(index).map_or(fill, |at| x.at(&at))))
}

/// Returns the shape of `x` with the extent of one axis replaced by `extent`.
pub(crate) fn resized(x: &Array, axis: usize, extent: usize) -> Vec<usize> {
    let mut shape = x.shape.clone();
    shape[axis] = extent;
    shape
}

/// Variant of [`picked`] for results in which only the index along one axis differs from that in `x`. `from` maps an index along the
/// axis of the result to an index in `x`.
pub(crate) fn along(x: &Array, axis: usize, extent: usize, from: impl Fn(usize) -> usize) -> Outcome {
    picked(x, resized(x, axis, extent), 0.0, |index| {
        let mut at = index.to_vec();
        at[axis] = from(at[axis]);
        Some(at)
    })
}

pub(crate) fn range(x: &Array, axis: usize, from: usize, to: usize) -> Array {
    along(x, axis, to - from, |k| from + k).expect("the part is not larger than the operand")
}

pub(crate) fn chunked(x: &Array, axis: usize, len: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    let n = x.shape[axis];
    Ok(all((0..n).step_by(len).map(|k| range(x, axis, k, n.min(k + len))).collect()))
}

pub(crate) fn rolled(x: &Array, axis: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    let n = x.shape[axis];
    along(x, axis, n, |k| (k + n - 1) % n)
}

/// The number of tiles along an axis. If every axis had two, a tensor of rank 16 would be copied 65536 times.
pub(crate) fn tiles(axis: usize) -> usize {
    if axis < 2 || axis.is_multiple_of(5) { 2 } else { 1 }
}

pub(crate) fn tiled(x: &Array) -> Outcome {
    let shape: Vec<_> = x.shape.iter().enumerate().map(|(axis, n)| n.saturating_mul(tiles(axis))).collect();
    picked(x, shape, 0.0, |index| Some(index.iter().zip(&x.shape).map(|(&k, &n)| k % n).collect()))
}

pub(crate) fn repeated(x: &Array, axis: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    along(x, axis, x.shape[axis].saturating_mul(2), |k| k / 2)
}

pub(crate) fn padded(x: &Array) -> Outcome {
    let shape: Vec<_> = x.shape.iter().map(|n| n.saturating_add(1)).collect();
    picked(x, shape, 7.0, |index| {
        index.iter().all(|&k| k > 0).then(|| index.iter().map(|&k| k - 1).collect())
    })
}

pub(crate) fn triangle(x: &Array, keeps: impl Fn(usize, usize) -> bool) -> Outcome {
    let rank = x.shape.len();
    if rank < 2 {
        return Err(Rejection::Untried);
    }
    picked(x, x.shape.clone(), 0.0, |index| keeps(index[rank - 2], index[rank - 1]).then(|| index.to_vec()))
}

pub(crate) fn concatenated(x: &Array, axis: usize) -> Outcome {
    let rank = x.shape.len();
    check_axes(rank, &[axis])?;
    let n = x.shape[axis];
    along(x, axis, n.saturating_mul(2), |k| k % n)
}

pub(crate) fn stacked(x: &Array, axis: usize) -> Outcome {
    let mut shape = x.shape.clone();
    if axis > shape.len() {
        return reject("AxisOutOfRange");
    }
    shape.insert(axis, 2);
    picked(x, shape, 0.0, |index| {
        let mut at = index.to_vec();
        at.remove(axis);
        Some(at)
    })
}

pub(crate) fn flipped(x: &Array, axis: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    let extent = x.shape[axis];
    along(x, axis, extent, |k| extent - 1 - k)
}

/// Rotates by one quarter turn in the plane of axes `a` and `b`.
pub(crate) fn rotated(x: &Array, a: usize, b: usize) -> Outcome {
    if a.max(b) >= x.shape.len() {
        return reject("AxisPair");
    }
    if a == b {
        return reject("RepeatedAxis");
    }
    let mut shape = x.shape.clone();
    shape.swap(a, b);
    picked(x, shape, 0.0, |index| {
        let mut at = index.to_vec();
        (at[a], at[b]) = (index[b], x.shape[b] - 1 - index[a]);
        Some(at)
    })
}

/// Returns all windows of two elements along an axis.
pub(crate) fn windows(x: &Array, axis: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    let extent = x.shape[axis];
    if extent < 2 {
        return reject("Argument");
    }
    let mut shape = resized(x, axis, extent - 1);
    shape.push(2);
    picked(x, shape, 0.0, |index| {
        let (&k, at) = index.split_last().expect("it has the axis of the windows");
        let mut at = at.to_vec();
        at[axis] += k;
        Some(at)
    })
}

/// Splits into two equal parts.
pub(crate) fn halves(x: &Array, axis: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    let extent = x.shape[axis];
    if extent % 2 == 1 {
        return reject("Argument");
    }
    Ok(range(x, axis, 0, extent / 2).and(&range(x, axis, extent / 2, extent)))
}

/// Splits after the first index of an axis.
pub(crate) fn split_at_one(x: &Array, axis: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    let extent = x.shape[axis];
    if extent < 1 {
        return reject("Argument");
    }
    Ok(range(x, axis, 0, 1).and(&range(x, axis, 1, extent)))
}

pub(crate) fn differences(x: &Array, axis: usize) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    let shape = resized(x, axis, x.shape[axis].saturating_sub(1));
    allocated(&shape, 8)?;
    Ok(Array::from_fn(&shape, |index| {
        let mut next = index.to_vec();
        next[axis] += 1;
        x.at(&next) - x.at(index)
    }))
}

/// Returns what `lanes` must yield: the elements of each lane along `axis`. The lanes are in row-major order of the other axes.
pub(crate) fn lanes(x: &Array, axis: usize) -> Outcome {
    let rank = x.shape.len();
    if axis >= rank {
        return reject("AxisOutOfRange");
    }
    let count = (0..rank).filter(|&k| k != axis).fold(1u128, |n, k| n.saturating_mul(x.shape[k] as u128));
    if count > 1 << 24 || x.len() > 1 << 24 {
        return Err(Rejection::Untried);
    }
    let last: Vec<usize> = (0..rank).filter(|&k| k != axis).chain([axis]).collect();
    Ok(Array::line(permute(x, &last)?.data))
}
