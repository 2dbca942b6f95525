//! Tests of operations that write to preallocated outputs. The results must be those of the operations that return new tensors. If
//! a call fails, the output stays unchanged.

use vierbein::prelude::*;
use vierbein::{Bins, ConvolutionMode, Element, Error, Quantile, Side, op, stack, try_stack_into};

fn operands<O: Order>() -> (Tensor<f64, Rank<2>, O>, Tensor<f64, Rank<2>, O>) {
    let value = |k: usize| (k * 37 % 101) as f64 - 50.0;
    let a = Tensor::from_fn([13, 21], |[i, j]| value(i * 21 + j));
    let b = Tensor::from_fn([21, 13], |[i, j]| value(i * 13 + j + 5));
    (a, b)
}

fn every_operation<O: Order>() {
    let (a, b) = operands::<O>();
    let turned = b.t();
    let mut out = Tensor::<f64, Rank<2>, O>::full([13, 21], f64::NAN);
    let (x, y) = (|i, j| a[[i, j]], |i, j| b[[j, i]]);
    let check = |out: &Tensor<f64, Rank<2>, O>, expected: &dyn Fn(usize, usize) -> f64| {
        for (i, j) in (0..13).flat_map(|i| (0..21).map(move |j| (i, j))) {
            assert_eq!(out[[i, j]], expected(i, j), "[{i}, {j}]");
        }
    };
    turned.apply_into(op::Abs, &mut out);
    check(&out, &|i, j| y(i, j).abs());
    a.apply2_into(op::Sub, &turned, &mut out);
    check(&out, &|i, j| x(i, j) - y(i, j));
    a.apply2_into(op::Mul, 3.0, &mut out);
    check(&out, &|i, j| x(i, j) * 3.0);
    a.gt(0.0).apply3_into(op::Select, &turned, &Tensor::scalar(7.0), &mut out);
    check(&out, &|i, j| if x(i, j) > 0.0 { y(i, j) } else { 7.0 });
    a.map_into(|x| x * x, &mut out);
    check(&out, &|i, j| x(i, j) * x(i, j));
    a.zip_map_into(&turned, |x, y| x + 2.0 * y, &mut out);
    check(&out, &|i, j| x(i, j) + 2.0 * y(i, j));
    a.zip_map3_into(turned, &a, |x, y, z| x * y - z, &mut out);
    check(&out, &|i, j| x(i, j) * y(i, j) - x(i, j));
    assert_eq!(out, a.zip_map3(turned, &a, |x, y, z| x * y - z));
    let mut whole = Tensor::<i32, Rank<2>, O>::zeros([13, 21]);
    turned.cast_into(&mut whole);
    whole.cast_into(&mut out);
    check(&out, &|i, j| y(i, j));
    out.apply2_inplace(op::Maximum, &a);
    check(&out, &|i, j| if x(i, j) > y(i, j) { x(i, j) } else { y(i, j) });

    // An output may be a strided view. The elements between those of the view stay unchanged.
    let mut wide = Tensor::<f64, Rank<2>, O>::full([26, 42], -1.0);
    a.apply2_into(op::Add, &turned, &mut wide.slice_mut(s![..;2, 1..;-2]));
    for (i, j) in (0..26).flat_map(|i| (0..42).map(move |j| (i, j))) {
        let (row, column) = (i / 2, (41 - j) / 2);
        let written = i % 2 == 0 && j % 2 == 1;
        let expected = if written { x(row, column) + y(row, column) } else { -1.0 };
        assert_eq!(wide[[i, j]], expected, "[{i}, {j}]");
    }
}

#[test]
fn every_operation_in_both_orders() {
    every_operation::<RowMajor>();
    every_operation::<ColMajor>();
}

