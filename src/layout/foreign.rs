//! Validates shapes and strides from callers and foreign libraries: bounds, overflow, and overlap for mutable views. All other
//! code assumes a valid layout.

use super::{contiguous_strides, element_count};
use crate::error::Error;

/// The operation's name in messages.
const OP: &str = "make a view";

fn rejected(shape: &[usize], strides: &[isize], reason: String) -> Error {
    Error::InvalidStrides { op: OP, shape: shape.to_vec(), strides: strides.to_vec(), reason }
}

/// Returns the lowest and the highest offset over all indices, in elements relative to the element at index 0. Returns `None` if there
/// are zero elements.
///
/// # Errors
/// If the number of strides is not the number of axes, which the types ensure for all ranks but `AnyRank`; if the number of bytes of all
/// elements exceeds `isize::MAX`, or if the number of bytes from the lowest to the highest element does.
pub(crate) fn reach(
    shape: &[usize],
    strides: &[isize],
    element_bytes: usize,
) -> Result<Option<(isize, isize)>, Error> {
    let too_far =
        || rejected(shape, strides, "the distance between elements exceeds the address space".into());
    if shape.len() != strides.len() {
        let reason = format!("the shape has {} axes, but there are {} strides", shape.len(), strides.len());
        return Err(rejected(shape, strides, reason));
    }
    if element_count(shape, element_bytes)? == 0 {
        return Ok(None);
    }
    let (mut least, mut greatest) = (0isize, 0isize);
    for (&n, &stride) in shape.iter().zip(strides) {
        // `n as isize` is exact: `element_count` checked that the number of elements fits in `isize`, and no extent is 0.
        let last = (n as isize - 1).checked_mul(stride).ok_or_else(too_far)?;
        let end = if last < 0 { &mut least } else { &mut greatest };
        *end = end.checked_add(last).ok_or_else(too_far)?;
    }
    let span = greatest.checked_sub(least).and_then(|span| span.checked_add(1)).ok_or_else(too_far)?;
    span.checked_mul(element_bytes as isize).ok_or_else(too_far)?;
    Ok(Some((least, greatest)))
}

/// Checks that every index addresses one of `len` elements if index 0 is at `offset`.
pub(crate) fn check_bounds(
    shape: &[usize],
    strides: &[isize],
    offset: usize,
    len: usize,
    element_bytes: usize,
) -> Result<(), Error> {
    let Some((least, greatest)) = reach(shape, strides, element_bytes)? else {
        if offset > len {
            let reason = format!("offset {offset} is past the end of {len} values");
            return Err(rejected(shape, strides, reason));
        }
        return Ok(());
    };
    // Cannot overflow: each is the sum of two numbers of at most 64 bits.
    let (from, to) = (offset as i128 + least as i128, offset as i128 + greatest as i128);
    if from < 0 || to >= len as i128 {
        let reason = format!(
            "from offset {offset}, it addresses the values {from} to {to}, but there are {len} values, from 0"
        );
        return Err(rejected(shape, strides, reason));
    }
    Ok(())
}

/// Checks that different indices address different elements, as mutable views require.
///
/// The condition is that the magnitude of each axis's stride is at least the number of elements that the axes with smaller strides span.
/// The condition is sufficient. It is not necessary: a few layouts with interleaved axes are rejected although they do not overlap. All
/// views that are derived from a contiguous tensor without broadcasting meet the condition.
pub(crate) fn check_no_overlap(shape: &[usize], strides: &[isize]) -> Result<(), Error> {
    if shape.contains(&0) {
        return Ok(());
    }
    let step = |axis: usize| strides[axis].unsigned_abs();
    let longer_than_one = || (0..shape.len()).filter(|&axis| shape[axis] > 1);
    // Returns the number of elements that the axes with smaller strides span, minus 1. If two axes have equal strides, the stride of the
    // first of them counts as the smaller one. Callers have checked that the sum fits in `isize`; if it saturated, the strides would be
    // rejected.
    let spanned = |axis: usize| {
        let smaller = longer_than_one().filter(|&other| (step(other), other) < (step(axis), axis));
        smaller.fold(0usize, |all, other| all.saturating_add(step(other).saturating_mul(shape[other] - 1)))
    };
    let overlapping = longer_than_one().filter(|&axis| step(axis) <= spanned(axis));
    match overlapping.min_by_key(|&axis| (step(axis), axis)) {
        Some(axis) => Err(overlaps(shape, strides, axis, spanned(axis))),
        None => Ok(()),
    }
}

/// Returns the error for an axis whose stride is too small: less than `spanned + 1`, the number of elements that the axes with smaller
/// strides span.
#[cold]
fn overlaps(shape: &[usize], strides: &[isize], axis: usize, spanned: usize) -> Error {
    let reason = match strides[axis].unsigned_abs() {
        0 => format!(
            "a mutable view must not overlap itself: axis {axis} has stride 0 and extent {}",
            shape[axis]
        ),
        step => format!(
            "a mutable view must not overlap itself: axis {axis} has stride {step}, but the axes with smaller strides span {} \
             elements",
            spanned + 1
        ),
    };
    rejected(shape, strides, reason)
}

