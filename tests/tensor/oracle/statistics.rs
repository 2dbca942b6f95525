//! Compares statistics and related operations with the results of NumPy and SciPy (`tests/data/statistics/make.py`).

use super::both_orders;
use std::path::Path;
use vierbein::prelude::*;
use vierbein::{Bins, ConvolutionMode, DType, DynTensor, EdgeOrder, Error, Interpolation};

both_orders! {
    covariances complex_covariances interpolation interpolation_with_options trapezoids gradients
    weighted_quantiles densities cumulative_extremes reductions_without_nan finite_replacements ranges
    cross_products weighted_means polynomials convolutions_of_vectors convolutions_of_rank_3
}

fn read<D: Dim, O: Order>(name: &str) -> Tensor<f64, D, O> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/statistics");
    Tensor::<f64, D>::read_npy(folder.join(format!("{name}.npy"))).unwrap().to_order()
}

/// Asserts that a typed and a dynamic result equal the values of the file `expected`, up to `tolerance`. NaN equals NaN.
#[track_caller]
fn check<D: Dim, O: Order>(
    found: &Tensor<f64, D, O>,
    dynamic: Result<DynTensor, Error>,
    expected: &str,
    tolerance: f64,
) {
    let expected = read::<D, O>(expected);
    let dynamic = dynamic.unwrap().downcast::<f64, D, O, Cpu>().unwrap();
    for found in [found, &dynamic] {
        assert_eq!(found.shape(), expected.shape());
        for (found, expected) in found.iter().zip(expected.iter()) {
            let near = (found - expected).abs() <= tolerance * expected.abs();
            assert!(near || found == expected || found.is_nan() && expected.is_nan(), "{found} {expected}");
        }
    }
}

fn dynamic<D: Dim, O: Order>(x: &Tensor<f64, D, O>) -> DynTensor {
    DynTensor::from(x.clone())
}

fn covariances<O: Order>() {
    let x = read::<Rank<2>, O>("variables");
    let views = dynamic(&x);
    for (ddof, expected) in [(0, "cov0"), (1, "cov1"), (3, "cov3")] {
        check(&x.cov(ddof), views.cov(ddof), expected, 1e-11);
    }
    check(&x.corrcoef(), views.corrcoef(), "corrcoef", 1e-11);
    let turned = x.t().to_owned();
    check(&turned.t().cov(1), views.cov(1), "cov1", 1e-11);
    let backwards = x.slice(s![.., ..;-1]);
    check(&backwards.corrcoef(), views.corrcoef(), "corrcoef", 1e-11);
    // For integers, the result is exact and has type `f64`. For `f32`, it has type `f32`.
    let small = Tensor::<i8, Rank<2>, O>::from_fn([2, 3], |[i, j]| [[1, 2, 3], [6, 4, 2]][i][j]);
    let expected = Tensor::<f64, Rank<2>, O>::from_fn([2, 2], |[i, j]| [[1.0, -2.0], [-2.0, 4.0]][i][j]);
    assert_eq!(small.cov(1), expected);
    assert_eq!(small.cast::<f32>().cov(1), expected.cast::<f32>());
    assert_eq!(DynTensor::from(small).cov(1).unwrap().downcast_ref().unwrap(), expected);
    // A NaN affects only the covariances of its variable: a row and a column of the result.
    let mut gap = x.clone();
    gap[[1, 3]] = f64::NAN;
    let (found, complete) = (gap.cov(1), x.cov(1));
    for index in (0..5).flat_map(|i| (0..5).map(move |j| [i, j])) {
        assert!(if index.contains(&1) { found[index].is_nan() } else { found[index] == complete[index] });
    }
    assert!(x.cov(20).iter().chain(x.cov(21).iter()).all(|x| x.is_nan()));
    let constant = Tensor::<f64, Rank<2>, O>::ones([2, 5]);
    assert_eq!(constant.cov(1), Tensor::zeros([2, 2]));
    assert!(constant.corrcoef().iter().all(|x| x.is_nan()));
}

