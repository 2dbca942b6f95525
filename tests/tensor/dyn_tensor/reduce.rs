//! Tests of cumulative sums, of traces, and of reductions over all subsets of axes.

use super::naive::{Naive, cases, check, indices};
use super::values::Value;
use super::values::for_each_type;
use crate::properties::reference::Array;
use vierbein::dyn_tensor::DynReduction;
use vierbein::{Complex, DType, DynScalar, DynTensor, Error, MemoryOrder, c64, tensor};

const ORDERS: [MemoryOrder; 2] = [MemoryOrder::RowMajor, MemoryOrder::ColMajor];
const ALL: [DynReduction; 23] = [
    DynReduction::Sum,
    DynReduction::Prod,
    DynReduction::Mean,
    DynReduction::Var { ddof: 0 },
    DynReduction::Std { ddof: 1 },
    DynReduction::Norm,
    DynReduction::Max,
    DynReduction::Min,
    DynReduction::ArgMax,
    DynReduction::ArgMin,
    DynReduction::All,
    DynReduction::Any,
    DynReduction::Count,
    DynReduction::PeakToPeak,
    DynReduction::NanSum,
    DynReduction::NanMean,
    DynReduction::NanMax,
    DynReduction::NanMin,
    DynReduction::NanProd,
    DynReduction::NanVar { ddof: 1 },
    DynReduction::NanStd { ddof: 0 },
    DynReduction::NanArgMax,
    DynReduction::NanArgMin,
];

/// Converts a real number to the result type of variances and norms of `T`.
fn magnitude<T: Value>(x: f64) -> DynScalar {
    match T::DTYPE {
        DType::F32 | DType::C32 => (x as f32).into(),
        _ => x.into(),
    }
}

/// Returns the expected result of a reduction of elements, which are in memory order. Returns `None` if the type does not support
/// the reduction.
fn reduced<T: Value>(op: DynReduction, elements: &[T]) -> Option<DynScalar> {
    let wide: Option<Vec<c64>> = elements.iter().map(|x| x.wide()).collect();
    let mask = || elements.iter().map(|&x| bool::try_from(x.into()).ok()).collect::<Option<Vec<bool>>>();
    let n = elements.len() as f64;
    let variance = |wide: &[c64], ddof: usize| {
        let mean = wide.iter().sum::<c64>() / n;
        wide.iter().map(|x| (x - mean).norm_sqr()).sum::<f64>() / (n - ddof as f64)
    };
    let mean = |wide: Vec<c64>| {
        let mean = wide.iter().sum::<c64>() / n;
        match T::DTYPE {
            DType::C32 => DynScalar::from(Complex::new(mean.re as f32, mean.im as f32)),
            DType::C64 => mean.into(),
            _ => magnitude::<T>(mean.re),
        }
    };
    // The elements are finite, so the variants that ignore NaN differ from the others only in the types that they support.
    let inexact = matches!(T::DTYPE, DType::F32 | DType::F64 | DType::C32 | DType::C64);
    // Returns the index of the first extremum, or `None` if the element type is not ordered.
    let best = |better: fn(f64, f64) -> bool| {
        let wide = match mask() {
            Some(mask) => mask.into_iter().map(|x| c64::from(f64::from(u8::from(x)))).collect(),
            None => wide.clone().filter(|_| T::ORDERED)?,
        };
        let mut at = 0;
        (1..wide.len()).for_each(|k| {
            if better(wide[k].re, wide[at].re) {
                at = k
            }
        });
        Some(at)
    };
    match op {
        DynReduction::Sum => Some(T::narrow(wide?.iter().sum()).into()),
        DynReduction::Prod => Some(T::narrow(wide?.iter().product()).into()),
        DynReduction::Mean => Some(mean(wide?)),
        DynReduction::Var { ddof } => Some(magnitude::<T>(variance(&wide?, ddof))),
        DynReduction::Std { ddof } => Some(magnitude::<T>(variance(&wide?, ddof).sqrt())),
        DynReduction::Norm => Some(magnitude::<T>(wide?.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt())),
        DynReduction::Max => best(|a, b| a > b).filter(|_| T::ORDERED).map(|at| elements[at].into()),
        DynReduction::Min => best(|a, b| a < b).filter(|_| T::ORDERED).map(|at| elements[at].into()),
        DynReduction::ArgMax => best(|a, b| a > b).map(|at| (at as i64).into()),
        DynReduction::ArgMin => best(|a, b| a < b).map(|at| (at as i64).into()),
        DynReduction::All => mask().map(|mask| mask.iter().all(|&x| x).into()),
        DynReduction::Any => mask().map(|mask| mask.iter().any(|&x| x).into()),
        DynReduction::Count => mask().map(|mask| (mask.iter().filter(|&&x| x).count() as i64).into()),
        DynReduction::PeakToPeak => {
            let (high, low) = (best(|a, b| a > b)?, best(|a, b| a < b)?);
            let wide = wide?;
            Some(T::narrow(wide[high] - wide[low]).into())
        }
        DynReduction::NanSum => reduced(DynReduction::Sum, elements).filter(|_| inexact),
        DynReduction::NanMean => reduced(DynReduction::Mean, elements).filter(|_| inexact),
        DynReduction::NanMax => reduced(DynReduction::Max, elements).filter(|_| inexact),
        DynReduction::NanMin => reduced(DynReduction::Min, elements).filter(|_| inexact),
        DynReduction::NanProd => reduced(DynReduction::Prod, elements).filter(|_| inexact),
        DynReduction::NanVar { ddof } => reduced(DynReduction::Var { ddof }, elements).filter(|_| inexact),
        DynReduction::NanStd { ddof } => reduced(DynReduction::Std { ddof }, elements).filter(|_| inexact),
        DynReduction::NanArgMax => reduced(DynReduction::ArgMax, elements).filter(|_| inexact),
        DynReduction::NanArgMin => reduced(DynReduction::ArgMin, elements).filter(|_| inexact),
        _ => unreachable!("there are no others"),
    }
}

