//! Sums and products in a wider type than that of the elements.

use crate::device::{CudaSource, Reduction};
use crate::element::{Scalar, WideProduct, WidenTo};
use core::marker::PhantomData;

/// The sum in the type `U`, as a reduction. The elements are widened as they are read.
#[derive(Debug, Clone, Copy, Default)]
pub struct SumAs<U>(PhantomData<U>);

impl<U: Scalar, T: WidenTo<U>> Reduction<T> for SumAs<U> {
    type Acc = T::Sum;
    type Output = U;
    const NAME: &'static str = "sum";
    const FALLIBLE: bool = U::INTEGER;
    const CUDA: CudaSource = CudaSource::builtin(if T::INTEGER {
        "
        typedef Accumulator<T> Acc;
        DEV Acc identity() const { return Acc(); }
        DEV Acc fold(Acc acc, T x, u64) const { return wrapping_add(acc, (Acc)x); }
        DEV Acc combine(Acc a, Acc b) const { return wrapping_add(a, b); }
        DEV bool finish(Acc acc, u64, R &result) const {
            result = cast<R>(acc);
            if constexpr (INTEGER<R>) return (Acc)result == acc && (result < R(0)) == (acc < Acc(0));
            return true;
        }"
    } else {
        "
        typedef R Acc;
        DEV Acc identity() const { return Acc(); }
        DEV Acc fold(Acc acc, T x, u64) const { return acc + cast<R>(x); }
        DEV Acc combine(Acc a, Acc b) const { return a + b; }
        DEV bool finish(Acc acc, u64, R &result) const { result = acc; return true; }"
    });
    fn identity(&self) -> T::Sum {
        T::zero().wide_term()
    }
    #[inline]
    fn fold(&self, acc: T::Sum, x: T, _: usize) -> T::Sum {
        T::wide_add(acc, x.wide_term())
    }
    #[inline]
    fn combine(&self, a: T::Sum, b: T::Sum) -> T::Sum {
        T::wide_add(a, b)
    }
    const HAS_FOLD_BLOCK: bool = T::HAS_BLOCKS;
    const FOLDS_MANY_ROWS: bool = T::HAS_BLOCKS;
    #[inline(always)]
    fn fold_block(&self, acc: T::Sum, elements: &[T], _: usize) -> T::Sum {
        T::wide_add(acc, T::wide_block(elements))
    }
    #[inline(always)]
    fn fold_many_rows(&self, accs: &mut [T::Sum], rows: &[&[T]]) {
        T::wide_rows(accs, rows);
    }
    fn finish(&self, acc: T::Sum, count: usize) -> Option<U> {
        if count as u64 <= T::MAX_TERMS { T::wide_sum(acc) } else { None }
    }
}

/// The product in the type `U`, as a reduction. The elements are widened as they are read.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProdAs<U>(PhantomData<U>);

impl<U: Scalar, T: WidenTo<U>> Reduction<T> for ProdAs<U> {
    type Acc = WideProduct<U>;
    type Output = U;
    const NAME: &'static str = "product";
    const FALLIBLE: bool = U::INTEGER;
    const CUDA: CudaSource = CudaSource::builtin(if U::INTEGER {
        "
        struct Acc { u64 magnitude; bool negative, overflowed; };
        DEV Acc identity() const { return {1, false, false}; }
        DEV Acc fold(Acc acc, T x, u64) const {
            bool negative = x < T(0);
            return combine(acc, {negative ? 0 - (u64)x : (u64)x, negative, false});
        }
        DEV Acc combine(Acc a, Acc b) const {
            if (a.magnitude == 0 || b.magnitude == 0) return {0, false, false};
            u64 product;
            bool beyond = checked_mul(a.magnitude, b.magnitude, product);
            return {beyond ? ~(u64)0 : product, a.negative != b.negative, a.overflowed || b.overflowed || beyond};
        }
        DEV bool finish(Acc acc, u64, R &result) const {
            result = (R)(acc.negative ? 0 - acc.magnitude : acc.magnitude);
            bool negative = result < R(0);
            u64 magnitude = negative ? 0 - (u64)result : (u64)result;
            return !acc.overflowed && negative == acc.negative && magnitude == acc.magnitude;
        }"
    } else {
        "
        typedef R Acc;
        DEV Acc identity() const { return cast<R>(1); }
        DEV Acc fold(Acc acc, T x, u64) const { return acc * cast<R>(x); }
        DEV Acc combine(Acc a, Acc b) const { return a * b; }
        DEV bool finish(Acc acc, u64, R &result) const { result = acc; return true; }"
    });
    fn identity(&self) -> WideProduct<U> {
        WideProduct::factor(T::one())
    }
    #[inline]
    fn fold(&self, acc: WideProduct<U>, x: T, _: usize) -> WideProduct<U> {
        acc.times(WideProduct::factor(x))
    }
    #[inline]
    fn combine(&self, a: WideProduct<U>, b: WideProduct<U>) -> WideProduct<U> {
        a.times(b)
    }
    fn finish(&self, acc: WideProduct<U>, _: usize) -> Option<U> {
        acc.value()
    }
}
