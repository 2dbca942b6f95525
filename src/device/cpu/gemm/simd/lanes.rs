//! Arrays as vectors: for every processor. The compiler makes of them what the architecture has, SSE2 or NEON.

use super::vector::{Real, Task, Vector};

/// `N` numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lanes<R, const N: usize>([R; N]);

// Nothing here is beyond a processor: what is unsafe is what callers say of pointers.
impl<R: Real, const N: usize> Vector for Lanes<R, N> {
    type Real = R;
    /// How many of the first lanes are meant.
    type Mask = usize;
    const LANES: usize = N;
    // 64-bit ARM has 32 registers, others have 16.
    const VECTORS: usize = if cfg!(target_arch = "aarch64") { 3 } else { 2 };
    const COLUMNS: usize = if cfg!(target_arch = "aarch64") { 8 } else { 6 };

    unsafe fn within(task: impl Task<Self>) {
        // SAFETY: the caller's.
        unsafe { task.run() }
    }
    #[inline(always)]
    unsafe fn zero() -> Self {
        Lanes([R::zero(); N])
    }
    #[inline(always)]
    fn splat(self, x: R) -> Self {
        Lanes([x; N])
    }
    #[inline(always)]
    fn alternating(self, even: R, odd: R) -> Self {
        Lanes(core::array::from_fn(|lane| if lane % 2 == 0 { even } else { odd }))
    }
    #[inline(always)]
    fn first(self, lanes: usize) -> usize {
        lanes.min(N)
    }
    #[inline(always)]
    fn prefetch(_: *const R) {}
    #[inline(always)]
    fn prefetch_far(_: *const R) {}
    #[inline(always)]
    unsafe fn load(from: *const R) -> Self {
        // SAFETY: the caller's.
        Lanes(unsafe { from.cast::<[R; N]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn load_some(from: *const R, mask: usize) -> Self {
        if mask == N {
            // SAFETY: the caller's, for all lanes.
            return unsafe { Self::load(from) };
        }
        let lane = |lane: usize| {
            // SAFETY: the caller's, for these lanes.
            if lane < mask { unsafe { *from.wrapping_add(lane) } } else { R::zero() }
        };
        Lanes(core::array::from_fn(lane))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut R) {
        // SAFETY: the caller's.
        unsafe { to.cast::<[R; N]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn store_some(self, to: *mut R, mask: usize) {
        if mask == N {
            // SAFETY: the caller's, for all lanes.
            return unsafe { self.store(to) };
        }
        for (lane, x) in self.0.into_iter().enumerate().take(mask) {
            // SAFETY: the caller's, for these lanes.
            unsafe { *to.wrapping_add(lane) = x };
        }
    }
    #[inline(always)]
    fn mul(self, a: Self) -> Self {
        Lanes(core::array::from_fn(|lane| self.0[lane] * a.0[lane]))
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Lanes(core::array::from_fn(|lane| self.0[lane].times_plus(a.0[lane], b.0[lane])))
    }
    #[inline(always)]
    fn swap_pairs(self) -> Self {
        Lanes(core::array::from_fn(|lane| self.0[lane ^ 1]))
    }
    #[inline(always)]
    fn exchange(self, other: Self, block: usize) -> (Self, Self) {
        let upper = |lane: usize| lane & block != 0;
        (
            Lanes(core::array::from_fn(|k| if upper(k) { other.0[k - block] } else { self.0[k] })),
            Lanes(core::array::from_fn(|k| if upper(k) { other.0[k] } else { self.0[k + block] })),
        )
    }
}
