//! Conversions between tensors and the arrays of the [`ndarray`] crate. Requires the feature `ndarray`.
//!
//! Views convert in both directions without a copy: the views of both libraries have strides of any sign. The memory order of a
//! tensor view only determines its iteration order. An owned array converts without a copy if it is contiguous in the memory order
//! of the tensor's type.
//!
//! If one extent is 0, ndarray allows larger other extents than tensors do. `try_into` returns an error for such shapes, `into` panics.
//!
//! | from | to | |
//! |---|---|---|
//! | `ArrayView`, `&Array` | `TensorView` of either order | free |
//! | `ArrayViewMut`, `&mut Array` | `TensorViewMut` of either order | free |
//! | `TensorView`, `TensorViewMut` | `ArrayView`, `ArrayViewMut` | free |
//! | `Array` in standard layout | `Tensor<.., RowMajor>` | free (`try_into`) |
//! | `Array` in Fortran layout | `Tensor<.., ColMajor>` | free (`try_into`) |
//! | `Array` in any other layout | `Tensor` | an error that returns the array |
//! | any array or view | `Tensor` of either order, by [`Tensor::copy_of`] | one pass |
//! | `Tensor` of either order | `Array` in that order's layout | free; for a large result [one pass](crate::device::CpuBuffer), without an allocation |
//!
//! Ranks 0 to 6 are `Ix0` to `Ix6`. A tensor of any rank converts to `IxDyn`; the opposite conversion checks the rank.
//!
//! ```
//! use ndarray::{Array2, ArrayView2, array};
//! use vierbein::prelude::*;
//!
//! let a = array![[1.0, 2.0], [3.0, 4.0]];
//! let x = TensorView::<f64, _>::from(&a);
//! assert_eq!(x.as_ptr(), a.as_ptr());
//! assert_eq!(x, tensor![[1.0, 2.0], [3.0, 4.0]]);
//!
//! let t = x.matmul(&x.t());
//! let b = ArrayView2::from(t.view());
//! assert_eq!(b, a.dot(&a.t()));
//!
//! // Owned arrays: the type of the tensor must name the array's layout.
//! let address = a.as_ptr();
//! let y: Tensor<f64, Rank<2>> = a.try_into()?;
//! assert_eq!(y.as_ptr(), address);
//! let rejected = Tensor::<f64, _, ColMajor>::try_from(Array2::from(y)).unwrap_err();
//! assert_eq!(
//!     rejected.to_string(),
//!     "cannot make a column-major tensor without a copy: the array of shape [2, 2] with strides [2, 1] \
//!      is contiguous in row-major order; copy it with `Tensor::copy_of(&array)`, or make a `RowMajor` tensor"
//! );
//! let z: Tensor<f64, Rank<2>, ColMajor> = Tensor::copy_of(&rejected.value);
//! assert_eq!(z.as_slice(), [1.0, 3.0, 2.0, 4.0]);
//! # Ok::<(), vierbein::Error>(())
//! ```

use crate::device::ForeignMemory;
use crate::element::Element;
use crate::error::{ConversionError, Error, unwrap_or_panic};
use crate::layout::{element_count, is_contiguous};
use crate::order::{ColMajor, Order, RowMajor};
use crate::rank::{Dim, Rank, other_rank, shape_of};
use crate::tensor::{Tensor, TensorView, TensorViewMut};
use ndarray::{
    Array, ArrayBase, ArrayD, ArrayView, ArrayViewD, ArrayViewMut, ArrayViewMutD, Axis, Data, DataMut,
    Dimension, Ix0, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, IxDyn, RawArrayView, RawArrayViewMut, ShapeBuilder,
    StrideShape,
};

// ------------------------------------------------------------------ views

/// Converts shape and strides to arrays of rank `D`. The slices must have a length that is a rank of `D`.
fn parts<D: Dim>(shape: &[usize], strides: &[isize]) -> (D::Shape, D::Strides) {
    let (to_shape, mut to_strides) = (shape_of::<D>(shape), D::strides(strides.len()));
    to_strides.as_mut().copy_from_slice(strides);
    (to_shape, to_strides)
}

fn view<'a, T: Element, D: Dim, O: Order, I: Dimension>(
    array: ArrayView<'a, T, I>,
) -> Result<TensorView<'a, T, D, O>, Error> {
    let (shape, strides) = parts::<D>(array.shape(), array.strides());
    // SAFETY: for every index within the shape, the strides lead to an element that `array` borrows for `'a`.
    unsafe { TensorView::from_raw_parts(array.as_ptr(), shape, strides) }
}

