//! Tests of traces, sums, extrema and norms with known results.

use super::{Matrix, ar, both_orders, listed};
use vierbein::{Complex, Dim, Error, Order, Rank, RemoveAxes, Tensor, s};

both_orders! { small_traces square_traces every_pair_of_axes permuted_traces empty_traces trace_errors trace_errors_out_of_range }

fn small_traces<O: Order>() {
    let trace: Tensor<i64, Rank<0>, O> = ar::<Rank<2>, O>([5, 5]).trace(0, 1);
    assert_eq!(trace.item(), 60);
    let x = ar::<Rank<2>, O>([6, 6]);
    assert_eq!(x.trace(0, 1).item(), 105);
    assert_eq!(x.trace(1, 0).item(), 105);
    assert_eq!(x.t().trace(0, 1).item(), 105);

    assert_eq!(listed(&ar::<Rank<3>, O>([3, 4, 3]).trace(0, 2)), [39, 48, 57, 66]);
    let x = ar::<Rank<4>, O>([3, 4, 3, 2]);
    for trace in [x.trace(0, 2), x.trace(2, 0)] {
        assert_eq!(trace.shape(), [4, 2]);
        assert_eq!(listed(&trace), [78, 81, 96, 99, 114, 117, 132, 135]);
    }
    let trace = ar::<Rank<4>, O>([2, 3, 2, 4]).trace(0, 2);
    assert_eq!(trace.shape(), [3, 4]);
    assert_eq!(listed(&trace), [28, 30, 32, 34, 44, 46, 48, 50, 60, 62, 64, 66]);
    assert_eq!(listed(&ar::<Rank<3>, O>([8, 5, 8]).trace(0, 2)), [1148, 1212, 1276, 1340, 1404]);
}

fn square_traces<O: Order>() {
    let table = [
        (1, 0),
        (31, 14880),
        (32, 16368),
        (33, 17952),
        (64, 131_040),
        (255, 8_290_560),
        (256, 8_388_480),
        (257, 8_487_168),
        (1024, 536_870_400),
    ];
    for (n, expected) in table {
        let x = ar::<Rank<2>, O>([n, n]);
        assert_eq!(x.trace(0, 1).item(), expected, "{n}");
        assert_eq!(x.cast::<f64>().trace(0, 1).item(), expected as f64, "{n}");
    }
}

/// The elements are their flat indices in row-major order. So the trace over axes a and b, of extent `n`, is
/// `n * offset + (s_a + s_b) * n * (n - 1) / 2`. `offset` is the first element of the trace; `s_a` and `s_b` are the strides of a
/// row-major layout.
fn every_pair_of_axes<O: Order>() {
    fn check<D: RemoveAxes<2>, O: Order>(shape: D::Shape) {
        let (x, extents) = (ar::<D, O>(shape), shape.as_ref());
        let rank = extents.len();
        let strides: Vec<usize> = (0..rank).map(|k| extents[k + 1..].iter().product()).collect();
        for (a, b) in (0..rank).flat_map(|a| (0..rank).map(move |b| (a, b))) {
            if a == b || extents[a] != extents[b] {
                continue;
            }
            let (n, kept): (usize, Vec<usize>) =
                (extents[a], (0..rank).filter(|&k| k != a && k != b).collect());
            let mut expected = Vec::new();
            for mut flat in 0..kept.iter().map(|&k| extents[k]).product() {
                let mut offset = 0;
                for &k in kept.iter().rev() {
                    offset += flat % extents[k] * strides[k];
                    flat /= extents[k];
                }
                expected.push((n * offset + (strides[a] + strides[b]) * n * (n - 1) / 2) as i64);
            }
            let trace = x.trace(a, b);
            assert!(trace.shape().as_ref().iter().eq(kept.iter().map(|&k| &extents[k])));
            assert_eq!(listed(&trace), expected, "{shape:?} over {a} and {b}");
        }
    }
    check::<Rank<2>, O>([7, 7]);
    check::<Rank<3>, O>([3, 3, 3]);
    check::<Rank<3>, O>([40, 2, 40]);
    check::<Rank<4>, O>([3, 2, 3, 2]);
    check::<Rank<5>, O>([2, 3, 2, 1, 2]);
    check::<Rank<6>, O>([2, 1, 3, 2, 3, 1]);
}

