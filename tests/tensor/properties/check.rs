//! Compares tensors with a naive reference implementation, and calls generic checks for ranks, memory orders and element types.
//!
//! Functions that are generic over rank and memory order are kept short, because the compiler compiles them for each rank and order.

use super::number::{Exact, Z};
use super::reference::{Array, contiguous_strides, indices};
use proptest::test_runner::Config as ProptestConfig;
use vierbein::{Cpu, Dim, Error, Order, Storage, Tensor};

/// Returns a configuration for a number of random cases, half of them in builds with debug assertions, which are slow. Each run tries other
/// cases. Failed cases are printed, and not saved to files.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let cases = if cfg!(debug_assertions) { cases / 2 } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Converts an index or a shape to an array whose length is the rank.
pub(crate) fn fixed<D: Dim>(values: &[usize]) -> D::Shape {
    D::shape_from(values).expect("the rank has this number of axes")
}

/// Returns the number of axes of tensors of rank `D`, or `any` for `AnyRank`.
pub(crate) fn rank<D: Dim>(any: usize) -> usize {
    D::NDIM.unwrap_or(any)
}

/// Converts an array of the reference implementation to a tensor.
#[inline(never)]
pub(crate) fn tensor<T: Exact, D: Dim, O: Order>(from: &Array<T>) -> Tensor<T, D, O> {
    Tensor::from_vec(fixed::<D>(&from.shape), from.enumerate(O::ROW_MAJOR))
}

/// Converts a tensor to an array of the reference implementation. Reads each element by its index.
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

/// Asserts that a tensor has the expected shape and elements.
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

/// Asserts that an owned tensor has the expected shape and elements, and is contiguous in its memory order.
#[track_caller]
#[inline(never)]
pub(crate) fn assert_owned<T: Exact, D: Dim, O: Order>(x: &Tensor<T, D, O>, expected: &Array<T>) {
    assert_is(x, expected);
    assert_contiguous(x.shape().as_ref(), x.strides().as_ref(), O::ROW_MAJOR);
}

#[track_caller]
#[inline(never)]
fn assert_contiguous(shape: &[usize], strides: &[isize], row_major: bool) {
    assert_eq!(
        strides,
        contiguous_strides(shape, row_major),
        "an owned tensor of shape {shape:?} is contiguous"
    );
}

/// Asserts that two slices have equal elements. NaN equals NaN.
#[track_caller]
#[inline(never)]
pub(crate) fn assert_sequence<T: Exact>(found: &[T], expected: &[T]) {
    assert_eq!(found.len(), expected.len());
    let same = found.iter().zip(expected).all(|(&a, &b)| a.same(b));
    assert!(same, "{found:?} instead of {expected:?}");
}

/// Converts integers to elements. Returns `None` if an integer is not representable in the element type.
#[inline(never)]
pub(crate) fn put_all<T: Exact>(from: &Array<Z>) -> Option<Array<T>> {
    let values = from.values.iter().map(|&z| T::put(z)).collect::<Option<Vec<T>>>()?;
    Some(Array { shape: from.shape.clone(), values })
}

/// Converts integers to elements. The integers must come from [`sample`](super::number::sample), whose numbers are representable
/// in every type.
pub(crate) fn elements<T: Exact>(from: &Array<Z>) -> Array<T> {
    put_all(from).expect("samples fit")
}

/// Asserts that a result is a tensor with the expected elements. If `expected` is `None`, because an element is not representable,
/// the result must be an error.
///
/// In builds without debug assertions, overflow wraps, and a result is accepted instead of the error.
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

/// Calls the generic function `f` with the element type `T`, the listed rank that equals `rank`, and each memory order.
macro_rules! for_rank {
    ($rank:expr, [$($n:literal)*], $f:ident::<$T:ty> $args:tt) => {
        match $rank {
            $($n => {
                $f::<$T, vierbein::Rank<$n>, vierbein::RowMajor> $args;
                $f::<$T, vierbein::Rank<$n>, vierbein::ColMajor> $args;
                $f::<$T, vierbein::AnyRank, vierbein::RowMajor> $args;
                $f::<$T, vierbein::AnyRank, vierbein::ColMajor> $args;
            })*
            _ => unreachable!("no such rank here"),
        }
    };
}

/// Calls `for_rank` for each listed element type.
macro_rules! for_types {
    ([$($T:ty),*], $rank:expr, $ranks:tt, $f:ident $args:tt) => {
        $( $crate::properties::check::for_rank!($rank, $ranks, $f::<$T> $args); )*
    };
}

pub(crate) use {for_rank, for_types};