fn view_mut<'a, T: Element, D: Dim, O: Order, I: Dimension>(
    mut array: ArrayViewMut<'a, T, I>,
) -> Result<TensorViewMut<'a, T, D, O>, Error> {
    let (shape, strides) = parts::<D>(array.shape(), array.strides());
    // SAFETY: for every index within the shape, the strides lead to an element that `array` borrows exclusively for `'a`. `array`
    // is consumed.
    unsafe { TensorViewMut::from_raw_parts(array.as_mut_ptr(), shape, strides) }
}

/// Returns the offset of the element at the lowest address, and the shape with the absolute values of the strides. ndarray creates
/// raw views only with non-negative strides. The callers then make strides negative by `invert_axis`.
///
/// If there are no elements, the strides are left to ndarray, which sets them to 0. With other strides, ndarray would panic when it
/// copies the empty view.
fn from_lowest<I: Dimension>(shape: &[usize], strides: &[isize]) -> (isize, StrideShape<I>) {
    let mut extents = I::zeros(shape.len());
    extents.slice_mut().copy_from_slice(shape);
    if shape.contains(&0) {
        return (0, extents.into());
    }
    let (mut steps, mut lowest) = (I::zeros(shape.len()), 0);
    for (axis, &stride) in strides.iter().enumerate() {
        steps[axis] = stride.unsigned_abs();
        lowest += stride.min(0) * (shape[axis] as isize - 1);
    }
    (lowest, extents.strides(steps))
}

/// Returns the axes to pass to `invert_axis`: those with a negative stride, if there are elements.
fn negative<'s>(shape: &'s [usize], strides: &'s [isize]) -> impl Iterator<Item = Axis> + 's {
    let some = !shape.contains(&0);
    strides.iter().enumerate().filter(move |(_, stride)| some && **stride < 0).map(|(axis, _)| Axis(axis))
}

fn array_view<'a, T: Element, D: Dim, O: Order, I: Dimension>(
    x: TensorView<'a, T, D, O>,
) -> ArrayView<'a, T, I> {
    let (lowest, shape) = from_lowest::<I>(x.shape().as_ref(), x.strides().as_ref());
    // SAFETY: from the lowest address, the absolute strides lead to exactly the elements that `x` borrows for `'a`. Their number and
    // size fit in `isize`. The strides are not negative.
    let mut array = unsafe { RawArrayView::from_shape_ptr(shape, x.as_ptr().wrapping_offset(lowest)) };
    negative(x.shape().as_ref(), x.strides().as_ref()).for_each(|axis| array.invert_axis(axis));
    // SAFETY: `array` covers exactly the elements that `x` borrows for `'a`. They are initialised and aligned.
    unsafe { array.deref_into_view() }
}

fn array_view_mut<'a, T: Element, D: Dim, O: Order, I: Dimension>(
    mut x: TensorViewMut<'a, T, D, O>,
) -> ArrayViewMut<'a, T, I> {
    let (lowest, shape) = from_lowest::<I>(x.shape().as_ref(), x.strides().as_ref());
    // SAFETY: from the lowest address, the absolute strides lead to exactly the elements that `x` borrows exclusively for `'a`.
    // Their number and size fit in `isize`. The strides are not negative. Mutable tensor views do not overlap themselves. `x` is
    // consumed.
    let mut array = unsafe { RawArrayViewMut::from_shape_ptr(shape, x.as_mut_ptr().wrapping_offset(lowest)) };
    negative(x.shape().as_ref(), x.strides().as_ref()).for_each(|axis| array.invert_axis(axis));
    // SAFETY: `array` covers exactly the elements that `x` borrowed exclusively for `'a`. They are initialised and aligned.
    unsafe { array.deref_into_view_mut() }
}

// ------------------------------------------------------------------ owned

/// The memory of an array whose contiguous elements begin after the start of its `Vec`.
struct Within<T> {
    data: Vec<T>,
    offset: usize,
    len: usize,
}

// SAFETY: the `Vec` owns the elements, and its heap memory does not move. `Within` gives no access to them except by `elements`.
unsafe impl<T: Element> ForeignMemory<T> for Within<T> {
    fn elements(&mut self) -> &mut [T] {
        &mut self.data[self.offset..][..self.len]
    }
}