fn chosen_elements<O: Order>() {
    let (a, _) = operands::<O>();
    let mut wide = Tensor::<f64, Rank<2>, O>::full([26, 42], -1.0);
    // The elements between those of a strided view stay unchanged.
    let check = |wide: &mut Tensor<f64, Rank<2>, O>, expected: &dyn Fn(usize, usize) -> f64| {
        for (i, j) in (0..26).flat_map(|i| (0..42).map(move |j| (i, j))) {
            let (row, column) = (i / 2, (41 - j) / 2);
            let written = i % 2 == 0 && j % 2 == 1;
            let expected = if written { expected(row, column) } else { -1.0 };
            assert_eq!(wide[[i, j]], expected, "[{i}, {j}]");
        }
        wide.fill(-1.0);
    };
    let rows: Vec<usize> = (0..13).map(|i| (5 * i + 3) % 13).collect();
    a.take_into(0, &rows, &mut wide.slice_mut(s![..;2, 1..;-2]));
    check(&mut wide, &|i, j| a[[rows[i], j]]);
    let at =
        Tensor::<i64, Rank<2>, O>::from_fn([13, 21], |[i, j]| ((i * j) % 21) as i64 - 21 * (j % 2) as i64);
    a.take_along_axis_into(1, &at, &mut wide.slice_mut(s![..;2, 1..;-2]));
    check(&mut wide, &|i, j| a[[i, (i * j) % 21]]);
    let doubled = Tensor::<f64, Rank<2>, O>::from_fn([13, 42], |[i, j]| a[[i, j / 2]] + (j % 2) as f64);
    let odd = Tensor::<bool, Rank<1>, O>::from_fn([42], |[j]| j % 2 == 1);
    doubled.compress_into(1, &odd, &mut wide.slice_mut(s![..;2, 1..;-2]));
    check(&mut wide, &|i, j| a[[i, j]] + 1.0);

    let mut line = Tensor::<f64, Rank<1>, O>::full([7], -1.0);
    a.at_into([[0, 0], [12, -1], [-13, 20]], &mut line.slice_mut(s![1..;-2]));
    assert_eq!(line.to_vec(), [-1.0, -1.0, a[[0, 20]], -1.0, a[[12, 20]], -1.0, a[[0, 0]]]);
    line.fill(-1.0);
    let mask =
        Tensor::<bool, Rank<2>, O>::from_fn([13, 21], |[i, j]| [[1, 2], [3, 0], [12, 0]].contains(&[i, j]));
    a.masked_into(&mask, &mut line.slice_mut(s![1..;2]));
    let mut expected = [a[[1, 2]], a[[3, 0]], a[[12, 0]]];
    if !O::MEMORY_ORDER.is_row_major() {
        expected.rotate_left(1);
    }
    assert_eq!(line.to_vec(), [-1.0, expected[0], -1.0, expected[1], -1.0, expected[2], -1.0]);

    // An operation that returns an error has not written to the output.
    let (before, mut out) = (line.clone(), line);
    let error =
        a.try_at_into([[0, 0], [1, 21], [2, 2], [3, 3], [4, 4], [5, 5], [13, 0]], &mut out).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot take elements: index 13 is out of bounds for axis 0 of shape [13, 21], whose extent is 13"
    );
    let shapes = [
        a.try_at_into([[0, 0]], &mut out),
        a.try_masked_into(&mask, &mut out),
        a.slice(s![.., 0]).try_compress_into(0, mask.slice(s![.., 0]), &mut out),
        a.slice(s![.., 0]).try_take_along_axis_into(0, [0, 1], &mut out),
        a.slice(s![.., 0]).try_take_into(0, [0, 1], &mut out),
    ];
    assert!(shapes.iter().all(|tried| matches!(tried, Err(Error::OutputShape { .. }))), "{shapes:?}");
    let error =
        a.slice(s![.., 0]).try_take_along_axis_into(0, [0, 1, 2, 3, 4, 5, -14], &mut out).unwrap_err();
    assert!(matches!(error, Error::IndexOutOfBounds { index: -14, axis: 0, .. }), "{error}");
    assert_eq!(out, before);
}

#[test]
fn chosen_elements_in_both_orders() {
    chosen_elements::<RowMajor>();
    chosen_elements::<ColMajor>();
}

