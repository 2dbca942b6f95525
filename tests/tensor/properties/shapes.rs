//! Tests of views and reshapes: every view must have the expected elements, by index and in every iteration order.

use super::check::{
    assert_is, assert_owned, assert_sequence, cases, elements, fixed, for_rank, for_types, rank,
};
use super::number::{Exact, Number, Z};
use super::reference::{Array, contiguous_strides, count, indices, ravel, unravel};
use super::views::{Recipe, TestDim, recipe, shape, with_view};
use proptest::prelude::*;
use vierbein::{
    Axis, BroadcastTo, ColMajor, Complex, Dim, DynTensor, Error, InsertAxes, Last, MergeAxes, NewAxis, Order,
    Rank, RemoveAxes, RowMajor, Tensor, TensorView, s,
};

/// Returns whether strides are contiguous in a memory order.
fn is_contiguous(shape: &[usize], strides: &[isize], row_major: bool) -> bool {
    let contiguous = contiguous_strides(shape, row_major);
    count(shape) == 0 || (0..shape.len()).all(|k| shape[k] == 1 || strides[k] == contiguous[k])
}

/// Checks the elements of a view, and its copies in both memory orders. Called for all element types.
fn shows<T: Exact, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize]) {
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let expected = elements::<T>(shown);
        assert_is(&view, &expected);
        assert_sequence(&view.to_vec(), &expected.enumerate(O::ROW_MAJOR));
        assert_owned(&view.to_order::<RowMajor>(), &expected);
        assert_owned(&view.to_order::<ColMajor>(), &expected);
    });
}

/// Checks the metadata of a view, and iteration over it. Called for all ranks.
fn enumerates<T: Exact, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize]) {
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let expected = elements::<T>(shown);
        assert_eq!(view.rank(), shape.len());
        assert_eq!(view.len(), count(shape));
        assert_eq!(view.is_empty(), count(shape) == 0);
        let contiguous = is_contiguous(shape, view.strides().as_ref(), O::ROW_MAJOR);
        assert_eq!(view.is_contiguous(), contiguous);

        let flat = expected.enumerate(O::ROW_MAJOR);
        assert_eq!(view.iter().len(), flat.len());
        assert_sequence(&view.iter().copied().collect::<Vec<_>>(), &flat);
        let (mut seen, mut values) = (vec![], vec![]);
        for (index, value) in view.indexed_iter() {
            seen.push(index.as_ref().to_vec());
            values.push(*value);
        }
        assert_eq!(seen, indices(shape, O::ROW_MAJOR));
        assert_sequence(&values, &flat);
        match view.try_as_slice() {
            Ok(slice) => assert_sequence(slice, &flat),
            Err(_) => assert!(!contiguous),
        }
        let beyond = shape.iter().map(|n| n + 1).collect::<Vec<_>>();
        for index in indices(&beyond, true) {
            let outside = index.iter().zip(shape).any(|(i, n)| i >= n);
            assert_eq!(view.get(fixed::<D>(&index)).is_none(), outside);
        }
        assert!(view == view.to_owned());
    });
}

/// Checks a view in the other memory order, and with reversed axes. Called for all ranks.
fn turns<T: Exact, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize]) {
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let expected = elements::<T>(shown);
        let flat = expected.enumerate(O::ROW_MAJOR);
        let turned = view.as_order::<O::Transposed>();
        assert_is(&turned, &expected);
        assert_sequence(&turned.to_vec(), &expected.enumerate(!O::ROW_MAJOR));
        assert_eq!(turned.strides().as_ref(), view.strides().as_ref());
        let axes: Vec<usize> = (0..shape.len()).rev().collect();
        let reversed = expected.permute(&axes);
        let flipped = view.flip_order();
        assert_is(&flipped, &reversed);
        assert_sequence(&flipped.to_vec(), &flat);
        assert_eq!(flipped.is_contiguous(), view.is_contiguous());
        let owned = view.to_owned();
        let pointer = owned.as_slice().as_ptr();
        let flipped = owned.into_flipped();
        assert_eq!(flipped.as_slice().as_ptr(), pointer);
        assert_owned(&flipped, &reversed);
        assert_sequence(&flipped.into_vec(), &flat);
        assert_is(&view.flatten(), &Array { shape: vec![flat.len()], values: flat });
    });
}