/// Returns the expected results of a reduction of a tensor over `axes`: without these axes, and with extents of 1.
fn over<T: Value>(
    op: DynReduction,
    x: &Naive<T>,
    axes: &[usize],
    order: MemoryOrder,
) -> [Naive<DynScalar>; 2] {
    let groups = Array { shape: x.shape.clone(), values: x.elements.clone() };
    let groups = groups.groups(axes, order.is_row_major());
    let mut elements = Vec::new();
    for group in &groups.values {
        elements.push(reduced(op, group).unwrap());
    }
    let mut kept = x.shape.clone();
    axes.iter().for_each(|&axis| kept[axis] = 1);
    [groups.shape, kept].map(|shape| Naive { shape, elements: elements.clone() })
}

/// Returns 1 or 2, mostly 1, so that products are small. For `bool`, returns the values of `small`.
fn tame<T: Value>(k: usize) -> T {
    match k as u64 * 2_654_435_761 / 128 % 5 {
        0 if T::DTYPE != DType::Bool => T::narrow(Complex::new(2.0, 0.0)),
        _ if T::DTYPE != DType::Bool => T::narrow(Complex::new(1.0, 0.0)),
        _ => T::small(k),
    }
}

fn reductions_of<T: Value>() {
    let shapes: [&[usize]; 4] = [&[], &[5], &[2, 3], &[2, 3, 2]];
    for op in ALL {
        if reduced(op, &[T::small(0), T::small(1)]).is_none() {
            let x = DynTensor::from_vec(&[1], vec![T::small(0)], ORDERS[0]).unwrap();
            let error = x.reduce(op, ..).unwrap_err();
            assert!(matches!(error, Error::UnsupportedDType { dtype, .. } if dtype == T::DTYPE), "{error}");
            continue;
        }
        let value = if op == DynReduction::Prod { tame::<T> } else { T::small };
        // The sample standard deviation of one element is NaN. The tests of typed tensors cover this case.
        let least = if matches!(op, DynReduction::Std { .. }) { 2 } else { 1 };
        for order in ORDERS {
            for shape in shapes {
                let all = cases(shape, order, value);
                for subset in 0..1 << shape.len() {
                    let axes: Vec<usize> = (0..shape.len()).filter(|axis| subset >> axis & 1 == 1).collect();
                    if axes.iter().map(|&axis| shape[axis]).product::<usize>() < least {
                        continue;
                    }
                    // Tests all kinds of layouts for reductions over all axes, and two kinds of layouts for reductions over fewer axes.
                    let some =
                        if subset + 1 == 1 << shape.len() { &all[..] } else { &all[..2.min(all.len())] };
                    for case in some {
                        let what = (op, T::DTYPE, order, &axes, &case.steps);
                        let [expected, kept] = over(op, &case.naive, &axes, order);
                        check(&case.view().reduce(op, axes.as_slice()).unwrap(), &expected, order, what);
                        check(&case.view().reduce_keepdims(op, axes.clone()).unwrap(), &kept, order, what);
                    }
                }
                let case = &all[0];
                if shape.iter().product::<usize>() >= least {
                    let axes: Vec<usize> = (0..shape.len()).collect();
                    let [expected, _] = over(op, &case.naive, &axes, order);
                    check(&case.view().reduce(op, ..).unwrap(), &expected, order, (op, T::DTYPE));
                }
            }
        }
    }
}

