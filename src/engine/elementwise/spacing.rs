//! The distances between points along an axis, for integrals and gradients.

use crate::device::Cpu;
use crate::element::RealFloat;
use crate::error::Error;
use crate::layout::axes::Axes;
use crate::order::Order;
use crate::rank::Rank;
use crate::storage::Storage;
use crate::tensor::Tensor;
use std::borrow::Cow;

/// The positions of points along an axis. Methods take `impl Into<Spacing>`: the distance between neighbouring points, or the coordinate of
/// each point.
///
/// ```
/// use vierbein::{Spacing, tensor};
/// let y = tensor![0.0, 1.0, 4.0];
/// assert_eq!(y.trapezoid(0, 0.5).item(), 1.5);
/// assert_eq!(y.trapezoid(0, &[0.0, 1.0, 1.5]).item(), 1.75);
/// assert_eq!(y.trapezoid(0, &tensor![0.0, 1.0, 1.5]).item(), 1.75);
/// assert_eq!(y.trapezoid(0, Spacing::Uniform(0.5)).item(), 1.5);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Spacing<'a, T: Clone> {
    /// The same distance between all neighbouring points.
    Uniform(T),
    /// The coordinate of each point.
    At(Cow<'a, [T]>),
}

impl<T: Clone> From<T> for Spacing<'_, T> {
    fn from(distance: T) -> Self {
        Spacing::Uniform(distance)
    }
}
impl<'a, T: Clone> From<&'a [T]> for Spacing<'a, T> {
    fn from(coordinates: &'a [T]) -> Self {
        Spacing::At(coordinates.into())
    }
}
impl<'a, T: Clone, const N: usize> From<&'a [T; N]> for Spacing<'a, T> {
    fn from(coordinates: &'a [T; N]) -> Self {
        Spacing::At(coordinates[..].into())
    }
}
impl<'a, T: Clone> From<&'a Vec<T>> for Spacing<'a, T> {
    fn from(coordinates: &'a Vec<T>) -> Self {
        Spacing::At(coordinates[..].into())
    }
}
impl<'a, T: RealFloat, O: Order, S: Storage<T, Cpu>> From<&'a Tensor<T, Rank<1>, O, Cpu, S>>
    for Spacing<'a, T>
{
    /// Returns the elements as coordinates. They are copied if the tensor is a view that is not contiguous.
    fn from(coordinates: &'a Tensor<T, Rank<1>, O, Cpu, S>) -> Self {
        Spacing::At(match coordinates.try_as_slice() {
            Ok(slice) => slice.into(),
            Err(_) => coordinates.iter().copied().collect::<Vec<T>>().into(),
        })
    }
}

/// Halves of the distances between neighbouring points: half of a difference is in range for all coordinates.
#[derive(Debug, Clone)]
pub(crate) enum Halves<T> {
    /// Half of the distance between all neighbouring points.
    Uniform(T),
    /// For each pair of neighbouring points, half of their distance.
    Each(Vec<T>),
}

impl<T> Halves<T> {
    /// Converts the numbers by `f`.
    pub(crate) fn map<U>(self, f: impl Fn(T) -> U) -> Halves<U> {
        match self {
            Halves::Uniform(half) => Halves::Uniform(f(half)),
            Halves::Each(halves) => Halves::Each(halves.into_iter().map(f).collect()),
        }
    }
}

impl<T: RealFloat> Spacing<'_, T> {
    /// Returns halves of the distances along an axis.
    ///
    /// # Errors
    /// If the axis is out of range, or its extent differs from the number of coordinates.
    pub(crate) fn halves(&self, op: &'static str, axes: Axes<'_>, axis: usize) -> Result<Halves<T>, Error> {
        axes.check_axis(op, axis)?;
        let half = T::from_f64(0.5);
        let coordinates = match self {
            Spacing::Uniform(distance) => return Ok(Halves::Uniform(*distance * half)),
            Spacing::At(coordinates) => coordinates,
        };
        let shape = axes.shape();
        if coordinates.len() != shape[axis] {
            let reason = format!(
                "there are {} coordinates for axis {axis} of shape {shape:?}; give one for each of its {} indices",
                coordinates.len(),
                shape[axis]
            );
            return Err(Error::Argument { op, reason });
        }
        Ok(Halves::Each(coordinates.windows(2).map(|pair| pair[1] * half - pair[0] * half).collect()))
    }
}
