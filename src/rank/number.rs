//! Integers that are the number of an axis or an index. Negative ones count from the end.

/// An integer of any type that is the number of an axis, or an index along an axis. A negative number counts from the end: -1 is the last
/// axis or index.
///
/// So indices that a method returns are accepted as they are: `x.index_axis(0, y.argmax().item())`. A literal is an `i32`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the number of an axis or an index",
    label = "expected an integer"
)]
pub trait IndexNumber: Copy {
    /// Returns the number as an `isize`. Values that exceed `isize` become `isize::MAX`, which is out of range for every tensor.
    fn number(self) -> isize;
    /// Returns the number counted from 0, if it is in range for `len` axes or indices. Otherwise returns a number that is at least `len`.
    #[doc(hidden)]
    fn within(self, len: usize) -> usize;
}

macro_rules! index_numbers {
    ($($t:ty)*; |$number:ident, $len:ident| $from_start:expr) => {$(
        #[diagnostic::do_not_recommend]
        #[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions, reason = "not useless for all types")]
        impl IndexNumber for $t {
            #[inline]
            fn number(self) -> isize {
                isize::try_from(self).unwrap_or(isize::MAX)
            }
            #[inline]
            fn within(self, $len: usize) -> usize {
                let $number = self;
                $from_start
            }
        }
    )*};
}
index_numbers!(usize u64 u32 u16 u8; |number, _len| usize::try_from(number).unwrap_or(usize::MAX));
index_numbers!(isize i64 i32 i16 i8; |number, len| match number.number() {
    n @ ..0 => len.checked_add_signed(n).unwrap_or(n as usize),
    n => n as usize,
});

/// Returns the number counted from 0, if `number` is in range for `len` axes or indices. Otherwise returns `number as usize`, which is at
/// least `len`, so that an error can report it: see [`as_given`].
#[inline]
pub(crate) fn from_start(number: impl IndexNumber, len: usize) -> usize {
    number.number().within(len)
}

/// Calls [`from_start`] for each of several axes.
#[inline]
pub(crate) fn all_from_start<const N: usize>(axes: [impl IndexNumber; N], rank: usize) -> [usize; N] {
    axes.map(|axis| from_start(axis, rank))
}

/// Converts a result of [`from_start`] that is out of range back to the number that was passed.
pub(crate) fn as_given(index: usize) -> isize {
    index as isize
}

#[cfg(test)]
mod tests {
    use super::{as_given, from_start};

    #[test]
    fn negative_numbers_count_from_the_end() {
        assert_eq!([-3, -1, 0, 2].map(|n| from_start(n, 3)), [0, 2, 0, 2]);
        assert_eq!((from_start(2isize, 3), from_start(2usize, 3)), (2, 2));
    }

    #[test]
    fn numbers_out_of_range_stay_recoverable() {
        for (number, len) in [(3, 3), (-4, 3), (0, 0), (-1, 0), (i32::MAX, 3), (i32::MIN, 3)] {
            let index = from_start(number, len);
            assert!(index >= len);
            assert_eq!(as_given(index), number as isize);
        }
        assert_eq!(as_given(from_start(isize::MIN, 5)), isize::MIN);
        assert_eq!(as_given(from_start(usize::MAX, 5)), isize::MAX);
    }
}
