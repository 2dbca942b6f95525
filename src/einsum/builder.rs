//! The builder that `einsum!` and its variants call. It takes the operands one by one, and compares the type of each operand with
//! the operand's term in the specification.
//!
//! The macros pass numbers of the specification, such as numbers of labels, as const arguments. The functions are public, so each
//! of them checks its const arguments and panics if they do not match the specification. The macros pass constants, so
//! optimised builds do not contain the checks.

use super::operand::{EinsumOperand, EinsumOutput, LabelledBy, ProductOperand, ResultOf};
use super::{ContractionPath, PathCache, Spec};
use crate::device::{Contract, Device, MatrixOperand, Operand, Scaling};
use crate::element::{Element, Scalar};
use crate::engine::contract::{Einsum, MatrixPair, single};
use crate::engine::same_instance;
use crate::error::{Error, unwrap_or_panic};
use crate::layout::Layout;
use crate::ops::op;
use crate::order::Order;
use crate::rank::{Broadcast, Common, Dim};
use crate::tensor::{Tensor, TensorView};
use core::marker::PhantomData;

/// A contraction of `N` operands to which not all operands have been added yet. `E` is a rank: the number of axes that the ellipsis
/// stands for in the result of the operands so far.
#[derive(Debug)]
pub struct Contraction<'s, 'a, T: Element, E, O, Dev: Device, L, const N: usize> {
    spec: &'s Spec<'s>,
    operands: L,
    device: &'a Dev,
    cache: &'s PathCache,
    count: usize,
    /// The error if an operand is not on the same instance of the device as the first operand.
    instances: Result<(), Error>,
    marker: PhantomData<(T, E, O)>,
}

/// A list of operands, whose ranks are in its type. It consists of the last operand and the list of the operands before it.
#[derive(Debug)]
pub struct List<L, V> {
    before: L,
    last: V,
    conjugate: bool,
}

/// A list of operands: a [`List`], or `()`, the empty list.
pub trait OperandList<T: Element, Dev: Device> {
    /// Writes the operands to the beginning of `to`, and returns their number.
    #[doc(hidden)]
    fn factors<'b>(&'b self, to: &mut [Option<MatrixOperand<'b, T, Dev>>]) -> usize;
}

impl<T: Element, Dev: Device> OperandList<T, Dev> for () {
    #[inline(always)]
    fn factors<'b>(&'b self, _: &mut [Option<MatrixOperand<'b, T, Dev>>]) -> usize {
        0
    }
}

impl<T: Element, Dev: Device> OperandList<T, Dev> for Box<dyn OperandList<T, Dev> + '_> {
    fn factors<'b>(&'b self, to: &mut [Option<MatrixOperand<'b, T, Dev>>]) -> usize {
        (**self).factors(to)
    }
}

