//! Tests of conversions from and to matrices of faer: the elements must be the same, at the same addresses.

use faer::{Col, ColMut, ColRef, Mat, MatMut, MatRef, Row};
use vierbein::prelude::*;
use vierbein::{c64, tensor};

#[track_caller]
fn same<O: Order>(m: MatRef<'_, i32>, x: TensorView<'_, i32, Rank<2>, O>) {
    assert_eq!(x.shape(), [m.nrows(), m.ncols()]);
    for i in 0..m.nrows() {
        for j in 0..m.ncols() {
            assert!(std::ptr::eq(&m[(i, j)], &x[[i, j]]), "{i} {j}");
        }
    }
}

#[test]
fn views_are_the_same_elements() {
    let mut m = Mat::from_fn(5, 4, |i, j| (10 * i + j) as i32);
    let r = m.as_ref();
    for part in [
        r,
        r.transpose(),
        r.reverse_rows(),
        r.reverse_rows_and_cols().transpose(),
        r.submatrix(1, 2, 3, 1),
        r.subrows(2, 0),
    ] {
        same::<RowMajor>(part, part.into());
        same::<ColMajor>(part, part.into());
    }
    assert_eq!(TensorView::<i32, Rank<1>>::from(r.col(1).reverse_rows()), tensor![41, 31, 21, 11, 1]);
    assert_eq!(TensorView::<i32, Rank<1>>::from(r.row(4)), tensor![40, 41, 42, 43]);
    TensorViewMut::<i32, Rank<2>>::from(m.as_mut().reverse_rows_mut())[[0, 3]] = -1;
    TensorViewMut::<i32, Rank<1>>::from(m.as_mut().col_mut(0))[[1]] = -2;
    TensorViewMut::<i32, Rank<1>>::from(m.as_mut().row_mut(0))[[1]] = -3;
    TensorViewMut::<i32, Rank<2>, ColMajor>::from(&mut m)[[2, 2]] = -4;
    assert_eq!([m[(4, 3)], m[(1, 0)], m[(0, 1)], m[(2, 2)]], [-1, -2, -3, -4]);
    let z = Mat::from_fn(2, 3, |i, j| c64::new(i as f64, j as f64));
    assert_eq!(TensorView::<c64, Rank<2>>::from(&z).sum().item(), c64::new(3.0, 6.0));
    assert_eq!(TensorView::<f64, Rank<1>>::from(Col::from_fn(2, |i| i as f64).as_ref()), tensor![0.0, 1.0]);
    assert_eq!(TensorView::<f64, Rank<1>>::from(Row::from_fn(2, |i| i as f64).as_ref()), tensor![0.0, 1.0]);
}

#[test]
fn tensors_are_the_same_elements() {
    let mut x = Tensor::<i32, _>::from_fn([4, 6], |[i, j]| (10 * i + j) as i32);
    for view in [x.view(), x.slice(s![..;-1, 1..;2]), x.slice(s![2..3, ..]), x.slice(s![0..0, ..])] {
        same(view.into(), view);
        same(view.t().into(), view.t());
    }
    assert_eq!(ColRef::from(x.index_axis(1, 2).slice(s![..;-1]))[0], 32);
    MatMut::from(x.slice_mut(s![..;-1, ..]))[(0, 1)] = -1;
    ColMut::from(x.index_axis_mut(0, 0))[2] = -2;
    assert_eq!((x[[3, 1]], x[[0, 2]]), (-1, -2));
}

#[test]
fn contiguous_matrices_move_without_copy() {
    for (rows, columns, free) in
        [(8, 3, true), (16, 1000, true), (5, 1, true), (5, 2, false), (0, 3, true), (3, 0, true)]
    {
        let m = Mat::from_fn(rows, columns, |i, j| (1000 * i + j) as f64);
        let (address, copy) = (m.as_ptr(), m.clone());
        match Tensor::<f64, Rank<2>, ColMajor>::try_from(m) {
            Ok(x) => {
                assert!(free);
                assert!(x.is_empty() || x.as_ptr() == address);
                assert!(x == TensorView::from(&copy));
                let y = x * 2.0;
                assert!(y.is_empty() || y.as_ptr() == address);
                assert_eq!(MatRef::from(y.view()).to_owned(), faer::Scale(2.0) * &copy);
            }
            Err(rejected) => {
                assert!(!free, "{rejected}");
                assert_eq!(rejected.value.as_ptr(), address);
                let x: Tensor<f64, Rank<2>> = Tensor::copy_of(&rejected.value);
                assert_eq!(MatRef::from(x.view()), copy);
            }
        }
    }
}