#[test]
fn reductions() {
    for_each_type!(reductions_of());
}

#[test]
fn named_methods_equal_reduce() {
    let x = DynTensor::from_vec(&[2, 2], vec![3.0, 1.0, 4.0, 1.5], ORDERS[0]).unwrap();
    let mask = x.gt(1.0).unwrap();
    for (op, found) in [
        (DynReduction::Sum, x.sum_axis(1)),
        (DynReduction::Prod, x.prod_axis(1)),
        (DynReduction::Mean, x.mean_axis(1)),
        (DynReduction::Var { ddof: 1 }, x.var_axis(1, 1)),
        (DynReduction::Std { ddof: 0 }, x.std_axis(1, 0)),
        (DynReduction::Norm, x.norm_axis(1)),
        (DynReduction::Max, x.max_axis(1)),
        (DynReduction::Min, x.min_axis(1)),
        (DynReduction::ArgMax, x.argmax_axis(1)),
        (DynReduction::ArgMin, x.argmin_axis(1)),
        (DynReduction::All, mask.all_axis(1)),
        (DynReduction::Any, mask.any_axis(1)),
        (DynReduction::Count, mask.count_axis(1)),
        (DynReduction::PeakToPeak, x.ptp_axis(1)),
        (DynReduction::NanSum, x.nan_sum_axis(1)),
        (DynReduction::NanMean, x.nan_mean_axis(1)),
        (DynReduction::NanMax, x.nan_max_axis(1)),
        (DynReduction::NanMin, x.nan_min_axis(1)),
        (DynReduction::NanProd, x.nan_prod_axis(1)),
        (DynReduction::NanVar { ddof: 1 }, x.nan_var_axis(1, 1)),
        (DynReduction::NanStd { ddof: 0 }, x.nan_std_axis(1, 0)),
        (DynReduction::NanArgMax, x.nan_argmax_axis(1)),
        (DynReduction::NanArgMin, x.nan_argmin_axis(1)),
    ] {
        let of = if matches!(op, DynReduction::All | DynReduction::Any | DynReduction::Count) {
            &mask
        } else {
            &x
        };
        assert_eq!(found.unwrap(), of.reduce(op, 1).unwrap(), "{op:?}");
    }
}

