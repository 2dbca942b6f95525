//! A law: functions that are homogeneous of degree `k` give `f(s · x) = s^k · f(x)` for powers of two `s`, as long as the result is in range.
//! Sums, differences and squares of the scaled elements are not.

use vierbein::{
    Bins, CastTo, ColMajor, Complex, DynTensor, Inexact, Order, Quantile, Rank, RealFloat, RowMajor, Scalar,
    Tensor, op, tensor,
};

type V<T, O> = Tensor<T, Rank<1>, O>;
type M<T, O> = Tensor<T, Rank<2>, O>;

/// A number type with its range: the elements are less than `2^PEAK`, and the scales are `2^±e` for `e` up to `EXPONENT`.
trait Range: RealFloat<Magnitude = Self> + CastTo<f64> {
    const PEAK: i32;
    const EXPONENT: i32;
    const EPSILON: f64;
    const TINY: f64;
}
impl Range for f64 {
    const PEAK: i32 = 23;
    const EXPONENT: i32 = 1000;
    const EPSILON: f64 = f64::EPSILON;
    const TINY: f64 = f64::MIN_POSITIVE;
}
impl Range for f32 {
    const PEAK: i32 = 7;
    const EXPONENT: i32 = 120;
    const EPSILON: f64 = f32::EPSILON as f64;
    const TINY: f64 = f32::MIN_POSITIVE as f64;
}

fn wide<T: CastTo<f64> + vierbein::Element>(x: T) -> f64 {
    x.cast_to()
}

fn list<T: Range, const N: usize, O: Order>(x: Tensor<T, Rank<N>, O>) -> Vec<f64>
where
    Rank<N>: vierbein::Dim,
{
    x.to_vec().into_iter().map(wide).collect()
}

/// Checks `f(s · x) = s^degree · f(x)`. `f` gets the scale `s`.
fn check<T: Range>(name: &str, degree: i32, f: impl Fn(T) -> Vec<f64>) {
    let of = |e: i32| f(T::from_f64(2f64.powi(e)));
    let plain = of(0);
    let largest = plain.iter().fold(0f64, |a, b| a.max(b.abs()));
    assert!(largest.is_finite() && largest > 0.0, "{name}: {plain:?}");
    let step = T::EXPONENT / 8;
    // Builds with debug assertions, which are slow, use every second scale.
    for e in (-8..=8).step_by(if cfg!(debug_assertions) { 2 } else { 1 }).map(|k| k * step) {
        if e == 0 {
            continue;
        }
        let found = of(e);
        assert_eq!(found.len(), plain.len(), "{name} at 2^{e}");
        let (factor, largest) = (T::from_f64(2f64.powi(e)), T::from_f64(largest * 256.0 * T::EPSILON));
        for (&found, &plain) in found.iter().zip(&plain) {
            // In steps, because the power itself may not be representable.
            let mut expected = T::from_f64(plain);
            let mut allowed = largest;
            for _ in 0..degree {
                expected *= factor;
                allowed *= factor;
            }
            let (expected, allowed) = (wide(expected), wide(allowed) + T::TINY * T::EPSILON * 4.0);
            // If the largest results are out of range, the others may be, too: a complex number with an infinite part has NaN parts.
            let right = match expected.is_finite() {
                true if allowed.is_infinite() => continue,
                true => (found - expected).abs() <= allowed,
                false => !found.is_finite(),
            };
            assert!(right, "{name} at 2^{e}: {found:e} instead of {expected:e}");
        }
    }
}

/// Numbers in both directions from zero, less than `2^PEAK`, in a scattered order. Half of them have the same sign.
fn elements<T: Range, O: Order>(rows: usize, columns: usize) -> M<T, O> {
    let peak = 2f64.powi(T::PEAK);
    M::from_fn([rows, columns], |[i, j]| {
        let k = (i * columns + j) * 7919 + i * i * 31;
        T::from_f64(peak * (((k % 1009) as f64 + 0.5) / 1009.0 * 1.5 - 0.5))
    })
}

