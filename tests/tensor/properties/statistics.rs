//! Tests of means, variances, standard deviations and norms of small integers. The exact values are quotients and square roots of
//! integers. Results must be equal to the correctly rounded exact value, or within a bound on the rounding errors.

use super::check::{cases, for_rank, for_types, read};
use super::number::{Exact, Number, Z};
use super::reference::Array;
use super::views::{Recipe, TestDim, recipe, shape, with_view};
use num_traits::{Float, NumCast};
use proptest::prelude::*;
use vierbein::{Complex, Dim, Order, RemoveAxes, Scalar, Tensor, num_traits};

/// Converts an integer to a floating-point number.
fn float<M: NumCast>(x: i128) -> M {
    NumCast::from(x).expect("a floating type holds it")
}

/// Returns the number of elements, their sum, and the sum of their squared absolute values.
fn moments(group: &[Z]) -> (i128, Z, i128) {
    let sum = group.iter().fold(Z::ZERO, |sum, z| sum.plus(z));
    let squares = group.iter().map(|z| z.re * z.re + z.im * z.im).sum();
    (group.len() as i128, sum, squares)
}

#[track_caller]
fn assert_means<T: Number, D: Dim, O: Order>(found: &Tensor<T::Float, D, O>, groups: &Array<Vec<Z>>)
where
    T::Float: Exact,
    T::Magnitude: Exact,
{
    let found = read(found);
    assert_eq!(found.shape, groups.shape);
    for (&mean, group) in found.values.iter().zip(&groups.values) {
        let (n, sum, _) = moments(group);
        let part = |sum: i128| float::<T::Magnitude>(sum) / float(n);
        assert!(mean.re().same(part(sum.re)), "{mean} of {group:?}");
        assert!(!<T as Exact>::COMPLEX || mean.im().same(part(sum.im)), "{mean} of {group:?}");
    }
}

#[track_caller]
fn assert_variances<M: Exact + Float, D: Dim, O: Order>(
    found: &Tensor<M, D, O>,
    groups: &Array<Vec<Z>>,
    ddof: usize,
) {
    let found = read(found);
    assert_eq!(found.shape, groups.shape);
    for (&variance, group) in found.values.iter().zip(&groups.values) {
        let (n, sum, squares) = moments(group);
        let divisor = n - ddof as i128;
        if divisor <= 0 {
            assert!(variance.is_nan());
            continue;
        }
        let squared_sum = sum.re * sum.re + sum.im * sum.im;
        let expected = float::<M>(n * squares - squared_sum) / float(n * divisor);
        // In each of the `n` updates of the variance, about four operations round. Each rounding error is at most epsilon times the
        // sum of squares.
        let bound = M::epsilon() * float(4 * n) * float(squares) / float(divisor);
        assert!((variance - expected).abs() <= bound, "{variance} instead of {expected}: {group:?}");
    }
}

#[track_caller]
fn assert_norms<M: Exact + Float, D: Dim, O: Order>(found: &Tensor<M, D, O>, groups: &Array<Vec<Z>>) {
    let found = read(found);
    assert_eq!(found.shape, groups.shape);
    for (&norm, group) in found.values.iter().zip(&groups.values) {
        let (_, _, squares) = moments(group);
        assert_eq!(norm, float::<M>(squares).sqrt(), "{group:?}");
    }
}

fn describes<T: Number, D, O: Order>(recipe: &Recipe, shape: &[usize], axis: usize, ddof: usize)
where
    D: TestDim + RemoveAxes<1>,
    T::Float: Exact,
    T::Magnitude: Exact,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let over = |axes: &[usize]| shown.groups(axes, O::ROW_MAJOR);
        let all: Vec<usize> = (0..shape.len()).collect();
        let (whole, along) = (over(&all), over(&[axis]));
        let kept = along.keeping(&[axis]);
        assert_means::<T, _, O>(&view.mean(), &whole);
        assert_means::<T, _, O>(&view.mean_axis(axis), &along);
        assert_means::<T, _, O>(&view.mean_keepdims(axis), &kept);
        assert_variances(&view.var(ddof), &whole, ddof);
        assert_variances(&view.var_axis(axis, ddof), &along, ddof);
        assert_variances(&view.var_keepdims(axis, ddof), &kept, ddof);
        assert_norms(&view.norm(), &whole);
        assert_norms(&view.norm_axis(axis), &along);
        assert_norms(&view.norm_keepdims(axis), &kept);
        let (std, var) = (view.std(ddof).item(), view.var(ddof).item());
        assert!(std.same(var.sqrt()));
    });
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn statistics_of_types(recipe in recipe(), shape in shape(2..=2, 25), axis in 0usize..2, ddof in 0usize..3) {
        for_types!([i8, f32, Complex<f64>], 2, [2], describes(&recipe, &shape, axis, ddof));
    }

    #[test]
    fn statistics_of_ranks(recipe in recipe(), shape in prop_oneof![shape(1..=1, 5), shape(3..=4, 200)], axis in 0usize..12, ddof in 0usize..3) {
        let axis = axis % shape.len();
        for_rank!(shape.len(), [1 3 4], describes::<f64>(&recipe, &shape, axis, ddof));
    }
}