/// Checks sums, products and traces of integers in each numeric type. The expected results are exact: integers that fit or do not fit, and
/// floating-point numbers that have them as values.
fn widened<T: Value + TryFrom<i128>>(elements: [i128; 4]) {
    let all: [T; 4] = elements.map(|x| T::try_from(x).ok().unwrap());
    let x = DynTensor::from_vec(&[2, 2], all.to_vec(), ORDERS[0]).unwrap();
    let [a, b, c, d] = elements;
    let fits = |value: i128, to: DType| match to {
        DType::I8 => i8::try_from(value).is_ok(),
        DType::I16 => i16::try_from(value).is_ok(),
        DType::I32 => i32::try_from(value).is_ok(),
        DType::I64 => i64::try_from(value).is_ok(),
        DType::U8 => u8::try_from(value).is_ok(),
        DType::U16 => u16::try_from(value).is_ok(),
        DType::U32 => u32::try_from(value).is_ok(),
        DType::U64 => u64::try_from(value).is_ok(),
        _ => true,
    };
    let check = |found: Result<DynTensor, Error>, expected: &[i128], noun: &str, to: DType| {
        if expected.iter().any(|&x| !fits(x, to)) {
            let error = found.unwrap_err().to_string();
            assert!(error.contains(noun) && error.contains(to.name()), "{to}: {error}");
            return;
        }
        let found = found.unwrap();
        assert_eq!(found.dtype(), to);
        if matches!(to, DType::U64) {
            let wide: Vec<u64> = expected.iter().map(|&x| x as u64).collect();
            assert_eq!(found.to_vec::<u64>().unwrap(), wide);
        } else if matches!(to, DType::F32 | DType::F64 | DType::C32 | DType::C64) {
            let wide: Vec<f64> = expected
                .iter()
                .map(|&x| if found.dtype() == DType::F64 { x as f64 } else { x as f32 as f64 })
                .collect();
            let found = found.to_dtype(DType::C64).unwrap().to_vec::<c64>().unwrap();
            for (found, wide) in found.iter().zip(wide) {
                assert!(
                    (found.re - wide).abs() <= 2e-7 * wide.abs() && found.im == 0.0,
                    "{to}: {found} and {wide}"
                );
            }
        } else {
            let wide: Vec<i64> = expected.iter().map(|&x| x as i64).collect();
            assert_eq!(found.to_dtype(DType::I64).unwrap().to_vec::<i64>().unwrap(), wide, "{to}");
        }
    };
    for to in DType::ALL {
        if to == DType::Bool {
            let reason = "`bool` is not a number";
            assert!(x.sum_as(to).unwrap_err().to_string().contains(reason));
            continue;
        }
        check(x.sum_as(to), &[a + b + c + d], "sum", to);
        check(x.sum_axis_as(0, to), &[a + c, b + d], "sum", to);
        check(x.t().unwrap().sum_axis_as(-1, to), &[a + c, b + d], "sum", to);
        check(x.trace_as(0, 1, to), &[a + d], "sum", to);
        check(x.prod_as(to), &[a * b * c * d], "product", to);
        check(x.prod_axis_as(1, to), &[a * b, c * d], "product", to);
    }
    let empty = DynTensor::zeros(&[0, 2], T::DTYPE, ORDERS[1]).unwrap();
    assert_eq!(empty.sum_axis_as(0, DType::U8).unwrap().to_vec::<u8>().unwrap(), [0, 0]);
    assert_eq!(empty.prod_as(DType::U64).unwrap().item().unwrap(), 1_u64.into());
}

#[test]
fn sums_in_other_types() {
    widened::<u8>([200, 100, 3, 50]);
    widened::<i8>([-100, -100, 100, 100]);
    widened::<i8>([-3, 5, 1, 1]);
    widened::<i16>([-30_000, 1, -30_000, 2]);
    widened::<u16>([60_000, 60_000, 0, 1]);
    widened::<i32>([i32::MIN.into(), -1, 1, 1]);
    widened::<u32>([u32::MAX.into(), 1, u32::MAX.into(), 1]);
    widened::<i64>([i64::MAX.into(), i64::MAX.into(), 0, 1]);
    widened::<i64>([-7, 2, 1 << 40, 3]);
    widened::<u64>([u64::MAX.into(), 1, 1, 1]);
    widened::<u64>([1 << 40, 1 << 23, 1, 1]);
    let x = DynTensor::from(tensor![1e30f32, 1e30]);
    assert_eq!(x.prod_as(DType::F64).unwrap().item().unwrap(), f64::from(1e30f32).powi(2).into());
    assert_eq!(x.sum_as(DType::C32).unwrap().item().unwrap(), Complex::new(2e30f32, 0.0).into());
    let z = x.to_dtype(DType::C32).unwrap().try_mul(Complex::<f32>::I).unwrap();
    let square = -f64::from(1e30f32).powi(2);
    assert_eq!(z.prod_as(DType::C64).unwrap().item().unwrap(), Complex::new(square, 0.0).into());
    assert_eq!(
        z.sum_axis_as(0, DType::C64).unwrap().item().unwrap(),
        Complex::new(0.0, 2.0 * f64::from(1e30f32)).into()
    );
    assert_eq!(
        z.sum_as(DType::F64).unwrap_err().to_string(),
        "cannot sum: `f64` does not have all values of `Complex<f32>`, so sums and products of `Complex<f32>` are not computed in \
         `f64`; convert the elements first, with `.to_dtype(DType::F64)`"
    );
    let error = DynTensor::from(tensor![true]).sum_as(DType::I64).unwrap_err().to_string();
    assert!(error.starts_with("sum: `bool` is not a number"), "{error}");
    assert!(x.trace_as(0, 1, DType::F64).is_err());
}

