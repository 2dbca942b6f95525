//! Operands of contractions: those of the caller ([`Factor`]), and those of one step ([`Input`]), which are given or intermediates.
//! Operands of a complex contraction may be real. They then carry the functions that contract them ([`RealProducts`]), which `mixed.rs`
//! instantiates.

use super::labelled::{LabelExtents, Labelled};
use crate::device::{Device, MatrixOperand, Operand, Output, Scaling};
use crate::element::{Element, Scalar};
use crate::error::Error;
use crate::layout::Layout;
use crate::layout::axes::Axes;
use crate::storage::OwnedData;
use core::fmt::Debug;

/// An operand of a contraction whose result has elements of `T`.
#[derive(Debug)]
pub struct Factor<'a, T: Element, Dev: Device>(pub(crate) Elements<'a, T, Dev>);

/// The elements of a [`Factor`].
#[derive(Debug)]
pub(crate) enum Elements<'a, T: Element, Dev: Device> {
    Same(MatrixOperand<'a, T, Dev>),
    /// Real numbers beside complex `T`.
    Real(Operand<'a, T::Part, Dev>, &'static RealProducts<T, Dev>),
}

impl<T: Element, Dev: Device> Clone for Factor<'_, T, Dev> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element, Dev: Device> Copy for Factor<'_, T, Dev> {}

impl<T: Element, Dev: Device> Clone for Elements<'_, T, Dev> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element, Dev: Device> Copy for Elements<'_, T, Dev> {}

impl<'a, T: Element, Dev: Device, X: Into<MatrixOperand<'a, T, Dev>>> From<X> for Factor<'a, T, Dev> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from(factor: X) -> Self {
        Factor(Elements::Same(factor.into()))
    }
}

impl<'a, T: Element, Dev: Device> Factor<'a, T, Dev> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn axes(&self) -> Axes<'a> {
        match &self.0 {
            Elements::Same(factor) => factor.operand.axes(),
            Elements::Real(operand, _) => operand.axes(),
        }
    }
}

impl<'a, T: Element, Dev: Device> Factor<'a, T, Dev> {
    /// Returns an operand with the given axes, whose first element is `offset` elements after this operand's: see [`Operand::with_axes`].
    ///
    /// # Panics
    /// If the axes address elements outside of this operand.
    pub(crate) fn with_axes<'b>(self, axes: Axes<'b>, offset: isize) -> Factor<'b, T, Dev>
    where
        'a: 'b,
    {
        Factor(match self.0 {
            Elements::Same(MatrixOperand { operand, conjugate }) => {
                Elements::Same(MatrixOperand { operand: operand.with_axes(axes, offset), conjugate })
            }
            Elements::Real(operand, products) => Elements::Real(operand.with_axes(axes, offset), products),
        })
    }
}

/// Elements: borrowed from the caller, or in a buffer that this module allocated.
pub(super) enum Data<'a, T: Element, Dev: Device> {
    Given(Operand<'a, T, Dev>),
    Made(OwnedData<T, Dev>),
}

/// The elements of an [`Input`].
pub(super) enum OperandSource<'a, T: Element, Dev: Device> {
    Same(Data<'a, T, Dev>),
    /// Real numbers beside complex `T`.
    Real(Data<'a, T::Part, Dev>, &'static RealProducts<T, Dev>),
}

/// A given operand or an intermediate. The axes have labels.
pub(crate) struct Input<'a, T: Element, Dev: Device> {
    pub(super) source: OperandSource<'a, T, Dev>,
    pub(super) axes: Labelled,
    pub(super) conjugate: bool,
}

impl<'a, T: Element, Dev: Device> Input<'a, T, Dev> {
    pub(crate) fn given(given: Factor<'a, T, Dev>, axes: Labelled) -> Self {
        match given.0 {
            Elements::Same(MatrixOperand { operand, conjugate }) => {
                Input { source: OperandSource::Same(Data::Given(operand)), axes, conjugate }
            }
            Elements::Real(operand, products) => {
                Input { source: OperandSource::Real(Data::Given(operand), products), axes, conjugate: false }
            }
        }
    }

    pub(super) fn made(made: OwnedData<T, Dev>, axes: Labelled) -> Self {
        Input { source: OperandSource::Same(Data::Made(made)), axes, conjugate: false }
    }

    /// Returns whether the elements are real numbers beside complex `T`.
    pub(super) fn is_real(&self) -> bool {
        matches!(self.source, OperandSource::Real(..))
    }