fn tensor<T: Element, D: Dim, O: Order, I: Dimension>(
    array: Array<T, I>,
) -> Result<Tensor<T, D, O>, ConversionError<Array<T, I>>> {
    let (shape, strides) = parts::<D>(array.shape(), array.strides());
    if !is_contiguous(shape.as_ref(), strides.as_ref(), O::ROW_MAJOR) {
        return Err(ConversionError {
            error: not_contiguous::<O>(shape.as_ref(), strides.as_ref()),
            value: array,
        });
    }
    // If an extent is 0, ndarray limits the product of the other extents to `isize::MAX` elements; tensors limit it to that number of
    // bytes.
    if let Err(error) = element_count(shape.as_ref(), size_of::<T>()) {
        return Err(ConversionError { error, value: array });
    }
    let len = array.len();
    let (mut data, offset) = array.into_raw_vec_and_offset();
    Ok(match offset.unwrap_or(0) {
        0 => {
            data.truncate(len);
            Tensor::from_vec(shape, data)
        }
        offset => Tensor::from_buffer(shape, Within { data, offset, len }),
    })
}

fn not_contiguous<O: Order>(shape: &[usize], strides: &[isize]) -> Error {
    let other = if is_contiguous(shape, strides, !O::ROW_MAJOR) {
        let (name, order) = match O::ROW_MAJOR {
            true => (ColMajor::NAME, "ColMajor"),
            false => (RowMajor::NAME, "RowMajor"),
        };
        format!(
            "is contiguous in {name} order; copy it with `Tensor::copy_of(&array)`, or make a `{order}` tensor"
        )
    } else {
        "is not contiguous; copy it with `Tensor::copy_of(&array)`".into()
    };
    Error::Argument {
        op: match O::ROW_MAJOR {
            true => "make a row-major tensor without a copy",
            false => "make a column-major tensor without a copy",
        },
        reason: format!("the array of shape {shape:?} with strides {strides:?} {other}"),
    }
}

fn array<T: Element, D: Dim, O: Order, I: Dimension>(x: Tensor<T, D, O>) -> Array<T, I> {
    let mut shape = I::zeros(x.rank());
    shape.slice_mut().copy_from_slice(x.shape().as_ref());
    Array::from_shape_vec(shape.set_f(!O::ROW_MAJOR), x.into_vec())
        .expect("a tensor has as many elements as its shape")
}

// ------------------------------------------------------------------ as traits

/// Implements the conversions for one static rank.
macro_rules! conversions {
    ($($rank:literal $ix:ty;)*) => {$(
        impl<'a, T: Element, O: Order> From<ArrayView<'a, T, $ix>> for TensorView<'a, T, Rank<$rank>, O> {
            /// Returns a view of the same elements at the same indices. Free.
            ///
            /// # Panics
            /// If the number of bytes of a broadcast view exceeds the address space.
            #[track_caller]
            fn from(array: ArrayView<'a, T, $ix>) -> Self {
                unwrap_or_panic(view(array))
            }
        }

        impl<'a, T: Element, O: Order, S: Data<Elem = T>> From<&'a ArrayBase<S, $ix>>
            for TensorView<'a, T, Rank<$rank>, O>
        {
            /// Returns a view of the same elements at the same indices. Free.
            ///
            /// # Panics
            /// If the number of bytes of a broadcast array exceeds the address space.
            #[track_caller]
            fn from(array: &'a ArrayBase<S, $ix>) -> Self {
                unwrap_or_panic(view(array.view()))
            }
        }

        impl<'a, T: Element, O: Order> From<ArrayViewMut<'a, T, $ix>> for TensorViewMut<'a, T, Rank<$rank>, O> {
            /// Returns a view of the same elements at the same indices. Free.
            ///
            /// # Panics
            /// If two indices might share an element. Safe functions of ndarray do not create such views.
            #[track_caller]
            fn from(array: ArrayViewMut<'a, T, $ix>) -> Self {
                unwrap_or_panic(view_mut(array))
            }
        }

        impl<'a, T: Element, O: Order, S: DataMut<Elem = T>> From<&'a mut ArrayBase<S, $ix>>
            for TensorViewMut<'a, T, Rank<$rank>, O>
        {
            /// Returns a view of the same elements at the same indices. Free, except for an array that shares its memory (`ArcArray`):
            /// ndarray copies it first.
            #[track_caller]
            fn from(array: &'a mut ArrayBase<S, $ix>) -> Self {
                unwrap_or_panic(view_mut(array.view_mut()))
            }
        }

        impl<'a, T: Element, O: Order> From<TensorView<'a, T, Rank<$rank>, O>> for ArrayView<'a, T, $ix> {
            /// Returns a view of the same elements at the same indices. Free.
            fn from(x: TensorView<'a, T, Rank<$rank>, O>) -> Self {
                array_view(x)
            }
        }

        impl<'a, T: Element, O: Order> From<TensorViewMut<'a, T, Rank<$rank>, O>> for ArrayViewMut<'a, T, $ix> {
            /// Returns a view of the same elements at the same indices. Free.
            fn from(x: TensorViewMut<'a, T, Rank<$rank>, O>) -> Self {
                array_view_mut(x)
            }
        }

        impl<T: Element, O: Order> TryFrom<Array<T, $ix>> for Tensor<T, Rank<$rank>, O> {
            type Error = ConversionError<Array<T, $ix>>;

            /// Takes ownership of the array's memory, if it is contiguous in the tensor's memory order.
            fn try_from(array: Array<T, $ix>) -> Result<Self, Self::Error> {
                tensor(array)
            }
        }

        impl<T: Element, O: Order> From<Tensor<T, Rank<$rank>, O>> for Array<T, $ix> {
            /// Takes ownership of the tensor's memory. The array has the layout of the tensor's memory order.
            fn from(x: Tensor<T, Rank<$rank>, O>) -> Self {
                array(x)
            }
        }
    )*};
}
conversions! { 0 Ix0; 1 Ix1; 2 Ix2; 3 Ix3; 4 Ix4; 5 Ix5; 6 Ix6; }

