//! Steps of the random programs that create typed views, shared and mutable.

use super::record::{attempt, certain, may_panic};
use super::source::{Source, array, element_count, is_small};
use vierbein::prelude::*;
use vierbein::{BroadcastTo, InsertAxes, MergeAxes, RemoveAxes, Removed, Stepped};

/// Checks a shared view: the number of elements matches the shape, and each element can be read, printed and copied.
pub(super) fn look<T: Element, D: Dim, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>) {
    let shape = x.shape();
    match s.below(16) {
        0 => certain("Display", || assert!(!format!("{x}").is_empty())),
        1 => {
            let digits = s.below(20);
            certain("Display with precision", || assert!(!format!("{x:.digits$}").is_empty()));
        }
        2 => certain("Debug", || assert!(!format!("{x:?}").is_empty())),
        _ => {}
    }
    let index: Vec<usize> = shape.as_ref().iter().map(|&n| s.index(n)).collect();
    let inside = index.iter().zip(shape.as_ref()).all(|(i, n)| i < n);
    certain("get", || assert_eq!(x.get(array::<D>(&index)).is_some(), inside));
    assert_eq!(x.iter().len(), x.len());
    if !is_small(shape.as_ref()) {
        certain("iter of a repeated view", || assert!(x.iter().take(3).count() <= 3));
        return;
    }
    let len = x.len();
    assert_eq!(x.iter().count(), len);
    match s.below(8) {
        0 => certain("indexed_iter", || {
            for (index, &value) in x.indexed_iter() {
                let found = x.get(index);
                assert!(found == Some(&value) || found.is_some_and(|found| found != found));
            }
        }),
        1 => {
            let k = s.index(len);
            certain("iter nth", || assert_eq!(x.iter().nth(k).is_some(), k < len));
        }
        2 => {
            let copy = attempt("try_to_owned", || x.try_to_owned());
            if let Some(copy) = copy {
                assert!(copy.is_contiguous() && same(copy.iter(), x.iter()));
                s.keep(copy);
            }
        }
        3 => {
            let copy = attempt("try_to_vec", || x.try_to_vec());
            assert!(copy.is_none_or(|copy| same(copy.iter(), x.iter())));
        }
        4 => {
            let slice = attempt("try_as_slice", || x.try_as_slice());
            assert_eq!(slice.is_some(), x.is_contiguous() || len == 0);
            assert!(slice.is_none_or(|slice| same(slice.iter(), x.iter())));
        }
        5 => certain("eq", || {
            let equal = x == x;
            assert!(equal || x.iter().any(|value| value != value));
        }),
        _ => {}
    }
}

/// Returns whether two iterators yield equal elements. NaN equals NaN.
pub(super) fn same<'a, T: Element>(
    a: impl ExactSizeIterator<Item = &'a T>,
    b: impl ExactSizeIterator<Item = &'a T>,
) -> bool {
    a.len() == b.len() && a.zip(b).all(|(a, b)| a == b || (a != a && b != b))
}

/// Creates and checks a random view of a tensor of any rank.
pub(super) fn any<T: Element, D, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>)
where
    D: Dim + InsertAxes<1> + BroadcastTo<Rank<5>>,
{
    let rank = D::NDIM.expect("a rank known at compile time");
    match s.below(14) {
        0 => {
            let axes = s.permutation(rank);
            let view = attempt("try_permute", || x.try_permute(array::<D>(&axes)));
            view.into_iter().for_each(|view| look(view, s));
        }
        1 => {
            let (a, b) = s.two_axes(rank);
            let view = attempt("try_swap_axes", || x.try_swap_axes(a, b));
            view.into_iter().for_each(|view| look(view, s));
        }
        2 => look(certain("reverse_axes", || x.reverse_axes()), s),
        3 => {
            let shape = s.broadcast(x.shape().as_ref(), rank, O::ROW_MAJOR);
            let view = attempt("try_broadcast_to", || same_rank::<_, D, _>(x, array::<D>(&shape)));
            view.into_iter().for_each(|view| look(view, s));
        }
        4 => {
            let shape = s.broadcast(x.shape().as_ref(), 5, O::ROW_MAJOR);
            let view =
                attempt("try_broadcast_to a larger rank", || x.try_broadcast_to(array::<Rank<5>>(&shape)));
            view.into_iter().for_each(|view| look(view, s));
        }
        5 => as_shape(x, s),
        6 => look(certain("as_order", || x.as_order::<O::Transposed>()), s),
        7 => look(certain("flip_order", || x.flip_order()), s),
        8 => {
            let (axis, at) = (s.axis(rank), s.index(x.shape().as_ref().first().copied().unwrap_or(1)));
            if let Some((low, high)) = attempt("try_split_at", || x.try_split_at(axis, at)) {
                look(low, s);
                look(high, s);
            }
        }
        9 => {
            let at = if s.rarely(8) { s.hostile() } else { s.below(rank + 1) };
            let view = attempt("try_insert_axis", || x.try_insert_axis(at));
            view.into_iter().for_each(|view| look(view, s));
        }
        10 if is_small(x.shape().as_ref()) => {
            let copy = attempt("try_to_order", || x.try_to_order::<O::Transposed>());
            copy.into_iter().for_each(|copy| s.keep(copy));
        }
        11 if is_small(x.shape().as_ref()) => {
            if let Some(copy) = attempt("try_copy_of", || Tensor::try_copy_of(x)) {
                owned(copy, s);
            }
        }
        12 if is_small(x.shape().as_ref()) => {
            let copy = attempt("to_device", || x.to_device::<Cpu>());
            copy.into_iter().for_each(|copy| s.keep(copy));
        }
        _ => look(x, s),
    }
}

