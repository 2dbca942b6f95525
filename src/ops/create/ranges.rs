//! Equally spaced numbers: `arange` and `linspace`.

use crate::device::op::binary::Mul;
use crate::device::op::scalar::WithRight;
use crate::device::{CudaSource, Device, Elementwise, Generator, Scalars};
use crate::element::{Element, RealFloat, RealScalar};
use crate::error::{Error, fallible};
use crate::order::Order;
use crate::rank::Rank;
use crate::tensor::Tensor;
use core::cmp::Ordering;

/// The value `start + k · step` at each flat index `k`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ramp<T> {
    pub(crate) start: T,
    pub(crate) step: T,
}

impl<T: RealScalar> Generator<T> for Ramp<T> {
    const CUDA: CudaSource = CudaSource::builtin("ramp(start, step, k)");
    fn apply(&self, k: usize) -> T {
        if T::INTEGER {
            // Computes in 128 bits: the index may exceed the range of a small integer type, even if the element at this index does not.
            return T::wrapped(self.start.in_i128() + k as i128 * self.step.in_i128());
        }
        self.start + T::from_usize(k) * self.step
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("start", self.start);
        bind.scalar("step", self.step);
    }
}

/// `last + 1` values in equal steps. The first is exactly `start`; the last, if there is more than one, is exactly `end`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Between<T> {
    pub(crate) start: T,
    pub(crate) end: T,
    pub(crate) last: usize,
}

impl<T: RealFloat> Generator<T> for Between<T> {
    const CUDA: CudaSource = CudaSource::builtin("between(start, end, last, k)");
    fn apply(&self, k: usize) -> T {
        if k == self.last && k > 0 {
            return self.end;
        }
        let step = (self.end - self.start) / T::from_usize(self.last.max(1));
        self.start + T::from_usize(k) * step
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("start", self.start);
        bind.scalar("end", self.end);
        bind.scalar("last", self.last as u64);
    }
}

/// Returns the number of values `start, start + step, ..` before `end`.
fn steps_between<T: RealScalar>(start: T, end: T, step: T) -> Result<usize, Error> {
    let argument = |reason: String| Error::Argument { op: "create a range", reason };
    let zero = T::zero();
    let Some(direction @ (Ordering::Greater | Ordering::Less)) = step.partial_cmp(&zero) else {
        return Err(argument(format!("the step is {step}; it must be positive or negative")));
    };
    match end.partial_cmp(&start) {
        Some(way) if way == direction => {}
        Some(_) => return Ok(0),
        None => return Err(argument(format!("{start} and {end} are not comparable"))),
    }
    if T::INTEGER {
        // In 128 bits, the difference is exact for every integer type.
        let distance = (end.in_i128() - start.in_i128()).unsigned_abs();
        let len = distance.div_ceil(step.in_i128().unsigned_abs());
        return usize::try_from(len)
            .map_err(|_| argument(format!("{len} elements exceed the address space")));
    }
    // Halves, because the difference may leave the range of numbers.
    let [start_half, end_half, step_half] = [start, end, step].map(|x| x.in_f64() / 2.0);
    let distance = end.in_f64() - start.in_f64();
    let len = if distance.is_finite() {
        (distance / step.in_f64()).ceil()
    } else {
        ((end_half - start_half) / step_half).ceil()
    };
    // Also false for NaN.
    if len < isize::MAX as f64 {
        Ok(len as usize)
    } else {
        Err(argument(format!(
            "from {start} to {end} in steps of {step}, the number of elements is not representable"
        )))
    }
}

impl<T: Element, O: Order, Dev: Device> Tensor<T, Rank<1>, O, Dev> {
    /// Returns `start, start + 1, ..` up to but not including `end`. The result is empty if `end <= start`.
    ///
    /// # Errors
    /// * If `start` or `end` is NaN.
    /// * If the number of elements is infinite or exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// assert_eq!(Tensor::arange(0..4), tensor![0, 1, 2, 3]);
    /// ```
    #[fallible]
    pub fn arange(range: core::ops::Range<T>) -> Self
    where
        T: RealScalar,
        Dev: Elementwise<T>,
        Dev: Default,
    {
        Self::try_arange_in(range.start, range.end, T::one(), &Dev::default())
    }

