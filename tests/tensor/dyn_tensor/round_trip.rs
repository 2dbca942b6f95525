//! Tests of conversions of typed tensors to `DynTensor` and back. No element may be copied. The error of a failed downcast must
//! contain the tensor.

use super::values::Value;
use super::values::for_each_type;
use vierbein::prelude::*;
use vierbein::{DType, DynScalar, DynTensor, DynView, DynViewMut, MemoryOrder, dispatch};

fn there_and_back<T: Value, D: Dim, O: Order>(shape: D::Shape) {
    let n: usize = shape.as_ref().iter().product();
    let data: Vec<T> = (0..n).map(T::small).collect();
    let x: Tensor<T, D, O> = Tensor::from_vec(shape, data.clone());
    let at = x.as_slice().as_ptr();
    let erased = DynTensor::from(x);
    assert_eq!(
        (erased.dtype(), erased.rank(), erased.shape(), erased.order(), erased.len()),
        (T::DTYPE, shape.as_ref().len(), shape.as_ref(), O::MEMORY_ORDER, n)
    );
    assert!(erased.is_contiguous());
    assert_eq!(erased.to_vec::<T>().unwrap(), data);
    let view: TensorView<'_, T, D, O> = erased.downcast_ref().unwrap();
    assert_eq!(view.try_as_slice().unwrap().as_ptr(), at);
    let mut back: Tensor<T, D, O> = Tensor::try_from(erased).unwrap();
    assert_eq!(back.as_slice().as_ptr(), at);
    assert_eq!(back.as_slice(), data);
    // The same conversions for shared and mutable views.
    let view: TensorView<'_, T, D, O> = DynView::from(&back).try_into().unwrap();
    assert_eq!(view.try_as_slice().unwrap().as_ptr(), at);
    let view: TensorViewMut<'_, T, D, O> = DynViewMut::from(&mut back).try_into().unwrap();
    assert_eq!(view.try_as_slice().unwrap().as_ptr(), at);
}

fn of_type<T: Value>() {
    there_and_back::<T, Rank<0>, RowMajor>([]);
    there_and_back::<T, Rank<0>, ColMajor>([]);
    there_and_back::<T, Rank<1>, RowMajor>([5]);
    there_and_back::<T, Rank<1>, ColMajor>([5]);
    there_and_back::<T, Rank<2>, RowMajor>([2, 3]);
    there_and_back::<T, Rank<2>, ColMajor>([2, 3]);
    there_and_back::<T, Rank<3>, RowMajor>([2, 0, 3]);
    there_and_back::<T, Rank<3>, ColMajor>([2, 1, 3]);
    there_and_back::<T, Rank<4>, RowMajor>([2, 3, 1, 2]);
    there_and_back::<T, Rank<4>, ColMajor>([2, 3, 1, 2]);
    there_and_back::<T, Rank<16>, RowMajor>([1; 16]);
}

#[test]
fn every_type_rank_and_order() {
    for_each_type!(of_type());
}

#[test]
fn views_keep_their_layout() {
    let x: Tensor<i32, Rank<3>, ColMajor> = Tensor::arange(0..24).reshape([2, 3, 4]);
    let erased = DynTensor::from(x.clone());
    let cut = erased.slice(s![1, ..;-1, 1..;2]).unwrap();
    let typed: TensorView<'_, i32, Rank<2>, ColMajor> = cut.downcast_ref().unwrap();
    assert_eq!(typed, x.slice(s![1, ..;-1, 1..;2]));
    let turned: TensorView<'_, i32, Rank<3>, ColMajor> =
        erased.permute(&[2, 0, 1]).unwrap().downcast_view().unwrap();
    assert_eq!(turned, x.permute([2, 0, 1]));
    let mut erased = erased;
    let mut cut = erased.slice_mut(s![.., 1, ..]).unwrap();
    cut.downcast_mut::<i32, Rank<2>, ColMajor, Cpu>().unwrap().fill(-1);
    let mut expected = x;
    expected.index_axis_mut(1, 1).fill(-1);
    assert_eq!(erased.downcast::<i32, Rank<3>, ColMajor, Cpu>().unwrap(), expected);
}

