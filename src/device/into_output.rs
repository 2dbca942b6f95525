//! Computations that write an output, as types whose methods are always inlined.
//!
//! The compiler does not inline a closure that two callers share. If the computation is not inlined, a result of rank 0 is
//! allocated on the heap even if it is read and dropped at once, as in `x.sum().item()`.

use super::{Device, Operand, Output, Reduce, Reduction, wide};
use crate::element::Element;
use crate::error::Error;
use crate::rank::Dim;
use core::marker::PhantomData;

/// A computation of all elements of an output.
pub trait IntoOutput<T: Element, Dev: Device> {
    /// Writes every element of the output.
    ///
    /// # Errors
    /// If the device reports an error, or a value is undefined or not representable; the output then has unspecified elements.
    fn write(self, out: Output<'_, T, Dev>, device: &Dev) -> Result<(), Error>;
}

/// A computation that calls a closure.
pub(crate) struct By<F>(pub(crate) F);

impl<T: Element, Dev: Device, F: FnOnce(Output<'_, T, Dev>, &Dev) -> Result<(), Error>> IntoOutput<T, Dev>
    for By<F>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write(self, out: Output<'_, T, Dev>, device: &Dev) -> Result<(), Error> {
        self.0(out, device)
    }
}

/// A reduction of the trailing axes of an operand, which is a tensor of rank `D` or has fewer axes.
pub(crate) struct Reduced<'a, T: Element, Dev: Device, R, D> {
    op: R,
    from: Operand<'a, T, Dev>,
    rank: PhantomData<D>,
}

impl<'a, T: Element, Dev: Device, R, D> Reduced<'a, T, Dev, R, D> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(op: R, from: Operand<'a, T, Dev>) -> Self {
        Reduced { op, from, rank: PhantomData }
    }
}

impl<T: Element, Dev: Reduce<T>, R: Reduction<T>, D: Dim> IntoOutput<R::Output, Dev>
    for Reduced<'_, T, Dev, R, D>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write(self, out: Output<'_, R::Output, Dev>, device: &Dev) -> Result<(), Error> {
        wide::reduce::<D, _, _, _>(&self.op, device, out, self.from)
    }
}
