//! The builder behind `einsum!`: operands are bound one by one, and the type of each is checked against its term of the
//! specification.
//!
//! The macros write the calls, with numbers that are constants of the specification. The functions are public, so each of them
//! checks its numbers again: a call with others panics. In a call that a macro wrote, the checks are constants and cost nothing.

use super::cache::PathCache;
use super::labelled::{Bound, matrices, single};
use super::operand::{EinsumOperand, EinsumOutput, LabelledBy, ProductOperand, ResultOf};
use super::report::ContractionPath;
use super::run::{Given, Mix, Search, Target, accumulate, write};
use super::spec::Spec;
use crate::device::{Contract, Device, Factor};
use crate::element::{Element, Scalar};
use crate::error::{Error, expect};
use crate::layout::Layout;
use crate::ops::{op, same_instance};
use crate::order::Order;
use crate::rank::{Broadcast, Common, Dim};
use crate::storage::View;
use crate::strided::Strided;
use crate::tensor::{Tensor, TensorView};
use core::marker::PhantomData;

/// Operands on their way into a contraction of `N` of them; `E` is the rank of what their ellipses stand for.
#[derive(Debug)]
pub struct Contraction<'s, 'a, T: Element, E, O, Dev: Device, const N: usize> {
    spec: &'s Spec<'s>,
    given: [Option<Given<'a, T, Dev>>; N],
    device: &'a Dev,
    cache: &'s PathCache,
    count: usize,
    /// Whether all live on one instance of the device.
    instances: Result<(), Error>,
    marker: PhantomData<(E, O)>,
}

/// A number of operands, as a type.
#[derive(Debug, Clone, Copy)]
pub struct Count<const N: usize>;

/// A term of a specification, as a type: how many labels it has, and whether an ellipsis. (As an argument, so that the compiler
/// points at the operand beside it where the two do not fit.)
#[derive(Debug, Clone, Copy)]
pub struct TermOf<const LABELS: usize, const ELLIPSIS: bool>;

/// A contraction begins with its first operand: the others have its element type, order and device.
///
/// # Panics
/// If the numbers are not those of the specification.
#[inline(always)]
pub fn contraction<'s, 'a, const N: usize, const LABELS: usize, const ELLIPSIS: bool, X, T, D, E, O, Dev>(
    spec: &'s Spec<'s>,
    cache: &'s PathCache,
    _: Count<N>,
    _: TermOf<LABELS, ELLIPSIS>,
    first: X,
) -> Contraction<'s, 'a, T, E, O, Dev, N>
where
    X: EinsumOperand<'a, Element = T, Dim = D, Order = O, Device = Dev>,
    T: Element,
    D: LabelledBy<LABELS, ELLIPSIS, Ellipsis = E>,
    O: Order,
    Dev: Device,
{
    assert!(spec.operands() == N, "{}", NOT_OF_THE_SPECIFICATION);
    check_term::<LABELS, ELLIPSIS>(spec, 0);
    let data = first.elements();
    let mut given = [None; N];
    given[0] = Some(Given { data: data.strided(), conjugate: X::CONJUGATE });
    let device = data.device_ref();
    Contraction { spec, given, device, cache, count: 1, instances: Ok(()), marker: PhantomData }
}

impl<'s, 'a, T: Element, E: Dim, O: Order, Dev: Device, const N: usize> Contraction<'s, 'a, T, E, O, Dev, N> {
    /// One operand more.
    ///
    /// # Panics
    /// If the numbers are not those of the specification, or it has fewer operands.
    #[inline]
    pub fn and<const LABELS: usize, const ELLIPSIS: bool, X, F>(
        mut self,
        _: TermOf<LABELS, ELLIPSIS>,
        x: X,
    ) -> Contraction<'s, 'a, T, Common<E, F>, O, Dev, N>
    where
        X: ProductOperand<'a, T, O, Dev>,
        X::Dim: LabelledBy<LABELS, ELLIPSIS, Ellipsis = F>,
        F: Dim,
        E: Broadcast<F>,
    {
        assert!(self.count < N, "{}", NOT_OF_THE_SPECIFICATION);
        check_term::<LABELS, ELLIPSIS>(self.spec, self.count);
        let data: TensorView<'a, T, X::Dim, O, Dev> = x.agreeing();
        self.given[self.count] = Some(Given { data: data.strided(), conjugate: X::CONJUGATE });
        let instances =
            self.instances.and_then(|()| same_instance("contract", self.device, data.device_ref()));
        let Contraction { spec, given, device, cache, count, .. } = self;
        Contraction { spec, given, device, cache, count: count + 1, instances, marker: PhantomData }
    }

