//! Tests of views. The expected elements are computed by index arithmetic. Comparisons of pointers show which operations copy.

use super::naive::{Naive, cases, check};
use vierbein::dyn_tensor::SliceItem;
use vierbein::{Cpu, DynTensor, DynView, Error, MemoryOrder, NewAxis, Rank, RowMajor, Tensor, s, tensor};

const ORDERS: [MemoryOrder; 2] = [MemoryOrder::RowMajor, MemoryOrder::ColMajor];

fn counted(shape: &[usize], order: MemoryOrder) -> (DynTensor, Naive<i64>) {
    let case = cases(shape, order, |k| k as i64).swap_remove(0);
    (case.base, case.naive)
}

#[test]
fn views() {
    for order in ORDERS {
        let (x, n) = counted(&[2, 3, 4], order);
        let see = |found: DynView<'_>, shape: &[usize], at: &dyn Fn(&[usize]) -> Vec<usize>, what: &str| {
            check(&found, &Naive::new(shape, |i| n.at(&at(i)).into()), order, what);
        };
        see(x.permute(&[2, 0, 1]).unwrap(), &[4, 2, 3], &|i| vec![i[1], i[2], i[0]], "permute");
        see(x.swap_axes(0, 2).unwrap(), &[4, 3, 2], &|i| vec![i[2], i[1], i[0]], "swap");
        see(x.reverse_axes().unwrap(), &[4, 3, 2], &|i| vec![i[2], i[1], i[0]], "reverse");
        see(x.insert_axis(1).unwrap(), &[2, 1, 3, 4], &|i| vec![i[0], i[2], i[3]], "insert");
        see(
            x.insert_axis(3).unwrap().remove_axis(3).unwrap(),
            &[2, 3, 4],
            &|i| i.to_vec(),
            "insert and remove",
        );
        see(x.index_axis(1, 2).unwrap(), &[2, 4], &|i| vec![i[0], 2, i[1]], "index");
        see(
            x.slice(s![.., ..2, ..3]).unwrap().diagonal(1, 0).unwrap(),
            &[3, 2],
            &|i| vec![i[1], i[1], i[0]],
            "diagonal",
        );
        see(
            x.slice(s![-1, ..;-2, NewAxis, 1..=2]).unwrap(),
            &[2, 1, 2],
            &|i| vec![1, 2 - 2 * i[0], 1 + i[2]],
            "slice",
        );
        see(x.index_axis(0, 1).unwrap().t().unwrap(), &[4, 3], &|i| vec![1, i[1], i[0]], "t");
        let list: Vec<SliceItem> = vec![0.into(), (1..).into(), (..-1).into()];
        see(x.slice(list).unwrap(), &[2, 3], &|i| vec![0, 1 + i[0], i[1]], "list");
        let flat = n.listed(order);
        let listed = |shape: &[usize]| {
            let mut turned: Vec<usize> = shape.to_vec();
            if !order.is_row_major() {
                turned.reverse();
            }
            let by_sequence = Naive { shape: turned, elements: flat.clone() };
            Naive::new(shape, |i| {
                let index: Vec<usize> = match order {
                    MemoryOrder::RowMajor => i.to_vec(),
                    MemoryOrder::ColMajor => i.iter().rev().copied().collect(),
                };
                by_sequence.at(&index).into()
            })
        };
        check(&x.as_shape(&[6, 4]).unwrap(), &listed(&[6, 4]), order, "as_shape");
        check(&x.clone().reshape(&[4, 3, 2]).unwrap(), &listed(&[4, 3, 2]), order, "reshape");
        check(&x.view().flatten().unwrap(), &listed(&[24]), order, "flatten");
        // The view is not contiguous. `reshape` copies it. `as_shape` never copies, so it returns an error.
        let turned = x.permute(&[2, 0, 1]).unwrap();
        assert!(turned.as_shape(&[24]).is_err());
        let naive = Naive::new(&[4, 2, 3], |i| n.at(&[i[1], i[2], i[0]]));
        assert_eq!(turned.reshape(&[24]).unwrap().to_vec::<i64>().unwrap(), naive.listed(order));
    }
}

