//! Arrays of the [`ndarray`] crate. Feature `ndarray`.
//!
//! An array of ndarray has strides of any sign and no order in its type; so has a view of a tensor, whose order says how it is
//! enumerated. Views pass both ways as they are. Memory changes hands where it is dense in the order that the tensor's type names.
//!
//! Where one axis has length 0, the others can be longer here than any tensor's: `try_into` gives an error of those, `into` panics.
//!
//! | from | to | |
//! |---|---|---|
//! | `ArrayView`, `&Array` | `TensorView` of either order | free |
//! | `ArrayViewMut`, `&mut Array` | `TensorViewMut` of either order | free |
//! | `TensorView`, `TensorViewMut` | `ArrayView`, `ArrayViewMut` | free |
//! | `Array` in standard layout | `Tensor<.., RowMajor>` | free (`try_into`) |
//! | `Array` in Fortran's layout | `Tensor<.., ColMajor>` | free (`try_into`) |
//! | `Array` in any other layout | `Tensor` | an error, and the array back |
//! | any array or view | `Tensor` of either order, by [`Tensor::copy_of`] | one pass |
//! | `Tensor` of either order | `Array` in that order's layout | free; a large result [moves](crate::device::CpuBuffer) by less than a page |
//!
//! Ranks 0 to 6 are `Ix0` to `Ix6`. `IxDyn` is for every rank of a tensor on the way to ndarray, and checked on the way back.
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
//! // Owned: an array has one layout, and the type of a tensor says which.
//! let address = a.as_ptr();
//! let y: Tensor<f64, Rank<2>> = a.try_into()?;
//! assert_eq!(y.as_ptr(), address);
//! let refused = Tensor::<f64, _, ColMajor>::try_from(Array2::from(y)).unwrap_err();
//! assert_eq!(
//!     refused.to_string(),
//!     "cannot make a column-major tensor without a copy: the array of shape [2, 2] with strides [2, 1] \
//!      is dense in row-major order; copy it with `Tensor::copy_of(&array)`, or ask for a `RowMajor` tensor"
//! );
//! let z: Tensor<f64, Rank<2>, ColMajor> = Tensor::copy_of(&refused.value);
//! assert_eq!(z.as_slice(), [1.0, 3.0, 2.0, 4.0]);
//! # Ok::<(), vierbein::Error>(())
//! ```

use crate::device::ForeignMemory;
use crate::element::Element;
use crate::error::{ConversionError, Error, expect};
use crate::layout::{element_count, is_dense};
use crate::order::{ColMajor, Order, RowMajor};
use crate::rank::{Dim, Rank};
use crate::tensor::{Tensor, TensorView, TensorViewMut};
use ndarray::{
    Array, ArrayBase, ArrayD, ArrayView, ArrayViewD, ArrayViewMut, ArrayViewMutD, Axis, Data, DataMut,
    Dimension, Ix0, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, IxDyn, RawArrayView, RawArrayViewMut, ShapeBuilder,
    StrideShape,
};

// ------------------------------------------------------------------ views

/// The shape and the strides of an array of as many axes.
fn parts<D: Dim>(shape: &[usize], strides: &[isize]) -> (D::Shape, D::Strides) {
    let (mut to_shape, mut to_strides) = (D::Shape::default(), D::Strides::default());
    to_shape.as_mut().copy_from_slice(shape);
    to_strides.as_mut().copy_from_slice(strides);
    (to_shape, to_strides)
}

fn view<'a, T: Element, D: Dim, O: Order, I: Dimension>(
    array: ArrayView<'a, T, I>,
) -> Result<TensorView<'a, T, D, O>, Error> {
    let (shape, strides) = parts::<D>(array.shape(), array.strides());
    // SAFETY: the array borrows the elements of all its indices for `'a`.
    unsafe { TensorView::from_raw_parts(array.as_ptr(), shape, strides) }
}

fn view_mut<'a, T: Element, D: Dim, O: Order, I: Dimension>(
    mut array: ArrayViewMut<'a, T, I>,
) -> Result<TensorViewMut<'a, T, D, O>, Error> {
    let (shape, strides) = parts::<D>(array.shape(), array.strides());
    // SAFETY: the array borrows the elements of all its indices for `'a`, alone, and is given away.
    unsafe { TensorViewMut::from_raw_parts(array.as_mut_ptr(), shape, strides) }
}

/// ndarray makes views of strides that are not negative, beginning at the lowest address, and then turns axes around. What it is
/// told of a tensor: the offset of the lowest address, and the shape with the absolute strides. Of nothing it takes its own strides
/// only, which are 0: with others, copies of such views panic.
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

/// The axes to turn around.
fn negative<'s>(shape: &'s [usize], strides: &'s [isize]) -> impl Iterator<Item = Axis> + 's {
    let some = !shape.contains(&0);
    strides.iter().enumerate().filter(move |(_, stride)| some && **stride < 0).map(|(axis, _)| Axis(axis))
}

