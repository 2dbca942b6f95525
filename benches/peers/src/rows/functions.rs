//! Elementary functions of real and complex numbers. The operand is contiguous, and the output is preallocated. Operands of the smaller sizes
//! fit in the caches, the largest do not.

use super::Entry;
use crate::implementation::Library::{Ndarray, Std, Vierbein, Wide};
use crate::{Problem, Row};
use ndarray::{Array1, Zip};
use num_complex::Complex;
use vierbein::{Rank, Tensor, op};

/// Numbers of elements, as integers and as text for the name of a row.
const SIZES: [(usize, &str); 3] = [(1000, "10³"), (20_000, "2·10⁴"), (10_000_000, "10⁷")];

/// Returns `n` different arguments, spread evenly from `low` to `high` (multiples of the golden ratio, modulo 1).
fn arguments(n: usize, low: f64, high: f64) -> impl Iterator<Item = f64> {
    (0..n).map(move |k| low + (high - low) * ((k as f64 * 0.618_033_988_749_894_9).fract()))
}

macro_rules! functions {
    ($all:ident: $T:ident, $Lanes:ident, $count:literal) => {
        pub(super) fn $all() -> Vec<Entry<$T>> {
            type Function = (
                &'static str,
                [f64; 2],
                fn(f64) -> f64,
                fn(&Tensor<$T, Rank<1>>, &mut Tensor<$T, Rank<1>>),
                fn($T) -> $T,
                Option<fn(wide::$Lanes) -> wide::$Lanes>,
            );
            macro_rules! function {
                ($name:literal, $op:expr, powf($n:expr), [$low:literal, $high:literal]) => {
                    function!(
                        @ $name, $op, [$low, $high], |x| x.powf($n), |x| x.powf($n),
                        Some(|x: wide::$Lanes| x.powf_simd(wide::$Lanes::splat($n)))
                    )
                };
                ($name:literal, $op:expr, $method:ident, [$low:literal, $high:literal]) => {
                    function!(@ $name, $op, [$low, $high], |x| x.$method(), |x| x.$method(), Some(|x: wide::$Lanes| x.$method()))
                };
                ($name:literal, $op:expr, $method:ident, [$low:literal, $high:literal], not in wide) => {
                    function!(@ $name, $op, [$low, $high], |x| x.$method(), |x| x.$method(), None)
                };
                (@ $name:literal, $op:expr, $range:expr, $exact:expr, $std:expr, $wide:expr) => {
                    ($name, $range, $exact, |x, out| x.apply_into($op, out), $std, $wide)
                };
            }
            let functions: [Function; 21] = [
                function!("exp", op::Exp, exp, [-10.0, 10.0]),
                function!("exp2", op::Exp2, exp2, [-10.0, 10.0]),
                function!("exp_m1", op::ExpM1, exp_m1, [-3.0, 10.0]),
                function!("ln", op::Ln, ln, [0.1, 100.0]),
                function!("log2", op::Log2, log2, [0.1, 100.0]),
                function!("log10", op::Log10, log10, [0.1, 100.0]),
                function!("ln_1p", op::Ln1p, ln_1p, [-0.5, 100.0]),
                function!("sin", op::Sin, sin, [-100.0, 100.0]),
                function!("cos", op::Cos, cos, [-100.0, 100.0]),
                function!("tan", op::Tan, tan, [-1.5, 1.5]),
                function!("asin", op::Asin, asin, [-1.0, 1.0]),
                function!("acos", op::Acos, acos, [-1.0, 1.0]),
                function!("atan", op::Atan, atan, [-10.0, 10.0]),
                function!("sinh", op::Sinh, sinh, [-10.0, 10.0]),
                function!("cosh", op::Cosh, cosh, [-10.0, 10.0]),
                function!("tanh", op::Tanh, tanh, [-3.0, 3.0]),
                function!("asinh", op::Asinh, asinh, [-10.0, 10.0], not in wide),
                function!("acosh", op::Acosh, acosh, [1.1, 10.0], not in wide),
                function!("atanh", op::Atanh, atanh, [-0.9, 0.9], not in wide),
                function!("cbrt", op::Cbrt, cbrt, [-100.0, 100.0]),
                function!("powf 1.7", op::Powf(1.7), powf(1.7), [0.1, 100.0]),
            ];
            let mut all = Vec::new();
            for (n, size) in SIZES {
                for (name, [low, high], exact, own, std, lanes) in functions {
                    all.push(Entry::new(format!("{name} {size}"), move || {
                        let x: Vec<$T> = arguments(n, low, high).map(|x| x as $T).collect();
                        let (a, b) = (Tensor::from_vec([n], x.clone()), Array1::from_vec(x.clone()));
                        let (y, z) = (x.clone(), x.clone());
                        let expected = move |index: &[usize]| {
                            let value = exact(f64::from(x[index[0]])) as $T;
                            (value, f64::from(value).abs() + 1e-2)
                        };
                        let row = Row::new(Problem::defined([n], expected))
                            .over(Vierbein, Tensor::<$T, Rank<1>>::zeros([n]), move |out| own(&a, out))
                            .over(Ndarray, Array1::<$T>::zeros(n), move |out| {
                                Zip::from(out).and(&b).for_each(|out, &x| *out = std(x));
                            })
                            .over(Std, vec![0.0; n], move |out: &mut Vec<$T>| {
                                out.iter_mut().zip(&y).for_each(|(out, &x)| *out = std(x));
                            });
                        let Some(lanes) = lanes else { return row };
                        row.over(Wide, vec![0.0; n], move |out: &mut Vec<$T>| {
                            let (from, to) = (z.as_chunks::<$count>().0, out.as_chunks_mut::<$count>().0);
                            for (to, &from) in to.iter_mut().zip(from) {
                                *to = lanes(wide::$Lanes::from(from)).to_array();
                            }
                        })
                    }));
                }
            }
            all
        }
    };
}
functions!(of_f64: f64, f64x4, 4);
functions!(of_f32: f32, f32x8, 8);

