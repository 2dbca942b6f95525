//! Functions whose intermediate results might leave the range of numbers, for arguments of all magnitudes. `scripts/elementary/ranges.py`
//! computed the expected results with mpmath.

use vierbein::prelude::*;
use vierbein::{DynTensor, c32, c64};

/// The rows of one function and type.
struct Rows<F> {
    /// The largest allowed error in units in the last place.
    allowed: f64,
    arguments: Vec<Vec<F>>,
    /// The integer exponent of each row, for powers.
    exponents: Vec<i32>,
    expected: Vec<Vec<F>>,
}

macro_rules! of {
    ($module:ident: $F:ident, $C:ident, $Bits:ident) => {
        mod $module {
            use super::*;

            fn rows(name: &str, dtype: &str) -> Rows<$F> {
                let mut rows = Rows { allowed: 0.0, arguments: vec![], exponents: vec![], expected: vec![] };
                for line in include_str!("../../data/ranges.tsv").lines() {
                    let fields: Vec<&str> = line.split('\t').collect();
                    if fields[0] != name || fields[1] != dtype {
                        continue;
                    }
                    rows.allowed = fields[2].parse().expect("a number");
                    let number = |field: &&str| match field.strip_prefix("0x") {
                        Some(bits) => {
                            Some($F::from_bits($Bits::from_str_radix(bits, 16).expect("hexadecimal digits")))
                        }
                        None => None,
                    };
                    let arrow = fields.iter().position(|&field| field == "->").expect("an arrow");
                    rows.arguments.push(fields[3..arrow].iter().filter_map(number).collect());
                    rows.expected.push(fields[arrow + 1..].iter().filter_map(number).collect());
                    rows.exponents.push(fields[3].parse().unwrap_or_default());
                }
                assert!(rows.arguments.len() >= 100, "there are rows of {name}");
                rows
            }

            /// Returns the distance in units in the last place of `expected`, or of `unit` if that is larger.
            fn error(found: $F, expected: $F, unit: $F) -> f64 {
                if found == expected {
                    return 0.0;
                }
                let exponent =
                    f64::from(expected.abs().max(unit).max($F::MIN_POSITIVE)).log2().floor() as i32;
                // The difference is computed near 1, as 2^exponent may be near a limit of the range.
                let near = |x: $F| {
                    let half = 2f64.powi(-exponent / 2);
                    f64::from(x) * half * 2f64.powi(-exponent - -exponent / 2)
                };
                (near(found) - near(expected)).abs() / f64::from($F::EPSILON)
            }

            /// Checks results. If `joint`, the unit of an error is that of the larger part.
            fn check(name: &str, rows: &Rows<$F>, joint: bool, found: &[Vec<$F>]) {
                let mut largest = 0f64;
                for (k, found) in found.iter().enumerate() {
                    let expected = &rows.expected[k];
                    let larger = expected.iter().fold(0.0, |a: $F, x| a.max(x.abs()));
                    for (&x, &y) in found.iter().zip(expected) {
                        let error = error(x, y, if joint { larger } else { 0.0 });
                        let (arguments, n) = (&rows.arguments[k], rows.exponents[k]);
                        assert!(
                            error <= rows.allowed,
                            "{name} of {arguments:?} {n}: {x:e}, not {y:e}: {error:.2}"
                        );
                        largest = largest.max(error);
                    }
                }
                println!("{name:9} of {}: {largest:.3} units in the last place", stringify!($F));
            }

            fn list(x: impl IntoIterator<Item = $C>) -> Vec<Vec<$F>> {
                x.into_iter().map(|z| vec![z.re, z.im]).collect()
            }

            type S = Tensor<$C, Rank<0>>;
            type V = Tensor<$C, Rank<1>>;
            type M = Tensor<$C, Rank<2>>;

            fn column(rows: &Rows<$F>, at: usize) -> V {
                V::from(rows.arguments.iter().map(|x| $C::new(x[at], x[at + 1])).collect::<Vec<_>>())
            }

            #[test]
            fn quotients() {
                for name in ["quotient", "unscale"] {
                    let rows = rows(name, stringify!($C));
                    let (a, b) = (column(&rows, 0), column(&rows, 2));
                    let check = |found: &V| check(name, &rows, false, &list(found.to_vec()));
                    let found = &a / &b;
                    check(&found);
                    // The other forms of the operation give the same bits: in place of either operand, with a scalar on either side,
                    // broadcast, of a single element, and at any offset.
                    let same = |other: &V| {
                        for (k, (x, y)) in found.to_vec().into_iter().zip(other.to_vec()).enumerate() {
                            let bits = |z: $C| [z.re.to_bits(), z.im.to_bits()];
                            assert_eq!(bits(x), bits(y), "{name} {k}: {x} and {y}");
                        }
                    };
                    let mut inplace = a.clone();
                    inplace /= &b;
                    same(&inplace);
                    same(&(a.clone() / &b));
                    same(&(&a / b.clone()));
                    let mut strided = M::zeros([a.len(), 2]);
                    strided.index_axis_mut(1, 0).assign(&a);
                    same(&(strided.index_axis(1, 0) / &b));
                    for k in 0..a.len() {
                        let (x, y) = (a[[k]], b[[k]]);
                        same_element(found[[k]], (S::scalar(x) / S::scalar(y)).item());
                        same_element(found[[k]], (x / V::from([y; 3]))[[2]]);
                        same_element(found[[k]], (V::from([x; 9]) / y)[[8]]);
                        same_element(found[[k]], (&M::from([[x; 2]; 2]) / &V::from([y; 2]))[[1, 1]]);
                        let dynamic = &DynTensor::from(S::scalar(x)) / y;
                        same_element(
                            found[[k]],
                            dynamic.item().expect("one element").get().expect("its type"),
                        );
                    }
                    if name == "unscale" {
                        // A real scalar divides both parts, which is rounded once.
                        let quotients = (0..a.len()).map(|k| (V::from([a[[k]]; 2]) / b[[k]].re)[[1]]);
                        check(&V::from(quotients.collect::<Vec<_>>()));
                    }
                }
                let rows = rows("recip", stringify!($C));
                let a = column(&rows, 0);
                check("recip", &rows, false, &list(a.recip().to_vec()));
                check("recip", &rows, false, &list((1.0 as $F / &a).to_vec()));
                check("recip", &rows, false, &list(a.powf(-1.0).to_vec()));
                check("recip", &rows, false, &list(a.powi(-1).to_vec()));
                check(
                    "recip",
                    &rows,
                    false,
                    &list(a.to_vec().into_iter().map(|x| S::scalar(x).recip().item())),
                );
                let mut inplace = a.clone();
                inplace.apply_inplace(vierbein::op::Recip);
                check("recip", &rows, false, &list(inplace.to_vec()));
            }

            #[test]
            fn integer_powers() {
                let real = rows("powi", stringify!($F));
                let complex = rows("powi", stringify!($C));
                // In tensors of one element, of three and of many, because these are computed by different loops.
                for count in [1, 3, 2000] {
                    let of_reals = |k: usize| {
                        Tensor::<$F, Rank<1>>::from(vec![real.arguments[k][0]; count]).powi(real.exponents[k])
                            [[count - 1]]
                    };
                    let found: Vec<_> = (0..real.arguments.len()).map(|k| vec![of_reals(k)]).collect();
                    check("powi", &real, false, &found);
                    let of_complex = |k: usize| {
                        let z = $C::new(complex.arguments[k][0], complex.arguments[k][1]);
                        V::from(vec![z; count]).powi(complex.exponents[k])[[count - 1]]
                    };
                    check("powi", &complex, true, &list((0..complex.arguments.len()).map(of_complex)));
                }
            }

            #[test]
            fn functions() {
                let angles = rows("atan2", stringify!($F));
                let part = |k: usize| {
                    Tensor::<$F, Rank<1>>::from(angles.arguments.iter().map(|x| x[k]).collect::<Vec<_>>())
                };
                let (y, x) = (part(0), part(1));
                check(
                    "atan2",
                    &angles,
                    false,
                    &y.atan2(&x).to_vec().into_iter().map(|x| vec![x]).collect::<Vec<_>>(),
                );
                let points =
                    V::from(angles.arguments.iter().map(|x| $C::new(x[1], x[0])).collect::<Vec<_>>());
                check(
                    "atan2",
                    &angles,
                    false,
                    &points.arg().to_vec().into_iter().map(|x| vec![x]).collect::<Vec<_>>(),
                );
                for (k, z) in points.iter().enumerate() {
                    check_row("arg", &angles, k, S::scalar(*z).arg().item());
                }
                let roots = rows("sqrt", stringify!($C));
                check("sqrt", &roots, false, &list(column(&roots, 0).sqrt().to_vec()));
                check(
                    "sqrt",
                    &roots,
                    false,
                    &list(column(&roots, 0).to_vec().into_iter().map(|z| S::scalar(z).sqrt().item())),
                );
                let differences = rows("exp_m1", stringify!($C));
                check("exp_m1", &differences, true, &list(column(&differences, 0).exp_m1().to_vec()));
                let logarithms = rows("ln_1p", stringify!($C));
                let found = column(&logarithms, 0).ln_1p();
                check("ln_1p", &logarithms, true, &list(found.to_vec()));
                // The real part keeps its digits if the modulus of the argument is near 1.
                check("ln_1p", &logarithms, false, &list(found.to_vec()));
                let powers = rows("exp2", stringify!($C));
                check("exp2", &powers, true, &list(column(&powers, 0).exp2().to_vec()));
            }

            fn check_row(name: &str, rows: &Rows<$F>, k: usize, x: $F) {
                let error = error(x, rows.expected[k][0], 0.0);
                assert!(error <= rows.allowed, "{name} of {:?}: {x:e}: {error:.2}", rows.arguments[k]);
            }

            fn same_element(x: $C, y: $C) {
                assert_eq!([x.re.to_bits(), x.im.to_bits()], [y.re.to_bits(), y.im.to_bits()], "{x} and {y}");
            }
        }
    };
}
of!(double: f64, c64, u64);
of!(single: f32, c32, u32);

