//! The builder that `einsum!` and its variants call. It takes the operands one by one, and compares the type of each operand with
//! the operand's term in the specification.
//!
//! The macros pass numbers of the specification, such as numbers of labels, as const arguments. The functions are public, so each
//! of them checks its const arguments and panics if they do not match the specification. The macros pass constants, so
//! optimised builds do not contain the checks.

use super::operand::{EinsumOperand, EinsumOutput, LabelledBy, ProductOperand, ResultOf};
use super::{ContractionPath, PathCache, Spec};
use crate::device::op::reduction::Sum;
use crate::device::{Contract, Device, IntoOutput, MatrixOperand, Operand, Output, Scaling};
use crate::element::{Element, Scalar};
use crate::engine::contract::{Einsum, Elements, Factor, MatrixPair, single};
use crate::engine::same_instance;
use crate::error::{Error, fallible, unwrap_or_panic};
use crate::layout::Layout;
use crate::order::Order;
use crate::rank::{Broadcast, Common, Dim, check_rank, shape_of};
use crate::tensor::Tensor;
use core::marker::PhantomData;

/// A contraction of `N` operands to which not all operands have been added yet. `E` is the rank of the shape to which the ellipses of the
/// operands so far broadcast.
#[derive(Debug)]
#[must_use = "a contraction is computed by a method of `Prepared`, when all operands have been added"]
pub struct Contraction<'s, T, E, O, Dev, L, const N: usize> {
    spec: &'s Spec<'s>,
    operands: L,
    cache: &'s PathCache,
    count: usize,
    /// Whether the rank of an operand is known at run time only, so that it must be checked.
    unchecked: bool,
    marker: PhantomData<(T, E, O, Dev)>,
}

/// A list of operands: the last operand, and the list of the operands before it. So the type of a list contains the types of its operands.
#[derive(Debug)]
pub struct List<L, X> {
    before: L,
    last: X,
}

/// An operand `X`, and the function that returns its elements as tensors of `T` on `Dev`.
///
/// The function takes the place of the bound `X: ProductOperand`, which was checked when the operand was added. So a list needs no bound on
/// its operands. If an operand does not match, the compiler reports it once, and not again for each list that contains it.
#[derive(Debug)]
pub struct Held<X, T: Element, O: Order, Dev: Device> {
    operand: X,
    agreeing: fn(&X) -> (Factor<'_, T, Dev>, &Dev),
    marker: PhantomData<O>,
}

impl<X, T: Element, O: Order, Dev: Device> Held<X, T, O, Dev> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(operand: X) -> Held<X, T, O, Dev>
    where
        X: ProductOperand<T, O, Dev>,
    {
        Held { operand, agreeing: X::agreeing, marker: PhantomData }
    }

    /// Returns the elements, and their device.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn get(&self) -> (Factor<'_, T, Dev>, &Dev) {
        (self.agreeing)(&self.operand)
    }
}

/// A list of operands: a [`List`], `()`, which is the empty list, or a `Box` of a list.
///
/// A contraction owns its operands, because an operand may be a temporary tensor.
pub trait OperandList<T: Element, O: Order, Dev: Device> {
    /// Writes each operand and its device to the beginning of `to`, and returns the number of operands.
    #[doc(hidden)]
    fn factors<'a>(&'a self, to: &mut [Option<(Factor<'a, T, Dev>, &'a Dev)>]) -> usize;
}

impl<T: Element, O: Order, Dev: Device> OperandList<T, O, Dev> for () {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn factors<'a>(&'a self, _: &mut [Option<(Factor<'a, T, Dev>, &'a Dev)>]) -> usize {
        0
    }
}

impl<L: OperandList<T, O, Dev>, X, T: Element, O: Order, Dev: Device> OperandList<T, O, Dev>
    for List<L, Held<X, T, O, Dev>>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn factors<'a>(&'a self, to: &mut [Option<(Factor<'a, T, Dev>, &'a Dev)>]) -> usize {
        let before = self.before.factors(to);
        to[before] = Some(self.last.get());
        before + 1
    }
}

