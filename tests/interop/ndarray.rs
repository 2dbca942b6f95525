//! Tests of conversions from and to arrays of ndarray: for any strides, the elements must be the same, at the same addresses.

use ndarray::{
    Array, Array1, Array2, Array3, ArrayD, ArrayView0, ArrayView3, ArrayViewD, ArrayViewMut3, Axis, IxDyn,
    ShapeBuilder, s as cut,
};
use vierbein::prelude::*;
use vierbein::{AnyRank, c64, tensor};

fn numbers(shape: (usize, usize, usize), column_major: bool) -> Array3<i32> {
    let values = (0..(shape.0 * shape.1 * shape.2) as i32).collect();
    Array3::from_shape_vec(shape.set_f(column_major), values).unwrap()
}

/// Asserts that each element of the view is the element of the array at the same index, by its address.
#[track_caller]
fn same<O: Order>(array: ArrayView3<'_, i32>, x: TensorView<'_, i32, Rank<3>, O>) {
    let (a, b, c) = array.dim();
    assert_eq!(x.shape(), [a, b, c]);
    for ((i, j, k), value) in array.indexed_iter() {
        assert!(std::ptr::eq(value, &x[[i, j, k]]), "{i} {j} {k}");
    }
    assert_eq!(x.iter().count(), array.len());
}

#[test]
fn views_are_the_same_elements() {
    for column_major in [false, true] {
        let array = numbers((4, 3, 5), column_major);
        let whole = array.view();
        let mut turned = whole.permuted_axes([2, 0, 1]);
        turned.invert_axis(Axis(1));
        for view in [
            whole,
            turned,
            array.slice(cut![..;-1, 1.., ..;2]),
            array.slice(cut![1..2, ..;-2, 4..;-3]),
            array.slice(cut![.., 0..0, ..]),
            array.slice(cut![.., 1..2, 3]).insert_axis(Axis(0)).broadcast((6, 4, 1)).unwrap(),
        ] {
            same::<RowMajor>(view, view.into());
            same::<ColMajor>(view, view.into());
            let x = TensorView::<i32, Rank<3>>::from(view);
            same(ArrayView3::from(x), x);
            let y = TensorView::<i32, Rank<3>, ColMajor>::from(view).to_owned();
            assert_eq!(ArrayView3::from(y.view()), view);
        }
    }
}

#[test]
fn tensors_are_the_same_elements() {
    let x = Tensor::<i32, _, ColMajor>::from_fn([4, 3, 5], |[i, j, k]| (100 * i + 10 * j + k) as i32);
    for view in [x.view(), x.slice(s![..;-1, 1.., 3..;-2]), x.permute([1, 2, 0]), x.slice(s![0..0, .., ..])] {
        same(view.into(), view);
    }
    let row = tensor![1, 2, 3];
    let repeated = row.broadcast_to([2, 2, 3]);
    same(repeated.into(), repeated);
    let mut x = x;
    let mut part = x.slice_mut(s![..;-2, ..;-1, 1..3]);
    let mut array = ArrayViewMut3::from(part.view_mut());
    array[[0, 0, 1]] = -1;
    array[[1, 2, 0]] = -2;
    assert_eq!((x[[3, 2, 2]], x[[1, 0, 1]], x.lt(0).count()[[]]), (-1, -2, 2));
    let mut array = numbers((2, 3, 2), false);
    let mut x = TensorViewMut::<i32, Rank<3>, ColMajor>::from(
        array.slice_mut(cut![.., ..;-1, 1]).insert_axis(Axis(2)),
    );
    x[[1, 0, 0]] = -5;
    assert_eq!(array[[1, 2, 1]], -5);
    TensorViewMut::<i32, Rank<3>>::from(&mut array).fill(9);
    assert_eq!(array.sum(), 108);
}

#[test]
fn owned_arrays_move_without_copy_in_matching_order() {
    for (rows, columns) in [(3, 4), (300, 400), (0, 4), (1, 5), (5, 1)] {
        let array = Array2::from_shape_fn((rows, columns), |(i, j)| (i * 1000 + j) as f64);
        let address = array.as_ptr();
        let x: Tensor<f64, Rank<2>> = array.clone().try_into().unwrap();
        assert!(x == TensorView::from(&array));
        let moved = array.into_raw_vec_and_offset().0;
        let array = Array2::from_shape_vec((rows, columns).f(), moved).unwrap();
        let y: Tensor<f64, Rank<2>, ColMajor> = array.try_into().unwrap();
        assert!(y.is_empty() || y.as_ptr() == address);
        let vec_address = y.as_ptr();
        let back: Array2<f64> = y.into();
        assert!(back.is_empty() || (back.as_ptr() == vec_address && back.t().is_standard_layout()));
        let rows_first: Array2<f64> = x.into();
        assert!(rows_first.is_standard_layout());
    }
}