fn array_view<'a, T: Element, D: Dim, O: Order, I: Dimension>(
    x: TensorView<'a, T, D, O>,
) -> ArrayView<'a, T, I> {
    let (lowest, shape) = from_lowest::<I>(x.shape().as_ref(), x.strides().as_ref());
    // SAFETY: offsets run from the lowest address over the elements that the tensor borrows for `'a`; their number and their
    // bytes fit in `isize`, and strides are not negative.
    let mut array = unsafe { RawArrayView::from_shape_ptr(shape, x.as_ptr().wrapping_offset(lowest)) };
    negative(x.shape().as_ref(), x.strides().as_ref()).for_each(|axis| array.invert_axis(axis));
    // SAFETY: as above; a tensor's elements are aligned.
    unsafe { array.deref_into_view() }
}

fn array_view_mut<'a, T: Element, D: Dim, O: Order, I: Dimension>(
    mut x: TensorViewMut<'a, T, D, O>,
) -> ArrayViewMut<'a, T, I> {
    let (lowest, shape) = from_lowest::<I>(x.shape().as_ref(), x.strides().as_ref());
    // SAFETY: as for `array_view`; the tensor's indices lie apart, and it is given away.
    let mut array = unsafe { RawArrayViewMut::from_shape_ptr(shape, x.as_mut_ptr().wrapping_offset(lowest)) };
    negative(x.shape().as_ref(), x.strides().as_ref()).for_each(|axis| array.invert_axis(axis));
    // SAFETY: as above.
    unsafe { array.deref_into_view_mut() }
}

// ------------------------------------------------------------------ owned

/// The elements of an array that lie somewhere within its `Vec`.
struct Within<T> {
    data: Vec<T>,
    offset: usize,
    len: usize,
}

// SAFETY: the elements are the `Vec`'s, which nobody touches.
unsafe impl<T: Element> ForeignMemory<T> for Within<T> {
    fn elements(&mut self) -> &mut [T] {
        &mut self.data[self.offset..][..self.len]
    }
}

fn tensor<T: Element, D: Dim, O: Order, I: Dimension>(
    array: Array<T, I>,
) -> Result<Tensor<T, D, O>, ConversionError<Array<T, I>>> {
    let (shape, strides) = parts::<D>(array.shape(), array.strides());
    if !is_dense(shape.as_ref(), strides.as_ref(), O::ROW_MAJOR) {
        return Err(ConversionError {
            error: not_dense::<O>(shape.as_ref(), strides.as_ref()),
            value: array,
        });
    }
    // ndarray counts elements, not bytes, where there are none.
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

fn not_dense<O: Order>(shape: &[usize], strides: &[isize]) -> Error {
    let other = if is_dense(shape, strides, !O::ROW_MAJOR) {
        let (name, order) = match O::ROW_MAJOR {
            true => (ColMajor::NAME, "ColMajor"),
            false => (RowMajor::NAME, "RowMajor"),
        };
        format!(
            "is dense in {name} order; copy it with `Tensor::copy_of(&array)`, or ask for a `{order}` tensor"
        )
    } else {
        "is dense in no order; copy it with `Tensor::copy_of(&array)`".into()
    };
    Error::Argument {
        op: match O::ROW_MAJOR {
            true => "make a row-major tensor without a copy",
            false => "make a column-major tensor without a copy",
        },
        why: format!("the array of shape {shape:?} with strides {strides:?} {other}"),
    }
}

fn array<T: Element, D: Dim, O: Order, I: Dimension>(x: Tensor<T, D, O>) -> Array<T, I> {
    let mut shape = I::zeros(D::NDIM);
    shape.slice_mut().copy_from_slice(x.shape().as_ref());
    Array::from_shape_vec(shape.set_f(!O::ROW_MAJOR), x.into_vec())
        .expect("a tensor has the elements of its shape")
}

// ------------------------------------------------------------------ as traits

/// What does not depend on the way that ndarray says the rank: `[$bound]` is for those that leave it open.
macro_rules! conversions {
    ($($rank:literal $ix:ty;)*) => {$(
        impl<'a, T: Element, O: Order> From<ArrayView<'a, T, $ix>> for TensorView<'a, T, Rank<$rank>, O> {
            /// The same elements at the same indices. Free.
            ///
            /// # Panics
            /// If elements that the view repeats would exceed the address space.
            #[track_caller]
            fn from(array: ArrayView<'a, T, $ix>) -> Self {
                expect(view(array))
            }
        }

        impl<'a, T: Element, O: Order, S: Data<Elem = T>> From<&'a ArrayBase<S, $ix>>
            for TensorView<'a, T, Rank<$rank>, O>
        {
            /// The same elements at the same indices. Free.
            ///
            /// # Panics
            /// If elements that the array repeats would exceed the address space.
            #[track_caller]
            fn from(array: &'a ArrayBase<S, $ix>) -> Self {
                expect(view(array.view()))
            }
        }

        impl<'a, T: Element, O: Order> From<ArrayViewMut<'a, T, $ix>> for TensorViewMut<'a, T, Rank<$rank>, O> {
            /// The same elements at the same indices. Free.
            ///
            /// # Panics
            /// If two indices might share an element, which a view that was made by ndarray's safe functions does not.
            #[track_caller]
            fn from(array: ArrayViewMut<'a, T, $ix>) -> Self {
                expect(view_mut(array))
            }
        }

        impl<'a, T: Element, O: Order, S: DataMut<Elem = T>> From<&'a mut ArrayBase<S, $ix>>
            for TensorViewMut<'a, T, Rank<$rank>, O>
        {
            /// The same elements at the same indices. Free, but for arrays that share their memory with others: those are copied
            /// by ndarray first.
            #[track_caller]
            fn from(array: &'a mut ArrayBase<S, $ix>) -> Self {
                expect(view_mut(array.view_mut()))
            }
        }

        impl<'a, T: Element, O: Order> From<TensorView<'a, T, Rank<$rank>, O>> for ArrayView<'a, T, $ix> {
            /// The same elements at the same indices. Free.
            fn from(x: TensorView<'a, T, Rank<$rank>, O>) -> Self {
                array_view(x)
            }
        }

        impl<'a, T: Element, O: Order> From<TensorViewMut<'a, T, Rank<$rank>, O>> for ArrayViewMut<'a, T, $ix> {
            /// The same elements at the same indices. Free.
            fn from(x: TensorViewMut<'a, T, Rank<$rank>, O>) -> Self {
                array_view_mut(x)
            }
        }

        impl<T: Element, O: Order> TryFrom<Array<T, $ix>> for Tensor<T, Rank<$rank>, O> {
            type Error = ConversionError<Array<T, $ix>>;

            /// The array's own memory, where it is dense in the tensor's order.
            fn try_from(array: Array<T, $ix>) -> Result<Self, Self::Error> {
                tensor(array)
            }
        }

        impl<T: Element, O: Order> From<Tensor<T, Rank<$rank>, O>> for Array<T, $ix> {
            /// The tensor's own memory, in its order's layout.
            fn from(x: Tensor<T, Rank<$rank>, O>) -> Self {
                array(x)
            }
        }
    )*};
}
conversions! { 0 Ix0; 1 Ix1; 2 Ix2; 3 Ix3; 4 Ix4; 5 Ix5; 6 Ix6; }