/// Functions of complex numbers. The column `std` has those of `num-complex`.
pub(super) fn of_c64() -> Vec<Entry<Complex<f64>>> {
    type C64 = Complex<f64>;
    type Function = (&'static str, fn(C64) -> C64, fn(&Tensor<C64, Rank<1>>, &mut Tensor<C64, Rank<1>>));
    macro_rules! function {
        ($name:literal, $op:expr, $std:expr) => {
            ($name, $std, |x, out| x.apply_into($op, out))
        };
    }
    let functions: [Function; 10] = [
        function!("exp", op::Exp, |z| z.exp()),
        function!("ln", op::Ln, |z| z.ln()),
        function!("sin", op::Sin, |z| z.sin()),
        function!("tan", op::Tan, |z| z.tan()),
        function!("asin", op::Asin, |z| z.asin()),
        function!("atan", op::Atan, |z| z.atan()),
        function!("cosh", op::Cosh, |z| z.cosh()),
        function!("tanh", op::Tanh, |z| z.tanh()),
        function!("powf 1.7", op::Powf(1.7), |z| z.powf(1.7)),
        (
            "powc 1+0.5i",
            |z| z.powc(C64::new(1.0, 0.5)),
            |x, out| x.apply2_into(op::Pow, C64::new(1.0, 0.5), out),
        ),
    ];
    let mut all = Vec::new();
    for (n, size) in [SIZES[0], SIZES[1]] {
        for (name, std, own) in functions {
            all.push(Entry::new(format!("{name} {size}"), move || {
                let x: Vec<C64> = arguments(n, 0.1, 3.0)
                    .zip(arguments(n + 7, -2.0, 2.0).skip(7))
                    .map(|(re, im)| C64::new(re, im))
                    .collect();
                let (a, b) = (Tensor::from_vec([n], x.clone()), Array1::from_vec(x.clone()));
                let y = x.clone();
                Row::new(Problem::defined([n], move |index| {
                    let value = std(x[index[0]]);
                    (value, value.norm() + 1e-2)
                }))
                .over(Vierbein, Tensor::<C64, Rank<1>>::zeros([n]), move |out| own(&a, out))
                .over(Ndarray, Array1::<C64>::zeros(n), move |out| {
                    Zip::from(out).and(&b).for_each(|out, &z| *out = std(z));
                })
                .over(Std, vec![C64::default(); n], move |out: &mut Vec<C64>| {
                    out.iter_mut().zip(&y).for_each(|(out, &z)| *out = std(z));
                })
            }));
        }
    }
    all
}