#[test]
fn outputs_have_the_shape_of_the_result() {
    let (a, row) = (tensor![[1, 2], [3, 4]], tensor![5, 6]);
    let mut out = Tensor::<i32, _>::full([2, 3], 9);
    let mut flags = Tensor::<bool, _>::full([1, 2], true);
    let rejected = |result: Result<(), Error>, op: &str, there: &[usize]| {
        let error = result.expect_err("the shapes differ");
        assert!(matches!(error, Error::OutputShape { .. }), "{error}");
        let text = error.to_string();
        assert!(
            text.contains(&format!("cannot {op} into shape {there:?}: the result has shape [2, 2]")),
            "{text}"
        );
    };
    rejected(a.try_apply_into(op::Square, &mut out), "take square of", &[2, 3]);
    rejected(a.try_apply2_into(op::Add, &row, &mut out), "add", &[2, 3]);
    rejected(a.try_apply2_into(op::Add, 1, &mut out), "add", &[2, 3]);
    rejected(a.try_apply2_into(op::Lt, &row, &mut flags), "compare", &[1, 2]);
    rejected(a.lt(2).try_apply3_into(op::Select, &a, &row, &mut out), "select from", &[2, 3]);
    rejected(a.try_cast_into(&mut Tensor::<f64, _>::zeros([2, 0])), "cast", &[2, 0]);
    rejected(a.try_map_into(|x| x, &mut out), "map", &[2, 3]);
    rejected(a.try_zip_map_into(&row, |x, y| x + y, &mut out), "zip", &[2, 3]);
    rejected(a.try_zip_map3_into(&row, &row, |x, y, z| x + y + z, &mut out), "zip", &[2, 3]);
    assert!(out.iter().all(|&x| x == 9) && flags.iter().all(|&x| x));
    assert!(matches!(
        a.try_apply2_into(op::Add, &tensor![1, 2, 3], &mut out),
        Err(Error::ShapeMismatch { .. })
    ));
    assert!(matches!(out.try_apply2_inplace(op::Add, &a), Err(Error::AssignShape { .. })));
}

#[test]
fn undefined_element_leaves_output_unchanged() {
    let mut out = tensor![7, 7, 7];
    let error = tensor![6, 6, 6].try_apply2_into(op::Div, &tensor![1, 2, 0], &mut out).unwrap_err();
    assert!(matches!(error, Error::Arithmetic { .. }), "{error}");
    assert_eq!(out, tensor![7, 7, 7]);
}

fn products<O: Order>() {
    let (a, b) = operands::<O>();
    let mut out = Tensor::<f64, Rank<2>, O>::full([13, 13], f64::NAN);
    a.matmul_into(&b, &mut out);
    let sum = |i: usize, j: usize| (0..21).map(|k| a[[i, k]] * b[[k, j]]).sum::<f64>();
    assert_eq!(out, Tensor::from_fn([13, 13], |[i, j]| sum(i, j)));
    // An output may be a strided view. The elements between those of the view stay unchanged.
    let mut wide = Tensor::<f64, Rank<2>, O>::full([26, 13], -1.0);
    a.matmul_into(&b, &mut wide.slice_mut(s![1..;2, ..]));
    assert_eq!(wide, Tensor::from_fn([26, 13], |[i, j]| if i % 2 == 1 { sum(i / 2, j) } else { -1.0 }));
    let error = a.try_matmul_into(&b, &mut Tensor::<f64, Rank<2>, O>::zeros([13, 12])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot matmul into shape [13, 12]: the result has shape [13, 13]; allocate the output with shape [13, 13]"
    );
    assert!(matches!(a.try_matmul_into(&a, &mut out), Err(Error::Matmul { .. })));
    assert_eq!(out[[3, 4]], sum(3, 4));
}

#[test]
fn products_in_both_orders() {
    products::<RowMajor>();
    products::<ColMajor>();
}

