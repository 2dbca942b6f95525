//! Tests of integer arithmetic whose result is undefined, such as a division by zero. Fallible variants return an error, the others panic
//! with its message, and operands stay unchanged.

use super::rejected;
use vierbein::device::UnaryOp;
use vierbein::prelude::*;
use vierbein::{DynTensor, Error, op};

#[test]
fn division_by_zero() {
    let (a, zeros, kept) = (tensor![7, 5], tensor![2, 0], tensor![7, 5]);
    let text = |verb: &str| {
        format!(
            "cannot {verb} tensors of i32: there is no i32 result for 5 and 0; convert them first, e.g. with `.cast::<f64>()`"
        )
    };
    rejected!(a.try_div(&zeros), &a / &zeros, Error::Arithmetic { .. }, text("divide"));
    let rem = text("take the remainder of");
    rejected!(a.try_rem(&zeros), &a % &zeros, Error::Arithmetic { .. }, rem);
    // If an operand is owned, the operation may reuse its buffer. The borrowed operand must stay unchanged.
    rejected!(a.try_div(&zeros), a.clone() / &zeros, Error::Arithmetic { .. }, text("divide"));
    rejected!(a.try_rem(&zeros), a.clone() % zeros.clone(), Error::Arithmetic { .. }, rem);
    assert_eq!((&a, &zeros), (&kept, &tensor![2, 0]));
    let mut x = a.clone();
    rejected!(x.try_div_assign(&zeros), x /= &zeros, Error::Arithmetic { .. }, text("divide"));
    rejected!(x.try_rem_assign(&zeros), x %= zeros.clone(), Error::Arithmetic { .. }, rem);
    assert_eq!(x, a);
    let least = tensor![1, i32::MIN];
    assert!(matches!(least.try_div(&tensor![1, -1]), Err(Error::Arithmetic { .. })));
    assert!(matches!(least.try_rem(-1), Err(Error::Arithmetic { .. })));
    assert!(matches!(zeros.try_powi(-1), Err(Error::Arithmetic { .. })));
    // Division of floating-point numbers by zero is defined.
    assert_eq!((1.0 / tensor![0.0f64, -0.0]).to_vec(), [f64::INFINITY, f64::NEG_INFINITY]);
}

/// If the right operand is owned, the result reuses its buffer. The message must still name the left operand first.
#[test]
fn message_names_operands_in_order() {
    let (a, zeros) = (tensor![7, 5], tensor![2, 0]);
    let text = "cannot divide tensors of i32: there is no i32 result for 5 and 0; convert them first, e.g. with `.cast::<f64>()`";
    rejected!(a.try_div(&zeros), &a / zeros.clone(), Error::Arithmetic { .. }, text);
    let text = "cannot divide tensors of i32: there is no i32 result for 7 and 0; convert them first, e.g. with `.cast::<f64>()`";
    rejected!(tensor![7].try_div(&zeros), tensor![7] / zeros.clone(), Error::Arithmetic { .. }, text);
}

#[test]
fn division_by_a_scalar_zero_names_both_operands() {
    let mut a = tensor![7, 5];
    let text = "cannot divide tensors of i32: there is no i32 result for 7 and 0; convert them first, e.g. with `.cast::<f64>()`";
    rejected!(a.try_div(0), &a / 0, Error::Arithmetic { .. }, text);
    rejected!(a.try_div(0), a.clone() / 0, Error::Arithmetic { .. }, text);
    rejected!(a.try_div(0), a /= 0, Error::Arithmetic { .. }, text);
    assert_eq!(a, tensor![7, 5]);
    rejected!(tensor![7].try_div(0), 7 / tensor![0], Error::Arithmetic { .. }, text);
}

/// Asserts that an overflow is an error in builds with debug assertions, and yields `wrapped` in other builds.
#[track_caller]
fn overflows<T: Element, D: Dim>(result: Result<Tensor<T, D>, Error>, wrapped: &Tensor<T, D>) {
    match result {
        Err(error) if cfg!(debug_assertions) => {
            assert!(matches!(error, Error::Arithmetic { .. }), "{error}");
            assert!(error.to_string().contains(T::DTYPE.name()), "{error}");
        }
        Ok(x) if !cfg!(debug_assertions) => assert_eq!(&x, wrapped),
        other => panic!("{other:?}"),
    }
}

