//! The builder that `svd!` and the other macros call. It compares the type of the operand with its term in the specification, and
//! determines the ranks of the results.
//!
//! As in `einsum/builder.rs`, the macros pass numbers from the specification, such as numbers of labels, as const arguments, and the
//! functions check them. The bounds on element type and device are only on the methods that decompose, so the compiler reports an unmet
//! bound once.

use super::{FactorSpec, Factorisation, TermOf};
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Copy, Device, Gemm};
use crate::einsum::{EinsumOperand, Held, LabelledBy, ResultOf};
use crate::element::{Element, Scalar};
use crate::engine::contract::{Elements, Factor};
use crate::engine::decompose::truncation::Truncation;
use crate::engine::factorise::{Factorise, NewFactor};
use crate::error::{Error, fallible};
use crate::ops::decompose::Discarded;
use crate::order::Order;
use crate::rank::{AnyRank, Dim, MatrixStack, RemoveAxes};
use crate::tensor::Tensor;
use core::marker::PhantomData;

/// An operand whose axes have labels. Its type `H` is a [`Held`]. `E` is the number of axes that the ellipsis stands for, as a rank.
#[derive(Debug)]
#[must_use = "a factorisation is computed by a method of `Factors`"]
pub struct Labelled<'s, H, E> {
    spec: &'s FactorSpec<'s>,
    operand: H,
    marker: PhantomData<E>,
}

/// A [`Labelled`] operand whose factors have the ranks `L` and `R`.
#[derive(Debug)]
#[must_use = "a factorisation is computed when a method of it is called"]
pub struct Factors<'s, H, E, L, R> {
    labelled: Labelled<'s, H, E>,
    marker: PhantomData<(L, R)>,
}

/// The panic message if a const argument is wrong. The macros always pass the right ones.
const NOT_OF_THE_SPECIFICATION: &str = "cannot factorise: the operation or the numbers of labels do not match the \
    specification; use `svd!` or the macro of another factorisation, which ensures that they do";

/// An operand whose number of axes matches its term in the specification. The bound is on the operand, not on its rank, so the compiler's
/// message points to the operand.
pub trait TermOperand<const LABELS: usize, const ELLIPSIS: bool>: EinsumOperand {
    /// The number of axes that the ellipsis stands for, as a rank.
    type Ellipsis: Dim;
}

impl<X: EinsumOperand, const LABELS: usize, const ELLIPSIS: bool> TermOperand<LABELS, ELLIPSIS> for X
where
    X::Dim: LabelledBy<LABELS, ELLIPSIS>,
{
    type Ellipsis = <X::Dim as LabelledBy<LABELS, ELLIPSIS>>::Ellipsis;
}

/// Gives labels to the axes of an operand.
///
/// # Panics
/// If the const arguments do not match the specification.
#[inline(always)]
pub fn labelled<'s, const LABELS: usize, const ELLIPSIS: bool, X, T, D, E, O, Dev>(
    spec: &'s FactorSpec<'s>,
    _: TermOf<LABELS, ELLIPSIS>,
    operand: X,
) -> Labelled<'s, Held<X, T, O, Dev>, E>
where
    X: EinsumOperand<Element = T, Dim = D, Order = O, Device = Dev>,
    X: TermOperand<LABELS, ELLIPSIS, Ellipsis = E>,
    T: Element,
    D: Dim,
    E: Dim,
    O: Order,
    Dev: Device,
{
    assert!(spec.labels(0) == LABELS && spec.ellipsis() == ELLIPSIS, "{}", NOT_OF_THE_SPECIFICATION);
    Labelled { spec, operand: Held::new(operand), marker: PhantomData }
}

// Only `labelled` has the bound on the operand. If the `impl` blocks below repeated it, the compiler would report an unmet bound several
// times.
impl<'s, H, E: Dim> Labelled<'s, H, E> {
    /// Determines the ranks of the factors, which have `FIRST` and `SECOND` labels in addition to their ellipses.
    ///
    /// # Panics
    /// If the const arguments do not match the specification.
    #[inline(always)]
    pub fn factors<const FIRST: usize, const SECOND: usize, L, R>(self) -> Factors<'s, H, E, L, R>
    where
        E: ResultOf<FIRST, Result = L> + ResultOf<SECOND, Result = R>,
        L: Dim,
        R: Dim,
    {
        let of = self.spec;
        assert!(of.labels(1) == FIRST && of.labels(2) == SECOND, "{}", NOT_OF_THE_SPECIFICATION);
        Factors { labelled: self, marker: PhantomData }
    }
}

impl<'s, X, T: Element, O: Order, Dev: Device> Factors<'s, Held<X, T, O, Dev>, AnyRank, AnyRank, AnyRank> {
    /// Gives labels to the axes of an operand by a specification that is known at run time only.
    pub(crate) fn of_any_rank(spec: &'s FactorSpec<'s>, operand: X) -> Self
    where
        X: EinsumOperand<Element = T, Dim = AnyRank, Order = O, Device = Dev>,
    {
        Factors {
            labelled: Labelled { spec, operand: Held::new(operand), marker: PhantomData },
            marker: PhantomData,
        }
    }
}

/// `u`, the singular values and `vh`, and what a truncation discards.
type Truncated<T, L, V, R, M, O, Dev> = (
    Tensor<T, L, O, Dev>,
    Tensor<<T as Scalar>::Magnitude, V, O, Dev>,
    Tensor<T, R, O, Dev>,
    Discarded<T, M, O, Dev>,
);

