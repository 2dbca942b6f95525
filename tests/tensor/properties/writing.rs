//! Tests of writing through mutable views: the elements of the view must change, and no others.

use super::check::{assert_is, cases, elements, fixed, for_rank, for_types};
use super::number::Exact;
use super::reference::{Array, count, indices, without};
use super::views::{Recipe, TestDim, recipe, shape, with_view, with_view_mut};
use core::cell::Cell;
use proptest::prelude::*;
#[cfg(feature = "rayon")]
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use vierbein::{
    BroadcastTo, ColMajor, Complex, Error, NewAxis, Order, Rank, RemoveAxes, RowMajor, Tensor, TensorViewMut,
    s,
};

/// Returns a value to write to element `k`. The views under test do not contain this value before the write.
fn mark<T: Exact>(k: usize) -> T {
    T::put(super::number::Z::real(10 + k as i128 % 100)).expect("it fits every type")
}

/// Returns an array with the element `mark(k)` at each flat index `k` in memory order.
fn marks<T: Exact>(shape: &[usize], row_major: bool) -> Array<T> {
    Array::gather(shape, &mut |index| mark(super::reference::ravel(index, shape, row_major)))
}

fn writes<T: Exact, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize]) {
    with_view_mut::<T, D, O>(recipe, shape, &mut |mut view| view.fill(mark(1)), &mut |shown| {
        shown.map(|_| mark(1))
    });
    let in_sequence = |view: &mut TensorViewMut<'_, T, D, O>| {
        view.iter_mut().enumerate().for_each(|(k, element)| *element = mark(k));
    };
    with_view_mut::<T, D, O>(recipe, shape, &mut |mut view| in_sequence(&mut view), &mut |_| {
        marks(shape, O::ROW_MAJOR)
    });
}

/// Writes to a single element. Then writes to all elements, through a slice and through a view that is reshaped to one axis.
fn writes_one<T: Exact, D: TestDim, O: Order>(recipe: &Recipe, shape: &[usize], pick: usize) {
    let chosen = (count(shape) > 0).then(|| indices(shape, true).swap_remove(pick % count(shape)));
    let mut one = |mut view: TensorViewMut<'_, T, D, O>| {
        assert!(view.get_mut(fixed::<D>(&vec![9; shape.len()])).is_none() || shape.is_empty());
        if let Some(index) = &chosen {
            *view.get_mut(fixed::<D>(index)).expect("within bounds") = mark(2);
        }
    };
    with_view_mut::<T, D, O>(recipe, shape, &mut one, &mut |shown| {
        let mut shown = shown.clone();
        chosen.iter().for_each(|index| shown.set(index, mark(2)));
        shown
    });
    // Writes to all elements through a slice, if the view is contiguous, and through a view of rank 1, if it can be reshaped.
    let done = Cell::new(false);
    let in_sequence = |(k, element): (usize, &mut T)| *element = mark(k);
    let mut as_slice = |mut view: TensorViewMut<'_, T, D, O>| {
        done.set(view.is_contiguous());
        match view.try_as_mut_slice() {
            Ok(slice) => slice.iter_mut().enumerate().for_each(in_sequence),
            Err(error) => assert!(matches!(error, Error::NotContiguous { .. }) && !done.get()),
        }
    };
    let mut as_one_axis = |mut view: TensorViewMut<'_, T, D, O>| {
        done.set(view.try_as_shape([count(shape)]).is_ok());
        if done.get() {
            view.as_shape_mut([count(shape)]).iter_mut().enumerate().for_each(in_sequence);
        }
    };
    let mut changed = |shown: &Array<T>| if done.get() { marks(shape, O::ROW_MAJOR) } else { shown.clone() };
    with_view_mut::<T, D, O>(recipe, shape, &mut as_slice, &mut changed);
    with_view_mut::<T, D, O>(recipe, shape, &mut as_one_axis, &mut changed);
}

