//! Factorisations of matrices: the family, its arguments, and the element types that it supports.

use super::{argument, family};
use crate::device::Cpu;
#[cfg(feature = "cuda")]
use crate::device::Device;
use crate::element::{CastTo, Inexact};
use crate::error::Error;

/// The structure of the matrix of a linear system: see [`Decompose::solve`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Structure {
    /// Any square matrix.
    General,
    /// A Hermitian, positive definite matrix. Only its lower triangle is read.
    PositiveDefinite,
    /// A Hermitian matrix, which may be indefinite. Only its lower triangle is read.
    Hermitian,
    /// A lower triangular matrix. The elements above the diagonal are not used.
    Lower {
        /// Whether the diagonal consists of ones. If so, its elements are not used.
        unit: bool,
    },
    /// An upper triangular matrix. The elements below the diagonal are not used.
    Upper {
        /// Whether the diagonal consists of ones. If so, its elements are not used.
        unit: bool,
    },
}

/// Calls a macro with the declaration of the family.
macro_rules! decompose {
    ($callback:ident) => { $callback! {
    /// Factorisations of matrices and batches of matrices, and solutions of linear systems.
    ///
    /// The last two axes of `a` are the rows and columns of a matrix. The leading axes, `..`, are those of the batch, and have equal extents in
    /// all arguments of a call. The order of the axes does not depend on the memory order of the tensor. `k` is the smaller of the extents `m`
    /// and `n` of a matrix. No method writes to `a`.
    ///
    /// No other bound, such as [`Backend`](super::Backend), includes this capability. Generic code that decomposes matrices adds `Dev:
    /// Decompose<T>`.
    ///
    /// # Errors
    /// All methods return
    ///
    /// * [`Error::NotFinite`] if an element is NaN or infinite;
    /// * [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the workspace cannot be allocated;
    /// * the error of the device.
    ///
    /// The outputs then have unspecified elements. For a batch, the error names the first matrix that has no result.
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` cannot decompose matrices of `{T}`",
        label = "no factorisations on this device",
        note = "compute on the host: `.to_device::<Cpu>()?`; or implement `Decompose<{T}>` for the device",
        note = "in generic code, bound the device: `Dev: Decompose<T>`"
    )]
    pub trait Decompose<T: LinalgElement> {
        /// Computes the singular value decomposition `a = u · s · vh`.
        ///
        /// `a` has shape `[.., m, n]` and `s` has shape `[.., k]`. The singular values are in descending order. `vectors` are `u` and `vh`: of
        /// shapes `[.., m, k]` and `[.., k, n]` (thin), or `[.., m, m]` and `[.., n, n]` (full).
        ///
        /// In each column of `u`, the first element whose magnitude is at least 0.99 times the largest magnitude is real and positive. The same
        /// holds for those rows of `vh` that belong to no singular value, or to a singular value of 0.
        ///
        /// # Errors
        /// [`Error::NotConverged`], and the errors that all methods have in common.
        fn svd(s: write[T::Magnitude], vectors: pair[T], a: matrix[T]);

        /// Computes the eigenvalues and eigenvectors of Hermitian matrices, `a = v · w · vᴴ`. Only the lower triangle of `a` is used.
        ///
        /// `a` and `v` have shape `[.., n, n]`, `w` has shape `[.., n]`. The eigenvalues are in ascending order. The columns of `v` are the
        /// eigenvectors. In each eigenvector, the first element whose magnitude is at least 0.99 times the largest magnitude is real and
        /// positive.
        ///
        /// # Errors
        /// [`Error::NotConverged`], and the errors that all methods have in common.
        fn eigh(w: write[T::Magnitude], v: optional[T], a: matrix[T]);

        /// Computes the QR decomposition `a = q · r`.
        ///
        /// `a` has shape `[.., m, n]`. `q` and `r` have shapes `[.., m, k]` and `[.., k, n]` (reduced), or `[.., m, m]` and `[.., m, n]`
        /// (complete). In each row of `r`, the first element that is not 0 is real and positive.
        ///
        /// # Errors
        /// The errors that all methods have in common.
        fn qr(q: optional[T], r: write[T], a: matrix[T]);

        /// Computes the LU decomposition with partial pivoting: row `rows[i]` of `a` is row `i` of `l · u`.
        ///
        /// `a` and `lu` have shape `[.., m, n]`, `rows` has shape `[.., m]`. `lu` has `u` on and above the diagonal, and below it, `l`, whose
        /// diagonal consists of ones. A singular matrix is not an error: `u` then has a 0 on its diagonal.
        ///
        /// # Errors
        /// The errors that all methods have in common.
        fn lu(lu: write[T], rows: write[i64], a: matrix[T]);

        /// Computes the Cholesky decomposition of Hermitian, positive definite matrices: `a = l · lᴴ`. `a` and `l` have shape `[.., n, n]`. `l`
        /// is lower triangular, with real and positive elements on the diagonal. Only the lower triangle of `a` is used.
        ///
        /// # Errors
        /// [`Error::NotPositiveDefinite`], and the errors that all methods have in common.
        fn cholesky(l: write[T], a: matrix[T]);

        /// Solves `a · x = b` and overwrites `b` with `x`. `a` has shape `[.., n, n]`, `b` has shape `[.., n, p]`.
        ///
        /// # Errors
        /// * [`Error::Singular`] if a pivot, a pivot block, or an element of the diagonal of a triangular matrix, is exactly 0.
        /// * [`Error::NotPositiveDefinite`] if `a` is passed as a positive definite matrix and is not.
        /// * [`Error::OutOfRange`] if an element of `x` exceeds the range of its type.
        /// * The errors that all methods have in common.
        fn solve(structure: value[Structure], b: update[T], a: matrix[T]);
    }
    on the host {
        /// Computes the eigenvalues and eigenvectors of square matrices, `a · v = v · w`. The results are complex, even if the matrices are
        /// real.
        ///
        /// `a` and `v` have shape `[.., n, n]`, `w` has shape `[.., n]`. The order of the eigenvalues is unspecified, with one exception: two
        /// conjugate complex eigenvalues of a real matrix are adjacent, and the one with the positive imaginary part is first. The columns of
        /// `v` are the eigenvectors, with Euclidean norm 1. In each eigenvector, the first element whose magnitude is at least 0.99 times the
        /// largest magnitude is real and positive. The eigenvectors that belong to conjugate eigenvalues of a real matrix are conjugates.
        ///
        /// # Errors
        /// [`Error::NotConverged`], and the errors that all methods have in common.
        fn eig(w: write[T::Complex], v: optional[T::Complex], a: matrix[T]);

        /// Computes the Schur decomposition `a = z · t · zᴴ`. All shapes are `[.., n, n]`.
        ///
        /// `z` is unitary, and in each of its columns, the first element whose magnitude is at least 0.99 times the largest magnitude is real
        /// and positive. `t` is upper triangular. If `a` is real, `z` and `t` are real, and `t` is block upper triangular: for each pair of
        /// conjugate complex eigenvalues `p ± i · √(-b · c)`, its diagonal has a block `[[p, b], [c, p]]` with `b · c < 0`.
        ///
        /// # Errors
        /// [`Error::NotConverged`], and the errors that all methods have in common.
        fn schur(t: write[T], z: write[T], a: matrix[T]);

        /// Computes the LDLᴴ decomposition with pivoting of Hermitian matrices: `p = l · d · lᴴ`, where `p[i, j] = a[rows[i], rows[j]]`. Only
        /// the lower triangle of `a` is used.
        ///
        /// `a`, `l` and `d` have shape `[.., n, n]`, `rows` has shape `[.., n]`. `l` is lower triangular, with ones on its diagonal. `d` is
        /// Hermitian, with blocks of one or two rows on its diagonal. In a block of two rows, the two elements of `d` next to the diagonal are
        /// not 0, and the element of `l` below the diagonal is 0. A singular matrix is not an error: `d` then has a block of one row that is 0.
        ///
        /// # Errors
        /// The errors that all methods have in common.
        fn ldl(l: write[T], d: write[T], rows: write[i64], a: matrix[T]);
    }
    trait items {}
    cuda items {}
    }};
}
pub(in crate::device) use decompose;

decompose!(family);

/// Defines [`Kernels`] and the module `on_host`.
macro_rules! kernels {
    (
        $(#[$attribute:meta])*
        pub trait $Family:ident<$T:ident: $Bound:ident> {
            $(
                $(#[$doc:meta])*
                fn $name:ident ($($arg:ident: $kind:ident[$($of:tt)*]),*);
            )*
        }
        on the host {
            $(
                $(#[$host_doc:meta])*
                fn $host_name:ident ($($host_arg:ident: $host_kind:ident[$($host_of:tt)*]),*);
            )*
        }
        trait items {}
        cuda items {}
    ) => {
        /// The functions of the host for elements of one type: a field for each method of [`Decompose`]. They are not generic, so they are
        /// compiled in this crate, once for each type.
        #[allow(missing_debug_implementations, reason = "`derive` does not accept macros as types")]
        pub struct Kernels<$T: $Bound> {
            $(pub(in crate::device) $name: fn($(argument!($kind [$($of)*] Cpu)),*) -> Result<(), Error>,)*
            $(pub(in crate::device) $host_name: fn($(argument!($host_kind [$($host_of)*] Cpu)),*) -> Result<(), Error>,)*
        }

        /// The host fallbacks as functions, for matrices that cuSOLVER does not support.
        #[cfg(feature = "cuda")]
        pub(in crate::device) mod on_host {
            use super::*;
            $(
                pub(in crate::device) fn $name<$T: $Bound, Dev: Device>(
                    device: &Dev,
                    $($arg: argument!($kind [$($of)*] Dev)),*
                ) -> Result<(), Error> {
                    super::super::on_host!(device, $Family::<$T>::$name(&Cpu, $($arg),*); $($arg: $kind,)*)
                }
            )*
        }
    };
}
decompose!(kernels);

/// Element types with factorisations: `f32`, `f64`, `Complex<f32>` and `Complex<f64>`. Sealed.
///
/// ```
/// use vierbein::linalg::LinalgElement;
/// use vierbein::prelude::*;
/// /// The ratio of the largest to the smallest singular value.
/// fn condition<T: LinalgElement, O: Order>(x: TensorView<'_, T, Rank<2>, O>) -> T::Magnitude {
///     let s = x.singular_values();
///     s[[0]] / s[[s.shape()[0] - 1]]
/// }
/// assert_eq!(condition(tensor![[2.0, 0.0], [0.0, 8.0]].view()), 4.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "matrices of `{Self}` have no factorisations",
    label = "expected `f32`, `f64`, `Complex<f32>` or `Complex<f64>`",
    note = "convert integers first, e.g. with `.cast::<f64>()`; in generic code, bound the element type: `T: LinalgElement`"
)]
pub trait LinalgElement: Inexact + CastTo<<Self as LinalgElement>::Complex> {
    /// The complex type of the same precision, which is the type of the eigenvalues of general matrices.
    #[doc(hidden)]
    type Complex: LinalgElement<Complex = Self::Complex, Magnitude = Self::Magnitude>;
    #[doc(hidden)]
    fn complex(re: Self::Magnitude, im: Self::Magnitude) -> Self::Complex;
    #[doc(hidden)]
    fn to_complex(self) -> Self::Complex;
    /// Converts a complex number to this type. Conversions to a real type return the real part.
    #[doc(hidden)]
    fn from_complex(x: Self::Complex) -> Self;
    /// The functions of the host, compiled in this crate.
    #[doc(hidden)]
    fn kernels() -> &'static Kernels<Self>;
}
