//! Creates random views of a requested shape. A first operation, the source, makes a view of an owned base tensor, and up to three
//! more operations, the steps, each make a view of the view before. They are chosen backwards, from the requested shape of the view to the
//! shape of the base tensor.

use super::check::{assert_sequence, elements, fixed, tensor};
use super::number::{Exact, Z, sample};
use super::reference::{Array, count};
use proptest::prelude::*;
use vierbein::dyn_tensor::SliceItem;
use vierbein::{AnyRank, Dim, Order, Rank, Stepped, Tensor, TensorView, TensorViewMut};

/// Random numbers that determine how a view is created. They are valid for any shape. If `source` is 0 and `steps` is empty, the view is
/// the whole base tensor.
#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    source: u8,
    picks: [u8; 3],
    steps: Vec<(u8, [u8; 6])>,
    pub(crate) seed: u64,
}

/// Returns recipes with up to three steps.
pub(crate) fn recipe() -> impl Strategy<Value = Recipe> {
    let steps = prop::collection::vec((0u8..6, any::<[u8; 6]>()), 0..=3);
    (0u8..12, any::<[u8; 3]>(), steps, any::<u64>()).prop_map(|(source, picks, steps, seed)| Recipe {
        source,
        picks,
        steps,
        seed,
    })
}

/// Returns shapes with extents from 0 to 5 and at most `limit` elements.
pub(crate) fn shape(
    ranks: core::ops::RangeInclusive<usize>,
    limit: usize,
) -> impl Strategy<Value = Vec<usize>> {
    let extent = prop_oneof![1 => Just(0usize), 4 => Just(1), 10 => 2usize..=5];
    prop::collection::vec(extent, ranks).prop_map(move |mut shape| {
        let mut elements = 1;
        for extent in &mut shape {
            while elements * *extent > limit {
                *extent -= 1;
            }
            elements *= (*extent).max(1);
        }
        shape
    })
}

/// Maximum number of elements of a base tensor. Operations that would need a larger base tensor are left out.
const LARGEST_BASE: usize = 4000;

/// The first operation: how a view is created from the base tensor.
#[derive(Debug, Clone, PartialEq)]
enum Source {
    Owned,
    /// `as_order` of a tensor in the other memory order.
    AsOrder,
    /// `flip_order` of a tensor in the other memory order.
    FlipOrder,
    IndexAxis(usize, usize),
    RemoveAxis(usize),
    Diagonal(usize, usize),
    InsertAxis(usize),
    /// `broadcast_to` of a tensor of rank 0.
    FromScalar,
    /// `broadcast_to` of a tensor whose rank is lower by one.
    FromLower,
}

/// A further view operation, which does not change the rank.
#[derive(Debug, Clone)]
enum Step {
    Permute(Vec<usize>),
    Swap(usize, usize),
    Reverse,
    /// Start, end and step for each axis.
    Slice(Vec<(isize, isize, isize)>),
    /// Broadcasts axes of extent 1, so that the result has this shape.
    Repeat(Vec<usize>),
    /// One of the two results of `split_at`.
    Split {
        axis: usize,
        at: usize,
        low: bool,
    },
}

/// The operations by which a [`Recipe`] creates a view with a given shape.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    base: Vec<usize>,
    source: Source,
    /// The shape of the view that `source` creates, to which the `steps` are applied.
    begin: Vec<usize>,
    steps: Vec<Step>,
    seed: u64,
}

impl Plan {
    /// Returns the plan of a recipe for a shape. If `every_source` is `false`, the plan uses only the source `Owned` and the steps
    /// `Permute`, `Slice` and `Repeat`. If `writable` is `true`, it uses only operations that have a mutable variant.
    fn new(recipe: &Recipe, shape: &[usize], row_major: bool, writable: bool, every_source: bool) -> Plan {
        let mut steps = Vec::new();
        let mut now = shape.to_vec();
        for &(kind, picks) in recipe.steps.iter().rev() {
            let (step, before) = step_to(&now, kind, picks);
            let possible = match step {
                Step::Repeat(_) => !writable,
                Step::Permute(_) | Step::Slice(_) => true,
                _ => every_source,
            };
            if now.is_empty() || count(&before) > LARGEST_BASE || !possible {
                continue;
            }
            steps.insert(0, step);
            now = before;
        }
        let (source, base) = source_of(&now, recipe, row_major);
        let can_be_written = matches!(source, Source::Owned | Source::IndexAxis(..) | Source::Diagonal(..));
        let plain = count(&base) > LARGEST_BASE || !every_source || (writable && !can_be_written);
        let (source, base) = if plain { (Source::Owned, now.clone()) } else { (source, base) };
        Plan { base, source, begin: now, steps, seed: recipe.seed }
    }

