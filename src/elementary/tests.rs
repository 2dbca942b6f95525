//! Tests against independent references: the tables in `tests/data/elementary` have correctly rounded results, which
//! `scripts/elementary/reference.py` and `complex_reference.py` computed with mpmath. For many more arguments, the C library's `f64`
//! functions are the reference, for `f32` too.

use super::{Elementary, FloatFunction, PairFunction, RealFunction, numbers32, numbers64};
use crate::simd::Level;
use crate::simd::tests::at_each_level;
use Elementary::{Float, Power, Real};
use num_complex::Complex;
use std::path::Path;

/// Returns the rows of a table in `tests/data/elementary`. The published package omits these tables (see `include` in `Cargo.toml`), so
/// there this function returns `None`, and a test has no rows to check. Cargo adds `Cargo.toml.orig` to packages.
fn table(name: &str) -> Option<String> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    match std::fs::read_to_string(package.join("tests/data/elementary").join(name)) {
        Err(_) if package.join("Cargo.toml.orig").exists() => {
            println!("skipped: the published package does not include the table {name}");
            None
        }
        table => Some(table.unwrap_or_else(|error| panic!("tests/data/elementary/{name}: {error}"))),
    }
}

type Row = (&'static str, Elementary, fn(f64) -> f64, [f64; 2]);

/// Each function: its name in `real.tsv`, the C library's function, and a range of arguments.
const FUNCTIONS: [Row; 23] = [
    ("exp", Float(FloatFunction::Exp), f64::exp, [-746.0, 710.0]),
    ("exp2", Float(FloatFunction::Exp2), f64::exp2, [-1076.0, 1025.0]),
    ("exp_m1", Real(RealFunction::ExpM1), f64::exp_m1, [-40.0, 710.0]),
    ("ln", Float(FloatFunction::Ln), f64::ln, [0.0, 10.0]),
    ("log2", Float(FloatFunction::Log2), f64::log2, [0.0, 10.0]),
    ("log10", Float(FloatFunction::Log10), f64::log10, [0.0, 10.0]),
    ("ln_1p", Real(RealFunction::Ln1p), f64::ln_1p, [-1.0, 10.0]),
    ("sin", Float(FloatFunction::Sin), f64::sin, [-100.0, 100.0]),
    ("cos", Float(FloatFunction::Cos), f64::cos, [-100.0, 100.0]),
    ("tan", Float(FloatFunction::Tan), f64::tan, [-100.0, 100.0]),
    ("asin", Float(FloatFunction::Asin), f64::asin, [-1.0, 1.0]),
    ("acos", Float(FloatFunction::Acos), f64::acos, [-1.0, 1.0]),
    ("atan", Float(FloatFunction::Atan), f64::atan, [-10.0, 10.0]),
    ("sinh", Float(FloatFunction::Sinh), f64::sinh, [-711.0, 711.0]),
    ("cosh", Float(FloatFunction::Cosh), f64::cosh, [-711.0, 711.0]),
    ("tanh", Float(FloatFunction::Tanh), f64::tanh, [-20.0, 20.0]),
    ("asinh", Float(FloatFunction::Asinh), asinh, [-10.0, 10.0]),
    ("acosh", Float(FloatFunction::Acosh), acosh, [1.0, 10.0]),
    ("atanh", Float(FloatFunction::Atanh), atanh, [-1.0, 1.0]),
    ("cbrt", Real(RealFunction::Cbrt), f64::cbrt, [-100.0, 100.0]),
    ("sigmoid", Real(RealFunction::Sigmoid), sigmoid, [-750.0, 40.0]),
    ("erf", Real(RealFunction::Erf), libm::erf, [-6.0, 6.0]),
    ("erfc", Real(RealFunction::Erfc), libm::erfc, [-6.0, 27.5]),
];

/// The reference of `asinh`. The standard library's function overflows for some arguments whose result is finite.
fn asinh(x: f64) -> f64 {
    if x.abs() > 1e100 { (x.abs().ln() + core::f64::consts::LN_2).copysign(x) } else { x.asinh() }
}
/// The reference of `acosh`. The standard library's function loses half of the digits near 1.
fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    if x < 1.0 {
        f64::NAN
    } else if x > 1e100 {
        x.ln() + core::f64::consts::LN_2
    } else {
        (t + (t * (t + 2.0)).sqrt()).ln_1p()
    }
}

