//! Linear algebra of typed tensors: decompositions and linear systems.

mod adjoint;
pub(crate) mod balance;
mod conserved;
mod eig;
mod eigh;
mod exponential;
mod hermitian;
mod inverse;
mod ldl;
mod least_squares;
mod lu;
mod matrix_functions;
mod orthogonal;
mod polynomial;
mod ranks;
mod solve;
mod stack;
mod svd;
mod truncation;

pub use ldl::Ldl;
pub use lu::Lu;
pub use solve::SolveRanks;
pub use svd::Svd;
pub use truncation::Discarded;

/// Functions of stacks: batches of matrices whose batch axes are merged into one axis. Dynamic tensors call these functions too.
pub(crate) mod stacks {
    pub(crate) use super::eig::{eig, eigvals, schur};
    pub(crate) use super::eigh::{eigh, eigvalsh};
    pub(crate) use super::exponential::expm;
    pub(crate) use super::hermitian::{GENERALIZED, check_pair, eigh_generalized, hermitian_map_f64};
    pub(crate) use super::inverse::{det, inv, matrix_power, slogdet};
    pub(crate) use super::ldl::ldl;
    pub(crate) use super::least_squares::{LSTSQ, lstsq_with};
    pub(crate) use super::lu::{cholesky, lu};
    pub(crate) use super::matrix_functions::{logm, sqrtm};
    pub(crate) use super::orthogonal::{lq, polar, qr, qr_complete, rq};
    pub(crate) use super::ranks::{
        Negligible, cond, matrix_rank, matrix_rank_above, matrix_rank_with, nuclear_norm, null_space,
        null_space_with, orth, orth_with, pinv, pinv_with, pseudo_inverse_factors, spectral_norm,
    };
    pub(crate) use super::stack::own_extents;
    pub(crate) use super::svd::{singular_values, svd, svd_full};
    pub(crate) use super::truncation::svd_truncated;
}