fn interpolation<O: Order>() {
    let (xp, fp) = (read::<Rank<1>, O>("xp"), read::<Rank<1>, O>("fp"));
    let at = read::<Rank<2>, O>("at");
    check(&at.interp(&xp, &fp), dynamic(&at).interp(&xp, &fp), "interp", 1e-13);
    let turned = at.t().to_owned();
    check(&turned.t().interp(xp.view(), &fp), dynamic(&at).interp(&xp, &fp), "interp", 1e-13);
    let falling = (xp.slice(s![..;-1]).to_owned(), fp.slice(s![..;-1]).to_owned());
    let rising = at.interp(falling.0.slice(s![..;-1]), falling.1.slice(s![..;-1]));
    check(&rising, dynamic(&at).interp(&xp, &fp), "interp", 1e-13);
    let xp = Tensor::<f64, Rank<1>, O>::arange(0.0..7.0);
    let (fp, at) = (read("fp_infinite"), Tensor::<f64, Rank<1>, O>::arange_step(0.0, 6.25, 0.25));
    check(&at.interp(&xp, &fp), dynamic(&at).interp(&xp, &fp), "interp_infinite", 0.0);

    let line = |values: &[f64]| Tensor::<f64, Rank<1>, O>::from_vec([values.len()], values.to_vec());
    assert_eq!(at.interp(line(&[3.0]), line(&[5.0])), Tensor::full([25], 5.0));
    let rejected = |xp: &[f64], fp: &[f64], reason: &str| {
        let (xp, fp) = (line(xp), line(fp));
        let typed = at.try_interp(&xp, &fp).unwrap_err();
        assert!(matches!(&typed, Error::Argument { op: "interpolate", .. }), "{typed}");
        assert_eq!(typed.to_string(), format!("cannot interpolate: {reason}"));
        assert_eq!(dynamic(&at).interp(&xp, &fp).unwrap_err(), typed);
    };
    rejected(&[], &[], "there are no points; give at least one position and value");
    rejected(&[1.0, 2.0], &[1.0], "there are 2 positions and 1 values; each point has both");
    let order = "positions must increase strictly, but those with indices";
    rejected(&[0.0, 2.0, 2.0], &[1.0; 3], &format!("{order} 1 and 2 are 2 and 2; sort the points first"));
    rejected(&[1.0, f64::NAN], &[1.0; 2], &format!("{order} 0 and 1 are 1 and NaN; sort the points first"));
    rejected(&[f64::NAN], &[1.0], "a position is NaN; leave the point out");
    let whole = DynTensor::from(tensor![1, 2]);
    let message = whole.interp(&tensor![1, 2], &tensor![1, 2]).unwrap_err().to_string();
    assert!(message.starts_with("interpolate: `i32` is not a real floating-point type"), "{message}");
}

fn read_complex<D: Dim, O: Order>(name: &str) -> Tensor<Complex<f64>, D, O> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/statistics");
    Tensor::<Complex<f64>, D>::read_npy(folder.join(format!("{name}.npy"))).unwrap().to_order()
}

/// Asserts that a typed and a dynamic result equal the complex values of the file `expected`, up to 1e-13.
#[track_caller]
fn check_complex<O: Order>(
    found: &Tensor<Complex<f64>, Rank<2>, O>,
    dynamic: Result<DynTensor, Error>,
    expected: &str,
) {
    let expected = read_complex::<Rank<2>, O>(expected);
    let dynamic = dynamic.unwrap().downcast::<Complex<f64>, Rank<2>, O, Cpu>().unwrap();
    for found in [found, &dynamic] {
        assert!(found.all_close(&expected, 1e-13, 1e-14), "{found} instead of {expected}");
    }
}

fn complex_covariances<O: Order>() {
    let z = read_complex::<Rank<2>, O>("complex_variables");
    let views = DynTensor::from(z.clone());
    check_complex(&z.cov(1), views.cov(1), "complex_cov");
    check_complex(&z.corrcoef(), views.corrcoef(), "complex_corrcoef");
    let mut out = Tensor::zeros([4, 4]);
    z.t().to_owned().t().cov_into(1, &mut out);
    check_complex(&out, views.cov(1), "complex_cov");
    let turned = z.gradient(1, -0.7, EdgeOrder::Second);
    check_complex(&turned, views.gradient(1, -0.7, EdgeOrder::Second), "complex_gradient");
}

fn interpolation_with_options<O: Order>() {
    let line = |name: &str| read::<Rank<1>, O>(name);
    let (at, fp) = (line("periodic_at"), line("periodic_fp"));
    for period in [7.5, -7.5] {
        let (xp, with) = (line("periodic_xp"), Interpolation::new().period(period).left(99.0));
        check(&at.interp_with(&xp, &fp, with), dynamic(&at).interp_with(&xp, &fp, with), "periodic", 1e-11);
    }
    let (xp, with) = (line("sided_xp"), Interpolation::new().left(-5.5).right(f64::NAN));
    check(&at.interp_with(&xp, &fp, with), dynamic(&at).interp_with(&xp, &fp, with), "sided", 1e-12);
    let rejected = |xp: &[f64], period: f64, reason: &str| {
        let xp = Tensor::<f64, Rank<1>, O>::from_vec([xp.len()], xp.to_vec());
        let with = Interpolation::new().period(period);
        let typed = at.try_interp_with(&xp, &xp, with).unwrap_err();
        assert_eq!(typed.to_string(), format!("cannot interpolate: {reason}"));
        assert_eq!(dynamic(&at).interp_with(&xp, &xp, with).unwrap_err(), typed);
    };
    rejected(&[1.0], 0.0, "the period is 0; give a number that is finite and not zero");
    rejected(&[f64::NAN], 2.0, "the position NaN has no place in a period; leave the point out");
    let reason = "two positions are equal to 1 modulo the period 2; leave one of the points out";
    rejected(&[1.0, 0.0, 3.0], 2.0, reason);
}