/// The reference of `sigmoid`.
fn sigmoid(x: f64) -> f64 {
    (if x < 0.0 { x.exp() } else { 1.0 }) / (1.0 + (-x.abs()).exp())
}

/// The reference of `atanh`. The standard library's function has errors of several units in the last place.
fn atanh(x: f64) -> f64 {
    if x.abs() < 1e-9 { x } else { 0.5 * (x.ln_1p() - (-x).ln_1p()) }
}

/// The tested exponents of powers.
const EXPONENTS: [f64; 10] = [1.7, -0.3, 0.5, 2.0, -1.0, 1.0, 0.0, 3.0, 1e-3, 40.5];

fn of_name(name: &str, exponent: f64) -> Elementary {
    match name {
        "powf" => Power(exponent),
        "sqrt" => Float(FloatFunction::Sqrt),
        _ => FUNCTIONS.iter().find(|row| row.0 == name).expect("a function of this name").1,
    }
}

/// A generator of pseudo-random bits (SplitMix64).
fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}

macro_rules! of {
    ($($module:ident: $F:ident, $bits:ident, $numbers:ident;)*) => {$(
        mod $module {
            use super::*;

            /// Returns `f` of each argument in `x`, or `None` at a level without FMA.
            fn all(f: Elementary, x: &[$F]) -> Option<Vec<$F>> {
                let mut y = vec![0.0; x.len()];
                // SAFETY: both vectors have `x.len()` elements and do not overlap.
                unsafe { $numbers::map(f, x.as_ptr(), y.as_mut_ptr(), x.len()) }.then_some(y)
            }

            /// Returns the distance of two numbers in units in the last place: 0 if they are equal or both NaN.
            fn apart(a: $F, b: $F) -> $bits {
                let place = |x: $F| {
                    let bits = x.to_bits();
                    let sign = 1 << ($bits::BITS - 1);
                    if bits & sign == 0 { bits | sign } else { !bits }
                };
                if a.is_nan() && b.is_nan() { 0 } else { place(a).abs_diff(place(b)) }
            }

            /// Returns special arguments, random ones in a range, and random ones of all exponents.
            fn arguments([low, high]: [f64; 2], count: usize) -> Vec<$F> {
                let mut random = random(count as u64);
                let mut all: Vec<$F> = vec![
                    0.0, -0.0, 1.0, -1.0, 0.5, $F::INFINITY, $F::NEG_INFINITY, $F::NAN, $F::MIN_POSITIVE, $F::MAX, -$F::MAX,
                    $F::from_bits(1), -$F::from_bits(1), $F::EPSILON, 1.0 + $F::EPSILON, 1.0 - $F::EPSILON / 2.0,
                ];
                for _ in 0..count {
                    let part = (random() >> 11) as f64 / (1u64 << 53) as f64;
                    all.push((low + part * (high - low)) as $F);
                    all.push($F::from_bits((random() >> (64 - $bits::BITS)) as $bits));
                }
                all
            }

            #[test]
            fn correctly_rounded_results_are_next_to() {
                let Some(table) = table("real.tsv") else { return };
                let mut rows = 0;
                for line in table.lines().skip(1) {
                    let [name, of, x, y, expected] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
                    if of != stringify!($F) {
                        continue;
                    }
                    rows += 1;
                    let number = |bits: &str| $F::from_bits($bits::from_str_radix(&bits[2..], 16).expect("bits"));
                    let second = if y == "-" { 0.0 } else { number(y) };
                    let (x, expected) = (number(x), number(expected));
                    let find = || match name {
                        "atan2" => $numbers::one_of_pair(PairFunction::Atan2, x, second),
                        "hypot" => $numbers::one_of_pair(PairFunction::Hypot, x, second),
                        _ => $numbers::one(of_name(name, f64::from(second)), x),
                    };
                    let limit = if name == "sigmoid" { 2 } else { 1 };
                    for found in at_each_level(find).into_iter().flatten() {
                        let close = match expected.is_infinite() {
                            true => found == expected,
                            false => apart(found, expected) <= limit && found.is_sign_negative() == expected.is_sign_negative(),
                        };
                        assert!(close || (found.is_nan() && expected.is_nan()), "{line}: {found:e}, not {expected:e}");
                    }
                }
                assert!(rows > 500, "{rows} rows");
            }

            #[test]
            fn parts_of_complex_results_are_next_to() {
                let Some(table) = table("complex.tsv") else { return };
                let mut rows = 0;
                for line in table.lines().skip(1) {
                    let [name, of, x, y, n, u, v] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
                    if of != stringify!($F) {
                        continue;
                    }
                    rows += 1;
                    let number = |bits: &str| $F::from_bits($bits::from_str_radix(&bits[2..], 16).expect("bits"));
                    let (z, expected) = (Complex::new(number(x), number(y)), Complex::new(number(u), number(v)));
                    let find = || match n.split_once(' ') {
                        Some((u, v)) => $numbers::one_power(z, Complex::new(number(u), number(v))),
                        None => $numbers::one_complex(of_name(name, if n == "-" { 0.0 } else { n.parse().expect("an exponent") }), z),
                    };
                    // Without FMA, `num-complex` computes the results of the other arguments.
                    let portable = match (n == "-").then(|| of_name(name, 0.0)) {
                        Some(Float(f)) => $numbers::wide_ranging(f, z),
                        _ => None,
                    };
                    for found in at_each_level(find).into_iter().flatten().chain(portable) {
                        // If one part of a power, real or imaginary, is much smaller than the other, its error is small only compared with
                        // the larger part.
                        let larger = expected.re.abs().max(expected.im.abs());
                        let close = |a: $F, b: $F| {
                            let small = name.starts_with("pow") && (a - b).abs() <= 2.0 * $F::EPSILON * larger;
                            let limit = if name == "tan" || name == "tanh" { 3 } else { 2 };
                            // The angle is a sum of two numbers, so the sign of a part below their precision is not known.
                            let sign_is_known = larger == 0.0 || b.abs() > $F::EPSILON.powi(2) * larger;
                            let same_sign = a.is_sign_negative() == b.is_sign_negative() || (small && !sign_is_known);
                            (a.is_nan() && b.is_nan()) || (same_sign && (small || apart(a, b) <= limit))
                        };
                        let message = format!("{line}: {name}({z:e}) {n} is {found:e}, not {expected:e}");
                        assert!(close(found.re, expected.re) && close(found.im, expected.im), "{message}");
                    }
                }
                assert!(rows > 500, "{rows} rows");
            }

            #[test]
            fn the_c_library_is_close() {
                for (name, f, reference, range) in FUNCTIONS {
                    let x = arguments(range, 20_000);
                    let Some(y) = all(f, &x) else { return };
                    // For `f64`: 2 ulp for the error of the C library, which is above 1 ulp in `tanh`, and 1 ulp for this crate's error.
                    let near = if $bits::BITS == 32 { 1 } else { 3 };
                    for (x, y) in x.into_iter().zip(y) {
                        let expected = reference(f64::from(x)) as $F;
                        let near = near + $bits::from(name == "sigmoid");
                        assert!(apart(y, expected) <= near, "{name}({x:e}) is {y:e}, not {expected:e}");
                    }
                }
                for n in EXPONENTS {
                    let x = arguments([0.0, 10.0], 5_000);
                    let Some(y) = all(Power(n), &x) else { return };
                    for (x, y) in x.into_iter().zip(y) {
                        // The power 0 of a signalling NaN is 1, too, but the C library may return NaN.
                        let expected = if n == 0.0 { 1.0 } else { f64::from(x).powf(f64::from(n as $F)) as $F };
                        assert!(apart(y, expected) <= 2, "{x:e} to the power {n} is {y:e}, not {expected:e}");
                    }
                }
            }

            #[test]
            fn bits_depend_on_nothing_but_the_argument() {
                let functions = FUNCTIONS.iter().map(|&(name, f, _, range)| (name, f, range));
                let powers = EXPONENTS.iter().map(|&n| ("powf", Power(n), [0.0, 10.0]));
                for (name, f, range) in functions.chain(powers) {
                    // The arguments fill several chunks. Some chunks have no arguments above `FAR`, for which sine, cosine and tangent
                    // take another path.
                    let mut x = arguments(range, 700);
                    x.extend(arguments(range, 600).into_iter().filter(|x| x.abs() < 100.0));
                    let levels = at_each_level(|| all(f, &x));
                    let wide = levels.iter().flatten().collect::<Vec<_>>();
                    for level in &wide[1.min(wide.len())..] {
                        for ((x, a), b) in x.iter().zip(*level).zip(wide[0]) {
                            assert!(a.to_bits() == b.to_bits() || a.is_nan(), "{name}({x:e}): levels have other bits");
                        }
                    }
                    let Some(whole) = all(f, &x) else { continue };
                    let mut in_place = x.clone();
                    // SAFETY: both pointers are to the `x.len()` elements of `in_place`, which nothing else accesses.
                    assert!(unsafe { $numbers::map(f, in_place.as_ptr(), in_place.as_mut_ptr(), x.len()) });
                    for (i, (&y, &z)) in whole.iter().zip(&in_place).enumerate() {
                        let one = $numbers::one(f, x[i]).expect("the machine has FMA");
                        let same = |z: $F| y.to_bits() == z.to_bits() || (y.is_nan() && z.is_nan());
                        assert!(same(z) && same(one), "{name}({:e}): {y:e} among others, {one:e} alone, {z:e} in place", x[i]);
                    }
                    for n in [0, 1, 2, 3, 5, 7, 15, 31, 33, 100, 513] {
                        let part = all(f, &x[x.len() - n..]).expect("the machine has FMA");
                        let same = part.iter().zip(&whole[x.len() - n..]).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan());
                        assert!(same, "{name} of {n} numbers");
                    }
                }
            }

            #[test]
            fn bits_of_complex_results_depend_on_nothing_but_the_argument() {
                let parts = arguments([-3.0, 3.0], 400);
                let z: Vec<_> = parts.iter().zip(parts.iter().rev()).map(|(&re, &im)| Complex::new(re, im)).collect();
                let same = |a: Complex<$F>, b: Complex<$F>| {
                    let same = |a: $F, b: $F| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
                    same(a.re, b.re) && same(a.im, b.im)
                };
                let functions = FUNCTIONS.iter().filter(|row| matches!(row.1, Float(_))).map(|row| (row.0, row.1));
                let roots = [("sqrt", Float(FloatFunction::Sqrt))];
                for (name, f) in functions.chain(roots).chain(EXPONENTS.map(|n| ("powf", Power(n)))) {
                    let all = || {
                        let mut w = z.clone();
                        // SAFETY: the two vectors have `z.len()` elements each and do not overlap.
                        unsafe { $numbers::map_complex(f, z.as_ptr(), w.as_mut_ptr(), z.len()) }.then_some(w)
                    };
                    let Some(whole) = all() else { return };
                    for level in at_each_level(all).into_iter().flatten() {
                        assert!(whole.iter().zip(level).all(|(&a, b)| same(a, b)), "{name} at another level");
                    }
                    let mut in_place = z.clone();
                    // SAFETY: both pointers are to the `z.len()` elements of `in_place`, which nothing else accesses.
                    assert!(unsafe { $numbers::map_complex(f, in_place.as_ptr(), in_place.as_mut_ptr(), z.len()) });
                    for (i, &w) in whole.iter().enumerate() {
                        let one = $numbers::one_complex(f, z[i]).expect("the machine has FMA");
                        let message = format!("{name}({:e}): {w:e} among others, {one:e} alone, {:e} in place", z[i], in_place[i]);
                        assert!(same(w, one) && same(w, in_place[i]), "{message}");
                    }
                }
            }

            #[test]
            fn bits_of_functions_of_pairs_depend_on_nothing_but_the_arguments() {
                let y = arguments([-3.0, 3.0], 400);
                let x: Vec<_> = y.iter().rev().copied().collect();
                let same = |a: $F, b: $F| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
                for f in [PairFunction::Atan2, PairFunction::Hypot, PairFunction::Pow, PairFunction::Rem] {
                    let all = |y: &[$F], x: &[$F]| {
                        let mut z = vec![0.0; y.len()];
                        // SAFETY: the slices `y` and `x` and the vector `z` have `y.len()` elements each, and `z` overlaps neither slice.
                        unsafe { $numbers::map_pairs(f, y.as_ptr(), x.as_ptr(), z.as_mut_ptr(), y.len()) }.then_some(z)
                    };
                    let Some(whole) = all(&y, &x) else { return };
                    let mut in_place = y.clone();
                    // SAFETY: the first and the last pointer are to the `y.len()` elements of `in_place`, which nothing else accesses;
                    // `x` has as many elements.
                    assert!(unsafe { $numbers::map_pairs(f, in_place.as_ptr(), x.as_ptr(), in_place.as_mut_ptr(), y.len()) });
                    for (i, &z) in whole.iter().enumerate() {
                        let one = $numbers::one_of_pair(f, y[i], x[i]).expect("the machine has FMA");
                        let with = $numbers::one(Elementary::PairWith(f, Complex::new(x[i].into(), 0.0)), y[i]).expect("the machine has FMA");
                        assert!([one, with, in_place[i]].iter().all(|&other| same(z, other)), "{f:?}({:e}, {:e})", y[i], x[i]);
                    }
                    for level in at_each_level(|| all(&y, &x)).into_iter().flatten() {
                        assert!(whole.iter().zip(level).all(|(&a, b)| same(a, b)), "{f:?} at another level");
                    }
                }
            }

            #[test]
            fn bits_of_complex_powers_depend_on_nothing_but_the_arguments() {
                let parts = arguments([-3.0, 3.0], 400);
                let z: Vec<_> = parts.iter().zip(parts.iter().rev()).map(|(&re, &im)| Complex::new(re, im)).collect();
                let w: Vec<_> = z[1..].iter().chain(&z[..1]).copied().collect();
                let same = |a: Complex<$F>, b: Complex<$F>| {
                    let same = |a: $F, b: $F| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
                    same(a.re, b.re) && same(a.im, b.im)
                };
                let all = || {
                    let mut power = z.clone();
                    // SAFETY: the three vectors have `z.len()` elements each, and `power` overlaps neither of the others.
                    unsafe { $numbers::map_powers(z.as_ptr(), w.as_ptr(), power.as_mut_ptr(), z.len()) }.then_some(power)
                };
                let Some(whole) = all() else { return };
                for level in at_each_level(all).into_iter().flatten() {
                    assert!(whole.iter().zip(level).all(|(&a, b)| same(a, b)), "another level");
                }
                let mut in_place = z.clone();
                // SAFETY: the first and the last pointer are to the `z.len()` elements of `in_place`, which nothing else accesses;
                // `w` has as many elements.
                assert!(unsafe { $numbers::map_powers(in_place.as_ptr(), w.as_ptr(), in_place.as_mut_ptr(), z.len()) });
                for (i, &power) in whole.iter().enumerate() {
                    let one = $numbers::one_power(z[i], w[i]).expect("the machine has FMA");
                    let f = Elementary::PairWith(PairFunction::Pow, Complex::new(w[i].re.into(), w[i].im.into()));
                    let with = $numbers::one_complex(f, z[i]).expect("the machine has FMA");
                    assert!([one, with, in_place[i]].iter().all(|&other| same(power, other)), "{:e} to the power {:e}", z[i], w[i]);
                }
            }

            #[test]
            fn remainders_are_those_of_the_c_library() {
                let (mut x, mut y) = (arguments([-1e6, 1e6], 2000), arguments([-3.0, 3.0], 2000));
                y.reverse();
                // Quotients next to integers, which may round to these integers.
                for (i, divisor) in arguments([-3.0, 3.0], 300).into_iter().enumerate() {
                    for k in [1.0, 3.0, 1023.0, i as $F, 4194303.0] {
                        let multiple = divisor * k;
                        x.extend([multiple.next_down(), multiple, multiple.next_up(), multiple + divisor / 2.0]);
                        y.extend([divisor; 4]);
                    }
                }
                let all = || {
                    let mut z = vec![0.0; x.len()];
                    // SAFETY: `x`, `y` and `z` are different vectors of `x.len()` elements.
                    unsafe { $numbers::map_pairs(PairFunction::Rem, x.as_ptr(), y.as_ptr(), z.as_mut_ptr(), x.len()) }.then_some(z)
                };
                for found in at_each_level(all).into_iter().flatten() {
                    for ((&x, &y), found) in x.iter().zip(&y).zip(found) {
                        let expected = x % y;
                        let same = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
                        assert!(same, "{x:e} % {y:e}: {found:e}, not {expected:e}");
                    }
                }
            }

            #[test]
            fn without_fma_nothing_is_written() {
                let x = [1.0; 3];
                let mut y = [7.0; 3];
                crate::simd::tests::HIGHEST.set(Level::Portable);
                // SAFETY: `x` and `y` are two arrays of three elements.
                let done = unsafe { $numbers::map(Float(FloatFunction::Exp), x.as_ptr(), y.as_mut_ptr(), 3) };
                crate::simd::tests::HIGHEST.set(Level::Avx512);
                assert_eq!(done, cfg!(target_arch = "aarch64"));
                assert_eq!(y == [7.0; 3], !done);
            }
        }
    )*};
}
of! {
    double: f64, u64, numbers64;
    single: f32, u32, numbers32;
}