fn permuted_traces<O: Order>() {
    let x = ar::<Rank<3>, O>([4, 3, 4]);
    assert_eq!(listed(&x.permute([2, 1, 0]).trace(0, 2)), [78, 94, 110]);
    assert_eq!(listed(&x.permute([1, 0, 2]).trace(1, 2)), [78, 94, 110]);

    let x = ar::<Rank<4>, O>([4, 3, 4, 5]);
    let trace = x.permute([2, 0, 3, 1]).trace(0, 1);
    assert_eq!(trace.shape(), [5, 3]);
    let expected: Vec<i64> = (0..5).flat_map(|k| (0..3).map(move |l| 390 + 4 * k + 80 * l)).collect();
    assert_eq!(listed(&trace), expected);
}

fn empty_traces<O: Order>() {
    let trace = ar::<Rank<2>, O>([0, 0]).trace(0, 1);
    assert_eq!((trace.shape(), trace.item()), ([], 0));
    let trace = ar::<Rank<3>, O>([3, 0, 3]).trace(0, 2);
    assert_eq!((trace.shape(), trace.to_vec()), ([0], vec![]));
    let trace = ar::<Rank<3>, O>([0, 4, 0]).trace(0, 2);
    assert_eq!((trace.shape(), trace.to_vec()), ([4], vec![0; 4]));
}

/// Each message names both axes and the shape.
fn trace_errors<O: Order>() {
    let x = ar::<Rank<3>, O>([4, 5, 4]);
    let unequal = [(0, 1), (1, 2), (2, 1)];
    for (a, b) in unequal {
        let error = names_both(&x, a, b);
        assert!(matches!(error, Error::ExtentMismatch { axes, .. } if axes == [a, b]), "{error}");
    }
    assert!(matches!(names_both(&x, 2, 2), Error::RepeatedAxis { .. }));
}

fn trace_errors_out_of_range<O: Order>() {
    let x = ar::<Rank<3>, O>([4, 5, 4]);
    for (a, b) in [(1, 7), (7, 1), (8, 9)] {
        names_both(&x, a, b);
    }
}

fn names_both<O: Order>(x: &Tensor<i64, Rank<3>, O>, a: usize, b: usize) -> Error {
    let error = x.try_trace(a, b).unwrap_err();
    let message = error.to_string();
    for part in [format!("{a}"), format!("{b}"), format!("{:?}", x.shape()), "trace".into()] {
        assert!(message.contains(&part), "axes {a} and {b}: {message:?} lacks {part:?}");
    }
    error
}

// ------------------------------------------------------------------ sums

both_orders! { sums_of_ones sums_that_cancel sums_of_zero_elements extremes not_a_number norms }

fn sums_of_ones<O: Order>() {
    for n in [1, 7, 8, 9, 15, 128, 129, 137, 1024] {
        let x = Tensor::<f64, _, O>::ones([n]);
        assert_eq!(x.sum().item(), n as f64);
        assert_eq!(x.cast::<f32>().sum().item(), n as f32);
        assert_eq!(x.cast::<u16>().sum().item(), n as u16);
        assert_eq!(x.cast::<Complex<f64>>().sum().item(), Complex::new(n as f64, 0.0));
        assert_eq!(x.broadcast_to([n]).slice(s![..;-1]).sum().item(), n as f64);
        let wide = Tensor::<f64, _, O>::ones([n, 3]);
        assert_eq!(wide.sum_axis(0).to_vec(), [n as f64; 3]);
        assert_eq!(wide.t().sum_axis(1).to_vec(), [n as f64; 3]);
        assert_eq!(wide.sum_axes([0, 1]).item(), 3.0 * n as f64);
    }
}

