//! The loop of functions with results of type `bool`, for AVX2.
//!
//! A vector comparison gives a mask, whose elements have the size of the compared elements. A `bool` has one byte. In a plain loop, the
//! compiler narrows the mask of each register separately, which takes more instructions than the comparison. The loop of this module
//! stores the masks of a block in an array, and then narrows several registers at once.
//!
//! At the level AVX-512, this loop is not used. There, plain loops over elements of 8 or 16 bytes use registers of 64 bytes, and one
//! instruction narrows a mask. For elements of 4 bytes, the two loops were not compared at that level.

use super::operands::Arrays;
use crate::device::{Arguments, Function};
use crate::element::{DType, Element};
use crate::simd::avx2::masks::{MASKS, MaskVector};
use crate::simd::avx2::{Avx2, I32x8, I64x4};
use crate::simd::avx512::Avx512;
use crate::simd::vector::{Isa, SimdKernel, Vector};
use core::marker::PhantomData;

/// The number of elements in a block, whose masks stay in L1.
const BLOCK: usize = 64;

/// If there is a loop for `op`, and at least [`BLOCK`] elements: computes `op` of the first `n` elements of the operands, writes the
/// results to `out`, and returns `true`. Otherwise writes nothing and returns `false`.
///
/// # Safety
/// The caller must ensure:
/// * Each operand has `n` initialised elements, of the types `A`.
/// * `out` has `n` elements that may be written. They do not overlap the operands, and nothing else accesses them.
#[inline(always)]
pub(super) unsafe fn map_masks<A: Arguments, F: Function<A>>(
    op: F,
    n: usize,
    out: *mut F::Output,
    operands: &Arrays,
) -> bool {
    if const { !has_masks::<A, F>() } || n < BLOCK || Avx512::new().is_some() || Avx2::new().is_none() {
        return false;
    }
    let kernel = MapMasks { op, n, out, operands, arguments: PhantomData::<A> };
    match size_of::<A::First>() {
        // SAFETY: results are of type `bool`, and the processor has AVX2, as there is a token. The caller ensures the rest of the contract.
        8 | 16 => unsafe { I64x4::within(kernel) },
        // SAFETY: results are of type `bool`, and the processor has AVX2, as there is a token. The caller ensures the rest of the contract.
        4 => unsafe { I32x8::within(kernel) },
        _ => return false,
    }
    true
}

/// Returns whether this module has a loop for a function: if it has results of type `bool`, and operands that are not complex, or one
/// operand of type `c64`. For comparisons of two complex operands, the compiler joins the masks of real and imaginary parts bit by bit in
/// general-purpose registers. For these, and for one operand of type `c32`, plain loops are faster.
const fn has_masks<A: Arguments, F: Function<A>>() -> bool {
    let fits = match A::First::DTYPE {
        DType::C32 => false,
        DType::C64 => A::LEN == 1,
        _ => true,
    };
    fits && matches!(F::Output::DTYPE, DType::Bool)
}

/// See [`map_masks`].
struct MapMasks<'a, A: Arguments, F: Function<A>> {
    op: F,
    n: usize,
    out: *mut F::Output,
    operands: &'a Arrays,
    arguments: PhantomData<A>,
}