/// Checks inserted and removed axes on views of every kind.
fn axes_come<T: Exact, D, O: Order>(recipe: &Recipe, shape: &[usize])
where
    D: TestDim + InsertAxes<1>,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let expected = elements::<T>(shown);
        for at in 0..=shape.len() {
            assert_is(&view.insert_axis(at), &expected.insert_axis(at));
        }
        assert!(matches!(view.try_insert_axis(shape.len() + 1), Err(Error::Argument { .. })));
    });
}

fn axes_go<T: Exact, D, O: Order>(recipe: &Recipe, shape: &[usize])
where
    D: TestDim + RemoveAxes<1>,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let expected = elements::<T>(shown);
        for axis in 0..shape.len() {
            let all: Vec<_> = (0..shape[axis]).map(|i| expected.index_axis(axis, i)).collect();
            assert_eq!(view.axis_iter(axis).len(), all.len());
            for (i, part) in view.axis_iter(axis).enumerate() {
                assert_is(&part, &all[i]);
                assert_is(&view.index_axis(axis, i), &all[i]);
            }
            for (part, expected) in view.axis_iter(axis).rev().zip(all.iter().rev()) {
                assert_is(&part, expected);
            }
            let mut both_ends = view.axis_iter(axis);
            let taken = [both_ends.next_back(), both_ends.next()].iter().flatten().count();
            assert_eq!(taken + both_ends.len(), all.len());
            assert!(view.try_index_axis(axis, shape[axis]).is_err());
            let removed = view.try_remove_axis(axis);
            assert_eq!(removed.is_ok(), shape[axis] == 1);
            if let Ok(removed) = removed {
                assert_is(&removed, &all[0]);
            }
            // The expected lanes along `axis`, in memory order of the other axes.
            let lanes = expected.groups(&[axis], true).enumerate(O::ROW_MAJOR);
            assert_eq!(view.lanes(axis).len(), lanes.len());
            for (lane, values) in view.lanes(axis).zip(lanes) {
                assert_is(&lane, &Array { shape: vec![shape[axis]], values });
            }
            for at in 0..=shape[axis] {
                let (low, high) = view.split_at(axis, at);
                assert_is(&low, &expected.choose(axis, &(0..at).collect::<Vec<_>>()));
                assert_is(&high, &expected.choose(axis, &(at..shape[axis]).collect::<Vec<_>>()));
            }
            assert!(view.try_split_at(axis, shape[axis] + 1).is_err());
        }
        assert!(matches!(view.try_index_axis(shape.len(), 0), Err(Error::AxisOutOfRange { .. })));
    });
}

fn has_diagonals<T: Exact, D, O: Order>(recipe: &Recipe, shape: &[usize])
where
    D: TestDim + MergeAxes,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let expected = elements::<T>(shown);
        for (a, b) in (0..shape.len()).flat_map(|a| (0..shape.len()).map(move |b| (a, b))) {
            match view.try_diagonal(a, b) {
                Ok(diagonal) => assert_is(&diagonal, &expected.diagonal(a, b)),
                Err(Error::RepeatedAxis { .. }) => assert_eq!(a, b),
                Err(error) => {
                    assert!(matches!(error, Error::ExtentMismatch { .. }));
                    assert_ne!(shape[a], shape[b]);
                }
            }
        }
    });
}

fn repeats<T: Exact, D, E, O: Order>(recipe: &Recipe, from: &[usize], to: &[usize])
where
    D: TestDim + BroadcastTo<E>,
    E: Dim,
{
    with_view::<T, D, O>(recipe, from, &mut |view, shown| {
        let repeated = view.try_broadcast_to(fixed::<E>(to));
        match shown.broadcast_to(to, O::ROW_MAJOR) {
            Some(expected) => assert_is(&repeated.unwrap(), &elements(&expected)),
            None => assert!(matches!(repeated, Err(Error::BroadcastShape { .. }))),
        }
    });
}