fn gradients<O: Order>() {
    let y = read::<Rank<3>, O>("gradients");
    for (order, edges) in [(1, EdgeOrder::First), (2, EdgeOrder::Second)] {
        let distances = |axis: usize| format!("gradient{axis}_{order}");
        let coordinates = |axis: usize| format!("gradient_of{axis}_{order}");
        for axis in 0..3 {
            let x = read::<Rank<1>, O>(&format!("gradient_at{axis}"));
            let (found, views) = (y.gradient(axis, 0.3, edges), dynamic(&y));
            check(&found, views.gradient(axis, 0.3, edges), &distances(axis), 1e-11);
            check(&y.gradient(axis, &x, edges), views.gradient(axis, &x, edges), &coordinates(axis), 1e-11);
            let reversed = y.permute([2, 1, 0]).to_owned();
            let mut out = Tensor::zeros(y.shape());
            reversed.permute([2, 1, 0]).gradient_into(axis, &x, edges, &mut out);
            check(&out, views.gradient(axis, &x.to_vec(), edges), &coordinates(axis), 1e-11);
            let single = y.cast::<f32>().gradient(axis, 0.3, edges).cast::<f64>();
            assert!(single.all_close(&read(&distances(axis)), 1e-4, 1e-4));
        }
    }
    // Values that are far apart, and values of which one is NaN: only its neighbours depend on it.
    let far = Tensor::<f64, Rank<1>, O>::from_vec([4], vec![-1.5e308, 1.5e308, f64::NAN, 0.0]);
    let found = far.gradient(0, 4.0, EdgeOrder::First);
    assert_eq!(found[[0]], 7.5e307);
    assert!(found[[1]].is_nan() && found[[2]] == -1.875e307 && found[[3]].is_nan());
    let rejected = |extent: usize, x: &[f64], edges: EdgeOrder, reason: &str| {
        let few = Tensor::<f64, Rank<2>, O>::ones([1, extent]);
        let typed = few.try_gradient(1, x, edges).unwrap_err();
        assert_eq!(typed.to_string(), format!("cannot compute a gradient: {reason}"));
        assert_eq!(DynTensor::from(few).gradient(1, x, edges).unwrap_err(), typed);
    };
    let least = "axis 1 of shape [1, 1] has 1 points, and `EdgeOrder::First` needs 2; give more points";
    rejected(1, &[0.0], EdgeOrder::First, least);
    let least = "axis 1 of shape [1, 2] has 2 points, and `EdgeOrder::Second` needs 3; give more points";
    rejected(2, &[0.0, 1.0], EdgeOrder::Second, least);
    let each = "there are 2 coordinates for axis 1 of shape [1, 3]; give one for each of its 3 indices";
    rejected(3, &[0.0, 1.0], EdgeOrder::First, each);
}

fn weighted_quantiles<O: Order>() {
    let y = read::<Rank<3>, O>("weighted");
    let levels = [0.0, 0.2, 0.5, 0.75, 1.0];
    for axis in 0..3 {
        let w = read::<Rank<1>, O>(&format!("quantile_weights{axis}"));
        let (found, expected) = (y.quantile_weighted(axis, levels, &w), format!("quantile_weighted{axis}"));
        check(&found, dynamic(&y).quantiles_weighted(axis, &levels, &w), &expected, 0.0);
        // Only the ratios of the weights matter, even if their sum is not representable.
        let large = y.quantile_weighted(axis, levels, &w * 2f64.powi(1022));
        check(
            &large,
            dynamic(&y).quantiles_weighted(axis, &levels, &(&w * f64::from_bits(1))),
            &expected,
            0.0,
        );
        let one = y.cast::<i32>().quantile_weighted(axis, 0.5, &w);
        assert_eq!(one, read::<Rank<3>, O>(&expected).index_axis(axis, 2));
        let mut gap = y.clone();
        gap[[1, 2, 3]] = f64::NAN;
        let count = gap.quantile_weighted(axis, 0.5, &w).iter().filter(|x| x.is_nan()).count();
        assert_eq!(count, 1);
    }
}

