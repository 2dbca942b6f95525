//! Implements [`Vector`] for the registers of AVX-512, with keys of 4 and 8 bytes.

use super::avx2::Avx2;
use super::vector::{Isa, Lane, MAX_LANES, Vector};
use super::{network, pivot, quick, repeated};
use crate::simd::Level;
use core::arch::x86_64::*;

/// Proof that the processor has the instructions of [`Level::Avx512`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    /// Returns the proof, or `None` if the processor does not have the instructions or `VIERBEIN_SIMD` excludes them.
    pub(super) fn get() -> Option<Avx512> {
        (Level::get() >= Level::Avx512).then_some(Avx512(()))
    }
}

impl Isa for Avx512 {
    fn partition<T: Lane<Avx512>, const OR_EQUAL: bool>(self, x: &mut [T], pivot: T) -> usize {
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt")]
        fn partition<T: Lane<Avx512>, const OR_EQUAL: bool>(token: Avx512, x: &mut [T], pivot: T) -> usize {
            quick::partition::<_, _, OR_EQUAL>(token, x, pivot)
        }
        // SAFETY: `self` exists, so the processor has the instructions.
        unsafe { partition::<T, OR_EQUAL>(self, x, pivot) }
    }
    fn sort_small<T: Lane<Avx512>>(self, x: &mut [T]) {
        // The smallest network of AVX2 sorts half as many keys: on a Zen 5, lines of 24 and 32 `f64`, or of 24 to 64 `f32`, take 0.54 to 0.64
        // times as long.
        if x.len() <= network::min_network::<Avx512, T>() / 2
            && let Some(token) = Avx2::get()
        {
            return T::sort_narrow(token, x);
        }
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt")]
        fn sort_small<T: Lane<Avx512>>(token: Avx512, x: &mut [T]) {
            network::sort_small(token, x);
        }
        // SAFETY: `self` exists, so the processor has the instructions.
        unsafe { sort_small(self, x) }
    }
    fn estimates<T: Lane<Avx512>>(self, x: &[T], row: usize) -> [T; MAX_LANES] {
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt")]
        fn estimates<T: Lane<Avx512>>(token: Avx512, x: &[T], row: usize) -> [T; MAX_LANES] {
            pivot::estimates(token, x, row)
        }
        // SAFETY: `self` exists, so the processor has the instructions.
        unsafe { estimates(self, x, row) }
    }
    fn remove_repeated<T: Lane<Avx512>>(self, x: &mut [T]) -> usize {
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt")]
        fn remove<T: Lane<Avx512>>(token: Avx512, x: &mut [T]) -> usize {
            repeated::remove(token, x)
        }
        // SAFETY: `self` exists, so the processor has the instructions.
        unsafe { remove(self, x) }
    }
}

/// For each mask of eight bits, a permutation of eight lanes: first the indices of the lanes whose bit is set, then those of the others.
static PARTED: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut at, mut k) = (0, 0);
        while k < 16 {
            if (bits >> (k % 8) & 1 == 1) == (k < 8) {
                table[bits][at] = k as u8 % 8;
                at += 1;
            }
            k += 1;
        }
        bits += 1;
    }
    table
};

/// Returns a mask of the first `n` lanes.
#[inline(always)]
fn first(n: usize) -> u32 {
    (1 << n) - 1
}

/// Defines safe functions that are compiled for AVX-512.
macro_rules! wide {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty $body:block)*) => {$(
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn $name($($argument: $type),*) -> $result $body
    )*};
}

