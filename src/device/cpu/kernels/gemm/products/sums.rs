//! The accumulators of sums of products, and their arithmetic: the trait [`Sums`], and its implementations for elements whose sums are not
//! checked.

use super::finish::Finish;
use super::rows::add_rows;
use super::zipped::Rows;
use crate::device::cpu::HostPtr;
use crate::element::{Arithmetic, Scalar};
use num_traits::Zero;

/// Number of products that one accumulator adds before it is combined with another.
pub(super) const CHAIN_LEN: usize = 32;

/// The types of accumulators, and their arithmetic.
pub(super) trait Sums<T: Scalar> {
    /// The sum of at most [`CHAIN_LEN`] products. It may be narrower than `Sum`, so that more lanes fit in a register.
    type Lane: Copy;
    type Sum: Copy + Send + Sync;
    /// Maximum number of terms of a sum that never overflows. Broadcast operands can have more terms.
    const MAX_TERMS: u64 = u64::MAX;
    fn zero() -> Self::Lane;
    fn product(x: T, y: T) -> Self::Lane;
    /// Returns `sum + x · y`.
    fn add(sum: Self::Lane, x: T, y: T) -> Self::Lane;
    fn widen(lane: Self::Lane) -> Self::Sum;
    fn merge(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// Sums the products `from..to` in `LANES` accumulators: product `from + i` in accumulator `i % LANES`. `LANES` divides `to - from`, and
    /// there are at most [`CHAIN_LEN`] products for each accumulator. `pair(i)` has the factors of product `i`.
    #[inline(always)]
    fn lanes<const LANES: usize>(
        from: usize,
        to: usize,
        pair: impl Fn(usize) -> (T, T),
    ) -> [Self::Sum; LANES] {
        let mut sums = [Self::zero(); LANES];
        for i in (from..to).step_by(LANES) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (x, y) = pair(i + lane);
                *sum = Self::add(*sum, x, y);
            }
        }
        let mut wide = [Self::widen(Self::zero()); LANES];
        for lane in 0..LANES {
            wide[lane] = Self::widen(sums[lane]);
        }
        wide
    }
    /// Returns the sum of `n <= LANES * CHAIN_LEN` products as four partial sums. `pair(i)` has the factors of product `i`.
    #[inline(always)]
    fn block<const LANES: usize>(n: usize, pair: impl Fn(usize) -> (T, T)) -> [Self::Sum; 4] {
        let (whole, fours) = (n - n % LANES, n - n % 4);
        let mut many = Self::lanes::<LANES>(0, whole, &pair);
        let four = Self::lanes::<4>(whole, fours, &pair);
        let [one] = Self::lanes::<1>(fours, n, &pair);
        let mut width = LANES;
        while width > 4 {
            width /= 2;
            for lane in 0..width {
                many[lane] = Self::merge(many[lane], many[lane + width]);
            }
        }
        let mut sums = four;
        for lane in 0..4 {
            sums[lane] = Self::merge(many[lane], four[lane]);
        }
        sums[0] = Self::merge(sums[0], one);
        sums
    }
    /// Adds `count` products to a sum, at most [`CHAIN_LEN`]. `pair(k)` has the factors of the product `k`.
    #[inline(always)]
    fn add_some(sum: Self::Sum, count: usize, pair: impl Fn(usize) -> (T, T)) -> Self::Sum {
        let mut lane = Self::zero();
        // A loop over indices, because an array iterator would be compiled again for each kernel.
        let mut k = 0;
        while k < count {
            let (x, y) = pair(k);
            lane = Self::add(lane, x, y);
            k += 1;
        }
        Self::merge(sum, Self::widen(lane))
    }
    /// Adds `count` rows of products to sums. See [`add_rows`].
    ///
    /// # Safety
    /// The contract of [`add_rows`].
    unsafe fn add_rows(sums: &mut [Self::Sum], rows: Rows<T>, count: usize)
    where
        Self: Sized,
    {
        // SAFETY: the caller ensures the contract of `add_rows`.
        unsafe { add_rows::<T, Self>(sums, rows, count) }
    }
    /// Returns the result to write, and `false` if an integer overflowed. `old` is the previous value, or `None` if it is not
    /// read.
    fn finish(sum: Self::Sum, finishing: &Finish<T>, old: Option<T>) -> (T, bool);
    /// Computes the result for a sum and writes it to `to`. Returns `false` if an integer overflowed.
    ///
    /// # Safety
    /// The caller must ensure that `to` is an element of the output, and exclusive access to it.
    #[inline(always)]
    unsafe fn put(sum: Self::Sum, finishing: &Finish<T>, to: HostPtr<T>) -> bool {
        // SAFETY: the caller ensures that `to` is an element of the output and that access to it is exclusive.
        let old = finishing.reads_old.then(|| unsafe { *to.get() });
        let (value, exact) = Self::finish(sum, finishing, old);
        // SAFETY: the caller ensures that `to` is an element of the output and that access to it is exclusive.
        unsafe { *to.get() = value };
        exact
    }
}

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