#[test]
fn overflow_of_integers() {
    let (x, one) = (tensor![1, i32::MAX, 3], tensor![1, 1, 1]);
    overflows(x.try_add(&one), &tensor![2, i32::MIN, 4]);
    overflows(x.try_sub(&tensor![-1]), &tensor![2, i32::MIN, 4]);
    overflows(x.try_mul(2), &tensor![2, -2, 6]);
    overflows(x.try_square(), &tensor![1, 1, 9]);
    overflows(x.try_powi(3), &tensor![1, i32::MAX, 27]);
    overflows(x.try_cube(), &tensor![1, i32::MAX, 27]);
    // The square is representable, the cube is not.
    overflows(tensor![-6i8].try_cube(), &tensor![40]);
    assert_eq!(tensor![-5i8, 5].try_cube(), Ok(tensor![-125, 125]));
    let least = tensor![i32::MIN];
    overflows(least.try_neg(), &least);
    overflows(least.try_abs(), &least);
    overflows(tensor![1u8].try_sub(&tensor![2]), &tensor![255]);
    overflows(tensor![i64::MAX].try_add(1), &tensor![i64::MIN]);
    overflows(tensor![1i32, 2].try_mul(&tensor![[1], [i32::MAX]]), &tensor![[1, 2], [i32::MAX, -2]]);
}

#[test]
fn powers_and_shifts() {
    let x = tensor![2, -3, 0];
    assert_eq!(x.pow(3), tensor![8, -27, 0]);
    assert_eq!(x.pow(&tensor![4, 2, 0]), tensor![16, 9, 1]);
    // A reciprocal is truncated to an integer.
    assert_eq!(tensor![2, -1, -1, 1].pow(&tensor![-1, -1, -2, -7]), tensor![0, -1, 1, 1]);
    assert_eq!(tensor![3u8].pow(5), tensor![243]);
    overflows(tensor![2, 3].try_pow(31), &tensor![i32::MIN, 3i32.wrapping_pow(31)]);
    overflows(tensor![3u8].try_pow(6), &tensor![217]);
    let error = tensor![1, 0].try_pow(-1).unwrap_err();
    assert!(matches!(error, Error::Arithmetic { .. }), "{error}");

    assert_eq!(&x << 2, tensor![8, -12, 0]);
    assert_eq!(&x >> 1, tensor![1, -2, 0]);
    assert_eq!(x.clone() << &tensor![0, 1, 31], tensor![2, -6, 0]);
    assert_eq!(tensor![0x80u8, 1] >> tensor![7, 0], tensor![1, 1]);
    assert_eq!(tensor![[1i64, -1]] << tensor![[63i64], [0]], tensor![[i64::MIN, i64::MIN], [1, -1]]);
    // A shift by the number of bits or more wraps, as in Rust.
    overflows(tensor![1, 1].try_shl(&tensor![1, 33]), &tensor![2, 2]);
    overflows(tensor![1, 1].try_shr(&tensor![0, -1]), &tensor![1, 0]);
    let x = DynTensor::from(tensor![1, 2]);
    assert_eq!(x.try_shl(3).unwrap().downcast_ref::<i32, Rank<1>, RowMajor, Cpu>().unwrap(), tensor![8, 16]);
    let error = DynTensor::from(tensor![1.0]).try_shr(1.0).unwrap_err();
    assert!(error.to_string().contains("shifts need integer elements"), "{error}");
}

/// Asserts that a sum or product of many integers of up to 32 bits does not fit its type, in every build.
#[track_caller]
fn does_not_fit<T: Element, D: Dim>(result: Result<Tensor<T, D>, Error>) {
    let error = result.unwrap_err();
    let wider = if T::DTYPE.name().starts_with('u') { ".cast::<u64>()" } else { ".cast::<i64>()" };
    assert!(error.to_string().contains(T::DTYPE.name()), "{error}");
    assert!(error.to_string().contains(wider), "{error}");
}

