//! Implements [`Vector`] for the registers of AVX2, with keys of 4 and 8 bytes.

use super::vector::{Isa, Lane, MAX_LANES, Vector};
use super::{network, pivot, quick, repeated};
use crate::simd::Level;
use core::arch::x86_64::*;

/// Proof that the processor has the instructions of [`Level::Avx2`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    /// Returns the proof, or `None` if the processor does not have the instructions or `VIERBEIN_SIMD` excludes them.
    pub(super) fn get() -> Option<Avx2> {
        (Level::get() >= Level::Avx2).then_some(Avx2(()))
    }
}

impl Isa for Avx2 {
    fn partition<T: Lane<Avx2>, const OR_EQUAL: bool>(self, x: &mut [T], pivot: T) -> usize {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn partition<T: Lane<Avx2>, const OR_EQUAL: bool>(token: Avx2, x: &mut [T], pivot: T) -> usize {
            quick::partition::<_, _, OR_EQUAL>(token, x, pivot)
        }
        // SAFETY: `Avx2::get` returns an `Avx2` such as `self` only if the processor has these instructions.
        unsafe { partition::<T, OR_EQUAL>(self, x, pivot) }
    }
    fn sort_small<T: Lane<Avx2>>(self, x: &mut [T]) {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn sort_small<T: Lane<Avx2>>(token: Avx2, x: &mut [T]) {
            network::sort_small(token, x);
        }
        // SAFETY: `Avx2::get` returns an `Avx2` such as `self` only if the processor has these instructions.
        unsafe { sort_small(self, x) }
    }
    fn estimates<T: Lane<Avx2>>(self, x: &[T], row: usize) -> [T; MAX_LANES] {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn estimates<T: Lane<Avx2>>(token: Avx2, x: &[T], row: usize) -> [T; MAX_LANES] {
            pivot::estimates(token, x, row)
        }
        // SAFETY: `Avx2::get` returns an `Avx2` such as `self` only if the processor has these instructions.
        unsafe { estimates(self, x, row) }
    }
    fn remove_repeated<T: Lane<Avx2>>(self, x: &mut [T]) -> usize {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn remove<T: Lane<Avx2>>(token: Avx2, x: &mut [T]) -> usize {
            repeated::remove(token, x)
        }
        // SAFETY: `Avx2::get` returns an `Avx2` such as `self` only if the processor has these instructions.
        unsafe { remove(self, x) }
    }
}

/// Returns a permutation of the eight 4-byte parts of a register that has `lanes` lanes. The parts of the lanes whose bit in `bits` is set
/// come first, then those of the other lanes.
const fn parted(bits: usize, lanes: usize) -> [u8; 8] {
    let (mut order, mut at, mut k) = ([0; 8], 0, 0);
    let parts = 8 / lanes;
    while k < 2 * lanes {
        if (bits >> (k % lanes) & 1 == 1) == (k < lanes) {
            let mut part = 0;
            while part < parts {
                order[at] = (k % lanes * parts + part) as u8;
                at += 1;
                part += 1;
            }
        }
        k += 1;
    }
    order
}

/// The results of [`parted`] for each value of the bits of four lanes.
static PARTED4: [[u8; 8]; 16] = {
    let (mut table, mut bits) = ([[0; 8]; 16], 0);
    while bits < 16 {
        table[bits] = parted(bits, 4);
        bits += 1;
    }
    table
};

/// The results of [`parted`] for each value of the bits of eight lanes.
static PARTED8: [[u8; 8]; 256] = {
    let (mut table, mut bits) = ([[0; 8]; 256], 0);
    while bits < 256 {
        table[bits] = parted(bits, 8);
        bits += 1;
    }
    table
};

/// Defines safe functions that are compiled for AVX2.
macro_rules! wide {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {$(
        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn $name($($argument: $type),*) $(-> $result)? $body
    )*};
}

