//! An operator as a closure over vectors, which counts its applications.

use super::vector::{Vector, flat, shaped};
use crate::device::{Backend, Device};
use crate::element::{Element, Inexact};
use crate::engine::same_instance;
use crate::error::Error;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use num_traits::Float;

/// A closure that returns its argument and the operator times its argument.
type Apply<'a, T, Dev> = dyn FnMut(Vector<T, Dev>) -> Result<[Vector<T, Dev>; 2], Error> + 'a;

/// An operator, and the number of its applications.
pub(super) struct Operator<'a, T: Element, Dev: Device> {
    pub(super) op: &'static str,
    apply: &'a mut Apply<'a, T, Dev>,
    pub(super) applications: usize,
    limit: usize,
}

impl<'a, T: Inexact, Dev: Backend<T>> Operator<'a, T, Dev> {
    pub(super) fn new(op: &'static str, limit: usize, apply: &'a mut Apply<'a, T, Dev>) -> Self {
        Operator { op, apply, applications: 0, limit }
    }

    /// Returns `[x, A·x]`.
    pub(super) fn apply(&mut self, x: Vector<T, Dev>) -> Result<[Vector<T, Dev>; 2], Error> {
        self.applications += 1;
        (self.apply)(x)
    }

    /// Returns whether fewer than this number of applications is left.
    pub(super) fn has_less_than(&self, applications: usize) -> bool {
        self.applications.saturating_add(applications) > self.limit
    }

    /// Checks a number that was computed from the result of the last application.
    ///
    /// # Errors
    /// [`Error::Argument`] if the number is NaN or infinite, because the result had such an element.
    pub(super) fn check_finite(&self, number: T::Magnitude) -> Result<(), Error> {
        if Float::is_finite(number) {
            return Ok(());
        }
        let reason = format!(
            "application {} of the operator returned a tensor with a NaN or infinite element, or with elements that are too large; \
             check the operator with `.is_finite()`",
            self.applications
        );
        Err(Error::Argument { op: self.op, reason })
    }
}

/// Returns an operator on vectors for an operator on tensors of this shape.
pub(super) fn on_vectors<'a, T, D, O, Dev>(
    op: &'static str,
    shape: D::Shape,
    mut apply: impl FnMut(TensorView<'_, T, D, O, Dev>) -> Result<Tensor<T, D, O, Dev>, Error> + 'a,
) -> impl FnMut(Vector<T, Dev>) -> Result<[Vector<T, Dev>; 2], Error> + 'a
where
    T: Element,
    D: Dim,
    O: Order,
    Dev: Device,
{
    move |x| {
        let x: Tensor<T, D, O, Dev> = shaped(x, shape);
        let y = apply(x.view())?;
        if y.shape() != shape {
            let (from, to) = (shape.as_ref(), y.shape());
            let reason = format!(
                "the operator maps shape {from:?} to shape {:?}; its result must have the shape of its argument",
                to.as_ref()
            );
            return Err(Error::Argument { op, reason });
        }
        same_instance(op, x.device(), y.device())?;
        Ok([flat(x), flat(y)])
    }
}

/// Returns the elements of a tensor that the caller gives, and their norm.
///
/// # Errors
/// [`Error::Argument`] if an element is NaN or infinite.
pub(super) fn given<T, D, O, Dev>(
    op: &'static str,
    what: &str,
    x: &Tensor<T, D, O, Dev>,
) -> Result<(Vector<T, Dev>, T::Magnitude), Error>
where
    T: Inexact,
    D: Dim,
    O: Order,
    Dev: Backend<T>,
{
    let x = flat(x.try_clone()?);
    let norm = super::vector::norm(&x)?;
    if Float::is_finite(norm) {
        return Ok((x, norm));
    }
    let reason = format!(
        "{what} has an element that is NaN or infinite, or elements that are too large; find them with `.is_finite()`"
    );
    Err(Error::Argument { op, reason })
}