fn scans<O: Order>() {
    let (a, _) = operands::<O>();
    let mut wide = Tensor::<f64, Rank<2>, O>::full([26, 21], -1.0);
    a.cumsum_into(0, &mut wide.slice_mut(s![..;-2, ..]));
    for (i, j) in (0..26).flat_map(|i| (0..21).map(move |j| (i, j))) {
        let sum = |last: usize| (0..=last).map(|k| a[[k, j]]).sum::<f64>();
        assert_eq!(wide[[i, j]], if i % 2 == 1 { sum((25 - i) / 2) } else { -1.0 }, "[{i}, {j}]");
    }
    let mut out = Tensor::<i64, Rank<2>, O>::full([2, 3], 9);
    let x = Tensor::<i64, Rank<2>, O>::from_fn([2, 3], |[i, j]| (1 + i + j) as i64);
    x.cumprod_into(1, &mut out);
    assert_eq!(out, Tensor::from_fn([2, 3], |[i, j]| [[1, 2, 6], [2, 6, 24]][i][j]));
    let error = x.try_cumsum_into(1, &mut out.slice_mut(s![.., ..2])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot accumulate into shape [2, 2]: the result has shape [2, 3]; allocate the output with shape [2, 3]"
    );
    assert!(matches!(x.try_cumsum_into(2, &mut out), Err(Error::AxisOutOfRange { .. })));
    assert_eq!(out[[1, 2]], 24);
}

#[test]
fn scans_in_both_orders() {
    scans::<RowMajor>();
    scans::<ColMajor>();
}

#[test]
fn overflowing_product_leaves_output_unchanged() {
    let large = tensor![[1i8, 100], [1, 1]];
    let mut out = tensor![[5i8, 5], [5, 5]];
    assert!(matches!(large.try_matmul_into(&large, &mut out), Err(Error::Arithmetic { .. })));
    assert_eq!(out, tensor![[5, 5], [5, 5]]);
}

#[test]
fn an_output_of_the_other_order_is_written_through_a_view() {
    let a = tensor![[1.0, 2.0], [3.0, 4.0]];
    let mut out = Tensor::<f64, Rank<2>, ColMajor>::zeros([2, 2]);
    a.apply2_into(op::Add, &a, &mut out.as_order_mut::<RowMajor>());
    assert_eq!(out.as_slice(), [2.0, 6.0, 4.0, 8.0]);
}