#[test]
fn ranks_0_and_1_match_both_memory_orders() {
    let x = DynTensor::from(tensor![1, 2]);
    assert!(x.downcast_ref::<i32, Rank<1>, ColMajor, Cpu>().is_ok());
    let x: Tensor<i32, Rank<1>, ColMajor> = x.downcast().unwrap();
    assert_eq!(x.as_slice(), [1, 2]);
}

#[test]
fn failed_downcast_returns_tensor() {
    let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let at = x.as_slice().as_ptr();
    let found = "a row-major f64 tensor of shape [2, 3] on Cpu is not a";
    let error = DynTensor::from(x).downcast::<i64, Rank<2>, RowMajor, Cpu>().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{found} `Tensor<i64, Rank<2>, RowMajor, Cpu>`: the element types differ; convert it first: `.to_dtype(DType::I64)`"
        )
    );
    let error = error.into_inner().downcast::<f64, Rank<3>, RowMajor, Cpu>().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{found} `Tensor<f64, Rank<3>, RowMajor, Cpu>`: it has rank 2, not 3; \
             `.reshape(..)`, `.insert_axis(..)` and `.index_axis(..)` change that"
        )
    );
    let error = error.into_inner().downcast::<f64, Rank<2>, ColMajor, Cpu>().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{found} `Tensor<f64, Rank<2>, ColMajor, Cpu>`: the memory orders differ; \
             `.as_order(ColMajor)` is a free view, `.to_order(ColMajor)` copies"
        )
    );
    let error = error.into_inner().downcast::<f64, Rank<2>, RowMajor, Cuda<1>>().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{found} `Tensor<f64, Rank<2>, RowMajor, Cuda<1>>`: the devices differ; \
             move it first with `.to_device::<Dev>()?`"
        )
    );
    let x = error.into_inner().downcast::<f64, Rank<2>, RowMajor, Cpu>().unwrap();
    assert_eq!(x.as_slice().as_ptr(), at);
    let error = DynTensor::from(x).downcast::<f32, Rank<2>, RowMajor, Cpu>().unwrap_err();
    assert!(matches!(vierbein::Error::from(error), vierbein::Error::Downcast { .. }));
    // A failed downcast of a view returns an error. A failed downcast of an owned tensor returns the tensor in the error.
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let erased = DynView::from(&x);
    assert!(erased.downcast_ref::<f32, Rank<2>, RowMajor, Cpu>().is_err());
    let error = DynTensor::from(tensor![[1.0]]).downcast::<i64, Rank<2>, RowMajor, Cpu>().unwrap_err();
    let given_back: Tensor<f64, Rank<2>> = error.into_inner().downcast().unwrap();
    assert_eq!(given_back, tensor![[1.0]]);
}

#[test]
fn elements() {
    let mut x = DynTensor::from(tensor![[1.5, 2.5], [3.5, 4.5]]);
    assert_eq!(x.get(&[1, 0]).unwrap(), DynScalar::F64(3.5));
    x.set(&[1, 0], -1.0).unwrap();
    assert_eq!(x.t().unwrap().get(&[0, 1]).unwrap(), DynScalar::F64(-1.0));
    assert_eq!(
        x.get(&[0, 2]).unwrap_err().to_string(),
        "cannot index: index 2 is out of bounds for axis 1 of shape [2, 2], whose extent is 2"
    );
    assert_eq!(
        x.get(&[0]).unwrap_err().to_string(),
        "index: a tensor of `Rank<2>` cannot be indexed with 1 indices: expected one index for each axis"
    );
    assert_eq!(
        x.set(&[0, 0], 1).unwrap_err().to_string(),
        "assign: cannot combine a tensor of `f64` with `i32`: expected a tensor or a scalar of `f64`; \
         a scalar has the type of the elements: `1.0` for `f64`, `Complex::from(1.0)` for `Complex<f64>`"
    );
    assert_eq!(
        x.item().unwrap_err().to_string(),
        "item: a tensor of `Rank<2>` is not known to have exactly one element: expected `Rank<0>`; read one element with \
         `x.get(&[i, j])`, or sum all elements with `.sum()?.item()`"
    );
}