    /// All operands are bound; the result has `LABELS` labels in addition to its ellipsis.
    ///
    /// # Panics
    /// If the numbers are not those of the specification, or it has more operands.
    #[inline(always)]
    pub fn result<const LABELS: usize, R>(self) -> Prepared<'s, 'a, T, R, O, Dev, N>
    where
        E: ResultOf<LABELS, Result = R>,
        R: Dim,
    {
        assert!(self.count == N && self.spec.labels(N) == LABELS, "{}", NOT_OF_THE_SPECIFICATION);
        let given = self.given.map(|given| given.expect("every operand was bound"));
        let Contraction { spec, device, cache, instances, .. } = self;
        Prepared { spec, given, device, cache, instances, marker: PhantomData }
    }
}

/// The message of a call that none of the macros wrote.
const NOT_OF_THE_SPECIFICATION: &str = "cannot contract: the operands and the numbers of labels are not those of the specification; use `einsum!`, which takes them from it";

/// That term `k` of the specification has this number of labels, and an ellipsis or none.
#[inline(always)]
fn check_term<const LABELS: usize, const ELLIPSIS: bool>(spec: &Spec<'_>, k: usize) {
    assert!(spec.labels(k) == LABELS && spec.ellipsis(k) == ELLIPSIS, "{}", NOT_OF_THE_SPECIFICATION);
}

/// A contraction whose operands are bound; `R` is the rank of its result.
#[derive(Debug)]
pub struct Prepared<'s, 'a, T: Element, R, O, Dev: Device, const N: usize> {
    spec: &'s Spec<'s>,
    given: [Given<'a, T, Dev>; N],
    device: &'a Dev,
    cache: &'s PathCache,
    instances: Result<(), Error>,
    marker: PhantomData<(R, O)>,
}

impl<T: Element, R: Dim, O: Order, Dev: Device, const N: usize> Prepared<'_, '_, T, R, O, Dev, N> {
    fn layouts(&self) -> impl Iterator<Item = &Layout> + Clone {
        self.given.iter().map(|given| given.data.layout())
    }

    fn bind(&self) -> Result<Bound<'_>, Error> {
        self.instances.clone()?;
        Bound::new(self.spec, O::ROW_MAJOR, self.layouts())
    }

    /// The operands where they are two matrices to be multiplied. Not of integers: their products may have no value, and the
    /// error names the contraction.
    fn matrices(&self) -> Option<([Layout; 2], bool)>
    where
        T: Scalar,
    {
        let [a, b] = &self.given[..] else { return None };
        if T::INTEGER || self.instances.is_err() {
            return None;
        }
        matrices(self.spec, a.data.layout(), b.data.layout())
    }

    /// The product of matrices, into a result whose axes may be exchanged.
    fn multiply(
        &self,
        [of_a, of_b]: &[Layout; 2],
        exchanged: bool,
        mix: Mix<T>,
        out: &mut Target<'_, T, Dev>,
    ) -> Result<(), Error>
    where
        T: Scalar,
        Dev: Contract<T>,
    {
        let layout = if exchanged { out.layout().reverse_axes() } else { *out.layout() };
        let factor = |k: usize, layout| {
            let Given { data, conjugate } = &self.given[k];
            Factor { operand: data.operand(layout), conjugate: *conjugate }
        };
        self.device.gemm(mix.alpha, factor(0, of_a), factor(1, of_b), mix.beta, out.output(&layout))
    }

    fn search(&self, limit: Option<usize>) -> Search<'_> {
        Search { limit, cache: self.cache }
    }

    /// Contracts into a new tensor. Intermediates of more than two operands have up to `limit` bytes each.
    ///
    /// # Errors
    /// Where axes of one label differ in length, an intermediate exceeds the limit, the device has no memory left, or
    /// integers have no such result.
    #[inline(always)]
    pub fn try_contract(self, limit: Option<usize>) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Scalar,
        Dev: Contract<T>,
    {
        if let [Given { data, conjugate: false }] = &self.given[..]
            && let Some(result) = self.one(data)
        {
            return result;
        }
        self.contract_any(limit)
    }

