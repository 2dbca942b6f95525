//! Linear algebra (feature `linalg`): decompositions of matrices and batches of matrices, and solutions of linear systems.
//!
//! | method | result |
//! |---|---|
//! | [`svd`](crate::Tensor::svd), [`svd_full`](crate::Tensor::svd_full) | `a = u · s · vh`, singular values in descending order |
//! | [`svd_truncated`](crate::Tensor::svd_truncated) | the largest singular values with their vectors, by a [`Truncation`] |
//! | [`singular_values`](crate::Tensor::singular_values) | the singular values alone |
//! | [`eigh`](crate::Tensor::eigh) | `a = v · w · vᴴ` of Hermitian matrices, eigenvalues in ascending order |
//! | [`eigvalsh`](crate::Tensor::eigvalsh) | the eigenvalues alone |
//! | [`eigh_generalized`](crate::Tensor::eigh_generalized) | `a · v = b · v · w` of Hermitian and positive definite matrices |
//! | [`hermitian_map`](crate::Tensor::hermitian_map) | `v · f(w) · vᴴ`, a function of a Hermitian matrix |
//! | [`eig`](crate::Tensor::eig), [`eigvals`](crate::Tensor::eigvals) | `a · v = v · w` of any square matrix, with complex results |
//! | [`schur`](crate::Tensor::schur) | `a = z · t · zᴴ` |
//! | [`qr`](crate::Tensor::qr), [`qr_complete`](crate::Tensor::qr_complete) | `a = q · r` |
//! | [`lq`](crate::Tensor::lq), [`rq`](crate::Tensor::rq) | `a = l · q`, `a = r · q` |
//! | [`polar`](crate::Tensor::polar) | `a = u · p` |
//! | [`lu`](crate::Tensor::lu) | `l · u`, and the order of the rows |
//! | [`cholesky`](crate::Tensor::cholesky) | `a = l · lᴴ` of positive definite matrices |
//! | [`ldl`](crate::Tensor::ldl) | `l · d · lᴴ` of Hermitian matrices, and the order of the rows and columns |
//! | [`solve`](crate::Tensor::solve), [`solve_as`](crate::Tensor::solve_as) | `x` with `a · x = b`, for general, positive definite, Hermitian and triangular matrices |
//! | [`lstsq`](crate::Tensor::lstsq), [`pinv`](crate::Tensor::pinv) | least squares, the pseudo-inverse |
//! | [`inv`](crate::Tensor::inv), [`matrix_power`](crate::Tensor::matrix_power) | the inverse, powers with integer exponents |
//! | [`det`](crate::Tensor::det), [`slogdet`](crate::Tensor::slogdet) | the determinant, its sign and logarithm |
//! | [`expm`](crate::Tensor::expm), [`sqrtm`](crate::Tensor::sqrtm), [`logm`](crate::Tensor::logm) | the exponential, the principal square root and logarithm |
//! | [`matrix_rank`](crate::Tensor::matrix_rank), [`null_space`](crate::Tensor::null_space), [`orth`](crate::Tensor::orth) | the rank, bases of the null space and of the column space |
//! | [`pinv_with`](crate::Tensor::pinv_with), [`lstsq_with`](crate::Tensor::lstsq_with), [`matrix_rank_with`](crate::Tensor::matrix_rank_with), [`matrix_rank_above`](crate::Tensor::matrix_rank_above), .. | the same, with a choice of the singular values that count as 0 |
//! | [`cond`](crate::Tensor::cond), [`nuclear_norm`](crate::Tensor::nuclear_norm), [`spectral_norm`](crate::Tensor::spectral_norm) | the condition number, the sum of the singular values, the largest singular value |
//! | [`adjoint`](crate::Tensor::adjoint) | the conjugate transpose |
//!
//! Iterative methods take an operator as a closure over tensors of any rank, memory order and device, and never need its matrix:
//!
//! | function | result |
//! |---|---|
//! | [`lanczos`], [`davidson`] | the lowest or highest few eigenvalues and eigenvectors of a Hermitian operator |
//! | [`eigs`] | a few eigenvalues and right eigenvectors of any operator, for example the largest ones |
//! | [`cg`], [`minres`], [`gmres`] | the solution of a linear system with a positive definite, a Hermitian or any operator, respectively |
//! | [`cg_preconditioned`], [`minres_preconditioned`], [`gmres_preconditioned`] | the same in fewer steps, with a preconditioner |
//! | [`davidson_preconditioned`] | eigenpairs, with an approximate inverse of `A − λ` as a preconditioner |
//! | [`arnoldi`] | the projection of any operator on a Krylov space |
//! | [`expm_multiply`] | the exponential of an operator, times a tensor |
//! | [`randomized_svd`] | the largest singular values of an operator, and their vectors |
//!
//! The closures return a new tensor. The closures of functions named `try_..` return a `Result`. The closures of functions named `.._into`
//! write to a given tensor, so that a step allocates no tensor:
//!
//! ```
//! use vierbein::linalg::{Iteration, cg_into};
//! use vierbein::tensor;
//! let a = tensor![[4.0, 1.0], [1.0, 3.0]];
//! let solution = cg_into(|x, y| a.try_matmul_into(&x, y), &tensor![1.0, 2.0], Iteration::new())?;
//! assert!(solution.x.all_close(&tensor![1.0 / 11.0, 7.0 / 11.0], 1e-10, 0.0));
//! # Ok::<(), vierbein::Error>(())
//! ```
//!
//! * **Matrices.** As in [`matmul`](crate::Tensor::matmul), the memory order determines which axes are the matrix: the last two axes in
//!   row-major order, the first two in column-major order. The other axes are a batch, and each matrix of the batch is decomposed.
//! * **Batches of small matrices.** On the host, [`svd`](crate::Tensor::svd) and [`eigh`](crate::Tensor::eigh) decompose several matrices of
//!   a batch at once, which takes 0.2 to 0.7 times as long as one by one. The matrices may have up to 24 columns (`f32`), 20 (`f64`), 16
//!   (`c32`) or 12 (`c64`), and the batch at least as many matrices as elements have room in 64 bytes. The results of a matrix do not
//!   depend on the other matrices. Their last bits can differ from those of the same matrix alone.
//! * **Signs and phases.** Singular vectors and eigenvectors are determined up to a sign or a phase. vierbein makes one element of each
//!   vector real and positive: the first whose magnitude is at least 0.99 times the largest. So results do not depend on the memory
//!   order, the device or the number of threads. If singular values or eigenvalues are equal, or differ by less than about 10⁻⁸ of the
//!   largest one, only the space that their vectors span is determined.
//! * **Scaling.** Matrices and operators are scaled by powers of two before they are decomposed, so results do not depend on units: if a
//!   matrix is multiplied by a power of two, most results have the same bits, except for their exponents. The tests allow other results a
//!   difference of a few times the machine epsilon times the largest element of the result, for well-conditioned matrices and powers from
//!   2⁻¹⁰⁰⁰ to 2¹⁰⁰⁰ (of `f32` from 2⁻¹²⁰ to 2¹²⁰): 8 for `inv`, `matrix_power`, `solve`, `solve_as`, `pinv` and `lstsq`, 400 for
//!   `eigh_generalized`, and 64 for the iterative methods. A result that exceeds the limits
//!   of its type is infinite; for `solve` and `inv`, it is an error. Singular values and eigenvalues have an error of about the machine
//!   epsilon times the largest one, so if a matrix has elements near both ends of the range, its smallest singular values are 0.
//! * **Errors.** A NaN or infinite element is an error, even if it is in a part of the matrix that the decomposition does not use.
//! * **Threads.** With the feature `rayon`, batches of small matrices are split between threads, and large matrices are computed by
//!   several threads. The bits of the results do not depend on the number of threads.
//! * **Devices.** On the host, the crate [faer](https://crates.io/crates/faer) computes the decompositions. On `Cuda`, cuSOLVER, if the
//!   dynamic loader finds it, computes `svd`, `eigh`, `qr`, `lu`, `cholesky`, and `solve` for general and positive definite matrices.
//!   cuBLAS solves triangular systems. Other devices compute on the host unless they override the methods of [`Decompose`].

