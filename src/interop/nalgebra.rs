//! Conversions between tensors and the matrices and vectors of the [`nalgebra`] crate. Requires the feature `nalgebra`.
//!
//! Matrices that nalgebra allocates are column-major. Views of nalgebra have two strides, which must not be negative. If there are
//! several rows, the row stride must not be 0. A tensor view of rank 2 with such strides converts, in either memory order. The memory
//! order only determines the iteration order of the tensor view. A vector, a matrix whose type has one column, converts to a tensor of
//! rank 1, or to a tensor of rank 2 with one column.
//!
//! If one extent is 0, nalgebra allows larger other extents than tensors do. `into` panics for such shapes.
//!
//! | from | to | |
//! |---|---|---|
//! | `&Matrix` of any kind, `MatrixView` | `TensorView` of rank 2 and either order; of rank 1 for vectors | free |
//! | `&mut Matrix` of any kind, `MatrixViewMut` | `TensorViewMut` of rank 2 and either order; of rank 1 for vectors | free |
//! | `TensorView`, `TensorViewMut` of rank 2 or 1 | `MatrixView`, `MatrixViewMut`, `VectorView`, `VectorViewMut` with strides | free (`try_into`, for the strides above) |
//! | `DMatrix` | `Tensor<_, Rank<2>, ColMajor>` | free |
//! | `DVector` | `Tensor<_, Rank<1>>` of either order | free |
//! | `Tensor<_, Rank<2>, ColMajor>` | `DMatrix` | free; for a large result [one pass](crate::device::CpuBuffer), without an allocation |
//! | `Tensor<_, Rank<1>>` of either order | `DVector` | the same as for `DMatrix` |
//! | any matrix | `Tensor` of either order, by [`Tensor::copy_of`] | one pass |
//! | `Tensor<_, Rank<2>, RowMajor>` | `DMatrix` by `.to_order::<ColMajor>().into()` | one pass |
//!
//! `Tensor::from(matrix).into_flipped()` is the row-major tensor of the transpose, for free.
//!
//! ```
//! use nalgebra::{DMatrix, DVector, Dyn, Matrix2x3, MatrixView};
//! use vierbein::prelude::*;
//!
//! let m = DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 3.0, 4.0]);
//! let x = TensorView::<f64, Rank<2>>::from(&m);
//! assert_eq!(x.as_ptr(), m.as_ptr());
//! assert_eq!(x, tensor![[1.0, 2.0], [3.0, 4.0]]);
//!
//! // Row-major memory. A nalgebra view supports it, as it has a stride per axis.
//! let t = tensor![[2.0, 1.0], [1.0, 3.0]];
//! let v: MatrixView<f64, Dyn, Dyn, Dyn, Dyn> = t.view().try_into()?;
//! assert_eq!(v.determinant(), 5.0);
//!
//! let address = m.as_ptr();
//! let y = Tensor::from(m);                            // Tensor<f64, Rank<2>, ColMajor>
//! assert_eq!((y.as_ptr(), y[[0, 1]]), (address, 2.0));
//! let back = DMatrix::from(y);
//! assert_eq!(back.as_ptr(), address);
//!
//! let rows: Tensor<f64, Rank<2>> = Tensor::copy_of(&back);
//! assert_eq!(rows.as_slice(), [1.0, 2.0, 3.0, 4.0]);
//! let fixed = TensorView::<i32, Rank<2>>::from(&Matrix2x3::new(1, 2, 3, 4, 5, 6)).to_owned();
//! assert_eq!(fixed, tensor![[1, 2, 3], [4, 5, 6]]);
//! assert_eq!(Tensor::<f64, Rank<1>>::from(DVector::from_vec(vec![1.0, 2.0])), tensor![1.0, 2.0]);
//! # Ok::<(), vierbein::Error>(())
//! ```

use crate::element::Element;
use crate::error::{Error, unwrap_or_panic};
use crate::order::{ColMajor, Order};
use crate::rank::Rank;
use crate::tensor::{Tensor, TensorView, TensorViewMut};
use nalgebra::{
    DMatrix, DVector, Dim, Dyn, Matrix, RawStorage, RawStorageMut, U1, VecStorage, ViewStorage,
    ViewStorageMut,
};

// ------------------------------------------------------------------ from nalgebra

