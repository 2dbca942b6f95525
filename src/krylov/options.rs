//! Options of iterative methods: tolerances and limits.

use crate::element::RealFloat;
use crate::error::Error;
use num_traits::Float;

/// The largest number of applications of the operator, unless the caller gives another.
const MAX_APPLICATIONS: usize = 10_000;

/// The eigenvalues that are requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Lowest,
    Highest,
    Largest,
}

impl End {
    /// Returns the sort key of an eigenvalue, from its real part and its modulus. Eigenvalues with smaller keys come first.
    pub(super) fn key<R: RealFloat>(self, re: R, modulus: R) -> R {
        match self {
            End::Lowest => re,
            End::Highest => -re,
            End::Largest => -modulus,
        }
    }
}

/// Which eigenpairs an iterative method computes, and how accurately: the options of [`lanczos`](super::lanczos),
/// [`davidson`](super::davidson) and [`eigs`](super::eigs). For complex eigenvalues, the lowest and highest ones are those with the lowest
/// and highest real parts.
///
/// ```
/// use vierbein::linalg::Krylov;
/// let how = Krylov::lowest(2).tolerance(1e-12).basis(40);
/// # let _ = how;
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use = "options do nothing until a method gets them"]
pub struct Krylov {
    pub(super) count: usize,
    pub(super) end: End,
    basis: Option<usize>,
    pub(super) limits: Iteration,
}

impl Krylov {
    /// Requests the `count` lowest eigenvalues.
    pub fn lowest(count: usize) -> Krylov {
        Krylov { count, end: End::Lowest, basis: None, limits: Iteration::new() }
    }

    /// Requests the `count` highest eigenvalues.
    pub fn highest(count: usize) -> Krylov {
        Krylov { end: End::Highest, ..Krylov::lowest(count) }
    }

    /// Requests the `count` eigenvalues of largest modulus.
    pub fn largest(count: usize) -> Krylov {
        Krylov { end: End::Largest, ..Krylov::lowest(count) }
    }

    /// Sets the tolerance: an eigenpair has converged if the norm of its residual `A·x − λ·x` is at most the tolerance times the largest
    /// magnitude of an eigenvalue that the method has found. The default is 1e-10, or 1e-5 for `f32` and `Complex<f32>`.
    ///
    /// For a Hermitian operator, the error of an eigenvalue is at most the norm of its residual, and much smaller if the eigenvalue is far
    /// from the others.
    pub fn tolerance(self, tolerance: f64) -> Krylov {
        Krylov { limits: self.limits.tolerance(tolerance), ..self }
    }

    /// Sets the largest number of vectors of the basis. When the basis is full, the method restarts with the best part of it. A larger
    /// basis needs fewer applications of the operator, but more memory, and more time for orthogonalising. The default is `2 · count + 10`,
    /// but at least 20. The basis never has more vectors than a tensor has elements.
    pub fn basis(self, vectors: usize) -> Krylov {
        Krylov { basis: Some(vectors), ..self }
    }

    /// Sets the largest number of applications of the operator. The default is 10,000.
    pub fn max_applications(self, applications: usize) -> Krylov {
        Krylov { limits: self.limits.max_applications(applications), ..self }
    }

    /// Returns the result so far, instead of an error, if the eigenpairs have not converged after the largest number of applications. The
    /// result then has `converged == false`.
    ///
    /// Use this for a fixed number of steps, such as the few steps for each bond of a DMRG sweep.
    pub fn accept_unconverged(self) -> Krylov {
        Krylov { limits: self.limits.accept_unconverged(), ..self }
    }

    /// Returns the number of vectors of the basis for tensors of `len` elements.
    ///
    /// # Errors
    /// [`Error::Argument`] if the number of eigenpairs is 0 or above `len`, or if the basis is too small for this number of eigenpairs.
    pub(super) fn vectors(&self, op: &'static str, len: usize) -> Result<usize, Error> {
        let argument = |reason| Err(Error::Argument { op, reason });
        let count = self.count;
        if count == 0 {
            return argument("0 eigenpairs are requested; request at least 1".into());
        }
        if count > len {
            return argument(format!(
                "{count} eigenpairs are requested, and a tensor of {len} elements has {len}; request at most {len}"
            ));
        }
        let vectors = self.basis.unwrap_or((2 * count + 10).max(20));
        if vectors < (count + 2).min(len) {
            return argument(format!(
                "a basis of {vectors} vectors is too small for {count} eigenpairs; use at least {}",
                count + 2
            ));
        }
        Ok(vectors.min(len))
    }