fn in_order<T, O: Order>(rows: usize, columns: usize)
where
    T: Range + Into<vierbein::DynScalar>,
    Complex<T>: Inexact<Magnitude = T, Real = T>,
    DynTensor: From<M<T, O>> + From<M<Complex<T>, O>>,
{
    let x = elements::<T, O>(rows, columns);
    let z: M<Complex<T>, O> = M::from_fn([rows, columns], |[i, j]| {
        Complex::new(x[[i, j]], x[[rows - 1 - i, j]] * T::from_f64(0.75))
    });
    let w: V<T, O> = V::from_fn([columns], |[j]| T::from_f64(0.5 + (j * 37 % 11) as f64));
    let scaled = |s: T| &x * s;
    let scaled_complex = |s: T| &z * Complex::<T>::from_real(s);
    let parts =
        |x: Vec<Complex<T>>| -> Vec<f64> { x.into_iter().flat_map(|x| [wide(x.re), wide(x.im)]).collect() };
    let dynamic = |s: T| DynTensor::from(scaled(s));
    let values = |x: DynTensor| -> Vec<f64> { x.to_vec::<T>().unwrap().into_iter().map(wide).collect() };

    let with_nan = |s: T| {
        let mut x = scaled(s);
        x[[0, 1]] = T::nan();
        x
    };
    for axis in [0, 1] {
        check("mean", 1, |s: T| list(scaled(s).mean_axis(axis)));
        check("mean, keepdims", 1, |s: T| list(scaled(s).mean_keepdims(axis)));
        check("mean, into", 1, |s: T| {
            let mut out = V::zeros([if axis == 0 { columns } else { rows }]);
            scaled(s).reduce_into(op::Mean, [axis], &mut out);
            list(out)
        });
        check("mean, complex", 1, |s: T| parts(scaled_complex(s).mean_axis(axis).to_vec()));
        check("mean, dynamic", 1, |s: T| values(dynamic(s).mean_axis(axis).unwrap()));
        check("nan_mean", 1, |s: T| list(with_nan(s).nan_mean_axis(axis)));
        check("nan_mean, dynamic", 1, |s: T| {
            values(DynTensor::from(with_nan(s)).nan_mean_axis(axis).unwrap())
        });
        check("var", 2, |s: T| list(scaled(s).var_axis(axis, 1)));
        check("var, complex", 2, |s: T| list(scaled_complex(s).var_axis(axis, 0)));
        check("var, dynamic", 2, |s: T| values(dynamic(s).var_axis(axis, 1).unwrap()));
        check("nan_var", 2, |s: T| list(with_nan(s).nan_var_axis(axis, 0)));
        check("nan_var, dynamic", 2, |s: T| {
            values(DynTensor::from(with_nan(s)).nan_var_axis(axis, 0).unwrap())
        });
        check("std", 1, |s: T| list(scaled(s).std_axis(axis, 1)));
        check("std, complex", 1, |s: T| list(scaled_complex(s).std_axis(axis, 0)));
        check("std, dynamic", 1, |s: T| values(dynamic(s).std_axis(axis, 1).unwrap()));
        check("nan_std", 1, |s: T| list(with_nan(s).nan_std_axis(axis, 0)));
        check("nan_std, dynamic", 1, |s: T| {
            values(DynTensor::from(with_nan(s)).nan_std_axis(axis, 0).unwrap())
        });
        check("norm", 1, |s: T| list((scaled(s) * T::from_f64(2f64.powi(-12 - T::PEAK))).norm_axis(axis)));
        check("median", 1, |s: T| list(scaled(s).median_axis(axis).cast::<T>()));
        check("nan_median", 1, |s: T| list(with_nan(s).nan_median_axis(axis).cast::<T>()));
        check("quantile", 1, |s: T| {
            list(scaled(s).quantile(axis, [0.1, 0.77], Quantile::Linear).cast::<T>())
        });
        check("quantile, dynamic", 1, |s: T| {
            values(dynamic(s).quantiles(axis, &[0.1, 0.77], Quantile::Hazen).unwrap())
        });
        check("trapezoid", 1, |s: T| {
            let h = T::from_f64(0.5 / (rows + columns) as f64);
            list(scaled(s).trapezoid(axis, h))
        });
        check("trapezoid, dynamic", 1, |s: T| {
            values(dynamic(s).trapezoid(axis, 0.5 / (rows + columns) as f64).unwrap())
        });
    }
    check("mean of all", 1, |s: T| vec![wide(scaled(s).mean().item())]);
    check("mean of all, of a view", 1, |s: T| vec![wide(scaled(s).t().mean().item())]);
    check("std of all", 1, |s: T| vec![wide(scaled(s).std(0).item())]);
    check("var of all, dynamic", 2, |s: T| values(dynamic(s).var(0).unwrap()));
    check("average", 1, |s: T| list(scaled(s).average(1, &w)));
    check("average, weights", 0, |s: T| list(x.average(1, &w * s)));
    check("average, both", 1, |s: T| list(scaled(s).average(1, &w * s)));
    check("average, into", 1, |s: T| {
        let mut out = V::zeros([rows]);
        scaled(s).average_into(1, &w * s, &mut out);
        list(out)
    });
    check("average, complex", 1, |s: T| {
        let w = w.map(Complex::<T>::from_real);
        parts(scaled_complex(s).average(1, w).to_vec())
    });
    check("average, dynamic", 1, |s: T| values(dynamic(s).average(1, &(&w * s)).unwrap()));
    check("trapezoid, into", 1, |s: T| {
        let mut out = V::zeros([rows]);
        scaled(s).trapezoid_into(1, T::from_f64(0.5 / columns as f64), &mut out);
        list(out)
    });
    check("cov", 2, |s: T| list(scaled(s).cov(1)));
    check("cov of a small and a large row", 0, |s: T| {
        let by = V::from_fn([rows], |[i]| if i == 0 { s } else { T::one() / s });
        let x = &x * by.insert_axis(1);
        list(x.cov(1).index_axis(0, 0).slice(vierbein::s![1..]).to_owned())
    });
    check("cov, into", 2, |s: T| {
        let mut out = M::zeros([rows, rows]);
        scaled(s).cov_into(1, &mut out);
        list(out)
    });
    check("cov, complex", 2, |s: T| parts(scaled_complex(s).cov(1).to_vec()));
    check("cov, dynamic", 2, |s: T| values(dynamic(s).cov(1).unwrap()));
    check("corrcoef", 0, |s: T| list(scaled(s).corrcoef()));
    check("corrcoef, into", 0, |s: T| {
        let mut out = M::zeros([rows, rows]);
        scaled(s).corrcoef_into(&mut out);
        list(out)
    });
    check("corrcoef, complex", 0, |s: T| parts(scaled_complex(s).corrcoef().to_vec()));
    check("corrcoef, dynamic", 0, |s: T| values(dynamic(s).corrcoef().unwrap()));

    let xp: V<T, O> = V::from_fn([50], |[i]| T::from_f64((i as f64 - 20.0) * 2f64.powi(T::PEAK) / 30.0));
    let fp: V<T, O> =
        V::from_fn([50], |[i]| T::from_f64(((i * 37 % 50) as f64 - 25.0) * 2f64.powi(T::PEAK) / 25.0));
    check("interp, positions", 0, |s: T| list(scaled(s).interp(&xp * s, &fp)));
    check("interp, values", 1, |s: T| list(x.interp(&xp, &fp * s)));
    check("interp, small positions, large values", 1, |s: T| list((&x / s).interp(&xp / s, &fp * s)));
    check("interp, dynamic", 1, |s: T| {
        values(DynTensor::from(scaled(s)).interp(&(&xp * s), &(&fp * s)).unwrap())
    });
    let (start, end) = (T::from_f64(-0.9 * 2f64.powi(T::PEAK)), T::from_f64(0.7 * 2f64.powi(T::PEAK)));
    check("linspace", 1, |s: T| list(V::<T, O>::linspace(start * s, end * s, 71)));
    check("arange", 1, |s: T| {
        list(V::<T, O>::arange_step(start * s, end * s, (end - start) / T::from_f64(69.5) * s))
    });
}