wide! {
    // Returns a register in which all bits are set in those lanes whose bit in `bits` is set, and no bits in the other lanes.
    fn mask64(bits: u32) -> __m256i {
        let of = _mm256_setr_epi64x(1, 2, 4, 8);
        _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(i64::from(bits)), of), of)
    }
    fn mask32(bits: u32) -> __m256i {
        let of = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits as i32), of), of)
    }
    // Returns a register in which all bits are set in the first `n` lanes, and no bits in the other lanes.
    fn first64(n: usize) -> __m256i {
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(n as i64), _mm256_setr_epi64x(0, 1, 2, 3))
    }
    fn first32(n: usize) -> __m256i {
        _mm256_cmpgt_epi32(_mm256_set1_epi32(n as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
    }
    fn blend64(a: __m256i, b: __m256i, bits: u32) -> __m256i {
        _mm256_blendv_epi8(a, b, mask64(bits))
    }
    fn blend32(a: __m256i, b: __m256i, bits: u32) -> __m256i {
        _mm256_blendv_epi8(a, b, mask32(bits))
    }
    fn permuted(v: __m256i, lanes: &[u8; 8]) -> __m256i {
        let lanes = _mm_cvtsi64_si128(i64::from_le_bytes(*lanes));
        _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(lanes))
    }
    fn parted64(v: __m256i, bits: u32) -> __m256i {
        permuted(v, &PARTED4[bits as usize & 15])
    }
    fn parted32(v: __m256i, bits: u32) -> __m256i {
        permuted(v, &PARTED8[bits as usize & 255])
    }
    fn exchange64(v: __m256i, x: usize) -> __m256i {
        match x {
            1 => _mm256_shuffle_epi32::<0b01_00_11_10>(v),
            2 => _mm256_permute4x64_epi64::<0b01_00_11_10>(v),
            _ => _mm256_permute4x64_epi64::<0b00_01_10_11>(v),
        }
    }
    fn exchange32(v: __m256i, x: usize) -> __m256i {
        match x {
            1 => _mm256_shuffle_epi32::<0b10_11_00_01>(v),
            2 => _mm256_shuffle_epi32::<0b01_00_11_10>(v),
            3 => _mm256_shuffle_epi32::<0b00_01_10_11>(v),
            4 => _mm256_permute4x64_epi64::<0b01_00_11_10>(v),
            _ => _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0)),
        }
    }
    fn transpose64(v: [__m256i; 4]) -> [__m256i; 4] {
        let [a, b, c, d] = v;
        let (even_ab, odd_ab) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let (even_cd, odd_cd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
        [
            _mm256_permute2x128_si256::<0x20>(even_ab, even_cd),
            _mm256_permute2x128_si256::<0x20>(odd_ab, odd_cd),
            _mm256_permute2x128_si256::<0x31>(even_ab, even_cd),
            _mm256_permute2x128_si256::<0x31>(odd_ab, odd_cd),
        ]
    }
    fn transpose32(v: [__m256i; 8]) -> [__m256i; 8] {
        let mut pairs = v;
        for i in 0..4 {
            let (a, b) = (v[2 * i], v[2 * i + 1]);
            (pairs[2 * i], pairs[2 * i + 1]) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        }
        // In each block of 128 bits, `quads[4 j + c]` contains column `c` of rows `4 j` to `4 j + 3`.
        let mut quads = v;
        for j in 0..2 {
            for half in 0..2 {
                let (a, b) = (pairs[4 * j + half], pairs[4 * j + 2 + half]);
                quads[4 * j + 2 * half] = _mm256_unpacklo_epi64(a, b);
                quads[4 * j + 2 * half + 1] = _mm256_unpackhi_epi64(a, b);
            }
        }
        let mut to = v;
        for c in 0..4 {
            to[c] = _mm256_permute2x128_si256::<0x20>(quads[c], quads[4 + c]);
            to[4 + c] = _mm256_permute2x128_si256::<0x31>(quads[c], quads[4 + c]);
        }
        to
    }

    fn splat_f64(x: f64) -> __m256i {
        _mm256_castpd_si256(_mm256_set1_pd(x))
    }
    fn min_f64(a: __m256i, b: __m256i) -> __m256i {
        _mm256_castpd_si256(_mm256_min_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)))
    }
    fn max_f64(a: __m256i, b: __m256i) -> __m256i {
        _mm256_castpd_si256(_mm256_max_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)))
    }
    fn less_f64(a: __m256i, b: __m256i) -> i32 {
        _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)))
    }
    // AVX2 has comparisons of 64-bit integers, but no minimum and no maximum.
    fn min_i64(a: __m256i, b: __m256i) -> __m256i {
        _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b))
    }
    fn max_i64(a: __m256i, b: __m256i) -> __m256i {
        _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b))
    }
    fn less_i64(a: __m256i, b: __m256i) -> i32 {
        _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(b, a)))
    }
    fn less_i32(a: __m256i, b: __m256i) -> i32 {
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a)))
    }
}

