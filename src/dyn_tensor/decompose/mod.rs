//! Linear algebra of dynamic tensors.

pub(crate) mod factorise;
mod least_squares;
mod results;
mod solve;

use results::Erase;
pub use results::{DynDiscarded, DynLdl, DynLu, DynSvd};

use super::operand::{agree, lacking, needs, on_device};
use super::storage::DynData;
use super::tensor::{DynTensor, DynView};
use crate::dispatch;
use crate::element::DType;
use crate::engine::decompose::truncation::Truncation;
use crate::engine::decompose::{Matrices, in_terms_of, merged_shape};
use crate::error::Error;
use crate::ops::decompose::stacks;
use crate::order::{ColMajor, RowMajor};
use crate::rank::{Rank, check_matrices};

/// Checks that the element type of a tensor has factorisations, and that its rank is at least 2.
///
/// # Errors
/// [`Error::UnsupportedDType`] or [`Error::UnsupportedRank`], with the text of the compiler's message for typed tensors.
fn check(op: &'static str, x: DynView<'_>) -> Result<(), Error> {
    if !matches!(x.dtype(), DType::F32 | DType::F64 | DType::C32 | DType::C64) {
        return Err(lacking(op, x.dtype(), needs::FACTORISATIONS));
    }
    check_matrices(op, x.rank())
}

/// Checks that the matrices are square.
fn check_square(op: &'static str, x: DynView<'_>) -> Result<(), Error> {
    check(op, x)?;
    Matrices::new(x.order().is_row_major(), x.shape()).check_square(op, x.shape())
}

/// Merges the axes of the batch into one axis, without a copy if possible, and calls `f` with the result.
fn with_merged_batch<R>(x: DynView<'_>, f: impl FnOnce(DynView<'_>) -> Result<R, Error>) -> Result<R, Error> {
    let row_major = x.order().is_row_major();
    let merged = merged_shape(row_major, x.shape());
    match x.layout().reshape(&merged, row_major) {
        Some(layout) => f(x.with_axes(layout)),
        None => f(x.reshape(&merged)?.look()),
    }
}

/// Evaluates `$body`. In it, `$a` is a typed view of the matrices of `$x`, with one axis for the batch, and `$T` is the element type.
/// `$x` must have passed `check`.
macro_rules! on_stack {
    ($op:expr, $x:expr, |$a:ident: $T:ident| $body:expr) => {{
        let (op, x): (&'static str, DynView<'_>) = ($op, $x);
        let row_major = x.order().is_row_major();
        with_merged_batch(x, |merged| {
            on_device!(op, merged, Dev => dispatch!(
                merged.dtype(),
                $T: Inexact => if row_major {
                    let $a = &merged.downcast_view::<$T, Rank<3>, RowMajor, Dev>()?;
                    $body.map(|result| result.erased(x.shape()))
                } else {
                    let $a = &merged.downcast_view::<$T, Rank<3>, ColMajor, Dev>()?;
                    $body.map(|result| result.erased(x.shape()))
                },
                else => Err(lacking(op, x.dtype(), needs::FACTORISATIONS))
            ))
        })
        .map_err(|error| in_terms_of(error, op, row_major, x.shape()))
    }};
}

use on_stack;