wide! {
    fn exchange64(v: __m512i, x: usize) -> __m512i {
        match x {
            1 => _mm512_permutex_epi64::<0b10_11_00_01>(v),
            2 => _mm512_permutex_epi64::<0b01_00_11_10>(v),
            3 => _mm512_permutex_epi64::<0b00_01_10_11>(v),
            4 => _mm512_shuffle_i64x2::<0b01_00_11_10>(v, v),
            _ => _mm512_permutexvar_epi64(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), v),
        }
    }
    fn exchange32(v: __m512i, x: usize) -> __m512i {
        match x {
            1 => _mm512_shuffle_epi32::<0b10_11_00_01>(v),
            2 => _mm512_shuffle_epi32::<0b01_00_11_10>(v),
            3 => _mm512_shuffle_epi32::<0b00_01_10_11>(v),
            4 => _mm512_permutex_epi64::<0b01_00_11_10>(v),
            8 => _mm512_shuffle_i64x2::<0b01_00_11_10>(v, v),
            7 => _mm512_permutexvar_epi32(
                _mm512_set_epi32(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7),
                v,
            ),
            _ => _mm512_permutexvar_epi32(
                _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                v,
            ),
        }
    }
    // Transposes four registers as a matrix of 4 × 4 blocks of 128 bits.
    fn transpose_blocks(v: [__m512i; 4]) -> [__m512i; 4] {
        let [a, b, c, d] = v;
        let even_ab = _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b);
        let odd_ab = _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b);
        let even_cd = _mm512_shuffle_i64x2::<0b10_00_10_00>(c, d);
        let odd_cd = _mm512_shuffle_i64x2::<0b11_01_11_01>(c, d);
        [
            _mm512_shuffle_i64x2::<0b10_00_10_00>(even_ab, even_cd),
            _mm512_shuffle_i64x2::<0b10_00_10_00>(odd_ab, odd_cd),
            _mm512_shuffle_i64x2::<0b11_01_11_01>(even_ab, even_cd),
            _mm512_shuffle_i64x2::<0b11_01_11_01>(odd_ab, odd_cd),
        ]
    }
    fn transpose64(v: [__m512i; 8]) -> [__m512i; 8] {
        let mut pairs = v;
        for i in 0..4 {
            let (a, b) = (v[2 * i], v[2 * i + 1]);
            (pairs[2 * i], pairs[2 * i + 1]) = (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        }
        let mut to = v;
        for odd in 0..2 {
            let turned = transpose_blocks([pairs[odd], pairs[2 + odd], pairs[4 + odd], pairs[6 + odd]]);
            for k in 0..4 {
                to[2 * k + odd] = turned[k];
            }
        }
        to
    }
    fn transpose32(v: [__m512i; 16]) -> [__m512i; 16] {
        let mut pairs = v;
        for i in 0..8 {
            let (a, b) = (v[2 * i], v[2 * i + 1]);
            (pairs[2 * i], pairs[2 * i + 1]) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        }
        // In each block of 128 bits, `quads[4 j + c]` contains column `c` of rows `4 j` to `4 j + 3`.
        let mut quads = v;
        for j in 0..4 {
            for half in 0..2 {
                let (a, b) = (pairs[4 * j + half], pairs[4 * j + 2 + half]);
                quads[4 * j + 2 * half] = _mm512_unpacklo_epi64(a, b);
                quads[4 * j + 2 * half + 1] = _mm512_unpackhi_epi64(a, b);
            }
        }
        let mut to = v;
        for c in 0..4 {
            let turned = transpose_blocks([quads[c], quads[4 + c], quads[8 + c], quads[12 + c]]);
            for k in 0..4 {
                to[4 * k + c] = turned[k];
            }
        }
        to
    }

    fn splat_f64(x: f64) -> __m512i {
        _mm512_castpd_si512(_mm512_set1_pd(x))
    }
    fn min_f64(a: __m512i, b: __m512i) -> __m512i {
        _mm512_castpd_si512(_mm512_min_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b)))
    }
    fn max_f64(a: __m512i, b: __m512i) -> __m512i {
        _mm512_castpd_si512(_mm512_max_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b)))
    }
    fn less_f64(a: __m512i, b: __m512i) -> u8 {
        _mm512_cmp_pd_mask::<_CMP_LT_OQ>(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b))
    }
}

/// Moves the lanes whose bit in `bits` is set to the front, and writes the whole register to `left` and to `right`. So these lanes begin at
/// `left`, and the other lanes end at `right + 8`.
///
/// # Safety
/// Eight keys from `left` on and eight keys from `right` on must be writable, and nothing else may access them at the same time.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn store_parted64(v: __m512i, left: *mut i64, right: *mut i64, bits: u32) {
    let lanes = &PARTED[bits as usize & 255];
    // SAFETY: `lanes` has eight bytes, as many as the instruction reads.
    let lanes = unsafe { _mm_loadl_epi64(lanes.as_ptr().cast()) };
    // A permutation by a table and two plain stores: `vpcompress` to memory is slow on some processors.
    let v = _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(lanes), v);
    // SAFETY: the caller ensures that eight keys from `left` on may be written.
    unsafe { _mm512_storeu_epi64(left, v) };
    // SAFETY: the caller ensures that eight keys from `right` on may be written.
    unsafe { _mm512_storeu_epi64(right, v) };
}