#[test]
fn results_scale_with_the_elements() {
    in_order::<f64, RowMajor>(3, 40);
    in_order::<f64, RowMajor>(5, 700);
    in_order::<f64, ColMajor>(70, 9);
    in_order::<f32, RowMajor>(3, 40);
    in_order::<f32, ColMajor>(70, 9);
    in_order::<f32, RowMajor>(40, 130);
}

/// Histograms compare elements as `f64`.
#[test]
fn histograms_scale_with_the_elements() {
    let x = elements::<f64, RowMajor>(5, 200);
    check("counts", 0, |s: f64| list((&x * s).histogram(17).0.cast::<f64>()));
    check("edges", 1, |s: f64| list((&x * s).histogram(17).1));
    check("edges, dynamic", 1, |s: f64| {
        DynTensor::from(&x * s).histogram(17).unwrap().1.to_vec::<f64>().unwrap()
    });
    let range = -1.5e308..=1.5e308;
    let (counts, edges) =
        tensor![-1.6e308, -1.5e308, -8e307, 0.0, 1.0, 1.4e308].histogram((4, range.clone()));
    assert_eq!(edges.to_vec(), [-1.5e308, -7.5e307, 0.0, 7.5e307, 1.5e308]);
    assert_eq!(counts.to_vec(), [2, 0, 2, 1]);
    assert!(matches!(Bins::from((4, range)), Bins::Range(4, _)));
}

