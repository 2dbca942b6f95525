//! Linear algebra of dynamic tensors.

pub(crate) mod factorise;
mod least_squares;
mod results;
mod solve;

pub use results::{DynDiscarded, DynLdl, DynLu, DynSvd};

use super::storage::DynData;
use super::tensor::{DynTensor, DynView};
use super::typed::typed;
use crate::element::{RealScalar, Scalar};
use crate::engine::decompose::truncation::Truncation;
use crate::error::Error;

/// Defines methods that call the method of typed tensors after `=>`, of floating-point and complex elements.
macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident => $typed:ident ($($arg:ident: $Arg:ty),*) -> $Out:ty;)*) => {
        impl<S: DynData> DynTensor<S> {$(
            $(#[$doc])*
            pub fn $name(&self $(, $arg: $Arg)*) -> Result<$Out, Error> {
                typed!(stringify!($name), LinalgElement -> $Out, (x = self.look(); $($arg: $Arg = $arg),*) => x.$typed($($arg),*))
            }
        )*}
    };
}

methods! {
    /// Returns the thin singular value decomposition `u · s · vh`: see [`Tensor::svd`](crate::Tensor::svd).
    ///
    /// # Errors
    /// * If the rank is less than 2, or the elements are not floating-point or complex numbers.
    /// * If an element is NaN or infinite, or the iteration does not converge.
    /// * If an allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let svd = DynTensor::from(tensor![[0.0, 2.0], [3.0, 0.0]]).svd()?;
    /// assert_eq!(svd.s.downcast_ref()?, tensor![3.0, 2.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    svd => try_svd() -> DynSvd;

    /// Returns the full singular value decomposition, with square `u` and `vh`: see [`Tensor::svd_full`](crate::Tensor::svd_full).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    svd_full => try_svd_full() -> DynSvd;

    /// Returns the singular value decomposition with the largest singular values only, and what was discarded: see
    /// [`Tensor::svd_truncated`](crate::Tensor::svd_truncated).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if the truncation has a negative number, a NaN, or a rank of 0.
    ///
    /// ```
    /// use vierbein::linalg::Truncation;
    /// use vierbein::{DynTensor, tensor};
    /// let (svd, discarded) = DynTensor::from(tensor![[0.0, 2.0], [3.0, 0.0]]).svd_truncated(Truncation::rank(1))?;
    /// assert_eq!(svd.s.downcast_ref()?, tensor![3.0]);
    /// assert_eq!(discarded.weight.item()?, 4.0.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    svd_truncated => try_svd_truncated(how: Truncation) -> (DynSvd, DynDiscarded);

    /// Returns the singular values, in descending order: see [`Tensor::singular_values`](crate::Tensor::singular_values).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    singular_values => try_singular_values() -> DynTensor;

    /// Returns the eigenvalues and eigenvectors of Hermitian matrices: see [`Tensor::eigh`](crate::Tensor::eigh).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if the matrices are not square.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let (w, v) = DynTensor::from(tensor![[2.0, 0.0], [0.0, 1.0]]).eigh()?;
    /// assert_eq!(w.downcast_ref()?, tensor![1.0, 2.0]);
    /// assert_eq!(v.downcast_ref()?, tensor![[0.0, 1.0], [1.0, 0.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    eigh => try_eigh() -> (DynTensor, DynTensor);

    /// Returns the eigenvalues of Hermitian matrices, in ascending order: see [`Tensor::eigvalsh`](crate::Tensor::eigvalsh).
    ///
    /// # Errors
    /// Those of [`eigh`](DynTensor::eigh).
    eigvalsh => try_eigvalsh() -> DynTensor;

    /// Returns the eigenvalues and eigenvectors of matrices that need not be Hermitian, as complex numbers: see
    /// [`Tensor::eig`](crate::Tensor::eig).
    ///
    /// # Errors
    /// Those of [`eigh`](DynTensor::eigh).
    ///
    /// ```
    /// use vierbein::{Complex, DynTensor, tensor};
    /// let (w, _) = DynTensor::from(tensor![[2.0, 1.0], [0.0, 2.0]]).eig()?;
    /// assert_eq!(w.downcast_ref()?, tensor![Complex::new(2.0, 0.0), Complex::new(2.0, 0.0)]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    eig => try_eig() -> (DynTensor, DynTensor);

    /// Returns the eigenvalues of matrices that need not be Hermitian, as complex numbers: see [`Tensor::eigvals`](crate::Tensor::eigvals).
    ///
    /// # Errors
    /// Those of [`eigh`](DynTensor::eigh).
    eigvals => try_eigvals() -> DynTensor;

    /// Returns the Schur decomposition `z · t · zᴴ`, as `(t, z)`: see [`Tensor::schur`](crate::Tensor::schur).
    ///
    /// # Errors
    /// Those of [`eigh`](DynTensor::eigh).
    schur => try_schur() -> (DynTensor, DynTensor);

    /// Returns the reduced QR decomposition: see [`Tensor::qr`](crate::Tensor::qr).
    ///
    /// # Errors
    /// * If the rank is less than 2, or the elements are not floating-point or complex numbers.
    /// * If an element is NaN or infinite.
    /// * If an allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let (q, r) = DynTensor::from(tensor![[0.0, -2.0], [3.0, 1.0]]).qr()?;
    /// assert_eq!(r.downcast_ref()?, tensor![[3.0, 1.0], [0.0, 2.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    qr => try_qr() -> (DynTensor, DynTensor);

    /// Returns the complete QR decomposition: see [`Tensor::qr_complete`](crate::Tensor::qr_complete).
    ///
    /// # Errors
    /// Those of [`qr`](DynTensor::qr).
    qr_complete => try_qr_complete() -> (DynTensor, DynTensor);

    /// Returns the LQ decomposition: see [`Tensor::lq`](crate::Tensor::lq).
    ///
    /// # Errors
    /// Those of [`qr`](DynTensor::qr).
    lq => try_lq() -> (DynTensor, DynTensor);

    /// Returns the RQ decomposition: see [`Tensor::rq`](crate::Tensor::rq).
    ///
    /// # Errors
    /// Those of [`qr`](DynTensor::qr).
    rq => try_rq() -> (DynTensor, DynTensor);

    /// Returns the polar decomposition: see [`Tensor::polar`](crate::Tensor::polar).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    polar => try_polar() -> (DynTensor, DynTensor);

    /// Returns the LU decomposition with partial pivoting: see [`Tensor::lu`](crate::Tensor::lu).
    ///
    /// # Errors
    /// Those of [`qr`](DynTensor::qr).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let lu = DynTensor::from(tensor![[0.0, 2.0], [3.0, 6.0]]).lu()?;
    /// assert_eq!(lu.rows.downcast_ref()?, tensor![1_i64, 0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    lu => try_lu() -> DynLu;

    /// Returns the Cholesky decomposition `l · lᴴ` of Hermitian, positive definite matrices: see
    /// [`Tensor::cholesky`](crate::Tensor::cholesky).
    ///
    /// # Errors
    /// Those of [`qr`](DynTensor::qr), and if the matrices are not square or not positive definite.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let l = DynTensor::from(tensor![[4.0, 2.0], [2.0, 10.0]]).cholesky()?;
    /// assert_eq!(l.downcast_ref()?, tensor![[2.0, 0.0], [1.0, 3.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    cholesky => try_cholesky() -> DynTensor;

    /// Returns the LDLᴴ decomposition of Hermitian matrices: see [`Tensor::ldl`](crate::Tensor::ldl).
    ///
    /// # Errors
    /// Those of [`qr`](DynTensor::qr), and if the matrices are not square.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let ldl = DynTensor::from(tensor![[1.0, 4.0], [4.0, 8.0]]).ldl()?;
    /// assert_eq!(ldl.d.downcast_ref()?, tensor![[8.0, 0.0], [0.0, -1.0]]);
    /// assert_eq!(ldl.rows.downcast_ref()?, tensor![1_i64, 0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    ldl => try_ldl() -> DynLdl;

    /// Returns the inverse: see [`Tensor::inv`](crate::Tensor::inv).
    ///
    /// # Errors
    /// Those of [`qr`](DynTensor::qr), and if the matrices are not square or are singular.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[2.0, 0.0], [1.0, 0.5]]);
    /// assert_eq!(x.inv()?.downcast_ref()?, tensor![[0.5, 0.0], [-1.0, 2.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    inv => try_inv() -> DynTensor;

    /// Returns the determinant: see [`Tensor::det`](crate::Tensor::det).
    ///
    /// # Errors
    /// Those of [`qr`](DynTensor::qr), and if the matrices are not square.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// assert_eq!(DynTensor::from(tensor![[0.0, 2.0], [3.0, 1.0]]).det()?.item()?, (-6.0).into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    det => try_det() -> DynTensor;

    /// Returns the sign or phase, and the logarithm of the magnitude, of the determinant: see [`Tensor::slogdet`](crate::Tensor::slogdet).
    ///
    /// # Errors
    /// Those of [`det`](DynTensor::det).
    slogdet => try_slogdet() -> (DynTensor, DynTensor);

    /// Returns the matrix power with an integer exponent: see [`Tensor::matrix_power`](crate::Tensor::matrix_power).
    ///
    /// # Errors
    /// Those of [`inv`](DynTensor::inv).
    matrix_power => try_matrix_power(n: i32) -> DynTensor;

    /// Returns the exponential of a square matrix: see [`Tensor::expm`](crate::Tensor::expm).
    ///
    /// # Errors
    /// Those of [`det`](DynTensor::det).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[0.0, 3.0], [0.0, 0.0]]);
    /// assert!(x.expm()?.downcast_ref()?.all_close(&tensor![[1.0, 3.0], [0.0, 1.0]], 1e-14, 1e-14));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    expm => try_expm() -> DynTensor;

    /// Returns the principal square root of a square matrix, as complex numbers: see [`Tensor::sqrtm`](crate::Tensor::sqrtm).
    ///
    /// # Errors
    /// Those of [`eig`](DynTensor::eig), and if there is no square root.
    sqrtm => try_sqrtm() -> DynTensor;

    /// Returns the principal logarithm of a square matrix, as complex numbers: see [`Tensor::logm`](crate::Tensor::logm).
    ///
    /// # Errors
    /// Those of [`eig`](DynTensor::eig), and if the matrix has an eigenvalue of 0.
    logm => try_logm() -> DynTensor;

    /// Returns the pseudo-inverse: see [`Tensor::pinv`](crate::Tensor::pinv).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    pinv => try_pinv() -> DynTensor;

    /// Returns the pseudo-inverse, where singular values count as 0 if they are at most `relative` times the largest: see
    /// [`Tensor::pinv_with`](crate::Tensor::pinv_with).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if `relative` is negative or NaN.
    pinv_with => try_pinv_with(relative: f64) -> DynTensor;

    /// Returns the rank of the matrix, as `i64`: see [`Tensor::matrix_rank`](crate::Tensor::matrix_rank).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    matrix_rank => try_matrix_rank() -> DynTensor;

    /// Returns the number of singular values that are larger than `relative` times the largest one, as `i64`: see
    /// [`Tensor::matrix_rank_with`](crate::Tensor::matrix_rank_with).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if `relative` is negative or NaN.
    matrix_rank_with => try_matrix_rank_with(relative: f64) -> DynTensor;

    /// Returns the number of singular values that are larger than `size`, as `i64`: see
    /// [`Tensor::matrix_rank_above`](crate::Tensor::matrix_rank_above).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if `size` is negative or NaN.
    matrix_rank_above => try_matrix_rank_above(size: f64) -> DynTensor;

    /// Returns an orthonormal basis of the null space, as columns: see [`Tensor::null_space`](crate::Tensor::null_space).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if the matrices of a batch differ in rank.
    null_space => try_null_space() -> DynTensor;

    /// Returns an orthonormal basis of the null space, where singular values count as 0 if they are at most `relative` times the largest:
    /// see [`Tensor::null_space_with`](crate::Tensor::null_space_with).
    ///
    /// # Errors
    /// Those of [`null_space`](DynTensor::null_space), and if `relative` is negative or NaN.
    null_space_with => try_null_space_with(relative: f64) -> DynTensor;

    /// Returns an orthonormal basis of the space that the columns span, as columns: see [`Tensor::orth`](crate::Tensor::orth).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if the matrices of a batch differ in rank.
    orth => try_orth() -> DynTensor;

    /// Returns an orthonormal basis of the space that the columns span, with singular values of at most `relative` times the largest one
    /// counted as 0: see [`Tensor::orth_with`](crate::Tensor::orth_with).
    ///
    /// # Errors
    /// Those of [`orth`](DynTensor::orth), and if `relative` is negative or NaN.
    orth_with => try_orth_with(relative: f64) -> DynTensor;

    /// Returns the condition number: see [`Tensor::cond`](crate::Tensor::cond).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if the matrix has no rows or no columns.
    cond => try_cond() -> DynTensor;

    /// Returns the sum of the singular values: see [`Tensor::nuclear_norm`](crate::Tensor::nuclear_norm).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    nuclear_norm => try_nuclear_norm() -> DynTensor;

    /// Returns the largest singular value: see [`Tensor::spectral_norm`](crate::Tensor::spectral_norm).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    spectral_norm => try_spectral_norm() -> DynTensor;
}

