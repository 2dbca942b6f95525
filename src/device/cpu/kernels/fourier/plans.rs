//! The real numbers that are transformed, and the plans of transforms, which contain tables of twiddle factors. One cache per process
//! keeps the plans for later calls.

use super::workspace::out_of_memory;
use crate::device::cpu::memory::scratch::can_allocate;
use crate::element::Element;
use crate::error::Error;
#[cfg(target_arch = "x86_64")]
use crate::simd::avx2::{F32x8, F64x4};
#[cfg(target_arch = "x86_64")]
use crate::simd::avx512::{F32x16, F64x8};
#[cfg(target_arch = "x86_64")]
use crate::simd::vector::FloatVector;
use core::any::{Any, TypeId};
use num_complex::Complex;
use rustfft::FftNum;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Maximum number of plans in the cache.
const MAX_PLANS: usize = 64;
/// Maximum sum of the lengths of all plans in the cache. A single plan can be longer. A plan of length `n` contains up to about `11 * n`
/// complex numbers.
const MAX_TOTAL_LEN: usize = 1 << 22;
/// Before a plan of length `n` is made, memory for `PLANNED_NUMBERS * n` complex numbers must be available. rustfft aborts the process if
/// it cannot allocate its tables.
const PLANNED_NUMBERS: usize = 4;

/// The type of the real and imaginary parts: `f32` or `f64`.
pub(in crate::device) trait Real: FftNum + Element {
    /// Registers of AVX-512.
    #[cfg(target_arch = "x86_64")]
    type Wide: FloatVector<Real = Self>;
    /// Registers of AVX2.
    #[cfg(target_arch = "x86_64")]
    type Narrow: FloatVector<Real = Self>;
}

impl Real for f32 {
    #[cfg(target_arch = "x86_64")]
    type Wide = F32x16;
    #[cfg(target_arch = "x86_64")]
    type Narrow = F32x8;
}

impl Real for f64 {
    #[cfg(target_arch = "x86_64")]
    type Wide = F64x8;
    #[cfg(target_arch = "x86_64")]
    type Narrow = F64x4;
}

/// The type, the length and the direction of a plan.
type Key = (TypeId, usize, bool);

static PLANS: LazyLock<Mutex<HashMap<Key, Box<dyn Any + Send>>>> = LazyLock::new(Mutex::default);

/// Returns the plan of type `P` for lines of `n` numbers of type `R` from the cache, or makes it and adds it to the cache. A full cache is
/// cleared first. The cache is not locked while a plan is made, which can take half a second.
///
/// # Errors
/// [`Error::OutOfMemory`] if there is not enough memory for the plan's tables.
pub(super) fn cached<R: Real, P: Clone + Send + 'static>(
    n: usize,
    inverse: bool,
    make: impl FnOnce() -> P,
) -> Result<P, Error> {
    let key = (TypeId::of::<P>(), n, inverse);
    // A poisoned lock is used like any other: no code panics while it holds the lock, and every plan in the cache is complete.
    let plans = || PLANS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(plan) = plans().get(&key).and_then(|plan| plan.downcast_ref::<P>()) {
        return Ok(plan.clone());
    }
    let numbers = n.saturating_mul(PLANNED_NUMBERS);
    if !can_allocate(numbers.saturating_mul(size_of::<Complex<R>>())) {
        return Err(out_of_memory::<Complex<R>>(numbers));
    }
    let plan = make();
    let mut plans = plans();
    let total: usize = plans.keys().map(|(_, n, _)| n).sum();
    if plans.len() >= MAX_PLANS || total + n > MAX_TOTAL_LEN {
        plans.clear();
    }
    plans.insert(key, Box::new(plan.clone()));
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn plans_are_shared_and_bounded() {
        let plan = |n, inverse| cached::<f64, _>(n, inverse, || Arc::new((n, inverse))).unwrap();
        assert!(Arc::ptr_eq(&plan(12, false), &plan(12, false)));
        assert_eq!(*plan(12, true), (12, true));
        assert_eq!(cached::<f64, _>(12, false, || "another type").unwrap(), "another type");
        for n in 1..=2 * MAX_PLANS {
            plan(n, false);
            assert!(PLANS.lock().unwrap().len() <= MAX_PLANS);
        }
    }
}