#[test]
fn mutable_views() {
    for order in ORDERS {
        let (before, n) = counted(&[2, 3, 3], order);
        type Cut = for<'a> fn(&'a mut DynTensor) -> vierbein::DynViewMut<'a>;
        let cuts: [(Cut, fn(&[usize]) -> bool); 7] = [
            (|x| x.index_axis_mut(1, 2).unwrap(), |i| i[1] == 2),
            (|x| x.diagonal_mut(1, 2).unwrap(), |i| i[1] == i[2]),
            (|x| x.slice_mut(s![1, ..;-2, ..1]).unwrap(), |i| i[0] == 1 && i[1] != 1 && i[2] == 0),
            (|x| x.permute_mut(&[2, 1, 0]).unwrap(), |_| true),
            (|x| x.swap_axes_mut(0, 1).unwrap(), |_| true),
            (|x| x.insert_axis_mut(0).unwrap(), |_| true),
            (|x| x.as_shape_mut(&[18]).unwrap(), |_| true),
        ];
        for (k, (cut, hit)) in cuts.into_iter().enumerate() {
            let mut x = before.clone();
            cut(&mut x).fill(-1_i64).unwrap();
            let expected = Naive::new(&[2, 3, 3], |i| if hit(i) { -1 } else { n.at(i) }.into());
            check(&x, &expected, order, k);
        }
        let mut x = before.clone();
        x.reverse_axes_mut().unwrap().set(&[2, 0, 1], 99_i64).unwrap();
        assert_eq!(x.get(&[1, 0, 2]).unwrap(), 99_i64.into());
    }
}

#[test]
fn broadcast_follows_memory_order() {
    let x = DynTensor::from(tensor![1, 2]);
    let rows = x.broadcast_to(&[3, 2]).unwrap();
    assert_eq!(rows.strides(), [0, 1]);
    assert_eq!(rows.get(&[2, 1]).unwrap(), 2.into());
    let columns = x.as_order(MemoryOrder::ColMajor).broadcast_to(&[2, 3]).unwrap();
    assert_eq!(columns.strides(), [1, 0]);
    assert!(x.broadcast_to(&[2, 3]).is_err());
    assert!(x.broadcast_to(&[usize::MAX, 2]).is_err());
}

#[test]
fn views_and_conversions_without_copies() {
    let x: Tensor<f64, Rank<2>> = Tensor::ones([3, 4]);
    let at = x.as_slice().as_ptr();
    let pointer = |x: &DynView<'_>| {
        let row: vierbein::TensorView<'_, f64, Rank<1>> = x.as_shape(&[12]).unwrap().downcast_view().unwrap();
        row.try_as_slice().unwrap().as_ptr()
    };
    let erased = DynTensor::from(x);
    assert_eq!(pointer(&erased.view()), at);
    let reshaped = erased.reshape(&[2, 6]).unwrap().into_owned().unwrap();
    assert_eq!(pointer(&reshaped.view()), at);
    let promoted = vierbein::dyn_tensor::promote(reshaped, DynTensor::scalar(1)).unwrap().0;
    assert_eq!(pointer(&promoted.view()), at);
    let x: Tensor<f64, Rank<2>> = promoted.cast_into::<f64, Rank<2>, RowMajor>().unwrap();
    assert_eq!(x.as_slice().as_ptr(), at);
    // A copy has another address than the original.
    let erased = DynTensor::from(x);
    assert_ne!(pointer(&erased.to_owned().unwrap().view()), at);
    assert_ne!(pointer(&erased.clone().view()), at);
    // A view of a typed tensor has the address of the tensor.
    let y = tensor![[1, 2], [3, 4]];
    let view: vierbein::TensorView<'_, i32, Rank<2>, RowMajor, Cpu> =
        DynView::from(&y).downcast_view().unwrap();
    assert_eq!(view.try_as_slice().unwrap().as_ptr(), y.as_slice().as_ptr());
}

