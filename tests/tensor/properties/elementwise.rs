//! Compares functions of one and two elements, and selection, with the scalar functions of Rust and num-complex.

use super::check::{assert_fits, assert_is, assert_owned, cases, elements, for_rank, for_types};
use super::number::{Exact, Number};
use super::reference::{Array, common_shape};
use super::views::{Recipe, TestDim, recipe, shape, with_view, with_view_mut};
use proptest::prelude::*;
use vierbein::{Broadcast, ColMajor, Complex, Order, Rank, RealScalar, RowMajor, Tensor, s};

// ------------------------------------------------------------------ closures and selection

// The next functions replace closures, to save compile time: a closure in a generic function has another type for each rank and
// memory order.

fn polynomial<T: Number>(x: T) -> T {
    x * x + x
}

fn is_one<T: Number>(x: T) -> bool {
    x == T::one()
}

fn blend<T: Number>(x: T, y: T) -> T {
    x + x * y
}

fn maps<T: Number, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize]) {
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let shown = elements::<T>(shown);
        assert_owned(&view.map(polynomial), &shown.map(|&x| polynomial(x)));
        assert_owned(&view.map(is_one), &shown.map(|&x| is_one(x)));
        assert_owned(&view.square(), &shown.map(|&x| x * x));
        assert_owned(&view.powi(3), &shown.map(|&x| x * x * x));
    });
    with_view_mut::<T, D, O>(recipe, shape, &mut |mut view| view.mapv_inplace(polynomial), &mut |shown| {
        shown.map(|&x| polynomial(x))
    });
}

/// Checks comparisons, selection, and a closure of two elements on operands whose ranks may differ.
fn compares<T: Number, D, E, O: Order>(recipes: &[Recipe; 2], left: &[usize], right: &[usize])
where
    D: TestDim + Broadcast<E>,
    E: TestDim,
{
    if common_shape(left, right, O::ROW_MAJOR).is_none() {
        return;
    }
    with_view::<T, D, O>(&recipes[0], left, &mut |a, in_a| {
        let in_a = elements::<T>(in_a);
        with_view::<T, E, O>(&recipes[1], right, &mut |b, in_b| {
            let in_b = elements::<T>(in_b);
            let both = |f: &dyn Fn(&T, &T) -> bool| in_a.zip(&in_b, O::ROW_MAJOR, f).expect("they broadcast");
            assert_owned(&a.equal(&b), &both(&|x, y| x == y));
            assert_owned(&a.not_equal(&b), &both(&|x, y| x != y));
            let blended = in_a.zip(&in_b, O::ROW_MAJOR, |&x, &y| blend(x, y)).expect("they broadcast");
            assert_owned(&a.zip_map(&b, blend), &blended);
        });
    });
}

fn orders<T: Number + RealScalar, D: TestDim, O: Order>(recipes: &[Recipe; 2], shape: &[usize]) {
    with_view::<T, D, O>(&recipes[0], shape, &mut |a, in_a| {
        let in_a = elements::<T>(in_a);
        with_view::<T, D, O>(&recipes[1], shape, &mut |b, in_b| {
            let in_b = elements::<T>(in_b);
            let both = |f: &dyn Fn(&T, &T) -> bool| in_a.zip(&in_b, O::ROW_MAJOR, f).expect("one shape");
            assert_owned(&a.lt(&b), &both(&|x, y| x < y));
            assert_owned(&a.le(&b), &both(&|x, y| x <= y));
            assert_owned(&a.gt(&b), &both(&|x, y| x > y));
            assert_owned(&a.ge(&b), &both(&|x, y| x >= y));
            let pick = |f: &dyn Fn(T, T) -> bool| {
                let chosen = |&x: &T, &y: &T| if f(x, y) { x } else { y };
                in_a.zip(&in_b, O::ROW_MAJOR, chosen).expect("one shape")
            };
            assert_owned(&a.maximum(&b), &pick(&|x, y| x >= y));
            assert_owned(&a.minimum(&b), &pick(&|x, y| x <= y));
            let (low, high) = (T::one(), T::one() + T::one());
            let clamped = in_a.map(|&x| {
                if x < low {
                    low
                } else if x > high {
                    high
                } else {
                    x
                }
            });
            assert_owned(&a.clamp(low, high), &clamped);
            assert!(a.try_clamp(high, low).is_err());
            let sign = |x: T| {
                let minus = T::put(super::number::Z::real(-1));
                if x > T::zero() {
                    T::one()
                } else if x == T::zero() {
                    x
                } else {
                    minus.expect("signed")
                }
            };
            assert_owned(&a.signum(), &in_a.map(|&x| sign(x)));
        });
    });
}