fn check_rank<D: Dim>(shape: &[usize]) -> Result<(), Error> {
    let found = shape.len();
    let Some(wanted) = other_rank::<D>(found) else { return Ok(()) };
    Err(Error::Argument {
        op: "make a tensor",
        reason: format!(
            "the array of shape {shape:?} has rank {found}, not {wanted}; convert it to a tensor of `Rank<{found}>`"
        ),
    })
}

impl<'a, T: Element, D: Dim, O: Order> TryFrom<ArrayViewD<'a, T>> for TensorView<'a, T, D, O> {
    type Error = Error;

    /// Returns a view of the same elements at the same indices, if the rank is `D`. Free.
    fn try_from(array: ArrayViewD<'a, T>) -> Result<Self, Error> {
        check_rank::<D>(array.shape()).and_then(|()| view(array))
    }
}

impl<'a, T: Element, D: Dim, O: Order> TryFrom<ArrayViewMutD<'a, T>> for TensorViewMut<'a, T, D, O> {
    type Error = Error;

    /// Returns a view of the same elements at the same indices, if the rank is `D`. Free.
    fn try_from(array: ArrayViewMutD<'a, T>) -> Result<Self, Error> {
        check_rank::<D>(array.shape()).and_then(|()| view_mut(array))
    }
}

impl<'a, T: Element, D: Dim, O: Order> From<TensorView<'a, T, D, O>> for ArrayViewD<'a, T> {
    /// Returns a view of the same elements at the same indices. Free, except that ndarray allocates the shape for ranks above 4.
    fn from(x: TensorView<'a, T, D, O>) -> Self {
        array_view(x)
    }
}

impl<'a, T: Element, D: Dim, O: Order> From<TensorViewMut<'a, T, D, O>> for ArrayViewMutD<'a, T> {
    /// Returns a view of the same elements at the same indices. Free, except that ndarray allocates the shape for ranks above 4.
    fn from(x: TensorViewMut<'a, T, D, O>) -> Self {
        array_view_mut(x)
    }
}

impl<T: Element, D: Dim, O: Order> TryFrom<ArrayD<T>> for Tensor<T, D, O> {
    type Error = ConversionError<ArrayD<T>>;

    /// Takes ownership of the array's memory, if the rank is `D` and the array is contiguous in the tensor's memory order.
    fn try_from(array: ArrayD<T>) -> Result<Self, Self::Error> {
        match check_rank::<D>(array.shape()) {
            Ok(()) => tensor::<T, D, O, IxDyn>(array),
            Err(error) => Err(ConversionError { error, value: array }),
        }
    }
}

impl<T: Element, D: Dim, O: Order> From<Tensor<T, D, O>> for ArrayD<T> {
    /// Takes ownership of the tensor's memory. The array has the layout of the tensor's memory order.
    fn from(x: Tensor<T, D, O>) -> Self {
        array(x)
    }
}