/// Calls a random conversion that consumes an owned tensor.
fn owned<T: Element, D: Dim, O: Order>(x: Tensor<T, D, O>, s: &mut Source<'_>) {
    let before = x.clone();
    match s.below(6) {
        0 => {
            let data =
                attempt("try_into_vec", || x.try_into_vec()).expect("there is memory for small tensors");
            assert!(same(data.iter(), before.iter()));
            s.keep(Tensor::<T, _, O>::from_vec([data.len()], data));
        }
        1 => s.keep(certain("into_flipped", || x.into_flipped())),
        2 => {
            let shape = s.reshaped(x.len(), 3);
            let reshaped = attempt("try_reshape", || x.try_reshape(array::<Rank<3>>(&shape)));
            reshaped.into_iter().for_each(|x| s.keep(x));
        }
        3 => s.keep(certain("flatten", || x.flatten())),
        4 => {
            let copy = attempt("try_clone", || x.try_clone()).expect("there is memory for small tensors");
            assert!(same(copy.iter(), x.iter()));
        }
        _ => {
            let mut x = x;
            certain("as_mut_slice", || x.as_mut_slice().reverse());
            s.keep(x);
        }
    }
}

/// Broadcasts to a shape of the same rank. This is a separate function, because in `any`, which has the bound `BroadcastTo<Rank<5>>`, the
/// compiler would infer rank 5.
fn same_rank<T: Element, D: Dim, O: Order>(
    x: TensorView<'_, T, D, O>,
    shape: D::Shape,
) -> Result<TensorView<'_, T, D, O>, vierbein::Error> {
    x.try_broadcast_to(shape)
}

fn as_shape<T: Element, D: Dim, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>) {
    // `reshaped` can factor small numbers only. For a view with more than `MAX_LEN` elements, this function therefore tries shapes
    // with 7 elements, which the library must reject.
    let len = if is_small(x.shape().as_ref()) { x.len() } else { 7 };
    macro_rules! to {
        ($($rank:literal)*) => {
            match s.below(6) {
                $($rank => {
                    let shape = s.reshaped(len, $rank);
                    let view = attempt("try_as_shape", || x.try_as_shape(array::<Rank<$rank>>(&shape)));
                    view.into_iter().for_each(|view| look(view, s));
                })*
                _ => {}
            }
        };
    }
    to!(0 1 2 3 4 5);
}

