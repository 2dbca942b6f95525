//! Tests of conversions from and to matrices of nalgebra: the elements must be the same, at the same addresses.

use nalgebra::{
    DMatrix, DVector, Dyn, Matrix3x2, MatrixView, MatrixViewMut, RowVector3, U1, Vector3, VectorView,
};
use vierbein::prelude::*;
use vierbein::{c64, tensor};

type Strided<'a, T> = MatrixView<'a, T, Dyn, Dyn, Dyn, Dyn>;

#[track_caller]
fn same<O: Order>(m: &Strided<'_, i32>, x: TensorView<'_, i32, Rank<2>, O>) {
    assert_eq!(x.shape(), [m.nrows(), m.ncols()]);
    for i in 0..m.nrows() {
        for j in 0..m.ncols() {
            assert!(std::ptr::eq(&m[(i, j)], &x[[i, j]]), "{i} {j}");
        }
    }
    // nalgebra iterates column by column, with strides that it computes itself. Its elements must have the same addresses.
    let columns: Vec<*const i32> = x.as_order::<ColMajor>().iter().map(std::ptr::from_ref).collect();
    assert_eq!(m.iter().map(std::ptr::from_ref).collect::<Vec<_>>(), columns);
    assert_eq!(
        m.iter().rev().map(std::ptr::from_ref).collect::<Vec<_>>(),
        columns.into_iter().rev().collect::<Vec<_>>()
    );
}

#[test]
fn views_are_the_same_elements() {
    let m = DMatrix::from_fn(5, 4, |i, j| (10 * i + j) as i32);
    let whole = m.view((0, 0), (5, 4));
    let x = TensorView::<i32, Rank<2>>::from(&m);
    same(&x.try_into().unwrap(), x);
    assert_eq!((x.as_ptr(), x[[3, 2]], x.strides()), (m.as_ptr(), 32, [1, 5]));
    let columns = TensorView::<i32, Rank<2>, ColMajor>::from(whole);
    assert_eq!(columns.iter().copied().collect::<Vec<_>>(), m.as_slice());
    let part = m.view_with_steps((1, 0), (2, 2), (1, 2));
    let x = TensorView::<i32, Rank<2>>::from(part);
    assert_eq!(x, tensor![[10, 13], [30, 33]]);
    same(&x.try_into().unwrap(), x);
    assert_eq!(
        TensorView::<i32, Rank<2>>::from(&Matrix3x2::new(1, 2, 3, 4, 5, 6)),
        tensor![[1, 2], [3, 4], [5, 6]]
    );
    assert_eq!(TensorView::<i32, Rank<2>>::from(&RowVector3::new(1, 2, 3)), tensor![[1, 2, 3]]);
    assert_eq!(TensorView::<i32, Rank<1>>::from(&Vector3::new(1, 2, 3)), tensor![1, 2, 3]);
    assert_eq!(TensorView::<i32, Rank<2>>::from(&Vector3::new(1, 2, 3)), tensor![[1], [2], [3]]);
    assert_eq!(TensorView::<i32, Rank<1>>::from(&m.column(2)), tensor![2, 12, 22, 32, 42]);
    let empty = DMatrix::<f64>::zeros(0, 3);
    assert_eq!(TensorView::<f64, Rank<2>>::from(&empty).shape(), [0, 3]);
    let z = DMatrix::from_element(2, 2, c64::new(0.0, 1.0));
    assert_eq!(TensorView::<c64, Rank<2>>::from(&z).sum().item(), c64::new(0.0, 4.0));
}

