//! Tests of elementwise functions with one, two and three operands. They return a new tensor, or write in place.

use super::naive::{Naive, cases, check};
use super::values::Value;
use super::values::for_each_type;
use vierbein::dyn_tensor::{Binary, DynOperand, Unary};
use vierbein::{Cpu, DType, DynScalar, DynTensor, Error, MemoryOrder, Rank, RowMajor, tensor};

const ORDERS: [MemoryOrder; 2] = [MemoryOrder::RowMajor, MemoryOrder::ColMajor];
const SHAPES: [&[usize]; 6] = [&[], &[3], &[2, 3], &[2, 3, 2], &[2, 1, 3, 2], &[2, 0]];

fn unary_of<T: Value>() {
    for op in Unary::ALL {
        if T::unary(*op, T::larger(0)).is_none() {
            let error =
                DynTensor::from_vec(&[1], vec![T::small(0)], ORDERS[0]).unwrap().unary(*op).unwrap_err();
            assert!(matches!(error, Error::UnsupportedDType { dtype, .. } if dtype == T::DTYPE), "{error}");
            continue;
        }
        // The values are small. Other tests cover NaN and infinities.
        let all = Naive::new(&[13], |index| T::small(index[0]));
        let expected = all.map(|x| T::unary(*op, x).unwrap());
        check(&all.tensor(ORDERS[0]).unary(*op).unwrap(), &expected, ORDERS[0], (op, T::DTYPE));
    }
    // Tests all kinds of layouts with a few functions that have different implementations.
    for order in ORDERS {
        for shape in SHAPES {
            for case in cases(shape, order, T::small) {
                for op in [Unary::Not, Unary::Abs, Unary::Exp, Unary::Floor] {
                    if T::unary(op, T::larger(0)).is_some() {
                        let expected = case.naive.map(|x| T::unary(op, x).unwrap());
                        check(&case.view().unary(op).unwrap(), &expected, order, (op, T::DTYPE, &case.steps));
                    }
                }
            }
        }
    }
}

#[test]
fn log_of_f32_accepts_bases_beyond_its_range() {
    // log(10^30) to the base 10^300 is 0.1, although 10^300 is infinite as `f32`.
    let x = DynTensor::from(tensor![1e30f32, 1.0]).log(1e300).unwrap();
    assert!(x.downcast_ref::<f32, Rank<1>, RowMajor, Cpu>().unwrap().all_close(
        &tensor![0.1, 0.0],
        1e-6,
        0.0
    ));
}

#[test]
fn functions_of_one_element() {
    for_each_type!(unary_of());
}

/// Returns the expected result of a function of two operands that broadcast.
fn combined<T: Value>(op: Binary, a: &Naive<T>, b: &Naive<T>, order: MemoryOrder) -> Naive<DynScalar> {
    let rank = a.shape.len().max(b.shape.len());
    let aligned = |shape: &[usize], axis: usize| {
        let skipped = if order.is_row_major() { rank - shape.len() } else { 0 };
        axis.checked_sub(skipped).and_then(|k| shape.get(k).copied()).unwrap_or(1)
    };
    let shape: Vec<usize> = (0..rank)
        .map(|axis| match (aligned(&a.shape, axis), aligned(&b.shape, axis)) {
            (1, n) | (n, 1) => n,
            (n, m) => {
                assert_eq!(n, m);
                n
            }
        })
        .collect();
    let (a, b) = (a.spread(&shape, order), b.spread(&shape, order));
    Naive::new(&shape, |index| T::binary(op, a.at(index), b.at(index)).unwrap())
}

