//! Binary search in sorted elements, for insertion indices and for membership tests. Membership in a few elements is tested by comparisons.

use super::erased::{AnyOperand, AnySlice, AnySliceMut, for_sizes, with_elements};
use super::key::Key;
use crate::device::family::sort::SEARCH;
use crate::device::{Cpu, Device, HostPtr, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::simd::kernel;

/// Number of elements of the operand for which results are computed at a time.
const BLOCK: usize = 64;

/// Maximum number of elements that a membership test compares with each element of the operand. Among more elements, a search is faster.
const FEW: usize = 64;

/// What a search returns for each element that is searched for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Find {
    /// The number of sorted elements that are less than the element.
    Less,
    /// The number of sorted elements that are less than the element or equal to it.
    LessOrEqual,
    /// 1 if the sorted vector contains an equal element, otherwise 0. NaN is not equal to NaN.
    Equal,
}

kernel! {
    /// Writes to `points`, for each element of `x`, the number of sorted elements that are less than it or, if `OR_EQUAL`, less or equal.
    ///
    /// All searches take a step before any takes the next one, so the processor does not wait for one comparison before it starts
    /// another. The points move in a loop of their own, because the compiler would make a branch of the comparison otherwise.
    fn partition_points[T: Key, const OR_EQUAL: bool][T, OR_EQUAL](sorted: &[T], x: &[T], points: &mut [i64]) -> () {
        let mut steps = [0; BLOCK];
        assert!(x.len() <= BLOCK && x.len() == points.len());
        points.fill(0);
        let mut len = sorted.len();
        while len > 0 {
            let half = len.div_ceil(2);
            for ((step, &point), &x) in steps.iter_mut().zip(&*points).zip(x) {
                // SAFETY: `point + len` is at most `sorted.len()`: at first, `point` is 0, and a step adds at most `half` to `point` and
                // subtracts `half` from `len`. As `half` is between 1 and `len`, the index is within `sorted`.
                let y = unsafe { *sorted.get_unchecked(point as usize + half - 1) };
                *step = -i64::from(if OR_EQUAL { y <= x } else { y < x });
            }
            for (point, step) in points.iter_mut().zip(&steps) {
                *point += half as i64 & step;
            }
            len -= half;
        }
    }
}

kernel! {
    /// Writes to `found`, for each element of `x`, 1 if an element of `of` is equal to it, otherwise 0. Registers of 64 bytes are not
    /// faster.
    fn equal_to_any[T: Key][T](of: &[T], x: &[T], found: &mut [i64]) -> () {
        found.fill(0);
        for of in of.chunks(4) {
            // Four comparisons for each update of `found`. If fewer elements are left, the last one is compared several times.
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| of[i.min(of.len() - 1)]);
            for (found, &x) in found.iter_mut().zip(x) {
                *found |= i64::from((x == a) | (x == b) | (x == c) | (x == d));
            }
        }
    }
}

/// For each of at most `BLOCK` elements of `a`, searches `sorted`, and writes to `out` the number that `find` selects.
pub(super) fn find<T: Key>(sorted: &[T], a: &[T], find: Find, out: &mut [i64]) {
    if find == Find::Equal && sorted.len() <= FEW {
        return equal_to_any(sorted, a, out);
    }
    match find {
        Find::LessOrEqual => partition_points::<T, true>(sorted, a, out),
        Find::Less | Find::Equal => partition_points::<T, false>(sorted, a, out),
    }
    let found = out.iter_mut().zip(a);
    if find == Find::Equal {
        found.for_each(|(out, x)| *out = i64::from(sorted.get(*out as usize) == Some(x)));
    } else if T::has_nan(a) {
        // Comparisons with NaN are `false`. As NaN comes last, all numbers are less than it, and all elements are less or equal.
        let before = match find {
            Find::Less => sorted.partition_point(|y| !y.is_nan()),
            _ => sorted.len(),
        };
        found.filter(|(_, x)| x.is_nan()).for_each(|(out, _)| *out = before as i64);
    }
}

/// [`find`] for elements of the same type in `sorted` and `a`.
///
/// # Panics
/// If the element types differ.
fn find_each(sorted: AnySlice<'_>, a: AnySlice<'_>, what: Find, out: &mut [i64]) {
    with_elements!(sorted, sorted => find(sorted, a.typed(), what, out));
}

