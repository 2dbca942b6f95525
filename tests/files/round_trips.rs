//! Tests of round trips: a typed tensor becomes a `DynTensor`, which is written to a file and read again. The tests cover every
//! element type, memory order, rank and format.

use super::golden::{Golden, made, values};
use std::io::Cursor;
use vierbein::io::npz::{Npz, NpzWriter};
use vierbein::io::safetensors::{Safetensors, SafetensorsWriter};
use vierbein::prelude::*;
use vierbein::{AnyRank, DType, DynTensor};

fn npy(x: &DynTensor) -> DynTensor {
    let mut bytes = Vec::new();
    x.write_npy_to(&mut bytes).unwrap();
    DynTensor::read_npy_from(&bytes[..]).unwrap()
}

fn npz(x: &DynTensor, compressed: bool) -> DynTensor {
    let mut archive = NpzWriter::new();
    archive.push(x).unwrap().add("x", x).unwrap();
    if compressed {
        archive.compressed();
    }
    let mut bytes = Cursor::new(Vec::new());
    archive.write_to(&mut bytes).unwrap();
    let mut archive = Npz::new(bytes).unwrap();
    assert_eq!(archive.names().collect::<Vec<_>>(), ["arr_0", "x"]);
    archive.get("x").unwrap()
}

/// A round trip through safetensors. The format supports only row-major tensors. So a column-major tensor is written through its
/// row-major view, and copied to its memory order after it is read.
fn safetensors(x: &DynTensor) -> DynTensor {
    let view = x.as_order(vierbein::MemoryOrder::RowMajor);
    let mut bytes = Vec::new();
    SafetensorsWriter::new().add("x", &view).unwrap().write_to(&mut bytes).unwrap();
    let back: DynTensor = Safetensors::read_from(&bytes[..]).unwrap().get("x").unwrap();
    back.to_order(x.order()).unwrap()
}

fn json(x: &DynTensor) -> DynTensor {
    serde_json::from_str(&serde_json::to_string(x).unwrap()).unwrap()
}

fn binary(x: &DynTensor) -> DynTensor {
    serde_bare::from_slice(&serde_bare::to_vec(x).unwrap()).unwrap()
}

/// Returns one tensor per format: the result of a round trip through the format.
fn through_all(x: &DynTensor) -> Vec<DynTensor> {
    let mut back = vec![npy(x), npz(x, false), npz(x, true), json(x), binary(x)];
    if x.dtype() != DType::C64 {
        back.push(safetensors(x));
    }
    back
}

fn check<T: Golden, D: Dim, O: Order>(shape: D::Shape) {
    let expected = values::<T>(shape.as_ref(), O::ROW_MAJOR);
    for back in through_all(&DynTensor::from(made::<T, D, O>(shape))) {
        let back: Tensor<T, D, O> = back.downcast().unwrap();
        assert_eq!((back.shape(), back.as_slice()), (shape, &expected[..]));
    }
}

#[test]
fn every_type_order_and_rank_round_trips_in_every_format() {
    fn orders<T: Golden, O: Order>() {
        check::<T, Rank<0>, O>([]);
        check::<T, Rank<1>, O>([5]);
        check::<T, Rank<2>, O>([3, 4]);
        check::<T, Rank<3>, O>([2, 3, 4]);
        check::<T, Rank<4>, O>([2, 3, 2, 3]);
    }
    fn types<T: Golden>() {
        orders::<T, RowMajor>();
        orders::<T, ColMajor>();
    }
    for_all_types!(types());
}

/// Typed tensors are serialised directly, not through `DynTensor`.
#[test]
fn typed_tensors_serialise_themselves() {
    fn check<T: Golden>() {
        let x = made::<T, Rank<2>, ColMajor>([3, 4]);
        let text = serde_json::to_string(&x).unwrap();
        let back: Tensor<T, Rank<2>, ColMajor> = serde_json::from_str(&text).unwrap();
        assert_eq!(back.as_slice(), x.as_slice());
        let bytes = serde_bare::to_vec(&x).unwrap();
        let back: Tensor<T, Rank<2>, ColMajor> = serde_bare::from_slice(&bytes).unwrap();
        assert_eq!(back.as_slice(), x.as_slice());
    }
    for_all_types!(check());
    let x = made::<i16, Rank<3>, RowMajor>([2, 3, 4]);
    let bytes = serde_bare::to_vec(&x).unwrap();
    let back: Tensor<i16, AnyRank> = serde_bare::from_slice(&bytes).unwrap();
    assert_eq!(back.into_rank(), x);
    assert!(serde_bare::from_slice::<Tensor<i16, AnyRank<2>>>(&bytes).is_err());
    let bytes = serde_bare::to_vec(&x.index_axis(1, 2)).unwrap();
    assert_eq!(serde_bare::from_slice::<Tensor<i16, Rank<2>>>(&bytes).unwrap(), x.index_axis(1, 2));
}

#[test]
fn tensors_with_20_axes_round_trip_in_every_format() {
    type Wide = Tensor<i16, AnyRank<64>>;
    let shape = vierbein::AnyShape::from([2, 1, 2, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1]);
    let x = Wide::from_vec(shape, (0..24).collect());
    let wrong = |error: String| assert!(error.contains("ranks go up to 16"), "{error}");
    let mut bytes = Cursor::new(Vec::new());
    NpzWriter::new().add("x", &x).unwrap().write_to(&mut bytes).unwrap();
    let mut archive = Npz::new(bytes).unwrap();
    assert_eq!(archive.get::<Wide>("x").unwrap(), x);
    wrong(archive.get::<Tensor<i16, AnyRank>>("x").unwrap_err().to_string());
    wrong(archive.get::<DynTensor>("x").unwrap_err().to_string());
    let mut bytes = Vec::new();
    SafetensorsWriter::new().add("x", &x).unwrap().write_to(&mut bytes).unwrap();
    assert_eq!(Safetensors::read_from(&bytes[..]).unwrap().get::<Wide>("x").unwrap(), x);
    wrong(Safetensors::read_from(&bytes[..]).unwrap().get::<DynTensor>("x").unwrap_err().to_string());
    let text = serde_json::to_string(&x.reverse_axes()).unwrap();
    assert_eq!(serde_json::from_str::<Wide>(&text).unwrap(), x.reverse_axes());
    wrong(serde_json::from_str::<DynTensor>(&text).unwrap_err().to_string());
    let bytes = serde_bare::to_vec(&x).unwrap();
    assert_eq!(serde_bare::from_slice::<Wide>(&bytes).unwrap(), x);
}

#[test]
fn large_dyn_tensors_are_serialised_in_chunks() {
    let x = Tensor::<f64, _>::from_fn([301, 703], |[i, j]| (1000 * i + j) as f64);
    for x in [DynTensor::from(x.clone()), DynTensor::from(x.to_order::<ColMajor>())] {
        let mut bytes = Vec::new();
        x.t().unwrap().write_npy_to(&mut bytes).unwrap();
        let back = DynTensor::read_npy_from(&bytes[..]).unwrap();
        assert_eq!(back.order(), x.order());
        assert_eq!(back.to_vec::<f64>().unwrap(), x.t().unwrap().to_vec::<f64>().unwrap());
    }
}