/// Closed forms at the ends of the range.
#[test]
fn spans_of_the_whole_range() {
    let v = |x: &[f64]| Tensor::<f64, Rank<1>>::from(x.to_vec());
    assert_eq!(Tensor::<f64, Rank<1>>::linspace(-1.7e308, 1.7e308, 3).to_vec(), [-1.7e308, 0.0, 1.7e308]);
    assert_eq!(Tensor::<f32, Rank<1>>::linspace(f32::MIN, f32::MAX, 3).to_vec(), [f32::MIN, 0.0, f32::MAX]);
    assert_eq!(Tensor::<f64, Rank<1>>::linspace(0.0, 2e-320, 1001)[[500]], 1e-320);
    assert_eq!(Tensor::<f64, Rank<1>>::linspace(1e-300, 1e-300, 4).to_vec(), [1e-300; 4]);
    let ramp = Tensor::<f64, Rank<1>>::arange_step(-1.5e308, 1.6e308, 1e308).to_vec();
    assert_eq!(ramp, [-1.5e308, -5e307, 5e307, 1.5e308]);
    let points = (v(&[0.0, 1.0]), v(&[-1.7e308, 1.7e308]));
    assert_eq!(v(&[0.5]).interp(&points.0, &points.1).to_vec(), [0.0]);
    assert!((v(&[0.75]).interp(&points.0, &points.1)[[0]] / 8.5e307 - 1.0).abs() < 1e-15);
    assert_eq!(v(&[0.0]).interp(v(&[-1.7e308, 1.7e308]), v(&[1.0, 3.0])).to_vec(), [2.0]);
    assert_eq!(v(&[5e199]).interp(v(&[0.0, 1e200]), v(&[0.0, 1e-200])).to_vec(), [5e-201]);
    assert_eq!(v(&[5e-301]).interp(v(&[0.0, 1e-300]), v(&[0.0, 1e300])).to_vec(), [5e299]);
    for scale in [1e160, 1e-300, 1e300] {
        let rows = tensor![[1.0, 2.0, 4.0], [3.0, 1.0, 2.0]];
        let (expected, found) = (rows.corrcoef(), (&rows * scale).corrcoef());
        assert!(found.all_close(&expected, 1e-14, 0.0), "{found:?} instead of {expected:?}");
    }
    assert_eq!(v(&[f64::MAX, f64::MAX]).average(0, v(&[3.0, 1.0])).item(), f64::MAX);
    assert_eq!(v(&[1e-200, 3e-200]).average(0, v(&[1e-200, 1e-200])).item(), 2e-200);
    assert_eq!(v(&[1.5e308, 1.5e308, 1.5e308]).trapezoid(0, 0.5).item(), 1.5e308);
    assert_eq!(v(&[1.5e308, -1.5e308]).median().item(), 0.0);
    assert_eq!(v(&[1.5e308, 1.7e308]).quantile(0, 0.5, Quantile::Linear).item(), 1.6e308);
    assert!(v(&[f64::INFINITY, 1.0]).mean().item() == f64::INFINITY);
    assert!(v(&[f64::INFINITY, f64::NEG_INFINITY]).mean().item().is_nan());
    assert!(v(&[f64::NAN, 1e308]).std(0).item().is_nan());
}
