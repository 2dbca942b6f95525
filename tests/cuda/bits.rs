//! Compares elements by their bits.

use vierbein::c64;

/// An element as bits, so that −0.0 differs from 0.0, and NaN equals itself. Tests compare many elements, and formatting them as text
/// would take longer than the operations.
pub(crate) trait Bits: Copy {
    fn bits(self) -> [u64; 2];
}

macro_rules! bits {
    ($($t:ty: $bits:expr;)*) => {$(
        impl Bits for $t {
            fn bits(self) -> [u64; 2] {
                let bits: fn($t) -> u64 = $bits;
                [bits(self), 0]
            }
        }
    )*};
}
bits! {
    bool: u64::from;
    u8: u64::from;
    u16: u64::from;
    i8: |x| x as u64;
    i16: |x| x as u64;
    i64: |x| x as u64;
    f32: |x| u64::from(x.to_bits());
    f64: f64::to_bits;
}

impl Bits for c64 {
    fn bits(self) -> [u64; 2] {
        [self.re.to_bits(), self.im.to_bits()]
    }
}

/// Returns whether two slices have equal bits.
pub(crate) fn same_bits<T: Bits>(a: &[T], b: &[T]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.bits() == b.bits())
}
