//! The extents of a tensor that is reshaped.

use super::element_count;
use crate::error::Error;

/// Writes the extents of the new shape to `to`. One of `extents` can be -1: it is computed from the number of elements. `from` is the shape
/// of the tensor; each of its elements has `size` bytes.
///
/// # Errors
/// If the numbers of elements differ, an extent is negative (except for one -1), or the extent for -1 cannot be computed.
#[inline]
pub(crate) fn new_extents(
    from: &[usize],
    extents: &[isize],
    size: usize,
    to: &mut [usize],
) -> Result<(), Error> {
    debug_assert_eq!(extents.len(), to.len());
    for (to, &extent) in to.iter_mut().zip(extents) {
        *to = extent as usize;
    }
    if extents.iter().any(|&extent| extent < 0) {
        infer(from, extents, to)?;
    }
    match element_count(to, size) {
        Ok(count) if count == from.iter().product::<usize>() => Ok(()),
        // `to` has zero elements, but the strides of a contiguous tensor of this shape would overflow: an error about the numbers of
        // elements would be misleading.
        Err(overflow) if to.contains(&0) => Err(overflow),
        _ => Err(other_count(from, extents, to)),
    }
}

#[cold]
fn other_count(from: &[usize], extents: &[isize], to: &[usize]) -> Error {
    let old: usize = from.iter().product();
    let new = to.iter().try_fold(1usize, |n, &extent| n.checked_mul(extent));
    let new = new.map_or_else(|| format!("more than {}", usize::MAX), |n| n.to_string());
    let reason = format!("they have {old} and {new} elements");
    Error::Reshape { from: from.to_vec(), to: extents.to_vec(), reason }
}

/// Replaces the extent -1 in `to` by the quotient of the number of elements and the product of the other extents.
#[cold]
fn infer(from: &[usize], extents: &[isize], to: &mut [usize]) -> Result<(), Error> {
    let fail = |reason: &str| {
        Err(Error::Reshape { from: from.to_vec(), to: extents.to_vec(), reason: reason.to_owned() })
    };
    if extents.iter().any(|&extent| extent < -1) {
        return fail("the only negative extent is -1, which is computed from the number of elements");
    }
    let mut inferred = extents.iter().enumerate().filter(|(_, extent)| **extent == -1).map(|(axis, _)| axis);
    let (Some(axis), None) = (inferred.next(), inferred.next()) else {
        return fail("only one extent can be -1");
    };
    to[axis] = 1;
    let count: usize = from.iter().product();
    let others = to.iter().try_fold(1usize, |product, &extent| product.checked_mul(extent));
    match others {
        Some(0) => fail("any extent would fit in place of -1, because another extent is 0; write the extent"),
        Some(others) if count.is_multiple_of(others) => {
            to[axis] = count / others;
            Ok(())
        }
        Some(others) => fail(&format!("{count} elements are not a multiple of {others}")),
        None => fail("the product of the other extents exceeds the address space"),
    }
}

#[cfg(test)]
mod tests {
    use super::new_extents;

    fn reshaped<const N: usize>(from: &[usize], extents: [isize; N]) -> Result<[usize; N], String> {
        let mut to = [0; N];
        new_extents(from, &extents, 8, &mut to).map(|()| to).map_err(|error| error.to_string())
    }

    #[test]
    fn minus_one_is_the_quotient() {
        assert_eq!(reshaped(&[2, 3, 4], [-1]), Ok([24]));
        assert_eq!(reshaped(&[2, 3, 4], [4, -1]), Ok([4, 6]));
        assert_eq!(reshaped(&[2, 3, 4], [2, -1, 12]), Ok([2, 1, 12]));
        assert_eq!(reshaped(&[], [-1]), Ok([1]));
        assert_eq!(reshaped(&[0, 3], [-1, 3]), Ok([0, 3]));
        assert_eq!(reshaped(&[2, 3], [6]), Ok([6]));
        assert_eq!(reshaped(&[1], []), Ok([]));
    }

    #[test]
    fn extents_that_do_not_fit_are_errors() {
        let says = |result: Result<[usize; 2], String>, text: &str| {
            let error = result.unwrap_err();
            assert!(error.contains(text), "{error}");
        };
        says(
            reshaped(&[2, 3], [4, -1]),
            "cannot reshape [2, 3] to [4, -1]: 6 elements are not a multiple of 4",
        );
        says(reshaped(&[2, 3], [-1, -1]), "only one extent can be -1");
        says(reshaped(&[2, 3], [-2, -3]), "the only negative extent is -1");
        says(reshaped(&[0, 3], [0, -1]), "another extent is 0");
        says(reshaped(&[2, 3], [5, 2]), "cannot reshape [2, 3] to [5, 2]: they have 6 and 10 elements");
        assert!(
            reshaped(&[2], [isize::MAX, isize::MAX, -1]).unwrap_err().contains("exceeds the address space")
        );
    }
}
