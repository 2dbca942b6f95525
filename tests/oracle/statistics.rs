//! Compares interpolation, integrals, covariances and cumulative extrema with NumPy's results (`tests/data/statistics/make.py`).

use super::both_orders;
use std::path::Path;
use vierbein::prelude::*;
use vierbein::{DynTensor, Error};

both_orders! { covariances interpolation trapezoids cumulative_extremes }

fn read<D: Dim, O: Order>(name: &str) -> Tensor<f64, D, O> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/statistics");
    Tensor::<f64, D>::read_npy(folder.join(format!("{name}.npy"))).unwrap().to_order()
}

/// Asserts that a typed and a dynamic result are equal up to rounding errors. NaN equals NaN.
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
    // Integers are exact, and the result is `f64`. Single precision stays single.
    let small = Tensor::<i8, Rank<2>, O>::from_fn([2, 3], |[i, j]| [[1, 2, 3], [6, 4, 2]][i][j]);
    let expected = Tensor::<f64, Rank<2>, O>::from_fn([2, 2], |[i, j]| [[1.0, -2.0], [-2.0, 4.0]][i][j]);
    assert_eq!(small.cov(1), expected);
    assert_eq!(small.cast::<f32>().cov(1), expected.cast::<f32>());
    assert_eq!(DynTensor::from(small).cov(1).unwrap().downcast_ref().unwrap(), expected);
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
    }
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