fn binary_of<T: Value>() {
    for op in Binary::ALL.iter().copied() {
        let rights = match op {
            Binary::Pow | Binary::Shl | Binary::Shr => T::exponent,
            _ => T::small,
        };
        let (x, y) = (T::larger(0), rights(1));
        if T::binary(op, x, y).is_none() {
            let left = DynTensor::from_vec(&[1], vec![x], ORDERS[0]).unwrap();
            let error = left.binary(op, y.into()).unwrap_err();
            assert!(matches!(error, Error::UnsupportedDType { dtype, .. } if dtype == T::DTYPE), "{error}");
            continue;
        }
        for order in ORDERS {
            let left = &cases(&[2, 3], order, T::larger)[0];
            let right = &cases(&[2, 3], order, rights)[1];
            let expected = combined(op, &left.naive, &right.naive, order);
            let found = left.view().binary(op, right.view()).unwrap();
            check(&found, &expected, order, (op, T::DTYPE));
            // The right operand is a scalar.
            let one = Naive::new(&[], |_| y);
            let expected = combined(op, &left.naive, &one, order);
            check(&left.view().binary(op, y.into()).unwrap(), &expected, order, (op, T::DTYPE, "scalar"));
        }
    }
    // Tests all kinds of layouts of both operands, with one function whose result has the operands' type, and with one comparison.
    let of_both = if T::DTYPE == DType::Bool { Binary::Xor } else { Binary::Sub };
    for order in ORDERS {
        for shape in SHAPES {
            let (lefts, rights) = (cases(shape, order, T::larger), cases(shape, order, T::small));
            for (k, left) in lefts.iter().enumerate() {
                let right = &rights[(k + 1) % rights.len()];
                for op in [of_both, Binary::NotEqual] {
                    let expected = combined(op, &left.naive, &right.naive, order);
                    let found = left.view().binary(op, right.view()).unwrap();
                    check(&found, &expected, order, (op, T::DTYPE, &left.steps, &right.steps));
                }
            }
        }
        // Tests operands that broadcast: one has a lower rank, or axes of extent 1.
        let pairs: [(&[usize], &[usize]); 5] = match order {
            MemoryOrder::RowMajor => {
                [(&[2, 3], &[3]), (&[3], &[2, 3]), (&[2, 1, 3], &[4, 1]), (&[], &[2, 2]), (&[2, 3], &[2, 1])]
            }
            MemoryOrder::ColMajor => {
                [(&[2, 3], &[2]), (&[2], &[2, 3]), (&[3, 1, 2], &[1, 4]), (&[], &[2, 2]), (&[2, 3], &[1, 3])]
            }
        };
        for (a, b) in pairs {
            let (left, right) = (&cases(a, order, T::larger)[0], &cases(b, order, T::small)[0]);
            let expected = combined(of_both, &left.naive, &right.naive, order);
            let found = left.view().binary(of_both, right.view()).unwrap();
            check(&found, &expected, order, (T::DTYPE, a, b));
        }
    }
}

#[test]
fn functions_of_two_elements() {
    for_each_type!(binary_of());
}

