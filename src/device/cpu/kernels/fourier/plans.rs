//! The plans of Fourier transforms, which contain tables of twiddle factors. One cache per process keeps them for later calls.

use super::Real;
#[cfg(target_arch = "x86_64")]
use super::{columns, long_columns, real_columns};
use crate::device::Device;
use crate::device::cpu::Cpu;
use crate::device::cpu::memory::scratch::can_allocate;
use crate::error::Error;
use core::any::{Any, TypeId};
use num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftPlanner};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Maximum number of plans in the cache.
const MAX_PLANS: usize = 64;
/// Maximum sum of the lengths of all plans in the cache. A single plan can be longer. A plan of length `n` contains up to about `11 * n`
/// complex numbers.
const MAX_TOTAL_LEN: usize = 1 << 22;
/// Before a plan of length `n` is made, memory for `PLANNED_NUMBERS * n` complex numbers must be available. rustfft aborts the process if
/// it cannot allocate its tables.
const PLANNED_NUMBERS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Forward,
    Inverse,
    RealToComplex,
    ComplexToReal,
    #[cfg(target_arch = "x86_64")]
    Columns,
    #[cfg(target_arch = "x86_64")]
    InverseColumns,
    #[cfg(target_arch = "x86_64")]
    LongColumns,
    #[cfg(target_arch = "x86_64")]
    InverseLongColumns,
    #[cfg(target_arch = "x86_64")]
    RealColumns,
    #[cfg(target_arch = "x86_64")]
    InverseRealColumns,
}

/// The real type, the length and the kind of a plan.
type Key = (TypeId, usize, Kind);

static PLANS: LazyLock<Mutex<HashMap<Key, Box<dyn Any + Send>>>> = LazyLock::new(Mutex::default);

/// Returns the plan from the cache, or makes it and adds it to the cache. A full cache is cleared first. The cache is not locked while a
/// plan is made, which can take half a second.
fn cached<R: Real, P: Clone + Send + 'static>(
    n: usize,
    kind: Kind,
    make: impl FnOnce() -> Result<P, Error>,
) -> Result<P, Error> {
    let key = (TypeId::of::<R>(), n, kind);
    // A poisoned lock is used like any other: no code panics while it holds the lock, and every plan in the cache is complete.
    let plans = || PLANS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(plan) = plans().get(&key).and_then(|plan| plan.downcast_ref::<P>()) {
        return Ok(plan.clone());
    }
    let bytes = n.saturating_mul(PLANNED_NUMBERS * size_of::<Complex<R>>());
    if !can_allocate(bytes) {
        return Err(Error::OutOfMemory { device: Cpu.name(), bytes });
    }
    let plan = make()?;
    let mut plans = plans();
    let total: usize = plans.keys().map(|(_, n, _)| n).sum();
    if plans.len() >= MAX_PLANS || total + n > MAX_TOTAL_LEN {
        plans.clear();
    }
    plans.insert(key, Box::new(plan.clone()));
    Ok(plan)
}

/// Returns the plan of complex transforms of length `n`.
///
/// # Errors
/// [`Error::OutOfMemory`] if there is not enough memory for the plan's tables.
pub(super) fn complex<R: Real>(n: usize, inverse: bool) -> Result<Arc<dyn Fft<R>>, Error> {
    let (kind, direction) = match inverse {
        false => (Kind::Forward, FftDirection::Forward),
        true => (Kind::Inverse, FftDirection::Inverse),
    };
    cached::<R, _>(n, kind, || Ok(FftPlanner::new().plan_fft(n, direction)))
}

/// Returns the plan of transforms of adjacent lines of length `n`, for which there must be one: see [`columns::has_plan`].
///
/// # Errors
/// [`Error::OutOfMemory`] if there is not enough memory for the plan's tables.
#[cfg(target_arch = "x86_64")]
pub(super) fn columns<R: Real>(n: usize, inverse: bool) -> Result<Arc<columns::Plan<R>>, Error> {
    let kind = if inverse { Kind::InverseColumns } else { Kind::Columns };
    cached::<R, _>(n, kind, || Ok(Arc::new(columns::Plan::new(n, inverse)?)))
}

/// Returns the plan of transforms of long adjacent lines of length `n`, for which there must be one: see [`long_columns::has_plan`].
///
/// # Errors
/// [`Error::OutOfMemory`] if there is not enough memory for the plan's tables.
#[cfg(target_arch = "x86_64")]
pub(super) fn long_columns<R: Real>(n: usize, inverse: bool) -> Result<Arc<long_columns::Plan<R>>, Error> {
    let kind = if inverse { Kind::InverseLongColumns } else { Kind::LongColumns };
    cached::<R, _>(n, kind, || Ok(Arc::new(long_columns::Plan::new(n, inverse)?)))
}

/// Returns the plan of transforms of adjacent lines of `n` real numbers, for which there must be one: see [`real_columns::are_columns`].
///
/// # Errors
/// [`Error::OutOfMemory`] if there is not enough memory for the plan's tables.
#[cfg(target_arch = "x86_64")]
pub(super) fn real_columns<R: Real>(n: usize, inverse: bool) -> Result<Arc<real_columns::Plan<R>>, Error> {
    let kind = if inverse { Kind::InverseRealColumns } else { Kind::RealColumns };
    cached::<R, _>(n, kind, || Ok(Arc::new(real_columns::Plan::new(n, inverse)?)))
}

/// Returns the plan of transforms of `n` real numbers.
///
/// # Errors
/// [`Error::OutOfMemory`] if there is not enough memory for the plan's tables.
pub(super) fn real_to_complex<R: Real>(n: usize) -> Result<Arc<dyn RealToComplex<R>>, Error> {
    cached::<R, _>(n, Kind::RealToComplex, || Ok(RealFftPlanner::new().plan_fft_forward(n)))
}

/// Returns the plan of inverse transforms to `n` real numbers.
///
/// # Errors
/// [`Error::OutOfMemory`] if there is not enough memory for the plan's tables.
pub(super) fn complex_to_real<R: Real>(n: usize) -> Result<Arc<dyn ComplexToReal<R>>, Error> {
    cached::<R, _>(n, Kind::ComplexToReal, || Ok(RealFftPlanner::new().plan_fft_inverse(n)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_shared_and_bounded() {
        let [first, second] = [0, 0].map(|_| complex::<f64>(12, false).unwrap());
        assert!(Arc::ptr_eq(&first, &second));
        let inverse = complex::<f64>(12, true).unwrap();
        assert_eq!(
            (first.fft_direction(), inverse.fft_direction()),
            (FftDirection::Forward, FftDirection::Inverse)
        );
        assert_eq!(complex::<f32>(12, false).unwrap().len(), 12);
        assert_eq!(real_to_complex::<f64>(12).unwrap().len(), 12);
        assert_eq!(complex_to_real::<f64>(12).unwrap().len(), 12);
        for n in 1..=2 * MAX_PLANS {
            complex::<f64>(n, false).unwrap();
            assert!(PLANS.lock().unwrap().len() <= MAX_PLANS);
        }
    }
}
