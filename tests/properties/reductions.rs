//! Reductions whole, over one axis and over several, traces, and running sums.
//!
//! Elements are small whole numbers, so that sums, products and extremes are exact in every type; a result that does not
//! fit an integer type must be an error.

use super::check::{
    assert_fits, assert_is, assert_owned, cases, elements, fixed, for_rank, for_types, put_all,
};
use super::number::{Exact, Number, Z};
use super::reference::Array;
use super::views::{Recipe, TestDim, recipe, shape, with_view};
use proptest::prelude::*;
use vierbein::{AxesArg, Complex, Dim, Error, Order, Rank, RealScalar, RemoveAxes, Tensor};

/// Axes to reduce: none named twice.
fn some_axes(rank: usize, picks: [u8; 2]) -> [usize; 2] {
    let (a, b) = (usize::from(picks[0]) % rank, usize::from(picks[1]) % (rank - 1));
    [a, if b >= a { b + 1 } else { b }]
}

fn all_axes(rank: usize) -> Vec<usize> {
    (0..rank).collect()
}

fn sum(values: &Vec<Z>) -> Z {
    values.iter().fold(Z::ZERO, |sum, z| sum.plus(z))
}

fn product(values: &Vec<Z>) -> Z {
    values.iter().fold(Z::ONE, |product, z| product.times(z))
}

// ------------------------------------------------------------------ sums of all types

/// Whole, over one axis, over two, and with the axes kept.
fn sums<T: Number, D, O: Order>(recipe: &Recipe, shape: &[usize], picks: [u8; 2])
where
    D: TestDim + RemoveAxes<1> + RemoveAxes<2>,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let pair = some_axes(shape.len(), picks);
        let over = |axes: &[usize]| shown.groups(axes, O::ROW_MAJOR).map(sum);
        assert_fits(view.try_sum(), &put_all(&over(&all_axes(shape.len()))));
        assert_fits(view.try_sum_axis(pair[0]), &put_all(&over(&pair[..1])));
        assert_fits(view.try_sum_axes(pair), &put_all(&over(&pair)));
        assert_fits(view.try_sum_keep(pair[0]), &put_all(&over(&pair[..1]).keeping(&pair[..1])));
        assert_fits(view.try_sum_keep(pair), &put_all(&over(&pair).keeping(&pair)));
        assert!(matches!(view.try_sum_axes([pair[0], pair[0]]), Err(Error::RepeatedAxis { .. })));
        assert!(matches!(view.try_sum_axis(shape.len()), Err(Error::AxisOutOfRange { .. })));
    });
}

/// The same for ranks that have no second axis.
fn whole_sums<T: Number, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize]) {
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let total = shown.groups(&all_axes(shape.len()), O::ROW_MAJOR).map(sum);
        assert_fits(view.try_sum(), &put_all(&total));
        assert_fits(
            view.try_sum_keep(AllAxes::<D>(fixed::<D>(&all_axes(D::NDIM)))),
            &put_all(&Array { shape: vec![1; shape.len()], ..total }),
        );
    });
}

/// An array of axes whose length is the rank's.
#[derive(Debug, Clone, Copy)]
struct AllAxes<D: Dim>(D::Shape);
impl<D: Dim> AxesArg<D> for AllAxes<D> {
    type Axes = D::Shape;
    fn axes(self) -> D::Shape {
        self.0
    }
}

fn products<T: Number, D, O: Order>(recipe: &Recipe, shape: &[usize], axis: usize)
where
    D: TestDim + RemoveAxes<1>,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let over = |axes: &[usize]| shown.groups(axes, O::ROW_MAJOR).map(product);
        assert_fits(view.try_prod(), &put_all(&over(&all_axes(shape.len()))));
        assert_fits(view.try_prod_axis(axis), &put_all(&over(&[axis])));
        assert_fits(view.try_prod_keep(axis), &put_all(&over(&[axis]).keeping(&[axis])));
        // Running sums and products end where sums and products are.
        assert_fits(view.try_cumsum(axis), &put_all(&shown.scan(axis, Z::plus)));
        assert_fits(view.try_cumprod(axis), &put_all(&shown.scan(axis, Z::times)));
    });
}