/// Returns a view of all elements of `data`.
///
/// # Safety
/// The elements of `data` must be borrowed, and not written to, for `'a`.
#[track_caller]
unsafe fn view<'a, T: Element, R: Dim, C: Dim, S: RawStorage<T, R, C>, O: Order>(
    data: &S,
) -> TensorView<'a, T, Rank<2>, O> {
    let ((rows, columns), (row_stride, col_stride)) = (data.shape(), data.strides());
    let shape = [rows.value(), columns.value()];
    let strides = [row_stride.value() as isize, col_stride.value() as isize];
    // SAFETY: `RawStorage` guarantees that shape and strides lead to elements of `data`. The caller ensures that they stay borrowed for
    // `'a`.
    unwrap_or_panic(unsafe { TensorView::from_raw_parts(data.ptr(), shape, strides) })
}

/// Returns a mutable view of all elements of `data`.
///
/// # Safety
/// The elements of `data` must be borrowed exclusively for `'a`.
#[track_caller]
unsafe fn view_mut<'a, T: Element, R: Dim, C: Dim, S: RawStorageMut<T, R, C>, O: Order>(
    data: &mut S,
) -> TensorViewMut<'a, T, Rank<2>, O> {
    let ((rows, columns), (row_stride, col_stride)) = (data.shape(), data.strides());
    let shape = [rows.value(), columns.value()];
    let strides = [row_stride.value() as isize, col_stride.value() as isize];
    // SAFETY: `RawStorageMut` guarantees that shape and strides lead to elements of `data`. The caller ensures exclusive access for
    // `'a`. `from_raw_parts` rejects strides with which two indices could share an element.
    unwrap_or_panic(unsafe { TensorViewMut::from_raw_parts(data.ptr_mut(), shape, strides) })
}

/// Returns the only column of `x` as a view of rank 1.
fn column<'a, T: Element, O: Order>(x: TensorView<'a, T, Rank<2>, O>) -> TensorView<'a, T, Rank<1>, O> {
    let ([n, _], [stride, _]) = (x.shape(), x.strides());
    // SAFETY: `x` has one column, so these are all its elements, which it borrows for `'a`.
    unwrap_or_panic(unsafe { TensorView::from_raw_parts(x.as_ptr(), [n], [stride]) })
}

/// Returns the only column of `x` as a mutable view of rank 1.
fn column_mut<'a, T: Element, O: Order>(
    mut x: TensorViewMut<'a, T, Rank<2>, O>,
) -> TensorViewMut<'a, T, Rank<1>, O> {
    let ([n, _], [stride, _]) = (x.shape(), x.strides());
    // SAFETY: `x` has one column, so these are all its elements, which it borrows exclusively for `'a`. `x` is consumed.
    unwrap_or_panic(unsafe { TensorViewMut::from_raw_parts(x.as_mut_ptr(), [n], [stride]) })
}

impl<'a, T: Element, R: Dim, C: Dim, S: RawStorage<T, R, C>, O: Order> From<&'a Matrix<T, R, C, S>>
    for TensorView<'a, T, Rank<2>, O>
{
    /// Returns a view of the same elements at the same indices. Free.
    #[track_caller]
    fn from(matrix: &'a Matrix<T, R, C, S>) -> Self {
        // SAFETY: `matrix`, which contains the storage, is borrowed for `'a`.
        unsafe { view(&matrix.data) }
    }
}

impl<'a, T: Element, R: Dim, S: RawStorage<T, R, U1>, O: Order> From<&'a Matrix<T, R, U1, S>>
    for TensorView<'a, T, Rank<1>, O>
{
    /// Returns a view of the elements of a vector. Free.
    #[track_caller]
    fn from(vector: &'a Matrix<T, R, U1, S>) -> Self {
        // SAFETY: `vector`, which contains the storage, is borrowed for `'a`.
        column(unsafe { view(&vector.data) })
    }
}

impl<'a, T: Element, R: Dim, C: Dim, RS: Dim, CS: Dim, O: Order>
    From<Matrix<T, R, C, ViewStorage<'a, T, R, C, RS, CS>>> for TensorView<'a, T, Rank<2>, O>
{
    /// Returns a view of the same elements at the same indices. Free.
    #[track_caller]
    fn from(matrix: Matrix<T, R, C, ViewStorage<'a, T, R, C, RS, CS>>) -> Self {
        // SAFETY: the storage is a view, which borrows the elements for `'a`.
        unsafe { view(&matrix.data) }
    }
}