fn densities<O: Order>() {
    let y = read::<Rank<3>, O>("weighted");
    let edges = read::<Rank<1>, O>("density_edges").to_vec();
    for bins in [Bins::Count(6), Bins::Edges(&edges)] {
        let (found, _) = y.histogram_density(bins.clone());
        check(&found, dynamic(&y).histogram_density(bins).map(|found| found.0), "densities", 1e-14);
    }
}

fn trapezoids<O: Order>() {
    let y = read::<Rank<3>, O>("y");
    check(&y.trapezoid(0, 0.3), dynamic(&y).trapezoid(0, 0.3), "trapezoid0", 1e-13);
    check(&y.trapezoid(Axis::<1>, 1.0), dynamic(&y).trapezoid(1, 1.0), "trapezoid1", 1e-13);
    check(&y.trapezoid(-1, -2.0), dynamic(&y).trapezoid(-1, -2.0), "trapezoid2", 1e-13);
    let turned = y.permute([2, 0, 1]).to_owned();
    check(
        &turned.permute([1, 2, 0]).trapezoid(Last, -2.0),
        dynamic(&y).trapezoid(2, -2.0),
        "trapezoid2",
        1e-13,
    );
    for extent in [0, 1] {
        let few = Tensor::<f64, Rank<2>, O>::ones([extent, 3]);
        assert_eq!(few.trapezoid(0, 1.0), Tensor::zeros([3]));
        assert_eq!(few.trapezoid(0, &[5.0, 7.0][..extent]), Tensor::zeros([3]));
    }
    let y = read::<Rank<3>, O>("gradients");
    for axis in 0..3 {
        let x = read::<Rank<1>, O>(&format!("gradient_at{axis}"));
        let expected = format!("trapezoid_at{axis}");
        check(&y.trapezoid(axis, &x), dynamic(&y).trapezoid(axis, &x), &expected, 1e-13);
        let mut out = Tensor::zeros(y.trapezoid(axis, 1.0).shape());
        y.trapezoid_into(axis, &x.to_vec(), &mut out);
        check(&out, dynamic(&y).trapezoid(axis, &x.to_vec()), &expected, 1e-13);
    }
    let typed = y.try_trapezoid(1, &[0.0, 1.0]).unwrap_err();
    assert_eq!(
        typed.to_string(),
        "cannot integrate by trapezoids: there are 2 coordinates for axis 1 of shape [3, 4, 5]; give one for each of its 4 indices"
    );
    assert_eq!(dynamic(&y).trapezoid(1, &[0.0, 1.0]).unwrap_err(), typed);
    let turning =
        Tensor::<_, Rank<1>, O>::from_vec([2], vec![Complex::new(1.0, 2.0), Complex::new(3.0, -4.0)]);
    assert_eq!(turning.trapezoid(0, 0.5).item(), Complex::new(1.0, -0.5));
    assert_eq!(
        DynTensor::from(turning).trapezoid(0, 0.5).unwrap().item().unwrap(),
        Complex::new(1.0, -0.5).into()
    );
}

fn cumulative_extremes<O: Order>() {
    let y = read::<Rank<3>, O>("with_nan");
    for axis in 0..3 {
        let (max, min) = (format!("cummax{axis}"), format!("cummin{axis}"));
        check(&y.cummax(axis), dynamic(&y).cummax(axis), &max, 0.0);
        check(&y.cummin(axis), dynamic(&y).cummin(axis), &min, 0.0);
        let turned = y.reverse_axes().to_owned();
        check(&turned.reverse_axes().cummax(axis), dynamic(&y).cummax(axis), &max, 0.0);
        let mut wide = Tensor::<f64, Rank<3>, O>::zeros([6, 4, 5]);
        y.cummin_into(axis, &mut wide.slice_mut(s![..;2, .., ..]));
        check(&wide.slice(s![..;2, .., ..]).to_owned(), dynamic(&y).cummin(axis), &min, 0.0);
    }
    let bytes = Tensor::<u8, Rank<1>, O>::from_vec([4], vec![3, 1, 255, 0]);
    assert_eq!(
        (bytes.cummax(0).to_vec(), bytes.cummin(0).to_vec()),
        (vec![3, 3, 255, 255], vec![3, 1, 1, 0])
    );
}

