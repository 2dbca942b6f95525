//! Fixes the signs and phases of singular vectors and eigenvectors, which the decompositions do not determine.
//!
//! In each vector, the first element whose magnitude is at least 0.99 times the largest magnitude is made real and positive. If
//! the largest element were used instead, rounding errors would decide between elements of the same magnitude, as in vectors of
//! symmetric problems.

use super::Field;
use super::workspace::column;
use crate::element::{Inexact, Scalar};
use crate::simd::kernel;
use faer::MatMut;
use num_traits::{Float, Zero};

/// The phase of a vector is fixed at the first element whose squared magnitude is at least this fraction of the largest squared
/// magnitude. The fraction is a little less than 0.99².
const FRACTION: f64 = 0.98;

/// Fixes the phase of a column, and returns the factor by which it was multiplied, of absolute value 1.
pub(super) fn fix<T: Field>(a: MatMut<'_, T>, j: usize) -> T {
    fix_slice(column(a, j))
}

/// Fixes the phase of a vector, and returns the factor by which it was multiplied, of absolute value 1.
pub(super) fn fix_slice<T: Field>(elements: &mut [T]) -> T {
    let zero = T::zero_impl();
    // SAFETY: the pointer and the length are those of the slice `elements`, so the elements may be read.
    let largest = unsafe { largest::<T>(elements.as_ptr(), elements.len()) };
    let enough = largest * <T::Magnitude as Scalar>::from_f64(FRACTION);
    let Some(at) = elements.iter().position(|x| *x != zero && T::abs2_impl(x) >= enough) else {
        return T::one_impl();
    };
    let first = elements[at];
    if !T::COMPLEX {
        // The phase of a real number is its sign: no division is needed.
        let by =
            if T::real_part_impl(&first) < T::Magnitude::zero() { -T::one_impl() } else { T::one_impl() };
        turn_slice(elements, by);
        return by;
    }
    let square = T::abs2_impl(&first);
    // The square of an element of a unit vector does not underflow, and a square root takes less time than the scaled magnitude.
    let size =
        if square > <T::Magnitude as Float>::epsilon() { Float::sqrt(square) } else { T::abs_impl(&first) };
    let by = Inexact::unscale(Scalar::conj(first), size);
    turn_slice(elements, by);
    // Rounding may leave a small imaginary part.
    elements[at] = T::from_real_impl(&size);
    by
}

/// Multiplies a column by a number.
pub(super) fn turn<T: Field>(a: MatMut<'_, T>, j: usize, by: T) {
    turn_slice(column(a, j), by);
}

fn turn_slice<T: Field>(elements: &mut [T], by: T) {
    if by != T::one_impl() {
        // SAFETY: the pointer and the length are those of the mutable slice `elements`, so access to the elements is exclusive.
        unsafe { multiply::<T>(elements.as_mut_ptr(), elements.len(), by) };
    }
}

// These loops are SIMD kernels: without SIMD, they take a noticeable part of the time to compute the eigenvectors of a small matrix.

kernel! {
    /// Returns the largest squared magnitude of `n` elements, or 0.
    ///
    /// # Safety
    /// The caller must ensure that `n` elements from `elements` on are readable.
    unsafe fn largest[T: Field][T](elements: *const T, n: usize) -> T::Magnitude {
        const LANES: usize = 8;
        let mut lanes = [T::Magnitude::zero(); LANES];
        let (whole, mut i) = (n - n % LANES, 0);
        while i < whole {
            let mut lane = 0;
            while lane < LANES {
                // SAFETY: `i + lane < whole <= n`, and the caller ensures that `n` elements from `elements` on may be read.
                let square = T::abs2_impl(unsafe { &*elements.wrapping_add(i + lane) });
                lanes[lane] = if square > lanes[lane] { square } else { lanes[lane] };
                lane += 1;
            }
            i += LANES;
        }
        while i < n {
            // SAFETY: `i < n`, and the caller ensures that `n` elements from `elements` on may be read.
            let square = T::abs2_impl(unsafe { &*elements.wrapping_add(i) });
            lanes[0] = if square > lanes[0] { square } else { lanes[0] };
            i += 1;
        }
        lanes.into_iter().fold(T::Magnitude::zero(), |largest, x| if x > largest { x } else { largest })
    }
}

kernel! {
    /// Multiplies `n` elements by a number.
    ///
    /// # Safety
    /// The caller must ensure exclusive access to `n` elements from `elements` on.
    unsafe fn multiply[T: Field][T](elements: *mut T, n: usize, by: T) -> () {
        let mut i = 0;
        while i < n {
            // SAFETY: `i < n`, and the caller ensures exclusive access to `n` elements from `elements` on.
            unsafe { *elements.wrapping_add(i) *= by };
            i += 1;
        }
    }
}
