//! Iterative methods for operators that are given as a closure: eigenpairs, linear systems and matrix exponentials.
//!
//! The vectors of an operator are tensors of any rank. Internally they are of rank 1 and in row-major order, which moves no element, so the
//! methods are compiled once for each element type and device. The basis of a Krylov space is one tensor with a vector in each row:
//! orthogonalising against it is two products of matrices and vectors. Small projected problems are solved on the host.

#![forbid(unsafe_code)]

mod arnoldi;
mod basis;
mod cg;
mod davidson;
mod expm;
mod gmres;
mod lanczos;
mod linear;
mod minres;
mod operator;
mod options;
mod projected;
mod randomized;
mod vector;

pub use arnoldi::{Arnoldi, arnoldi, try_arnoldi};
pub use cg::{cg, try_cg};
pub use davidson::{davidson, try_davidson};
pub use expm::{Exponential, expm_multiply, try_expm_multiply};
pub use gmres::{gmres, try_gmres};
pub use lanczos::{Eigenpairs, lanczos, try_lanczos};
pub use linear::Solution;
pub use minres::{minres, try_minres};
pub use options::{Iteration, Krylov};
pub use randomized::{RandomizedSvd, SingularTriplets, randomized_svd, try_randomized_svd};