#[test]
fn named_methods_equal_binary_and_unary() {
    let x = DynTensor::from_vec(&[3], vec![7, -5, 6], ORDERS[0]).unwrap();
    let y = DynTensor::from_vec(&[3], vec![2, 3, 6], ORDERS[0]).unwrap();
    type Method = fn(&DynTensor, DynOperand<'_>) -> Result<DynTensor, Error>;
    let methods: [(Binary, Method); 16] = [
        (Binary::Add, |x, y| x.try_add(y)),
        (Binary::Sub, |x, y| x.try_sub(y)),
        (Binary::Mul, |x, y| x.try_mul(y)),
        (Binary::Div, |x, y| x.try_div(y)),
        (Binary::Rem, |x, y| x.try_rem(y)),
        (Binary::Maximum, |x, y| x.maximum(y)),
        (Binary::Minimum, |x, y| x.minimum(y)),
        (Binary::Equal, |x, y| x.equal(y)),
        (Binary::NotEqual, |x, y| x.not_equal(y)),
        (Binary::Lt, |x, y| x.lt(y)),
        (Binary::Le, |x, y| x.le(y)),
        (Binary::Gt, |x, y| x.gt(y)),
        (Binary::Ge, |x, y| x.ge(y)),
        (Binary::And, |x, y| x.try_and(y)),
        (Binary::Or, |x, y| x.try_or(y)),
        (Binary::Xor, |x, y| x.try_xor(y)),
    ];
    for (op, method) in methods {
        assert_eq!(method(&x, (&y).into()).unwrap(), x.binary(op, &y).unwrap(), "{op:?}");
    }
    let z = DynTensor::from_vec(&[2], vec![0.5, 2.0], ORDERS[0]).unwrap();
    assert_eq!(z.atan2(&z).unwrap(), z.binary(Binary::Atan2, &z).unwrap());
    assert_eq!(z.hypot(&z).unwrap(), z.binary(Binary::Hypot, &z).unwrap());
    assert_eq!(z.sqrt().unwrap(), z.unary(Unary::Sqrt).unwrap());
    assert_eq!(z.try_neg().unwrap(), z.unary(Unary::Neg).unwrap());
}

fn in_place_of<T: Value>() {
    if T::small(0).wide().is_none() {
        let mut mask = DynTensor::from_vec(&[1], vec![T::small(0)], ORDERS[0]).unwrap();
        let error = mask.try_add_assign(DynOperand::OfScalar(T::small(0).into())).unwrap_err();
        assert!(matches!(error, Error::UnsupportedDType { .. }));
        return;
    }
    type Method = fn(&mut DynTensor, DynOperand<'_>) -> Result<(), Error>;
    let methods: [(Binary, Method); 5] = [
        (Binary::Add, |x, y| x.try_add_assign(y)),
        (Binary::Sub, |x, y| x.try_sub_assign(y)),
        (Binary::Mul, |x, y| x.try_mul_assign(y)),
        (Binary::Div, |x, y| x.try_div_assign(y)),
        (Binary::Rem, |x, y| x.try_rem_assign(y)),
    ];
    for (op, method) in methods {
        for order in ORDERS {
            let left = &cases(&[2, 3], order, T::larger)[0];
            for right in cases(&[2, 3], order, T::small) {
                let mut x = left.base.clone();
                method(&mut x, right.view().into()).unwrap();
                let expected = combined(op, &left.naive, &right.naive, order);
                check(&x, &expected, order, (op, T::DTYPE, &right.steps));
            }
            let mut x = left.base.clone();
            method(&mut x, DynOperand::OfScalar(T::small(1).into())).unwrap();
            let expected = combined(op, &left.naive, &Naive::new(&[], |_| T::small(1)), order);
            check(&x, &expected, order, (op, T::DTYPE, "scalar"));
        }
    }
}

#[test]
fn in_place() {
    for_each_type!(in_place_of());
}

fn writing_of<T: Value>() {
    for order in ORDERS {
        for case in cases(&[2, 3], order, T::small) {
            let mut x = cases(&[2, 3], order, T::larger).swap_remove(0).base;
            x.assign(case.view()).unwrap();
            check(&x, &case.naive.map(Into::into), order, (T::DTYPE, &case.steps));
        }
        // Writes to a mutable view of every second column, in reverse order.
        let before = cases(&[2, 4], order, T::larger).swap_remove(0);
        let mut x = before.base.clone();
        x.slice_mut(vierbein::s![.., ..;-2]).unwrap().fill(T::small(1)).unwrap();
        let expected =
            Naive::new(&[2, 4], |i| if i[1] % 2 == 1 { T::small(1) } else { before.naive.at(i) }.into());
        check(&x, &expected, order, (T::DTYPE, "fill"));
        let row = cases(&[4], order, T::small).swap_remove(3);
        x.index_axis_mut(0, 1).unwrap().assign(row.view()).unwrap();
        let expected = Naive::new(&[2, 4], |i| match i {
            [1, k] => row.naive.at(&[*k]).into(),
            _ => expected.at(i),
        });
        check(&x, &expected, order, (T::DTYPE, "assign to a row"));
    }
}

#[test]
fn writing() {
    for_each_type!(writing_of());
}

fn select_of<T: Value>() {
    for order in ORDERS {
        for shape in SHAPES {
            let masks = cases(shape, order, |k| k % 3 != 1);
            let (xs, ys) = (cases(shape, order, T::small), cases(shape, order, T::larger));
            for (k, mask) in masks.iter().enumerate() {
                let (x, y) = (&xs[(k + 1) % xs.len()], &ys[(k + 2) % ys.len()]);
                let found = mask.view().select(x.view(), y.view()).unwrap();
                let expected = Naive::new(shape, |i| {
                    if mask.naive.at(i) { x.naive.at(i) } else { y.naive.at(i) }.into()
                });
                check(&found, &expected, order, (T::DTYPE, shape, k));
            }
        }
        let mask = &cases(&[2, 3], order, |k| k % 2 == 0)[0];
        let (one, two): (DynScalar, DynScalar) = (T::small(1).into(), T::larger(0).into());
        let found = mask.view().select(DynOperand::OfScalar(one), DynOperand::OfScalar(two)).unwrap();
        check(&found, &mask.naive.map(|m| if m { one } else { two }), order, T::DTYPE);
    }
}

#[test]
fn selection() {
    for_each_type!(select_of());
}

fn clamp_of<T: Value + PartialOrd>(low: T, high: T) {
    let x = &cases(&[2, 3], ORDERS[1], T::small)[2];
    let expected = x.naive.map(|x| {
        if x < low {
            low
        } else if x > high {
            high
        } else {
            x
        }
        .into()
    });
    check(&x.view().clamp(low, high).unwrap(), &expected, ORDERS[1], T::DTYPE);
}

#[test]
fn clamping() {
    clamp_of::<i8>(-2, 3);
    clamp_of::<i64>(-1, 1);
    clamp_of::<u16>(2, 4);
    clamp_of::<f32>(-1.0, 0.5);
    clamp_of::<f64>(-1.0, 0.5);
    let x = DynTensor::scalar(1.0);
    assert!(matches!(x.clamp(2.0, 1.0), Err(Error::Argument { .. })));
    assert!(matches!(x.clamp(f64::NAN, 1.0), Err(Error::Argument { .. })));
    assert!(matches!(x.clamp(1, 2), Err(Error::ScalarType { .. })));
}

#[test]
fn powers() {
    let x = DynTensor::from_vec(&[3], vec![2.0f32, -3.0, 0.5], ORDERS[0]).unwrap();
    assert_eq!(x.powi(3).unwrap().to_vec::<f32>().unwrap(), [8.0, -27.0, 0.125]);
    assert_eq!(x.powf(2.0).unwrap().to_vec::<f32>().unwrap(), [4.0, 9.0, 0.25]);
    let n = DynTensor::from_vec(&[3], vec![2i64, -3, 1], ORDERS[0]).unwrap();
    assert_eq!(n.powi(4).unwrap().to_vec::<i64>().unwrap(), [16, 81, 1]);
    assert!(matches!(n.powf(0.5), Err(Error::UnsupportedDType { .. })));
    assert!(matches!(DynTensor::scalar(true).powi(2), Err(Error::UnsupportedDType { .. })));
    assert!(matches!(DynTensor::scalar(0).powi(-1), Err(Error::Arithmetic { .. })));
}