#[test]
fn scalars() {
    for dtype in DType::ALL {
        let zero = DynScalar::zero(dtype);
        assert_eq!(zero.dtype(), dtype);
        assert_eq!(DynTensor::scalar(zero).item().unwrap(), zero);
        dispatch!(dtype, T => {
            assert_eq!(zero.get::<T>(), Some(T::default()));
            assert_eq!(zero.to_string(), T::default().to_string());
        });
    }
    assert_eq!(format!("{:?}", DynScalar::from(1.5f32)), "1.5 f32");
    assert_eq!(
        i64::try_from(DynScalar::from(7)).unwrap_err().to_string(),
        "the scalar 7 of i32 is not a `i64`: the types differ; convert the tensor first with `.to_dtype(..)`"
    );
}

#[test]
fn text_equals_typed_tensor() {
    fn same<T: Value>() {
        let x: Tensor<T, Rank<2>, ColMajor> = Tensor::from_vec([3, 4], (0..12).map(T::small).collect());
        let erased = DynTensor::from(x.clone());
        assert_eq!((format!("{erased}"), format!("{erased:?}")), (format!("{x}"), format!("{x:?}")));
        assert_eq!(format!("{:.1}", erased.t().unwrap()), format!("{:.1}", x.t()));
    }
    for_each_type!(same());
    let long: Tensor<i32, Rank<2>> = Tensor::arange(0..4000).reshape([4, 1000]);
    assert_eq!(DynView::from(&long).to_string(), long.to_string());
    assert_eq!(format!("{:#}", DynView::from(&long)), format!("{long:#}"));
    assert_eq!(
        DynTensor::zeros(&[0, 2], DType::F32, MemoryOrder::ColMajor).unwrap().to_string(),
        "[]\nf32 [0, 2] column-major on Cpu"
    );
}

#[test]
fn equality() {
    let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    assert_eq!(x, x.to_order(MemoryOrder::ColMajor).unwrap());
    assert_ne!(x, x.t().unwrap());
    assert_ne!(x, x.to_dtype(DType::I64).unwrap());
    assert_ne!(x, x.view().flatten().unwrap());
    let nan = DynTensor::scalar(f64::NAN);
    assert_ne!(nan, nan.clone());
}

#[test]
fn dyn_tensors_are_send_and_sync() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<DynTensor>();
    shared::<DynView<'static>>();
    shared::<DynViewMut<'static>>();
    shared::<vierbein::DowncastError>();
    let x = DynTensor::from(tensor![1, 2, 3]);
    let sums = std::thread::scope(|scope| {
        let sum = || x.sum().unwrap().item().unwrap();
        [scope.spawn(sum), scope.spawn(sum)].map(|thread| thread.join().unwrap())
    });
    assert_eq!(sums, [6.into(); 2]);
}

#[test]
fn tensors_from_vectors() {
    let x = DynTensor::from_vec(&[2, 2], vec![1u8, 2, 3, 4], MemoryOrder::ColMajor).unwrap();
    assert_eq!(x.get(&[0, 1]).unwrap(), 3u8.into());
    assert_eq!(
        DynTensor::from_vec(&[2, 2], vec![1u8], MemoryOrder::RowMajor).unwrap_err().to_string(),
        "cannot make a tensor of shape [2, 2] from 1 values: it has 4 elements"
    );
    assert_eq!(
        DynTensor::from_vec(&[1; 17], vec![1u8], MemoryOrder::RowMajor).unwrap_err().to_string(),
        "make a tensor: `Rank<17>` is not a supported tensor rank: ranks run from `Rank<0>` to `Rank<16>`; \
         merge axes, or keep an array of tensors of smaller rank"
    );
    assert!(DynTensor::zeros(&[usize::MAX, 2], DType::F64, MemoryOrder::RowMajor).is_err());
}