fn traces<T: Number, D, O: Order>(recipe: &Recipe, shape: &[usize], [a, b]: [usize; 2])
where
    D: TestDim + RemoveAxes<2>,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        if shape[a] != shape[b] {
            assert!(matches!(view.try_trace(a, b), Err(Error::UnequalAxes { .. })));
            return;
        }
        let diagonal = shown.diagonal(a, b);
        let expected = diagonal.groups(&[diagonal.rank() - 1], O::ROW_MAJOR).map(sum);
        assert_fits(view.try_trace(a, b), &put_all(&expected));
        assert_fits(view.try_trace(b, a), &put_all(&expected));
        assert!(matches!(view.try_trace(a, a), Err(Error::RepeatedAxis { .. })));
    });
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn sums_of_all_types(recipe in recipe(), shape in shape(2..=2, 25), picks in any::<[u8; 2]>()) {
        for_types!([i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, Complex<f32>, Complex<f64>],
            2, [2], sums(&recipe, &shape, picks));
    }

    #[test]
    fn sums_of_all_ranks(recipe in recipe(), shape in shape(0..=6, 300), picks in any::<[u8; 2]>()) {
        for_rank!(shape.len(), [0 1 2 3 4 5 6], whole_sums::<i32>(&recipe, &shape));
        if shape.len() > 1 {
            for_rank!(shape.len(), [2 3 4 5 6], sums::<f64>(&recipe, &shape, picks));
        }
    }

    #[test]
    fn products_and_running_sums(recipe in recipe(), shape in shape(2..=2, 12), pick in 0usize..2) {
        for_types!([i8, u64, f64, Complex<f64>], 2, [2], products(&recipe, &shape, pick));
    }

    #[test]
    fn running_sums_of_all_ranks(recipe in recipe(), shape in prop_oneof![shape(1..=1, 12), shape(3..=4, 12)], pick in 0usize..12) {
        let axis = pick % shape.len();
        for_rank!(shape.len(), [1 3 4], products::<i32>(&recipe, &shape, axis));
    }

    #[test]
    fn traces_of_all_types(recipe in recipe(), mut shape in shape(2..=2, 25), equal in any::<bool>()) {
        shape[1] = if equal { shape[0] } else { shape[1] };
        for_types!([i8, i32, u64, f32, f64, Complex<f32>, Complex<f64>], 2, [2], traces(&recipe, &shape, [0, 1]));
    }

    #[test]
    fn traces_of_all_ranks(recipe in recipe(), mut shape in shape(2..=6, 100), picks in any::<[u8; 2]>()) {
        let axes = some_axes(shape.len(), picks);
        shape[axes[0]] = shape[axes[1]];
        for_rank!(shape.len(), [2 3 4 5 6], traces::<i32>(&recipe, &shape, axes));
    }
}

// ------------------------------------------------------------------ extremes and their positions

/// The position of the first value that no other one beats.
fn first_best<T>(values: &[T], beats: fn(&T, &T) -> bool) -> usize {
    let best = (0..values.len()).find(|&k| values.iter().all(|other| !beats(other, &values[k])));
    best.expect("there are values")
}

/// An array of results, or `None` where there is nothing to take an extreme of.
fn extreme<T: Clone, W: Clone>(groups: Array<Vec<T>>, f: fn(&Vec<T>) -> W) -> Option<Array<W>> {
    groups.values.iter().all(|group| !group.is_empty()).then(|| groups.map(f))
}

#[track_caller]
fn assert_extreme<T: Exact, D: Dim, O: Order>(
    result: Result<Tensor<T, D, O>, Error>,
    expected: &Option<Array<T>>,
) {
    match (result, expected) {
        (Ok(found), Some(expected)) => assert_owned(&found, expected),
        (Ok(_), None) => panic!("nothing has no extreme"),
        (Err(error), expected) => {
            assert!(matches!(error, Error::Empty { .. }) && expected.is_none(), "{error}")
        }
    }
}

