//! Iterative methods for operators that are given as a closure: eigenpairs, linear systems and matrix exponentials.
//!
//! The vectors of an operator are tensors of any rank and memory order. Internally, the buffer of each vector is used as a
//! row-major tensor of rank 1, without a copy. So the methods are compiled once for each element type and device, and not for each rank and
//! memory order. The basis of a Krylov space is one matrix with a vector in each row.
//! Each pass of an orthogonalisation against it is two matrix–vector products. Small projected problems are solved on the host.

#![forbid(unsafe_code)]

mod arnoldi;
mod basis;
mod cg;
mod davidson;
mod eigs;
mod expm;
mod gmres;
mod lanczos;
mod linear;
mod methods;
mod minres;
mod operator;
mod options;
mod projected;
mod randomized;
mod schur;
mod vector;

pub use arnoldi::{Arnoldi, arnoldi, arnoldi_into, try_arnoldi};
pub use cg::{cg, cg_into, cg_preconditioned, cg_preconditioned_into, try_cg, try_cg_preconditioned};
pub use davidson::{
    davidson, davidson_into, davidson_preconditioned, davidson_preconditioned_into, try_davidson,
    try_davidson_preconditioned,
};
pub use eigs::{ComplexEigenpairs, eigs, eigs_into, try_eigs};
pub use expm::{Exponential, expm_multiply, expm_multiply_into, try_expm_multiply};
pub use gmres::{
    gmres, gmres_into, gmres_preconditioned, gmres_preconditioned_into, try_gmres, try_gmres_preconditioned,
};
pub use lanczos::{Eigenpairs, lanczos, lanczos_into, try_lanczos};
pub use linear::Solution;
pub use minres::{
    minres, minres_into, minres_preconditioned, minres_preconditioned_into, try_minres,
    try_minres_preconditioned,
};
pub use options::{Iteration, Krylov};
pub use randomized::{RandomizedSvd, SingularTriplets, randomized_svd, try_randomized_svd};
