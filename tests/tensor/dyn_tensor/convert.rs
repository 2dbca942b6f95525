//! Tests of conversions between element types, which must equal Rust's `as`, and between memory orders. Promotion and `cast_into`
//! are compared with a table that NumPy computed.

use super::naive::{Naive, cases, check};
use super::values::Value;
use vierbein::dyn_tensor::promote;
use vierbein::prelude::*;
use vierbein::{DType, DynScalar, DynTensor, Element, Error, MemoryOrder, c32, c64, dispatch};

/// A table of the promoted type of each pair of types, and of whether NumPy permits a cast from the first type to the second. The first
/// line of the table names the NumPy functions that computed it.
const TABLE: &str = include_str!("../../data/promotion.tsv");

fn rows() -> Vec<[DType; 3]> {
    let named = |name: &str| DType::ALL.into_iter().find(|dtype| dtype.name() == name).unwrap();
    let rows: Vec<_> = TABLE
        .lines()
        .skip(2)
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            [named(columns[0]), named(columns[1]), named(columns[2])]
        })
        .collect();
    assert_eq!(rows.len(), 13 * 13);
    rows
}

#[test]
fn promotion_equals_numpy() {
    for [a, b, both] in rows() {
        assert_eq!(a.promote(b), both, "{a} and {b}");
    }
}

#[test]
fn promoted_tensors() {
    for [a, b, both] in rows() {
        let zero = |dtype| DynTensor::zeros(&[2], dtype, MemoryOrder::RowMajor).unwrap();
        let (x, y) = promote(zero(a), zero(b)).unwrap();
        assert_eq!((x.dtype(), y.dtype()), (both, both));
        assert!(x.equal(&y).unwrap().all().unwrap().item().unwrap() == true.into());
    }
}

/// Returns the expected result of a conversion, which is computed with `as`. Returns `None` if the conversion is not supported.
fn cast(x: DynScalar, to: DType) -> Option<DynScalar> {
    macro_rules! from_real {
        ($x:expr) => {
            match to {
                DType::Bool => None,
                DType::I8 => Some(($x as i8).into()),
                DType::I16 => Some(($x as i16).into()),
                DType::I32 => Some(($x as i32).into()),
                DType::I64 => Some(($x as i64).into()),
                DType::U8 => Some(($x as u8).into()),
                DType::U16 => Some(($x as u16).into()),
                DType::U32 => Some(($x as u32).into()),
                DType::U64 => Some(($x as u64).into()),
                DType::F32 => Some(($x as f32).into()),
                DType::F64 => Some(($x as f64).into()),
                DType::C32 => Some(Complex::new($x as f32, 0.0).into()),
                DType::C64 => Some(Complex::new($x as f64, 0.0).into()),
                _ => unreachable!("there are no others"),
            }
        };
    }
    macro_rules! from_complex {
        ($x:expr) => {
            match to {
                DType::C32 => Some(Complex::new($x.re as f32, $x.im as f32).into()),
                DType::C64 => Some(Complex::new($x.re as f64, $x.im as f64).into()),
                _ => None,
            }
        };
    }
    match x {
        DynScalar::Bool(x) if to == DType::Bool => Some(x.into()),
        DynScalar::Bool(x) => from_real!(u8::from(x)),
        DynScalar::I8(x) => from_real!(x),
        DynScalar::I16(x) => from_real!(x),
        DynScalar::I32(x) => from_real!(x),
        DynScalar::I64(x) => from_real!(x),
        DynScalar::U8(x) => from_real!(x),
        DynScalar::U16(x) => from_real!(x),
        DynScalar::U32(x) => from_real!(x),
        DynScalar::U64(x) => from_real!(x),
        DynScalar::F32(x) => from_real!(x),
        DynScalar::F64(x) => from_real!(x),
        DynScalar::C32(x) => from_complex!(x),
        DynScalar::C64(x) => from_complex!(x),
        _ => unreachable!("there are no others"),
    }
}

fn conversions_of<T: Value>() {
    for to in DType::ALL {
        for order in [MemoryOrder::RowMajor, MemoryOrder::ColMajor] {
            for case in cases(&[2, 3], order, T::small) {
                match cast(T::small(0).into(), to) {
                    Some(_) => {
                        let expected = case.naive.map(|x| cast(x.into(), to).unwrap());
                        check(
                            &case.view().to_dtype(to).unwrap(),
                            &expected,
                            order,
                            (T::DTYPE, to, &case.steps),
                        );
                    }
                    None => {
                        let error = case.view().to_dtype(to).unwrap_err();
                        assert_eq!(error, Error::LossyCast { from: T::DTYPE, to });
                    }
                }
            }
        }
    }
}

#[test]
fn every_pair_of_element_types() {
    super::values::for_each_type!(conversions_of());
    let large = DynTensor::from(tensor![300.7, -1.0, f64::NAN, 1e30]);
    assert_eq!(large.to_dtype(DType::U8).unwrap().to_vec::<u8>().unwrap(), [255, 0, 0, 255]);
    let text = |from: &str, to: &str, way_out: &str| {
        format!("cannot cast `{from}` to `{to}` without losing a part of it: no such cast; {way_out}")
    };
    assert_eq!(
        DynTensor::from(tensor![1]).to_dtype(DType::Bool).unwrap_err().to_string(),
        text("i32", "bool", "number to `bool`: compare, e.g. with `.not_equal(0)`")
    );
    assert_eq!(
        DynTensor::scalar(c64::default()).to_dtype(DType::F64).unwrap_err().to_string(),
        text("Complex<f64>", "f64", "complex to real: choose a part with `.re()`, `.im()` or `.abs()` first")
    );
}