impl<S: DynData> DynTensor<S> {
    /// Returns the conjugate transpose of a matrix, or of each matrix of a batch: see [`Tensor::adjoint`](crate::Tensor::adjoint).
    ///
    /// # Errors
    /// If the rank is less than 2, the elements are not numbers, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.adjoint()?.downcast_ref()?, tensor![[1.0, 3.0], [2.0, 4.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn adjoint(&self) -> Result<DynTensor, Error> {
        typed!("adjoint", Scalar, (x = self.look()) => x.try_adjoint())
    }

    /// Returns the eigenvalues `w` and the eigenvectors `v` of `a · v = b · v · w`, for Hermitian matrices `a` and positive definite
    /// matrices `b`: see [`Tensor::eigh_generalized`](crate::Tensor::eigh_generalized).
    ///
    /// # Errors
    /// Those of [`eigh`](DynTensor::eigh), and if the tensors differ in shape, element type, order or device, or `b` is not positive
    /// definite.
    pub fn eigh_generalized<'b>(&self, b: impl Into<DynView<'b>>) -> Result<(DynTensor, DynTensor), Error> {
        typed!("eigh_generalized", LinalgElement -> (DynTensor, DynTensor), (x = self.look(), b = b.into()) => {
            x.try_eigh_generalized(b)
        })
    }

    /// Applies a real function to the eigenvalues of Hermitian matrices, and returns the matrices with the new eigenvalues: see
    /// [`Tensor::hermitian_map`](crate::Tensor::hermitian_map).
    ///
    /// # Errors
    /// Those of [`eigh`](DynTensor::eigh).
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[4.0, 0.0], [0.0, 9.0]]);
    /// assert_eq!(x.hermitian_map(f64::sqrt)?.downcast_ref()?, tensor![[2.0, 0.0], [0.0, 3.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn hermitian_map(&self, mut f: impl FnMut(f64) -> f64) -> Result<DynTensor, Error> {
        typed!("hermitian_map", LinalgElement, (x = self.look(); f: &mut dyn FnMut(f64) -> f64 = &mut f) => {
            x.try_hermitian_map(|w| T::from_f64(f(w.in_f64())))
        })
    }
}