pub use crate::device::family::decompose::{Decompose, LinalgElement, Structure};
pub use crate::dyn_tensor::{DynDiscarded, DynLdl, DynLu, DynSvd};
pub use crate::engine::decompose::truncation::Truncation;
pub use crate::krylov::{
    Arnoldi, ComplexEigenpairs, Eigenpairs, Exponential, Iteration, Krylov, RandomizedSvd, SingularTriplets,
    Solution, arnoldi, arnoldi_into, cg, cg_into, cg_preconditioned, cg_preconditioned_into, davidson,
    davidson_into, davidson_preconditioned, davidson_preconditioned_into, eigs, eigs_into, expm_multiply,
    expm_multiply_into, gmres, gmres_into, gmres_preconditioned, gmres_preconditioned_into, lanczos,
    lanczos_into, minres, minres_into, minres_preconditioned, minres_preconditioned_into, randomized_svd,
    try_arnoldi, try_cg, try_cg_preconditioned, try_davidson, try_davidson_preconditioned, try_eigs,
    try_expm_multiply, try_gmres, try_gmres_preconditioned, try_lanczos, try_minres,
    try_minres_preconditioned, try_randomized_svd,
};
pub use crate::ops::decompose::{Discarded, Ldl, Lu, SolveRanks, Svd};