/// Checks that `write` writes `result` to a strided view whose second axis is reversed, and leaves the elements between those of the view
/// unchanged. `write` must fail for another shape.
fn writes<T: Element, O: Order>(
    result: &Tensor<T, Rank<2>, O>,
    before: T,
    same: fn(T, T) -> bool,
    write: &dyn Fn(&mut TensorViewMut<'_, T, Rank<2>, O>) -> Result<(), Error>,
) {
    let [rows, columns] = result.shape();
    let mut wide = Tensor::<T, Rank<2>, O>::full([2 * rows, 2 * columns], before);
    write(&mut wide.slice_mut(s![..;2, 1..;-2])).unwrap();
    for (i, j) in (0..2 * rows).flat_map(|i| (0..2 * columns).map(move |j| (i, j))) {
        let written = i % 2 == 0 && j % 2 == 1;
        let expected = if written { result[[i / 2, columns - 1 - j / 2]] } else { before };
        assert!(same(wide[[i, j]], expected), "{} instead of {expected} at [{i}, {j}]", wide[[i, j]]);
    }
    wide.fill(before);
    let error = write(&mut wide.view_mut()).unwrap_err();
    assert!(matches!(error, Error::OutputShape { .. }), "{error}");
    assert!(wide.iter().all(|&x| same(x, before)));
}

fn computed_elements<O: Order>() {
    // Sums depend on the order of their terms, and so on the strides of the output.
    let close = |x: f64, y: f64| (x - y).abs() <= 1e-14 * y.abs();
    let (a, _) = operands::<O>();
    let x = a.apply2(op::Mul, 0.1);
    writes(&x.softmax(1), -1.0, close, &|out| x.try_softmax_into(1, out));
    writes(&x.log_softmax(0), -1.0, close, &|out| x.try_log_softmax_into(0, out));
    let p = Tensor::<f64, Rank<1>, O>::from_vec([3], vec![2.0, -1.0, 4.0]);
    writes(&p.polyval(&a), -1.0, close, &|out| p.try_polyval_into(&a, out));
    for (axis, times) in [(0, 0), (0, 1), (1, 1), (1, 3), (-1, 19)] {
        writes(&a.diff(axis, times), -1.0, close, &|out| a.try_diff_into(axis, times, out));
    }
    let rows: Vec<_> = (0..13).map(|i| a.index_axis(0, i)).collect();
    writes(&stack(1, &rows), -1.0, close, &|out| try_stack_into(1, &rows, out));
    let kernel = Tensor::<f64, Rank<2>, O>::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0]);
    for mode in [ConvolutionMode::Full, ConvolutionMode::Same, ConvolutionMode::Valid] {
        writes(&a.convolve(&kernel, mode), -1.0, close, &|out| a.try_convolve_into(&kernel, mode, out));
        writes(&a.correlate(&kernel, mode), -1.0, close, &|out| a.try_correlate_into(&kernel, mode, out));
    }
    for (axis, levels) in [(0, [0.25, 0.5]), (1, [0.1, 1.0])] {
        let by = Quantile::Weibull;
        writes(&a.quantile(axis, levels, by), -1.0, close, &|out| a.try_quantile_into(axis, levels, by, out));
        let gaps = a.map(|x| if x > 40.0 { f64::NAN } else { x });
        let expected = gaps.nan_quantile(axis, levels, by);
        writes(&expected, -1.0, close, &|out| gaps.try_nan_quantile_into(axis, levels, by, out));
    }
    let vectors = a.slice(s![.., ..3]);
    let with = Tensor::<f64, Rank<2>, O>::from_vec([1, 3], vec![2.0, -1.0, 4.0]);
    writes(&vectors.cross(1, &with), -1.0, close, &|out| vectors.try_cross_into(1, &with, out));
    let edges = Tensor::<f64, Rank<1>, O>::from_vec([4], vec![-20.0, 0.0, 7.0, 30.0]);
    writes(&edges.searchsorted(&a, Side::Left), -1, |x, y| x == y, &|out| {
        edges.try_searchsorted_into(&a, Side::Left, out)
    });
    writes(&a.digitize(&edges, Side::Left), -1, |x, y| x == y, &|out| {
        a.try_digitize_into(&edges, Side::Left, out)
    });
    writes(&a.isin(&edges), true, |x, y| x == y, &|out| a.try_isin_into(&edges, out));

    // The median of one level has the rank of the other axes.
    let mut medians = Tensor::<f64, Rank<1>, O>::zeros([13]);
    a.quantile_into(1, 0.5, Quantile::Linear, &mut medians);
    assert_eq!(medians, a.median_axis(1));
}

#[test]
fn computed_elements_in_both_orders() {
    computed_elements::<RowMajor>();
    computed_elements::<ColMajor>();
}

