//! Implements [`FloatVector`] by arrays, for tests. So the tests run every size of register tile on every processor that has registers.

use super::Registers;
use crate::simd::vector::{FloatVector, Isa, MaskedVector, Real, SimdKernel, Vector};
use core::ops::{Add, Mul, Sub};

/// An emulated register of `N` lanes. The size of the register decides the size of the register tile: that for NEON, AVX2 or AVX-512.
#[derive(Debug, Clone, Copy)]
pub(super) struct EmulatedRegister<R, const N: usize>([R; N]);

/// No instruction set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Emulated;

impl Isa for Emulated {
    fn new() -> Option<Self> {
        Some(Emulated)
    }
    unsafe fn run<V: Vector<Isa = Self>, Output>(kernel: impl SimdKernel<V, Output>) -> Output {
        // SAFETY: the caller ensures the conditions of `kernel.run()`.
        unsafe { kernel.run() }
    }
}

impl<R: Real + Add<Output = R> + Sub<Output = R> + Mul<Output = R>, const N: usize> Vector
    for EmulatedRegister<R, N>
{
    type Isa = Emulated;
    type Lane = R;
    const LANES: usize = N;

    #[inline(always)]
    unsafe fn zero() -> Self {
        EmulatedRegister([R::zero(); N])
    }
    #[inline(always)]
    unsafe fn load(from: *const R) -> Self {
        // SAFETY: the caller ensures that the bytes of a register, that is `N` values, may be read from `from` on.
        EmulatedRegister(unsafe { from.cast::<[R; N]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut R) {
        // SAFETY: the caller ensures that the bytes of a register, that is `N` values, may be written from `to` on.
        unsafe { to.cast::<[R; N]>().write_unaligned(self.0) }
    }
}

impl<R: Real + Add<Output = R> + Sub<Output = R> + Mul<Output = R>, const N: usize> MaskedVector
    for EmulatedRegister<R, N>
{
    /// The number of lanes that the mask selects. They are the first lanes of the register.
    type Mask = usize;

    #[inline(always)]
    fn splat(self, x: R) -> Self {
        EmulatedRegister([x; N])
    }
    #[inline(always)]
    fn first(self, lanes: usize) -> usize {
        lanes.min(N)
    }
    #[inline(always)]
    unsafe fn load_some(from: *const R, mask: usize) -> Self {
        if mask == N {
            // SAFETY: `mask` selects all `N` lanes, so the caller ensures that `N` values may be read from `from` on.
            return unsafe { Self::load(from) };
        }
        let lane = |lane: usize| {
            // SAFETY: `lane < mask`, so `mask` selects this lane. The caller ensures that the values of selected lanes may be read.
            if lane < mask { unsafe { *from.wrapping_add(lane) } } else { R::zero() }
        };
        EmulatedRegister(core::array::from_fn(lane))
    }
    #[inline(always)]
    unsafe fn store_some(self, to: *mut R, mask: usize) {
        if mask == N {
            // SAFETY: `mask` selects all `N` lanes, so the caller ensures that `N` values may be written from `to` on.
            return unsafe { self.store(to) };
        }
        for (lane, x) in self.0.into_iter().enumerate().take(mask) {
            // SAFETY: `lane < mask`, so `mask` selects this lane. The caller ensures that the values of selected lanes may be written.
            unsafe { *to.wrapping_add(lane) = x };
        }
    }
}

impl<R: Real + Add<Output = R> + Sub<Output = R> + Mul<Output = R>, const N: usize> FloatVector
    for EmulatedRegister<R, N>
{
    type Real = R;

    #[inline(always)]
    fn alternating(self, even: R, odd: R) -> Self {
        EmulatedRegister(core::array::from_fn(|lane| if lane % 2 == 0 { even } else { odd }))
    }
    #[inline(always)]
    fn add(self, a: Self) -> Self {
        EmulatedRegister(core::array::from_fn(|lane| self.0[lane] + a.0[lane]))
    }
    #[inline(always)]
    fn sub(self, a: Self) -> Self {
        EmulatedRegister(core::array::from_fn(|lane| self.0[lane] - a.0[lane]))
    }
    #[inline(always)]
    fn mul(self, a: Self) -> Self {
        EmulatedRegister(core::array::from_fn(|lane| self.0[lane] * a.0[lane]))
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        EmulatedRegister(core::array::from_fn(|lane| self.0[lane] * a.0[lane] + b.0[lane]))
    }
    #[inline(always)]
    fn mul_sub_add(self, a: Self, b: Self) -> Self {
        self.mul_add(
            a,
            EmulatedRegister(core::array::from_fn(|lane| if lane % 2 == 0 { -b.0[lane] } else { b.0[lane] })),
        )
    }
    #[inline(always)]
    fn flip(self, signs: Self) -> Self {
        let flip = |lane: usize| if signs.0[lane].is_negative() { -self.0[lane] } else { self.0[lane] };
        EmulatedRegister(core::array::from_fn(flip))
    }
    #[inline(always)]
    fn swap_pairs(self) -> Self {
        EmulatedRegister(core::array::from_fn(|lane| self.0[lane ^ 1]))
    }
    #[inline(always)]
    fn exchange(self, other: Self, block: usize) -> (Self, Self) {
        let upper = |lane: usize| lane & block != 0;
        (
            EmulatedRegister(core::array::from_fn(|k| if upper(k) { other.0[k - block] } else { self.0[k] })),
            EmulatedRegister(core::array::from_fn(|k| if upper(k) { other.0[k] } else { self.0[k + block] })),
        )
    }
}

/// The emulated registers of NEON.
pub(super) struct Short;
/// The emulated registers of AVX2.
pub(super) struct Narrow;
/// The emulated registers of AVX-512.
pub(super) struct Wide;

impl Registers for Short {
    type F32 = EmulatedRegister<f32, 4>;
    type F64 = EmulatedRegister<f64, 2>;
}

impl Registers for Narrow {
    type F32 = EmulatedRegister<f32, 8>;
    type F64 = EmulatedRegister<f64, 4>;
}

impl Registers for Wide {
    type F32 = EmulatedRegister<f32, 16>;
    type F64 = EmulatedRegister<f64, 8>;
}