#[test]
fn reductions_over_zero_elements() {
    let x = DynTensor::zeros(&[0, 3], DType::F64, ORDERS[0]).unwrap();
    assert_eq!(x.sum_axis(0).unwrap().to_vec::<f64>().unwrap(), [0.0; 3]);
    assert_eq!(x.prod().unwrap().item().unwrap(), 1.0.into());
    assert!(f64::try_from(x.mean().unwrap().item().unwrap()).unwrap().is_nan());
    assert_eq!(x.max_axis(1).unwrap().shape(), [0]);
    assert_eq!(
        x.max_axis(0).unwrap_err().to_string(),
        "cannot take the maximum of shape [0, 3]: the reduced axes have zero elements"
    );
    assert!(matches!(x.argmin(), Err(Error::Empty { .. })));
}

fn scans_of<T: Value>() {
    let x = DynTensor::from_vec(&[1], vec![T::small(0)], ORDERS[0]).unwrap();
    if T::small(0).wide().is_none() {
        assert!(matches!(x.cumsum(0), Err(Error::UnsupportedDType { .. })));
        return;
    }
    for order in ORDERS {
        for case in cases(&[2, 4], order, tame::<T>) {
            for axis in 0..2 {
                let upto = |index: &[usize]| -> Vec<c64> {
                    (0..=index[axis])
                        .map(|k| {
                            let mut index = index.to_vec();
                            index[axis] = k;
                            case.naive.at(&index).wide().unwrap()
                        })
                        .collect()
                };
                let sums = Naive::new(&[2, 4], |i| T::narrow(upto(i).iter().sum()).into());
                let products = Naive::new(&[2, 4], |i| T::narrow(upto(i).iter().product()).into());
                check(&case.view().cumsum(axis).unwrap(), &sums, order, (T::DTYPE, axis, &case.steps));
                check(&case.view().cumprod(axis).unwrap(), &products, order, (T::DTYPE, axis, &case.steps));
            }
        }
    }
}

#[test]
fn cumulative_sums() {
    for_each_type!(scans_of());
}

fn traces_of<T: Value>() {
    if T::small(0).wide().is_none() {
        let x = DynTensor::from_vec(&[1, 1], vec![T::small(0)], ORDERS[0]).unwrap();
        assert!(matches!(x.trace(0, 1), Err(Error::UnsupportedDType { .. })));
        return;
    }
    for order in ORDERS {
        for case in cases(&[3, 2, 3], order, T::small) {
            for (a, b) in [(0, 2), (2, 0)] {
                let expected = Naive::new(&[2], |i| {
                    T::narrow((0..3).map(|k| case.naive.at(&[k, i[0], k]).wide().unwrap()).sum()).into()
                });
                check(&case.view().trace(a, b).unwrap(), &expected, order, (T::DTYPE, &case.steps));
            }
        }
        let case = &cases(&[4, 4], order, T::small)[1];
        let sum: c64 = (0..4).map(|k| case.naive.at(&[k, k]).wide().unwrap()).sum();
        check(
            &case.view().trace(0, 1).unwrap(),
            &Naive::new(&[], |_| T::narrow(sum).into()),
            order,
            T::DTYPE,
        );
    }
}

#[test]
fn traces() {
    for_each_type!(traces_of());
    assert_eq!(indices(&[2, 2]).len(), 4);
}