/// [`writes`] for a vector.
fn writes_vector<T: Element, O: Order>(
    result: &Tensor<T, Rank<1>, O>,
    before: T,
    write: &dyn Fn(&mut TensorViewMut<'_, T, Rank<1>, O>) -> Result<(), Error>,
) {
    let mut wide = Tensor::<T, Rank<1>, O>::full([2 * result.len()], before);
    write(&mut wide.slice_mut(s![1..;-2])).unwrap();
    for k in 0..wide.len() {
        let expected = if k % 2 == 1 { result[[result.len() - 1 - k / 2]] } else { before };
        assert_eq!(wide[[k]], expected, "at {k}");
    }
    wide.fill(before);
    let error = write(&mut wide.view_mut()).unwrap_err();
    assert!(matches!(error, Error::OutputShape { .. }), "{error}");
    assert!(wide.iter().all(|&x| x == before));
}

/// Functions that remove an axis, or whose result has another shape than their operand.
fn reduced_elements<O: Order>() {
    let close = |x: f64, y: f64| (x - y).abs() <= 1e-13 * (1.0 + y.abs());
    let value = |k: usize| (k * 37 % 101) as f64 / 10.0 - 5.0;
    let x = Tensor::<f64, Rank<3>, O>::from_vec([5, 4, 7], (0..140).map(value).collect());
    let gaps = x.map(|x| if x > 4.0 { f64::NAN } else { x });
    for axis in [0, 1, -1_i32] {
        writes(&x.median_axis(axis), -9.0, close, &|out| x.try_median_into(axis, out));
        writes(&gaps.nan_median_axis(axis), -9.0, close, &|out| gaps.try_nan_median_into(axis, out));
        writes(&x.logsumexp_axis(axis), -9.0, close, &|out| x.try_logsumexp_into([axis], out));
        writes(&x.trapezoid(axis, 0.1), -9.0, close, &|out| x.try_trapezoid_into(axis, 0.1, out));
        let extent = x.shape()[axis.rem_euclid(3) as usize];
        let weights = Tensor::<f64, Rank<1>, O>::from_fn([extent], |[k]| 1.0 + k as f64);
        writes(&x.average(axis, &weights), -9.0, close, &|out| x.try_average_into(axis, &weights, out));
    }
    writes_vector(&x.median_axis(0).median_axis(1), -9.0, &|out| x.median_axis(0).try_median_into(1, out));

    let matrix = x.index_axis(0, 1);
    writes(&matrix.cov(1), -9.0, close, &|out| matrix.try_cov_into(1, out));
    writes(&matrix.corrcoef(), -9.0, close, &|out| matrix.try_corrcoef_into(out));
    let points = [vec![-4.0, 0.0, 2.5], vec![1.0, -3.0, 8.0]];
    let [xp, fp] = points.map(|of| Tensor::<f64, Rank<1>, O>::from_vec([3], of));
    writes(&matrix.interp(&xp, &fp), -9.0, close, &|out| matrix.try_interp_into(&xp, &fp, out));
    writes(&xp.outer_map(&fp, |a, b| a - 2.0 * b), -9.0, close, &|out| {
        xp.try_outer_map_into(&fp, |a, b| a - 2.0 * b, out)
    });
    let labels = Tensor::<i64, Rank<1>, O>::from_vec([4], vec![2, 0, 1, 2]);
    writes(&labels.one_hot::<i32>(3), 7, |x, y| x == y, &|out| labels.try_one_hot_into(3, out));

    let bins = Bins::Range(3, -4.0..=5.0);
    writes_vector(&x.histogram(bins.clone()).0, -1, &|out| x.try_histogram_into(bins.clone(), out));
    writes_vector(&x.histogram_weighted(4, &x).0, -9.0, &|out| x.try_histogram_weighted_into(4, &x, out));

    // An error other than that of the output's shape leaves the output unchanged, too.
    let mut out = Tensor::<f64, Rank<1>, O>::full([4], -9.0);
    matrix.try_median_into(2, &mut out).unwrap_err();
    matrix.try_logsumexp_into([2], &mut out).unwrap_err();
    matrix.try_trapezoid_into(2, 1.0, &mut out).unwrap_err();
    matrix.try_average_into(1, Tensor::zeros([7]), &mut out).unwrap_err();
    out.try_interp_into(&fp, &xp, &mut Tensor::zeros([4])).unwrap_err();
    matrix.try_histogram_weighted_into(Bins::Range(4, 1.0..=0.0), matrix, &mut out).unwrap_err();
    matrix.try_histogram_weighted_into(4, matrix.slice(s![.., 1..]), &mut out).unwrap_err();
    assert!(out.iter().all(|&x| x == -9.0));
    let mut ones = Tensor::<i32, Rank<2>, O>::full([4, 2], 7);
    labels.try_one_hot_into(2, &mut ones).unwrap_err();
    assert!(ones.iter().all(|&x| x == 7));
}

#[test]
fn reduced_elements_in_both_orders() {
    reduced_elements::<RowMajor>();
    reduced_elements::<ColMajor>();
}

#[test]
fn outputs_have_known_values() {
    let x = tensor![[1.0, 5.0, 3.0], [0.0, 2.0, f64::NAN]];
    let mut pair = tensor![0.0, 0.0];
    x.nan_median_into(1, &mut pair);
    assert_eq!(pair, tensor![3.0, 1.0]);
    tensor![[4, 1, 7], [2, 2, 9]].median_into(1, &mut pair);
    assert_eq!(pair, tensor![4.0, 2.0]);
    tensor![[[f64::NEG_INFINITY, 700.0]], [[-f64::INFINITY, 700.0]]].logsumexp_into([0, 1], &mut pair);
    assert_eq!(pair, tensor![f64::NEG_INFINITY, 700.0 + 2f64.ln()]);
    tensor![[1.0, 3.0, 5.0], [2.0, 0.0, 2.0]].trapezoid_into(1, 2.0, &mut pair);
    assert_eq!(pair, tensor![12.0, 4.0]);
    tensor![[1.0, 8.0], [4.0, 2.0]].average_into(0, tensor![2.0, 1.0], &mut pair);
    assert_eq!(pair, tensor![2.0, 6.0]);
    tensor![0.5, 9.0].interp_into(tensor![0.0, 1.0], tensor![2.0, 6.0], &mut pair);
    assert_eq!(pair, tensor![4.0, 6.0]);
    tensor![0.0, 1.0, 3.0].histogram_weighted_into(&[0.0, 1.0, 3.0], tensor![0.5, 2.0, 4.0], &mut pair);
    assert_eq!(pair, tensor![0.5, 6.0]);

    let mut matrix = tensor![[0.0, 0.0], [0.0, 0.0]];
    tensor![[1, 3], [4, 0]].cov_into(1, &mut matrix);
    assert_eq!(matrix, tensor![[2.0, -4.0], [-4.0, 8.0]]);
    tensor![[1.0, 3.0, 1.0, 3.0], [6.0, 2.0, 6.0, 2.0]].corrcoef_into(&mut matrix);
    assert_eq!(matrix, tensor![[1.0, -1.0], [-1.0, 1.0]]);
    tensor![1.0, 2.0].outer_map_into(tensor![3.0, 4.0], |a, b| 10.0 * a + b, &mut matrix);
    assert_eq!(matrix, tensor![[13.0, 14.0], [23.0, 24.0]]);
    tensor![1_i64, 0].one_hot_into(2, &mut matrix);
    assert_eq!(matrix, tensor![[0.0, 1.0], [1.0, 0.0]]);

    let mut counts = tensor![7_i64, 7];
    tensor![1, 2, 2, 9].histogram_into((2, 0.0..=4.0), &mut counts);
    assert_eq!(counts, tensor![1, 2]);
    assert_eq!(
        tensor![1, 2].try_histogram_into(3, &mut counts).unwrap_err().to_string(),
        "cannot compute a histogram into shape [2]: the result has shape [3]; allocate the output with shape [3]"
    );
}

#[cfg(feature = "fft")]
fn transformed_elements<O: Order>() {
    let close = |x: f64, y: f64| (x - y).abs() <= 1e-9;
    let (a, _) = operands::<O>();
    let large = Tensor::<f64, Rank<2>, O>::from_fn([4, 6], |[i, j]| i as f64 - 2.0 * j as f64);
    // No axis of an operand with a kernel of one element is transformed.
    for kernel in [large, Tensor::full([1, 1], 3.0)] {
        for mode in [ConvolutionMode::Full, ConvolutionMode::Same, ConvolutionMode::Valid] {
            let convolved = a.convolve(&kernel, mode);
            writes(&convolved, -1.0, close, &|out| a.try_fft_convolve_into(&kernel, mode, out));
            let correlated = a.correlate(&kernel, mode);
            writes(&correlated, -1.0, close, &|out| a.try_fft_correlate_into(&kernel, mode, out));
        }
    }
    let mut out = Tensor::<f64, Rank<1>, O>::zeros([3]);
    let x = Tensor::<f64, Rank<1>, O>::from_vec([3], vec![1.0, 2.0, 4.0]);
    let pair = Tensor::<f64, Rank<1>, O>::from_vec([2], vec![1.0, 10.0]);
    x.fft_convolve_into(&pair, ConvolutionMode::Same, &mut out);
    assert!(out.iter().zip([1.0, 12.0, 24.0]).all(|(&x, y)| close(x, y)), "{out}");
}

#[cfg(feature = "fft")]
#[test]
fn transformed_elements_in_both_orders() {
    transformed_elements::<RowMajor>();
    transformed_elements::<ColMajor>();
}