fn check_rank<D: Dim>(shape: &[usize]) -> Result<(), Error> {
    if shape.len() == D::NDIM {
        return Ok(());
    }
    let (found, wanted) = (shape.len(), D::NDIM);
    Err(Error::Argument {
        op: "make a tensor",
        why: format!(
            "the array of shape {shape:?} has rank {found}, not {wanted}; ask for a `Rank<{found}>`"
        ),
    })
}

impl<'a, T: Element, D: Dim, O: Order> TryFrom<ArrayViewD<'a, T>> for TensorView<'a, T, D, O> {
    type Error = Error;

    /// The same elements at the same indices, if the rank is the tensor's. Free.
    fn try_from(array: ArrayViewD<'a, T>) -> Result<Self, Error> {
        check_rank::<D>(array.shape()).and_then(|()| view(array))
    }
}

impl<'a, T: Element, D: Dim, O: Order> TryFrom<ArrayViewMutD<'a, T>> for TensorViewMut<'a, T, D, O> {
    type Error = Error;

    /// The same elements at the same indices, if the rank is the tensor's. Free.
    fn try_from(array: ArrayViewMutD<'a, T>) -> Result<Self, Error> {
        check_rank::<D>(array.shape()).and_then(|()| view_mut(array))
    }
}

impl<'a, T: Element, D: Dim, O: Order> From<TensorView<'a, T, D, O>> for ArrayViewD<'a, T> {
    /// The same elements at the same indices. Free but for the shape, which ndarray allocates from rank 5 on.
    fn from(x: TensorView<'a, T, D, O>) -> Self {
        array_view(x)
    }
}

impl<'a, T: Element, D: Dim, O: Order> From<TensorViewMut<'a, T, D, O>> for ArrayViewMutD<'a, T> {
    /// The same elements at the same indices. Free but for the shape, which ndarray allocates from rank 5 on.
    fn from(x: TensorViewMut<'a, T, D, O>) -> Self {
        array_view_mut(x)
    }
}

impl<T: Element, D: Dim, O: Order> TryFrom<ArrayD<T>> for Tensor<T, D, O> {
    type Error = ConversionError<ArrayD<T>>;

    /// The array's own memory, if the rank is the tensor's and it is dense in the tensor's order.
    fn try_from(array: ArrayD<T>) -> Result<Self, Self::Error> {
        match check_rank::<D>(array.shape()) {
            Ok(()) => tensor::<T, D, O, IxDyn>(array),
            Err(error) => Err(ConversionError { error, value: array }),
        }
    }
}

impl<T: Element, D: Dim, O: Order> From<Tensor<T, D, O>> for ArrayD<T> {
    /// The tensor's own memory, in its order's layout.
    fn from(x: Tensor<T, D, O>) -> Self {
        array(x)
    }
}
