//! The accumulators of elements whose sums are not checked.

use super::finish::Finish;
use super::rows::add_rows;
use super::sums::Sums;
use super::zipped::Rows;
use crate::element::{Arithmetic, Scalar};
use num_traits::Zero;

/// Accumulators of type `T`. Integers wrap, which gives the same result as a wider sum that is truncated at the end.
pub(super) struct Plain;

impl<T: Scalar> Sums<T> for Plain {
    type Lane = T;
    type Sum = T;
    #[inline(always)]
    fn widen(lane: T) -> T {
        lane
    }
    #[inline(always)]
    fn zero() -> T {
        T::zero()
    }
    #[inline(always)]
    fn product(x: T, y: T) -> T {
        T::wrapping(Arithmetic::Mul, x, y)
    }
    #[inline(always)]
    fn add(sum: T, x: T, y: T) -> T {
        T::wrapping(Arithmetic::Add, sum, T::wrapping(Arithmetic::Mul, x, y))
    }
    #[inline(always)]
    fn merge(a: T, b: T) -> T {
        T::wrapping(Arithmetic::Add, a, b)
    }
    #[inline(always)]
    fn add_some(mut sum: T, count: usize, pair: impl Fn(usize) -> (T, T)) -> T {
        let mut k = 0;
        while k < count {
            let (x, y) = pair(k);
            sum = <Plain as Sums<T>>::add(sum, x, y);
            k += 1;
        }
        sum
    }
    unsafe fn add_rows(sums: &mut [Self::Sum], rows: Rows<T>, count: usize) {
        // SAFETY: `add_rows` has the contract of this function.
        unsafe { add_rows::<T, Self>(sums, rows, count) }
    }
    #[inline(always)]
    fn finish(sum: T, finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        (old.map_or_else(|| finishing.scaled(sum), |old| finishing.with_old(sum, old)), true)
    }
}

/// Accumulators of complex products: the four real sums of re·re, im·im, re·im and im·re. These sums do not depend on which operand
/// is conjugated, and they vectorise like sums of real numbers.
pub(super) struct Parts;

impl<T: Scalar> Sums<T> for Parts {
    type Lane = [T::Real; 4];
    type Sum = [T::Real; 4];
    #[inline(always)]
    fn widen(lane: [T::Real; 4]) -> [T::Real; 4] {
        lane
    }
    #[inline(always)]
    fn zero() -> [T::Real; 4] {
        [T::Real::zero(); 4]
    }
    #[inline(always)]
    fn product(x: T, y: T) -> [T::Real; 4] {
        [x.re() * y.re(), x.im() * y.im(), x.re() * y.im(), x.im() * y.re()]
    }
    #[inline(always)]
    fn add(sum: [T::Real; 4], x: T, y: T) -> [T::Real; 4] {
        <Parts as Sums<T>>::merge(sum, <Parts as Sums<T>>::product(x, y))
    }
    #[inline(always)]
    fn merge(a: [T::Real; 4], b: [T::Real; 4]) -> [T::Real; 4] {
        [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
    }
    #[inline(always)]
    fn add_some(mut sum: [T::Real; 4], count: usize, pair: impl Fn(usize) -> (T, T)) -> [T::Real; 4] {
        let mut k = 0;
        while k < count {
            let (x, y) = pair(k);
            sum = <Parts as Sums<T>>::add(sum, x, y);
            k += 1;
        }
        sum
    }
    unsafe fn add_rows(sums: &mut [Self::Sum], rows: Rows<T>, count: usize) {
        // SAFETY: `add_rows` has the contract of this function.
        unsafe { add_rows::<T, Self>(sums, rows, count) }
    }
    #[inline(always)]
    fn finish(sum: [T::Real; 4], finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        let re = sum[0] + finishing.minus_im_im * sum[1];
        let im = finishing.re_im * sum[2] + finishing.im_re * sum[3];
        <Plain as Sums<T>>::finish(complex(re, im), finishing, old)
    }
}

/// Returns the complex number `re + im · i`.
#[inline(always)]
pub(super) fn complex<T: Scalar>(re: T::Real, im: T::Real) -> T {
    assert!(T::COMPLEX && size_of::<T>() == size_of::<[T::Real; 2]>());
    // SAFETY: `T` is a `Complex<T::Real>`, which is `repr(C)`: it has the layout of `[re, im]`. The sizes were checked.
    unsafe { core::mem::transmute_copy(&[re, im]) }
}
