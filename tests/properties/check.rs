//! Comparing tensors with the reference, and calling generic checks for ranks, orders and element types.
//!
//! What is generic in rank and order is kept short, so that the many instances are compiled quickly.

use super::number::{Exact, Z};
use super::reference::{Array, dense_strides, indices};
use proptest::test_runner::Config as ProptestConfig;
use vierbein::{Cpu, Dim, Error, Order, Storage, Tensor};

/// Cases of a property; failures are printed, not kept in files.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// An index or shape as the rank's array.
pub(crate) fn fixed<D: Dim>(values: &[usize]) -> D::Shape {
    let mut to = D::Shape::default();
    to.as_mut().copy_from_slice(values);
    to
}

/// A tensor of these values.
#[inline(never)]
pub(crate) fn tensor<T: Exact, D: Dim, O: Order>(from: &Array<T>) -> Tensor<T, D, O> {
    Tensor::from_vec(fixed::<D>(&from.shape), from.enumerate(O::ROW_MAJOR))
}

/// Every element, read by its index.
#[inline(never)]
pub(crate) fn read<T, D, O, S>(x: &Tensor<T, D, O, Cpu, S>) -> Array<T>
where
    T: Exact,
    D: Dim,
    O: Order,
    S: Storage<T, Cpu>,
{
    Array::gather(x.shape().as_ref(), &mut |index| *x.get(fixed::<D>(index)).expect("within bounds"))
}

/// Same shape, and same elements at every index.
#[track_caller]
#[inline(never)]
pub(crate) fn assert_is<T, D, O, S>(x: &Tensor<T, D, O, Cpu, S>, expected: &Array<T>)
where
    T: Exact,
    D: Dim,
    O: Order,
    S: Storage<T, Cpu>,
{
    assert_same(&read(x), expected, x.strides().as_ref());
}

#[track_caller]
#[inline(never)]
pub(crate) fn assert_same<T: Exact>(found: &Array<T>, expected: &Array<T>, strides: &[isize]) {
    assert_eq!(found.shape, expected.shape, "shape; strides {strides:?}");
    for (k, (&a, &b)) in found.values.iter().zip(&expected.values).enumerate() {
        let index = || indices(&found.shape, true).swap_remove(k);
        assert!(a.same(b), "{a} instead of {b} at {:?} of {:?}", index(), found.shape);
    }
}

/// The same of an owned tensor, which must be dense in its order.
#[track_caller]
#[inline(never)]
pub(crate) fn assert_owned<T: Exact, D: Dim, O: Order>(x: &Tensor<T, D, O>, expected: &Array<T>) {
    assert_is(x, expected);
    assert_dense(x.shape().as_ref(), x.strides().as_ref(), O::ROW_MAJOR);
}

#[track_caller]
#[inline(never)]
fn assert_dense(shape: &[usize], strides: &[isize], row_major: bool) {
    assert_eq!(strides, dense_strides(shape, row_major), "an owned tensor of shape {shape:?} is dense");
}

/// Same values in the same sequence.
#[track_caller]
#[inline(never)]
pub(crate) fn assert_sequence<T: Exact>(found: &[T], expected: &[T]) {
    assert_eq!(found.len(), expected.len());
    let same = found.iter().zip(expected).all(|(&a, &b)| a.same(b));
    assert!(same, "{found:?} instead of {expected:?}");
}

/// The numbers as elements, or `None` where one does not fit.
#[inline(never)]
pub(crate) fn put_all<T: Exact>(from: &Array<Z>) -> Option<Array<T>> {
    let values = from.values.iter().map(|&z| T::put(z)).collect::<Option<Vec<T>>>()?;
    Some(Array { shape: from.shape.clone(), values })
}

/// The numbers as elements, where they are samples.
pub(crate) fn elements<T: Exact>(from: &Array<Z>) -> Array<T> {
    put_all(from).expect("samples fit")
}

/// A result with these values; or an error, where a value does not fit its type.
///
/// What does not fit wraps in builds without debug assertions; there is nothing to compare then.
#[track_caller]
#[inline(never)]
pub(crate) fn assert_fits<T: Exact, D: Dim, O: Order>(
    result: Result<Tensor<T, D, O>, Error>,
    expected: &Option<Array<T>>,
) {
    match (result, expected) {
        (Ok(x), Some(expected)) => assert_owned(&x, expected),
        (Ok(_), None) => assert!(!cfg!(debug_assertions), "an overflow went unnoticed"),
        (Err(error), expected) => assert_overflow(&error, expected.is_some()),
    }
}

#[track_caller]
#[inline(never)]
fn assert_overflow(error: &Error, has_value: bool) {
    assert!(matches!(error, Error::Arithmetic { .. }) && !has_value, "{error}");
}

/// Calls `f::<T, Rank, Order> args` in both orders, for the rank among the given ones that equals `rank`.
macro_rules! for_rank {
    ($rank:expr, [$($n:literal)*], $f:ident::<$T:ty> $args:tt) => {
        match $rank {
            $($n => {
                $f::<$T, vierbein::Rank<$n>, vierbein::RowMajor> $args;
                $f::<$T, vierbein::Rank<$n>, vierbein::ColMajor> $args;
            })*
            _ => unreachable!("no such rank here"),
        }
    };
}

/// The same for each of several element types.
macro_rules! for_types {
    ([$($T:ty),*], $rank:expr, $ranks:tt, $f:ident $args:tt) => {
        $( $crate::check::for_rank!($rank, $ranks, $f::<$T> $args); )*
    };
}

pub(crate) use {for_rank, for_types};
