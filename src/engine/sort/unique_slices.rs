//! The distinct slices along an axis, compared lexicographically. They are compared on the host.

use crate::device::{Device, Operand, via_host};
use crate::element::Ordered;
use crate::engine::select::Along;
use crate::error::Error;
use crate::layout::Layout;
use core::cmp::Ordering;

/// Describes the operation that finds the distinct slices along `axis`, and copies them to the result.
pub(crate) fn taking(op: &'static str, axis: usize, row_major: bool) -> Along {
    Along { op, axis, row_major, unsigned: false }
}

/// Finds the distinct slices of `x` along an axis, in ascending order. Returns three vectors: for each distinct slice, the index of its
/// first occurrence; for each slice, the index of the distinct slice that is equal to it; for each distinct slice, the number of its
/// occurrences.
///
/// # Errors
/// If the axis is out of range, an allocation fails, or the device reports an error.
pub(crate) fn unique_slices<T: Ordered, Dev: Device>(
    device: &Dev,
    x: Operand<'_, T, Dev>,
    along: Along,
) -> Result<[Dev::Buffer<i64>; 3], Error> {
    along.check(x.shape())?;
    let (axes, rank) = (x.axes(), x.shape().len());
    let mut layout = Layout::point(0);
    layout.push(axes.shape()[along.axis], axes.strides()[along.axis]);
    let in_memory_order = |k: usize| if along.row_major { k } else { rank - 1 - k };
    for k in (0..rank).map(in_memory_order).filter(|&k| k != along.axis) {
        layout.push(axes.shape()[k], axes.strides()[k]);
    }
    let n = axes.shape()[along.axis];
    let [first, inverse, counts] = groups(&via_host::read(device, x.in_layout(&layout))?, n)?;
    Ok([device.adopt(first)?, device.adopt(inverse)?, device.adopt(counts)?])
}

/// Compares elements. All NaN count as equal, and as greater than all numbers.
fn compare<T: Ordered>(a: &T, b: &T) -> Ordering {
    let is_nan = |x: &T| x.partial_cmp(x).is_none();
    a.partial_cmp(b).unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
}

/// Groups equal slices among the `n` slices in `x`, which are contiguous and of equal length. Returns the vectors of [`unique_slices`].
fn groups<T: Ordered>(x: &[T], n: usize) -> Result<[Vec<i64>; 3], Error> {
    let len = x.len().checked_div(n).unwrap_or(0);
    let slice = |k: i64| &x[k as usize * len..][..len];
    let order = |a: i64, b: i64| {
        let different = slice(a).iter().zip(slice(b)).map(|(a, b)| compare(a, b)).find(|order| order.is_ne());
        different.unwrap_or(Ordering::Equal)
    };
    groups_by(n, &order)
}

/// Implements [`groups`]. Not generic, so that it is compiled once for all element types.
fn groups_by(n: usize, order: &dyn Fn(i64, i64) -> Ordering) -> Result<[Vec<i64>; 3], Error> {
    let mut sorted = via_host::zeros::<i64>(n)?;
    sorted.iter_mut().zip(0..).for_each(|(to, k)| *to = k);
    // Equal slices are in the order of their indices, so the first one of a group is its first occurrence. A stable sort would allocate
    // memory.
    sorted.sort_unstable_by(|&a, &b| order(a, b).then(a.cmp(&b)));
    let count = sorted.chunk_by(|&a, &b| order(a, b).is_eq()).count();
    let (mut first, mut counts) = (via_host::zeros::<i64>(count)?, via_host::zeros::<i64>(count)?);
    let mut inverse = via_host::zeros::<i64>(n)?;
    for (k, group) in sorted.chunk_by(|&a, &b| order(a, b).is_eq()).enumerate() {
        (first[k], counts[k]) = (group[0], group.len() as i64);
        group.iter().for_each(|&index| inverse[index as usize] = k as i64);
    }
    Ok([first, inverse, counts])
}