    /// Returns the values of the base tensor.
    fn base<T: Exact>(&self) -> Array<Z> {
        let mut values = Vec::with_capacity(count(&self.base));
        for k in 1..=count(&self.base) {
            values.push(sample::<T>(self.seed, k, SPAN));
        }
        Array { shape: self.base.clone(), values }
    }

    /// Applies the plan to `base`, an array with the elements of the base tensor. Returns the expected elements of the view.
    fn show<V: Clone>(&self, base: &Array<V>, row_major: bool) -> Array<V> {
        let axes_reversed = |rank: usize| (0..rank).rev().collect::<Vec<_>>();
        let now = match &self.source {
            Source::Owned | Source::AsOrder => base.clone(),
            Source::FlipOrder => base.permute(&axes_reversed(base.rank())),
            Source::IndexAxis(axis, at) => base.index_axis(*axis, *at),
            Source::RemoveAxis(axis) => base.index_axis(*axis, 0),
            Source::Diagonal(a, b) => base.diagonal(*a, *b),
            Source::InsertAxis(at) => base.insert_axis(*at),
            Source::FromScalar | Source::FromLower => {
                base.broadcast_to(&self.begin, row_major).expect("they broadcast")
            }
        };
        self.steps.iter().fold(now, |now, step| match step {
            Step::Permute(axes) => now.permute(axes),
            Step::Swap(a, b) => {
                let mut axes: Vec<usize> = (0..now.rank()).collect();
                axes.swap(*a, *b);
                now.permute(&axes)
            }
            Step::Reverse => now.permute(&axes_reversed(now.rank())),
            Step::Slice(ranges) => (0..now.rank())
                .fold(now.clone(), |part, axis| part.choose(axis, &positions(ranges[axis], now.shape[axis]))),
            Step::Repeat(shape) => now.broadcast_to(shape, row_major).expect("they broadcast"),
            Step::Split { axis, at, low } => {
                let chosen: Vec<usize> =
                    if *low { (0..*at).collect() } else { (*at..now.shape[*axis]).collect() };
                now.choose(*axis, &chosen)
            }
        })
    }
}

/// Maximum absolute value of the elements of base tensors.
pub(crate) const SPAN: u8 = 3;

/// Returns the indices that a range with a step selects along an axis.
fn positions((start, end, step): (isize, isize, isize), extent: usize) -> Vec<usize> {
    let from_end = |at: isize| if at < 0 { at + extent as isize } else { at };
    let inside = from_end(start)..from_end(end);
    let every = step.unsigned_abs();
    let chosen = |p: isize| usize::try_from(p).expect("within the axis");
    if step > 0 {
        inside.step_by(every).map(chosen).collect()
    } else {
        inside.rev().step_by(every).map(chosen).collect()
    }
}

/// Chooses a step whose result has the shape `after`. Returns the step and the shape before it.
fn step_to(after: &[usize], kind: u8, picks: [u8; 6]) -> (Step, Vec<usize>) {
    let rank = after.len().max(1);
    let pick = |k: usize, n: usize| usize::from(picks[k]) % n;
    let step = match kind {
        0 => {
            let mut axes: Vec<usize> = (0..after.len()).collect();
            for k in 1..after.len() {
                axes.swap(k, k - pick(k, k + 1));
            }
            Step::Permute(axes)
        }
        1 => Step::Swap(pick(0, rank), pick(1, rank)),
        2 => Step::Reverse,
        3 => Step::Repeat(after.to_vec()),
        4 => Step::Split { axis: pick(0, rank), at: pick(1, 3), low: pick(2, 2) == 0 },
        _ => Step::Slice(after.iter().enumerate().map(|(k, &n)| range_of(n, picks[k])).collect()),
    };
    let before = match &step {
        Step::Repeat(after) => (0..after.len()).map(|k| if pick(k, 2) == 1 { 1 } else { after[k] }).collect(),
        Step::Slice(_) => after.iter().enumerate().map(|(k, &n)| extent_of(n, picks[k])).collect(),
        Step::Split { axis, at, .. } if !after.is_empty() => {
            let mut before = after.to_vec();
            before[*axis] += at;
            before
        }
        step => shape_before(step, after),
    };
    let step = match step {
        // The part that the step returns must have the requested extent. For the lower part, this extent is `at`.
        Step::Split { axis, low: true, .. } if !after.is_empty() => {
            Step::Split { axis, at: after[axis], low: true }
        }
        step => step,
    };
    (step, before)
}

