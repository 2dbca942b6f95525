//! Sorts and partitions a slice of floating-point numbers, and removes its repeated elements. NaN is last, in ascending and in descending
//! order.
//!
//! The methods of [`Numbers`] compare by `<`, and can change the signs of zeros. So this module first moves NaN to the end. If a zero
//! is negative, it saves the zeros in their order, and writes them back afterwards. All other elements that are equal have the same
//! bits, so the result is that of a stable sort.

use super::numbers::Numbers;
use super::parallel::{PARALLEL_PARTITION_LEN, in_parallel};
use crate::device::via_host::zeros;
use crate::element::Element;
use crate::error::Error;
use crate::simd::kernel;

/// `f32` or `f64`.
pub(super) trait Float: Element + Numbers {
    /// Returns whether the number is −0.0.
    fn is_negative_zero(self) -> bool;
    /// Returns whether the element is NaN.
    #[inline(always)]
    fn is_nan(self) -> bool {
        #[allow(clippy::eq_op, reason = "NaN is the only element that differs from itself")]
        {
            self != self
        }
    }
}

impl Float for f32 {
    #[inline(always)]
    fn is_negative_zero(self) -> bool {
        self.to_bits() == (-0.0_f32).to_bits()
    }
}

impl Float for f64 {
    #[inline(always)]
    fn is_negative_zero(self) -> bool {
        self.to_bits() == (-0.0_f64).to_bits()
    }
}

kernel! {
    /// Returns whether any element is NaN, and whether any is −0.0.
    wide fn specials_of[T: Float][T](x: &[T]) -> (bool, bool) {
        let (mut nan, mut negative) = (false, false);
        for &x in x {
            nan |= x.is_nan();
            negative |= x.is_negative_zero();
        }
        (nan, negative)
    }
}

/// Returns whether any element is NaN, and whether any is −0.0.
pub(super) fn specials<T: Float>(x: &[T]) -> (bool, bool) {
    in_parallel(
        x,
        // For fewer elements, the next step runs on one thread, which would then read half of them from the cache of another core.
        PARALLEL_PARTITION_LEN,
        &|x| specials_of(x),
        &|(nan, negative), (other_nan, other_negative)| (nan | other_nan, negative | other_negative),
    )
}

/// Moves all NaNs to the end, and keeps their order. Returns the number of other elements. If any zero is negative, also returns all zeros
/// in their order, otherwise an empty vector.
fn set_aside<T: Float>(x: &mut [T]) -> Result<(usize, Vec<T>), Error> {
    let (nan, negative) = specials(x);
    let is_zero = |x: &T| *x == T::default();
    let mut noted = Vec::new();
    if negative {
        noted = zeros(x.iter().filter(|x| is_zero(x)).count())?;
        noted.iter_mut().zip(x.iter().filter(|x| is_zero(x))).for_each(|(to, &x)| *to = x);
    }
    let mut n = x.len();
    if nan {
        let mut aside: Vec<T> = zeros(x.iter().filter(|x| x.is_nan()).count())?;
        let (mut to, mut found) = (0, 0);
        for i in 0..x.len() {
            if x[i].is_nan() {
                aside[found] = x[i];
                found += 1;
            } else {
                x[to] = x[i];
                to += 1;
            }
        }
        x[to..].copy_from_slice(&aside);
        n = to;
    }
    Ok((n, noted))
}

/// Sorts a line. The result is that of a stable sort, with NaN last.
///
/// # Errors
/// If an allocation fails.
pub(super) fn sort<T: Float>(x: &mut [T], descending: bool) -> Result<(), Error> {
    let (n, noted) = set_aside(x)?;
    let x = &mut x[..n];
    T::sort_numbers(x);
    if descending {
        x.reverse();
    }
    if !noted.is_empty() {
        let zero = T::default();
        let at = x.partition_point(|&x| if descending { x > zero } else { x < zero });
        x[at..at + noted.len()].copy_from_slice(&noted);
    }
    Ok(())
}

/// Moves the element that sorting would put at index `k` to this index. NaN counts as greater than all other elements.
///
/// # Errors
/// If an allocation fails.
pub(super) fn partition<T: Float>(x: &mut [T], k: usize) -> Result<(), Error> {
    let (n, noted) = set_aside(x)?;
    let x = &mut x[..n];
    if k < n {
        T::select_number(x, k);
        // In this order, the elements are not searched for zeros if none is noted.
        noted.iter().zip(x.iter_mut().filter(|x| **x == T::default())).for_each(|(&zero, to)| *to = zero);
    }
    Ok(())
}

/// Moves the first element of each run of equal elements of a sorted line to the front, and returns the number of runs. All NaN count as
/// equal.
pub(super) fn remove_repeated<T: Float>(x: &mut [T]) -> usize {
    let (numbers, nan) = x.split_at_mut(x.partition_point(|x| !x.is_nan()));
    // Numbers may be compared by their bits, which differ between 0 and -0. So all zeros become copies of the first one.
    let zero = T::default();
    let zeros = numbers.partition_point(|&x| x < zero)..numbers.partition_point(|&x| x <= zero);
    if let Some(&first) = numbers[zeros.clone()].first() {
        numbers[zeros].fill(first);
    }
    let first_nan = nan.first().copied();
    let found = T::remove_repeated_numbers(numbers);
    match first_nan {
        Some(nan) => {
            x[found] = nan;
            found + 1
        }
        None => found,
    }
}