/// Replaces strides that do not matter, so that arithmetic on them cannot overflow. Axes of extent 1 get stride 0. If there are zero
/// elements, all strides become those of a contiguous tensor.
pub(crate) fn canonicalize_strides(shape: &[usize], strides: &mut [isize], row_major: bool) {
    if shape.contains(&0) {
        return contiguous_strides(shape, strides, row_major);
    }
    for (stride, &n) in strides.iter_mut().zip(shape) {
        if n == 1 {
            *stride = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Enumerates the offsets of the elements at all indices.
    fn offsets(shape: &[usize], strides: &[isize]) -> Vec<isize> {
        let mut all = vec![0];
        for (&n, &stride) in shape.iter().zip(strides) {
            all = all.iter().flat_map(|&at| (0..n as isize).map(move |i| at + i * stride)).collect();
        }
        all
    }

    #[test]
    fn reach_and_overlap_are_those_of_all_indices() {
        for shape in [[1usize, 1, 1], [2, 3, 4], [3, 1, 2], [4, 4, 1], [2, 2, 2]] {
            for code in 0..11isize.pow(3) {
                let strides = [code % 11 - 5, code / 11 % 11 - 5, code / 121 - 5];
                let all = offsets(&shape, &strides);
                let (least, greatest) = (*all.iter().min().unwrap(), *all.iter().max().unwrap());
                assert_eq!(reach(&shape, &strides, 8).unwrap(), Some((least, greatest)));
                for (offset, len) in [(0, 20), (7, 20), (19, 20), (20, 20), (40, 60)] {
                    let inside = all.iter().all(|&at| (0..len).contains(&(at + offset)));
                    let found = check_bounds(&shape, &strides, offset as usize, len as usize, 8);
                    assert_eq!(found.is_ok(), inside, "{shape:?} {strides:?} {offset}");
                }
                let different = all.iter().collect::<HashSet<_>>().len() == all.len();
                // Views that overlap are never accepted. (Views that do not overlap are rejected only if their axes interleave.)
                if check_no_overlap(&shape, &strides).is_ok() {
                    assert!(different, "{shape:?} {strides:?}");
                }
            }
        }
    }

    #[test]
    fn views_of_contiguous_tensors_do_not_overlap() {
        for strides in [[12, 4, 1], [1, 12, 4], [-12, 4, -1], [12, 8, 3]] {
            let shape = [if strides[0] == 1 { 4 } else { 2 }, 2, 2];
            check_no_overlap(&shape, &strides).unwrap();
        }
        // A diagonal.
        check_no_overlap(&[4, 3], &[3, 13]).unwrap();
        check_no_overlap(&[2, 1, 3], &[3, 0, 1]).unwrap();
        check_no_overlap(&[2, 0], &[0, 0]).unwrap();
        assert!(check_no_overlap(&[2, 3], &[1, 1]).is_err());
        assert!(check_no_overlap(&[2], &[0]).is_err());
    }

    #[test]
    fn overflow_is_found() {
        let max = isize::MAX;
        for (shape, strides) in [
            (&[3usize][..], &[max][..]),
            (&[2, 2], &[max, max]),
            (&[2, 2], &[max, -max]),
            (&[2], &[max / 8 + 1]),
            (&[2], &[isize::MIN]),
        ] {
            assert!(
                matches!(reach(shape, strides, 8), Err(Error::InvalidStrides { .. })),
                "{shape:?} {strides:?}"
            );
        }
        assert_eq!(reach(&[1, 2], &[isize::MIN, 1], 8).unwrap(), Some((0, 1)));
        assert_eq!(reach(&[0, 2], &[max, max], 8).unwrap(), None);
        assert!(matches!(reach(&[1 << (usize::BITS - 2), 2], &[0, 0], 8), Err(Error::Overflow { .. })));
        assert!(check_bounds(&[2], &[-1], usize::MAX, 1, 8).is_err());
        assert!(check_bounds(&[0], &[1], 3, 2, 8).is_err());
        check_bounds(&[0], &[1], 2, 2, 8).unwrap();
    }

    #[test]
    fn each_axis_has_one_stride() {
        for (shape, strides) in
            [(&[2usize, 3][..], &[1isize][..]), (&[0, 3], &[1]), (&[], &[1]), (&[4], &[2, 1])]
        {
            assert!(matches!(reach(shape, strides, 8), Err(Error::InvalidStrides { .. })));
            assert!(check_bounds(shape, strides, 0, 100, 8).is_err());
        }
    }

    #[test]
    fn strides_that_do_not_matter_are_small() {
        let mut strides = [isize::MIN, 5];
        canonicalize_strides(&[1, 2], &mut strides, true);
        assert_eq!(strides, [0, 5]);
        let mut strides = [isize::MAX, isize::MAX];
        canonicalize_strides(&[3, 0], &mut strides, true);
        assert_eq!(strides, [1, 1]);
    }
}