fn extremes<T: Number + RealScalar, D, O: Order>(recipe: &Recipe, shape: &[usize], picks: [u8; 2])
where
    D: TestDim + RemoveAxes<1> + RemoveAxes<2>,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let shown = elements::<T>(shown);
        let pair = some_axes(shape.len(), picks);
        let over = |axes: &[usize]| shown.groups(axes, O::ROW_MAJOR);
        let max = |axes: &[usize]| extreme(over(axes), |group| group[first_best(group, T::gt)]);
        let min = |axes: &[usize]| extreme(over(axes), |group| group[first_best(group, T::lt)]);
        let argmax = |axes: &[usize]| extreme(over(axes), |group| first_best(group, T::gt) as i64);
        let argmin = |axes: &[usize]| extreme(over(axes), |group| first_best(group, T::lt) as i64);
        let all = all_axes(shape.len());
        assert_extreme(view.try_max(), &max(&all));
        assert_extreme(view.try_max_axis(pair[0]), &max(&pair[..1]));
        assert_extreme(view.try_max_keep(pair), &max(&pair).map(|x| x.keeping(&pair)));
        assert_extreme(view.try_min_axes(pair), &min(&pair));
        assert_extreme(view.try_min_axis(pair[0]), &min(&pair[..1]));
        assert_extreme(view.try_argmax(), &argmax(&all));
        assert_extreme(view.try_argmax_axis(pair[0]), &argmax(&pair[..1]));
        assert_extreme(view.try_argmax_axes(pair), &argmax(&pair));
        assert_extreme(view.try_argmax_keep(pair[1]), &argmax(&pair[1..]).map(|x| x.keeping(&pair[1..])));
        assert_extreme(view.try_argmin(), &argmin(&all));
        assert_extreme(view.try_argmin_axes([pair[1], pair[0]]), &argmin(&pair));
    });
}

fn all_of(group: &Vec<bool>) -> bool {
    !group.contains(&false)
}

fn any_of(group: &Vec<bool>) -> bool {
    group.contains(&true)
}

/// Whether all, and whether any; so it is of nothing.
fn quantifies<T: Exact, D, O: Order>(recipe: &Recipe, shape: &[usize], picks: [u8; 2])
where
    D: TestDim + RemoveAxes<1> + RemoveAxes<2>,
{
    with_view::<bool, D, O>(recipe, shape, &mut |view, shown| {
        let shown = elements::<bool>(shown);
        let pair = some_axes(shape.len(), picks);
        let over = |axes: &[usize]| shown.groups(axes, O::ROW_MAJOR);
        let all = |axes: &[usize]| over(axes).map(all_of);
        let any = |axes: &[usize]| over(axes).map(any_of);
        assert_owned(&view.all(), &all(&all_axes(shape.len())));
        assert_owned(&view.any(), &any(&all_axes(shape.len())));
        assert_owned(&view.all_axis(pair[0]), &all(&pair[..1]));
        assert_owned(&view.any_axis(pair[1]), &any(&pair[1..]));
        assert_owned(&view.all_axes(pair), &all(&pair));
        assert_owned(&view.any_keep(pair), &any(&pair).keeping(&pair));
    });
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn extremes_of_real_types(recipe in recipe(), shape in shape(2..=2, 25), picks in any::<[u8; 2]>()) {
        for_types!([i64, u8, f64], 2, [2], extremes(&recipe, &shape, picks));
    }

    #[test]
    fn extremes_of_all_ranks(recipe in recipe(), shape in shape(3..=4, 200), picks in any::<[u8; 2]>()) {
        for_rank!(shape.len(), [3 4], extremes::<f64>(&recipe, &shape, picks));
    }

    #[test]
    fn all_and_any(recipe in recipe(), shape in shape(2..=3, 60), picks in any::<[u8; 2]>()) {
        for_rank!(shape.len(), [2 3], quantifies::<bool>(&recipe, &shape, picks));
    }

    /// The first NaN wins, wherever it is.
    #[test]
    fn extremes_with_nan(
        values in prop::collection::vec(prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-0.0), -9.0..9.0], 1..200),
    ) {
        let x = Tensor::<f64, Rank<1>>::from(values.clone());
        let nan = values.iter().position(|v| v.is_nan());
        let expected = |f: fn(f64, f64) -> f64| if nan.is_some() { f64::NAN } else { values.iter().copied().fold(values[0], f) };
        assert!(x.max().item().same(expected(f64::max)));
        assert!(x.min().item().same(expected(f64::min)));
        let first = |beats: fn(&f64, &f64) -> bool| nan.unwrap_or_else(|| first_best(&values, beats)) as i64;
        assert_eq!(x.argmax().item(), first(f64::gt));
        assert_eq!(x.argmin().item(), first(f64::lt));
        assert_eq!(x.sum().item().is_nan(), nan.is_some());
        // The same over the outer axis of a matrix with the vector as a column.
        let column = x.insert_axis(1).broadcast_to([values.len(), 3]).to_owned();
        assert_is(&column.argmax_axis(0), &Array { shape: vec![3], values: vec![first(f64::gt); 3] });
        assert_is(&column.max_axis(0), &Array { shape: vec![3], values: vec![expected(f64::max); 3] });
    }
}