/// Calls `f` with blocks of elements of `a`, to compute a result for each element. Then calls `write` with the results, the offset of the
/// first one in the output, and their stride.
#[inline(never)]
fn in_blocks<T: Element>(
    (to_shape, to_strides): (&[usize], &[isize]),
    a: Operand<'_, T, Cpu>,
    f: &dyn Fn(&[T], &mut [i64]),
    write: &dyn Fn(isize, isize, &[i64]),
) {
    assert_eq!(to_shape, a.shape(), "the operands must have the same shape");
    let plan = Plan::unordered(to_shape, [to_strides, a.strides()]);
    let (from, [step_to, step_from]): (HostPtr<T>, _) = (a.ptr(), plan.inner_strides());
    let (mut block, mut found) = ([T::default(); BLOCK], [0; BLOCK]);
    let mut walk = Odometer::outer(&plan);
    for _ in 0..plan.outer_shape().iter().product() {
        let [o, k] = walk.offsets();
        walk.advance();
        for first in (0..plan.inner_len()).step_by(BLOCK) {
            let len = BLOCK.min(plan.inner_len() - first);
            for (x, i) in block[..len].iter_mut().zip(first as isize..) {
                // SAFETY: `plan` visits only indices within the shape of `a`, and `k + i * step_from` is the offset of such an index in
                // `a`. `Operand` guarantees that the elements of `a` may be read.
                *x = unsafe { *from.offset(k + i * step_from).get() };
            }
            f(&block[..len], &mut found[..len]);
            write(o + first as isize * step_to, step_to, &found[..len]);
        }
    }
}

/// Writes, for each element of `a`, the index in the vector `sorted` at which the element can be inserted, so that the vector stays sorted.
/// If `right`, this is the index after equal elements, otherwise before them.
///
/// # Errors
/// If an allocation fails. In builds with debug assertions, also if `sorted` is not sorted.
pub(in crate::device::cpu::kernels) fn search(
    out: Output<'_, i64, Cpu>,
    sorted: AnyOperand<'_>,
    a: AnyOperand<'_>,
    right: bool,
) -> Result<(), Error> {
    let dtype = a.dtype();
    assert_eq!(sorted.dtype(), dtype);
    let (axes, first) = ((out.shape(), out.strides()), out.ptr());
    let write = |offset: isize, stride: isize, found: &[i64]| {
        for (&found, i) in found.iter().zip(0..) {
            // SAFETY: `in_blocks` calls `write` only with offsets of elements of `out`. `Output` guarantees exclusive access to them.
            unsafe { *first.offset(offset + i * stride).get() = found };
        }
    };
    for_sizes!(dtype, U => {
        let copy;
        let sorted = sorted.bits::<U>();
        let sorted = match sorted.into_slice(true) {
            Some(slice) => slice,
            None => {
                copy = Cpu.gather(sorted)?;
                &copy
            }
        };
        let sorted = AnySlice::from_bits(dtype, sorted);
        check_sorted(sorted)?;
        let find = if right { Find::LessOrEqual } else { Find::Less };
        let f = |x: &[U], out: &mut [i64]| find_each(sorted, AnySlice::from_bits(dtype, x), find, out);
        in_blocks(axes, a.bits::<U>(), &f, &write);
        Ok(())
    })
}

/// Checks, in builds with debug assertions, that the elements are sorted.
fn check_sorted(x: AnySlice<'_>) -> Result<(), Error> {
    if cfg!(debug_assertions)
        && let Some(i) = (1..x.len()).find(|&i| x.key(i - 1, false) > x.key(i, false))
    {
        let [previous, element] = [i - 1, i].map(|i| x.text(i));
        let reason = format!(
            "the tensor to search is not sorted: element {i} is {element}, after {previous}; sort it first"
        );
        return Err(Error::Argument { op: SEARCH, reason });
    }
    Ok(())
}

/// Writes whether each element of `a` is equal to an element of `of`. NaN is not equal to NaN.
pub(in crate::device::cpu::kernels) fn contains(
    out: Output<'_, bool, Cpu>,
    a: AnyOperand<'_>,
    of: AnyOperand<'_>,
) -> Result<(), Error> {
    let dtype = a.dtype();
    assert_eq!(of.dtype(), dtype);
    let (axes, first) = ((out.shape(), out.strides()), out.ptr());
    let write = |offset: isize, stride: isize, found: &[i64]| {
        for (&found, i) in found.iter().zip(0..) {
            // SAFETY: `in_blocks` calls `write` only with offsets of elements of `out`. `Output` guarantees exclusive access to them.
            unsafe { *first.offset(offset + i * stride).get() = found == 1 };
        }
    };
    for_sizes!(dtype, U => {
        let mut sorted = Cpu.gather(of.bits::<U>())?;
        let mut sorted = AnySliceMut::from_bits(dtype, &mut sorted);
        sorted.sort_alone()?;
        let sorted = sorted.as_slice();
        let f = |x: &[U], out: &mut [i64]| find_each(sorted, AnySlice::from_bits(dtype, x), Find::Equal, out);
        in_blocks(axes, a.bits::<U>(), &f, &write);
        Ok(())
    })
}
