//! The element types that can be sorted. [`Key::key`] defines their order.

use super::{float, small, wide};
use crate::element::Element;
use crate::error::Error;

/// An element type that can be sorted. Operands of `bool` are sorted as `u8`.
///
/// NaN is equal to NaN and greater than all other elements. −0.0 is equal to 0.0.
pub(super) trait Key: Element + PartialOrd {
    /// Returns the key of the element. Keys are unsigned numbers in the order of their elements. Both zeros have the same key, and all NaN
    /// have the largest key.
    fn key(self) -> u64;
    /// Returns the key for a descending sort. NaN has the largest of these keys, too.
    fn descending_key(self) -> u64;
    /// Sorts a line. The result is that of a stable sort, with NaN last.
    ///
    /// # Errors
    /// If an allocation fails.
    fn sort(x: &mut [Self], descending: bool) -> Result<(), Error>;
    /// Moves the element that sorting would put at index `k` to this index. No element before it is then greater, and no element after it
    /// is less. NaN counts as greater than all other elements.
    ///
    /// # Errors
    /// If an allocation fails.
    fn partition(x: &mut [Self], k: usize) -> Result<(), Error>;
    /// Like [`partition`](Self::partition), but no element may be NaN, and the signs of zeros can change.
    fn select(x: &mut [Self], k: usize);
    /// Moves the first element of each run of equal elements of a sorted line to the front, and returns the number of runs. All NaN count
    /// as equal.
    fn remove_repeated(x: &mut [Self]) -> usize;
    /// Returns whether any element is NaN.
    fn has_nan(x: &[Self]) -> bool;
    /// Returns the least element of a slice, which must not be empty or contain NaN.
    fn least(x: &[Self]) -> Self {
        x[1..].iter().fold(x[0], |a, &b| if b < a { b } else { a })
    }
}

macro_rules! integers {
    ($($T:ty as $U:ty, first $first:expr, $sort:path, $select:path, $remove_repeated:path;)*) => {$(
        impl Key for $T {
            #[inline(always)]
            fn key(self) -> u64 {
                u64::from(self as $U ^ $first)
            }
            #[inline(always)]
            fn descending_key(self) -> u64 {
                u64::from(!(self as $U ^ $first))
            }
            fn sort(x: &mut [Self], descending: bool) -> Result<(), Error> {
                $sort(x);
                if descending {
                    x.reverse();
                }
                Ok(())
            }
            fn partition(x: &mut [Self], k: usize) -> Result<(), Error> {
                $select(x, k);
                Ok(())
            }
            fn select(x: &mut [Self], k: usize) {
                $select(x, k);
            }
            fn remove_repeated(x: &mut [Self]) -> usize {
                $remove_repeated(x)
            }
            fn has_nan(_: &[Self]) -> bool {
                false
            }
        }
    )*};
}
integers! {
    u8 as u8, first 0, small::sort_u8, small::select_u8, small::remove_repeated;
    i8 as u8, first 1 << 7, small::sort_i8, small::select_i8, small::remove_repeated;
    u16 as u16, first 0, small::sort_u16, small::select_u16, small::remove_repeated;
    i16 as u16, first 1 << 15, small::sort_i16, small::select_i16, small::remove_repeated;
    u32 as u32, first 0, wide::sort_u32, wide::select_u32, wide::remove_repeated_u32;
    i32 as u32, first 1 << 31, wide::sort_i32, wide::select_i32, wide::remove_repeated_i32;
    u64 as u64, first 0, wide::sort_u64, wide::select_u64, wide::remove_repeated_u64;
    i64 as u64, first 1 << 63, wide::sort_i64, wide::select_i64, wide::remove_repeated_i64;
}

macro_rules! floats {
    ($($T:ident $U:ident $I:ident;)*) => {$(
        impl Key for $T {
            #[inline(always)]
            fn key(self) -> u64 {
                let bits = self.to_bits() as $I;
                let (sign, magnitude) = (bits >> ($U::BITS - 1), bits & $I::MAX);
                // The magnitude, negated if the sign is set. So both zeros become 0, and the low bits of the magnitude that are zero remain
                // zero: `argsort` leaves out low bits that are the same in all keys.
                let key = ((magnitude ^ sign) - sign) as $U ^ (1 << ($U::BITS - 1));
                u64::from(if self.is_nan() { $U::MAX } else { key })
            }
            #[inline(always)]
            fn descending_key(self) -> u64 {
                u64::from(if self.is_nan() { $U::MAX } else { !(self.key() as $U) })
            }
            fn sort(x: &mut [$T], descending: bool) -> Result<(), Error> {
                float::sort(x, descending)
            }
            fn partition(x: &mut [$T], k: usize) -> Result<(), Error> {
                float::partition(x, k)
            }
            fn select(x: &mut [$T], k: usize) {
                <$T as float::Float>::select_number(x, k);
            }
            fn remove_repeated(x: &mut [$T]) -> usize {
                float::remove_repeated(x)
            }
            fn has_nan(x: &[$T]) -> bool {
                float::specials(x).0
            }
            fn least(x: &[$T]) -> $T {
                wide::least(x)
            }
        }
    )*};
}
floats! { f32 u32 i32; f64 u64 i64; }