/// Returns the shape before a step that does not change extents.
fn shape_before(step: &Step, after: &[usize]) -> Vec<usize> {
    let mut before = after.to_vec();
    match step {
        Step::Permute(axes) => axes.iter().zip(after).for_each(|(&axis, &extent)| before[axis] = extent),
        Step::Swap(a, b) if !after.is_empty() => before.swap(*a, *b),
        Step::Reverse => before.reverse(),
        _ => {}
    }
    before
}

/// Decodes a random number to a slice with `n` selected indices. Returns its step, the number of indices before the range, the
/// length of the range, the number of indices after it, and whether its ends count from the end of the axis. The number 0 selects
/// the whole axis.
fn slice_parts(n: usize, pick: u8) -> (isize, usize, usize, usize, bool) {
    let p = usize::from(pick);
    let step = [1isize, 2, -1, -2, 3, 1][p % 6];
    let (before, behind) = (p / 6 % 3, p / 18 % 3);
    let length = if n == 0 { 0 } else { (n - 1) * step.unsigned_abs() + 1 + p / 54 % step.unsigned_abs() };
    (step, before, length, behind, p >= 128)
}

fn extent_of(n: usize, pick: u8) -> usize {
    let (_, before, length, behind, _) = slice_parts(n, pick);
    before + length + behind
}

fn range_of(n: usize, pick: u8) -> (isize, isize, isize) {
    let (step, before, length, _, negative) = slice_parts(n, pick);
    let extent = extent_of(n, pick);
    let written = |at: usize| {
        if negative && at < extent { at as isize - extent as isize } else { at as isize }
    };
    (written(before), written(before + length), step)
}

/// Chooses a source that makes a view of this shape. Returns the source and the shape that the base tensor must have.
fn source_of(shape: &[usize], recipe: &Recipe, row_major: bool) -> (Source, Vec<usize>) {
    let rank = shape.len();
    let pick = |k: usize, n: usize| usize::from(recipe.picks[k]) % n;
    let inserted = |at: usize, extent: usize| {
        let mut base = shape.to_vec();
        base.insert(at, extent);
        base
    };
    match recipe.source {
        1 | 2 => {
            let (at, extent) = (pick(0, rank + 1), pick(1, 3) + 1);
            (Source::IndexAxis(at, pick(2, extent)), inserted(at, extent))
        }
        3 | 4 if rank > 0 => {
            let (a, b) = (pick(0, rank + 1), pick(1, rank));
            let b = if b >= a { b + 1 } else { b };
            let (&last, others) = shape.split_last().expect("rank > 0");
            let mut base = others.to_vec();
            base.insert(a.min(b), last);
            base.insert(a.max(b), last);
            (Source::Diagonal(a, b), base)
        }
        5 => (Source::AsOrder, shape.to_vec()),
        6 => (Source::FlipOrder, shape.iter().rev().copied().collect()),
        7 => {
            let at = pick(0, rank + 1);
            (Source::RemoveAxis(at), inserted(at, 1))
        }
        8 | 9 if shape.contains(&1) => {
            let at = shape.iter().position(|&n| n == 1).expect("there is one");
            let mut base = shape.to_vec();
            base.remove(at);
            (Source::InsertAxis(at), base)
        }
        10 if rank > 0 => {
            let kept = if row_major { &shape[1..] } else { &shape[..rank - 1] };
            (Source::FromLower, kept.to_vec())
        }
        11 => (Source::FromScalar, vec![]),
        _ => (Source::Owned, shape.to_vec()),
    }
}

#[inline(never)]
fn base_tensor<T: Exact, D: Dim, O: Order>(base: &Array<Z>) -> Tensor<T, D, O> {
    tensor(&elements(base))
}

