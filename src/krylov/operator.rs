//! Calls an operator and a preconditioner, which are closures over vectors, and counts the applications of the operator.
//!
//! If the first result of a closure is so large or so small that its fourth power is out of range, all results of this closure are divided by
//! a power of two. The methods compute with the scaled operator, and multiply their results by the power. So results do not depend on the
//! units of the operator.

use super::vector::{Vector, flat, inner, norm, shaped, times_power};
use crate::device::{Backend, Device};
use crate::element::{CastTo, Element, Inexact, RealScalar};
use crate::engine::same_instance;
use crate::error::Error;
use crate::ops::decompose::balance::extreme_exponent;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Tensor, TensorView};
use num_traits::{Float, Zero};

/// A closure over two vectors. It overwrites the second vector, whose elements are unspecified, with the image of the first one, and
/// returns both vectors.
pub(super) type Map<'a, T, Dev> = dyn FnMut([Vector<T, Dev>; 2]) -> Result<[Vector<T, Dev>; 2], Error> + 'a;

/// An operator, and the number of its applications.
pub(super) struct Operator<'a, T: Element, Dev: Device> {
    pub(super) op: &'static str,
    apply: &'a mut Map<'a, T, Dev>,
    preconditioner: Option<&'a mut Map<'a, T, Dev>>,
    pub(super) applications: usize,
    limit: usize,
    /// The exponent of the power of two by which the results of the operator are divided: see [`exponent`](Operator::exponent).
    scale: Scale,
    of_preconditioner: Scale,
}

/// The power of two by which the results of a closure are divided.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scale {
    /// `None` before the first result that is not zero.
    exponent: Option<i32>,
}

impl Scale {
    pub(super) fn exponent(self) -> i32 {
        self.exponent.unwrap_or(0)
    }

    /// Divides a result of the closure by the power, which is chosen for the first result.
    pub(super) fn divide<T: Inexact, Dev: Backend<T>>(
        &mut self,
        y: &mut Vector<T, Dev>,
    ) -> Result<(), Error> {
        let exponent = match self.exponent {
            Some(exponent) => exponent,
            None => {
                let size = norm(y)?;
                let exponent = extreme_exponent(size);
                self.exponent = (!size.is_zero()).then_some(exponent);
                exponent
            }
        };
        times_power(y, -exponent)
    }
}

impl<'a, T: Inexact, Dev: Backend<T>> Operator<'a, T, Dev> {
    pub(super) fn new(op: &'static str, limit: usize, apply: &'a mut Map<'a, T, Dev>) -> Self {
        let (scale, of_preconditioner) = (Scale::default(), Scale::default());
        Operator { op, apply, preconditioner: None, applications: 0, limit, scale, of_preconditioner }
    }

    pub(super) fn with_preconditioner(self, preconditioner: Option<&'a mut Map<'a, T, Dev>>) -> Self {
        Operator { preconditioner, ..self }
    }

    /// The exponent of the power of two by which the operator was divided.
    pub(super) fn exponent(&self) -> i32 {
        self.scale.exponent()
    }

    /// Returns `[x, A·x]` for the scaled operator `A`. `A·x` is written to the memory of `y`. In the first call, the norm of `x` should be
    /// about 1.
    pub(super) fn apply(&mut self, [x, y]: [Vector<T, Dev>; 2]) -> Result<[Vector<T, Dev>; 2], Error> {
        self.applications += 1;
        let [x, mut y] = (self.apply)([x, y])?;
        self.scale.divide(&mut y)?;
        Ok([x, y])
    }

    pub(super) fn is_preconditioned(&self) -> bool {
        self.preconditioner.is_some()
    }

    /// Returns `[r, M·r]` for the scaled preconditioner `M`. Without one, `M` is the identity.
    pub(super) fn precondition(
        &mut self,
        [r, mut z]: [Vector<T, Dev>; 2],
    ) -> Result<[Vector<T, Dev>; 2], Error> {
        if let Some(preconditioner) = &mut self.preconditioner {
            let [r, mut z] = preconditioner([r, z])?;
            self.of_preconditioner.divide(&mut z)?;
            return Ok([r, z]);
        }
        z.try_assign(&r)?;
        Ok([r, z])
    }