impl<L, T, D, O, Dev> OperandList<T, Dev> for List<L, TensorView<'_, T, D, O, Dev>>
where
    L: OperandList<T, Dev>,
    T: Element,
    D: Dim,
    O: Order,
    Dev: Device,
{
    #[inline(always)]
    fn factors<'b>(&'b self, to: &mut [Option<MatrixOperand<'b, T, Dev>>]) -> usize {
        let before = self.before.factors(to);
        to[before] = Some(MatrixOperand { operand: self.last.operand(), conjugate: self.conjugate });
        before + 1
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

/// Begins a contraction with its first operand. All other operands must have the first operand's element type, memory order and
/// device.
///
/// # Panics
/// If the const arguments do not match the specification.
#[inline(always)]
pub fn contraction<'s, 'a, const N: usize, const LABELS: usize, const ELLIPSIS: bool, X, T, D, E, O, Dev>(
    spec: &'s Spec<'s>,
    cache: &'s PathCache,
    _: Count<N>,
    _: TermOf<LABELS, ELLIPSIS>,
    first: X,
) -> Contraction<'s, 'a, T, E, O, Dev, List<(), TensorView<'a, T, D, O, Dev>>, N>
where
    X: EinsumOperand<'a, Element = T, Dim = D, Order = O, Device = Dev>,
    T: Element,
    D: LabelledBy<LABELS, ELLIPSIS, Ellipsis = E>,
    O: Order,
    Dev: Device,
{
    assert!(spec.operands() == N, "{}", NOT_OF_THE_SPECIFICATION);
    check_term::<LABELS, ELLIPSIS>(spec, 0);
    let last = first.elements();
    let device = last.device_ref();
    let operands = List { before: (), last, conjugate: X::CONJUGATE };
    Contraction { spec, operands, device, cache, count: 1, instances: Ok(()), marker: PhantomData }
}

impl<'s, 'a, T: Element, E: Dim, O: Order, Dev: Device, L, const N: usize>
    Contraction<'s, 'a, T, E, O, Dev, L, N>
{
    /// Adds an operand.
    ///
    /// # Panics
    /// If the const arguments do not match the specification, or if the specification has fewer operands.
    #[inline]
    pub fn and<const LABELS: usize, const ELLIPSIS: bool, X, F>(
        self,
        _: TermOf<LABELS, ELLIPSIS>,
        x: X,
    ) -> Contraction<'s, 'a, T, Common<E, F>, O, Dev, List<L, TensorView<'a, T, X::Dim, O, Dev>>, N>
    where
        X: ProductOperand<'a, T, O, Dev>,
        X::Dim: LabelledBy<LABELS, ELLIPSIS, Ellipsis = F>,
        F: Dim,
        E: Broadcast<F>,
    {
        assert!(self.count < N, "{}", NOT_OF_THE_SPECIFICATION);
        check_term::<LABELS, ELLIPSIS>(self.spec, self.count);
        let last: TensorView<'a, T, X::Dim, O, Dev> = x.agreeing();
        let instances =
            self.instances.and_then(|()| same_instance("contract", self.device, last.device_ref()));
        let Contraction { spec, operands, device, cache, count, .. } = self;
        let operands = List { before: operands, last, conjugate: X::CONJUGATE };
        Contraction { spec, operands, device, cache, count: count + 1, instances, marker: PhantomData }
    }

    /// Puts the list of operands into a `Box`, which removes their ranks from the type. Programs that add operands in a recursive
    /// function need this.
    #[doc(hidden)]
    pub fn boxed<'l>(self) -> Contraction<'s, 'a, T, E, O, Dev, Box<dyn OperandList<T, Dev> + 'l>, N>
    where
        L: OperandList<T, Dev> + 'l,
    {
        let Contraction { spec, operands, device, cache, count, instances, .. } = self;
        let operands: Box<dyn OperandList<T, Dev> + 'l> = Box::new(operands);
        Contraction { spec, operands, device, cache, count, instances, marker: PhantomData }
    }

    /// Ends the list of operands. The result has `LABELS` labels in addition to its ellipsis.
    ///
    /// # Panics
    /// If the const arguments do not match the specification, or if the specification has more operands.
    #[inline(always)]
    pub fn result<const LABELS: usize, R>(self) -> Prepared<'s, 'a, T, R, O, Dev, L, N>
    where
        E: ResultOf<LABELS, Result = R>,
        R: Dim,
    {
        assert!(self.count == N && self.spec.labels(N) == LABELS, "{}", NOT_OF_THE_SPECIFICATION);
        let Contraction { spec, operands, device, cache, instances, .. } = self;
        Prepared { spec, operands, device, cache, instances, marker: PhantomData }
    }
}

/// The panic message of calls with wrong const arguments, which the macros never make.
const NOT_OF_THE_SPECIFICATION: &str = "cannot contract: the operands or the numbers of their labels do not \
    match the specification; use `einsum!`, which ensures that they do";

/// Checks the number of labels of term `k` of the specification, and whether it has an ellipsis.
///
/// # Panics
/// If they differ from the const arguments.
#[inline(always)]
fn check_term<const LABELS: usize, const ELLIPSIS: bool>(spec: &Spec<'_>, k: usize) {
    assert!(spec.labels(k) == LABELS && spec.ellipsis(k) == ELLIPSIS, "{}", NOT_OF_THE_SPECIFICATION);
}

/// A contraction to which all operands have been added. `R` is the rank of the result.
#[derive(Debug)]
pub struct Prepared<'s, 'a, T: Element, R, O, Dev: Device, L, const N: usize> {
    spec: &'s Spec<'s>,
    operands: L,
    device: &'a Dev,
    cache: &'s PathCache,
    instances: Result<(), Error>,
    marker: PhantomData<(T, R, O)>,
}

impl<T: Element, R: Dim, O: Order, Dev: Device, L: OperandList<T, Dev>, const N: usize>
    Prepared<'_, '_, T, R, O, Dev, L, N>
{
    /// Returns the operands as an array.
    #[inline(always)]
    fn factors(&self) -> [MatrixOperand<'_, T, Dev>; N] {
        let mut factors = [None; N];
        self.operands.factors(&mut factors);
        factors.map(|factor| factor.expect("every operand was bound"))
    }

    fn einsum<'b>(
        &'b self,
        operands: &'b [MatrixOperand<'b, T, Dev>],
        limit: Option<usize>,
    ) -> Einsum<'b, T, Dev> {
        let Prepared { spec, device, cache, .. } = self;
        Einsum { spec, row_major: O::ROW_MAJOR, device, operands, limit, cache }
    }

    /// Contracts into a new tensor. With three or more operands, each intermediate result has at most `limit` bytes.
    ///
    /// # Errors
    /// * If the operands are on different instances of the device.
    /// * If axes of one label differ in extent.
    /// * If no contraction order is found whose intermediate results are within the limit.
    /// * If the device allocation fails.
    /// * If an integer result overflows, in builds with debug assertions.
    #[inline(always)]
    pub fn try_contract(self, limit: Option<usize>) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Scalar,
        Dev: Contract<T>,
    {
        self.instances.clone()?;
        let factors = self.factors();
        contract(&self.einsum(&factors, limit))
    }

    /// Contracts into a new tensor.
    ///
    /// # Panics
    /// If [`try_contract`](Prepared::try_contract) returns an error.
    #[track_caller]
    #[inline(always)]
    pub fn contract(self, limit: Option<usize>) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        Dev: Contract<T>,
    {
        unwrap_or_panic(self.try_contract(limit))
    }

    /// Computes `out = alpha · result + beta · out`. If `beta` is zero, the old elements of `out` are ignored.
    ///
    /// # Errors
    /// As [`try_contract`](Prepared::try_contract), and if `out` is on another instance of the device or has another shape than the
    /// result. In these cases, `out` is unchanged.
    pub fn try_contract_into<'o, X>(
        self,
        out: X,
        alpha: T,
        beta: T,
        limit: Option<usize>,
    ) -> Result<(), Error>
    where
        X: EinsumOutput<'o, T, R, O, Dev>,
        T: Scalar,
        Dev: Contract<T>,
    {
        let mut out = out.agreeing();
        same_instance("contract", self.device, out.device())?;
        self.instances.clone()?;
        let (scaling, factors, out) = (Scaling { alpha, beta }, self.factors(), out.output().0);
        let einsum = self.einsum(&factors, limit);
        match matrices(&einsum) {
            Some((pair, factors)) if out.shape() == pair.shape() => {
                pair.multiply(self.device, factors, scaling, out)
            }
            _ => einsum.accumulate(&einsum.bind()?, scaling, out),
        }
    }

    /// Computes `out = alpha · result + beta · out`.
    ///
    /// # Panics
    /// If [`try_contract_into`](Prepared::try_contract_into) returns an error.
    #[track_caller]
    pub fn contract_into<'o, X>(self, out: X, alpha: T, beta: T, limit: Option<usize>)
    where
        X: EinsumOutput<'o, T, R, O, Dev>,
        T: Scalar,
        Dev: Contract<T>,
    {
        unwrap_or_panic(self.try_contract_into(out, alpha, beta, limit));
    }

    /// Computes `out = result`.
    ///
    /// # Errors
    /// As [`try_contract_into`](Prepared::try_contract_into).
    pub fn try_write_into<'o, X>(self, out: X, limit: Option<usize>) -> Result<(), Error>
    where
        X: EinsumOutput<'o, T, R, O, Dev>,
        T: Scalar,
        Dev: Contract<T>,
    {
        self.try_contract_into(out, T::one(), T::zero(), limit)
    }

    /// Computes `out = result`.
    ///
    /// # Panics
    /// If [`try_write_into`](Prepared::try_write_into) returns an error.
    #[track_caller]
    pub fn write_into<'o, X>(self, out: X, limit: Option<usize>)
    where
        X: EinsumOutput<'o, T, R, O, Dev>,
        T: Scalar,
        Dev: Contract<T>,
    {
        unwrap_or_panic(self.try_write_into(out, limit));
    }

    /// Returns the contraction path of the operands.
    ///
    /// # Errors
    /// * If the operands are on different instances of the device.
    /// * If axes of one label differ in extent.
    /// * If no path is found whose intermediate results have at most `limit` bytes each.
    pub fn try_path(self, limit: Option<usize>) -> Result<ContractionPath, Error> {
        self.instances.clone()?;
        let (factors, limit) = (self.factors(), limit.map(|bytes| bytes / size_of::<T>()));
        let shapes = factors.iter().map(|factor| factor.operand.shape());
        ContractionPath::new(self.spec, O::ROW_MAJOR, shapes, limit)
    }

    /// Returns the contraction path of the operands.
    ///
    /// # Panics
    /// If [`try_path`](Prepared::try_path) returns an error.
    #[track_caller]
    pub fn path(self, limit: Option<usize>) -> ContractionPath {
        unwrap_or_panic(self.try_path(limit))
    }
}

