//! Conversions between tensors and the matrices, columns and rows of the [`faer`] crate. Requires the feature `faer`.
//!
//! Views convert in both directions without a copy: the views of both libraries have strides of any sign. The memory order of a
//! tensor view only determines its iteration order. An owned `Mat` is column-major, with columns that begin at multiples of 64
//! bytes. If there is no padding between the columns, a tensor can take ownership of the matrix's memory.
//!
//! If one extent is 0, faer allows larger other extents than tensors do. `try_into` returns an error for such shapes, `into` panics.
//!
//! | from | to | |
//! |---|---|---|
//! | `MatRef`, `&Mat` | `TensorView<_, Rank<2>>` of either order | free |
//! | `MatMut`, `&mut Mat` | `TensorViewMut<_, Rank<2>>` of either order | free |
//! | `ColRef`, `RowRef`, `ColMut`, `RowMut` | `TensorView`, `TensorViewMut` of rank 1 | free |
//! | `TensorView`, `TensorViewMut` of rank 2 | `MatRef`, `MatMut` | free |
//! | `TensorView`, `TensorViewMut` of rank 1 | `ColRef`, `ColMut` | free |
//! | `Mat` without padding between its columns | `Tensor<_, Rank<2>, ColMajor>` | free (`try_into`) |
//! | `Mat` with padding | `Tensor` | an error that returns the matrix |
//! | any matrix or view | `Tensor` of either order, by [`Tensor::copy_of`] | one pass |
//! | `Tensor` | `Mat` by `MatRef::from(x.view()).to_owned()` | one pass, as faer allocates its own memory |
//!
//! ```
//! use faer::{Mat, MatRef, mat};
//! use vierbein::prelude::*;
//!
//! let m = mat![[1.0, 2.0], [3.0, 4.0]];
//! let x = TensorView::<f64, Rank<2>>::from(&m);
//! assert_eq!(x.as_ptr(), m.as_ptr());
//! assert_eq!(x, tensor![[1.0, 2.0], [3.0, 4.0]]);
//! let t = tensor![[0.0, 1.0], [1.0, 0.0]];
//! assert_eq!(MatRef::from(t.view())[(0, 1)], 1.0);
//!
//! let tall = Mat::from_fn(8, 3, |i, j| (10 * i + j) as f64); // a column is 64 bytes
//! let address = tall.as_ptr();
//! let y: Tensor<f64, Rank<2>, ColMajor> = tall.try_into()?;
//! assert_eq!((y.as_ptr(), y[[7, 2]]), (address, 72.0));
//! let rejected = Tensor::<f64, Rank<2>, ColMajor>::try_from(m).unwrap_err();
//! assert_eq!(
//!     rejected.to_string(),
//!     "cannot make a tensor without a copy: the matrix of shape [2, 2] with strides [1, 8] \
//!      has padding between its columns; copy it with `Tensor::copy_of(&matrix)`"
//! );
//! let z: Tensor<f64, Rank<2>, ColMajor> = Tensor::copy_of(&rejected.value);
//! assert_eq!(z.as_slice(), [1.0, 3.0, 2.0, 4.0]);
//! # Ok::<(), vierbein::Error>(())
//! ```

use crate::device::ForeignMemory;
use crate::element::Element;
use crate::error::{ConversionError, Error, unwrap_or_panic};
use crate::layout::is_contiguous;
use crate::order::{ColMajor, Order};
use crate::rank::Rank;
use crate::tensor::{Tensor, TensorView, TensorViewMut};
use faer::{ColMut, ColRef, Mat, MatMut, MatRef, RowMut, RowRef};

// ------------------------------------------------------------------ from faer

impl<'a, T: Element, O: Order> From<MatRef<'a, T>> for TensorView<'a, T, Rank<2>, O> {
    /// Returns a view of the same elements at the same indices. Free.
    #[track_caller]
    fn from(m: MatRef<'a, T>) -> Self {
        let (shape, strides) = ([m.nrows(), m.ncols()], [m.row_stride(), m.col_stride()]);
        // SAFETY: for every index within the shape, the strides lead to an element that `m` borrows for `'a`.
        unwrap_or_panic(unsafe { TensorView::from_raw_parts(m.as_ptr(), shape, strides) })
    }
}

impl<'a, T: Element, O: Order> From<&'a Mat<T>> for TensorView<'a, T, Rank<2>, O> {
    /// Returns a view of the same elements at the same indices. Free.
    fn from(m: &'a Mat<T>) -> Self {
        m.as_ref().into()
    }
}

impl<'a, T: Element, O: Order> From<MatMut<'a, T>> for TensorViewMut<'a, T, Rank<2>, O> {
    /// Returns a view of the same elements at the same indices. Free.
    ///
    /// # Panics
    /// If two indices might share an element.
    #[track_caller]
    fn from(m: MatMut<'a, T>) -> Self {
        let (shape, strides) = ([m.nrows(), m.ncols()], [m.row_stride(), m.col_stride()]);
        // SAFETY: for every index within the shape, the strides lead to an element that `m` borrows exclusively for `'a`. `m` is
        // consumed.
        unwrap_or_panic(unsafe { TensorViewMut::from_raw_parts(m.as_ptr_mut(), shape, strides) })
    }
}

impl<'a, T: Element, O: Order> From<&'a mut Mat<T>> for TensorViewMut<'a, T, Rank<2>, O> {
    /// Returns a view of the same elements at the same indices. Free.
    fn from(m: &'a mut Mat<T>) -> Self {
        m.as_mut().into()
    }
}

