//! The registers of SSE2, which every x86-64 processor has.

use super::vector::{ByteVector, Isa, SimdKernel, Vector, interleaving, register};
use core::arch::x86_64::*;

/// The instruction set SSE2.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sse2(());

impl Isa for Sse2 {
    fn new() -> Option<Sse2> {
        Some(Sse2(()))
    }
    unsafe fn run<V: Vector<Isa = Sse2>, Output>(kernel: impl SimdKernel<V, Output>) -> Output {
        // SAFETY: the caller ensures the conditions of `kernel.run()`.
        unsafe { kernel.run() }
    }
}

register! {
    /// A register of 16 bytes.
    U8x16(__m128i) of Sse2 has 16 lanes of u8,
    zero: _mm_setzero_si128, load: _mm_loadu_si128, store: _mm_storeu_si128
}

impl ByteVector for U8x16 {
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: every x86-64 processor has SSE2. The caller ensures that 16 bytes may be written at `to`, a multiple of 16.
        unsafe { _mm_stream_si128(to.cast(), self.0) }
    }
    interleaving! {
        interleave_low: 1 => _mm_unpacklo_epi8, 2 => _mm_unpacklo_epi16, 4 => _mm_unpacklo_epi32, 8 => _mm_unpacklo_epi64;
        interleave_high: 1 => _mm_unpackhi_epi8, 2 => _mm_unpackhi_epi16, 4 => _mm_unpackhi_epi32, 8 => _mm_unpackhi_epi64;
    }
    #[inline(always)]
    fn transpose_blocks(_: &mut [Self; 4]) {}
}
