//! Linear algebra of typed tensors: decompositions and linear systems.

mod eigh;
mod qr;
mod svd;

pub use svd::Svd;

use crate::engine::linalg::arrange;
use crate::layout::axes::{Axes, AxesMut};
use crate::order::Order;
use crate::rank::Dim;

/// The axes of a tensor in the order that devices expect: those of the batch first.
struct Arranged<D: Dim> {
    shape: D::Shape,
    strides: D::Strides,
}

impl<D: Dim> Arranged<D> {
    /// Arranges the axes of a tensor of memory order `O`, of which `kept` are those of a matrix (2) or of a vector (1).
    fn new<O: Order>(axes: Axes<'_>, kept: usize) -> Self {
        let (mut shape, mut strides) = (D::Shape::default(), D::Strides::default());
        arrange(O::ROW_MAJOR, axes, kept, AxesMut::new(shape.as_mut(), strides.as_mut()));
        Arranged { shape, strides }
    }

    fn axes(&self) -> Axes<'_> {
        Axes::new(self.shape.as_ref(), self.strides.as_ref())
    }
}