/// Checks absolute values. The samples are small, so all absolute values are representable.
fn has_size<T: Number, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize])
where
    T::Real: Exact,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let shown = elements::<T>(shown);
        let result = view.try_apply(vierbein::op::Abs);
        assert_fits(result, &Some(shown.map(|&x| vierbein::Scalar::modulus(x))));
    });
}

fn has_parts<T: Number, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize])
where
    T::Real: Exact,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let shown = elements::<T>(shown);
        assert_owned(&view.re(), &shown.map(|&x| x.re()));
        assert_owned(&view.im(), &shown.map(|&x| x.im()));
        assert_owned(&view.conj(), &shown.map(|&x| x.conj()));
    });
}

/// Checks selection with a mask of one rank and two operands of other ranks.
fn selects<T: Exact, O: Order>(recipes: &[Recipe; 3], shapes: &[Vec<usize>; 3]) {
    let [mask, yes, no] = shapes;
    let first = common_shape(mask, yes, O::ROW_MAJOR);
    let Some(common) = first.and_then(|first| common_shape(&first, no, O::ROW_MAJOR)) else {
        return;
    };
    with_view::<bool, Rank<2>, O>(&recipes[0], mask, &mut |mask, in_mask| {
        let in_mask = elements::<bool>(in_mask).broadcast_to(&common, O::ROW_MAJOR).expect("they broadcast");
        with_view::<T, Rank<1>, O>(&recipes[1], yes, &mut |yes, in_yes| {
            let in_yes = elements::<T>(in_yes).broadcast_to(&common, O::ROW_MAJOR).expect("they broadcast");
            with_view::<T, Rank<3>, O>(&recipes[2], no, &mut |no, in_no| {
                let in_no = elements::<T>(in_no).broadcast_to(&common, O::ROW_MAJOR).expect("they broadcast");
                let expected = Array::gather(&common, &mut |index| {
                    if *in_mask.at(index) { *in_yes.at(index) } else { *in_no.at(index) }
                });
                assert_owned(&mask.select(yes, &no), &expected);
            });
        });
    });
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn closures(recipe in recipe(), shape in shape(0..=4, 60)) {
        for_rank!(shape.len(), [0 1 2 3 4], maps::<i32>(&recipe, &shape));
        if shape.len() == 2 {
            for_types!([Complex<f64>], 2, [2], maps(&recipe, &shape));
        }
    }

    #[test]
    fn comparisons(recipes in [recipe(), recipe()], shape in shape(2..=2, 25), ones in any::<[bool; 3]>()) {
        let mut left = shape.clone();
        for (extent, one) in left.iter_mut().zip(ones) {
            if one {
                *extent = 1;
            }
        }
        macro_rules! all {
            ($($T:ty)*) => { $(
                compares::<$T, Rank<2>, Rank<2>, RowMajor>(&recipes, &left, &shape);
                compares::<$T, Rank<2>, Rank<2>, ColMajor>(&recipes, &left, &shape);
            )* };
        }
        all!(i8 u64 f64 Complex<f32>);
        compares::<f64, Rank<2>, Rank<1>, RowMajor>(&recipes, &left, &shape[1..]);
        compares::<f64, Rank<2>, Rank<1>, ColMajor>(&recipes, &left, &shape[..1]);
        for_types!([i64, u8, f64], 2, [2], orders(&recipes, &shape));
    }

    #[test]
    fn absolute_values_and_parts(recipe in recipe(), shape in shape(2..=2, 25)) {
        for_types!([i8, i16, i32, i64, f32, f64, Complex<f32>, Complex<f64>], 2, [2], has_size(&recipe, &shape));
        for_types!([i32, f32, Complex<f64>], 2, [2], has_parts(&recipe, &shape));
    }

    #[test]
    fn absolute_values_of_unsigned_integers(recipe in recipe(), shape in shape(2..=2, 25)) {
        for_types!([u8, u16, u32, u64], 2, [2], has_size(&recipe, &shape));
    }

    #[test]
    fn selection_by_mask(
        recipes in [recipe(), recipe(), recipe()],
        common in shape(3..=3, 60),
        ones in any::<[[bool; 3]; 3]>(),
    ) {
        let shortened = |shape: &[usize], ones: [bool; 3]| -> Vec<usize> {
            shape.iter().zip(ones).map(|(&n, one)| if one { 1 } else { n }).collect()
        };
        let shapes = |[mask, yes, no]: [&[usize]; 3]| {
            [shortened(mask, ones[0]), shortened(yes, ones[1]), shortened(no, ones[2])]
        };
        selects::<f64, RowMajor>(&recipes, &shapes([&common[1..], &common[2..], &common]));
        selects::<f64, ColMajor>(&recipes, &shapes([&common[..2], &common[..1], &common]));
        selects::<bool, RowMajor>(&recipes, &shapes([&common[1..], &common[2..], &common]));
        selects::<Complex<f32>, ColMajor>(&recipes, &shapes([&common[..2], &common[..1], &common]));
    }

    #[test]
    fn logic_bit_by_bit(a in any::<[u8; 6]>(), b in any::<[u8; 2]>()) {
        let x = Tensor::<u8, Rank<2>, ColMajor>::from_vec([2, 3], a.to_vec());
        let y = Tensor::<u8, Rank<1>, ColMajor>::from(b);
        let left = Array::from_fn(&[2, 3], |i| a[i[0] + 2 * i[1]]);
        let right = Array { shape: vec![2], values: b.to_vec() };
        let both = |f: fn(&u8, &u8) -> u8| left.zip(&right, false, f).expect("they broadcast");
        assert_owned(&(&x & &y), &both(|a, b| a & b));
        assert_owned(&(&x | &y), &both(|a, b| a | b));
        assert_owned(&(&x ^ &y), &both(|a, b| a ^ b));
        assert_owned(&!&x, &left.map(|a| !a));
        let (p, q) = (x.lt(100), y.gt(50));
        let (in_p, in_q) = (left.map(|&a| a < 100), right.map(|&b| b > 50));
        assert_owned(&(&p & &q), &in_p.zip(&in_q, false, |&a, &b| a && b).expect("they broadcast"));
        assert_owned(&!p, &in_p.map(|&a| !a));
    }
}