/// Returns whether a view can be reshaped without a copy: whether strides for the new shape exist that give each element its offset in the
/// view.
fn can_be_shown(from: &[usize], strides: &[isize], to: &[usize], row_major: bool) -> bool {
    let offset = |index: &[usize], strides: &[isize]| -> isize {
        index.iter().zip(strides).map(|(&i, &stride)| i as isize * stride).sum()
    };
    if count(from) == 0 {
        return true;
    }
    let offsets: Vec<isize> = indices(from, row_major).iter().map(|index| offset(index, strides)).collect();
    let step = |axis: usize| {
        let mut one = vec![0; to.len()];
        one[axis] = 1;
        if to[axis] > 1 { offsets[ravel(&one, to, row_major)] } else { 0 }
    };
    let steps: Vec<isize> = (0..to.len()).map(step).collect();
    (0..offsets.len()).all(|flat| offset(&unravel(flat, to, row_major), &steps) == offsets[flat])
}

fn reshapes<D: TestDim, E: Dim, O: Order>(recipe: &Recipe, from: &[usize], picks: &[u8]) {
    let mut to = Vec::new();
    let mut left = count(from);
    let len = rank::<E>(3);
    for axis in 1..len {
        let divisors: Vec<usize> =
            if left == 0 { vec![0, 1, 2] } else { (1..=left).filter(|d| left.is_multiple_of(*d)).collect() };
        let extent = divisors[usize::from(picks[axis]) % divisors.len()];
        to.push(extent);
        left = left.checked_div(extent).unwrap_or(1);
    }
    to.push(left);
    to.truncate(len);
    with_view::<i32, D, O>(recipe, from, &mut |view, shown| {
        if count(&to) != count(from) {
            assert!(matches!(view.try_reshape(fixed::<E>(&to)), Err(Error::Reshape { .. })));
            assert!(matches!(view.try_as_shape(fixed::<E>(&to)), Err(Error::Reshape { .. })));
            return;
        }
        let expected = elements::<i32>(&shown.reshape(&to, O::ROW_MAJOR));
        assert_owned(&view.reshape(fixed::<E>(&to)), &expected);
        let owned = view.to_owned();
        assert_is(&owned.as_shape(fixed::<E>(&to)), &expected);
        let pointer = owned.as_slice().as_ptr();
        let reshaped = owned.reshape(fixed::<E>(&to));
        assert_eq!(reshaped.as_slice().as_ptr(), pointer);
        assert_owned(&reshaped, &expected);
        let possible = can_be_shown(from, view.strides().as_ref(), &to, O::ROW_MAJOR);
        match view.try_as_shape(fixed::<E>(&to)) {
            Ok(view) => assert_is(&view, &expected),
            Err(error) => assert!(!possible, "{error}, to {to:?}"),
        }
    });
}

