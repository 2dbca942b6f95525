//! Matrices, columns and rows of the [`faer`] crate. Feature `faer`.
//!
//! Views of faer have strides of any sign, as those of tensors have: they pass both ways as they are, in either order, which says
//! how they are enumerated. An owned `Mat` is column-major, and its columns begin at multiples of 64 bytes: where they fill those
//! there is nothing between them, and a tensor can take its memory over.
//!
//! Where one axis has length 0, the others can be longer here than any tensor's: `try_into` gives an error of those, `into` panics.
//!
//! | from | to | |
//! |---|---|---|
//! | `MatRef`, `&Mat` | `TensorView<_, Rank<2>>` of either order | free |
//! | `MatMut`, `&mut Mat` | `TensorViewMut<_, Rank<2>>` of either order | free |
//! | `ColRef`, `RowRef`, `ColMut`, `RowMut` | `TensorView`, `TensorViewMut` of rank 1 | free |
//! | `TensorView`, `TensorViewMut` of rank 2 | `MatRef`, `MatMut` | free |
//! | `TensorView`, `TensorViewMut` of rank 1 | `ColRef`, `ColMut` | free |
//! | `Mat` without gaps between its columns | `Tensor<_, Rank<2>, ColMajor>` | free (`try_into`) |
//! | `Mat` with gaps | `Tensor` | an error, and the matrix back |
//! | any matrix or view | `Tensor` of either order, by [`Tensor::copy_of`] | one pass |
//! | `Tensor` | `Mat` by `MatRef::from(x.view()).to_owned()` | one pass: faer allocates for itself |
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
//! let refused = Tensor::<f64, Rank<2>, ColMajor>::try_from(m).unwrap_err();
//! assert_eq!(
//!     refused.to_string(),
//!     "cannot make a tensor without a copy: the matrix of shape [2, 2] with strides [1, 8] \
//!      has gaps between its columns; copy it with `Tensor::copy_of(&matrix)`"
//! );
//! let z: Tensor<f64, Rank<2>, ColMajor> = Tensor::copy_of(&refused.value);
//! assert_eq!(z.as_slice(), [1.0, 3.0, 2.0, 4.0]);
//! # Ok::<(), vierbein::Error>(())
//! ```

use crate::device::ForeignMemory;
use crate::element::Element;
use crate::error::{ConversionError, Error, expect};
use crate::layout::is_dense;
use crate::order::{ColMajor, Order};
use crate::rank::Rank;
use crate::tensor::{Tensor, TensorView, TensorViewMut};
use faer::{ColMut, ColRef, Mat, MatMut, MatRef, RowMut, RowRef};

// ------------------------------------------------------------------ from faer

impl<'a, T: Element, O: Order> From<MatRef<'a, T>> for TensorView<'a, T, Rank<2>, O> {
    /// The same elements at the same indices. Free.
    #[track_caller]
    fn from(m: MatRef<'a, T>) -> Self {
        let (shape, strides) = ([m.nrows(), m.ncols()], [m.row_stride(), m.col_stride()]);
        // SAFETY: the matrix borrows the elements of all its indices for `'a`.
        expect(unsafe { TensorView::from_raw_parts(m.as_ptr(), shape, strides) })
    }
}

impl<'a, T: Element, O: Order> From<&'a Mat<T>> for TensorView<'a, T, Rank<2>, O> {
    /// The same elements at the same indices. Free.
    fn from(m: &'a Mat<T>) -> Self {
        m.as_ref().into()
    }
}

impl<'a, T: Element, O: Order> From<MatMut<'a, T>> for TensorViewMut<'a, T, Rank<2>, O> {
    /// The same elements at the same indices. Free.
    ///
    /// # Panics
    /// If two indices might share an element.
    #[track_caller]
    fn from(m: MatMut<'a, T>) -> Self {
        let (shape, strides) = ([m.nrows(), m.ncols()], [m.row_stride(), m.col_stride()]);
        // SAFETY: the matrix borrows the elements of all its indices for `'a`, alone, and is given away.
        expect(unsafe { TensorViewMut::from_raw_parts(m.as_ptr_mut(), shape, strides) })
    }
}

impl<'a, T: Element, O: Order> From<&'a mut Mat<T>> for TensorViewMut<'a, T, Rank<2>, O> {
    /// The same elements at the same indices. Free.
    fn from(m: &'a mut Mat<T>) -> Self {
        m.as_mut().into()
    }
}