/// Contracts into a new tensor. There are fast paths for a single operand and for one product of two matrices.
#[inline(always)]
fn contract<T: Scalar, R: Dim, O: Order, Dev: Contract<T>>(
    einsum: &Einsum<'_, T, Dev>,
) -> Result<Tensor<T, R, O, Dev>, Error> {
    if let &[MatrixOperand { operand, conjugate: false }] = einsum.operands
        && let Some(result) = one(einsum, operand)
    {
        return result;
    }
    if let Some((pair, factors)) = matrices(einsum) {
        let mut shape = R::Shape::default();
        shape.as_mut().copy_from_slice(&pair.shape());
        return Tensor::allocate_with(shape, einsum.device.clone(), |out, device| {
            pair.multiply(device, factors, Scaling::overwrite(), out)
        });
    }
    contract_any(einsum)
}

/// Contracts one operand, if a single copy or reduction computes the result. Otherwise, and if an integer result overflows, returns
/// `None`.
#[inline(always)]
fn one<T: Scalar, R: Dim, O: Order, Dev: Contract<T>>(
    einsum: &Einsum<'_, T, Dev>,
    operand: Operand<'_, T, Dev>,
) -> Option<Result<Tensor<T, R, O, Dev>, Error>> {
    let mut from = Layout::point(0);
    if !single(einsum.spec, operand.axes(), &mut from) {
        return None;
    }
    let mut shape = R::Shape::default();
    shape.as_mut().copy_from_slice(&from.shape()[..R::NDIM]);
    let (sums, from) = (from.rank() > R::NDIM, operand.in_layout(&from));
    let done = Tensor::allocate_with(shape, einsum.device.clone(), |out, device| {
        if sums { device.reduce(&op::Sum, out, from) } else { device.copy(out, from) }
    });
    match done {
        // `contract_any` then computes the result again, and returns an error that names the contraction and its operand.
        Err(Error::Arithmetic { .. }) => None,
        done => Some(done),
    }
}

/// Returns the two operands and their axes as matrices, if the contraction is one matrix product. Returns `None` for integers:
/// their sums may overflow, and only `contract_any` and `Einsum::accumulate` return an error that names the contraction.
#[inline(always)]
fn matrices<'a, T: Scalar, Dev: Device>(
    einsum: &Einsum<'a, T, Dev>,
) -> Option<(MatrixPair, [MatrixOperand<'a, T, Dev>; 2])> {
    let &[a, b] = einsum.operands else { return None };
    if T::INTEGER {
        return None;
    }
    Some((MatrixPair::new(einsum.spec, a.operand.axes(), b.operand.axes())?, [a, b]))
}

/// Contracts any number of operands by any specification.
#[inline(never)]
fn contract_any<T: Scalar, R: Dim, O: Order, Dev: Contract<T>>(
    einsum: &Einsum<'_, T, Dev>,
) -> Result<Tensor<T, R, O, Dev>, Error> {
    let bound = einsum.bind()?;
    let labels = bound.result();
    let mut shape = R::Shape::default();
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
