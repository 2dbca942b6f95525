//! Linear algebra of typed tensors: decompositions and linear systems.

mod adjoint;
mod eig;
mod eigh;
mod exponential;
mod hermitian;
mod inverse;
mod least_squares;
mod lu;
mod matrix_functions;
mod orthogonal;
mod qr;
mod solve;
mod stack;
mod svd;
mod truncation;

pub use lu::Lu;
pub use svd::Svd;
pub use truncation::Discarded;

/// Functions of matrices with a merged batch, which dynamic tensors call too.
pub(crate) mod stacks {
    pub(crate) use super::eig::{eig, eigvals, schur};
    pub(crate) use super::exponential::expm;
    pub(crate) use super::hermitian::{GENERALIZED, check_pair, eigh_generalized, hermitian_map_f64};
    pub(crate) use super::inverse::{det, inv, matrix_power, slogdet};
    pub(crate) use super::least_squares::{
        LSTSQ, cond, matrix_rank, nuclear_norm, null_space, orth, pinv, pseudo_inverse_factors, spectral_norm,
    };
    pub(crate) use super::lu::{cholesky, lu};
    pub(crate) use super::matrix_functions::{logm, sqrtm};
    pub(crate) use super::orthogonal::{lq, polar, qr_complete, rq};
    pub(crate) use super::stack::own_extents;
    pub(crate) use super::truncation::svd_truncated;
}

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