impl<'a, T: Element, R: Dim, C: Dim, S: RawStorageMut<T, R, C>, O: Order> From<&'a mut Matrix<T, R, C, S>>
    for TensorViewMut<'a, T, Rank<2>, O>
{
    /// Returns a view of the same elements at the same indices. Free.
    ///
    /// # Panics
    /// If two indices might share an element. Safe functions of nalgebra do not create such matrices.
    #[track_caller]
    fn from(matrix: &'a mut Matrix<T, R, C, S>) -> Self {
        // SAFETY: `matrix`, which contains the storage, is borrowed mutably for `'a`.
        unsafe { view_mut(&mut matrix.data) }
    }
}

impl<'a, T: Element, R: Dim, S: RawStorageMut<T, R, U1>, O: Order> From<&'a mut Matrix<T, R, U1, S>>
    for TensorViewMut<'a, T, Rank<1>, O>
{
    /// Returns a view of the elements of a vector. Free.
    ///
    /// # Panics
    /// If two indices might share an element. Safe functions of nalgebra do not create such matrices.
    #[track_caller]
    fn from(vector: &'a mut Matrix<T, R, U1, S>) -> Self {
        // SAFETY: `vector`, which contains the storage, is borrowed mutably for `'a`.
        column_mut(unsafe { view_mut(&mut vector.data) })
    }
}

impl<'a, T: Element, R: Dim, C: Dim, RS: Dim, CS: Dim, O: Order>
    From<Matrix<T, R, C, ViewStorageMut<'a, T, R, C, RS, CS>>> for TensorViewMut<'a, T, Rank<2>, O>
{
    /// Returns a view of the same elements at the same indices. Free.
    ///
    /// # Panics
    /// If two indices might share an element. Safe functions of nalgebra do not create such matrices.
    #[track_caller]
    fn from(mut matrix: Matrix<T, R, C, ViewStorageMut<'a, T, R, C, RS, CS>>) -> Self {
        // SAFETY: the storage is a view, which borrows the elements exclusively for `'a`. `matrix` is consumed.
        unsafe { view_mut(&mut matrix.data) }
    }
}

impl<T: Element> From<DMatrix<T>> for Tensor<T, Rank<2>, ColMajor> {
    /// Takes ownership of the matrix's memory.
    fn from(matrix: DMatrix<T>) -> Self {
        let (rows, columns) = matrix.shape();
        Tensor::from_vec([rows, columns], matrix.data.into())
    }
}

impl<T: Element, O: Order> From<DVector<T>> for Tensor<T, Rank<1>, O> {
    /// Takes ownership of the vector's memory.
    fn from(vector: DVector<T>) -> Self {
        Tensor::from_vec([vector.len()], vector.data.into())
    }
}

// ------------------------------------------------------------------ to nalgebra

/// Converts strides to those of nalgebra, which are unsigned. Returns an error if a stride is negative. Also returns an error if
/// the row stride is 0 and there are several rows: nalgebra's iterators stop at the address after the last row, which would be the
/// first row's address.
fn steps<const N: usize>(shape: [usize; N], strides: [isize; N]) -> Result<[usize; N], Error> {
    let rejected = |reason: &str| Error::InvalidStrides {
        op: "make a nalgebra view",
        shape: shape.to_vec(),
        strides: strides.to_vec(),
        reason: format!("{reason}; copy the tensor first with `.to_owned()`"),
    };
    let mut steps = [0; N];
    for (step, &stride) in steps.iter_mut().zip(&strides) {
        *step = stride.try_into().map_err(|_| rejected("nalgebra does not support negative strides"))?;
    }
    if shape[0] <= 1 {
        steps[0] = 1;
    } else if steps[0] == 0 && !shape.contains(&0) {
        return Err(rejected("nalgebra does not support a row stride of 0"));
    }
    Ok(steps)
}

