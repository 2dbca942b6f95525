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