#[test]
fn overflow_of_reductions() {
    let x = tensor![[200u8, 100], [50, 200]];
    does_not_fit(x.try_sum());
    does_not_fit(x.try_sum_axis(1));
    does_not_fit(x.try_sum_axes([0, 1]));
    does_not_fit(x.try_sum_keepdims(0));
    does_not_fit(x.t().try_sum_axis(0));
    does_not_fit(x.try_trace(0, 1));
    does_not_fit(x.try_cumsum(0));
    does_not_fit(tensor![16u8, 17].try_prod());
    does_not_fit(tensor![16u8, 17].try_cumprod(0));
    does_not_fit(x.try_matmul(&tensor![1u8, 1]));
    does_not_fit(x.try_matmul(&x));
    does_not_fit(x.try_dot(&x));
    does_not_fit(x.try_outer(tensor![2u8]));
    does_not_fit(try_einsum!("ij->j", &x.t()));
    does_not_fit(try_einsum!("ij,kj->ik", &x, &x));
    does_not_fit(tensor![i32::MAX, 1].try_sum());
    does_not_fit(tensor![i16::MIN, -1].try_dot(&tensor![1, 1]));
    does_not_fit(x.broadcast_to([3, 2, 2]).try_matmul(&x));
    let y = DynTensor::from(x.clone());
    for result in [y.sum(), y.sum_axes([0, 1]), y.cumsum(0), y.matmul(&y), y.trace(0, 1)] {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(".cast::<u64>()"), "{error}");
    }
    // The values are those of NumPy, whose sums and products of these types have 64 bits.
    assert_eq!(x.sum_as::<u64>().item(), 550);
    assert_eq!(x.sum_axis_as::<u64>(1), tensor![300, 250]);
    assert_eq!(x.trace_as::<u64>(0, 1).item(), 400);
    assert_eq!(x.prod_as::<u64>().item(), 200_000_000);
    assert_eq!(x.prod_axis_as::<u64>(1), tensor![20_000, 10_000]);
    // Exact sums are returned in each type that holds them, and in floating-point types.
    assert_eq!(tensor![-3i8, 5].sum_as::<u8>().item(), 2);
    assert_eq!(tensor![-3i8, -5].prod_as::<u8>().item(), 15);
    assert_eq!(tensor![i64::MAX, i64::MAX].sum_as::<u64>().item(), u64::MAX - 1);
    assert_eq!(tensor![i64::MAX, i64::MAX].sum_as::<f64>().item(), 2f64.powi(64));
    assert_eq!(tensor![1i64 << 40, 1 << 40].prod_as::<f64>().item(), 2f64.powi(80));
    assert_eq!(tensor![1e30f32, 1e30].prod_as::<f64>().item(), f64::from(1e30f32).powi(2));
    assert_eq!(tensor![0i64, 1 << 40, 1 << 40].prod_as::<i64>().item(), 0);
    assert_eq!(tensor![i32::MIN, -1].prod_as::<i64>().item(), 1 << 31);
    does_not_fit(tensor![1u32 << 31, 1 << 31].try_prod_as::<u32>());
    assert!(tensor![-3i8, 2].try_sum_as::<u64>().is_err());
    assert!(tensor![1i64 << 40, 1 << 40].try_prod_as::<i64>().is_err());
    overflows(Tensor::full([3], i64::MAX).try_sum(), &Tensor::scalar(i64::MAX - 2));
    overflows(Tensor::full([3], i64::MAX).try_prod(), &Tensor::scalar(i64::MAX));
    // It is no error if an intermediate result overflows the element type, because the accumulator has more bits.
    assert_eq!(tensor![100i8, 100, -100].sum().item(), 100);
    assert_eq!(tensor![i64::MAX, i64::MAX, -i64::MAX].sum().item(), i64::MAX);
    assert_eq!(tensor![[100i8, 100, -100]].matmul(&tensor![1, 1, 1]).to_vec(), [100]);
    assert_eq!(x.mean().item(), 137.5);
}

/// Products of 32-bit integers are accumulated in 64 bits. Here, four products of 2⁶² have the sum 2⁶⁴, which is 0 modulo 2⁶⁴.
/// Without a check of the accumulator, the overflow would not be detected.
#[test]
fn overflow_of_the_accumulator_of_products() {
    let x = Tensor::<i32, _>::full([4], i32::MIN);
    does_not_fit(x.try_matmul(&x));
    let x = Tensor::<u32, _>::full([4], 1 << 31);
    does_not_fit(x.try_matmul(&x));
    let x = Tensor::<u32, _>::full([4, 4], 1 << 31);
    does_not_fit(x.try_matmul(&x));
    let x = Tensor::<i64, _>::full([4], i64::MIN);
    overflows(x.try_matmul(&x), &Tensor::scalar(0));
}

/// It is no error if a partial sum overflows the accumulator, as long as the final sum fits in the element type.
#[test]
fn intermediate_overflow_that_cancels_is_no_error() {
    let (m, x) = (i32::MIN, i32::MAX);
    assert_eq!(tensor![m, m, x, x, m].matmul(&tensor![m, m, m, m, 2]).item(), 0);
}

// ------------------------------------------------------------------ operands stay unchanged

