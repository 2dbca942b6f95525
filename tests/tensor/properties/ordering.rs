//! Tests of sorting, selection and search along axes of views. `src/device/cpu/kernels/sort/tests.rs` tests the kernels on lines.

use super::check::{assert_is, assert_owned, cases, elements, for_rank, for_types};
use super::number::{Exact, Z};
use super::reference::Array;
use super::views::{Recipe, TestDim, recipe, shape, with_view, with_view_mut};
use proptest::prelude::*;
use vierbein::{Cpu, Dim, InsertAxes, Order, Quantile, RealScalar, RemoveAxes, Side, Tensor};

/// Returns the indices that sort a line. Equal elements keep their order.
fn order(line: &[i128], descending: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..line.len()).collect();
    order.sort_by_key(|&i| if descending { -line[i] } else { line[i] });
    order
}

/// Replaces each line along an axis by the `len` values that `f` returns for it.
fn lines(x: &Array<Z>, axis: usize, len: usize, f: impl Fn(&[i128]) -> Vec<i128>) -> Array<Z> {
    let mut shape = x.shape.clone();
    let n = shape[axis];
    shape[axis] = len;
    Array::from_fn(&shape, |index| {
        let mut at = index.to_vec();
        let line: Vec<i128> = (0..n)
            .map(|k| {
                at[axis] = k;
                x.at(&at).re
            })
            .collect();
        Z::real(f(&line)[index[axis]])
    })
}

fn values(line: &[i128], descending: bool) -> Vec<i128> {
    order(line, descending).into_iter().map(|i| line[i]).collect()
}

fn places(line: &[i128], descending: bool) -> Vec<i128> {
    order(line, descending).into_iter().map(|i| i as i128).collect()
}

fn along_axes<T: Exact + RealScalar, D, O: Order>(recipe: &Recipe, shape: &[usize], axis: usize, picks: u8)
where
    D: TestDim + RemoveAxes<1, Removed: InsertAxes<1, Inserted = D>>,
    T::Float: Exact,
{
    let n = shape[axis];
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        for descending in [false, true] {
            let sorted = elements(&lines(shown, axis, n, |line| values(line, descending)));
            let indices = elements::<i64>(&lines(shown, axis, n, |line| places(line, descending)));
            if descending {
                assert_owned(&view.sort_descending(axis), &sorted);
                let mut out = Tensor::<T, D, O>::zeros(view.shape());
                view.sort_descending_into(axis, &mut out);
                assert_owned(&out, &sorted);
                assert_owned(&view.argsort_descending(axis), &indices);
            } else {
                assert_owned(&view.sort(axis), &sorted);
                let mut out = Tensor::<T, D, O>::zeros(view.shape());
                view.sort_into(axis, &mut out);
                assert_owned(&out, &sorted);
                assert_owned(&view.argsort(axis), &indices);
            }
        }
        let k = usize::from(picks) % (n + 1);
        let (best, at) = view.top_k(axis, k);
        assert_owned(&best, &elements(&lines(shown, axis, k, |line| values(line, true))));
        assert_owned(&at, &elements(&lines(shown, axis, k, |line| places(line, true))));
        let (mut best, mut at) =
            (Tensor::<T, D, O>::zeros(best.shape()), Tensor::<i64, D, O>::zeros(at.shape()));
        view.top_k_into(axis, &mut best, &mut at);
        assert_owned(&best, &elements(&lines(shown, axis, k, |line| values(line, true))));
        assert_owned(&at, &elements(&lines(shown, axis, k, |line| places(line, true))));
        if k < n {
            let parts = view.partition(axis, k);
            let kth = |line: &[i128]| vec![values(line, false)[k]];
            assert_is(&parts.slice_axis_at(axis, k), &elements(&lines(shown, axis, 1, kth)));
            assert_owned(&parts.sort(axis), &elements(&lines(shown, axis, n, |line| values(line, false))));
            let mut out = Tensor::<T, D, O>::zeros(view.shape());
            view.partition_into(axis, k, &mut out);
            assert_is(&out.slice_axis_at(axis, k), &elements(&lines(shown, axis, 1, kth)));
            assert_owned(&out.sort(axis), &elements(&lines(shown, axis, n, |line| values(line, false))));
        }
        if n > 0 {
            // These comparisons are exact: twice the median is an integer, and a quantile by the inverted distribution function is an
            // element.
            let two = |line: &[i128]| vec![values(line, false)[(n - 1) / 2] + values(line, false)[n / 2]];
            let medians = view.median_axis(axis);
            assert_is(&(&medians + &medians).insert_axis(axis), &elements(&lines(shown, axis, 1, two)));
            let levels = [0.0, 0.5, 0.75, 1.0, 0.25];
            let quantile = |line: &[i128]| {
                let rank = |q: f64| ((q * n as f64).ceil() as usize).max(1) - 1;
                levels.iter().map(|&q| values(line, false)[rank(q)]).collect()
            };
            let expected = elements(&lines(shown, axis, levels.len(), quantile));
            assert_owned(&view.quantile(axis, levels, Quantile::InvertedCdf), &expected);
            let one = view.quantile(axis, 0.75, Quantile::InvertedCdf);
            let three = Array::from_fn(&lines(shown, axis, 1, two).shape, |index| {
                let mut index = index.to_vec();
                index[axis] = 2;
                *expected.at(&index)
            });
            assert_is(&one.insert_axis(axis), &three);
        }
    });
}