    /// One operand, where there is no more to it than a copy or a reduction. With the operand's layout where it is: to move one
    /// takes as long as to sum ten numbers.
    #[inline(always)]
    fn one(&self, data: &Strided<T, Dev, View<'_, T, Dev>>) -> Option<Result<Tensor<T, R, O, Dev>, Error>>
    where
        T: Scalar,
        Dev: Contract<T>,
    {
        let mut from = Layout::point(data.layout().offset());
        if !single(self.spec, data.layout(), &mut from) {
            return None;
        }
        let mut shape = R::Shape::default();
        shape.as_mut().copy_from_slice(&from.shape()[..R::NDIM]);
        let mut out = match Tensor::<T, R, O, Dev>::allocate(shape, self.device.clone()) {
            Ok(out) => out,
            Err(error) => return Some(Err(error)),
        };
        let (to, sums) = (out.output().0, from.shape().len() > R::NDIM);
        let from = data.operand(&from);
        let done = if sums { self.device.reduce(&op::Sum, to, from) } else { self.device.copy(to, from) };
        match done {
            // The message with all operands is made elsewhere.
            Err(Error::Arithmetic { .. }) => None,
            done => Some(done.map(|()| out)),
        }
    }

    /// [`try_contract`](Prepared::try_contract) in general.
    #[inline(never)]
    fn contract_any(self, limit: Option<usize>) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Scalar,
        Dev: Contract<T>,
    {
        if let Some((factors, exchanged)) = self.matrices() {
            let mut shape = R::Shape::default();
            shape.as_mut().copy_from_slice(&[factors[0].shape()[0], factors[1].shape()[1]]);
            if exchanged {
                shape.as_mut().reverse();
            }
            let mut out = Tensor::<T, R, O, Dev>::allocate(shape, self.device.clone())?;
            self.multiply(&factors, exchanged, Mix::plain(), &mut out.strided_mut())?;
            return Ok(out);
        }
        let bound = self.bind()?;
        let labels = bound.result();
        let mut shape = R::Shape::default();
        for (extent, &label) in shape.as_mut().iter_mut().zip(labels.iter()) {
            *extent = bound.extents().of(label);
        }
        // Beside the diagonal of a result with a repeated label there are zeros.
        let mut out = if labels.repeat() {
            Tensor::try_zeros_in(shape, self.device)?
        } else {
            Tensor::<T, R, O, Dev>::allocate(shape, self.device.clone())?
        };
        write(self.device, &bound, &self.given, self.search(limit), &mut out.strided_mut())?;
        Ok(out)
    }

    /// Contracts into a new tensor.
    ///
    /// # Panics
    /// Where [`try_contract`](Prepared::try_contract) returns an error.
    #[track_caller]
    #[inline(always)]
    pub fn contract(self, limit: Option<usize>) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        Dev: Contract<T>,
    {
        expect(self.try_contract(limit))
    }

    /// `out = alpha · result + beta · out`; where `beta` is zero, `out` is not read.
    ///
    /// # Errors
    /// As [`try_contract`](Prepared::try_contract), and where the shape of `out` is not that of the result. `out` is
    /// unchanged then.
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
        let (mix, mut out) = (Mix { alpha, beta }, out.strided_mut());
        if let Some((factors, exchanged)) = self.matrices() {
            let (rows, columns) = (factors[0].shape()[0], factors[1].shape()[1]);
            let shape = if exchanged { [columns, rows] } else { [rows, columns] };
            if out.layout().shape() == shape {
                return self.multiply(&factors, exchanged, mix, &mut out);
            }
        }
        let bound = self.bind()?;
        accumulate(self.device, &bound, &self.given, mix, self.search(limit), &mut out)
    }

    /// `out = alpha · result + beta · out`.
    ///
    /// # Panics
    /// Where [`try_contract_into`](Prepared::try_contract_into) returns an error.
    #[track_caller]
    pub fn contract_into<'o, X>(self, out: X, alpha: T, beta: T, limit: Option<usize>)
    where
        X: EinsumOutput<'o, T, R, O, Dev>,
        T: Scalar,
        Dev: Contract<T>,
    {
        expect(self.try_contract_into(out, alpha, beta, limit));
    }

    /// `out = result`.
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

    /// `out = result`.
    ///
    /// # Panics
    /// Where [`try_write_into`](Prepared::try_write_into) returns an error.
    #[track_caller]
    pub fn write_into<'o, X>(self, out: X, limit: Option<usize>)
    where
        X: EinsumOutput<'o, T, R, O, Dev>,
        T: Scalar,
        Dev: Contract<T>,
    {
        expect(self.try_write_into(out, limit));
    }

    /// The sequence in which the operands would be contracted.
    ///
    /// # Errors
    /// Where axes of one label differ in length, or an intermediate exceeds `limit` bytes.
    pub fn try_path(self, limit: Option<usize>) -> Result<ContractionPath, Error> {
        self.instances.clone()?;
        let limit = limit.map(|bytes| bytes / size_of::<T>());
        ContractionPath::new(self.spec, O::ROW_MAJOR, self.layouts(), limit)
    }

    /// The sequence in which the operands would be contracted.
    ///
    /// # Panics
    /// Where [`try_path`](Prepared::try_path) returns an error.
    #[track_caller]
    pub fn path(self, limit: Option<usize>) -> ContractionPath {
        expect(self.try_path(limit))
    }
}
