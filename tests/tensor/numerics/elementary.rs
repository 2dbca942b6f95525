//! Measures the errors of elementary functions of `f32`, for all or some `f32` arguments. The references are functions of `f64`,
//! whose errors are negligible: a unit in the last place of `f32` is half a billion units of `f64`.
//!
//! With `VIERBEIN_F32_STEP=1`, every argument is tested, which takes an hour in an optimised build. By default, every 9973rd
//! argument is tested. In builds with debug assertions, which use the functions of the C library, it is every 499 979th. If
//! `VIERBEIN_F32_FUNCTION` is set, only functions whose names begin with its value are tested.
//!
//! If `VIERBEIN_F64_DIR` names a directory, the results of functions of `f64` are written to files in this directory.
//! `scripts/elementary/check-f64.py` compares these results with those of a library of higher precision.

use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::prelude::*;
use vierbein::{c32, c64, op};

type Vector = Tensor<f32, Rank<1>>;
type Function = (&'static str, fn(&Vector) -> Vector, fn(f64) -> f64);

// References for the inverse hyperbolic functions. Those of the standard library overflow for large arguments whose results are
// representable, and lose digits near 1.

fn asinh(x: f64) -> f64 {
    let large = (x.abs().ln() + std::f64::consts::LN_2).copysign(x);
    let near = (x.abs() + x * x / (1.0 + (x * x + 1.0).sqrt())).ln_1p().copysign(x);
    if x.abs() > 1e100 { large } else { near }
}
fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    if t < 0.0 { f64::NAN } else { (t + (t * (t + 2.0)).sqrt()).ln_1p() }
}
fn atanh(x: f64) -> f64 {
    0.5 * (x.ln_1p() - (-x).ln_1p())
}

/// The tested functions: name, function of `f32` tensors, and reference in `f64`.
const FUNCTIONS: [Function; 25] = [
    ("exp", |x| x.exp(), f64::exp),
    ("exp2", |x| x.exp2(), f64::exp2),
    ("exp_m1", |x| x.exp_m1(), f64::exp_m1),
    ("ln", |x| x.ln(), f64::ln),
    ("log2", |x| x.log2(), f64::log2),
    ("log10", |x| x.log10(), f64::log10),
    ("ln_1p", |x| x.ln_1p(), f64::ln_1p),
    ("sin", |x| x.sin(), f64::sin),
    ("cos", |x| x.cos(), f64::cos),
    ("tan", |x| x.tan(), f64::tan),
    ("asin", |x| x.asin(), f64::asin),
    ("acos", |x| x.acos(), f64::acos),
    ("atan", |x| x.atan(), f64::atan),
    ("sinh", |x| x.sinh(), f64::sinh),
    ("cosh", |x| x.cosh(), f64::cosh),
    ("tanh", |x| x.tanh(), f64::tanh),
    ("asinh", |x| x.asinh(), asinh),
    ("acosh", |x| x.acosh(), acosh),
    ("atanh", |x| x.atanh(), atanh),
    ("cbrt", |x| x.cbrt(), f64::cbrt),
    ("sigmoid", |x| x.sigmoid(), |x| 1.0 / (1.0 + (-x).exp())),
    ("erf", |x| x.erf(), libm::erf),
    ("erfc", |x| x.erfc(), libm::erfc),
    ("powf(1.7)", |x| x.powf(1.7), |x| x.powf(f64::from(1.7f32))),
    ("powf(-2.3)", |x| x.powf(-2.3), |x| x.powf(f64::from(-2.3f32))),
];

/// Returns the error of a result in units in the last place of the exact value. If both are NaN, the error is 0.
fn error(found: f32, exact: f64) -> f64 {
    if found.is_nan() || exact.is_nan() {
        return if found.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    // Replaces numbers whose absolute value exceeds `f32::MAX`, such as infinity, by ±2^128.
    let near = |x: f64| if x.abs() > f64::from(f32::MAX) { 2f64.powi(128).copysign(x) } else { x };
    let exponent = near(exact).abs().max(f64::from(f32::MIN_POSITIVE)).log2().floor().min(127.0);
    (near(f64::from(found)) - near(exact)).abs() / (exponent - 23.0).exp2()
}

#[test]
fn functions_of_f32_are_within_one_or_two_units_in_the_last_place() {
    let step = std::env::var("VIERBEIN_F32_STEP").map(|step| step.parse::<u64>().expect("a number"));
    let step = step.unwrap_or(if cfg!(debug_assertions) { 499_979 } else { 9973 });
    // The functions of the C library and of the standard library have errors of up to a few units. This crate's own functions are
    // used only if `own && fma`.
    let own =
        !cfg!(debug_assertions) && std::env::var_os("VIERBEIN_SIMD").is_none_or(|level| level != "portable");
    #[cfg(target_arch = "x86_64")]
    let fma = std::is_x86_feature_detected!("fma") && std::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let fma = cfg!(target_arch = "aarch64");
    let bound = if own && fma { 1.0 } else { 4.0 };
    let prefix = std::env::var("VIERBEIN_F32_FUNCTION").unwrap_or_default();
    let functions: Vec<Function> =
        FUNCTIONS.into_iter().filter(|(name, ..)| name.starts_with(&prefix)).collect();
    assert!(!functions.is_empty(), "there is no function whose name begins with {prefix:?}");
    let next = AtomicUsize::new(0);
    let test = || {
        while let Some((name, function, exact)) = functions.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (error, x) = largest_error(*function, *exact, step);
            println!("{name:10} of f32: {error:.3} units in the last place, at {x:e}");
            let bound =
                if matches!(*name, "sigmoid" | "tan" | "atan" | "tanh") { 2.0f64.max(bound) } else { bound };
            assert!(error < bound, "{name} of {x:e}: {error} units in the last place");
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(test)));
}