/// Creates and checks a random view of a tensor of rank 1 or more.
pub(super) fn one<T: Element, D, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>)
where
    D: RemoveAxes<1>,
{
    let rank = D::NDIM.expect("a rank known at compile time");
    let axis = s.axis(rank);
    let extent = x.shape().as_ref().get(axis).copied().unwrap_or(1);
    match s.below(6) {
        0 => {
            let index = s.index(extent);
            let view = attempt("try_index_axis", || x.try_index_axis(axis, index));
            view.into_iter().for_each(|view| look(view, s));
        }
        1 => {
            let view = attempt("try_remove_axis", || x.try_remove_axis(axis));
            view.into_iter().for_each(|view| look(view, s));
        }
        2 => {
            let Some(mut views) = attempt("try_axis_iter", || x.try_axis_iter(axis)) else { return };
            assert_eq!(views.len(), extent);
            for _ in 0..s.below(6) {
                let left = views.len();
                // The default `nth` calls `next` up to n times, so large numbers would take too long.
                let nth = if left < 1000 { s.index(left) } else { s.below(8) };
                let view = match s.below(3) {
                    0 => views.next(),
                    1 => views.next_back(),
                    _ if nth < 1000 => views.nth(nth),
                    _ => None,
                };
                assert!(views.len() <= left);
                view.into_iter().for_each(|view| look(view, s));
            }
        }
        3 => {
            let Some(mut lanes) = attempt("try_lanes", || x.try_lanes(axis)) else { return };
            if is_small(x.shape().as_ref()) && !x.is_empty() {
                assert_eq!(lanes.len(), x.len() / extent);
            }
            for _ in 0..s.below(6) {
                let lane = lanes.next();
                lane.into_iter().for_each(|lane| {
                    assert_eq!(lane.shape(), [extent]);
                    look(lane, s);
                });
            }
        }
        4 => {
            let index = s.index(extent);
            let view = may_panic("index_axis", || x.index_axis(axis, index));
            view.into_iter().for_each(|view| look(view, s));
        }
        _ => {
            let (fickle, at) = (super::user_types::Fickle(axis, s.axis(rank)), s.index(extent));
            let view = attempt("try_index_axis of a fickle axis", || x.try_index_axis(fickle, at));
            view.into_iter().for_each(|view| look(view, s));
        }
    }
}

/// Creates and checks a diagonal of a tensor of rank 2 or more.
pub(super) fn two<T: Element, D, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>)
where
    D: MergeAxes,
{
    let (a, b) = s.two_axes(D::NDIM.expect("a rank known at compile time"));
    let view = attempt("try_diagonal", || x.try_diagonal(a, b));
    view.into_iter().for_each(|view| look(view, s));
}

/// Slices a tensor of rank 1, with arguments of every type that the macro `s!` accepts.
pub(super) fn slice1<T: Element, O: Order>(x: TensorView<'_, T, Rank<1>, O>, s: &mut Source<'_>) {
    let [n] = x.shape();
    let (a, b, step) = (s.position(n), s.position(n), s.step());
    macro_rules! slice {
        ($($k:literal $argument:expr;)*) => {
            match s.below(8) {
                $($k => {
                    let view = attempt("try_slice", || x.try_slice(($argument,)));
                    view.into_iter().for_each(|view| look(view, s));
                })*
                _ => {}
            }
        };
    }
    slice! {
        0 a;
        1 ..;
        2 a..b;
        3 a..=b;
        4 ..b;
        5 a..;
        6 Stepped(a..b, step);
        7 Stepped(.., step);
    }
}

pub(super) fn slice2<T: Element, O: Order>(x: TensorView<'_, T, Rank<2>, O>, s: &mut Source<'_>) {
    let [m, n] = x.shape();
    let (a, b, c, step) = (s.position(m), s.position(n), s.position(n), s.step());
    match s.below(4) {
        0 => {
            let view = attempt("try_slice", || x.try_slice(s![a, Stepped(b..c, step)]));
            view.into_iter().for_each(|view| look(view, s));
        }
        1 => {
            let view = attempt("try_slice", || x.try_slice(s![NewAxis, ..; step, b.unsigned_abs()]));
            view.into_iter().for_each(|view| look(view, s));
        }
        2 => {
            let view = attempt("try_slice", || x.try_slice(s![a..=a, NewAxis, ..=c]));
            view.into_iter().for_each(|view| look(view, s));
        }
        _ => {
            let view = may_panic("slice", || x.slice(s![..a, b..; step]));
            view.into_iter().for_each(|view| look(view, s));
        }
    }
}

pub(super) fn slice3<T: Element, O: Order>(x: TensorView<'_, T, Rank<3>, O>, s: &mut Source<'_>) {
    let [l, m, n] = x.shape();
    let (a, b, c, step) = (s.position(l), s.position(m), s.position(n), s.step());
    let view = attempt("try_slice", || x.try_slice(s![a.., Stepped(..b, step), c]));
    view.into_iter().for_each(|view| look(view, s));
}

// ------------------------------------------------------------------ mutable views

