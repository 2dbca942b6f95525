//! Tests of operators. Each must compute the same as its fallible variant, and panic with the message of the variant's error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use vierbein::{Complex, DynTensor, Error, Tensor, tensor};

fn x() -> DynTensor {
    DynTensor::from(tensor![7, -5])
}

#[test]
fn with_tensors_and_scalars_on_either_side() {
    let (x, y) = (x(), tensor![2, 3]);
    let erased = DynTensor::from(y.clone());
    let list = |z: DynTensor| z.to_vec::<i32>().unwrap();
    assert_eq!(list(&x + &erased), [9, -2]);
    assert_eq!(list(&x - &y), [5, -8]);
    assert_eq!(list(x.clone() * 3), [21, -15]);
    assert_eq!(list(&x / erased.view()), [3, -1]);
    assert_eq!(list(x.view() % &erased), [1, -2]);
    assert_eq!(list(-&x), [-7, 5]);
    assert_eq!(list(100 - &x), [93, 105]);
    assert_eq!(list(70 / &x), [10, -14]);
    assert_eq!(list(&x & 6), [6, 2]);
    assert_eq!(list(&x | &erased), [7, -5]);
    assert_eq!(list(&x ^ &erased), [5, -8]);
    assert_eq!(list(!&x), [-8, 4]);
    let z = DynTensor::from(tensor![Complex::new(0.0, 1.0)]);
    assert_eq!((Complex::new(0.0f64, 1.0) * &z).get(&[0]).unwrap(), Complex::new(-1.0, 0.0).into());
}

#[test]
fn in_place() {
    let (mut x, y) = (x(), tensor![2, 3]);
    x += &y;
    x *= 10;
    x -= DynTensor::scalar(1).view();
    x /= &y;
    x %= 20;
    assert_eq!(x.to_vec::<i32>().unwrap(), [44 % 20, -7]);
    let mut m = DynTensor::from(tensor![[1, 2], [3, 4]]);
    let mut row = m.index_axis_mut(0, 1).unwrap();
    row += 10;
    assert_eq!(m.to_vec::<i32>().unwrap(), [1, 2, 13, 14]);
}

/// Asserts that `tried` is an error, and that `panics` panics with the message of this error.
#[track_caller]
fn rejected(tried: Result<(), Error>, panics: impl FnOnce()) {
    let error = tried.expect_err("an error was expected").to_string();
    let payload = catch_unwind(AssertUnwindSafe(panics)).expect_err("a panic was expected");
    assert_eq!(payload.downcast_ref::<String>(), Some(&error));
}

#[test]
fn operators_panic_with_fallible_variants_messages() {
    let (x, y) = (x(), DynTensor::from(tensor![1.0, 2.0]));
    let long = DynTensor::from(tensor![1, 2, 3]);
    rejected(x.try_add(&y).map(drop), || drop(&x + &y));
    rejected(x.try_sub(&long).map(drop), || drop(&x - &long));
    rejected(x.try_mul(2.0).map(drop), || drop(&x * 2.0));
    rejected(x.try_div(0).map(drop), || drop(&x / 0));
    rejected(x.try_rem(0).map(drop), || drop(&x % 0));
    rejected(y.try_and(&y).map(drop), || drop(&y & &y));
    rejected(y.try_or(&y).map(drop), || drop(y.clone() | &y));
    rejected(y.try_xor(&y).map(drop), || drop(&y ^ &y));
    rejected(y.try_not().map(drop), || drop(!&y));
    let bytes = DynTensor::from(tensor![1u8]);
    rejected(bytes.try_neg().map(drop), || drop(-&bytes));
    let mut z = x.clone();
    rejected(z.clone().try_add_assign(&long), || z += &long);
    rejected(z.clone().try_sub_assign(&y), || z -= &y);
    rejected(z.clone().try_mul_assign(1.5), || z *= 1.5);
    rejected(z.clone().try_div_assign(0), || z /= 0);
    rejected(z.clone().try_rem_assign(0), || z %= 0);
    assert_eq!(z, x);
    rejected(DynTensor::scalar(1.0).try_sub(&x).map(drop), || drop(&DynTensor::scalar(1.0) - &x));
    let scalar_on_the_left = catch_unwind(AssertUnwindSafe(|| 1.5 - &x)).unwrap_err();
    assert!(
        scalar_on_the_left
            .downcast_ref::<String>()
            .unwrap()
            .starts_with("subtract: cannot combine a tensor of `i32` with `f64`")
    );
}

#[test]
fn mask_selects_elements() {
    let t: Tensor<f64, _> = tensor![-1.0, 2.0];
    let x = DynTensor::from(t);
    let negative = x.lt(0.0).unwrap();
    assert_eq!(negative.select(0.0, &x).unwrap().to_vec::<f64>().unwrap(), [0.0, 2.0]);
    assert_eq!((!&negative).to_vec::<bool>().unwrap(), [false, true]);
}
