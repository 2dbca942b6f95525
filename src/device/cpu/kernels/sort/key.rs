//! The element types that can be sorted. [`Key::key`] defines their order.

use super::float;
use super::numbers::Numbers;
use crate::element::Element;
use crate::error::Error;
use crate::simd::kernel;

/// An element type that can be sorted. Operands of `bool` are sorted as `u8`.
///
/// NaN is equal to NaN and greater than all other elements. −0.0 is equal to 0.0.
pub(super) trait Key: Element + Numbers {
    /// Returns the key of the element. Keys are unsigned numbers in the order of their elements. Both zeros have the same key, and all NaN
    /// have the largest key.
    fn key(self) -> u64;
    /// Returns the key for a descending sort. NaN has the largest of these keys, too.
    fn descending_key(self) -> u64;
    /// Returns whether the element is NaN.
    fn is_nan(self) -> bool;
    /// Returns whether any element is NaN.
    fn has_nan(x: &[Self]) -> bool;
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
    /// Moves the first element of each run of equal elements of a sorted line to the front, and returns the number of runs. All NaN count
    /// as equal.
    fn remove_repeated(x: &mut [Self]) -> usize;
}

/// Implements [`Key`] for integers. The key of an element is its distance from the least one.
macro_rules! integers {
    ($($T:ident as $Unsigned:ident;)*) => {$(
        impl Key for $T {
            #[inline(always)]
            fn key(self) -> u64 {
                u64::from(self as $Unsigned ^ $T::MIN as $Unsigned)
            }
            #[inline(always)]
            fn descending_key(self) -> u64 {
                u64::from(!(self as $Unsigned ^ $T::MIN as $Unsigned))
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
            fn has_nan(_: &[$T]) -> bool {
                false
            }
            fn sort(x: &mut [$T], descending: bool) -> Result<(), Error> {
                Numbers::sort_numbers(x);
                if descending {
                    x.reverse();
                }
                Ok(())
            }
            fn partition(x: &mut [$T], k: usize) -> Result<(), Error> {
                Numbers::select_number(x, k);
                Ok(())
            }
            fn remove_repeated(x: &mut [$T]) -> usize {
                Numbers::remove_repeated_numbers(x)
            }
        }
    )*};
}
integers! { u8 as u8; i8 as u8; u16 as u16; i16 as u16; u32 as u32; i32 as u32; u64 as u64; i64 as u64; }

/// Implements [`Key`] for floating-point numbers.
macro_rules! floats {
    ($($T:ident with bits $Unsigned:ident or $Signed:ident;)*) => {$(
        impl Key for $T {
            #[inline(always)]
            fn key(self) -> u64 {
                let bits = self.to_bits() as $Signed;
                let (sign, magnitude) = (bits >> ($Unsigned::BITS - 1), bits & $Signed::MAX);
                // The magnitude, negated if the sign is set. So both zeros become 0, and the low bits of the magnitude that are zero remain
                // zero: `argsort` leaves out low bits that are the same in all keys.
                let key = ((magnitude ^ sign) - sign) as $Unsigned ^ (1 << ($Unsigned::BITS - 1));
                u64::from(if self.is_nan() { $Unsigned::MAX } else { key })
            }
            #[inline(always)]
            fn descending_key(self) -> u64 {
                u64::from(if self.is_nan() { $Unsigned::MAX } else { !(self.key() as $Unsigned) })
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            fn has_nan(x: &[$T]) -> bool {
                float::specials(x).0
            }
            fn sort(x: &mut [$T], descending: bool) -> Result<(), Error> {
                float::sort(x, descending)
            }
            fn partition(x: &mut [$T], k: usize) -> Result<(), Error> {
                float::partition(x, k)
            }
            fn remove_repeated(x: &mut [$T]) -> usize {
                float::remove_repeated(x)
            }
        }
    )*};
}
floats! { f32 with bits u32 or i32; f64 with bits u64 or i64; }

kernel! {
    /// Writes the key of each element.
    wide fn write_ascending[T: Key][T](x: &[T], out: &mut [u64]) -> () {
        out.iter_mut().zip(x).for_each(|(out, &x)| *out = x.key());
    }
}

kernel! {
    /// Writes the key of each element for a descending sort.
    wide fn write_descending[T: Key][T](x: &[T], out: &mut [u64]) -> () {
        out.iter_mut().zip(x).for_each(|(out, &x)| *out = x.descending_key());
    }
}

/// Writes the key of each element for an ascending or a descending sort.
///
/// # Panics
/// If the lengths differ.
pub(super) fn write_keys<T: Key>(x: &[T], out: &mut [u64], descending: bool) {
    assert_eq!(x.len(), out.len());
    if descending {
        write_descending(x, out);
    } else {
        write_ascending(x, out);
    }
}
