//! Sorts numbers, none of which is NaN, and chooses the algorithm by their type and by the instruction set:
//!
//! ```text
//! i32, i64, f64     SIMD quicksort (module quick) with AVX-512 or AVX2, otherwise the standard library (module comparison)
//! u8, u16           counting (module counting)
//! u32, u64, f32     mapped to i32 or i64 in the same order, because each SIMD kernel takes long to compile
//! i8, i16           mapped to u8 or u16 in the same order
//! ```

use super::{comparison, counting, repeated};
#[cfg(target_arch = "x86_64")]
use super::{network::max_small, quick};
use crate::simd::kernel;
#[cfg(target_arch = "x86_64")]
use crate::simd::{
    HAS_WIDE_LEVELS,
    avx2::{Avx2, F64x4, I32x8, I64x4},
    avx512::{Avx512, F64x8, I32x16, I64x8},
    vector::Isa,
};
use num_traits::PrimInt;

/// Returns the maximum number of `i32` that a sorting network sorts on this processor, or 0 if there is none.
pub(super) fn network_len() -> usize {
    #[cfg(target_arch = "x86_64")]
    if const { HAS_WIDE_LEVELS } {
        if Avx512::new().is_some() {
            return max_small::<I32x16>();
        } else if Avx2::new().is_some() {
            return max_small::<I32x8>();
        }
    }
    0
}

/// A type of numbers that can be sorted.
pub(super) trait Numbers: Copy + PartialOrd + Send + Sync + 'static {
    /// Sorts numbers, none of which may be NaN. The signs of zeros can change.
    fn sort_numbers(x: &mut [Self]);
    /// Moves the number that sorting would put at index `k` to this index. No number before it is then greater, and no number after it is
    /// less. No number may be NaN, and the signs of zeros can change.
    fn select_number(x: &mut [Self], k: usize);
    /// Moves the first number of each run of equal numbers of a sorted line to the front, and returns the number of runs. Equal numbers must
    /// have equal bits.
    fn remove_repeated_numbers(x: &mut [Self]) -> usize {
        repeated::remove_from(x, 1, 1)
    }
}

impl Numbers for u8 {
    fn sort_numbers(x: &mut [u8]) {
        counting::sort_u8(x);
    }
    fn select_number(x: &mut [u8], _: usize) {
        // Selection is not faster than counting.
        counting::sort_u8(x);
    }
}

impl Numbers for u16 {
    fn sort_numbers(x: &mut [u16]) {
        counting::sort_u16(x);
    }
    fn select_number(x: &mut [u16], k: usize) {
        comparison::select(x, k);
    }
}

/// Implements [`Numbers`] by SIMD, for types with registers of AVX-512 and AVX2.
macro_rules! by_simd {
    ($($T:ident: avx512 $Avx512Register:ident, avx2 $Avx2Register:ident;)*) => {$(
        impl Numbers for $T {
            fn sort_numbers(x: &mut [$T]) {
                #[cfg(target_arch = "x86_64")]
                if const { HAS_WIDE_LEVELS } {
                    if let Some(isa) = Avx512::new() {
                        return quick::sort::<$Avx512Register>(isa, x);
                    } else if let Some(isa) = Avx2::new() {
                        return quick::sort::<$Avx2Register>(isa, x);
                    }
                }
                comparison::sort(x);
            }
            fn select_number(x: &mut [$T], k: usize) {
                #[cfg(target_arch = "x86_64")]
                if const { HAS_WIDE_LEVELS } {
                    if let Some(isa) = Avx512::new() {
                        return quick::select::<$Avx512Register>(isa, x, k);
                    } else if let Some(isa) = Avx2::new() {
                        return quick::select::<$Avx2Register>(isa, x, k);
                    }
                }
                comparison::select(x, k);
            }
            fn remove_repeated_numbers(x: &mut [$T]) -> usize {
                #[cfg(target_arch = "x86_64")]
                if const { HAS_WIDE_LEVELS } {
                    if let Some(isa) = Avx512::new() {
                        return repeated::remove::<$Avx512Register>(isa, x);
                    } else if let Some(isa) = Avx2::new() {
                        return repeated::remove::<$Avx2Register>(isa, x);
                    }
                }
                repeated::remove_from(x, 1, 1)
            }
        }
    )*};
}
by_simd! {
    i32: avx512 I32x16, avx2 I32x8;
    i64: avx512 I64x8, avx2 I64x4;
    f64: avx512 F64x8, avx2 F64x4;
}

/// Implements [`Numbers`] for types whose numbers have the order of integers: of their bits, after a function that is its own inverse.
macro_rules! mapped {
    ($($T:ident to $Integer:ident by $function:ident;)*) => {$(
        const _: () = {
            fn bits(x: &mut [$T]) -> &mut [$Integer] {
                // SAFETY: the integers have the size and alignment of the numbers, and all bits are valid for both. `x` is exclusively
                // borrowed.
                unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) }
            }
            /// Maps the numbers to integers, calls `f`, and maps the integers back.
            fn with_integers(x: &mut [$T], f: impl FnOnce(&mut [$Integer])) {
                let bits = bits(x);
                $function(bits);
                f(bits);
                $function(bits);
            }
            impl Numbers for $T {
                fn sort_numbers(x: &mut [$T]) {
                    with_integers(x, Numbers::sort_numbers);
                }
                fn select_number(x: &mut [$T], k: usize) {
                    with_integers(x, |x| Numbers::select_number(x, k));
                }
                fn remove_repeated_numbers(x: &mut [$T]) -> usize {
                    Numbers::remove_repeated_numbers(bits(x))
                }
            }
        };
    )*};
}
mapped! {
    i8 to u8 by invert_highest_bit;
    i16 to u16 by invert_highest_bit;
    u32 to i32 by invert_highest_bit;
    u64 to i64 by invert_highest_bit;
    f32 to i32 by invert_negative;
}

/// Inverts the highest bit of each number. This maps signed numbers to unsigned ones, and unsigned numbers to signed ones, in the same order.
fn invert_highest_bit<T: PrimInt>(x: &mut [T]) {
    let highest = T::one() << (8 * size_of::<T>() - 1);
    x.iter_mut().for_each(|x| *x = *x ^ highest);
}

kernel! {
    /// Inverts all bits of negative numbers except the sign. This maps the bits of floating-point numbers to integers in the same order, with
    /// −0.0 before 0.0.
    wide fn invert_negative[][](x: &mut [i32]) -> () {
        x.iter_mut().for_each(|x| *x ^= ((*x >> 31).cast_unsigned() >> 1).cast_signed());
    }
}