/// A rank for which views can be created.
pub(crate) trait TestDim: Dim {
    fn source<T: Exact, O: Order>(
        plan: &Plan,
        base: &Array<Z>,
        f: &mut dyn FnMut(TensorView<'_, T, Self, O>),
    );
    fn source_mut<T: Exact, O: Order>(
        plan: &Plan,
        base: &Array<Z>,
        f: &mut dyn FnMut(TensorViewMut<'_, T, Self, O>),
    ) -> Vec<T>;
    fn slice<'a, T: Exact, O: Order>(
        view: TensorView<'a, T, Self, O>,
        ranges: &[(isize, isize, isize)],
    ) -> TensorView<'a, T, Self, O>;
    fn slice_mut<'a, T: Exact, O: Order>(
        view: &'a mut TensorViewMut<'_, T, Self, O>,
        ranges: &[(isize, isize, isize)],
    ) -> TensorViewMut<'a, T, Self, O>;
}

/// Implements [`TestDim`] for ranks. Some sources exist only for some ranks: their base has a rank higher by one, lower by one, or
/// 0.
macro_rules! ranks {
    ($($n:literal: $up:literal, [$($down:literal)?], [$($diagonal:literal)?], [$($axis:literal)*];)*) => {$(
        impl TestDim for Rank<$n> {
            fn source<T: Exact, O: Order>(
                plan: &Plan,
                base: &Array<Z>,
                f: &mut dyn FnMut(TensorView<'_, T, Self, O>),
            ) {
                match plan.source {
                    Source::Owned => f(base_tensor::<T, Self, O>(base).view()),
                    Source::AsOrder => f(base_tensor::<T, Self, O::Transposed>(base).as_order::<O>()),
                    Source::FlipOrder => f(base_tensor::<T, Self, O::Transposed>(base).flip_order()),
                    Source::IndexAxis(axis, at) => {
                        f(base_tensor::<T, Rank<$up>, O>(base).index_axis(axis, at));
                    }
                    Source::RemoveAxis(axis) => f(base_tensor::<T, Rank<$up>, O>(base).remove_axis(axis)),
                    Source::FromScalar => {
                        f(base_tensor::<T, Rank<0>, O>(base).broadcast_to(fixed::<Self>(&plan.begin)));
                    }
                    $( Source::Diagonal(a, b) => f(base_tensor::<T, Rank<$diagonal>, O>(base).diagonal(a, b)), )?
                    $(
                        Source::InsertAxis(at) => f(base_tensor::<T, Rank<$down>, O>(base).insert_axis(at)),
                        Source::FromLower => {
                            f(base_tensor::<T, Rank<$down>, O>(base).broadcast_to(fixed::<Self>(&plan.begin)));
                        }
                    )?
                    #[allow(unreachable_patterns)]
                    _ => unreachable!("rank 0 has no such source"),
                }
            }

            fn source_mut<T: Exact, O: Order>(
                plan: &Plan,
                base: &Array<Z>,
                f: &mut dyn FnMut(TensorViewMut<'_, T, Self, O>),
            ) -> Vec<T> {
                match plan.source {
                    Source::IndexAxis(axis, at) => {
                        let mut owner = base_tensor::<T, Rank<$up>, O>(base);
                        f(owner.index_axis_mut(axis, at));
                        owner.into_vec()
                    }
                    $( Source::Diagonal(a, b) => {
                        let mut owner = base_tensor::<T, Rank<$diagonal>, O>(base);
                        f(owner.diagonal_mut(a, b));
                        owner.into_vec()
                    } )?
                    _ => {
                        let mut owner = base_tensor::<T, Self, O>(base);
                        f(owner.view_mut());
                        owner.into_vec()
                    }
                }
            }

            ranges! { $n, [$($axis)*] }
        }
    )*};
}

/// Implements slicing with one range for each axis. For rank 0, slicing does nothing.
macro_rules! ranges {
    ($n:literal, []) => {
        fn slice<'a, T: Exact, O: Order>(
            view: TensorView<'a, T, Self, O>,
            _: &[(isize, isize, isize)],
        ) -> TensorView<'a, T, Self, O> {
            view
        }
        fn slice_mut<'a, T: Exact, O: Order>(
            view: &'a mut TensorViewMut<'_, T, Self, O>,
            _: &[(isize, isize, isize)],
        ) -> TensorViewMut<'a, T, Self, O> {
            view.view_mut()
        }
    };
    ($n:literal, [$($axis:literal)*]) => {
        fn slice<'a, T: Exact, O: Order>(
            view: TensorView<'a, T, Self, O>,
            r: &[(isize, isize, isize)],
        ) -> TensorView<'a, T, Self, O> {
            view.slice(($(Stepped(r[$axis].0..r[$axis].1, r[$axis].2),)*))
        }
        fn slice_mut<'a, T: Exact, O: Order>(
            view: &'a mut TensorViewMut<'_, T, Self, O>,
            r: &[(isize, isize, isize)],
        ) -> TensorViewMut<'a, T, Self, O> {
            view.slice_mut(($(Stepped(r[$axis].0..r[$axis].1, r[$axis].2),)*))
        }
    };
}

