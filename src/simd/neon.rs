//! The registers of NEON: 32 of 16 bytes. Every 64-bit ARM processor has them, with fused multiply-add.

use super::Level;
use super::vector::{
    ByteVector, FloatVector, Isa, MaskedVector, SimdKernel, Vector, interleaving, methods, register,
};
use core::arch::aarch64::*;

/// The instruction set of [`Level::Neon`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neon(());

impl Isa for Neon {
    #[inline]
    fn new() -> Option<Neon> {
        (Level::get() == Level::Neon).then_some(Neon(()))
    }
    unsafe fn run<V: Vector<Isa = Neon>, Output>(kernel: impl SimdKernel<V, Output>) -> Output {
        // SAFETY: the caller ensures the conditions of `kernel.run()`.
        unsafe { kernel.run() }
    }
}

/// Defines functions that are compiled for NEON. They implement methods that need several intrinsics, or an intrinsic with constant arguments.
macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty $body:block)*) => {$(
        #[inline]
        #[target_feature(enable = "neon")]
        fn $name($($argument: $type),*) -> $result $body
    )*};
}

functions! {
    fn zero_f64() -> float64x2_t {
        vdupq_n_f64(0.0)
    }
    fn zero_f32() -> float32x4_t {
        vdupq_n_f32(0.0)
    }
    fn zero_bytes() -> uint8x16_t {
        vdupq_n_u8(0)
    }
}

register! {
    /// A register of two `f64`.
    F64x2(float64x2_t) of Neon has 2 lanes of f64,
    zero: zero_f64, load: vld1q_f64, store: vst1q_f64
}
register! {
    /// A register of four `f32`.
    F32x4(float32x4_t) of Neon has 4 lanes of f32,
    zero: zero_f32, load: vld1q_f32, store: vst1q_f32
}
register! {
    /// A register of 16 bytes.
    U8x16(uint8x16_t) of Neon has 16 lanes of u8,
    zero: zero_bytes, load: vld1q_u8, store: vst1q_u8
}

/// Implements [`MaskedVector`]. NEON has no masked loads and stores, so a part of a register passes through an array.
macro_rules! masked {
    ($($Name:ident: $Lane:ty, splat: $splat:ident;)*) => {$(
        impl MaskedVector for $Name {
            /// The number of lanes that are selected, from the first one on.
            type Mask = usize;

            #[inline(always)]
            fn splat(self, x: $Lane) -> Self {
                // SAFETY: `self` exists, so the processor has NEON.
                $Name(unsafe { $splat(x) })
            }
            #[inline(always)]
            fn first(self, lanes: usize) -> usize {
                lanes.min(Self::LANES)
            }
            #[inline(always)]
            unsafe fn load_some(from: *const $Lane, mask: usize) -> Self {
                if mask == Self::LANES {
                    // SAFETY: the caller ensures that the processor has NEON, and that the values at all lanes, which `mask` selects, may
                    // be read.
                    return unsafe { Self::load(from) };
                }
                let mut lanes = [0.0; $Name::LANES];
                for (lane, x) in lanes.iter_mut().enumerate() {
                    if lane < mask {
                        // SAFETY: `mask` selects this lane, so the caller ensures that its value may be read.
                        *x = unsafe { *from.wrapping_add(lane) };
                    }
                }
                // SAFETY: the caller ensures that the processor has NEON. The array has a value for each lane.
                unsafe { Self::load(lanes.as_ptr()) }
            }
            #[inline(always)]
            unsafe fn store_some(self, to: *mut $Lane, mask: usize) {
                if mask == Self::LANES {
                    // SAFETY: `mask` selects all lanes. So the caller ensures that their values may be written, and that nothing else
                    // accesses them.
                    return unsafe { self.store(to) };
                }
                let mut lanes = [0.0; $Name::LANES];
                // SAFETY: the array has a value for each lane, and only this function accesses it.
                unsafe { self.store(lanes.as_mut_ptr()) };
                for (lane, x) in lanes.into_iter().enumerate() {
                    if lane < mask {
                        // SAFETY: `mask` selects this lane. So the caller ensures that its value may be written, and that nothing else
                        // accesses it.
                        unsafe { *to.wrapping_add(lane) = x };
                    }
                }
            }
        }
    )*};
}
masked! {
    F64x2: f64, splat: vdupq_n_f64;
    F32x4: f32, splat: vdupq_n_f32;
}