#[test]
fn parts_along_an_axis() {
    for order in ORDERS {
        let rows = vec![vec![1, 2, 3], vec![4, 5, 6]];
        let mut x = DynTensor::from_rows(&rows, order).unwrap();
        assert_eq!((x.order(), x.shape()), (order, &[2, 3][..]));
        assert_eq!(x, DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]));
        let is = |part: DynView<'_>, expected: Tensor<i32, Rank<2>>| {
            assert_eq!(part.order(), order);
            assert_eq!(part, DynTensor::from(expected));
        };
        let (low, high) = x.split_at(1, -1).unwrap();
        is(low, tensor![[1, 2], [4, 5]]);
        is(high, tensor![[3], [6]]);
        let (low, high) = x.split_at(-2, 2).unwrap();
        is(low, tensor![[1, 2, 3], [4, 5, 6]]);
        assert_eq!(high.shape(), [0, 3]);
        // The part of a view has the lifetime of the view's elements.
        let first = x.view().split_at(0, 1).unwrap().0;
        is(first, tensor![[1, 2, 3]]);
        let columns = x.axis_iter(1).unwrap();
        assert_eq!(columns.len(), 3);
        let columns: Vec<Vec<i32>> = columns.rev().map(|column| column.to_vec().unwrap()).collect();
        assert_eq!(columns, [[3, 6], [2, 5], [1, 4]]);
        assert_eq!(x.axis_iter(-2).unwrap().nth(1).unwrap().to_vec::<i32>().unwrap(), [4, 5, 6]);
        let cube = DynTensor::from(tensor![[[1, 2], [3, 4]], [[5, 6], [7, 8]]]).to_order(order).unwrap();
        // A view with negative strides.
        let cube = cube.flip(&[0, 2]).unwrap();
        let lanes = cube.lanes(-2).unwrap();
        assert_eq!(lanes.len(), 4);
        let lanes: Vec<Vec<i32>> = lanes.map(|lane| lane.to_vec().unwrap()).collect();
        let expected = match order {
            MemoryOrder::RowMajor => [[6, 8], [5, 7], [2, 4], [1, 3]],
            MemoryOrder::ColMajor => [[6, 8], [2, 4], [5, 7], [1, 3]],
        };
        assert_eq!(lanes, expected);
        let mut shapes = Vec::new();
        x.for_each_chunk_mut(1, 2, |mut chunk| {
            shapes.push(chunk.shape().to_vec());
            chunk.fill(10 * shapes.len() as i32)
        })
        .unwrap();
        assert_eq!(shapes, [[2, 2], [2, 1]]);
        assert_eq!(x, DynTensor::from(tensor![[10, 10, 20], [10, 10, 20]]));
        // A view, and an error in the second of two chunks.
        let mut calls = 0;
        let error = x.t_mut().unwrap().for_each_chunk_mut(-1, 1, |mut chunk| {
            calls += 1;
            if calls == 1 { chunk.fill(0) } else { chunk.fill(1.0) }
        });
        assert_eq!((calls, error.is_err()), (2, true));
        assert_eq!(x, DynTensor::from(tensor![[0, 0, 0], [10, 10, 20]]));
        x.for_each_chunk_mut(0, usize::MAX, |mut chunk| chunk.fill(7)).unwrap();
        assert_eq!(x, DynTensor::from(tensor![[7, 7, 7], [7, 7, 7]]));
    }
    assert_eq!(DynTensor::from_rows::<f32, Vec<f32>>(&[], MemoryOrder::RowMajor).unwrap().shape(), [0, 0]);
}

#[test]
fn errors_of_parts_are_those_of_typed_tensors() {
    let mut typed = tensor![[1, 2, 3], [4, 5, 6]];
    let mut x = DynTensor::from(typed.clone());
    let texts = |dynamic: Error, typed: Error| assert_eq!(dynamic.to_string(), typed.to_string());
    for (axis, at) in [(2, 0), (0, 3), (1, -4)] {
        texts(x.split_at(axis, at).unwrap_err(), typed.try_split_at(axis, at).unwrap_err());
    }
    texts(x.lanes(-3).err().unwrap(), typed.try_lanes(-3).err().unwrap());
    texts(x.axis_iter(2).err().unwrap(), typed.try_axis_iter(2).err().unwrap());
    for (axis, len) in [(2, 1), (0, 0)] {
        let error = x.for_each_chunk_mut(axis, len, |_| panic!("there are no chunks")).unwrap_err();
        texts(error, typed.try_chunks_mut(axis, len).unwrap_err());
    }
    let rows = [vec![1, 2], vec![3]];
    texts(
        DynTensor::from_rows(&rows, MemoryOrder::ColMajor).unwrap_err(),
        Tensor::<i32, Rank<2>>::try_from_rows(&rows).unwrap_err(),
    );
}