/// Defines a register type.
macro_rules! register {
    ($(#[$doc:meta])* $Name:ident, $Key:ty, $highest:expr, $lanes:literal, $Word:ty,
     $splat:ident $min:ident $max:ident $less:ident,
     $load_some:ident $store_some:ident $first:ident $blend:ident $parted:ident $exchange:ident $transpose:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub(super) struct $Name(__m256i);

        impl Lane<Avx2> for $Key {
            type Register = $Name;
            const HIGHEST: $Key = $highest;
        }

        impl Vector for $Name {
            type Isa = Avx2;
            type Key = $Key;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn splat(_: Avx2, x: $Key) -> Self {
                // SAFETY: the caller passed an `Avx2`, which exists only if the processor has AVX2.
                $Name(unsafe { $splat(x) })
            }
            #[inline(always)]
            fn load(_: Avx2, from: &[$Key]) -> Self {
                let from: &[$Key; $lanes] = from.first_chunk().expect("the slice has a key for each lane");
                // SAFETY: the caller passed an `Avx2`, which exists only if the processor has AVX2. `from` has a key for each lane.
                $Name(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
            }
            #[inline(always)]
            fn load_first(token: Avx2, from: &[$Key]) -> Self {
                assert!(from.len() <= $lanes);
                // SAFETY: the caller passed an `Avx2`, which exists only if the processor has AVX2.
                let mask = unsafe { $first(from.len()) };
                // SAFETY: `token` is an `Avx2`, which exists only if the processor has AVX2. `mask` selects `from.len()` lanes, so only
                // keys of `from` are read.
                let v = unsafe { $load_some(from.as_ptr().cast(), mask) };
                let others = Self::splat(token, <$Key as Lane<Avx2>>::HIGHEST).0;
                // SAFETY: the caller passed an `Avx2`, which exists only if the processor has AVX2.
                $Name(unsafe { _mm256_blendv_epi8(others, v, mask) })
            }
            #[inline(always)]
            fn store(self, to: &mut [$Key]) {
                let to: &mut [$Key; $lanes] = to.first_chunk_mut().expect("the slice has a key for each lane");
                // SAFETY: `self` is a `$Name`, which exists only if the processor has AVX2. `to` has a key for each lane.
                unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
            }
            #[inline(always)]
            fn store_first(self, to: &mut [$Key]) {
                assert!(to.len() <= $lanes);
                // SAFETY: `self` is a `$Name`, which exists only if the processor has AVX2.
                let mask = unsafe { $first(to.len()) };
                // SAFETY: `self` is a `$Name`, which exists only if the processor has AVX2. `mask` selects `to.len()` lanes, so only keys
                // of `to` are written.
                unsafe { $store_some(to.as_mut_ptr().cast::<$Word>(), mask, self.0) }
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: `self` is a `$Name`, which exists only if the processor has AVX2.
                $Name(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // SAFETY: `self` is a `$Name`, which exists only if the processor has AVX2.
                $Name(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            fn less(self, other: Self) -> u32 {
                // SAFETY: `self` is a `$Name`, which exists only if the processor has AVX2.
                (unsafe { $less(self.0, other.0) }) as u32
            }
            #[inline(always)]
            fn blend(self, other: Self, bits: u32) -> Self {
                // SAFETY: `self` is a `$Name`, which exists only if the processor has AVX2.
                $Name(unsafe { $blend(self.0, other.0, bits) })
            }
            #[inline(always)]
            fn compress(self, bits: u32) -> Self {
                // SAFETY: `self` is a `$Name`, which exists only if the processor has AVX2.
                $Name(unsafe { $parted(self.0, bits) })
            }
            #[inline(always)]
            unsafe fn store_parted(self, to: &mut [$Key], left: usize, right: usize, bits: u32, _count: usize) {
                debug_assert!(right <= to.len() && (left + $lanes == right || left + 2 * $lanes <= right));
                // SAFETY: `self` is a `$Name`, which exists only if the processor has AVX2.
                let v = unsafe { $parted(self.0, bits) };
                let start = to.as_mut_ptr();
                // SAFETY: `self` is a `$Name`, which exists only if the processor has AVX2. The caller ensures `left + LANES <= right <=
                // to.len()`. So the keys `left .. left + LANES` are in `to`, which is exclusively borrowed.
                unsafe { _mm256_storeu_si256(start.wrapping_add(left).cast(), v) };
                // SAFETY: `self` is a `$Name`, which exists only if the processor has AVX2. The caller ensures `left + LANES <= right <=
                // to.len()`. So the keys `right - LANES .. right` are in `to`, which is exclusively borrowed.
                unsafe { _mm256_storeu_si256(start.wrapping_add(right).wrapping_sub($lanes).cast(), v) };
            }
            #[inline(always)]
            fn exchange(self, x: usize) -> Self {
                // SAFETY: `self` is a `$Name`, which exists only if the processor has AVX2.
                $Name(unsafe { $exchange(self.0, x) })
            }
            #[inline(always)]
            fn transpose(vectors: &mut [Self]) {
                let vectors: &mut [Self; $lanes] = vectors.first_chunk_mut().expect("there is a vector for each lane");
                let mut rows = [vectors[0].0; $lanes];
                for (row, v) in rows.iter_mut().zip(&*vectors) {
                    *row = v.0;
                }
                // SAFETY: the elements of `vectors` are of type `$Name`, whose values exist only if the processor has AVX2.
                let turned = unsafe { $transpose(rows) };
                for (v, turned) in vectors.iter_mut().zip(turned) {
                    v.0 = turned;
                }
            }
        }
    };
}

macro_rules! registers64 {
    ($(#[$doc:meta])* $Name:ident, $Key:ty, $highest:expr, $($of_key:tt)*) => {
        register! {
            $(#[$doc])*
            $Name, $Key, $highest, 4, i64, $($of_key)*,
            _mm256_maskload_epi64 _mm256_maskstore_epi64 first64 blend64 parted64 exchange64 transpose64
        }
    };
}
macro_rules! registers32 {
    ($(#[$doc:meta])* $Name:ident, $Key:ty, $highest:expr, $($of_key:tt)*) => {
        register! {
            $(#[$doc])*
            $Name, $Key, $highest, 8, i32, $($of_key)*,
            _mm256_maskload_epi32 _mm256_maskstore_epi32 first32 blend32 parted32 exchange32 transpose32
        }
    };
}

registers64! {
    /// A register of four `f64`.
    F64x4, f64, f64::INFINITY, splat_f64 min_f64 max_f64 less_f64
}
registers64! {
    /// A register of four `i64`.
    I64x4, i64, i64::MAX, _mm256_set1_epi64x min_i64 max_i64 less_i64
}
registers32! {
    /// A register of eight `i32`.
    I32x8, i32, i32::MAX, _mm256_set1_epi32 _mm256_min_epi32 _mm256_max_epi32 less_i32
}
