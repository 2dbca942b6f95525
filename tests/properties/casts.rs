//! Conversions between all pairs of element types, compared with `as`.

use super::check::{assert_sequence, cases};
use super::number::Exact;
use proptest::prelude::*;
use vierbein::{CastTo, ColMajor, Complex, Rank, Tensor, TensorView, s};

/// A matrix, and a view of it from its other end.
struct Pair<'a, T: Exact>(&'a Tensor<T, Rank<2>, ColMajor>, TensorView<'a, T, Rank<2>, ColMajor>);

fn matrix<T: Exact>(values: &[T]) -> Tensor<T, Rank<2>, ColMajor> {
    Tensor::from_slice([2, values.len() / 2], values)
}

fn pair<T: Exact>(x: &Tensor<T, Rank<2>, ColMajor>) -> Pair<'_, T> {
    Pair(x, x.slice(s![..;-1, ..;-1]))
}

fn casts<T: Exact + CastTo<U>, U: Exact>(Pair(dense, turned): &Pair<'_, T>, expected: fn(T) -> U) {
    let expected = dense.as_slice().iter().map(|&value| expected(value)).collect();
    agree(&dense.cast::<U>().into_vec(), &turned.cast::<U>().into_vec(), expected);
}

#[inline(never)]
fn agree<U: Exact>(dense: &[U], turned: &[U], mut expected: Vec<U>) {
    assert_sequence(dense, &expected);
    expected.reverse();
    assert_sequence(turned, &expected);
}

/// From a real type to every type but `bool`.
macro_rules! from_real {
    ($($T:ident $values:expr;)*) => {
        $({
            let x = matrix::<$T>(&$values);
            let values = pair(&x);
            from_real!(@to $T values; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
            casts::<$T, Complex<f32>>(&values, |x| Complex::new(x as f32, 0.0));
            casts::<$T, Complex<f64>>(&values, |x| Complex::new(x as f64, 0.0));
        })*
    };
    (@to $T:ident $values:ident; $($U:ident)*) => {
        $( casts::<$T, $U>(&$values, |x| x as $U); )*
    };
}

macro_rules! from_bool {
    ($values:ident; $($U:ident)*) => {
        $( casts::<bool, $U>(&$values, |x| if x { 1 as $U } else { 0 as $U }); )*
    };
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn from_integers(bits in any::<[u64; 6]>()) {
        from_real! {
            i8 bits.map(|x| x as i8);
            i16 bits.map(|x| x as i16);
            i32 bits.map(|x| x as i32);
            i64 bits.map(|x| x as i64);
            u8 bits.map(|x| x as u8);
            u16 bits.map(|x| x as u16);
            u32 bits.map(|x| x as u32);
            u64 bits;
        }
    }

    #[test]
    fn from_floats(bits in any::<[u64; 4]>(), small in [-1e3..1e3, -1e3..1e3]) {
        let all = || bits.iter().copied();
        from_real! {
            f32 all().map(|x| f32::from_bits(x as u32)).chain(small.map(|x| x as f32)).collect::<Vec<_>>();
            f64 all().map(f64::from_bits).chain(small).collect::<Vec<_>>();
        }
    }

    #[test]
    fn from_bool(values in prop::collection::vec(any::<bool>(), 6)) {
        let x = matrix(&values);
        let values = pair(&x);
        from_bool!(values; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
        casts::<bool, bool>(&values, |x| x);
        casts::<bool, Complex<f32>>(&values, |x| Complex::new(f32::from(x), 0.0));
        casts::<bool, Complex<f64>>(&values, |x| Complex::new(f64::from(x), 0.0));
    }

    #[test]
    fn between_complex_types(parts in prop::collection::vec(any::<(f64, f64)>(), 6)) {
        let wide: Vec<Complex<f64>> = parts.iter().map(|&(re, im)| Complex::new(re, im)).collect();
        let narrow: Vec<Complex<f32>> = wide.iter().map(|z| Complex::new(z.re as f32, z.im as f32)).collect();
        let (wide, narrow) = (matrix(&wide), matrix(&narrow));
        let (wide, narrow) = (pair(&wide), pair(&narrow));
        casts::<Complex<f64>, Complex<f64>>(&wide, |z| z);
        casts::<Complex<f64>, Complex<f32>>(&wide, |z| Complex::new(z.re as f32, z.im as f32));
        casts::<Complex<f32>, Complex<f32>>(&narrow, |z| z);
        casts::<Complex<f32>, Complex<f64>>(&narrow, |z| Complex::new(z.re.into(), z.im.into()));
    }
}