functions! {
    fn alternating_f64(even: f64, odd: f64) -> float64x2_t {
        vsetq_lane_f64::<1>(odd, vdupq_n_f64(even))
    }
    fn alternating_f32(even: f32, odd: f32) -> float32x4_t {
        vzip1q_f32(vdupq_n_f32(even), vdupq_n_f32(odd))
    }
    // `vfmaq` adds the product of its second and third operand to the first.
    fn mul_add_f64(a: float64x2_t, b: float64x2_t, c: float64x2_t) -> float64x2_t {
        vfmaq_f64(c, a, b)
    }
    fn mul_add_f32(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
        vfmaq_f32(c, a, b)
    }
    fn mul_sub_add_f64(a: float64x2_t, b: float64x2_t, c: float64x2_t) -> float64x2_t {
        vfmaq_f64(flip_f64(c, alternating_f64(-0.0, 0.0)), a, b)
    }
    fn mul_sub_add_f32(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
        vfmaq_f32(flip_f32(c, alternating_f32(-0.0, 0.0)), a, b)
    }
    fn flip_f64(a: float64x2_t, signs: float64x2_t) -> float64x2_t {
        vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(signs)))
    }
    fn flip_f32(a: float32x4_t, signs: float32x4_t) -> float32x4_t {
        vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(signs)))
    }
    fn swap_f64(a: float64x2_t) -> float64x2_t {
        vextq_f64::<1>(a, a)
    }
    fn exchange_f64(a: float64x2_t, b: float64x2_t) -> (float64x2_t, float64x2_t) {
        (vtrn1q_f64(a, b), vtrn2q_f64(a, b))
    }
    fn exchange_f32(a: float32x4_t, b: float32x4_t, block: usize) -> (float32x4_t, float32x4_t) {
        if block == 1 {
            return (vtrn1q_f32(a, b), vtrn2q_f32(a, b));
        }
        let (one, other) = exchange_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b));
        (vreinterpretq_f32_f64(one), vreinterpretq_f32_f64(other))
    }
}

impl FloatVector for F64x2 {
    type Real = f64;

    #[inline(always)]
    fn alternating(self, even: f64, odd: f64) -> Self {
        // SAFETY: `self` exists, so the processor has NEON.
        F64x2(unsafe { alternating_f64(even, odd) })
    }
    methods! {
        add(a) = vaddq_f64;
        sub(a) = vsubq_f64;
        mul(a) = vmulq_f64;
        mul_add(a, b) = mul_add_f64;
        mul_sub_add(a, b) = mul_sub_add_f64;
        flip(signs) = flip_f64;
        swap_pairs() = swap_f64;
    }
    #[inline(always)]
    fn exchange(self, other: Self, _: usize) -> (Self, Self) {
        // SAFETY: `self` exists, so the processor has NEON.
        let (one, other) = unsafe { exchange_f64(self.0, other.0) };
        (F64x2(one), F64x2(other))
    }
}

impl FloatVector for F32x4 {
    type Real = f32;

    #[inline(always)]
    fn alternating(self, even: f32, odd: f32) -> Self {
        // SAFETY: `self` exists, so the processor has NEON.
        F32x4(unsafe { alternating_f32(even, odd) })
    }
    methods! {
        add(a) = vaddq_f32;
        sub(a) = vsubq_f32;
        mul(a) = vmulq_f32;
        mul_add(a, b) = mul_add_f32;
        mul_sub_add(a, b) = mul_sub_add_f32;
        flip(signs) = flip_f32;
        swap_pairs() = vrev64q_f32;
    }
    #[inline(always)]
    fn exchange(self, other: Self, block: usize) -> (Self, Self) {
        // SAFETY: `self` exists, so the processor has NEON.
        let (one, other) = unsafe { exchange_f32(self.0, other.0, block) };
        (F32x4(one), F32x4(other))
    }
}

/// Defines functions that interleave the lower or upper halves of two registers, for elements of several bytes.
macro_rules! interleave {
    ($($name:ident = $zip:ident: $to:ident, $from:ident;)*) => {
        functions! {$(
            fn $name(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
                $from($zip($to(a), $to(b)))
            }
        )*}
    };
}
interleave! {
    low_u16 = vzip1q_u16: vreinterpretq_u16_u8, vreinterpretq_u8_u16;
    low_u32 = vzip1q_u32: vreinterpretq_u32_u8, vreinterpretq_u8_u32;
    low_u64 = vzip1q_u64: vreinterpretq_u64_u8, vreinterpretq_u8_u64;
    high_u16 = vzip2q_u16: vreinterpretq_u16_u8, vreinterpretq_u8_u16;
    high_u32 = vzip2q_u32: vreinterpretq_u32_u8, vreinterpretq_u8_u32;
    high_u64 = vzip2q_u64: vreinterpretq_u64_u8, vreinterpretq_u8_u64;
}

impl ByteVector for U8x16 {
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // Rust has no intrinsic for the non-temporal stores of 64-bit ARM.
        // SAFETY: the caller ensures that 16 bytes at `to` may be written, and that nothing else accesses them.
        unsafe { self.store(to) }
    }
    interleaving! {
        interleave_low: 1 => vzip1q_u8, 2 => low_u16, 4 => low_u32, 8 => low_u64;
        interleave_high: 1 => vzip2q_u8, 2 => high_u16, 4 => high_u32, 8 => high_u64;
    }
    #[inline(always)]
    fn transpose_blocks(_: &mut [Self; 4]) {}
}