/// Checks slices whose arguments are indices, ranges of every kind, and new axes.
fn slices<O: Order>(recipe: &Recipe, shape: &[usize], at: usize, part: (usize, usize)) {
    let (n, (a, b)) = (shape[1], part);
    let minus = |i: usize| i as isize - n as isize;
    with_view::<i32, Rank<3>, O>(
        recipe,
        shape,
        &mut |view: TensorView<'_, i32, Rank<3>, O>, shown: &Array<Z>| {
            let all = elements::<i32>(shown);
            let range: Vec<usize> = (a..b).collect();
            let backwards: Vec<usize> = (a..b).rev().step_by(2).collect();
            let middle = all.choose(1, &range);
            assert_is(&view.slice(s![.., a..b, ..]), &middle);
            assert_is(&view.slice(s![.., a..b;-2, ..]), &all.choose(1, &backwards));
            assert_is(&view.slice(s![.., a.., ..b;3]), &{
                let tail: Vec<usize> = (a..n).collect();
                let every_third: Vec<usize> = (0..b).step_by(3).collect();
                all.choose(1, &tail).choose(2, &every_third)
            });
            if b > a {
                assert_is(&view.slice(s![.., a..=b - 1, ..]), &middle);
                assert_is(&view.slice(s![.., minus(a)..=minus(b - 1), ..]), &middle);
                assert_is(&view.slice(s![.., ..=b - 1, ..]), &all.choose(1, &(0..b).collect::<Vec<_>>()));
            }
            assert_is(&view.slice(s![NewAxis, .., a..b, NewAxis, ..]), &middle.insert_axis(0).insert_axis(3));
            if at < n {
                let there = all.index_axis(1, at);
                assert_is(&view.slice(s![.., at, ..]), &there);
                assert_is(&view.slice(s![.., minus(at), NewAxis, ..;-1]), &{
                    let last: Vec<usize> = (0..shape[2]).rev().collect();
                    there.choose(1, &last).insert_axis(1)
                });
            } else {
                assert!(matches!(view.try_slice(s![.., at, ..]), Err(Error::IndexOutOfBounds { .. })));
            }
            assert!(matches!(view.try_slice(s![.., .., ..shape[2] + 1]), Err(Error::InvalidSlice { .. })));
            assert!(matches!(view.try_slice(s![.., b + 1..b;1, ..]), Err(Error::InvalidSlice { .. })));
            assert!(matches!(view.try_slice(s![.., a..b;0, ..]), Err(Error::InvalidSlice { .. })));
            let flat = all.index_axis(1, at.min(n - 1)).index_axis(1, 0);
            assert_is(&view.slice(s![.., at.min(n - 1), 0]), &flat);
            for index in indices(shape, true) {
                assert_eq!(view[[index[0], index[1], index[2]]], *all.at(&index));
            }
        },
    );
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn views_of_every_type_have_expected_elements(recipe in recipe(), shape in shape(2..=2, 25)) {
        for_types!([bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, Complex<f32>, Complex<f64>],
            shape.len(), [2], shows(&recipe, &shape));
    }

    #[test]
    fn views_of_every_rank_have_expected_elements(recipe in recipe(), shape in shape(0..=6, 200)) {
        for_rank!(shape.len(), [0 1 2 3 4 5 6], shows::<f64>(&recipe, &shape));
        for_rank!(shape.len(), [0 1 2 3 4 5 6], enumerates::<f64>(&recipe, &shape));
        for_rank!(shape.len(), [0 1 2 3 4 5 6], turns::<f64>(&recipe, &shape));
    }

    #[test]
    fn inserted_and_removed_axes(recipe in recipe(), shape in shape(1..=5, 100)) {
        for_rank!(shape.len(), [1 2 3 4 5], axes_come::<i32>(&recipe, &shape));
        for_rank!(shape.len(), [1 2 3 4 5], axes_go::<i32>(&recipe, &shape));
    }

    #[test]
    fn diagonals(recipe in recipe(), mut shape in shape(2..=5, 100), equal in any::<[usize; 2]>()) {
        let rank = shape.len();
        shape[equal[0] % rank] = shape[equal[1] % rank];
        for_rank!(rank, [2 3 4 5], has_diagonals::<i32>(&recipe, &shape));
    }

    #[test]
    fn repeating_to_a_larger_shape(recipe in recipe(), from in shape(0..=2, 30), by in shape(3..=3, 60), spoil in any::<bool>()) {
        macro_rules! both {
            ($D:literal) => {
                for row_major in [true, false] {
                    let mut to = by.clone();
                    let first = if row_major { 3 - from.len() } else { 0 };
                    for k in 0..from.len() {
                        if from[k] != 1 && !spoil {
                            to[first + k] = from[k];
                        }
                    }
                    if row_major {
                        repeats::<i32, Rank<$D>, Rank<3>, RowMajor>(&recipe, &from, &to);
                    } else {
                        repeats::<i32, Rank<$D>, Rank<3>, ColMajor>(&recipe, &from, &to);
                    }
                }
            };
        }
        match from.len() {
            0 => both!(0),
            1 => both!(1),
            _ => both!(2),
        }
    }

    #[test]
    fn slices_of_every_kind(
        recipe in recipe(),
        mut shape in shape(3..=3, 100),
        picks in any::<[usize; 3]>(),
    ) {
        shape[1] = shape[1].max(1);
        shape[2] = shape[2].max(shape[1]);
        let (a, b) = (picks[0] % (shape[1] + 1), picks[1] % (shape[1] + 1));
        let part = (a.min(b), a.max(b));
        slices::<RowMajor>(&recipe, &shape, picks[2] % (shape[1] + 1), part);
        slices::<ColMajor>(&recipe, &shape, picks[2] % (shape[1] + 1), part);
    }
}