/// The sum of `[big, 1022 ones, -big]` is near 1022. If the terms were added one after the other, the sum would be 0.
fn sums_that_cancel<O: Order>() {
    let near = |sum: f64| assert!((sum - 1022.0).abs() <= 16.0, "{sum}");
    let data = |big: f64| -> Vec<f64> {
        let mut data = vec![1.0; 1024];
        (data[0], data[1023]) = (big, -big);
        data
    };
    let line = Tensor::<f64, _, O>::from_vec([1024], data(1e16));
    near(line.sum().item());
    near(line.slice(s![..;-1]).sum().item());
    near(line.as_shape([32, 32]).sum().item());
    near(line.as_shape([32, 32]).t().sum().item());
    let mut columns = Tensor::<f64, _, O>::zeros([1024, 3]);
    columns.index_axis_mut(1, 1).assign(&line);
    near(columns.sum_axis(0).index_axis(0, 1).item());
    near(columns.sum().item());
    near(columns.t().to_owned().sum_axis(1).index_axis(0, 1).item());

    let line = Tensor::<f64, _, O>::from_vec([1024], data(1e8)).cast::<f32>();
    near(f64::from(line.sum().item()));
    near(f64::from(line.slice(s![..;-1]).sum().item()));
}

fn sums_of_zero_elements<O: Order>() {
    let x = Tensor::<f64, _, O>::zeros([3, 0]);
    assert_eq!(x.sum().item(), 0.0);
    assert_eq!(x.sum_axis(1).to_vec(), [0.0; 3]);
    assert_eq!(x.sum_axis(0).shape(), [0]);
    assert_eq!(x.sum_keepdims([0, 1]).shape(), [1, 1]);
    let rejected = |result: Result<Tensor<f64, Rank<0>, O>, Error>, name: &str| {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Empty { .. }), "{error}");
        assert!(error.to_string().contains(name) && error.to_string().contains("[3, 0]"), "{error}");
    };
    rejected(x.try_max(), "maximum");
    rejected(x.try_min(), "minimum");
    assert!(matches!(x.try_max_axis(1), Err(Error::Empty { .. })));
    assert!(matches!(x.try_min_keepdims(1), Err(Error::Empty { .. })));
    assert!(matches!(x.try_argmax(), Err(Error::Empty { .. })));
    assert_eq!(x.max_axis(0).shape(), [0]);
}

fn extremes<O: Order>() {
    let x: Tensor<i64, Rank<1>, O> = [-3, -1, -2].into();
    assert_eq!(x.max().item(), -1);
    assert_eq!(x.min().item(), -3);
    assert_eq!(x.cast::<f32>().max().item(), -1.0);
    assert_eq!((x.argmax().item(), x.argmin().item()), (1, 0));
}

fn not_a_number<O: Order>() {
    for n in [1, 2, 16, 17, 129, 1000] {
        for at in [0, 1, n / 2, n - 1] {
            let mut x = Tensor::<f64, _, O>::from_fn([n, 2], |[i, j]| (i + j) as f64);
            x[[at.min(n - 1), 1]] = f64::NAN;
            for nan in
                [x.sum(), x.max(), x.min(), x.mean(), x.norm(), x.t().max(), x.slice(s![..;-1, ..]).min()]
            {
                assert!(nan.item().is_nan(), "{n} {at}");
            }
            for pair in [x.sum_axis(0), x.max_axis(0), x.min_axis(0), x.t().max_axis(1)] {
                assert!(!pair[[0]].is_nan() && pair[[1]].is_nan(), "{n} {at}");
            }
        }
    }
}

fn norms<O: Order>() {
    let x: Tensor<f64, Rank<1>, O> = [3.0, 4.0].into();
    assert_eq!(x.norm().item(), 5.0);
    let z = ar::<Rank<1>, O>([9]).cast::<Complex<f64>>() * Complex::new(1.0, 1.0);
    let norm: f64 = z.norm().item();
    assert!((norm - 408f64.sqrt()).abs() < 1e-14 * norm, "{norm}");
    let norms: Tensor<f32, Rank<1>, O> = Matrix::<Complex<f32>, O>::eye(2).norm_axis(0);
    assert_eq!(norms.to_vec(), [1.0, 1.0]);
}

/// The compiler infers the rank of a trace from the operand's rank, without annotations.
#[test]
fn rank_of_trace_is_inferred() {
    fn rank<D: Dim, O: Order>(_: &Tensor<i64, D, O>) -> Option<usize> {
        D::NDIM
    }
    assert_eq!(rank(&ar::<Rank<5>, vierbein::ColMajor>([2; 5]).trace(1, 3)), Some(3));
}