impl<V: MaskVector, A: Arguments, F: Function<A>> SimdKernel<V> for MapMasks<'_, A, F> {
    /// # Safety
    /// The contract of [`map_masks`]. In addition, results must be of type `bool`, and the processor must have the instruction set of `V`.
    #[inline(always)]
    unsafe fn run(self) {
        let MapMasks { op, n, out, operands, .. } = self;
        let result = |i: usize| {
            // SAFETY: `i < n` in all calls below, and the caller ensures that each operand has `n` initialised elements of the types `A`.
            op.call(unsafe { A::read(|k| (operands[k].cast_const(), i as isize)) })
        };
        let mut masks = [V::mask(false); BLOCK];
        let mut at = 0;
        while n - at >= BLOCK {
            for (k, mask) in masks.iter_mut().enumerate() {
                *mask = V::mask(result(at + k) != F::Output::default());
            }
            for masks in masks.as_chunks::<MASKS>().0 {
                // SAFETY: the caller ensures that the processor has the instruction set.
                let bytes = unsafe { V::narrow(masks) };
                // SAFETY: these are `MASKS` of the block's results, and the block ends at `n` or before. The caller ensures exclusive access
                // to `n` elements at `out`. They are of type `bool`, and the bytes are 0 or 1.
                unsafe { bytes.store(out.wrapping_add(at).cast()) };
                at += MASKS;
            }
        }
        // The elements after the last whole block.
        for i in at..n {
            // SAFETY: `i < n`, and the caller ensures exclusive access to `n` elements at `out`.
            unsafe { *out.wrapping_add(i) = result(i) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::map_masks;
    use crate::device::op::binary::{Equal, Ge, Gt, Le, Lt, NotEqual};
    use crate::device::op::scalar::WithRight;
    use crate::device::op::unary::IsNan;
    use crate::device::{Arguments, Function};
    use crate::element::{Element, RealScalar, c64};
    use crate::simd::Level;
    use crate::simd::tests::at_each_level;
    use core::ptr::null_mut;
    use num_complex::Complex;

    /// Lengths around one and several blocks, with different numbers of elements after the last block.
    const LENGTHS: [usize; 12] = [0, 1, 63, 64, 65, 95, 96, 127, 128, 129, 200, 1000];

    /// Checks `map_masks` of `op` for the first elements of `x` and `y`. The elements before and after the results must not change.
    fn check<A: Arguments, F: Function<A>>(
        op: F,
        [x, y]: [&[A::First]; 2],
        expected: impl Fn(A::First, A::First) -> bool,
    ) {
        for n in LENGTHS {
            for before in [true, false] {
                let mut found = vec![before; n + 2];
                let operands = [x.as_ptr().cast_mut().cast(), y.as_ptr().cast_mut().cast(), null_mut()];
                let out = found.as_mut_ptr().wrapping_add(1).cast();
                // SAFETY: `x` and `y` have at least `n` elements, of the type of both operands. `found` has `n` elements from `out` on, and
                // results are of type `bool`.
                let done = unsafe { map_masks::<A, F>(op, n, out, &operands) };
                assert_eq!(done, n >= 64 && Level::get() == Level::Avx2, "{}, {n} elements", F::NAME);
                if done {
                    let results = (0..n).map(|i| expected(x[i], y[i]));
                    let all: Vec<bool> = [before].into_iter().chain(results).chain([before]).collect();
                    assert_eq!(found, all, "{} of {}, {n} elements", F::NAME, A::First::DTYPE);
                }
            }
        }
    }

    /// Checks comparisons of pseudo-random elements of `values` with each other, and with one of them.
    fn check_comparisons<T: RealScalar>(values: &[T]) {
        let mut state = 1u64;
        let [x, y] = [0; 2].map(|_| {
            let next = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                values[(state >> 33) as usize % values.len()]
            };
            std::iter::repeat_with(next).take(1000).collect::<Vec<T>>()
        });
        macro_rules! comparisons {
            ($($Op:ident $operator:tt;)*) => {$(
                check::<(T, T), _>($Op, [&x, &y], |a, b| a $operator b);
                let right = values[0];
                check::<(T,), _>(WithRight { op: $Op, right }, [&x, &y], |a, _| a $operator right);
            )*};
        }
        comparisons! { Equal ==; NotEqual !=; Lt <; Le <=; Gt >; Ge >=; }
    }

    #[test]
    fn comparisons_of_each_size() {
        let parts = [0.5, f64::NAN, 0.0, -0.0];
        let z: Vec<_> = (0..1000).map(|i| Complex::new(parts[i * 7 % 4], parts[i * 5 / 3 % 4])).collect();
        let right = z[0];
        at_each_level(|| {
            check_comparisons(&[0.5, f64::NAN, -0.0, 0.0, f64::INFINITY, -3.0]);
            check_comparisons(&[0.5, f32::NAN, -0.0, 0.0, f32::INFINITY, -3.0]);
            check_comparisons(&[7, -1, i64::MIN, i64::MAX, 1 << 32]);
            check_comparisons(&[7, 1, u64::MIN, u64::MAX, 1 << 63]);
            check_comparisons(&[7, -1, i32::MIN, i32::MAX]);
            check_comparisons(&[7, 1, u32::MAX, 1 << 31]);
            check::<(c64,), _>(IsNan, [&z, &z], |a, _| a.re.is_nan() || a.im.is_nan());
            let equal = WithRight { op: Equal, right };
            check::<(c64,), _>(equal, [&z, &z], |a, _| a.re == right.re && a.im == right.im);
        });
    }
}