/// Copies the elements at one index of an axis, which is kept with extent 1.
trait SliceAxisAt<T: vierbein::Element, D: Dim, O: Order> {
    fn slice_axis_at(&self, axis: usize, k: usize) -> Tensor<T, D, O>;
}
impl<T: vierbein::Element, D: Dim, O: Order> SliceAxisAt<T, D, O> for Tensor<T, D, O> {
    fn slice_axis_at(&self, axis: usize, k: usize) -> Tensor<T, D, O> {
        let mut shape = self.shape();
        shape.as_mut()[axis] = 1;
        Tensor::from_fn(shape, |mut index| {
            index.as_mut()[axis] = k;
            *self.get(index).expect("within bounds")
        })
    }
}

fn whole<T: Exact + RealScalar, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize]) {
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let all: Vec<i128> = shown.enumerate(O::ROW_MAJOR).iter().map(|z| z.re).collect();
        let mut distinct = values(&all, false);
        distinct.dedup();
        let line = |values: &[i128]| Array {
            shape: vec![values.len()],
            values: values.iter().map(|&v| Z::real(v)).collect(),
        };
        assert_owned(&view.unique(), &elements(&line(&distinct)));
        let found = view.unique_with();
        assert_owned(&found.values, &elements(&line(&distinct)));
        let of_each = |f: &dyn Fn(i128) -> usize| distinct.iter().map(|&v| f(v) as i128).collect::<Vec<_>>();
        let first = of_each(&|v| all.iter().position(|&x| x == v).expect("it occurs"));
        let counts = of_each(&|v| all.iter().filter(|&&x| x == v).count());
        let inverse: Vec<i128> =
            all.iter().map(|x| distinct.binary_search(x).expect("it occurs") as i128).collect();
        assert_owned(&found.first, &elements(&line(&first)));
        assert_owned(&found.counts, &elements(&line(&counts)));
        assert_owned(&found.inverse, &elements(&line(&inverse)));
        let (found, found_counts) = view.unique_counts();
        assert_owned(&found, &elements(&line(&distinct)));
        assert_owned(&found_counts, &elements(&line(&counts)));

        let sorted = Tensor::<T, vierbein::Rank<1>, O, Cpu>::from_vec(
            [4],
            [0, 1, 1, 2].map(|v| T::put(Z::real(v)).expect("it fits")).to_vec(),
        );
        let before =
            |x: i128, equal: bool| [0, 1, 1, 2].iter().filter(|&&y| y < x || equal && y == x).count();
        let place = |equal| elements::<i64>(&shown.map(|z| Z::real(before(z.re, equal) as i128)));
        assert_owned(&sorted.searchsorted(view, Side::Left), &place(false));
        assert_owned(&sorted.searchsorted(view, Side::Right), &place(true));
        assert_owned(&view.digitize(&sorted, Side::Left), &place(true));
        assert_owned(&view.digitize(&sorted, Side::Right), &place(false));
        let members = Array::from_fn(&shown.shape, |index| [0, 1, 2].contains(&shown.at(index).re));
        assert_owned(&view.isin(&sorted), &members);
    });
}

fn in_place<T: Exact + RealScalar, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize], axis: usize) {
    let n = shape[axis];
    for descending in [false, true] {
        with_view_mut::<T, D, O>(
            recipe,
            shape,
            &mut |mut view| {
                if descending { view.sort_descending_inplace(axis) } else { view.sort_inplace(axis) }
            },
            &mut |old| elements(&lines(&old.map(|x| x.take()), axis, n, |line| values(line, descending))),
        );
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn order_of_types(recipe in recipe(), shape in shape(2..=2, 25), axis in 0usize..2, picks: u8) {
        for_types!([i8, u64, f32], 2, [2], along_axes(&recipe, &shape, axis, picks));
        for_types!([i16, f64], 2, [2], in_place(&recipe, &shape, axis));
        for_types!([u8, f64], 2, [2], whole(&recipe, &shape));
    }

    #[test]
    fn order_of_ranks(recipe in recipe(), shape in prop_oneof![shape(1..=1, 5), shape(3..=3, 60)], axis in 0usize..12, picks: u8) {
        let axis = axis % shape.len();
        for_rank!(shape.len(), [1 3], along_axes::<f64>(&recipe, &shape, axis, picks));
        for_rank!(shape.len(), [1 3], in_place::<i32>(&recipe, &shape, axis));
    }
}