macro_rules! vectors {
    ($($shared:ident $exclusive:ident $len:ident $stride:ident;)*) => {$(
        impl<'a, T: Element, O: Order> From<$shared<'a, T>> for TensorView<'a, T, Rank<1>, O> {
            /// Returns a view of the same elements. Free.
            #[track_caller]
            fn from(v: $shared<'a, T>) -> Self {
                // SAFETY: length and stride are those of `v`, which borrows its elements for `'a`.
                unwrap_or_panic(unsafe { TensorView::from_raw_parts(v.as_ptr(), [v.$len()], [v.$stride()]) })
            }
        }

        impl<'a, T: Element, O: Order> From<$exclusive<'a, T>> for TensorViewMut<'a, T, Rank<1>, O> {
            /// Returns a view of the same elements. Free.
            ///
            /// # Panics
            /// If two indices share an element.
            #[track_caller]
            fn from(v: $exclusive<'a, T>) -> Self {
                let (shape, strides) = ([v.$len()], [v.$stride()]);
                // SAFETY: length and stride are those of `v`, which borrows its elements exclusively for `'a`. `v` is consumed.
                unwrap_or_panic(unsafe { TensorViewMut::from_raw_parts(v.as_ptr_mut(), shape, strides) })
            }
        }
    )*};
}
vectors! {
    ColRef ColMut nrows row_stride;
    RowRef RowMut ncols col_stride;
}

/// A matrix without padding between its columns.
struct Dense<T>(Mat<T>);

// SAFETY: the matrix owns the elements, and `Dense` gives no access to them except by `elements`. `try_from` has checked that they
// are contiguous.
unsafe impl<T: Element> ForeignMemory<T> for Dense<T> {
    fn elements(&mut self) -> &mut [T] {
        let len = self.0.nrows() * self.0.ncols();
        // SAFETY: there is no padding between the columns, so `len` initialised elements follow the pointer. `self` is borrowed
        // mutably, so nothing else accesses them.
        unsafe { core::slice::from_raw_parts_mut(self.0.as_ptr_mut(), len) }
    }
}

impl<T: Element> TryFrom<Mat<T>> for Tensor<T, Rank<2>, ColMajor> {
    type Error = ConversionError<Mat<T>>;

    /// Takes ownership of the matrix's memory, if there is no padding between its columns.
    fn try_from(m: Mat<T>) -> Result<Self, Self::Error> {
        let (shape, strides) = ([m.nrows(), m.ncols()], [m.row_stride(), m.col_stride()]);
        if is_contiguous(&shape, &strides, ColMajor::ROW_MAJOR) {
            return Tensor::try_from_buffer(shape, Dense(m))
                .map_err(|rejected| ConversionError { error: rejected.error, value: rejected.value.0 });
        }
        let reason = format!(
            "the matrix of shape {shape:?} with strides {strides:?} has padding between its columns; \
             copy it with `Tensor::copy_of(&matrix)`"
        );
        Err(ConversionError {
            error: Error::Argument { op: "make a tensor without a copy", reason },
            value: m,
        })
    }
}

// ------------------------------------------------------------------ to faer

impl<'a, T: Element, O: Order> From<TensorView<'a, T, Rank<2>, O>> for MatRef<'a, T> {
    /// Returns a view of the same elements at the same indices. Free.
    fn from(x: TensorView<'a, T, Rank<2>, O>) -> Self {
        let ([rows, columns], [row_stride, col_stride]) = (x.shape(), x.strides());
        // SAFETY: for every index within the shape, the strides lead to an element that `x` borrows for `'a`.
        unsafe { MatRef::from_raw_parts(x.as_ptr(), rows, columns, row_stride, col_stride) }
    }
}

impl<'a, T: Element, O: Order> From<TensorViewMut<'a, T, Rank<2>, O>> for MatMut<'a, T> {
    /// Returns a view of the same elements at the same indices. Free.
    fn from(mut x: TensorViewMut<'a, T, Rank<2>, O>) -> Self {
        let ([rows, columns], [row_stride, col_stride]) = (x.shape(), x.strides());
        // SAFETY: for every index within the shape, the strides lead to an element that `x` borrows exclusively for `'a`. Mutable
        // tensor views do not overlap themselves. `x` is consumed.
        unsafe { MatMut::from_raw_parts_mut(x.as_mut_ptr(), rows, columns, row_stride, col_stride) }
    }
}

impl<'a, T: Element, O: Order> From<TensorView<'a, T, Rank<1>, O>> for ColRef<'a, T> {
    /// Returns a view of the same elements. Free.
    fn from(x: TensorView<'a, T, Rank<1>, O>) -> Self {
        let ([n], [stride]) = (x.shape(), x.strides());
        // SAFETY: length and stride are those of `x`, which borrows its elements for `'a`.
        unsafe { ColRef::from_raw_parts(x.as_ptr(), n, stride) }
    }
}

impl<'a, T: Element, O: Order> From<TensorViewMut<'a, T, Rank<1>, O>> for ColMut<'a, T> {
    /// Returns a view of the same elements. Free.
    fn from(mut x: TensorViewMut<'a, T, Rank<1>, O>) -> Self {
        let ([n], [stride]) = (x.shape(), x.strides());
        // SAFETY: length and stride are those of `x`, which borrows its elements exclusively for `'a`. Mutable tensor views do not
        // overlap themselves. `x` is consumed.
        unsafe { ColMut::from_raw_parts_mut(x.as_mut_ptr(), n, stride) }
    }
}