    /// Returns `[r, M·r]`, and the norm `√⟨r, M·r⟩`.
    ///
    /// # Errors
    /// [`Error::Argument`] if the preconditioner is found to be not positive definite.
    pub(super) fn weigh(
        &mut self,
        vectors: [Vector<T, Dev>; 2],
    ) -> Result<([Vector<T, Dev>; 2], T::Magnitude), Error> {
        let [r, z] = self.precondition(vectors)?;
        if !self.is_preconditioned() {
            let size = norm(&r)?;
            return Ok(([r, z], size));
        }
        let square: T::Magnitude = inner(&r, &z)?.re().cast_to();
        self.check_preconditioned(square)?;
        let zero = T::Magnitude::zero();
        if square < zero || square.is_zero() && norm(&r)? > zero {
            let reason = format!(
                "the preconditioner is not positive definite: `⟨r, M·r⟩` is {:.1e} for the residual `r` of application {}; use `gmres`",
                square.in_f64(),
                self.applications
            );
            return Err(Error::Argument { op: self.op, reason });
        }
        Ok(([r, z], Float::sqrt(square)))
    }

    /// Returns whether fewer than `applications` applications are left.
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

    /// Checks a number that was computed from a result of the preconditioner.
    ///
    /// # Errors
    /// [`Error::Argument`] if the number is NaN or infinite, because the result had such an element.
    pub(super) fn check_preconditioned(&self, number: T::Magnitude) -> Result<(), Error> {
        check_preconditioned(self.op, number)
    }
}

/// Checks a number that was computed from a result of the preconditioner.
///
/// # Errors
/// [`Error::Argument`] if the number is NaN or infinite.
pub(super) fn check_preconditioned<R: RealScalar + Float>(op: &'static str, number: R) -> Result<(), Error> {
    if Float::is_finite(number) {
        return Ok(());
    }
    let reason = "the preconditioner returned a tensor with a NaN or infinite element, or with elements that are too large; check it \
                  with `.is_finite()`";
    Err(Error::Argument { op, reason: reason.into() })
}

/// Converts a closure over tensors of this shape to a closure over vectors. `what` is the name of the closure in messages.
pub(super) fn on_vectors<'a, T: Element, D: Dim, O: Order, Dev: Device>(
    op: &'static str,
    what: &'static str,
    shape: D::Shape,
    mut apply: impl FnMut(TensorView<'_, T, D, O, Dev>, &mut Tensor<T, D, O, Dev>) -> Result<(), Error> + 'a,
) -> impl FnMut([Vector<T, Dev>; 2]) -> Result<[Vector<T, Dev>; 2], Error> + 'a {
    move |[x, y]| {
        let (x, mut y): (Tensor<T, D, O, Dev>, Tensor<T, D, O, Dev>) = (shaped(x, shape), shaped(y, shape));
        apply(x.view(), &mut y)?;
        // The closure may have replaced `y` by a tensor of another shape, or by one on another instance of the device.
        if y.shape() != shape {
            let (from, to) = (shape.as_ref(), y.shape());
            let reason = format!(
                "the {what} maps shape {from:?} to shape {:?}; its result must have the shape of its argument",
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
pub(super) fn given<T: Inexact, D: Dim, O: Order, Dev: Backend<T>>(
    op: &'static str,
    what: &str,
    x: &Tensor<T, D, O, Dev>,
) -> Result<(Vector<T, Dev>, T::Magnitude), Error> {
    let x = flat(x.try_clone()?);
    let norm = norm(&x)?;
    if Float::is_finite(norm) {
        return Ok((x, norm));
    }
    let reason = format!(
        "{what} has an element that is NaN or infinite, or elements that are too large; find them with `.is_finite()`"
    );
    Err(Error::Argument { op, reason })
}