/// Writes the lanes whose bit in `bits` is set to contiguous keys from `left` on, and the other lanes to contiguous keys from `right` on.
///
/// # Safety
/// `count` must be the number of bits that are set. Sixteen keys from `left` on and `16 - count` keys from `right` on must be writable,
/// and nothing else may access them at the same time.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn store_parted32(v: __m512i, left: *mut i32, right: *mut i32, bits: u32, count: usize) {
    let (front, back) =
        (_mm512_maskz_compress_epi32(bits as u16, v), _mm512_maskz_compress_epi32(!bits as u16, v));
    // SAFETY: the caller ensures that sixteen keys from `left` on may be written.
    unsafe { _mm512_storeu_epi32(left, front) };
    // SAFETY: the mask selects the first `16 - count` keys from `right` on. The caller ensures that these may be written.
    unsafe { _mm512_mask_storeu_epi32(right, first(16 - count) as u16, back) };
}

macro_rules! register {
    ($(#[$doc:meta])* $Name:ident, $Key:ty, $highest:expr, $lanes:literal, $Word:ty, $Mask:ty,
     $splat:ident $load:ident $load_some:ident $store:ident $store_some:ident $min:ident $max:ident $less:ident
     $blend:ident $compress:ident $exchange:ident $transpose:ident,
     |$v:ident, $left:ident, $right:ident, $bits:ident, $count:ident| $parted:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub(super) struct $Name(__m512i);

        impl Lane<Avx512> for $Key {
            type Register = $Name;
            const HIGHEST: $Key = $highest;
        }

        impl Vector for $Name {
            type Isa = Avx512;
            type Key = $Key;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn splat(_: Avx512, x: $Key) -> Self {
                // SAFETY: the token exists, so the processor has AVX-512.
                $Name(unsafe { $splat(x) })
            }
            #[inline(always)]
            fn load(_: Avx512, from: &[$Key]) -> Self {
                let from: &[$Key; $lanes] = from.first_chunk().expect("the slice has a key for each lane");
                // SAFETY: the token exists, so the processor has AVX-512; the array has a key for each lane.
                $Name(unsafe { $load(from.as_ptr().cast()) })
            }
            #[inline(always)]
            fn load_first(token: Avx512, from: &[$Key]) -> Self {
                assert!(from.len() <= $lanes);
                let others = Self::splat(token, <$Key as Lane<Avx512>>::HIGHEST).0;
                // SAFETY: the token exists, so the processor has AVX-512; the mask selects as many lanes as the slice has keys.
                $Name(unsafe { $load_some(others, first(from.len()) as $Mask, from.as_ptr().cast()) })
            }
            #[inline(always)]
            fn store(self, to: &mut [$Key]) {
                let to: &mut [$Key; $lanes] = to.first_chunk_mut().expect("the slice has a key for each lane");
                // SAFETY: `self` exists, so the processor has AVX-512; the array has a key for each lane.
                unsafe { $store(to.as_mut_ptr().cast(), self.0) }
            }
            #[inline(always)]
            fn store_first(self, to: &mut [$Key]) {
                assert!(to.len() <= $lanes);
                // SAFETY: `self` exists, so the processor has AVX-512; the mask selects as many lanes as the slice has keys.
                unsafe { $store_some(to.as_mut_ptr().cast(), first(to.len()) as $Mask, self.0) }
            }
            // Without branches, because the number of keys is hard to predict, and masks cost little.
            #[inline(always)]
            fn load_at(token: Avx512, from: &[$Key], at: usize) -> Self {
                let n = from.len();
                Self::load_first(token, &from[n.min(at)..n.min(at + $lanes)])
            }
            #[inline(always)]
            fn store_at(self, to: &mut [$Key], at: usize) {
                let n = to.len();
                self.store_first(&mut to[n.min(at)..n.min(at + $lanes)]);
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512.
                $Name(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512.
                $Name(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            fn less(self, other: Self) -> u32 {
                // SAFETY: `self` exists, so the processor has AVX-512.
                u32::from(unsafe { $less(self.0, other.0) })
            }
            #[inline(always)]
            fn blend(self, other: Self, bits: u32) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512.
                $Name(unsafe { $blend(bits as $Mask, self.0, other.0) })
            }
            #[inline(always)]
            fn compress(self, bits: u32) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512.
                $Name(unsafe { $compress(bits as $Mask, self.0) })
            }
            #[inline(always)]
            unsafe fn store_parted(self, to: &mut [$Key], left: usize, right: usize, bits: u32, count: usize) {
                debug_assert!(right <= to.len() && (left + $lanes == right || left + 2 * $lanes <= right));
                debug_assert_eq!((bits & first($lanes)).count_ones() as usize, count);
                let start: *mut $Word = to.as_mut_ptr().cast();
                let ($v, $bits, $count) = (self.0, bits, count);
                let ($left, $right) = (start.wrapping_add(left), start.wrapping_add(right));
                $parted
            }
            #[inline(always)]
            fn exchange(self, x: usize) -> Self {
                // SAFETY: `self` exists, so the processor has AVX-512.
                $Name(unsafe { $exchange(self.0, x) })
            }
            #[inline(always)]
            fn transpose(vectors: &mut [Self]) {
                let vectors: &mut [Self; $lanes] = vectors.first_chunk_mut().expect("there is a vector for each lane");
                let mut rows = [vectors[0].0; $lanes];
                for (row, v) in rows.iter_mut().zip(&*vectors) {
                    *row = v.0;
                }
                // SAFETY: vectors exist, so the processor has AVX-512.
                let turned = unsafe { $transpose(rows) };
                for (v, turned) in vectors.iter_mut().zip(turned) {
                    v.0 = turned;
                }
            }
        }
    };
}

macro_rules! registers64 {
    ($(#[$doc:meta])* $Name:ident, $Key:ty, $highest:expr, $splat:ident $min:ident $max:ident $less:ident) => {
        register! {
            $(#[$doc])*
            $Name, $Key, $highest, 8, i64, u8,
            $splat _mm512_loadu_epi64 _mm512_mask_loadu_epi64 _mm512_storeu_epi64 _mm512_mask_storeu_epi64 $min $max $less
            _mm512_mask_blend_epi64 _mm512_maskz_compress_epi64 exchange64 transpose64,
            |v, left, right, bits, _count| {
                // SAFETY: `self` exists, so the processor has AVX-512. The caller of `store_parted` ensures that the eight keys from `left`
                // on, and the eight keys before `right`, are in the slice. The slice is borrowed exclusively.
                unsafe { store_parted64(v, left, right.wrapping_sub(8), bits) }
            }
        }
    };
}
macro_rules! registers32 {
    ($(#[$doc:meta])* $Name:ident, $Key:ty, $highest:expr, $splat:ident $min:ident $max:ident $less:ident) => {
        register! {
            $(#[$doc])*
            $Name, $Key, $highest, 16, i32, u16,
            $splat _mm512_loadu_epi32 _mm512_mask_loadu_epi32 _mm512_storeu_epi32 _mm512_mask_storeu_epi32 $min $max $less
            _mm512_mask_blend_epi32 _mm512_maskz_compress_epi32 exchange32 transpose32,
            |v, left, right, bits, count| {
                // SAFETY: `self` exists, so the processor has AVX-512. The caller of `store_parted` ensures that `count` bits are set. The
                // caller also ensures that sixteen keys from `left` on, and `16 - count` keys before `right`, are in the slice. The slice
                // is borrowed exclusively.
                unsafe { store_parted32(v, left, right.wrapping_sub(16 - count), bits, count) }
            }
        }
    };
}

registers64! {
    /// A register of eight `f64`.
    F64x8, f64, f64::INFINITY, splat_f64 min_f64 max_f64 less_f64
}
registers64! {
    /// A register of eight `i64`.
    I64x8, i64, i64::MAX, _mm512_set1_epi64 _mm512_min_epi64 _mm512_max_epi64 _mm512_cmplt_epi64_mask
}
registers32! {
    /// A register of sixteen `i32`.
    I32x16, i32, i32::MAX, _mm512_set1_epi32 _mm512_min_epi32 _mm512_max_epi32 _mm512_cmplt_epi32_mask
}
