//! Vectors of an iterative method: tensors of rank 1, and their linear algebra.

use crate::device::op::scalar::WithRight;
use crate::device::{Backend, Cpu, Device};
use crate::element::{CastTo, Element, Inexact, exponent_of};
use crate::error::Error;
use crate::ops::decompose::balance::{extreme_exponent, scaled};
use crate::ops::op::{Div, Mul};
use crate::order::{Order, RowMajor};
use crate::rank::{Dim, Rank};
use crate::tensor::Tensor;
use num_traits::{Float, One};

/// The elements of a tensor, in its memory order.
pub(super) type Vector<T, Dev> = Tensor<T, Rank<1>, RowMajor, Dev>;

/// Returns the elements of a tensor as a vector. Moves its buffer.
pub(super) fn flat<T: Element, D: Dim, O: Order, Dev: Device>(x: Tensor<T, D, O, Dev>) -> Vector<T, Dev> {
    let len = x.len();
    let (buffer, device) = x.into_parts();
    Tensor::contiguous(buffer, [len], device)
}

/// Returns a vector as a tensor of the given shape, which must have the same number of elements. Moves the buffer.
pub(super) fn shaped<T: Element, D: Dim, O: Order, Dev: Device>(
    x: Vector<T, Dev>,
    shape: D::Shape,
) -> Tensor<T, D, O, Dev> {
    let (buffer, device) = x.into_parts();
    Tensor::contiguous(buffer, shape, device)
}

/// Returns the Euclidean norm.
pub(super) fn norm<T: Inexact, Dev: Backend<T>>(x: &Vector<T, Dev>) -> Result<T::Magnitude, Error> {
    x.try_norm()?.try_item()
}

/// Returns the inner product `Σ conj(x) · y`.
pub(super) fn inner<T: Inexact, Dev: Backend<T>>(x: &Vector<T, Dev>, y: &Vector<T, Dev>) -> Result<T, Error> {
    x.try_vdot(y)?.try_item()
}

/// Returns the modulus of a number.
pub(super) fn modulus<T: Inexact>(x: T) -> T::Magnitude {
    x.modulus().cast_to()
}

/// Multiplies by a real number.
pub(super) fn scale<T: Inexact, Dev: Backend<T>>(
    x: &mut Vector<T, Dev>,
    by: T::Magnitude,
) -> Result<(), Error> {
    x.try_apply_inplace(WithRight { op: Mul, right: T::from_magnitude(by) })
}

/// Multiplies by `2^exponent`.
pub(super) fn times_power<T: Inexact, Dev: Backend<T>>(
    x: &mut Vector<T, Dev>,
    exponent: i32,
) -> Result<(), Error> {
    // The power itself can exceed the limits of the type.
    let (largest, mut rest) = (exponent_of(<T::Magnitude as Float>::max_value()) - 1, exponent);
    while rest != 0 {
        let part = rest.clamp(-largest, largest);
        scale(x, scaled(T::Magnitude::one(), part))?;
        rest -= part;
    }
    Ok(())
}

/// Divides by a real number that is not 0. Does not multiply by the reciprocal, which would overflow if the number is subnormal.
pub(super) fn divide<T: Inexact, Dev: Backend<T>>(
    x: &mut Vector<T, Dev>,
    by: T::Magnitude,
) -> Result<(), Error> {
    // No elements are rounded here.
    let exponent = extreme_exponent(by);
    times_power(x, -exponent)?;
    x.try_apply_inplace(WithRight { op: Div, right: T::from_magnitude(scaled(by, -exponent)) })
}

/// Returns a vector of zeros.
pub(super) fn zeros<T: Element, Dev: Device>(len: usize, device: &Dev) -> Result<Vector<T, Dev>, Error> {
    Tensor::try_zeros_in([len], device)
}

/// Copies numbers from the host to a new vector on the device.
pub(super) fn to_device<T: Element, Dev: Device>(x: &[T], device: &Dev) -> Result<Vector<T, Dev>, Error> {
    Vector::<T, Cpu>::try_from_fn([x.len()], |[k]| x[k])?.to_device_in(device)
}

/// Returns pseudorandom real numbers between −1 and 1 (splitmix64). Different seeds give different vectors.
pub(super) fn random<T: Inexact, Dev: Device>(
    len: usize,
    seed: u64,
    device: &Dev,
) -> Result<Vector<T, Dev>, Error> {
    let mut state = seed.wrapping_mul(0x5851_f42d_4c95_7f2d);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let host = Vector::<T, Cpu>::try_from_fn([len], |_| T::from_f64(next()))?;
    host.to_device_in(device)
}