impl<'a, T: Element, O: Order> TryFrom<TensorView<'a, T, Rank<2>, O>>
    for Matrix<T, Dyn, Dyn, ViewStorage<'a, T, Dyn, Dyn, Dyn, Dyn>>
{
    type Error = Error;

    /// Returns a view of the same elements at the same indices. Free.
    ///
    /// # Errors
    /// If a stride is negative, or if there are several rows and the row stride is 0.
    fn try_from(x: TensorView<'a, T, Rank<2>, O>) -> Result<Self, Error> {
        let [rows, columns] = x.shape();
        let [row_stride, col_stride] = steps(x.shape(), x.strides())?;
        // SAFETY: for every index within the shape, the strides lead to an element that `x` borrows for `'a`. `steps` only changes the
        // stride of an axis with at most one index.
        let data = unsafe {
            ViewStorage::from_raw_parts(
                x.as_ptr(),
                (Dyn(rows), Dyn(columns)),
                (Dyn(row_stride), Dyn(col_stride)),
            )
        };
        Ok(Matrix::from_data(data))
    }
}

impl<'a, T: Element, O: Order> TryFrom<TensorViewMut<'a, T, Rank<2>, O>>
    for Matrix<T, Dyn, Dyn, ViewStorageMut<'a, T, Dyn, Dyn, Dyn, Dyn>>
{
    type Error = Error;

    /// Returns a view of the same elements at the same indices. Free.
    ///
    /// # Errors
    /// If a stride is negative.
    fn try_from(mut x: TensorViewMut<'a, T, Rank<2>, O>) -> Result<Self, Error> {
        let [rows, columns] = x.shape();
        let [row_stride, col_stride] = steps(x.shape(), x.strides())?;
        // SAFETY: for every index within the shape, the strides lead to an element that `x` borrows exclusively for `'a`. `steps` only
        // changes the stride of an axis with at most one index. `x` is consumed.
        let data = unsafe {
            ViewStorageMut::from_raw_parts(
                x.as_mut_ptr(),
                (Dyn(rows), Dyn(columns)),
                (Dyn(row_stride), Dyn(col_stride)),
            )
        };
        Ok(Matrix::from_data(data))
    }
}

impl<'a, T: Element, O: Order> TryFrom<TensorView<'a, T, Rank<1>, O>>
    for Matrix<T, Dyn, U1, ViewStorage<'a, T, Dyn, U1, Dyn, Dyn>>
{
    type Error = Error;

    /// Returns a view of the same elements. Free.
    ///
    /// # Errors
    /// If the stride is negative, or if there are several elements and the stride is 0.
    fn try_from(x: TensorView<'a, T, Rank<1>, O>) -> Result<Self, Error> {
        let [n] = x.shape();
        let [step] = steps(x.shape(), x.strides())?;
        // SAFETY: length and stride are those of `x`, which borrows its elements for `'a`.
        let data = unsafe { ViewStorage::from_raw_parts(x.as_ptr(), (Dyn(n), U1), (Dyn(step), Dyn(0))) };
        Ok(Matrix::from_data(data))
    }
}

impl<'a, T: Element, O: Order> TryFrom<TensorViewMut<'a, T, Rank<1>, O>>
    for Matrix<T, Dyn, U1, ViewStorageMut<'a, T, Dyn, U1, Dyn, Dyn>>
{
    type Error = Error;

    /// Returns a view of the same elements. Free.
    ///
    /// # Errors
    /// If the stride is negative.
    fn try_from(mut x: TensorViewMut<'a, T, Rank<1>, O>) -> Result<Self, Error> {
        let [n] = x.shape();
        let [step] = steps(x.shape(), x.strides())?;
        // SAFETY: length and stride are those of `x`, which borrows its elements exclusively for `'a`. `x` is consumed.
        let data =
            unsafe { ViewStorageMut::from_raw_parts(x.as_mut_ptr(), (Dyn(n), U1), (Dyn(step), Dyn(0))) };
        Ok(Matrix::from_data(data))
    }
}

impl<T: Element> From<Tensor<T, Rank<2>, ColMajor>> for DMatrix<T> {
    /// Takes ownership of the tensor's memory.
    fn from(x: Tensor<T, Rank<2>, ColMajor>) -> Self {
        let [rows, columns] = x.shape();
        Matrix::from_data(VecStorage::new(Dyn(rows), Dyn(columns), x.into_vec()))
    }
}

impl<T: Element, O: Order> From<Tensor<T, Rank<1>, O>> for DVector<T> {
    /// Takes ownership of the tensor's memory.
    fn from(x: Tensor<T, Rank<1>, O>) -> Self {
        let [n] = x.shape();
        Matrix::from_data(VecStorage::new(Dyn(n), U1, x.into_vec()))
    }
}