proptest! {
    #![proptest_config(cases(2048))]

    #[test]
    fn reshaping(recipe in recipe(), from in shape(0..=4, 200), to in 0usize..=4, picks in any::<[u8; 5]>()) {
        macro_rules! pairs {
            ($($D:literal $E:literal,)*) => {
                match (from.len(), to) {
                    $(($D, $E) => {
                        reshapes::<Rank<$D>, Rank<$E>, RowMajor>(&recipe, &from, &picks);
                        reshapes::<Rank<$D>, Rank<$E>, ColMajor>(&recipe, &from, &picks);
                    })*
                    _ => {}
                }
            };
        }
        pairs! {
            0 2, 1 0, 1 1, 1 2, 2 1, 2 2, 2 3, 3 1, 3 2, 4 2,
        }
    }
}

#[test]
fn a_permutation_names_every_axis_once() {
    let x = Tensor::<i32, _>::zeros([2, 3, 4]);
    assert!(matches!(x.try_permute([0, 1, 1]), Err(Error::RepeatedAxis { .. })));
    assert!(matches!(x.try_permute([0, 1, 3]), Err(Error::AxisOutOfRange { .. })));
    assert!(matches!(x.try_swap_axes(0, 3), Err(Error::AxisOutOfRange { .. })));
}

fn constructs<T: Number, D: TestDim, O: Order>(shape: &[usize]) {
    let mut seen = Vec::new();
    let value = |k: usize| T::sample(1, k, 50);
    let x = Tensor::<T, D, O>::from_fn(fixed::<D>(shape), |index| {
        seen.push(index.as_ref().to_vec());
        value(seen.len() - 1)
    });
    assert_eq!(seen, indices(shape, O::ROW_MAJOR));
    let expected = Array::gather(shape, &mut |index| value(ravel(index, shape, O::ROW_MAJOR)));
    assert_owned(&x, &expected);
    let flat = expected.enumerate(O::ROW_MAJOR);
    assert_owned(&Tensor::<T, D, O>::from_slice(fixed::<D>(shape), &flat), &expected);
    let too_many = vec![T::zero(); flat.len() + 1];
    assert!(Tensor::<T, D, O>::try_from_vec(fixed::<D>(shape), too_many).is_err());
    assert_owned(&Tensor::<T, D, O>::zeros(fixed::<D>(shape)), &expected.map(|_| T::zero()));
    assert_owned(&Tensor::<T, D, O>::ones(fixed::<D>(shape)), &expected.map(|_| T::one()));
    assert_owned(&Tensor::<T, D, O>::full(fixed::<D>(shape), value(9)), &expected.map(|_| value(9)));
    assert_sequence(&x.into_vec(), &flat);
}

#[test]
fn constructors_of_both_orders() {
    for shape in [vec![], vec![3], vec![2, 3], vec![3, 0, 2], vec![2; 6]] {
        for_rank!(shape.len(), [0 1 2 3 6], constructs::<i64>(&shape));
    }
}

