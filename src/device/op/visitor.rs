//! A function of a reduction that treats sums as a special case.

use super::Reduction;
use crate::element::{Element, Scalar};

/// A function that [`Reduction::visit`] calls. Devices use it to compute sums with kernels that are compiled in this crate.
///
/// No other crate has a value of `Result`, so each implementation of `visit` must call one of the functions. `unsafe` code can rely on it.
pub trait ReductionVisitor<T: Element> {
    /// The arguments besides the reduction, for a result of type `U`.
    type Arguments<U: Element>;
    /// What the function returns, for a result of type `U`.
    type Result<U: Element>;
    /// The function of [`Sum`](super::reduction::Sum).
    fn sum(arguments: Self::Arguments<T>) -> Self::Result<T>
    where
        T: Scalar;
    /// The function of any reduction.
    fn any<R: Reduction<T>>(op: &R, arguments: Self::Arguments<R::Output>) -> Self::Result<R::Output>;
}
