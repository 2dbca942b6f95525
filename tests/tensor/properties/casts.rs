//! Compares conversions between element types with `as`. Single elements are converted for all pairs of types. Tensors are
//! converted for some pairs only. Each type occurs in these pairs as source and as target.

use super::check::{assert_sequence, cases};
use super::number::Exact;
use proptest::prelude::*;
use vierbein::{CastTo, ColMajor, Complex, Rank, Tensor, s};

#[inline(never)]
fn converted<T: Exact, U: Exact>(values: &[T], cast: fn(T) -> U) -> Vec<U> {
    values.iter().map(|&value| cast(value)).collect()
}

/// Checks the conversion of a contiguous tensor, and of its reversed view.
fn tensors<T: Exact + CastTo<U>, U: Exact>(values: &[T]) {
    let expected = converted(values, T::cast_to);
    let contiguous = Tensor::<T, Rank<2>, ColMajor>::from_slice([2, values.len() / 2], values);
    let turned = contiguous.slice(s![..;-1, ..;-1]);
    assert_sequence(&contiguous.cast::<U>().into_vec(), &expected);
    let mut from_end = turned.cast::<U>().into_vec();
    from_end.reverse();
    assert_sequence(&from_end, &expected);
}

/// Checks conversions of elements to the listed real types and to complex types, and of tensors to the types `$V`.
macro_rules! from_real {
    ($T:ident $values:expr; $($U:ident)*; tensors $($V:ty)*) => {{
        let values: Vec<$T> = $values;
        $( assert_sequence(&converted(&values, <$T as CastTo<$U>>::cast_to), &converted(&values, |x| x as $U)); )*
        assert_sequence(
            &converted(&values, <$T as CastTo<Complex<f32>>>::cast_to),
            &converted(&values, |x| Complex::new(x as f32, 0.0)),
        );
        assert_sequence(
            &converted(&values, <$T as CastTo<Complex<f64>>>::cast_to),
            &converted(&values, |x| Complex::new(x as f64, 0.0)),
        );
        $( tensors::<$T, $V>(&values); )*
    }};
}

/// Calls [`from_real`] with all real types.
macro_rules! to_all {
    ($($T:ident $values:expr => $($V:ty)*;)*) => {
        $( from_real!($T $values; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; tensors $($V)*); )*
    };
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn from_integers(bits in any::<[u64; 6]>()) {
        to_all! {
            i8 bits.map(|x| x as i8).to_vec() => u64 f32;
            i16 bits.map(|x| x as i16).to_vec() => i8 f64;
            i32 bits.map(|x| x as i32).to_vec() => i64 u8 f64 Complex<f64>;
            i64 bits.map(|x| x as i64).to_vec() => i32 f32 Complex<f32>;
            u8 bits.map(|x| x as u8).to_vec() => i8 i32 f32;
            u16 bits.map(|x| x as u16).to_vec() => u8 u32;
            u32 bits.map(|x| x as u32).to_vec() => i16 f64;
            u64 bits.to_vec() => i64 u16 f64;
        }
    }

    #[test]
    fn from_floats(bits in any::<[u64; 4]>(), small in [-1e3..1e3, -1e3..1e3]) {
        let all = || bits.iter().copied();
        to_all! {
            f32 all().map(|x| f32::from_bits(x as u32)).chain(small.map(|x| x as f32)).collect() =>
                f64 i32 u8 u32 Complex<f32>;
            f64 all().map(f64::from_bits).chain(small).collect() => f32 i8 i16 i64 u64 Complex<f64>;
        }
    }

    #[test]
    fn from_bool(values in prop::collection::vec(any::<bool>(), 6)) {
        macro_rules! to_numbers {
            ($($U:ident)*) => { $(
                let expected = converted(&values, |x| if x { 1 as $U } else { 0 as $U });
                assert_sequence(&converted(&values, <bool as CastTo<$U>>::cast_to), &expected);
            )* };
        }
        to_numbers!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
        let complex = |x: bool| Complex::new(f64::from(u8::from(x)), 0.0);
        assert_sequence(&converted(&values, <bool as CastTo<Complex<f64>>>::cast_to), &converted(&values, complex));
        tensors::<bool, bool>(&values);
        tensors::<bool, u8>(&values);
        tensors::<bool, f64>(&values);
        tensors::<bool, Complex<f32>>(&values);
    }

    #[test]
    fn between_complex_types(parts in prop::collection::vec(any::<(f64, f64)>(), 6)) {
        let wide: Vec<Complex<f64>> = parts.iter().map(|&(re, im)| Complex::new(re, im)).collect();
        let narrow: Vec<Complex<f32>> = wide.iter().map(|z| Complex::new(z.re as f32, z.im as f32)).collect();
        let widened: Vec<Complex<f64>> = narrow.iter().map(|z| Complex::new(z.re.into(), z.im.into())).collect();
        assert_sequence(&converted(&wide, <Complex<f64> as CastTo<Complex<f32>>>::cast_to), &narrow);
        assert_sequence(&converted(&narrow, <Complex<f32> as CastTo<Complex<f64>>>::cast_to), &widened);
        tensors::<Complex<f64>, Complex<f32>>(&wide);
        tensors::<Complex<f32>, Complex<f64>>(&narrow);
        tensors::<Complex<f32>, Complex<f32>>(&narrow);
    }
}
