//! Steps of the random programs that use implementations of the crate's traits, as a user could write them. The implementations are safe
//! code, but incorrect: their results change from call to call, or their ranks contradict each other.

use super::record::{attempt, may_panic};
use super::source::{Source, is_small};
use super::views::look;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::dyn_tensor::{DynAxes, SliceItem};
use vierbein::einsum::EinsumOutput;
use vierbein::prelude::*;
use vierbein::{
    AxesArg, AxesToRemove, AxisArg, DistinctAxis, DynTensor, DynView, IntoShape, ReshapeArg, SliceArg,
    SliceOf,
};

/// Total number of calls of the methods below. Their results depend on whether the number is odd.
static CALLS: AtomicUsize = AtomicUsize::new(0);

fn odd_call() -> bool {
    CALLS.fetch_add(1, Ordering::Relaxed) % 2 == 1
}

/// Sets [`CALLS`] to 0. Called at the start of a program, so that its results can be reproduced.
pub(super) fn reset() {
    CALLS.store(0, Ordering::Relaxed);
}

/// An axis argument that alternates between two numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fickle(pub(super) usize, pub(super) usize);

impl<D: Dim> AxisArg<D> for Fickle {
    fn index(self, _: usize) -> usize {
        if odd_call() { self.1 } else { self.0 }
    }
}
impl DistinctAxis<Fickle> for Fickle {}

/// A list of axes that alternates between one and two axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct FickleAxes([usize; 2]);

impl FickleAxes {
    pub(super) fn new(axes: [usize; 2]) -> Self {
        FickleAxes(axes)
    }
}
impl AsRef<[usize]> for FickleAxes {
    fn as_ref(&self) -> &[usize] {
        if odd_call() { &self.0 } else { &self.0[..1] }
    }
}
impl<D: Dim> AxesArg<D> for FickleAxes {
    type Axes = FickleAxes;
    fn axes(self, _: usize) -> FickleAxes {
        self
    }
}
impl DynAxes for FickleAxes {
    fn numbers(&self) -> Option<Vec<isize>> {
        if odd_call() { None } else { Some(self.as_ref().iter().map(|&axis| axis as isize).collect()) }
    }
}

/// A list of axes to remove that alternates between one and two axes. It claims that the result has rank `M`, which may be false.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClaimsRemaining<M>(FickleAxes, PhantomData<M>);

impl<M: Dim> ClaimsRemaining<M> {
    pub(super) fn new(axes: [usize; 2]) -> Self {
        ClaimsRemaining(FickleAxes(axes), PhantomData)
    }
}
impl<D: Dim, M: Dim> AxesArg<D> for ClaimsRemaining<M> {
    type Axes = FickleAxes;
    fn axes(self, _: usize) -> FickleAxes {
        self.0
    }
}
impl<D: Dim, M: Dim> AxesToRemove<D> for ClaimsRemaining<M> {
    type Remaining = M;
}

/// A shape argument that alternates between two shapes.
#[derive(Debug, Clone, Copy)]
struct FickleShape([usize; 2], [usize; 2]);

impl IntoShape for FickleShape {
    type Dim = Rank<2>;
    fn into_shape(self) -> Result<[usize; 2], vierbein::Error> {
        Ok(if odd_call() { self.1 } else { self.0 })
    }
}
impl ReshapeArg for FickleShape {
    type Dim = Rank<2>;
    fn extents(self) -> Result<[isize; 2], vierbein::Error> {
        Ok(self.into_shape()?.map(|extent| extent as isize))
    }
}

/// An operand that alternates between two views.
#[derive(Debug)]
pub(super) struct Alternating<'a, T: Element, D: Dim, O: Order> {
    views: [TensorView<'a, T, D, O>; 2],
}

impl<'a, T: Element, D: Dim, O: Order> Alternating<'a, T, D, O> {
    pub(super) fn new(a: TensorView<'a, T, D, O>, b: TensorView<'a, T, D, O>) -> Self {
        Alternating { views: [a, b] }
    }
}
impl<T: Element, D: Dim, O: Order> AsView for Alternating<'_, T, D, O> {
    type Element = T;
    type Dim = D;
    type Order = O;
    type Device = Cpu;
    fn as_view(&self) -> TensorView<'_, T, D, O> {
        self.views[usize::from(odd_call())]
    }
}

/// A slice argument for one axis. It claims that it is the last argument, and that the view has rank `M`. Both claims may be false.
#[derive(Debug, Clone, Copy)]
struct Claims<M>(SliceItem, PhantomData<M>);

impl<L: Dim, N: Dim, M: Dim> SliceArg<L, N> for Claims<M> {
    type Left = Rank<0>;
    type Made = M;
    fn item(self) -> SliceItem {
        self.0
    }
}