/// Returns a value for element `k`. Values for different `k` are distinct, up to the number of values of the element type.
fn mark<T: Element>(k: usize) -> T {
    let scalar: vierbein::DynScalar = match T::DTYPE {
        vierbein::DType::Bool => (k % 2 == 1).into(),
        vierbein::DType::I8 => (k as i8).into(),
        vierbein::DType::I16 => (k as i16).into(),
        vierbein::DType::I32 => (k as i32).into(),
        vierbein::DType::I64 => (k as i64).into(),
        vierbein::DType::U8 => (k as u8).into(),
        vierbein::DType::U16 => (k as u16).into(),
        vierbein::DType::U32 => (k as u32).into(),
        vierbein::DType::U64 => (k as u64).into(),
        vierbein::DType::F32 => (k as f32).into(),
        vierbein::DType::C32 => Complex::new(k as f32, 0.0).into(),
        vierbein::DType::C64 => Complex::new(k as f64, 0.0).into(),
        _ => (k as f64).into(),
    };
    scalar.get().expect("the type was just asked for")
}

/// Creates mutable references to all elements of a view at the same time, and writes through them. Then reads all elements back,
/// which detects indices that share an element.
pub(super) fn look_mut<T: Element, D: Dim, O: Order>(mut x: TensorViewMut<'_, T, D, O>, s: &mut Source<'_>) {
    if x.is_empty() || s.rarely(4) {
        look(x.view(), s);
        return;
    }
    let places: Vec<&mut T> = x.iter_mut().collect();
    certain("iter_mut", || places.into_iter().enumerate().for_each(|(k, place)| *place = mark(k)));
    assert!(x.iter().enumerate().all(|(k, &found)| found == mark(k)));
    look(x.view(), s);
}

/// Writes to a mutable view of any rank, or to a part of it.
pub(super) fn any_mut<T: Element, D: Dim, O: Order>(mut x: TensorViewMut<'_, T, D, O>, s: &mut Source<'_>) {
    let rank = D::NDIM.expect("a rank known at compile time");
    match s.below(14) {
        0 => {
            let axes = s.permutation(rank);
            let view = attempt("try_permute_mut", || x.try_permute_mut(array::<D>(&axes)));
            view.into_iter().for_each(|view| look_mut(view, s));
        }
        1 => look_mut(certain("reverse_axes_mut", || x.reverse_axes_mut()), s),
        2 => look_mut(certain("as_order_mut", || x.as_order_mut::<O::Transposed>()), s),
        3 => {
            let shape = s.reshaped(x.len(), 2);
            let view = attempt("try_as_shape_mut", || x.try_as_shape_mut(array::<Rank<2>>(&shape)));
            view.into_iter().for_each(|view| look_mut(view, s));
        }
        4 | 5 => {
            let axis = s.axis(rank);
            let at = s.index(x.shape().as_ref().get(axis).map_or(1, |n| n.saturating_add(1)));
            let parts = if s.below(2) == 0 {
                attempt("try_split_at_mut", || x.try_split_at_mut(axis, at))
            } else {
                attempt("try_into_split_at", || x.view_mut().try_into_split_at(axis, at))
            };
            if let Some((mut low, mut high)) = parts {
                // References to the elements of both parts exist at the same time, so the parts must not overlap.
                let places: Vec<&mut T> = low.iter_mut().chain(high.iter_mut()).collect();
                places.into_iter().enumerate().for_each(|(k, place)| *place = mark(k));
                assert!(low.iter().chain(high.iter()).enumerate().all(|(k, &found)| found == mark(k)));
            }
        }
        6 => {
            let value = s.value();
            attempt("try_fill", || x.try_fill(value));
            assert!(x.iter().all(|&found| found == value || value != value));
        }
        7 => {
            let index: Vec<usize> = x.shape().as_ref().iter().map(|&n| s.index(n)).collect();
            let (index, value) = (array::<D>(&index), s.value());
            let inside = index.as_ref().iter().zip(x.shape().as_ref()).all(|(i, n)| i < n);
            let found = certain("get_mut", || x.get_mut(index).map(|place| *place = value).is_some());
            assert_eq!(found, inside);
        }
        8 => {
            let contiguous = x.is_contiguous() || x.is_empty();
            let slice = attempt("try_as_mut_slice", || x.try_as_mut_slice());
            assert_eq!(slice.is_some(), contiguous);
            slice.into_iter().for_each(|slice| slice.reverse());
        }
        9 | 10 => {
            let shape = if s.below(4) > 0 { x.shape() } else { array::<D>(&s.shape(rank)) };
            let data = s.values::<T>(element_count(shape.as_ref()));
            let from = Tensor::<T, D, O>::from_vec(shape, data);
            let order = from.to_order::<O::Transposed>();
            let written = match s.below(3) {
                0 => attempt("try_assign", || x.try_assign(&from)),
                1 => attempt("try_assign of another order", || x.try_assign(&order.as_order::<O>())),
                _ => attempt("copy_from", || x.copy_from(&from)),
            };
            if written.is_some() && shape == x.shape() {
                assert!(same(x.iter(), from.iter()));
            }
        }
        _ => look_mut(x.view_mut(), s),
    }
}