/// All elements are checked before the first is written, so an error at the last of many elements changes nothing.
#[test]
fn failed_operations_in_place() {
    for n in [3, 300_000] {
        let mut before: Vec<i32> = (1..=n).collect();
        before[n as usize - 1] = i32::MAX;
        let mut x = Tensor::<i32, _>::from(before.clone());
        let zero_last = Tensor::<i32, _>::from_fn([n as usize], |[i]| i32::from(i + 1 < n as usize));
        assert!(x.try_div_assign(&zero_last).is_err());
        assert!(x.try_rem_assign(&zero_last).is_err());
        assert!(x.try_apply_inplace(op::Neg).is_ok() && x.try_apply_inplace(op::Neg).is_ok());
        assert!(x.try_apply_inplace(Halved).is_err());
        if cfg!(debug_assertions) {
            let ones = Tensor::ones([n as usize]);
            assert!(x.try_add_assign(&ones).is_err());
            assert!(x.try_sub_assign(&(ones * -1)).is_err());
            assert!(x.try_mul_assign(&Tensor::scalar(2)).is_err());
            assert!(x.try_add_scaled(2, &Tensor::scalar(1)).is_err());
            assert!(x.try_apply_inplace(op::Square).is_err());
            assert!(x.try_apply_inplace(op::Powi(2)).is_err());
        }
        assert!(x.to_vec() == before);
    }
}

#[test]
fn failed_operations_on_views() {
    let before = tensor![[1, 2, 3], [4, 5, i32::MAX]];
    let mut x = before.clone();
    let zero = tensor![[1], [0]];
    assert!(x.slice_mut(s![.., ..;-2]).try_div_assign(&zero).is_err());
    assert!(x.permute_mut([1, 0]).try_rem_assign(&tensor![1, 0]).is_err());
    assert!(x.index_axis_mut(1, 2).try_apply_inplace(Halved).is_err());
    assert!(x.view_mut().try_assign(&tensor![1, 2]).is_err());
    if cfg!(debug_assertions) {
        assert!(x.slice_mut(s![.., 1..]).try_add_assign(&tensor![0, 1]).is_err());
    }
    assert_eq!(x, before);
}

/// A user-defined function: half of an integer. Undefined for odd numbers.
#[derive(Debug, Clone, Copy)]
struct Halved;

impl UnaryOp<i32> for Halved {
    type Output = i32;
    const NAME: &'static str = "halve";
    const CHECKED: bool = true;
    fn apply(&self, x: i32) -> i32 {
        x / 2
    }
    fn is_defined(&self, x: i32) -> bool {
        x % 2 == 0
    }
}

#[test]
fn undefined_user_operation_is_error() {
    let mut x = tensor![2, 3];
    let text = "cannot halve tensors of i32: there is no i32 result for 3; convert them first, e.g. with `.cast::<f64>()`";
    rejected!(x.try_apply(Halved), x.apply(Halved), Error::Arithmetic { .. }, text);
    rejected!(x.try_apply_inplace(Halved), x.apply_inplace(Halved), Error::Arithmetic { .. }, text);
    assert_eq!(x, tensor![2, 3]);
}

// ------------------------------------------------------------------ no error for defined results

#[test]
fn absolute_values_of_unsigned_numbers() {
    assert_eq!(tensor![5u8, 0, 255].abs(), tensor![5, 0, 255]);
}

#[test]
fn products_with_a_zero() {
    let max = i64::MAX;
    assert_eq!(tensor![0, max, max, max, max].prod().item(), 0);
    assert_eq!(tensor![max, max, max, max, 0].prod().item(), 0);
}

/// The elements agree with NumPy's `np.arange(-128, 127, dtype=np.int8)`, and with the same range with step 2.
#[test]
fn ranges_over_all_of_a_small_type() {
    let all: Vec<i8> = (-128..127).collect();
    assert_eq!(Tensor::<i8, _>::arange(-128..127).to_vec(), all);
    let even: Vec<i8> = (-128..127).step_by(2).collect();
    assert_eq!(Tensor::<i8, _>::arange_step(-128, 127, 2).to_vec(), even);
}

/// For a negative exponent, the result is the reciprocal of the positive power, truncated to an integer. If the positive power
/// overflows, the result is 0.
#[test]
fn negative_powers() {
    assert_eq!(tensor![1, -1, 2, 10].powi(-3), tensor![1, -1, 0, 0]);
    assert_eq!(tensor![2, 10].powi(-32), tensor![0, 0]);
}