#[test]
fn tensors_are_the_same_elements() {
    let x = Tensor::<i32, _>::from_fn([4, 6], |[i, j]| (10 * i + j) as i32);
    for view in [x.view(), x.slice(s![1.., ..;2]), x.slice(s![2..3, ..]), x.slice(s![0..0, ..])] {
        same(&Strided::try_from(view).unwrap(), view);
        same(&Strided::try_from(view.t()).unwrap(), view.t());
        same(&Strided::try_from(view.as_order::<ColMajor>()).unwrap(), view);
    }
    let v: VectorView<'_, i32, Dyn, Dyn, Dyn> = x.index_axis(1, 2).try_into().unwrap();
    assert_eq!(v, DVector::from_vec(vec![2, 12, 22, 32]));
    let one = x.index_axis(0, 1);
    same(&Strided::try_from(one.insert_axis(0)).unwrap(), one.insert_axis(0));
    same(&Strided::try_from(one.insert_axis(1)).unwrap(), one.insert_axis(1));
    let row = DMatrix::from_row_slice(1, 3, &[1, 2, 3]);
    let view = TensorView::<i32, Rank<2>>::from(&row);
    same(&Strided::try_from(view).unwrap(), view);
    let single: VectorView<'_, i32, Dyn, Dyn, Dyn> = one.slice(s![..1]).try_into().unwrap();
    assert_eq!(single.iter().rev().copied().collect::<Vec<_>>(), [10]);
    let repeated = one.broadcast_to([4, 6]);
    let error = Strided::try_from(repeated).unwrap_err().to_string();
    assert!(error.contains("nalgebra does not support a row stride of 0; copy"), "{error}");
    same(&Strided::try_from(repeated.t()).unwrap(), repeated.t());
    let error = Strided::try_from(x.slice(s![.., ..;-1])).unwrap_err().to_string();
    assert!(
        error.contains("with strides [6, -1]: nalgebra does not support negative strides; copy"),
        "{error}"
    );
    let mut x = x;
    let mut m: MatrixViewMut<'_, i32, Dyn, Dyn, Dyn, Dyn> = x.slice_mut(s![..;3, 2..]).try_into().unwrap();
    m[(1, 3)] = -1;
    assert_eq!(x[[3, 5]], -1);
    let mut row: MatrixViewMut<'_, i32, Dyn, Dyn, Dyn, Dyn> =
        x.slice_mut(s![NewAxis, 1, ..]).try_into().unwrap();
    row.iter_mut().for_each(|x| *x = 7);
    assert_eq!((x.index_axis(0, 1).sum().item(), x[[0, 1]], x[[2, 0]]), (42, 1, 20));
    let mut v: MatrixViewMut<'_, i32, Dyn, U1, Dyn, Dyn> = x.index_axis_mut(1, 0).try_into().unwrap();
    v[3] = -2;
    assert_eq!(x[[3, 0]], -2);
}

#[test]
fn mutable_views() {
    let mut m = DMatrix::from_element(3, 3, 1);
    TensorViewMut::<i32, Rank<2>>::from(&mut m).index_axis_mut(0, 1).fill(5);
    assert_eq!(m.row(1).sum(), 15);
    TensorViewMut::<i32, Rank<2>>::from(m.view_mut((0, 2), (3, 1))).fill(0);
    assert_eq!(m.sum(), 14);
    let mut v = Vector3::new(1, 2, 3);
    TensorViewMut::<i32, Rank<1>>::from(&mut v)[[2]] = 9;
    assert_eq!(v, Vector3::new(1, 2, 9));
}

#[test]
fn owned_matrices_move_without_copy() {
    for (rows, columns) in [(3, 4), (300, 400), (0, 4), (4, 0), (1, 1)] {
        let m = DMatrix::from_fn(rows, columns, |i, j| (1000 * i + j) as f64);
        let (address, copy) = (m.as_ptr(), m.clone());
        let x = Tensor::from(m);
        assert_eq!((x.as_ptr(), x.shape()), (address, [rows, columns]));
        assert!(x == TensorView::from(&copy));
        let back = DMatrix::from(x);
        assert_eq!((back.as_ptr(), &back), (address, &copy));
        // A conversion to the other memory order copies the elements, so it needs an explicit call.
        let rows_first: Tensor<f64, Rank<2>> = Tensor::copy_of(&back);
        assert_eq!(DMatrix::from(rows_first.to_order::<ColMajor>()), copy);
    }
    let v = DVector::from_vec(vec![1.0, 2.0, 3.0]);
    let address = v.as_ptr();
    let x: Tensor<f64, Rank<1>, ColMajor> = v.into();
    let v = DVector::from(x.into_order::<RowMajor>());
    assert_eq!((v.as_ptr(), v.sum()), (address, 6.0));
}