fn reductions_without_nan<O: Order>() {
    let x = read::<Rank<3>, O>("gaps");
    let turned = x.permute([2, 0, 1]).to_owned();
    let turned = turned.permute([1, 2, 0]);
    for axis in 0..3 {
        let name = |of: &str| format!("nan_{of}{axis}");
        check(&x.nan_sum_axis(axis), dynamic(&x).nan_sum_axis(axis), &name("sum"), 1e-13);
        check(&x.nan_mean_axis(axis), dynamic(&x).nan_mean_axis(axis), &name("mean"), 1e-13);
        check(&x.nan_max_axis(axis), dynamic(&x).nan_max_axis(axis), &name("max"), 0.0);
        check(&x.nan_min_axis(axis), dynamic(&x).nan_min_axis(axis), &name("min"), 0.0);
        check(&turned.nan_mean_axis(axis), dynamic(&x).nan_mean_axis(axis), &name("mean"), 1e-13);
        check(&turned.nan_max_axis(axis), dynamic(&x).nan_max_axis(axis), &name("max"), 0.0);
        check(&x.nan_prod_axis(axis), dynamic(&x).nan_prod_axis(axis), &name("prod"), 1e-13);
        check(&x.nan_var_axis(axis, 1), dynamic(&x).nan_var_axis(axis, 1), &name("var"), 1e-13);
        check(&x.nan_std_axis(axis, 0), dynamic(&x).nan_std_axis(axis, 0), &name("std"), 1e-13);
        check(&turned.nan_var_axis(axis, 1), dynamic(&x).nan_var_axis(axis, 1), &name("var"), 1e-13);
        let kept = x.nan_min_keepdims(axis);
        check(&kept.remove_axis(axis).to_owned(), dynamic(&x).nan_min_axis(axis), &name("min"), 0.0);
    }
    let some = read::<Rank<3>, O>("some_gaps");
    let turned = some.reverse_axes().to_owned();
    let turned = turned.reverse_axes();
    for axis in 0..3 {
        let places = |x: Result<DynTensor, Error>| x.and_then(|x| x.to_dtype(DType::F64));
        let (max, min) = (format!("nan_argmax{axis}"), format!("nan_argmin{axis}"));
        let [greatest, least] =
            [dynamic(&some).nan_argmax_axis(axis), dynamic(&some).nan_argmin_axis(axis)].map(places);
        check(&some.nan_argmax_axis(axis).cast(), greatest, &max, 0.0);
        check(&turned.nan_argmin_axis(axis).cast(), least, &min, 0.0);
        let message = "cannot reduce: there is no index of the maximum without NaN: all elements along the reduced axes are NaN; \
                       replace NaN first, e.g. with `nan_to_num`";
        let errors =
            [x.try_nan_argmax_axis(axis).unwrap_err(), dynamic(&x).nan_argmax_axis(axis).unwrap_err()];
        assert_eq!(errors.map(|error| error.to_string()), [message; 2]);
    }
    let whole = read::<Rank<1>, O>("nan_whole");
    for (k, found) in [x.nan_sum(), x.nan_mean(), x.nan_max(), x.nan_min()].iter().enumerate() {
        assert!((found.item() - whole[[k]]).abs() <= 1e-13 * whole[[k]].abs());
    }
    assert!((x.nan_sum_axes([2, 0]).sum().item() - whole[[0]]).abs() <= 1e-13);
    // This tensor is large enough for several threads and for all loops of the kernels. The numbers are small integers, so sums are
    // exact.
    let large = Tensor::<f32, Rank<2>, O>::from_fn([301, 1009], |[i, j]| {
        if (i + j) % 3 == 0 { f32::NAN } else { ((7 * i + j) % 32) as f32 }
    });
    for axis in 0..2 {
        let lanes = [1009, 301][axis];
        for k in 0..lanes {
            let along = |n: usize| if axis == 0 { large[[n, k]] } else { large[[k, n]] };
            let numbers: Vec<f32> = (0..[301, 1009][axis]).map(along).filter(|x| !x.is_nan()).collect();
            let sum: f32 = numbers.iter().sum();
            if k % 97 == 0 {
                assert_eq!(large.nan_sum_axis(axis)[[k]], sum);
                assert_eq!(large.nan_mean_axis(axis)[[k]], sum / numbers.len() as f32);
                assert_eq!(large.nan_max_axis(axis)[[k]], numbers.iter().copied().fold(f32::MIN, f32::max));
                let wide = numbers.iter().map(|&x| f64::from(x));
                let mean = wide.clone().sum::<f64>() / numbers.len() as f64;
                let variance = wide.map(|x| (x - mean) * (x - mean)).sum::<f64>() / numbers.len() as f64;
                let found = f64::from(large.nan_var_axis(axis, 0)[[k]]);
                assert!((found - variance).abs() < 1e-5 * variance, "{found} {variance}");
                let first = (0..[301, 1009][axis]).find(|&n| along(n) == 31.0).unwrap();
                assert_eq!(large.nan_argmax_axis(axis)[[k]], first as i64);
            }
        }
    }
    assert_eq!(large.nan_max().item(), 31.0);
    assert_eq!(large.nan_min().item(), 0.0);
    // A complex number with a NaN part is skipped.
    let parts = vec![Complex::new(1.0, 2.0), Complex::new(f64::NAN, 5.0), Complex::new(3.0, -4.0)];
    let z = Tensor::<_, Rank<1>, O>::from_vec([3], parts);
    assert_eq!(z.nan_sum().item(), Complex::new(4.0, -2.0));
    assert_eq!(z.nan_mean().item(), Complex::new(2.0, -1.0));
    assert_eq!(z.nan_prod().item(), Complex::new(11.0, 2.0));
    assert_eq!(z.nan_var(1).item(), 20.0);
    assert_eq!(z.nan_std(0).item(), f64::sqrt(10.0));
    // The search for the maximum starts from −∞. An element that equals this start value is found nevertheless.
    let low = Tensor::<f64, Rank<1>, O>::from_vec([3], vec![f64::NAN, f64::NEG_INFINITY, f64::NEG_INFINITY]);
    assert_eq!((low.nan_argmax().item(), (-&low).nan_argmin().item()), (1, 1));
    // The squares of the numbers in `wide` overflow, so the variance is infinite. The numbers in `far` differ little, but have a large
    // mean.
    let wide = vec![f64::NAN, 1e200, -1e200, 1e200];
    assert_eq!(Tensor::<f64, Rank<1>, O>::from_vec([4], wide).nan_var(0).item(), f64::INFINITY);
    let far = vec![1e9, f64::NAN, 1e9 + 1.0, 1e9 + 2.0];
    assert_eq!(Tensor::<f64, Rank<1>, O>::from_vec([4], far).nan_var(1).item(), 1.0);
    let nothing = Tensor::<f64, Rank<1>, O>::zeros([0]);
    assert_eq!(nothing.nan_sum().item(), 0.0);
    assert!(nothing.nan_mean().item().is_nan());
    let message = nothing.try_nan_max().unwrap_err().to_string();
    assert!(message.contains("maximum without NaN"), "{message}");
}