    /// Returns `start, start + step, ..` up to but not including `end`. If `step` is negative, the values decrease.
    ///
    /// The result is empty if `step` leads away from `end`, or if `start` equals `end`.
    ///
    /// For floating-point types the number of elements is `⌈(end − start) / step⌉`, computed in `f64`: rounding decides whether an
    /// element close to `end` is included. If that matters, use [`linspace`](Tensor::linspace), which takes the number of elements.
    ///
    /// # Errors
    /// [`Error::Argument`] if `step` is zero, an argument is NaN, or the number of elements is undefined, infinite or not representable.
    /// Another error if the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// assert_eq!(Tensor::arange_step(10, 0, -4), tensor![10, 6, 2]);
    /// ```
    #[fallible]
    pub fn arange_step(start: T, end: T, step: T) -> Self
    where
        T: RealScalar,
        Dev: Elementwise<T>,
        Dev: Default,
    {
        Self::try_arange_in(start, end, step, &Dev::default())
    }

    /// Fallible variant of [`arange_step`](Tensor::arange_step) on a given device.
    ///
    /// # Errors
    /// [`Error::Argument`] if `step` is zero, an argument is NaN, or the number of elements is undefined, infinite or not representable.
    /// Another error if the shape exceeds the address space, or the allocation fails.
    pub fn try_arange_in(start: T, end: T, step: T, device: &Dev) -> Result<Self, Error>
    where
        T: RealScalar,
        Dev: Elementwise<T>,
    {
        let len = steps_between(start, end, step)?;
        // The product of an index and the step may leave the range of numbers although the sum with `start` does not.
        if !T::INTEGER && !(T::from_usize(len.saturating_sub(1)) * step).in_f64().is_finite() {
            let half = |x: T| x / T::from_f64(2.0);
            let mut ramp = Tensor::generate([len], Ramp { start: half(start), step: half(step) }, device)?;
            ramp.try_apply_inplace(WithRight { op: Mul, right: T::from_f64(2.0) })?;
            return Ok(ramp);
        }
        Tensor::generate([len], Ramp { start, step }, device)
    }
}

impl<T: Element, O: Order, Dev: Device> Tensor<T, Rank<1>, O, Dev> {
    /// Returns `n` values in equal steps from `start` to `end`, both included. If `n` is 1, the value is `start`.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// assert_eq!(Tensor::linspace(0.0, 1.0, 5), tensor![0.0, 0.25, 0.5, 0.75, 1.0]);
    /// ```
    #[fallible]
    pub fn linspace(start: T, end: T, n: usize) -> Self
    where
        T: RealFloat,
        Dev: Elementwise<T>,
        Dev: Default,
    {
        Self::try_linspace_in(start, end, n, &Dev::default())
    }

    /// Fallible variant of [`linspace`](Tensor::linspace) on a given device.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    pub fn try_linspace_in(start: T, end: T, n: usize, device: &Dev) -> Result<Self, Error>
    where
        T: RealFloat,
        Dev: Elementwise<T>,
    {
        let last = n.saturating_sub(1);
        // If the difference or the step leaves the range of numbers, computes with numbers that are scaled by a power of two.
        let step = (end - start) / T::from_usize(last.max(1));
        let scale = if !step.is_finite() {
            T::from_f64(0.5)
        } else if step.abs() < T::min_positive_value() && start != end {
            T::from_f64(2f64.powi(64))
        } else {
            return Tensor::generate([n], Between { start, end, last }, device);
        };
        let between = Between { start: start * scale, end: end * scale, last };
        let mut values = Tensor::generate([n], between, device)?;
        values.try_apply_inplace(WithRight { op: Mul, right: T::from_f64(1.0) / scale })?;
        Ok(values)
    }
}