// ------------------------------------------------------------------ functions of floating-point and complex numbers

/// Returns random numbers of all magnitudes, and special values.
fn floats() -> impl Strategy<Value = f64> {
    let special = vec![0.0, -0.0, 1.0, -1.0, 0.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-310, 1e300];
    prop_oneof![2 => -3.0..3.0, 1 => any::<f64>(), 1 => proptest::sample::select(special)]
}

fn bits_agree(found: f64, expected: f64) -> bool {
    found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan())
}

/// Returns whether two numbers have the same sign and differ by at most two units in the last place, or are both NaN.
fn last_places_agree(found: f64, expected: f64) -> bool {
    found.to_bits().abs_diff(expected.to_bits()) <= 2 || (found.is_nan() && expected.is_nan())
}

/// Variant of [`last_places_agree`] for single precision, with a tolerance of one unit. The expected number is computed in double
/// precision.
fn last_places_agree_f32(found: f32, expected: f64) -> bool {
    let expected = expected as f32;
    found.to_bits().abs_diff(expected.to_bits()) <= 1 || (found.is_nan() && expected.is_nan())
}

/// Returns the inverse hyperbolic sine. For large arguments, `f64::asinh` overflows although the result is representable.
fn asinh(x: f64) -> f64 {
    let large = (x.abs().ln() + core::f64::consts::LN_2).copysign(x);
    if x.abs() > 1e100 { large } else { x.asinh() }
}