fn cross_products<O: Order>() {
    let (a, c) = (read::<Rank<4>, O>("left_vectors"), read::<Rank<4>, O>("other_vectors"));
    let turned = a.permute([2, 0, 3, 1]).to_owned();
    let turned = turned.permute([1, 3, 0, 2]);
    check(&a.cross(1, &c), dynamic(&a).cross(1, &dynamic(&c)), "cross1", 1e-14);
    check(&turned.cross(Axis::<1>, &c), dynamic(&a).cross(-3, &dynamic(&c)), "cross1", 1e-14);
    let b = read::<Rank<3>, RowMajor>("right_vectors").reshape([1, 3, 1, 3]).to_order::<O>();
    check(&a.cross(Last, &b), dynamic(&a).cross(3, &dynamic(&b)), "cross3", 1e-14);
    check(&-b.cross(Last, turned), dynamic(&a).cross(3, &dynamic(&b)), "cross3", 1e-14);
    // If operands differ in rank, row-major order aligns their trailing axes, and column-major order their leading axes.
    let rows = Tensor::<i32, Rank<2>>::from([[1, 2, 3], [1, 0, 0]]);
    assert_eq!(rows.cross(-1, tensor![4, 5, 6]), tensor![[-3, 6, -3], [0, -6, 5]]);
    assert_eq!(tensor![4, 5, 6].cross(1, &rows), tensor![[3, -6, 3], [0, 6, -5]]);
    let columns = rows.t().to_owned().to_order::<ColMajor>();
    let line = Tensor::<i32, Rank<1>, ColMajor>::from([4, 5, 6]);
    assert_eq!(columns.cross(0, &line).to_order::<RowMajor>(), tensor![[-3, 0], [6, -6], [-3, 5]]);
    assert!(columns.try_cross(1, &line).is_err());
    let i = Complex::<f64>::i();
    let z = tensor![i, Complex::from(0.0), Complex::from(0.0)];
    let one = tensor![Complex::from(0.0), Complex::from(1.0), Complex::from(0.0)];
    assert_eq!(z.cross(0, &one), tensor![Complex::from(0.0), Complex::from(0.0), i]);
    if cfg!(debug_assertions) {
        let bytes = tensor![0u8, 1, 0];
        assert!(bytes.try_cross(0, tensor![1u8, 0, 0]).unwrap_err().to_string().contains("cannot subtract"));
    }
    let error = tensor![1.0, 2.0].try_cross(0, tensor![3.0, 4.0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot cross: shapes [2] and [2] along axis 0 of their common shape [2]: both must have 3 elements along this axis; \
         name the axis of the vectors"
    );
}

fn finite_replacements<O: Order>() {
    let x = read::<Rank<2>, O>("special");
    check(&x.nan_to_num(), dynamic(&x).nan_to_num(), "nan_to_num", 0.0);
    assert!(x.nan_to_num()[[1, 1]].is_sign_negative(), "the sign of zero is kept");
    let single = x.cast::<f32>().nan_to_num();
    assert_eq!(single.to_order::<RowMajor>().to_vec(), [0.0, f32::MIN, f32::MAX, 1.5, 0.0, f32::MAX]);
}

fn ranges<O: Order>() {
    let x = read::<Rank<3>, O>("terms");
    for axis in 0..3 {
        check(&x.ptp_axis(axis), dynamic(&x).ptp_axis(axis), &format!("ptp{axis}"), 0.0);
    }
    assert_eq!(x.ptp().item(), x.max().item() - x.min().item());
    let bytes = Tensor::<i8, Rank<1>, O>::from_vec([3], vec![-100, 3, 100]);
    if cfg!(debug_assertions) {
        assert!(bytes.try_ptp().is_err() && DynTensor::from(bytes.clone()).ptp().is_err());
    } else {
        assert_eq!(bytes.ptp().item(), -56);
    }
    assert_eq!(bytes.slice(s![..2]).ptp().item(), 103);
    assert!(read::<Rank<3>, O>("gaps").ptp().item().is_nan());
}

fn weighted_means<O: Order>() {
    let x = read::<Rank<3>, O>("terms");
    let turned = x.reverse_axes().to_owned();
    for axis in 0..3 {
        let (weights, expected) = (read::<Rank<1>, O>(&format!("weights{axis}")), format!("average{axis}"));
        let dynamic = || dynamic(&x).average(axis, &weights);
        check(&x.average(axis, &weights), dynamic(), &expected, 1e-12);
        check(&turned.reverse_axes().average(axis, weights.view()), dynamic(), &expected, 1e-12);
        let backwards = weights.slice(s![..;-1]).to_owned();
        check(&x.average(axis, backwards.slice(s![..;-1])), dynamic(), &expected, 1e-12);
    }
    let line = |values: &[f64]| Tensor::<f64, Rank<1>, O>::from_vec([values.len()], values.to_vec());
    let rejected = |weights: &[f64], reason: &str| {
        let typed = x.try_average(0, line(weights)).unwrap_err();
        assert_eq!(typed.to_string(), format!("cannot average: {reason}"));
        assert_eq!(dynamic(&x).average(0, &line(weights)).unwrap_err(), typed);
    };
    let count = "there are 2 weights for axis 0 of shape [3, 4, 5]; give one for each of its 3 indices";
    rejected(&[1.0, 2.0], count);
    let zero = "the sum of the 3 weights is zero; give weights whose sum is not zero";
    rejected(&[1.0, -2.0, 1.0], zero);
    let axis = x.try_average(3, line(&[1.0])).unwrap_err();
    assert_eq!(dynamic(&x).average(3, &line(&[1.0])).unwrap_err(), axis);
    let whole = DynTensor::from(tensor![1, 2]).average(0, &tensor![1, 2]).unwrap_err().to_string();
    assert!(whole.contains("average") && whole.contains("i32"), "{whole}");
}

fn polynomials<O: Order>() {
    let (p, x) = (read::<Rank<1>, O>("polynomial"), read::<Rank<3>, O>("terms"));
    check(&p.polyval(&x), dynamic(&p).polyval(&dynamic(&x)), "polyval", 1e-11);
    let turned = x.reverse_axes().to_owned();
    check(&p.polyval(turned.reverse_axes()), dynamic(&p).polyval(&dynamic(&x)), "polyval", 1e-11);
    let backwards = p.slice(s![..;-1]).to_owned();
    check(&backwards.slice(s![..;-1]).polyval(&x), dynamic(&p).polyval(&dynamic(&x)), "polyval", 1e-11);
    let none = Tensor::<f64, Rank<1>, O>::zeros([0]);
    assert_eq!(none.polyval(&x), Tensor::zeros([3, 4, 5]));
    assert_eq!(dynamic(&none).polyval(&dynamic(&x)).unwrap().sum().unwrap().item().unwrap(), 0.0.into());
    let line = Tensor::<i8, Rank<1>, O>::from_vec([2], vec![100, 1]);
    let at = Tensor::<i8, Rank<1>, O>::from_vec([2], vec![1, 2]);
    if cfg!(debug_assertions) {
        assert!(line.try_polyval(&at).unwrap_err().to_string().contains("100 · 2 + 1"));
        assert!(DynTensor::from(line).polyval(&DynTensor::from(at)).is_err());
    } else {
        assert_eq!(line.polyval(at).to_vec(), [101, -55]);
    }
}

const MODES: [ConvolutionMode; 3] = [ConvolutionMode::Full, ConvolutionMode::Same, ConvolutionMode::Valid];

fn convolutions_of_vectors<O: Order>() {
    let (a, b) = (read::<Rank<1>, O>("signal"), read::<Rank<1>, O>("kernel"));
    let expected = [read::<Rank<1>, O>("convolve").to_vec(), read::<Rank<1>, O>("correlate").to_vec()];
    let mut found: [Vec<f64>; 2] = Default::default();
    for (n, m) in [(9, 4), (9, 5), (4, 9), (5, 9), (3, 3), (1, 5), (6, 1)] {
        for mode in MODES {
            let (x, kernel) = (a.slice(s![..n]), b.slice(s![..m]));
            let typed = [x.convolve(kernel, mode), x.correlate(kernel, mode)];
            let (x, kernel) = (DynTensor::from(x.to_owned()), DynTensor::from(kernel.to_owned()));
            let dynamic = [x.convolve(&kernel, mode).unwrap(), x.correlate(&kernel, mode).unwrap()];
            for k in 0..2 {
                assert!(
                    dynamic[k]
                        .downcast_ref::<f64, Rank<1>, O, Cpu>()
                        .unwrap()
                        .all_close(&typed[k], 1e-12, 1e-14)
                );
                found[k].extend(typed[k].iter());
            }
        }
    }
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-13), "{found:?} {expected:?}");
    }
    // A correlation conjugates the kernel, a convolution does not.
    let z = |re: f64, im: f64| Tensor::<_, Rank<1>, O>::from_vec([1], vec![Complex::new(re, im)]);
    assert_eq!(z(1.0, 2.0).correlate(z(0.0, 1.0), ConvolutionMode::Valid)[[0]], Complex::new(2.0, -1.0));
    assert_eq!(z(1.0, 2.0).convolve(z(0.0, 1.0), ConvolutionMode::Valid)[[0]], Complex::new(-2.0, 1.0));
    let turned = DynTensor::from(z(1.0, 2.0)).correlate(&DynTensor::from(z(0.0, 1.0)), ConvolutionMode::Full);
    assert_eq!(turned.unwrap().sum_axis(0).unwrap().item().unwrap(), Complex::new(2.0, -1.0).into());
    // The result is long enough to be computed in several blocks.
    let n = 40_000;
    let ramp = Tensor::<i64, Rank<1>, O>::arange(0..n);
    let second = tensor![1_i64, -2, 1];
    let second = Tensor::<i64, Rank<1>, O>::from_vec([3], second.to_vec());
    assert_eq!(ramp.convolve(&second, ConvolutionMode::Valid), Tensor::zeros([n as usize - 2]));
    let ends = ramp.convolve(&second, ConvolutionMode::Full);
    assert_eq!((ends[[1]], ends[[n as usize]], ends[[n as usize + 1]], ends.sum().item()), (1, -n, n - 1, 0));
}