impl<T: Element, O: Order, Dev: Device> OperandList<T, O, Dev> for Box<dyn OperandList<T, O, Dev> + '_> {
    fn factors<'a>(&'a self, to: &mut [Option<(Factor<'a, T, Dev>, &'a Dev)>]) -> usize {
        (**self).factors(to)
    }
}

/// A number of operands, as a type.
#[derive(Debug, Clone, Copy)]
pub struct Count<const N: usize>;

/// A term of a specification, as a type: its number of labels, and whether it has an ellipsis.
///
/// The functions take a value of this type as an argument. With type parameters alone, the compiler's message would not point to an
/// operand that does not fit its term.
#[derive(Debug, Clone, Copy)]
pub struct TermOf<const LABELS: usize, const ELLIPSIS: bool>;

/// Begins a contraction with its first operand. All other operands must have the first operand's memory order and device. They have its
/// element type, or are real if the first operand is complex.
///
/// # Panics
/// If the const arguments do not match the specification.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn contraction<'s, const N: usize, const LABELS: usize, const ELLIPSIS: bool, X, T, D, E, O, Dev>(
    spec: &'s Spec<'s>,
    cache: &'s PathCache,
    _: Count<N>,
    _: TermOf<LABELS, ELLIPSIS>,
    first: X,
) -> Contraction<'s, T, E, O, Dev, List<(), Held<X, T, O, Dev>>, N>
where
    X: EinsumOperand<Element = T, Dim = D, Order = O, Device = Dev>,
    T: Element,
    D: LabelledBy<LABELS, ELLIPSIS, Ellipsis = E>,
    O: Order,
    Dev: Device,
{
    assert!(spec.operands() == N, "{}", NOT_OF_THE_SPECIFICATION);
    check_term::<LABELS, ELLIPSIS>(spec, 0);
    let operands = List { before: (), last: Held::new(first) };
    Contraction { spec, operands, cache, count: 1, unchecked: D::NDIM.is_none(), marker: PhantomData }
}

impl<'s, T: Element, E: Dim, O: Order, Dev: Device, L, const N: usize> Contraction<'s, T, E, O, Dev, L, N> {
    /// Adds an operand.
    ///
    /// # Panics
    /// If the const arguments do not match the specification, or if all operands of the specification have been added already.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn and<const LABELS: usize, const ELLIPSIS: bool, X, F>(
        self,
        _: TermOf<LABELS, ELLIPSIS>,
        x: X,
    ) -> Contraction<'s, T, Common<E, F>, O, Dev, List<L, Held<X, T, O, Dev>>, N>
    where
        X: ProductOperand<T, O, Dev>,
        X::Dim: LabelledBy<LABELS, ELLIPSIS, Ellipsis = F>,
        F: Dim,
        E: Broadcast<F>,
    {
        assert!(self.count < N, "{}", NOT_OF_THE_SPECIFICATION);
        check_term::<LABELS, ELLIPSIS>(self.spec, self.count);
        let Contraction { spec, operands, cache, count, unchecked, .. } = self;
        let unchecked = unchecked || X::Dim::NDIM.is_none();
        let operands = List { before: operands, last: Held::new(x) };
        Contraction { spec, operands, cache, count: count + 1, unchecked, marker: PhantomData }
    }

    /// Puts the list of operands into a `Box`, so that the operands' types are no longer part of the contraction's type. Programs that
    /// add operands in a recursive function need this.
    #[doc(hidden)]
    pub fn boxed<'l>(self) -> Contraction<'s, T, E, O, Dev, Box<dyn OperandList<T, O, Dev> + 'l>, N>
    where
        L: OperandList<T, O, Dev> + 'l,
    {
        let Contraction { spec, operands, cache, count, unchecked, .. } = self;
        let operands: Box<dyn OperandList<T, O, Dev> + 'l> = Box::new(operands);
        Contraction { spec, operands, cache, count, unchecked, marker: PhantomData }
    }

    /// Ends the list of operands. The result has `LABELS` labels in addition to its ellipsis.
    ///
    /// # Panics
    /// If the const arguments do not match the specification, or if operands of the specification have not been added.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn result<const LABELS: usize, R>(self) -> Prepared<'s, T, R, O, Dev, L, N>
    where
        E: ResultOf<LABELS, Result = R>,
        R: Dim,
    {
        assert!(self.count == N && self.spec.labels(N) == LABELS, "{}", NOT_OF_THE_SPECIFICATION);
        let Contraction { spec, operands, cache, unchecked, .. } = self;
        Prepared { spec, operands, cache, unchecked, marker: PhantomData }
    }
}