/// Each method that takes an axis has the same result for `k - rank` as for `k`, for typed and for dynamic tensors.
#[test]
fn negative_axes_count_from_the_end() {
    fn check<O: Order>() {
        let x = Tensor::<f64, Rank<3>, O>::from_fn([2, 3, 4], |[i, j, k]| (100 * i + 10 * j + k) as f64);
        let dynamic = DynTensor::from(x.clone());
        for (k, from_end) in [(0, -3), (1, -2), (2, -1)] {
            assert_eq!(x.sum_axis(from_end), x.sum_axis(k));
            assert_eq!(x.sum_axis(from_end as isize), x.sum_axis(k as usize));
            assert_eq!(x.argmax_axis(from_end), x.argmax_axis(k));
            assert_eq!(x.mean_keepdims(from_end), x.mean_keepdims(k));
            assert_eq!(x.sum_axes([from_end, (k + 1) % 3]), x.sum_axes([k, (k + 1) % 3]));
            assert_eq!(x.sum_keepdims([from_end]), x.sum_keepdims([k]));
            assert_eq!(x.cumsum(from_end), x.cumsum(k));
            assert_eq!(x.index_axis(from_end, -1), x.index_axis(k, x.shape()[k as usize] - 1));
            assert_eq!(x.split_at(from_end, -1).1, x.split_at(k, x.shape()[k as usize] - 1).1);
            assert_eq!(x.swap_axes(from_end, 1), x.swap_axes(k, 1));
            assert_eq!(x.axis_iter(from_end).len(), x.axis_iter(k).len());
            assert_eq!(x.lanes(from_end).len(), x.lanes(k).len());
            assert_eq!(x.insert_axis(from_end - 1), x.insert_axis(k));
            assert_eq!(x.insert_axis(from_end - 1).remove_axis(from_end - 1), x);
            assert_eq!(dynamic.sum_axis(from_end), dynamic.sum_axis(k));
            assert_eq!(dynamic.sum_axes([from_end]), dynamic.sum_axes(&[k as usize][..]));
            assert_eq!(dynamic.cumsum(from_end), dynamic.cumsum(k));
            assert_eq!(dynamic.index_axis(from_end, -1), dynamic.index_axis(k, x.shape()[k as usize] - 1));
            assert_eq!(dynamic.insert_axis(from_end - 1), dynamic.insert_axis(k));
            assert_eq!(dynamic.swap_axes(from_end, 1), dynamic.swap_axes(k, 1));
        }
        assert_eq!(x.sum_axis(Last), x.sum_axis(2));
        assert_eq!(x.max_keepdims(Last), x.max_keepdims(2));
        assert_eq!(x.permute([-1, 0, -2]), x.permute([2, 0, 1]));
        assert_eq!(dynamic.permute(&[-1, 0, -2]), dynamic.permute(&[2usize, 0, 1]));
        let square = Tensor::<f64, Rank<3>, O>::from_fn([3, 2, 3], |[i, j, k]| (100 * i + 10 * j + k) as f64);
        assert_eq!(square.trace(0, -1), square.trace(0, 2));
        assert_eq!(square.trace(Axis::<0>, Last), square.trace(0, 2));
        assert_eq!(square.diagonal(-3, -1), square.diagonal(0, 2));
        assert_eq!(
            DynTensor::from(square.clone()).trace(-3, -1),
            DynTensor::from(square.clone()).trace(0, 2)
        );
        let product: Tensor<f64, Rank<2>, O> = x.tensordot(&x, [-1, 1], [2, -2]);
        assert_eq!(product, x.tensordot(&x, [2, 1], [2, 1]));
    }
    check::<RowMajor>();
    check::<ColMajor>();
}

/// In a reshape, -1 stands for an extent that is computed: the number of elements divided by the product of the other extents.
#[test]
fn reshaping_infers_one_extent() {
    let x = Tensor::<i32, _>::arange(0..24);
    assert_eq!(x.as_shape([2, -1, 3]), x.as_shape([2, 4, 3]));
    let n = 6usize;
    assert_eq!(x.as_shape((n, -1)), x.as_shape([6, 4]));
    assert_eq!(x.clone().reshape([-1, 24]).shape(), [1, 24]);
    assert_eq!(DynTensor::from(x.clone()).reshape(&[4, -1]).unwrap().shape(), [4, 6]);
    assert_eq!(DynTensor::from(x).as_shape(&[-1]).unwrap().shape(), [24]);
}