fn convolutions_of_rank_3<O: Order>() {
    let (x, kernel) = (read::<Rank<3>, O>("image"), read::<Rank<3>, O>("stencil"));
    let turned = x.reverse_axes().to_owned();
    for (mode, name) in MODES.into_iter().zip(["full", "same", "valid"]) {
        let (convolved, correlated) = (format!("convolve_{name}"), format!("correlate_{name}"));
        let views = || dynamic(&x).convolve(&dynamic(&kernel), mode);
        check(&x.convolve(&kernel, mode), views(), &convolved, 1e-10);
        check(&turned.reverse_axes().convolve(kernel.view(), mode), views(), &convolved, 1e-10);
        check(
            &x.correlate(&kernel, mode),
            dynamic(&x).correlate(&dynamic(&kernel), mode),
            &correlated,
            1e-10,
        );
    }
    let none = Tensor::<f64, Rank<3>, O>::zeros([2, 0, 1]);
    for error in [
        x.try_convolve(&none, ConvolutionMode::Same).unwrap_err(),
        dynamic(&x).convolve(&dynamic(&none), ConvolutionMode::Same).unwrap_err(),
    ] {
        let text = "cannot convolve: an operand of shape [2, 0, 1] has zero elements; each operand must have at least one";
        assert_eq!(error.to_string(), text);
    }
    let flat = dynamic(&x).correlate(&tensor![1.0, 2.0], ConvolutionMode::Full);
    assert!(flat.unwrap_err().to_string().contains("insert axes"));
    let number = Tensor::<f64, Rank<0>, O>::scalar(3.0);
    assert_eq!(number.convolve(&number, ConvolutionMode::Full).item(), 9.0);
    assert_eq!(dynamic(&number).convolve(&dynamic(&number), MODES[1]).unwrap().item().unwrap(), 9.0.into());
}