#[test]
fn integers_are_compared_as_integers() {
    let x = tensor![i64::MAX, i64::MIN, 7];
    let y = tensor![i64::MAX - 10, i64::MIN + 10, 8];
    assert!(!x.all_close(&y, 0.0, 1.0) && x.all_close(&y, 0.0, 10.0));
    assert_eq!(x.is_close(&y, 0.0, 1.0), tensor![false, false, true]);
    assert_eq!(tensor![u64::MAX, 0].is_close(tensor![0, u64::MAX], 0.0, 1e19), tensor![false, false]);
    assert_eq!(tensor![u64::MAX, 0].is_close(tensor![0, u64::MAX], 0.0, 2e19), tensor![true, true]);
    assert_eq!(tensor![i8::MIN, -128].is_close(tensor![i8::MAX, -100], 0.25, 3.0), tensor![false, true]);
    assert_eq!(tensor![1, 1].is_close(tensor![1, 2], f64::NAN, -1.0), tensor![true, false]);
    let dynamic = DynTensor::from(x).is_close(&DynTensor::from(y), 0.0, 1.0).unwrap();
    assert_eq!(dynamic.downcast_ref::<bool, Rank<1>, RowMajor, Cpu>().unwrap(), tensor![false, false, true]);
}

#[test]
fn large_numbers_are_compared_without_overflow() {
    let z = tensor![c64::new(1.7e308, 1.7e308)];
    assert!(z.all_close(&z * (1.0 - 6e-15), 1e-14, 0.0));
    assert!(!z.all_close(&z * (1.0 - 6e-14), 1e-14, 0.0) && !z.all_close(-&z, 1.0, 0.0));
    assert!(tensor![f64::MAX].all_close(tensor![-f64::MAX], 2.5, 0.0));
    assert!(!tensor![f64::MAX].all_close(tensor![-f64::MAX], 1.5, 0.0));
    assert!(!tensor![5e-324].all_close(tensor![0.0], 1.0, 0.0));
    let infinite =
        tensor![c64::new(f64::INFINITY, 0.0), c64::new(1.0, f64::NAN), c64::new(f64::INFINITY, 0.0)];
    let other = tensor![c64::new(f64::INFINITY, 0.0), c64::new(1.0, f64::NAN), c64::new(1e308, 1e308)];
    assert_eq!(infinite.is_close(&other, 1e-3, 1e-3), tensor![true, false, false]);
}

/// The results of NumPy's `round`, except where its product with a power of 10 overflows.
#[test]
fn rounding_to_decimals() {
    let x = tensor![2.5, 0.125, -0.375, 1e300, -0.004, 123.456_f64];
    assert_eq!(x.round_to(2), tensor![2.5, 0.12, -0.38, 1e300, 0.0, 123.46]);
    assert!(f64::is_sign_negative(x.round_to(2)[[4]]));
    assert_eq!(x.round_to(0), tensor![2.0, 0.0, 0.0, 1e300, 0.0, 123.0]);
    assert_eq!(x.round_to(400), x);
    assert_eq!(tensor![151.0, 250.0, 1e300].round_to(-2), tensor![200.0, 200.0, 1e300]);
    assert_eq!(tensor![9.9e307, 1.0, f64::INFINITY].round_to(-308), tensor![1e308, 0.0, f64::INFINITY]);
    assert_eq!(tensor![1e300, -1.0].round_to(-400), tensor![0.0, 0.0]);
    assert!(tensor![f64::NAN].round_to(3)[[0]].is_nan());
    assert_eq!(tensor![1.0625f32, 3e38, 0.5].round_to(3), tensor![1.062, 3e38, 0.5]);
}