/// Returns a result as a tensor.
#[inline]
fn tensor<T: Element, D: Dim, O: Order, Dev: Device>(made: NewFactor<T, Dev>) -> Tensor<T, D, O, Dev> {
    let shape = made.layout.typed_shape::<D>();
    Tensor::contiguous(made.data.buffer, shape, made.data.device)
}

impl<X, T: Element, O: Order, Dev: Device, E: Dim, L: Dim, R: Dim> Factors<'_, Held<X, T, O, Dev>, E, L, R> {
    /// Calls `run` with the operand and the specification, which must be a specification of `factorisation`.
    fn with<U>(
        &self,
        factorisation: Factorisation,
        run: impl FnOnce(Factorise<'_, T, Dev>) -> Result<U, Error>,
    ) -> Result<U, Error> {
        let Labelled { spec, operand, .. } = &self.labelled;
        assert!(spec.factorisation() == factorisation, "{}", NOT_OF_THE_SPECIFICATION);
        let (Factor(Elements::Same(operand)), device) = operand.get() else {
            unreachable!("the only operand determines the element type")
        };
        spec.check_rank(operand.operand.shape().len())?;
        run(Factorise { spec, row_major: O::ROW_MAJOR, device, operand })
    }

    /// Returns `u`, the singular values and `vh`.
    ///
    /// # Errors
    /// * If the truncation has an invalid number, or the ellipsis stands for too many axes.
    /// * If an element is NaN or infinite, or the iteration does not converge.
    /// * If an allocation fails, or the device reports an error.
    ///
    /// # Panics
    /// If the specification is for another factorisation.
    #[fallible]
    pub fn svd<V: Dim>(
        self,
        truncation: Truncation,
    ) -> (Tensor<T, L, O, Dev>, Tensor<T::Magnitude, V, O, Dev>, Tensor<T, R, O, Dev>)
    where
        T: LinalgElement,
        E: ResultOf<1, Result = V>,
        Dev: Decompose<T> + Copy<T>,
    {
        let (u, s, vh) = self.with(Factorisation::Svd, |of| of.svd(truncation))?;
        Ok((tensor(u), tensor(s), tensor(vh)))
    }

    /// Returns `u`, the singular values and `vh`, and what the truncation discards.
    ///
    /// # Errors
    /// Those of [`try_svd`](Factors::try_svd).
    ///
    /// # Panics
    /// If the specification is for another factorisation.
    #[fallible]
    pub fn svd_truncated<V: Dim, M>(self, truncation: Truncation) -> Truncated<T, L, V, R, M, O, Dev>
    where
        T: LinalgElement,
        E: ResultOf<1, Result = V> + ResultOf<2, Result = M>,
        M: MatrixStack + RemoveAxes<2, Removed = E>,
        Dev: Decompose<T> + Copy<T>,
    {
        let ((u, s, vh), [weight, share]) =
            self.with(Factorisation::Svd, |of| of.svd_truncated(truncation))?;
        let discarded = Discarded { weight: tensor(weight), share: tensor(share) };
        Ok((tensor(u), tensor(s), tensor(vh), discarded))
    }

    /// Returns `q` and `r`.
    ///
    /// # Errors
    /// * If the ellipsis stands for too many axes.
    /// * If an element is NaN or infinite.
    /// * If an allocation fails, or the device reports an error.
    ///
    /// # Panics
    /// If the specification is for another factorisation.
    #[fallible]
    pub fn qr(self) -> (Tensor<T, L, O, Dev>, Tensor<T, R, O, Dev>)
    where
        T: LinalgElement,
        Dev: Decompose<T> + Copy<T>,
    {
        let [q, r] = self.with(Factorisation::Qr, |of| of.qr())?;
        Ok((tensor(q), tensor(r)))
    }

    /// Returns `l` and `q`.
    ///
    /// # Errors
    /// As [`try_qr`](Factors::try_qr).
    ///
    /// # Panics
    /// If the specification is for another factorisation.
    #[fallible]
    pub fn lq(self) -> (Tensor<T, L, O, Dev>, Tensor<T, R, O, Dev>)
    where
        T: LinalgElement,
        Dev: Decompose<T> + Copy<T>,
    {
        let [l, q] = self.with(Factorisation::Lq, |of| of.lq())?;
        Ok((tensor(l), tensor(q)))
    }

    /// Returns the eigenvalues and the eigenvectors.
    ///
    /// # Errors
    /// * If the ellipsis stands for too many axes, or the matrices are not square.
    /// * If an element is NaN or infinite, or the iteration does not converge.
    /// * If an allocation fails, or the device reports an error.
    ///
    /// # Panics
    /// If the specification is for another factorisation.
    #[fallible]
    pub fn eigh<V: Dim>(self) -> (Tensor<T::Magnitude, V, O, Dev>, Tensor<T, L, O, Dev>)
    where
        T: LinalgElement,
        E: ResultOf<1, Result = V>,
        Dev: Decompose<T> + Copy<T>,
    {
        let (w, v) = self.with(Factorisation::Eigh, |of| of.eigh())?;
        Ok((tensor(w), tensor(v)))
    }

    /// Returns `u` and `p`.
    ///
    /// # Errors
    /// * If the ellipsis stands for too many axes.
    /// * If an element is NaN or infinite, or the iteration does not converge.
    /// * If an allocation fails, or the device reports an error.
    ///
    /// # Panics
    /// If the specification is for another factorisation.
    #[fallible]
    pub fn polar(self) -> (Tensor<T, L, O, Dev>, Tensor<T, R, O, Dev>)
    where
        T: LinalgElement,
        Dev: Decompose<T> + Copy<T> + Gemm<T>,
    {
        let [u, p] = self.with(Factorisation::Polar, |of| of.polar())?;
        Ok((tensor(u), tensor(p)))
    }
}