#[test]
fn orders() {
    for order in [MemoryOrder::RowMajor, MemoryOrder::ColMajor] {
        for shape in [&[][..], &[3], &[2, 3], &[2, 3, 4], &[2, 3, 1, 2]] {
            for case in cases(shape, order, |k| k as i32) {
                let expected: Naive<DynScalar> = case.naive.map(Into::into);
                for to in [order, order.transposed()] {
                    let found = case.view().to_order(to).unwrap();
                    assert!(found.is_contiguous() && found.order() == to);
                    check(&found, &expected, to, (order, to, &case.steps));
                    check(&case.view().as_order(to), &expected, to, (order, to, &case.steps));
                    assert_eq!(found.to_vec::<i32>().unwrap(), case.naive.listed(to));
                }
                let flipped = case.base.flip_order();
                assert_eq!(flipped.order(), order.transposed());
                assert!(flipped.is_contiguous());
                assert_eq!(flipped, case.base.reverse_axes().unwrap());
            }
        }
    }
}

// ------------------------------------------------------------------ `cast_into`

fn cast_one<T: Element>(x: DynTensor) -> Result<Tensor<T, Rank<2>, ColMajor>, vierbein::DowncastError> {
    x.cast_into()
}

#[test]
fn casting_kinds_equal_numpy() {
    for line in TABLE.lines().skip(2) {
        let columns: Vec<&str> = line.split('\t').collect();
        let named = |name: &str| DType::ALL.into_iter().find(|dtype| dtype.name() == name).unwrap();
        let (from, to, same_kind) = (named(columns[0]), named(columns[1]), columns[3] == "yes");
        let x = DynTensor::zeros(&[2, 1], from, MemoryOrder::RowMajor).unwrap();
        let cast = dispatch!(to, T => cast_one::<T>(x).map(|_| ()));
        assert_eq!(cast.is_ok(), same_kind, "{from} to {to}");
    }
}

#[test]
fn values_orders_and_ranks() {
    let x = DynTensor::from(tensor![[1u8, 2, 3], [4, 5, 6]]);
    let y: Tensor<f32, Rank<2>, ColMajor> = x.clone().cast_into().unwrap();
    assert_eq!(y.as_slice(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let z: Tensor<c32, Rank<2>, RowMajor> = x.clone().cast_into().unwrap();
    assert_eq!(z[[1, 2]], Complex::new(6.0, 0.0));
    let same: Tensor<u8, Rank<2>, ColMajor> = x.clone().cast_into().unwrap();
    assert_eq!(same[[1, 2]], 6);
    let error = x.cast_into::<u8, Rank<3>, RowMajor>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "a row-major u8 tensor of shape [2, 3] on Cpu is not a `Tensor<u8, Rank<3>, RowMajor, Cpu>`: \
         it has rank 2, not 3; `.reshape(..)`, `.insert_axis(..)` and `.index_axis(..)` change that"
    );
    let error = error.into_inner().cast_into::<i8, Rank<1>, RowMajor>().unwrap_err();
    assert_eq!(error.into_inner().len(), 6);
    // `cast_into` may round numbers, but a finite number must not become an infinity.
    let x = DynTensor::from(tensor![0.1]);
    assert_eq!(x.cast_into::<f32, Rank<1>, RowMajor>().unwrap()[[0]], 0.1f32);
    let x = DynTensor::from(tensor![f64::INFINITY, f64::from(f32::MAX), 1e300]);
    let error = x.cast_into::<f32, Rank<1>, RowMajor>().unwrap_err();
    assert!(
        error.to_string().contains("1e300 is not representable as a finite `f32`; read it as `f64`"),
        "{error}"
    );
    let x = DynTensor::from(tensor![Complex::new(0.0, -1e300)]);
    assert!(x.cast_into::<Complex<f32>, Rank<1>, RowMajor>().is_err());
    let x = DynTensor::from(tensor![f64::INFINITY, f64::from(f32::MAX)]);
    assert_eq!(x.cast_into::<f32, Rank<1>, RowMajor>().unwrap().as_slice(), [f32::INFINITY, f32::MAX]);
    let x = DynTensor::from(tensor![1i64, 300, -1]);
    assert_eq!(x.clone().cast_into::<i16, Rank<1>, RowMajor>().unwrap().as_slice(), [1, 300, -1]);
    let error = x.cast_into::<i8, Rank<1>, RowMajor>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "a row-major i64 tensor of shape [3] on Cpu is not a `Tensor<i8, Rank<1>, RowMajor, Cpu>`: \
         300 is not representable as `i8`; read it as `i64`, or as a larger type"
    );
    let x = DynTensor::from(tensor![1u64, u64::MAX]);
    assert!(x.clone().cast_into::<i64, Rank<1>, RowMajor>().is_err());
    assert_eq!(x.cast_into::<f64, Rank<1>, RowMajor>().unwrap()[[1]], 18_446_744_073_709_551_615.0);
}