macro_rules! functions {
    ($x:ident, $values:ident, $agree:expr; $($name:ident)*) => {
        $( for (found, &value) in $x.$name().iter().zip(&$values) {
            assert!($agree(*found, value.$name()), "{} of {value}: {found}", stringify!($name));
        } )*
    };
}

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn functions_of_reals(values in prop::collection::vec(floats(), 6)) {
        let owner = Tensor::<f64, _, ColMajor>::from_vec([3, 2], values.clone());
        let x = owner.slice(s![..;-1, ..;-1]);
        let values: Vec<f64> = values.into_iter().rev().collect();
        functions! { x, values, bits_agree;
            sqrt recip abs floor ceil round trunc fract
        }
        // These comparisons have a tolerance, because the functions of the standard library have rounding errors, too.
        functions! { x, values, last_places_agree;
            exp exp2 ln log2 log10 sin cos tan asin acos atan sinh cosh cbrt exp_m1 ln_1p
        }
        let near = |found: f64, expected: f64| found.to_bits().abs_diff(expected.to_bits()) <= 4 || bits_agree(found, expected);
        assert!(x.tanh().iter().zip(&values).all(|(&f, v)| near(f, v.tanh())), "{values:?}");
        assert!(x.asinh().iter().zip(&values).all(|(&f, &v)| near(f, asinh(v))), "{values:?}");
        // The exponents are hidden by `black_box`. For a constant exponent, the compiler would replace `powf` by other operations.
        for power in core::hint::black_box([0.5, -1.25]) {
            assert!(x.powf(power).iter().zip(&values).all(|(&f, v)| last_places_agree(f, v.powf(power))));
        }
        assert!(x.is_nan().iter().zip(&values).all(|(&f, v)| f == v.is_nan()));
        assert!(x.is_finite().iter().zip(&values).all(|(&f, v)| f == v.is_finite()));
        assert!(x.is_infinite().iter().zip(&values).all(|(&f, v)| f == v.is_infinite()));
        let narrow: Vec<f32> = values.iter().map(|&v| v as f32).collect();
        let y = Tensor::<f32, Rank<1>>::from(narrow.clone());
        functions! { y, narrow, |a: f32, b: f32| bits_agree(a.into(), b.into()); sqrt recip }
        assert!(y.sin().iter().zip(&narrow).all(|(&f, &v)| last_places_agree_f32(f, f64::from(v).sin())));
    }

    #[test]
    fn functions_of_complex_numbers(parts in prop::collection::vec((floats(), floats()), 6)) {
        let values: Vec<Complex<f64>> = parts.iter().map(|&(re, im)| Complex::new(re, im)).collect();
        let x = Tensor::<_, _>::from_vec([2, 3], values.clone());
        // The functions themselves are compared with values of mpmath: see `src/elementary/tests.rs` and `tests/tensor/numerics`.
        let agree = |a: Complex<f64>, b: Complex<f64>| bits_agree(a.re, b.re) && bits_agree(a.im, b.im);
        functions! { x, values, last_places_agree; arg }
        // The formulas of num-complex for square roots and quotients leave the range of numbers at other magnitudes. For these, see
        // `tests/tensor/numerics/ranges.rs`.
        let ordinary = |z: &Complex<f64>| [z.re, z.im].iter().all(|x| *x == 0.0 || (1e-75..1e75).contains(&x.abs()));
        let near = |a: Complex<f64>, b: Complex<f64>| (a - b).norm() <= 2e-15 * b.norm();
        let both = x.sqrt();
        assert!(both.iter().zip(&values).filter(|(_, v)| ordinary(v)).all(|(&f, v)| near(f, v.sqrt())), "{both}");
        let both = x.recip();
        let not_zero = |v: &Complex<f64>| ordinary(v) && v.norm() > 0.0;
        assert!(both.iter().zip(&values).filter(|(_, v)| not_zero(v)).all(|(&f, v)| near(f, v.inv())), "{both}");
        let alone = |v: &Complex<f64>| Tensor::<_, Rank<0>>::scalar(*v);
        assert!(x.exp().iter().zip(&values).all(|(&f, v)| agree(f, alone(v).exp().item())));
        assert!(x.t().asin().t().iter().zip(&values).all(|(&f, v)| agree(f, alone(v).asin().item())));
        assert!(x.abs().iter().zip(&values).all(|(&f, v)| last_places_agree(f, v.re.hypot(v.im))));
        let exponents = &x.slice(s![..;-1, ..]);
        let powers = x.pow(exponents);
        let pairs = x.iter().zip(exponents.iter()).zip(powers.iter());
        pairs.for_each(|((&z, &w), &f)| assert!(agree(f, alone(&z).pow(w).item()), "{z} to the power {w}"));
        let nan = |v: &Complex<f64>| v.re.is_nan() || v.im.is_nan();
        assert!(x.is_nan().iter().zip(&values).all(|(&f, v)| f == nan(v)));
        assert!(x.is_finite().iter().zip(&values).all(|(&f, v)| f == (v.re.is_finite() && v.im.is_finite())));
    }

    /// The maximum or minimum of two numbers is NaN if one of them is NaN. Other elements are not affected.
    #[test]
    fn extremes_of_two_with_nan(a in prop::collection::vec(floats(), 4), b in prop::collection::vec(floats(), 4)) {
        let (x, y) = (Tensor::<f64, Rank<1>>::from(a.clone()), Tensor::<f64, Rank<1>>::from(b.clone()));
        let pick = |f: fn(f64, f64) -> f64| {
            let one = |(&a, &b): (&f64, &f64)| if a.is_nan() || b.is_nan() { f64::NAN } else { f(a, b) };
            Array { shape: vec![4], values: a.iter().zip(&b).map(one).collect() }
        };
        assert_owned(&x.maximum(&y), &pick(f64::max));
        assert_owned(&x.minimum(&y), &pick(f64::min));
        assert_owned(&x.maximum(b[0]), &Array {
            shape: vec![4],
            values: a.iter().map(|&a| if a.is_nan() || b[0].is_nan() { f64::NAN } else { a.max(b[0]) }).collect(),
        });
        let clamp = |&a: &f64| if a < -1.0 { -1.0 } else if a > 2.0 { 2.0 } else { a };
        assert_owned(&x.clamp(-1.0, 2.0), &Array { shape: vec![4], values: a.iter().map(clamp).collect() });
        assert!(x.try_clamp(f64::NAN, 1.0).is_err());
        let less = a.iter().zip(&b).map(|(a, b)| a < b).collect();
        assert_is(&x.lt(&y), &Array { shape: vec![4], values: less });
        assert!(x.equal(&y).iter().zip(a.iter().zip(&b)).all(|(&f, (a, b))| f == (a == b)));
        assert!(x.hypot(&y).iter().zip(a.iter().zip(&b)).all(|(&f, (a, b))| last_places_agree(f, a.hypot(*b))));
        assert!(x.pow(&y).iter().zip(a.iter().zip(&b)).all(|(&f, (a, b))| last_places_agree(f, a.powf(*b))));
        assert!(x.pow(2.5).iter().zip(&a).all(|(&f, a)| last_places_agree(f, a.powf(2.5))));
        assert!(x.atan2(&y).iter().zip(a.iter().zip(&b)).all(|(&f, (a, b))| last_places_agree(f, a.atan2(*b))));
    }
}