/// Returns the largest error of a function, and its argument, among the arguments whose bits are multiples of `step`.
fn largest_error(function: fn(&Vector) -> Vector, exact: fn(f64) -> f64, step: u64) -> (f64, f32) {
    let (mut from, mut largest) = (0, (0.0, 0.0));
    while from < 1 << 32 {
        let bits = (from..1 << 32).step_by(step as usize).take(1 << 14);
        let x: Vec<f32> = bits.map(|bits| f32::from_bits(bits as u32)).collect();
        from += (x.len() as u64) * step;
        for (&x, &y) in x.iter().zip(&function(&Vector::from_slice([x.len()], &x))) {
            let error = error(y, exact(f64::from(x)));
            if error > largest.0 {
                largest = (error, x);
            }
        }
    }
    largest
}

/// Writes ten million arguments and, for each function of `f64`, the results.
#[cfg(feature = "npy")]
#[test]
fn functions_of_f64_are_written_to_files() {
    let Some(dir) = std::env::var_os("VIERBEIN_F64_DIR").map(std::path::PathBuf::from) else { return };
    // The multiplier is that of the PCG generators. Half of the arguments have random bits, a quarter is from -1 to 1, and a quarter from
    // -50 to 50.
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 32
    };
    let x: Vec<f64> = (0..10_000_000)
        .map(|k| {
            let bits = next();
            let unit = (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
            [f64::from_bits(bits), f64::from_bits(bits), unit, 50.0 * unit][k % 4]
        })
        .collect();
    let x = Tensor::<f64, Rank<1>>::from_vec([x.len()], x);
    x.write_npy(dir.join("arguments.npy")).unwrap();
    let functions: [(&str, fn(&Tensor<f64, Rank<1>>) -> Tensor<f64, Rank<1>>); 23] = [
        ("exp", |x| x.exp()),
        ("exp2", |x| x.exp2()),
        ("exp_m1", |x| x.exp_m1()),
        ("ln", |x| x.ln()),
        ("log2", |x| x.log2()),
        ("log10", |x| x.log10()),
        ("ln_1p", |x| x.ln_1p()),
        ("sin", |x| x.sin()),
        ("cos", |x| x.cos()),
        ("tan", |x| x.tan()),
        ("asin", |x| x.asin()),
        ("acos", |x| x.acos()),
        ("atan", |x| x.atan()),
        ("sinh", |x| x.sinh()),
        ("cosh", |x| x.cosh()),
        ("tanh", |x| x.tanh()),
        ("asinh", |x| x.asinh()),
        ("acosh", |x| x.acosh()),
        ("atanh", |x| x.atanh()),
        ("cbrt", |x| x.cbrt()),
        ("erf", |x| x.erf()),
        ("erfc", |x| x.erfc()),
        ("powf", |x| x.powf(1.7)),
    ];
    for (name, function) in functions {
        function(&x).write_npy(dir.join(name).with_extension("npy")).unwrap();
    }
}

/// Powers of complex numbers with complex exponents, of views and with broadcasting, compared with e^(w ln z) in num-complex.
#[test]
fn complex_powers() {
    let number =
        |k: usize| c64::from_polar(0.1 + (k * 37 % 101) as f64 / 20.0, (k * 53 % 97) as f64 / 15.0 - 3.0);
    let z = Tensor::<c64, _>::from_fn([60, 20], |[i, j]| number(20 * i + j));
    let w = Tensor::<c64, _>::from_fn([20], |[j]| number(j + 7) - 1.5);
    let expected = |z: c64, w: c64| (w * z.ln()).exp();
    let close = |a: c64, b: c64| (a - b).norm() <= 1e-13 * b.norm();
    let by_row = z.slice(s![..;-2, ..]).pow(&w);
    assert!(by_row.indexed_iter().all(|([i, j], &f)| close(f, expected(z[[59 - 2 * i, j]], w[[j]]))));
    let by_scalar = z.t().pow(c64::new(0.0, 1.0));
    assert!(by_scalar.indexed_iter().all(|([j, i], &f)| close(f, expected(z[[i, j]], c64::new(0.0, 1.0)))));
    let mut in_place = z.clone();
    in_place.apply2_inplace(op::Pow, &w);
    assert!(in_place.indexed_iter().all(|([i, j], &f)| close(f, expected(z[[i, j]], w[[j]]))));
    let single = z.cast::<c32>().pow(&w.cast::<c32>());
    let of_single = |x: c32| c64::new(x.re.into(), x.im.into());
    for ([i, j], &f) in single.indexed_iter() {
        let exact = expected(of_single(z.cast::<c32>()[[i, j]]), of_single(w.cast::<c32>()[[j]]));
        assert!((of_single(f) - exact).norm() <= 2e-6 * exact.norm(), "{f} is not {exact}");
    }
    // Powers of zero, and the power zero.
    let zeros = Tensor::<c64, _>::zeros([3]);
    let exponents = tensor![c64::new(0.0, 0.0), c64::new(2.0, 0.0), c64::new(0.5, -3.0)];
    assert_eq!(zeros.pow(&exponents), tensor![c64::new(1.0, 0.0), c64::new(0.0, 0.0), c64::new(0.0, 0.0)]);
    assert!(zeros.pow(c64::new(0.0, 1.0)).iter().all(|x| x.re.is_nan()));
}