ranks! {
    0: 1, [], [], [];
    1: 2, [0], [2], [0];
    2: 3, [1], [3], [0 1];
    3: 4, [2], [4], [0 1 2];
    4: 5, [3], [5], [0 1 2 3];
    5: 6, [4], [6], [0 1 2 3 4];
    6: 7, [5], [7], [0 1 2 3 4 5];
}

impl TestDim for AnyRank {
    fn source<T: Exact, O: Order>(
        plan: &Plan,
        base: &Array<Z>,
        f: &mut dyn FnMut(TensorView<'_, T, Self, O>),
    ) {
        match plan.source {
            Source::AsOrder => f(base_tensor::<T, Self, O::Transposed>(base).as_order::<O>()),
            Source::FlipOrder => f(base_tensor::<T, Self, O::Transposed>(base).flip_order()),
            _ => {
                let base = base_tensor::<T, Self, O>(base);
                f(match plan.source {
                    Source::IndexAxis(axis, at) => base.index_axis(axis, at),
                    Source::RemoveAxis(axis) => base.remove_axis(axis),
                    Source::FromScalar | Source::FromLower => base.broadcast_to(fixed::<Self>(&plan.begin)),
                    Source::Diagonal(a, b) => base.diagonal(a, b),
                    Source::InsertAxis(at) => base.insert_axis(at),
                    Source::Owned | Source::AsOrder | Source::FlipOrder => base.view(),
                });
            }
        }
    }

    fn source_mut<T: Exact, O: Order>(
        plan: &Plan,
        base: &Array<Z>,
        f: &mut dyn FnMut(TensorViewMut<'_, T, Self, O>),
    ) -> Vec<T> {
        let mut owner = base_tensor::<T, Self, O>(base);
        match plan.source {
            Source::IndexAxis(axis, at) => f(owner.index_axis_mut(axis, at)),
            Source::Diagonal(a, b) => f(owner.diagonal_mut(a, b)),
            _ => f(owner.view_mut()),
        }
        owner.into_vec()
    }

    fn slice<'a, T: Exact, O: Order>(
        view: TensorView<'a, T, Self, O>,
        ranges: &[(isize, isize, isize)],
    ) -> TensorView<'a, T, Self, O> {
        view.slice(&items(ranges)[..])
    }

    fn slice_mut<'a, T: Exact, O: Order>(
        view: &'a mut TensorViewMut<'_, T, Self, O>,
        ranges: &[(isize, isize, isize)],
    ) -> TensorViewMut<'a, T, Self, O> {
        view.slice_mut(&items(ranges)[..])
    }
}

fn items(ranges: &[(isize, isize, isize)]) -> Vec<SliceItem> {
    ranges.iter().map(|&(start, end, step)| Stepped(start..end, step).into()).collect()
}

#[inline(never)]
fn stepped<'a, T: Exact, D: TestDim, O: Order>(
    view: TensorView<'a, T, D, O>,
    step: &Step,
) -> TensorView<'a, T, D, O> {
    match step {
        Step::Permute(axes) => view.permute(fixed::<D>(axes)),
        Step::Slice(ranges) => D::slice(view, ranges),
        Step::Repeat(shape) => view.broadcast_to(fixed::<D>(shape)),
        _ if !T::EVERY_SOURCE => unreachable!("no such step for this type"),
        Step::Swap(a, b) => view.swap_axes(*a, *b),
        Step::Reverse => view.reverse_axes(),
        Step::Split { axis, at, low } => {
            let (first, second) = view.split_at(*axis, *at);
            if *low { first } else { second }
        }
    }
}