/// The panic message of calls with wrong const arguments, which the macros never make.
const NOT_OF_THE_SPECIFICATION: &str = "cannot contract: the operands or the numbers of their labels do not \
    match the specification; use `einsum!`, which ensures that they do";

/// Checks the number of labels of term `k` of the specification, and whether it has an ellipsis.
///
/// # Panics
/// If they differ from the const arguments.
#[cfg_attr(not(debug_assertions), inline(always))]
fn check_term<const LABELS: usize, const ELLIPSIS: bool>(spec: &Spec<'_>, k: usize) {
    assert!(spec.labels(k) == LABELS && spec.ellipsis(k) == ELLIPSIS, "{}", NOT_OF_THE_SPECIFICATION);
}

/// A contraction to which all operands have been added. `R` is the rank of the result.
#[derive(Debug)]
#[must_use = "a contraction is computed when a method of it is called"]
pub struct Prepared<'s, T, R, O, Dev, L, const N: usize> {
    spec: &'s Spec<'s>,
    operands: L,
    cache: &'s PathCache,
    /// Whether the rank of an operand is known at run time only, so that it must be checked.
    unchecked: bool,
    marker: PhantomData<(T, R, O, Dev)>,
}

/// Returns the device of the first operand, and all operands. Returns an error if another operand is on another instance of the device, or if
/// an operand does not have the rank that the specification names. The ranks are checked if there is a specification.
#[cfg_attr(not(debug_assertions), inline(always))]
fn factors<'a, T: Element, O: Order, Dev: Device, const N: usize>(
    operands: &'a impl OperandList<T, O, Dev>,
    spec: Option<&Spec<'_>>,
) -> Result<(&'a Dev, [Factor<'a, T, Dev>; N]), Error> {
    let mut factors = [None; N];
    operands.factors(&mut factors);
    let factors = factors.map(|factor| factor.expect("every operand is in the list"));
    if let Some(spec) = spec {
        spec.check_ranks(factors.iter().map(|(factor, _)| factor.axes().rank()))?;
    }
    let device = factors[0].1;
    for (_, other) in &factors[1..] {
        same_instance("contract", device, other)?;
    }
    Ok((device, factors.map(|(factor, _)| factor)))
}