/// A list of slice arguments, of any length. It claims that the view has rank `M`, which may be false.
#[derive(Debug, Clone, Copy)]
struct ClaimsAll<M>(SliceItem, usize, PhantomData<M>);

impl<D: Dim, M: Dim> SliceOf<D> for ClaimsAll<M> {
    type Sliced = M;
    type Items = Vec<SliceItem>;
    fn items(self) -> Vec<SliceItem> {
        vec![self.0; self.1]
    }
}

/// Slices a view with incorrect ranks and numbers of arguments. A panic is allowed, because the traits are hidden, or documented to
/// be implemented by the library only.
pub(super) fn slices<T: Element, D: Dim, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>) {
    let extent = x.shape().as_ref().first().copied().unwrap_or(0);
    let (item, count) = (s.slice_item(extent), s.below(40));
    macro_rules! all {
        ($($k:literal $M:ty;)*) => {
            match s.below(8) {
                $($k => {
                    let view = may_panic("try_slice of a user's slice", || {
                        x.try_slice(ClaimsAll::<$M>(item, count, PhantomData)).ok()
                    });
                    view.flatten().into_iter().for_each(|view| look(view, s));
                })*
                4 => {
                    let view = may_panic("try_slice of a user's argument", || {
                        x.try_slice((Claims::<Rank<3>>(item, PhantomData),)).ok()
                    });
                    view.flatten().into_iter().for_each(|view| look(view, s));
                }
                5 => {
                    let view = may_panic("try_slice of a user's argument", || {
                        x.try_slice((Claims::<Rank<0>>(item, PhantomData),)).ok()
                    });
                    view.flatten().into_iter().for_each(|view| look(view, s));
                }
                _ => {
                    let (a, b) = ([s.hostile_extent(), 2], [2, s.below(5)]);
                    let shape = if s.below(2) == 0 { FickleShape(a, b) } else { FickleShape(b, a) };
                    let made = match s.below(5) {
                        0 => attempt("try_zeros of a fickle shape", || {
                            Tensor::<T, _, O>::try_zeros(shape)
                        }),
                        1 => attempt("try_from_fn of a fickle shape", || {
                            Tensor::<T, _, O>::try_from_fn(shape, |_| T::default())
                        }),
                        2 => attempt("try_from_vec of a fickle shape", || {
                            Tensor::<T, _, O>::try_from_vec(shape, vec![T::default(); b[0] * b[1]])
                        }),
                        3 if is_small(x.shape().as_ref()) => {
                            attempt("try_reshape to a fickle shape", || x.to_owned().try_reshape(shape))
                        }
                        _ => {
                            let view = attempt("try_as_shape of a fickle shape", || x.try_as_shape(shape));
                            view.into_iter().for_each(|view| look(view, s));
                            None
                        }
                    };
                    made.into_iter().for_each(|x| look(x.view(), s));
                }
            }
        };
    }
    all! {
        0 Rank<0>;
        1 Rank<1>;
        2 Rank<2>;
        3 Rank<5>;
    }
}

/// Calls a dynamic reduction with a list of axes that changes from call to call.
pub(super) fn dynamic_axes(x: DynView<'_>, s: &mut Source<'_>) {
    if !is_small(x.shape()) {
        return;
    }
    let axes = FickleAxes([s.axis(x.rank()), s.axis(x.rank())]);
    let sum = attempt("DynTensor::sum of fickle axes", || x.sum_axes(axes));
    sum.into_iter().for_each(|sum: DynTensor| s.keep(sum));
}

/// An output of rank `D` that claims to be valid for results of any rank `R`.
struct AnyRank<'a, D: Dim, O: Order>(TensorViewMut<'a, f64, D, O>);

impl<'a, R: Dim, D: Dim, O: Order> EinsumOutput<'a, f64, R, O, Cpu> for AnyRank<'a, D, O> {
    type Dim = D;
    fn agreeing(self) -> TensorViewMut<'a, f64, D, O> {
        self.0
    }
}

/// Contracts two matrices into an output of rank 3, although the result has rank 2.
pub(super) fn outputs<O: Order>(
    x: TensorView<'_, f64, Rank<2>, O>,
    y: TensorView<'_, f64, Rank<2>, O>,
    s: &mut Source<'_>,
) {
    if !super::products::feasible(&[&x.shape(), &y.shape()]) {
        return;
    }
    let shape = s.shape(3);
    let mut out = Tensor::<f64, Rank<3>, O>::zeros(super::source::array::<Rank<3>>(&shape));
    attempt(
        "try_einsum_into! of another rank",
        || try_einsum_into!(AnyRank(out.view_mut()), 1.0, s.value(); "ij,jk->ik", &x, &y),
    );
    s.keep(out);
}