/// Creates a view of this shape by a recipe. Calls `f` with the view and its expected elements.
#[inline(never)]
pub(crate) fn with_view<T: Exact, D: TestDim, O: Order>(
    recipe: &Recipe,
    shape: &[usize],
    f: &mut dyn FnMut(TensorView<'_, T, D, O>, &Array<Z>),
) {
    let plan = Plan::new(recipe, shape, O::ROW_MAJOR, false, T::EVERY_SOURCE);
    let (base, shown) = prepared::<T>(&plan, shape, O::ROW_MAJOR);
    let mut begin = |view: TensorView<'_, T, D, O>| {
        f(plan.steps.iter().fold(view, |view, step| stepped(view, step)), &shown);
    };
    if T::EVERY_SOURCE {
        D::source::<T, O>(&plan, &base, &mut begin);
    } else {
        begin(base_tensor::<T, D, O>(&base).view());
    }
}

#[inline(never)]
fn prepared<T: Exact>(plan: &Plan, shape: &[usize], row_major: bool) -> (Array<Z>, Array<Z>) {
    let base = plan.base::<T>();
    let shown = plan.show(&base, row_major);
    assert_eq!(shown.shape, shape, "the recipe was read backwards correctly");
    (base, shown)
}

#[inline(never)]
fn stepped_mut<T: Exact, D: TestDim, O: Order>(
    mut view: TensorViewMut<'_, T, D, O>,
    steps: &[Step],
    f: &mut dyn FnMut(TensorViewMut<'_, T, D, O>),
) {
    let Some((step, others)) = steps.split_first() else {
        return f(view);
    };
    let mut axes: Vec<usize> = (0..view.rank()).collect();
    match step {
        Step::Slice(ranges) => return stepped_mut(D::slice_mut(&mut view, ranges), others, f),
        Step::Split { axis, at, low } => {
            let (first, second) = view.split_at_mut(*axis, *at);
            return stepped_mut(if *low { first } else { second }, others, f);
        }
        Step::Permute(chosen) => axes.clone_from(chosen),
        Step::Swap(a, b) => axes.swap(*a, *b),
        Step::Reverse => axes.reverse(),
        Step::Repeat(_) => unreachable!("such a view cannot be written"),
    }
    stepped_mut(view.permute_mut(fixed::<D>(&axes)), others, f);
}

/// Creates a mutable view of this shape by a recipe, and calls `f` with the view. `change` computes the expected new elements from
/// the old ones. Asserts that the base tensor contains the new elements, and is otherwise unchanged.
pub(crate) fn with_view_mut<T: Exact, D: TestDim, O: Order>(
    recipe: &Recipe,
    shape: &[usize],
    f: &mut dyn FnMut(TensorViewMut<'_, T, D, O>),
    change: &mut dyn FnMut(&Array<T>) -> Array<T>,
) {
    let plan = Plan::new(recipe, shape, O::ROW_MAJOR, true, T::EVERY_SOURCE);
    let base = plan.base::<T>();
    let mut begin = |view: TensorViewMut<'_, T, D, O>| stepped_mut(view, &plan.steps, f);
    let found = if T::EVERY_SOURCE {
        D::source_mut::<T, O>(&plan, &base, &mut begin)
    } else {
        let mut owner = base_tensor::<T, D, O>(&base);
        begin(owner.view_mut());
        owner.into_vec()
    };
    assert_changed(&plan, shape, &base, O::ROW_MAJOR, &found, change);
}

fn assert_changed<T: Exact>(
    plan: &Plan,
    shape: &[usize],
    base: &Array<Z>,
    row_major: bool,
    found: &[T],
    change: &mut dyn FnMut(&Array<T>) -> Array<T>,
) {
    // The index of each element of the base tensor.
    let places = Array { shape: base.shape.clone(), values: (0..base.values.len()).collect() };
    // For each element of the view, the index of this element in the base tensor.
    let places = plan.show(&places, row_major);
    assert_eq!(places.shape, shape, "the recipe was read backwards correctly");
    let mut expected = elements::<T>(base);
    let changed = change(&places.map(|&place| expected.values[place]));
    assert_eq!(changed.shape, places.shape);
    for (&place, &value) in places.values.iter().zip(&changed.values) {
        expected.values[place] = value;
    }
    assert_sequence(found, &expected.enumerate(row_major));
}