fn assigns<T: Exact, D, E, O: Order>(recipes: &[Recipe; 2], target: &[usize], from: &[usize])
where
    D: TestDim,
    E: TestDim + BroadcastTo<D>,
{
    with_view::<T, E, O>(&recipes[0], from, &mut |from, shown| {
        let repeated = elements::<T>(shown).broadcast_to(target, O::ROW_MAJOR);
        with_view_mut::<T, D, O>(
            &recipes[1],
            target,
            &mut |mut view| match view.try_assign(&from) {
                Ok(()) => assert!(repeated.is_some()),
                Err(error) => assert!(matches!(error, Error::AssignShape { .. }) && repeated.is_none()),
            },
            &mut |shown| repeated.clone().unwrap_or_else(|| shown.clone()),
        );
    });
}

/// Writes to the views and lanes along each axis, on one and on several threads, and to both parts of a split view.
fn writes_along<T: Exact, D, O: Order>(recipe: &Recipe, shape: &[usize], at: usize)
where
    D: TestDim + RemoveAxes<1>,
{
    for axis in 0..shape.len() {
        let at = at % (shape[axis] + 1);
        let by_position = |shown: &Array<T>| Array::gather(&shown.shape, &mut |index| mark(index[axis]));
        let each = |(i, mut part): (usize, TensorViewMut<'_, T, D::Removed, O>)| part.fill(mark(i));
        with_view_mut::<T, D, O>(
            recipe,
            shape,
            &mut |mut view| view.axis_iter_mut(axis).enumerate().for_each(each),
            &mut |shown| by_position(shown),
        );
        #[cfg(feature = "rayon")]
        with_view_mut::<T, D, O>(
            recipe,
            shape,
            &mut |mut view| view.par_axis_iter_mut(axis).enumerate().for_each(each),
            &mut |shown| by_position(shown),
        );
        let others = without(shape, &[axis]);
        with_view_mut::<T, D, O>(
            recipe,
            shape,
            &mut |mut view| {
                assert_eq!(view.lanes_mut(axis).len(), count(&others));
                for (k, mut lane) in view.lanes_mut(axis).enumerate() {
                    assert_eq!(lane.shape(), [shape[axis]]);
                    lane.fill(mark(k));
                }
            },
            &mut |shown| {
                let lanes = marks::<T>(&others, O::ROW_MAJOR);
                Array::gather(&shown.shape, &mut |index| *lanes.at(&without(index, &[axis])))
            },
        );
        with_view_mut::<T, D, O>(
            recipe,
            shape,
            &mut |mut view| {
                let (mut low, mut high) = view.split_at_mut(axis, at);
                low.fill(mark(3));
                high.fill(mark(4));
            },
            &mut |shown| Array::gather(&shown.shape, &mut |index| mark(if index[axis] < at { 3 } else { 4 })),
        );
        if at < shape[axis] {
            with_view_mut::<T, D, O>(
                recipe,
                shape,
                &mut |mut view| view.index_axis_mut(axis, at).fill(mark(5)),
                &mut |shown| {
                    Array::gather(&shown.shape, &mut |index| {
                        if index[axis] == at { mark(5) } else { *shown.at(index) }
                    })
                },
            );
        }
    }
}

/// Reads the views along each axis on several threads.
#[cfg(feature = "rayon")]
fn reads_along<T: Exact, D, O: Order>(recipe: &Recipe, shape: &[usize])
where
    D: TestDim + RemoveAxes<1>,
{
    with_view::<T, D, O>(recipe, shape, &mut |view, shown| {
        let owned = view.to_owned();
        for axis in 0..shape.len() {
            let parts: Vec<Vec<T>> = owned.par_axis_iter(axis).map(|part| part.to_vec()).collect();
            assert_eq!(parts.len(), shape[axis]);
            for (i, part) in parts.iter().enumerate() {
                super::check::assert_sequence(
                    part,
                    &elements::<T>(shown).index_axis(axis, i).enumerate(O::ROW_MAJOR),
                );
            }
        }
    });
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn all_types_are_written(recipe in recipe(), shape in shape(2..=2, 25)) {
        for_types!([bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, Complex<f32>, Complex<f64>],
            2, [2], writes(&recipe, &shape));
    }

    #[test]
    fn all_ranks_are_written(recipe in recipe(), shape in shape(0..=6, 200), pick in any::<usize>()) {
        for_rank!(shape.len(), [0 1 2 3 4 5 6], writes::<i32>(&recipe, &shape));
        for_rank!(shape.len(), [0 1 2 3 4 5 6], writes_one::<i32>(&recipe, &shape, pick));
    }

    #[test]
    fn positions_and_lanes(recipe in recipe(), shape in shape(1..=4, 60), at in 0usize..6) {
        for_rank!(shape.len(), [1 2 3 4], writes_along::<i32>(&recipe, &shape, at));
        #[cfg(feature = "rayon")]
        for_rank!(shape.len(), [1 2 3 4], reads_along::<i32>(&recipe, &shape));
    }

    #[test]
    fn assignment_broadcasts(
        recipes in [recipe(), recipe()],
        target in shape(2..=3, 60),
        less in 0usize..=2,
        ones in any::<[bool; 3]>(),
        spoil in 0u8..8,
    ) {
        let from = |row_major: bool| {
            let first = if row_major { less } else { 0 };
            let mut from = target[first..first + target.len() - less].to_vec();
            for (extent, one) in from.iter_mut().zip(ones) {
                *extent = if one { 1 } else { *extent + usize::from(spoil == 0) };
            }
            from
        };
        macro_rules! pairs {
            ($($D:literal $E:literal,)*) => {
                match [target.len(), target.len() - less] {
                    $([$D, $E] => {
                        assigns::<i32, Rank<$D>, Rank<$E>, RowMajor>(&recipes, &target, &from(true));
                        assigns::<i32, Rank<$D>, Rank<$E>, ColMajor>(&recipes, &target, &from(false));
                    })*
                    _ => unreachable!("no such ranks here"),
                }
            };
        }
        pairs! { 2 0, 2 1, 2 2, 3 1, 3 2, 3 3, }
    }
}

/// Writes to a slice whose arguments are an index, a reversed range, a new axis and a range with a step.
#[test]
fn slices_are_written() {
    fn check<O: Order>() {
        let mut x = Tensor::<i32, Rank<3>, O>::zeros([3, 4, 5]);
        let mut part = x.slice_mut(s![1, ..;-1, NewAxis, 1..;2]);
        assert_eq!(part.shape(), [4, 1, 2]);
        for ([i, _, k], element) in
            indices(&[4, 1, 2], O::ROW_MAJOR).iter().map(|i| [i[0], i[1], i[2]]).zip(part.iter_mut())
        {
            *element = (10 * i + k) as i32 + 1;
        }
        let expected = Array::from_fn(&[3, 4, 5], |index| match *index {
            [1, j, k] if k % 2 == 1 => (10 * (3 - j) + k / 2) as i32 + 1,
            _ => 0,
        });
        assert_is(&x, &expected);
        x.permute_mut([2, 0, 1]).slice_mut(s![-1, .., 0]).fill(7);
        let expected = Array::from_fn(&[3, 4, 5], |i| if i[1..] == [0, 4] { 7 } else { *expected.at(i) });
        assert_is(&x, &expected);
        x.slice_mut(s![.., 0..3, 2..]).diagonal_mut(0, 1).index_axis_mut(0, 0).fill(8);
        let expected =
            Array::from_fn(&[3, 4, 5], |i| if i[2] == 2 && i[0] == i[1] { 8 } else { *expected.at(i) });
        assert_is(&x, &expected);
    }
    check::<RowMajor>();
    check::<ColMajor>();
}
