//! Conversions of floating-point numbers to integers, with the results of `as`, in a form that the compiler vectorises on x86-64.
//!
//! `as` gives the largest or smallest integer for numbers outside of the type's range, and 0 for NaN. The instructions of x86-64 have other
//! results for these numbers, so the compiler converts one element at a time. The functions of this module select the results without
//! branches, so loops over them are vectorised. Only conversions to integers of 64 bits are slower than `as` without AVX2, because SSE2 has
//! no shifts by different numbers of bits. Other processors have instructions with the results of `as`.

/// A floating-point number that can be converted to the integer type `I`.
pub(crate) trait Truncate<I> {
    /// Returns `self as I`.
    fn truncate(self) -> I;
    /// Computes [`truncate`](Truncate::truncate) in the form for x86-64.
    fn truncate_by_selects(self) -> I;
}

macro_rules! truncate {
    ($F:ident: $($I:ident)*, |$x:ident, $Integer:ident| $result:expr) => {$(
        impl Truncate<$I> for $F {
            #[inline(always)]
            fn truncate(self) -> $I {
                if cfg!(target_arch = "x86_64") { self.truncate_by_selects() } else { self as $I }
            }
            #[inline(always)]
            fn truncate_by_selects(self) -> $I {
                type $Integer = $I;
                let $x = self;
                $result
            }
        }
    )*};
}

macro_rules! to_32_bits_or_less {
    ($F:ident, $limited:ident, below: $below:literal, exact: $($exact:ident)*) => {
        /// Converts a number to the nearest integer from `low` to `high`, and NaN to `low`. Uses the largest number of the type below 2³¹
        /// instead of a larger `high`.
        #[inline(always)]
        fn $limited(x: $F, low: i32, high: i32) -> i32 {
            let (low, high) = (low as $F, if high as $F > $below { $below } else { high as $F });
            let x = if x > low { x } else { low };
            let x = if x < high { x } else { high };
            // SAFETY: `x` is not NaN, because both comparisons are false for NaN. It is at least the smaller of `low` and `high`, and so at
            // least −2³¹. It is at most `high`, which is less than 2³¹.
            unsafe { x.to_int_unchecked() }
        }

        // The limits of these types are numbers of the floating-point type.
        truncate!($F: $($exact)*, |x, I| {
            let number = if I::MIN == 0 || !x.is_nan() { x } else { 0.0 };
            $limited(number, I::MIN as i32, I::MAX as i32) as I
        });
        truncate!($F: u32, |x, I| {
            const HALF: $F = 2147483648.0;
            let upper = x >= HALF;
            let low = $limited(if upper { x - HALF } else { x }, 0, i32::MAX) as I;
            if x >= 2.0 * HALF { I::MAX } else { low | I::from(upper) << 31 }
        });
    };
}
to_32_bits_or_less!(f32, limited_f32, below: 2147483520.0, exact: i8 u8 i16 u16);
to_32_bits_or_less!(f64, limited_f64, below: 2147483647.0, exact: i8 u8 i16 u16 i32);
truncate!(f32: i32, |x, I| {
    let number = limited_f32(if x.is_nan() { 0.0 } else { x }, I::MIN, I::MAX);
    if x >= 2147483648.0 { I::MAX } else { number }
});

/// Returns the integer part of the absolute value of a number, if it is less than 2⁶⁴. AVX2 has no conversion to 64 bits, so the bits of
/// the number are shifted.
#[inline(always)]
fn whole_part(x: f64) -> u64 {
    const BITS: u32 = f64::MANTISSA_DIGITS - 1;
    const HIDDEN: u64 = 1 << BITS;
    let exponent = (x.to_bits() >> BITS) & 0x7ff;
    let digits = (x.to_bits() & (HIDDEN - 1)) | HIDDEN;
    // One of the two is negative, as a large number, or both are 0. A shift of 64 or more gives 0, as the vector instructions do.
    let unit = u64::from(f64::MAX_EXP.unsigned_abs() - 1 + BITS);
    let (right, left) = (unit.wrapping_sub(exponent), exponent.wrapping_sub(unit));
    let fraction = if right < 64 { digits >> right } else { 0 };
    let multiple = if left < 64 { digits << left } else { 0 };
    fraction | multiple
}

truncate!(f64: u64, |x, I| {
    let number = if x < 18446744073709551616.0 { whole_part(x) } else { I::MAX };
    if x >= 1.0 { number } else { 0 }
});
truncate!(f64: i64, |x, I| {
    let sign = -I::from(x < 0.0);
    let inside = x.abs() < 9223372036854775808.0;
    let size = if inside { whole_part(x) as I - (sign & 1) } else { I::MAX };
    if x.is_nan() { 0 } else { size ^ sign }
});
truncate!(f32: i64 u64, |x, I| <f64 as Truncate<I>>::truncate_by_selects(f64::from(x)));

#[cfg(test)]
mod tests {
    use super::Truncate;

    /// Numbers around all powers of two, around the limits of the types and around small integers, with both signs; zeros, infinities and
    /// NaN.
    fn numbers() -> Vec<f64> {
        let mut all = vec![0.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, 1e300];
        for exponent in -70..70 {
            let power = 2f64.powi(exponent);
            all.extend([0.75, 1.0, 1.5, 1.0 + f64::EPSILON, 1.0 - f64::EPSILON].map(|x| x * power));
            for part in [0.5, 0.999, 1.0, 1.5, 2.0] {
                all.extend([power - part, power + part]);
            }
        }
        all.extend((0..2000).map(|k| f64::from(k) * 0.37));
        let mut bits = 1u64;
        all.extend((0..2000).map(|_| {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (bits >> (bits % 61)) as f64 * 0.625
        }));
        let negative: Vec<f64> = all.iter().map(|x| -x).collect();
        all.extend(negative);
        all
    }

    #[test]
    fn results_of_as() {
        macro_rules! check {
            ($($F:ident to $($I:ident)*;)*) => {$($(
                for x in numbers() {
                    let x = x as $F;
                    let [found, used]: [$I; 2] = [x.truncate_by_selects(), x.truncate()];
                    assert_eq!([found, used], [x as $I; 2], "{x:?} as {}", stringify!($I));
                }
            )*)*};
        }
        check! { f32 to i8 u8 i16 u16 i32 u32 i64 u64; f64 to i8 u8 i16 u16 i32 u32 i64 u64; }
    }
}