/// Writes to parts of a mutable view of rank 1 or more.
pub(super) fn one_mut<T: Element, D, O: Order>(mut x: TensorViewMut<'_, T, D, O>, s: &mut Source<'_>)
where
    D: RemoveAxes<1>,
{
    let rank = D::NDIM.expect("a rank known at compile time");
    let axis = s.axis(rank);
    let extent = x.shape().as_ref().get(axis).copied().unwrap_or(1);
    let index = s.index(extent);
    match s.below(5) {
        0 => {
            let view = attempt("try_index_axis_mut", || x.try_index_axis_mut(axis, index));
            view.into_iter().for_each(|view| look_mut(view, s));
        }
        1 => {
            let view = attempt("try_into_index_axis", || x.view_mut().try_into_index_axis(axis, index));
            view.into_iter().for_each(|view| look_mut(view, s));
        }
        2 => {
            let Some(views) = attempt("try_axis_iter_mut", || x.try_axis_iter_mut(axis)) else { return };
            assert_eq!(views.len(), extent);
            // The extent of an empty tensor may be huge, so at most 5000 views are created.
            let mut views: Vec<TensorViewMut<'_, T, Removed<D, 1>, O>> = views.take(5000).collect();
            let places: Vec<&mut T> = views.iter_mut().flat_map(|view| view.iter_mut()).collect();
            places.into_iter().enumerate().for_each(|(k, place)| *place = mark(k));
            let found = views.iter().flat_map(|view| view.iter());
            assert!(found.enumerate().all(|(k, &found)| found == mark(k)));
        }
        3 => {
            let Some(lanes) = attempt("try_lanes_mut", || x.try_lanes_mut(axis)) else { return };
            let mut lanes: Vec<TensorViewMut<'_, T, Rank<1>, O>> = lanes.take(5000).collect();
            let places: Vec<&mut T> = lanes.iter_mut().flat_map(|lane| lane.iter_mut()).collect();
            places.into_iter().enumerate().for_each(|(k, place)| *place = mark(k));
            let found = lanes.iter().flat_map(|lane| lane.iter());
            assert!(found.enumerate().all(|(k, &found)| found == mark(k)));
        }
        _ => {
            let fickle = super::user_types::Fickle(axis, s.axis(rank));
            if let Some(lanes) = attempt("try_lanes_mut of a fickle axis", || x.try_lanes_mut(fickle)) {
                lanes.take(100).for_each(|lane| look_mut(lane, s));
            }
        }
    }
}

/// Writes to a diagonal of a mutable view of rank 2 or more.
pub(super) fn two_mut<T: Element, D, O: Order>(mut x: TensorViewMut<'_, T, D, O>, s: &mut Source<'_>)
where
    D: MergeAxes,
{
    let (a, b) = s.two_axes(D::NDIM.expect("a rank known at compile time"));
    let view = attempt("try_diagonal_mut", || x.try_diagonal_mut(a, b));
    view.into_iter().for_each(|view| look_mut(view, s));
}

/// Writes to a slice of a mutable view of rank 1.
pub(super) fn slice1_mut<T: Element, O: Order>(mut x: TensorViewMut<'_, T, Rank<1>, O>, s: &mut Source<'_>) {
    let [n] = x.shape();
    let (a, b, step) = (s.position(n), s.position(n), s.step());
    let view = if s.below(2) == 0 {
        attempt("try_slice_mut", || x.try_slice_mut(s![a..b; step]))
    } else {
        attempt("try_into_slice", || x.view_mut().try_into_slice(s![a..; step]))
    };
    view.into_iter().for_each(|view| look_mut(view, s));
}

pub(super) fn slice2_mut<T: Element, O: Order>(mut x: TensorViewMut<'_, T, Rank<2>, O>, s: &mut Source<'_>) {
    let [m, n] = x.shape();
    let (a, b, step) = (s.position(m), s.position(n), s.step());
    let view = attempt("try_slice_mut", || x.try_slice_mut(s![..a; step, b.., NewAxis]));
    view.into_iter().for_each(|view| look_mut(view, s));
}