    pub(super) fn operand<'b>(&'b self, layout: &'b Layout) -> Operand<'b, T, Dev> {
        match &self.source {
            OperandSource::Same(Data::Given(operand)) => operand.in_layout(layout),
            OperandSource::Same(Data::Made(data)) => data.operand(layout),
            OperandSource::Real(..) => {
                unreachable!("`two` contracts real operands by functions of `mixed.rs`")
            }
        }
    }

    pub(super) fn factor<'b>(&'b self, layout: &'b Layout) -> MatrixOperand<'b, T, Dev> {
        MatrixOperand { operand: self.operand(layout), conjugate: self.conjugate }
    }
}

/// The contraction of a complex operand of `T` and a real one of `R`, with the arguments of [`two`](super::two).
type Mixed<T, R, Dev> = fn(
    &Dev,
    Input<'_, T, Dev>,
    Input<'_, R, Dev>,
    Scaling<T>,
    Output<'_, T, Dev>,
    &Labelled,
    &LabelExtents,
) -> Result<(), Error>;

/// The contraction of two operands of `T` into a new buffer, whose axes have these labels.
type IntoNew<T, Dev> = fn(
    &Dev,
    Input<'_, T, Dev>,
    Input<'_, T, Dev>,
    &[u8],
    &LabelExtents,
) -> Result<(OwnedData<T, Dev>, Labelled), Error>;

/// Functions of real operands beside operands of complex `T`.
///
/// Factors carry them, because the callers of contractions have no bound that ensures that the device contracts real numbers.
#[derive(Debug)]
pub(crate) struct RealProducts<T: Element, Dev: Device> {
    pub(super) mixed: Mixed<T, T::Part, Dev>,
    pub(super) real: IntoNew<T::Part, Dev>,
    /// Returns the operand as contiguous complex numbers, in row-major order.
    pub(crate) widened: fn(&Dev, Operand<'_, T::Part, Dev>) -> Result<OwnedData<T, Dev>, Error>,
}

impl<T: Scalar, Dev: Device> RealProducts<T, Dev> {
    /// Writes the contraction of a complex operand and a real one to `out`. Each is given with the labels of its axes.
    pub(crate) fn write(
        &self,
        device: &Dev,
        (z, of_z): (MatrixOperand<'_, T, Dev>, Labelled),
        (x, of_x): (Operand<'_, T::Part, Dev>, Labelled),
        (out, c): (Output<'_, T, Dev>, Labelled),
        extents: &LabelExtents,
    ) -> Result<(), Error> {
        let (z, x) = (Input::given(z.into(), of_z), Input::given(x.into(), of_x));
        (self.mixed)(device, z, x, Scaling::overwrite(), out, &c, extents)
    }
}

/// Contracts two operands, one of them real. `c` contains the axes of `out`.
#[inline(never)]
pub(super) fn with_real<T: Element, Dev: Device>(
    device: &Dev,
    a: Input<'_, T, Dev>,
    b: Input<'_, T, Dev>,
    scaling: Scaling<T>,
    out: Output<'_, T, Dev>,
    c: &Labelled,
    extents: &LabelExtents,
) -> Result<(), Error> {
    let (z, x, products) = match (a.source, b.source) {
        (OperandSource::Same(z), OperandSource::Real(x, products)) => {
            (Input { source: OperandSource::Same(z), ..a }, numbers(x, b.axes), products)
        }
        (OperandSource::Real(x, products), OperandSource::Same(z)) => {
            (Input { source: OperandSource::Same(z), ..b }, numbers(x, a.axes), products)
        }
        _ => unreachable!("exactly one operand of the last product of a contraction is real"),
    };
    (products.mixed)(device, z, x, scaling, out, c, extents)
}

/// Contracts two real operands into a new buffer, whose axes have these labels.
pub(super) fn two_real<'a, T: Element, Dev: Device>(
    device: &Dev,
    a: Input<'_, T, Dev>,
    b: Input<'_, T, Dev>,
    labels: &[u8],
    extents: &LabelExtents,
) -> Result<Input<'a, T, Dev>, Error> {
    let (OperandSource::Real(x, products), OperandSource::Real(y, _)) = (a.source, b.source) else {
        unreachable!("both operands are real")
    };
    let (x, y) = (numbers(x, a.axes), numbers(y, b.axes));
    let (made, axes) = (products.real)(device, x, y, labels, extents)?;
    Ok(Input { source: OperandSource::Real(Data::Made(made), products), axes, conjugate: false })
}

/// Returns elements as an input of their own type.
fn numbers<R: Element, Dev: Device>(data: Data<'_, R, Dev>, axes: Labelled) -> Input<'_, R, Dev> {
    Input { source: OperandSource::Same(data), axes, conjugate: false }
}
