//! Factorisations of matrices: the trait [`Decompose`] of devices that compute them, the element types that it supports, and the arguments
//! of its methods.

pub(super) mod on_host;

use super::cpu::decompose as kernels;
pub(crate) use super::cpu::decompose::exponent_of;
use super::{Cpu, Device, MatrixOperand, Output};
use crate::element::{CastTo, Inexact, Scalar, c32, c64};
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
/// * [`Error::OutOfMemory`] if the workspace cannot be allocated;
/// * the error of the device.
///
/// The outputs then have unspecified elements. For a batch, the error names the first matrix that has no result.
#[diagnostic::on_unimplemented(
    message = "the device `{Self}` cannot decompose matrices of `{T}`",
    label = "no factorisations on this device",
    note = "compute on the host: `.to_device::<Cpu>()?`; or implement `Decompose<{T}>` for the device",
    note = "in generic code, bound the device: `Dev: Decompose<T>`"
)]
pub trait Decompose<T: LinalgElement>: Device {
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
    fn svd(
        &self,
        s: Output<'_, T::Magnitude, Self>,
        vectors: Option<[Output<'_, T, Self>; 2]>,
        a: MatrixOperand<'_, T, Self>,
    ) -> Result<(), Error> {
        on_host::svd(self, s, vectors, a)
    }

    /// Computes the eigenvalues and eigenvectors of Hermitian matrices, `a = v · w · vᴴ`. Only the lower triangle of `a` is used.
    ///
    /// `a` and `v` have shape `[.., n, n]`, `w` has shape `[.., n]`. The eigenvalues are in ascending order. The columns of `v` are the
    /// eigenvectors. In each eigenvector, the first element whose magnitude is at least 0.99 times the largest magnitude is real and
    /// positive.
    ///
    /// # Errors
    /// [`Error::NotConverged`], and the errors that all methods have in common.
    fn eigh(
        &self,
        w: Output<'_, T::Magnitude, Self>,
        v: Option<Output<'_, T, Self>>,
        a: MatrixOperand<'_, T, Self>,
    ) -> Result<(), Error> {
        on_host::eigh(self, w, v, a)
    }

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
    fn eig(
        &self,
        w: Output<'_, T::Complex, Self>,
        v: Option<Output<'_, T::Complex, Self>>,
        a: MatrixOperand<'_, T, Self>,
    ) -> Result<(), Error> {
        on_host::eig(self, w, v, a)
    }

    /// Computes the Schur decomposition `a = z · t · zᴴ`. All shapes are `[.., n, n]`.
    ///
    /// `z` is unitary, and in each of its columns, the first element whose magnitude is at least 0.99 times the largest magnitude is real
    /// and positive. `t` is upper triangular. If `a` is real, `z` and `t` are real, and `t` is block upper triangular: for each pair of
    /// conjugate complex eigenvalues `p ± i · √(-b · c)`, its diagonal has a block `[[p, b], [c, p]]` with `b · c < 0`.
    ///
    /// # Errors
    /// [`Error::NotConverged`], and the errors that all methods have in common.
    fn schur(
        &self,
        t: Output<'_, T, Self>,
        z: Output<'_, T, Self>,
        a: MatrixOperand<'_, T, Self>,
    ) -> Result<(), Error> {
        on_host::schur(self, t, z, a)
    }

    /// Computes the QR decomposition `a = q · r`.
    ///
    /// `a` has shape `[.., m, n]`. `q` and `r` have shapes `[.., m, k]` and `[.., k, n]` (reduced), or `[.., m, m]` and `[.., m, n]`
    /// (complete). In each row of `r`, the first element that is not 0 is real and positive.
    ///
    /// # Errors
    /// The errors that all methods have in common.
    fn qr(
        &self,
        q: Option<Output<'_, T, Self>>,
        r: Output<'_, T, Self>,
        a: MatrixOperand<'_, T, Self>,
    ) -> Result<(), Error> {
        on_host::qr(self, q, r, a)
    }

    /// Computes the LU decomposition with partial pivoting: row `rows[i]` of `a` is row `i` of `l · u`.
    ///
    /// `a` and `lu` have shape `[.., m, n]`, `rows` has shape `[.., m]`. `lu` has `u` on and above the diagonal, and below it, `l`, whose
    /// diagonal consists of ones. A singular matrix is not an error: `u` then has a 0 on its diagonal.
    ///
    /// # Errors
    /// The errors that all methods have in common.
    fn lu(
        &self,
        lu: Output<'_, T, Self>,
        rows: Output<'_, i64, Self>,
        a: MatrixOperand<'_, T, Self>,
    ) -> Result<(), Error> {
        on_host::lu(self, lu, rows, a)
    }

    /// Computes the LDLᴴ decomposition with pivoting of Hermitian matrices: `p = l · d · lᴴ`, where `p[i, j] = a[rows[i], rows[j]]`. Only
    /// the lower triangle of `a` is used.
    ///
    /// `a`, `l` and `d` have shape `[.., n, n]`, `rows` has shape `[.., n]`. `l` is lower triangular, with ones on its diagonal. `d` is
    /// Hermitian, with blocks of one or two rows on its diagonal. In a block of two rows, the two elements of `d` next to the diagonal are
    /// not 0, and the element of `l` below the diagonal is 0. A singular matrix is not an error: `d` then has a block of one row that is 0.
    ///
    /// # Errors
    /// The errors that all methods have in common.
    fn ldl(
        &self,
        l: Output<'_, T, Self>,
        d: Output<'_, T, Self>,
        rows: Output<'_, i64, Self>,
        a: MatrixOperand<'_, T, Self>,
    ) -> Result<(), Error> {
        on_host::ldl(self, l, d, rows, a)
    }

    /// Computes the Cholesky decomposition of Hermitian, positive definite matrices: `a = l · lᴴ`. `a` and `l` have shape `[.., n, n]`. `l`
    /// is lower triangular, with real and positive elements on the diagonal. Only the lower triangle of `a` is used.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`], and the errors that all methods have in common.
    fn cholesky(&self, l: Output<'_, T, Self>, a: MatrixOperand<'_, T, Self>) -> Result<(), Error> {
        on_host::cholesky(self, l, a)
    }

    /// Solves `a · x = b` and overwrites `b` with `x`. `a` has shape `[.., n, n]`, `b` has shape `[.., n, p]`.
    ///
    /// # Errors
    /// * [`Error::Singular`] if a pivot, a pivot block, or an element of the diagonal of a triangular matrix, is exactly 0.
    /// * [`Error::NotPositiveDefinite`] if `a` is passed as a positive definite matrix and is not.
    /// * [`Error::OutOfRange`] if an element of `x` exceeds the range of its type.
    /// * The errors that all methods have in common.
    fn solve(
        &self,
        structure: Structure,
        b: Output<'_, T, Self>,
        a: MatrixOperand<'_, T, Self>,
    ) -> Result<(), Error> {
        on_host::solve(self, structure, b, a)
    }
}

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
    #[doc(hidden)]
    fn svd_on_host(
        s: Output<'_, Self::Magnitude, Cpu>,
        vectors: Option<[Output<'_, Self, Cpu>; 2]>,
        a: MatrixOperand<'_, Self, Cpu>,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn eigh_on_host(
        w: Output<'_, Self::Magnitude, Cpu>,
        v: Option<Output<'_, Self, Cpu>>,
        a: MatrixOperand<'_, Self, Cpu>,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn eig_on_host(
        w: Output<'_, Self::Complex, Cpu>,
        v: Option<Output<'_, Self::Complex, Cpu>>,
        a: MatrixOperand<'_, Self, Cpu>,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn schur_on_host(
        t: Output<'_, Self, Cpu>,
        z: Output<'_, Self, Cpu>,
        a: MatrixOperand<'_, Self, Cpu>,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn qr_on_host(
        q: Option<Output<'_, Self, Cpu>>,
        r: Output<'_, Self, Cpu>,
        a: MatrixOperand<'_, Self, Cpu>,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn lu_on_host(
        lu: Output<'_, Self, Cpu>,
        rows: Output<'_, i64, Cpu>,
        a: MatrixOperand<'_, Self, Cpu>,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn ldl_on_host(
        l: Output<'_, Self, Cpu>,
        d: Output<'_, Self, Cpu>,
        rows: Output<'_, i64, Cpu>,
        a: MatrixOperand<'_, Self, Cpu>,
    ) -> Result<(), Error>;
    #[doc(hidden)]
    fn cholesky_on_host(l: Output<'_, Self, Cpu>, a: MatrixOperand<'_, Self, Cpu>) -> Result<(), Error>;
    #[doc(hidden)]
    fn solve_on_host(
        structure: Structure,
        b: Output<'_, Self, Cpu>,
        a: MatrixOperand<'_, Self, Cpu>,
    ) -> Result<(), Error>;
}

/// Implements [`LinalgElement`]. The `*_on_host` functions are not generic, so they are compiled in this crate, once for each type.
macro_rules! linalg_elements {
    ($($T:ident $R:ident $C:ident $from_complex:expr),*) => {$(
        #[diagnostic::do_not_recommend]
        impl LinalgElement for $T {
            type Complex = $C;
            fn complex(re: $R, im: $R) -> $C {
                $C::new(re, im)
            }
            fn to_complex(self) -> $C {
                $C::new(Scalar::re(self), Scalar::im(self))
            }
            fn from_complex(x: $C) -> $T {
                $from_complex(x)
            }
            fn svd_on_host(
                s: Output<'_, $R, Cpu>,
                vectors: Option<[Output<'_, $T, Cpu>; 2]>,
                a: MatrixOperand<'_, $T, Cpu>,
            ) -> Result<(), Error> {
                kernels::svd::svd(s, vectors, a)
            }
            fn eigh_on_host(
                w: Output<'_, $R, Cpu>,
                v: Option<Output<'_, $T, Cpu>>,
                a: MatrixOperand<'_, $T, Cpu>,
            ) -> Result<(), Error> {
                kernels::eigh::eigh(w, v, a)
            }
            fn eig_on_host(
                w: Output<'_, $C, Cpu>,
                v: Option<Output<'_, $C, Cpu>>,
                a: MatrixOperand<'_, $T, Cpu>,
            ) -> Result<(), Error> {
                kernels::eig::eig(w, v, a)
            }
            fn schur_on_host(
                t: Output<'_, $T, Cpu>,
                z: Output<'_, $T, Cpu>,
                a: MatrixOperand<'_, $T, Cpu>,
            ) -> Result<(), Error> {
                kernels::schur::schur(t, z, a)
            }
            fn qr_on_host(
                q: Option<Output<'_, $T, Cpu>>,
                r: Output<'_, $T, Cpu>,
                a: MatrixOperand<'_, $T, Cpu>,
            ) -> Result<(), Error> {
                kernels::qr::qr(q, r, a)
            }
            fn lu_on_host(
                lu: Output<'_, $T, Cpu>,
                rows: Output<'_, i64, Cpu>,
                a: MatrixOperand<'_, $T, Cpu>,
            ) -> Result<(), Error> {
                kernels::lu::lu(lu, rows, a)
            }
            fn ldl_on_host(
                l: Output<'_, $T, Cpu>,
                d: Output<'_, $T, Cpu>,
                rows: Output<'_, i64, Cpu>,
                a: MatrixOperand<'_, $T, Cpu>,
            ) -> Result<(), Error> {
                kernels::ldl::ldl(l, d, rows, a)
            }
            fn cholesky_on_host(l: Output<'_, $T, Cpu>, a: MatrixOperand<'_, $T, Cpu>) -> Result<(), Error> {
                kernels::cholesky::cholesky(l, a)
            }
            fn solve_on_host(
                structure: Structure,
                b: Output<'_, $T, Cpu>,
                a: MatrixOperand<'_, $T, Cpu>,
            ) -> Result<(), Error> {
                kernels::solve::solve(structure, b, a)
            }
        }
    )*};
}
linalg_elements!(f32 f32 c32 Scalar::re, f64 f64 c64 Scalar::re, c32 f32 c32 core::convert::identity, c64 f64 c64 core::convert::identity);

impl<T: LinalgElement> Decompose<T> for Cpu {
    fn svd(
        &self,
        s: Output<'_, T::Magnitude, Cpu>,
        vectors: Option<[Output<'_, T, Cpu>; 2]>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        T::svd_on_host(s, vectors, a)
    }
    fn eigh(
        &self,
        w: Output<'_, T::Magnitude, Cpu>,
        v: Option<Output<'_, T, Cpu>>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        T::eigh_on_host(w, v, a)
    }
    fn eig(
        &self,
        w: Output<'_, T::Complex, Cpu>,
        v: Option<Output<'_, T::Complex, Cpu>>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        T::eig_on_host(w, v, a)
    }
    fn schur(
        &self,
        t: Output<'_, T, Cpu>,
        z: Output<'_, T, Cpu>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        T::schur_on_host(t, z, a)
    }
    fn qr(
        &self,
        q: Option<Output<'_, T, Cpu>>,
        r: Output<'_, T, Cpu>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        T::qr_on_host(q, r, a)
    }
    fn lu(
        &self,
        lu: Output<'_, T, Cpu>,
        rows: Output<'_, i64, Cpu>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        T::lu_on_host(lu, rows, a)
    }
    fn ldl(
        &self,
        l: Output<'_, T, Cpu>,
        d: Output<'_, T, Cpu>,
        rows: Output<'_, i64, Cpu>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        T::ldl_on_host(l, d, rows, a)
    }
    fn cholesky(&self, l: Output<'_, T, Cpu>, a: MatrixOperand<'_, T, Cpu>) -> Result<(), Error> {
        T::cholesky_on_host(l, a)
    }
    fn solve(
        &self,
        structure: Structure,
        b: Output<'_, T, Cpu>,
        a: MatrixOperand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        T::solve_on_host(structure, b, a)
    }
}