macro_rules! vectors {
    ($($shared:ident $exclusive:ident $len:ident $stride:ident;)*) => {$(
        impl<'a, T: Element, O: Order> From<$shared<'a, T>> for TensorView<'a, T, Rank<1>, O> {
            /// The same elements. Free.
            #[track_caller]
            fn from(v: $shared<'a, T>) -> Self {
                // SAFETY: the vector borrows its elements for `'a`.
                expect(unsafe { TensorView::from_raw_parts(v.as_ptr(), [v.$len()], [v.$stride()]) })
            }
        }

        impl<'a, T: Element, O: Order> From<$exclusive<'a, T>> for TensorViewMut<'a, T, Rank<1>, O> {
            /// The same elements. Free.
            ///
            /// # Panics
            /// If two indices share an element.
            #[track_caller]
            fn from(v: $exclusive<'a, T>) -> Self {
                let (shape, strides) = ([v.$len()], [v.$stride()]);
                // SAFETY: the vector borrows its elements for `'a`, alone, and is given away.
                expect(unsafe { TensorViewMut::from_raw_parts(v.as_ptr_mut(), shape, strides) })
            }
        }
    )*};
}
vectors! {
    ColRef ColMut nrows row_stride;
    RowRef RowMut ncols col_stride;
}

/// A matrix without gaps between its columns.
struct Dense<T>(Mat<T>);

// SAFETY: the elements are the matrix's own, which nobody touches. It is dense, so they lie side by side.
unsafe impl<T: Element> ForeignMemory<T> for Dense<T> {
    fn elements(&mut self) -> &mut [T] {
        let len = self.0.nrows() * self.0.ncols();
        // SAFETY: the columns follow each other without a gap, and the matrix is borrowed mutably.
        unsafe { core::slice::from_raw_parts_mut(self.0.as_ptr_mut(), len) }
    }
}

impl<T: Element> TryFrom<Mat<T>> for Tensor<T, Rank<2>, ColMajor> {
    type Error = ConversionError<Mat<T>>;

    /// The matrix's own memory, if there are no gaps between its columns.
    fn try_from(m: Mat<T>) -> Result<Self, Self::Error> {
        let (shape, strides) = ([m.nrows(), m.ncols()], [m.row_stride(), m.col_stride()]);
        if is_dense(&shape, &strides, ColMajor::ROW_MAJOR) {
            return Tensor::try_from_buffer(shape, Dense(m))
                .map_err(|refused| ConversionError { error: refused.error, value: refused.value.0 });
        }
        let why = format!(
            "the matrix of shape {shape:?} with strides {strides:?} has gaps between its columns; copy it with `Tensor::copy_of(&matrix)`"
        );
        Err(ConversionError { error: Error::Argument { op: "make a tensor without a copy", why }, value: m })
    }
}

// ------------------------------------------------------------------ to faer

impl<'a, T: Element, O: Order> From<TensorView<'a, T, Rank<2>, O>> for MatRef<'a, T> {
    /// The same elements at the same indices. Free.
    fn from(x: TensorView<'a, T, Rank<2>, O>) -> Self {
        let ([rows, columns], [down, across]) = (x.shape(), x.strides());
        // SAFETY: the tensor borrows the elements of all its indices for `'a`.
        unsafe { MatRef::from_raw_parts(x.as_ptr(), rows, columns, down, across) }
    }
}

impl<'a, T: Element, O: Order> From<TensorViewMut<'a, T, Rank<2>, O>> for MatMut<'a, T> {
    /// The same elements at the same indices. Free.
    fn from(mut x: TensorViewMut<'a, T, Rank<2>, O>) -> Self {
        let ([rows, columns], [down, across]) = (x.shape(), x.strides());
        // SAFETY: the tensor borrows the elements of all its indices for `'a`, alone, and is given away.
        unsafe { MatMut::from_raw_parts_mut(x.as_mut_ptr(), rows, columns, down, across) }
    }
}

impl<'a, T: Element, O: Order> From<TensorView<'a, T, Rank<1>, O>> for ColRef<'a, T> {
    /// The same elements. Free.
    fn from(x: TensorView<'a, T, Rank<1>, O>) -> Self {
        let ([n], [stride]) = (x.shape(), x.strides());
        // SAFETY: the tensor borrows its elements for `'a`.
        unsafe { ColRef::from_raw_parts(x.as_ptr(), n, stride) }
    }
}

impl<'a, T: Element, O: Order> From<TensorViewMut<'a, T, Rank<1>, O>> for ColMut<'a, T> {
    /// The same elements. Free.
    fn from(mut x: TensorViewMut<'a, T, Rank<1>, O>) -> Self {
        let ([n], [stride]) = (x.shape(), x.strides());
        // SAFETY: the tensor borrows its elements for `'a`, alone, and is given away.
        unsafe { ColMut::from_raw_parts_mut(x.as_mut_ptr(), n, stride) }
    }
}