#[test]
fn parts_of_an_owned_array() {
    // The elements are contiguous, but they are only a part of the array's memory, first at its start, then in its middle.
    let array = Array1::from_iter(0..10);
    let address = array.as_ptr();
    let front: Tensor<i32, Rank<1>> = array.clone().slice_move(cut![..4]).try_into().unwrap();
    assert_eq!(front, tensor![0, 1, 2, 3]);
    assert_eq!(front.into_vec(), [0, 1, 2, 3]);
    let behind: Tensor<i32, Rank<1>> = array.slice_move(cut![3..6]).try_into().unwrap();
    assert_eq!((behind.as_ptr(), behind + 0), (address.wrapping_add(3), tensor![3, 4, 5]));

    // An array that is not contiguous is rejected, and the error contains the array.
    let array = numbers((2, 3, 4), false).slice_move(cut![.., ..;-1, ..]);
    let (address, copy) = (array.as_ptr(), array.clone());
    let rejected = Tensor::<i32, Rank<3>>::try_from(array).unwrap_err();
    assert!(rejected.to_string().contains("is not contiguous; copy it"), "{rejected}");
    assert_eq!((rejected.value.as_ptr(), &rejected.value), (address, &copy));
    let x: Tensor<i32, Rank<3>> = Tensor::copy_of(&rejected.value);
    assert_eq!(ArrayView3::from(x.view()), copy);
}

#[test]
fn other_ranks_and_types() {
    let scalar = Tensor::<f64, Rank<0>>::scalar(2.5);
    assert_eq!(ArrayView0::from(scalar.view()).into_scalar(), &2.5);
    assert_eq!(Tensor::<f64, Rank<0>>::try_from(ndarray::arr0(1.5)).unwrap().item(), 1.5);
    let six = Tensor::<u8, _, ColMajor>::from_fn([2, 1, 3, 1, 2, 2], |[a, _, c, _, e, f]| {
        (a + 10 * c + 4 * e + f) as u8
    });
    let array: ndarray::Array6<u8> = six.clone().into();
    assert_eq!(array[[1, 0, 2, 0, 1, 1]], 26);
    assert_eq!(Tensor::<u8, Rank<6>, ColMajor>::try_from(array).unwrap(), six);
    let z = Array::from_elem((2, 2), c64::new(1.0, -1.0));
    assert_eq!(TensorView::<c64, Rank<2>>::from(&z).sum().item(), c64::new(4.0, -4.0));
}

#[test]
fn dynamic_ranks() {
    let x = Tensor::<i32, _>::from_fn([2, 1, 2, 1, 2, 1, 2, 3], |index| {
        index.iter().fold(0, |n, &i| 10 * n + i as i32)
    });
    let array = ArrayViewD::from(x.slice(s![.., .., ..;-1, .., .., .., .., 1..]));
    assert_eq!(array.shape(), [2, 1, 2, 1, 2, 1, 2, 2]);
    assert_eq!(array[IxDyn(&[1, 0, 0, 0, 1, 0, 1, 1])], 10101012);
    let back = TensorView::<i32, Rank<8>>::try_from(array.clone()).unwrap();
    assert_eq!(back.as_ptr(), array.as_ptr());
    let error = TensorView::<i32, Rank<7>>::try_from(array).unwrap_err();
    assert!(error.to_string().contains("has rank 8, not 7; convert it to a tensor of `Rank<8>`"), "{error}");
    let address = x.as_ptr();
    let array: ArrayD<i32> = x.into();
    let rejected = Tensor::<i32, Rank<2>>::try_from(array).unwrap_err();
    let x: Tensor<i32, Rank<8>> = rejected.value.try_into().unwrap();
    assert_eq!(x.as_ptr(), address);
    // A rank that is known at run time only.
    let x: Tensor<i32, AnyRank> = ArrayD::from(x).try_into().unwrap();
    assert_eq!((x.rank(), x.as_ptr()), (8, address));
    let view = TensorView::<i32, AnyRank>::try_from(ArrayViewD::from(x.view())).unwrap();
    assert_eq!((view.shape(), view.as_ptr()), (x.shape(), address));
    let error = Tensor::<i32, AnyRank<7>>::try_from(ArrayD::from(x)).unwrap_err();
    assert!(error.to_string().contains("has rank 8, not 0 to 7;"), "{error}");
}

#[test]
fn empty_mutable_views_of_any_shape() {
    for shape in [[3, 0, 2], [0, 3, 2], [2, 3, 0], [0, 0, 0]] {
        let mut x = Tensor::<f64, Rank<3>, ColMajor>::zeros(shape);
        assert_eq!(ArrayViewMut3::from(x.slice_mut(s![.., ..;-1, ..])).shape(), shape);
        assert_eq!(ArrayView3::from(x.view()).len(), 0);
    }
}