impl<T: Element, R: Dim, O: Order, Dev: Device, L: OperandList<T, O, Dev>, const N: usize>
    Prepared<'_, T, R, O, Dev, L, N>
{
    fn einsum<'b>(
        &'b self,
        device: &'b Dev,
        operands: &'b [Factor<'b, T, Dev>],
        limit: Option<usize>,
    ) -> Einsum<'b, T, Dev> {
        let Prepared { spec, cache, .. } = self;
        Einsum { spec, row_major: O::ROW_MAJOR, device, operands, limit, cache }
    }

    /// Contracts into a new tensor. With three or more operands, each intermediate result has at most `limit` bytes.
    ///
    /// # Errors
    /// * If the operands are on different instances of the device.
    /// * If axes of one label differ in extent.
    /// * If no contraction order is found whose intermediate results are within the limit.
    /// * If the device allocation fails.
    /// * If an integer result overflows (of 64 bits: only in builds with debug assertions).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn try_contract(self, limit: Option<usize>) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Scalar,
        Dev: Contract<T>,
    {
        let (device, factors) = factors::<_, _, _, N>(&self.operands, self.unchecked.then_some(self.spec))?;
        let einsum = self.einsum(device, &factors, limit);
        contract_directly(&einsum).unwrap_or_else(|| contract_any(&einsum))
    }

    /// Contracts into a new tensor.
    ///
    /// # Panics
    /// If [`try_contract`](Prepared::try_contract) returns an error.
    #[track_caller]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn contract(self, limit: Option<usize>) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        Dev: Contract<T>,
    {
        let (device, factors) =
            unwrap_or_panic(factors::<_, _, _, N>(&self.operands, self.unchecked.then_some(self.spec)));
        let einsum = self.einsum(device, &factors, limit);
        // Each case returns its own tensor. A common `Result` would be kept in memory, and for small products, the time to move it
        // matters.
        match contract_directly(&einsum) {
            Some(result) => unwrap_or_panic(result),
            None => contract_any_or_panic(&einsum),
        }
    }

    /// Computes `out = alpha · result + beta · out`. If `beta` is zero, the old elements of `out` are ignored.
    ///
    /// # Errors
    /// Those of [`try_contract`](Prepared::try_contract), and if `out` is on another instance of the device or has another shape than the
    /// result. In these cases, `out` is unchanged.
    #[fallible]
    pub fn contract_into<'o, X>(self, out: X, alpha: T, beta: T, limit: Option<usize>)
    where
        X: EinsumOutput<'o, T, R, O, Dev>,
        T: Scalar,
        Dev: Contract<T>,
    {
        let mut out = out.agreeing();
        let (device, factors) = factors::<_, _, _, N>(&self.operands, self.unchecked.then_some(self.spec))?;
        same_instance("contract", device, out.device())?;
        let (scaling, out) = (Scaling { alpha, beta }, out.output().0);
        let einsum = self.einsum(device, &factors, limit);
        match matrices(&einsum) {
            Some((pair, factors)) if *out.shape() == pair.shape()[..out.shape().len()] => {
                pair.multiply(device, factors, scaling, out)
            }
            _ => einsum.accumulate(&einsum.bind()?, scaling, out),
        }
    }

    /// Computes `out = result`.
    ///
    /// # Errors
    /// Those of [`try_contract_into`](Prepared::try_contract_into).
    #[fallible]
    pub fn write_into<'o, X>(self, out: X, limit: Option<usize>)
    where
        X: EinsumOutput<'o, T, R, O, Dev>,
        T: Scalar,
        Dev: Contract<T>,
    {
        self.try_contract_into(out, T::one(), T::zero(), limit)
    }

    /// Returns the contraction path of the operands.
    ///
    /// # Errors
    /// * If the operands are on different instances of the device.
    /// * If axes of one label differ in extent.
    /// * If no path is found whose intermediate results have at most `limit` bytes each.
    #[fallible]
    #[must_use]
    pub fn path(self, limit: Option<usize>) -> ContractionPath {
        let (_, factors) = factors::<_, _, _, N>(&self.operands, self.unchecked.then_some(self.spec))?;
        let limit = limit.map(|bytes| bytes / size_of::<T>());
        let shapes = factors.iter().map(|factor| factor.axes().shape());
        ContractionPath::new(self.spec, O::ROW_MAJOR, shapes, limit)
    }
}

/// Contracts into a new tensor, if that is one copy, one reduction or one product of two matrices. Otherwise, and if an integer result
/// overflows, returns `None`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn contract_directly<T: Scalar, R: Dim, O: Order, Dev: Contract<T>>(
    einsum: &Einsum<'_, T, Dev>,
) -> Option<Result<Tensor<T, R, O, Dev>, Error>> {
    if let &[Factor(Elements::Same(MatrixOperand { operand, conjugate: false }))] = einsum.operands
        && let Some(result) = one(einsum, operand)
    {
        return Some(result);
    }
    let (pair, factors) = matrices(einsum)?;
    let shape = shape_of::<R>(&pair.shape()[..result_rank::<R>(einsum.spec)]);
    Some(Tensor::computed(shape, einsum.device.clone(), PairProduct { pair, factors }))
}