    /// Checks the largest number of applications.
    ///
    /// # Errors
    /// [`Error::Argument`] if the largest number of applications is below the number of eigenpairs.
    pub(super) fn check_applications(&self, op: &'static str) -> Result<(), Error> {
        if self.limits.max_applications >= self.count {
            return Ok(());
        }
        let reason = format!(
            "{} eigenpairs need at least as many applications of the operator; the limit is {}",
            self.count, self.limits.max_applications
        );
        Err(Error::Argument { op, reason })
    }
}

/// Accuracy and limits of an iterative method: the options of [`cg`](super::cg), [`minres`](super::minres), [`gmres`](super::gmres) and
/// [`expm_multiply`](super::expm_multiply).
///
/// ```
/// use vierbein::linalg::Iteration;
/// let how = Iteration::new().tolerance(1e-12).max_applications(500);
/// # let _ = how;
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use = "options do nothing until a method gets them"]
pub struct Iteration {
    tolerance: Option<f64>,
    basis: usize,
    pub(super) max_applications: usize,
    pub(super) accept_unconverged: bool,
}

impl Default for Iteration {
    fn default() -> Self {
        Iteration::new()
    }
}

impl Iteration {
    /// Returns the default options.
    pub fn new() -> Iteration {
        Iteration {
            tolerance: None,
            basis: 30,
            max_applications: MAX_APPLICATIONS,
            accept_unconverged: false,
        }
    }

    /// Sets the tolerance of the residual, relative to the norm of the right-hand side. For [`expm_multiply`](super::expm_multiply), sets
    /// the tolerance of the estimated error. The default is 1e-10, or 1e-5 for `f32` and `Complex<f32>`.
    pub fn tolerance(self, tolerance: f64) -> Iteration {
        Iteration { tolerance: Some(tolerance), ..self }
    }

    /// Sets the largest number of vectors of a basis, after which [`gmres`](super::gmres) restarts. The default is 30. Methods without a
    /// basis ignore it.
    pub fn basis(self, vectors: usize) -> Iteration {
        Iteration { basis: vectors, ..self }
    }

    /// Sets the largest number of applications of the operator. The default is 10,000.
    pub fn max_applications(self, applications: usize) -> Iteration {
        Iteration { max_applications: applications, ..self }
    }

    /// Returns the result so far, instead of an error, if the iteration has not converged. The result then has `converged == false`.
    pub fn accept_unconverged(self) -> Iteration {
        Iteration { accept_unconverged: true, ..self }
    }

    /// Returns the tolerance.
    ///
    /// # Errors
    /// [`Error::Argument`] if it is negative or NaN.
    pub(super) fn checked_tolerance<R: RealFloat>(&self, op: &'static str) -> Result<R, Error> {
        let usual = if R::epsilon().in_f64() > 1e-10 { 1e-5 } else { 1e-10 };
        let tolerance = self.tolerance.unwrap_or(usual);
        if tolerance >= 0.0 {
            return Ok(R::from_f64(tolerance));
        }
        Err(Error::Argument {
            op,
            reason: format!("the tolerance is {tolerance:?}; use zero or a positive number"),
        })
    }

    /// Returns the number of vectors of the basis for tensors of `len` elements.
    ///
    /// # Errors
    /// [`Error::Argument`] if it is 0.
    pub(super) fn vectors(&self, op: &'static str, len: usize) -> Result<usize, Error> {
        if self.basis == 0 {
            let reason = "the basis has 0 vectors; use at least 1".into();
            return Err(Error::Argument { op, reason });
        }
        Ok(self.basis.min(len))
    }
}

/// Returns the error of an iteration that did not converge.
pub(super) fn not_converged<R: RealFloat>(
    op: &'static str,
    applications: usize,
    residual: R,
    tolerance: R,
) -> Error {
    Error::IterationLimit {
        op,
        applications,
        residual: residual.in_f64(),
        tolerance: Float::max(tolerance, R::zero()).in_f64(),
    }
}