/// Defines methods that call the functions in `stacks`.
macro_rules! methods {
    ($(
        $(#[$doc:meta])*
        $name:ident ($($arg:ident: $Arg:ty),*) -> $Out:ty, $check:ident |$a:ident| $body:expr;
    )*) => {$(
        // This function instantiates kernels for several element types. With `inline`, the calling crate compiles them; with the
        // feature `precompiled-dyn`, this crate does.
        #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
        fn $name(x: DynView<'_> $(, $arg: $Arg)*) -> Result<$Out, Error> {
            let op = stringify!($name);
            $check(op, x)?;
            on_stack!(op, x, |$a: T| $body)
        }

        impl<S: DynData> DynTensor<S> {
            $(#[$doc])*
            pub fn $name(&self $(, $arg: $Arg)*) -> Result<$Out, Error> {
                $name(self.look() $(, $arg)*)
            }
        }
    )*};
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
    svd() -> DynSvd, check |a| stacks::svd(a);

    /// Returns the full singular value decomposition, with square `u` and `vh`: see [`Tensor::svd_full`](crate::Tensor::svd_full).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    svd_full() -> DynSvd, check |a| stacks::svd_full(a);

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
    svd_truncated(how: Truncation) -> (DynSvd, DynDiscarded), check |a| stacks::svd_truncated(a, how);

    /// Returns the singular values, in descending order: see [`Tensor::singular_values`](crate::Tensor::singular_values).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    singular_values() -> DynTensor, check |a| stacks::singular_values(a);

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
    eigh() -> (DynTensor, DynTensor), check_square |a| stacks::eigh(a);

    /// Returns the eigenvalues of Hermitian matrices, in ascending order: see [`Tensor::eigvalsh`](crate::Tensor::eigvalsh).
    ///
    /// # Errors
    /// Those of [`eigh`](DynTensor::eigh).
    eigvalsh() -> DynTensor, check_square |a| stacks::eigvalsh(a);

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
    eig() -> (DynTensor, DynTensor), check_square |a| stacks::eig(a);

    /// Returns the eigenvalues of matrices that need not be Hermitian, as complex numbers: see [`Tensor::eigvals`](crate::Tensor::eigvals).
    ///
    /// # Errors
    /// Those of [`eigh`](DynTensor::eigh).
    eigvals() -> DynTensor, check_square |a| stacks::eigvals(a);

    /// Returns the Schur decomposition `z · t · zᴴ`, as `(t, z)`: see [`Tensor::schur`](crate::Tensor::schur).
    ///
    /// # Errors
    /// Those of [`eigh`](DynTensor::eigh).
    schur() -> (DynTensor, DynTensor), check_square |a| stacks::schur(a);

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
    qr() -> (DynTensor, DynTensor), check |a| stacks::qr(a);

    /// Returns the complete QR decomposition: see [`Tensor::qr_complete`](crate::Tensor::qr_complete).
    ///
    /// # Errors
    /// Those of [`qr`](DynTensor::qr).
    qr_complete() -> (DynTensor, DynTensor), check |a| stacks::qr_complete(a);

    /// Returns the LQ decomposition: see [`Tensor::lq`](crate::Tensor::lq).
    ///
    /// # Errors
    /// Those of [`qr`](DynTensor::qr).
    lq() -> (DynTensor, DynTensor), check |a| stacks::lq(a);

    /// Returns the RQ decomposition: see [`Tensor::rq`](crate::Tensor::rq).
    ///
    /// # Errors
    /// Those of [`qr`](DynTensor::qr).
    rq() -> (DynTensor, DynTensor), check |a| stacks::rq(a);

    /// Returns the polar decomposition: see [`Tensor::polar`](crate::Tensor::polar).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    polar() -> (DynTensor, DynTensor), check |a| stacks::polar(a);

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
    lu() -> DynLu, check |a| stacks::lu(a);

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
    cholesky() -> DynTensor, check_square |a| stacks::cholesky(a);

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
    ldl() -> DynLdl, check_square |a| stacks::ldl(a);

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
    inv() -> DynTensor, check_square |a| stacks::inv(a);

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
    det() -> DynTensor, check_square |a| stacks::det(a);

    /// Returns the sign or phase, and the logarithm of the magnitude, of the determinant: see [`Tensor::slogdet`](crate::Tensor::slogdet).
    ///
    /// # Errors
    /// Those of [`det`](DynTensor::det).
    slogdet() -> (DynTensor, DynTensor), check_square |a| stacks::slogdet(a);

    /// Returns the matrix power with an integer exponent: see [`Tensor::matrix_power`](crate::Tensor::matrix_power).
    ///
    /// # Errors
    /// Those of [`inv`](DynTensor::inv).
    matrix_power(n: i32) -> DynTensor, check_square |a| stacks::matrix_power(a, n);

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
    expm() -> DynTensor, check_square |a| stacks::expm(a);

    /// Returns the principal square root of a square matrix, as complex numbers: see [`Tensor::sqrtm`](crate::Tensor::sqrtm).
    ///
    /// # Errors
    /// Those of [`eig`](DynTensor::eig), and if there is no square root.
    sqrtm() -> DynTensor, check_square |a| stacks::sqrtm(a);

    /// Returns the principal logarithm of a square matrix, as complex numbers: see [`Tensor::logm`](crate::Tensor::logm).
    ///
    /// # Errors
    /// Those of [`eig`](DynTensor::eig), and if the matrix has an eigenvalue of 0.
    logm() -> DynTensor, check_square |a| stacks::logm(a);

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
    hermitian_map(f: impl FnMut(f64) -> f64) -> DynTensor, check_square |a| stacks::hermitian_map_f64(a, f);

    /// Returns the pseudo-inverse: see [`Tensor::pinv`](crate::Tensor::pinv).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    pinv() -> DynTensor, check |a| stacks::pinv(a);

    /// Returns the pseudo-inverse, where singular values count as 0 if they are at most `relative` times the largest: see
    /// [`Tensor::pinv_with`](crate::Tensor::pinv_with).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if `relative` is negative or NaN.
    pinv_with(relative: f64) -> DynTensor, check |a| stacks::pinv_with(a, relative);

    /// Returns the rank of the matrix, as `i64`: see [`Tensor::matrix_rank`](crate::Tensor::matrix_rank).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    matrix_rank() -> DynTensor, check |a| stacks::matrix_rank(a);

    /// Returns the number of singular values that are larger than `relative` times the largest one, as `i64`: see
    /// [`Tensor::matrix_rank_with`](crate::Tensor::matrix_rank_with).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if `relative` is negative or NaN.
    matrix_rank_with(relative: f64) -> DynTensor, check |a| stacks::matrix_rank_with(a, relative);

    /// Returns the number of singular values that are larger than `size`, as `i64`: see
    /// [`Tensor::matrix_rank_above`](crate::Tensor::matrix_rank_above).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if `size` is negative or NaN.
    matrix_rank_above(size: f64) -> DynTensor, check |a| stacks::matrix_rank_above(a, size);

    /// Returns an orthonormal basis of the null space, as columns: see [`Tensor::null_space`](crate::Tensor::null_space).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if the matrices of a batch differ in rank.
    null_space() -> DynTensor, check |a| stacks::null_space(a);

    /// Returns an orthonormal basis of the null space, where singular values count as 0 if they are at most `relative` times the largest:
    /// see [`Tensor::null_space_with`](crate::Tensor::null_space_with).
    ///
    /// # Errors
    /// Those of [`null_space`](DynTensor::null_space), and if `relative` is negative or NaN.
    null_space_with(relative: f64) -> DynTensor, check |a| stacks::null_space_with(a, relative);

    /// Returns an orthonormal basis of the space that the columns span, as columns: see [`Tensor::orth`](crate::Tensor::orth).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if the matrices of a batch differ in rank.
    orth() -> DynTensor, check |a| stacks::orth(a);

    /// Returns an orthonormal basis of the space that the columns span, with singular values of at most `relative` times the largest one
    /// counted as 0: see [`Tensor::orth_with`](crate::Tensor::orth_with).
    ///
    /// # Errors
    /// Those of [`orth`](DynTensor::orth), and if `relative` is negative or NaN.
    orth_with(relative: f64) -> DynTensor, check |a| stacks::orth_with(a, relative);

    /// Returns the condition number: see [`Tensor::cond`](crate::Tensor::cond).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd), and if the matrix has no rows or no columns.
    cond() -> DynTensor, check |a| stacks::cond(a);

    /// Returns the sum of the singular values: see [`Tensor::nuclear_norm`](crate::Tensor::nuclear_norm).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    nuclear_norm() -> DynTensor, check |a| stacks::nuclear_norm(a);

    /// Returns the largest singular value: see [`Tensor::spectral_norm`](crate::Tensor::spectral_norm).
    ///
    /// # Errors
    /// Those of [`svd`](DynTensor::svd).
    spectral_norm() -> DynTensor, check |a| stacks::spectral_norm(a);
}

// This function instantiates kernels for several element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn eigh_generalized(a: DynView<'_>, b: DynView<'_>) -> Result<(DynTensor, DynTensor), Error> {
    let op = stacks::GENERALIZED;
    check(op, a)?;
    let row_major = agree(op, a, b)?.is_row_major();
    stacks::check_pair(row_major, a.shape(), b.shape())?;
    let b = b.reshape(&merged_shape(row_major, b.shape()))?;
    let b = b.look();
    on_stack!(op, a, |a: T| { b.downcast_view().and_then(|b| stacks::eigh_generalized(a, &b)) })
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
        check_matrices("adjoint", self.rank())?;
        let first = if self.order().is_row_major() { self.rank() - 2 } else { 0 };
        self.swap_axes(first, first + 1)?.conj()
    }

    /// Returns the eigenvalues `w` and the eigenvectors `v` of `a · v = b · v · w`, for Hermitian matrices `a` and positive definite
    /// matrices `b`: see [`Tensor::eigh_generalized`](crate::Tensor::eigh_generalized).
    ///
    /// # Errors
    /// Those of [`eigh`](DynTensor::eigh), and if the tensors differ in shape, element type, order or device, or `b` is not positive
    /// definite.
    pub fn eigh_generalized<'b>(&self, b: impl Into<DynView<'b>>) -> Result<(DynTensor, DynTensor), Error> {
        eigh_generalized(self.look(), b.into())
    }
}