/// Returns the rank of the result of a specification without an ellipsis.
#[inline(always)]
fn result_rank<R: Dim>(spec: &Spec<'_>) -> usize {
    R::NDIM.unwrap_or_else(|| spec.terms().1.labels().len())
}

/// The product of two operands that [`MatrixPair`] describes. The method `write` computes its elements, and is always inlined.
struct PairProduct<'a, T: Scalar, Dev: Device> {
    pair: MatrixPair,
    factors: [MatrixOperand<'a, T, Dev>; 2],
}

impl<T: Scalar, Dev: Contract<T>> IntoOutput<T, Dev> for PairProduct<'_, T, Dev> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write(self, out: Output<'_, T, Dev>, device: &Dev) -> Result<(), Error> {
        self.pair.multiply(device, self.factors, Scaling::overwrite(), out)
    }
}

/// Contracts one operand, if a single copy or reduction computes the result. Otherwise, and if an integer result overflows, returns
/// `None`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn one<T: Scalar, R: Dim, O: Order, Dev: Contract<T>>(
    einsum: &Einsum<'_, T, Dev>,
    operand: Operand<'_, T, Dev>,
) -> Option<Result<Tensor<T, R, O, Dev>, Error>> {
    let mut from = Layout::point(0);
    if !single(einsum.spec, operand.axes(), &mut from) {
        return None;
    }
    let rank = result_rank::<R>(einsum.spec);
    let shape = shape_of::<R>(&from.shape()[..rank]);
    let (sums, from) = (from.rank() > rank, operand.in_layout(&from));
    let done = Tensor::allocate_with(shape, einsum.device.clone(), |out, device| {
        if sums { device.reduce(&Sum, out, from) } else { device.copy(out, from) }
    });
    match done {
        // An integer sum overflowed. With `None`, the caller computes the result again by `contract_any`, whose error names the contraction
        // and its operand.
        Err(Error::Arithmetic { .. }) => None,
        done => Some(done),
    }
}

/// Returns the two operands and their axes as matrices, if the contraction is one matrix product of elements of `T`. Returns `None` for
/// integers: their sums may overflow, and only `contract_any` and `Einsum::accumulate` return an error that names the contraction.
#[cfg_attr(not(debug_assertions), inline(always))]
fn matrices<'a, T: Scalar, Dev: Device>(
    einsum: &Einsum<'a, T, Dev>,
) -> Option<(MatrixPair, [MatrixOperand<'a, T, Dev>; 2])> {
    let &[Factor(Elements::Same(a)), Factor(Elements::Same(b))] = einsum.operands else { return None };
    if T::INTEGER {
        return None;
    }
    Some((MatrixPair::new(einsum.spec, a.operand.axes(), b.operand.axes())?, [a, b]))
}

/// Contracts any number of operands by any specification.
///
/// # Panics
/// If [`contract_any`] returns an error.
#[inline(never)]
#[track_caller]
fn contract_any_or_panic<T: Scalar, R: Dim, O: Order, Dev: Contract<T>>(
    einsum: &Einsum<'_, T, Dev>,
) -> Tensor<T, R, O, Dev> {
    unwrap_or_panic(contract_any(einsum))
}

/// Contracts any number of operands by any specification.
#[inline(never)]
pub(crate) fn contract_any<T: Scalar, R: Dim, O: Order, Dev: Contract<T>>(
    einsum: &Einsum<'_, T, Dev>,
) -> Result<Tensor<T, R, O, Dev>, Error> {
    let bound = einsum.bind()?;
    let labels = bound.result();
    check_rank::<R>(labels.len())?;
    let mut shape = R::shape(labels.len());
    for (extent, &label) in shape.as_mut().iter_mut().zip(labels.iter()) {
        *extent = bound.extents().of(label);
    }
    // If the result repeats a label, its elements off the diagonal are zero, and `write` does not write them.
    let mut out = if labels.repeat() {
        Tensor::try_zeros_in(shape, einsum.device)?
    } else {
        Tensor::<T, R, O, Dev>::allocate(shape, einsum.device.clone())?
    };
    einsum.write(&bound, out.output().0)?;
    Ok(out)
}
