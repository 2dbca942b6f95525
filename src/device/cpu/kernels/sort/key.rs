//! The element types that can be sorted, and the kernels for each of them.

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
#[cfg(target_arch = "x86_64")]
use super::quick;
#[cfg(target_arch = "x86_64")]
use super::vector::Isa;
use super::{repeated, small};
use crate::device::cpu::loops::threads::{join, threads};
use crate::element::Element;
use crate::simd::kernel;

/// An element type that can be sorted. [`key`](Key::key) defines the order: NaN is equal to NaN and greater than all other elements, and
/// −0.0 is equal to 0.0.
pub(super) trait Key: Element + PartialOrd {
    /// The number of bits of [`key`](Key::key).
    const BITS: u32;
    /// Whether the type has NaN and two zeros.
    const FLOAT: bool;

    /// Returns an unsigned number with the same order. Both zeros have the same key, and all NaN have the largest.
    fn key(self) -> u64;
    /// Sorts elements in ascending order. No element may be NaN. The signs of zeros can change.
    fn sort(x: &mut [Self]);
    /// Moves element `k` of the sorted elements to index `k`, elements that are not greater before it, and elements that are not less
    /// after it. No element may be NaN. The signs of zeros can change.
    fn select(x: &mut [Self], k: usize);
    /// Moves the first element of each run of equal elements to the front, and returns their number. The elements are sorted, and none
    /// of them is NaN.
    fn remove_repeated(x: &mut [Self]) -> usize {
        repeated::remove_from(x, 1, 1)
    }

    #[inline(always)]
    fn is_nan(self) -> bool {
        #[allow(clippy::eq_op, reason = "NaN is the only element that differs from itself")]
        {
            self != self
        }
    }
    /// Returns whether the element is −0.0.
    #[inline(always)]
    fn is_negative_zero(self) -> bool {
        false
    }

    /// Returns the key for sorting in ascending or, if `descending`, in descending order. NaN has the largest key in both cases.
    #[inline(always)]
    fn directed_key(self, descending: bool) -> u64 {
        let all = u64::MAX >> (64 - Self::BITS);
        if !descending || self.is_nan() { self.key() } else { all ^ self.key() }
    }
}

/// Sorts unsigned numbers.
pub(super) fn sort_words(x: &mut [u64]) {
    <u64 as Key>::sort(x);
}

/// Sorts integers by the standard library or, if there are several threads and many elements, by rayon.
fn sort_integers<T: Ord + Send>(x: &mut [T]) {
    #[cfg(feature = "rayon")]
    if x.len() >= 1 << 16 && threads() > 1 {
        use rayon::slice::ParallelSliceMut;
        return x.par_sort_unstable();
    }
    x.sort_unstable();
}

macro_rules! integers {
    ($($T:ty as $U:ty, first $first:expr, sort $sort:expr, select $select:expr, remove repeated $remove_repeated:expr;)*) => {$(
        impl Key for $T {
            const BITS: u32 = <$U>::BITS;
            const FLOAT: bool = false;
            #[inline(always)]
            fn key(self) -> u64 {
                u64::from(self as $U ^ $first)
            }
            fn sort(x: &mut [Self]) {
                ($sort)(x)
            }
            fn select(x: &mut [Self], k: usize) {
                ($select)(x, k)
            }
            fn remove_repeated(x: &mut [Self]) -> usize {
                ($remove_repeated)(x)
            }
        }
    )*};
}
integers! {
    u8 as u8, first 0, sort small::count_bytes, select |x: &mut [u8], _| small::count_bytes(x), remove repeated |x: &mut [_]| repeated::remove_from(x, 1, 1);
    i8 as u8, first 1 << 7, sort small::count_bytes, select |x: &mut [i8], _| small::count_bytes(x), remove repeated |x: &mut [_]| repeated::remove_from(x, 1, 1);
    u16 as u16, first 0, sort small::sort_words, select select_integer, remove repeated |x: &mut [_]| repeated::remove_from(x, 1, 1);
    i16 as u16, first 1 << 15, sort small::sort_words, select select_integer, remove repeated |x: &mut [_]| repeated::remove_from(x, 1, 1);
    u32 as u32, first 0, sort sort_u32, select select_u32, remove repeated |x: &mut [_]| repeated::remove_from(x, 1, 1);
    i32 as u32, first 1 << 31, sort sort_i32, select select_i32, remove repeated remove_repeated_i32;
    u64 as u64, first 0, sort sort_u64, select select_u64, remove repeated remove_repeated_u64;
    i64 as u64, first 1 << 63, sort sort_i64, select select_i64, remove repeated remove_repeated_i64;
}

impl Key for bool {
    const BITS: u32 = 1;
    const FLOAT: bool = false;
    #[inline(always)]
    fn key(self) -> u64 {
        u64::from(self)
    }
    fn sort(x: &mut [bool]) {
        let zeros = x.iter().filter(|&&x| !x).count();
        let (low, high) = x.split_at_mut(zeros);
        low.fill(false);
        high.fill(true);
    }
    fn select(x: &mut [bool], _: usize) {
        Self::sort(x);
    }
}

fn select_integer<T: Ord>(x: &mut [T], k: usize) {
    x.select_nth_unstable(k);
}

/// Defines functions that use AVX-512 or AVX2 if it is available, and otherwise portable code.
macro_rules! wide {
    ($($T:ty: $sort:ident $select:ident $remove_repeated:ident, else $portable_sort:ident $portable_select:ident;)*) => {$(
        fn $remove_repeated(x: &mut [$T]) -> usize {
            #[cfg(target_arch = "x86_64")]
            if let Some(token) = Avx512::get() {
                return token.remove_repeated(x);
            }
            #[cfg(target_arch = "x86_64")]
            if let Some(token) = Avx2::get() {
                return token.remove_repeated(x);
            }
            repeated::remove_from(x, 1, 1)
        }
        fn $sort(x: &mut [$T]) {
            #[cfg(target_arch = "x86_64")]
            if let Some(token) = Avx512::get() {
                return quick::sort(token, x);
            }
            #[cfg(target_arch = "x86_64")]
            if let Some(token) = Avx2::get() {
                return quick::sort(token, x);
            }
            $portable_sort(x);
        }
        fn $select(x: &mut [$T], k: usize) {
            #[cfg(target_arch = "x86_64")]
            if let Some(token) = Avx512::get() {
                return quick::select(token, x, k);
            }
            #[cfg(target_arch = "x86_64")]
            if let Some(token) = Avx2::get() {
                return quick::select(token, x, k);
            }
            $portable_select(x, k);
        }
    )*};
}
wide! {
    i32: sort_i32 select_i32 remove_repeated_i32, else sort_integers select_integer;
    i64: sort_i64 select_i64 remove_repeated_i64, else sort_integers select_integer;
    u64: sort_u64 select_u64 remove_repeated_u64, else sort_integers select_integer;
    f32: sort_f32 select_f32 remove_repeated_f32, else sort_bits32 select_bits32;
    f64: sort_f64 select_f64 remove_repeated_f64, else sort_bits64 select_bits64;
}

/// Maps each number `x` to `x ^ 1 << 31` as a signed number, which preserves the order. Calls `f`, and maps the numbers back.
fn as_signed(x: &mut [u32], f: impl FnOnce(&mut [i32])) {
    let flip = |x: &mut [u32]| x.iter_mut().for_each(|x| *x ^= 1 << 31);
    flip(x);
    // SAFETY: `i32` has the size and alignment of `u32`, and all bits are valid for both. `x` is exclusively borrowed.
    f(unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) });
    flip(x);
}
fn sort_u32(x: &mut [u32]) {
    as_signed(x, sort_i32);
}
fn select_u32(x: &mut [u32], k: usize) {
    as_signed(x, |x| select_i32(x, k));
}

macro_rules! floats {
    ($($T:ident $U:ident $I:ident $as_integers:ident $sort:ident $select:ident $remove_repeated:ident $sort_bits:ident $select_bits:ident;)*) => {$(
        /// Maps the elements to signed integers in the same order, with −0.0 before 0.0. Calls `f`, and maps the integers back.
        fn $as_integers(x: &mut [$T], f: impl FnOnce(&mut [$I])) {
            // SAFETY: the integers have the size and alignment of the elements, and all bits are valid for both. `x` is exclusively
            // borrowed.
            let bits: &mut [$I] = unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) };
            // Inverts the bits of negative numbers, except the sign. This is its own inverse.
            let turn = |bits: &mut [$I]| {
                bits.iter_mut().for_each(|b| *b ^= ((*b >> ($I::BITS - 1)) as $U >> 1) as $I);
            };
            turn(bits);
            f(bits);
            turn(bits);
        }
        fn $sort_bits(x: &mut [$T]) {
            $as_integers(x, sort_integers);
        }
        fn $select_bits(x: &mut [$T], k: usize) {
            $as_integers(x, |x| select_integer(x, k));
        }

        impl Key for $T {
            const BITS: u32 = $U::BITS;
            const FLOAT: bool = true;
            #[inline(always)]
            fn key(self) -> u64 {
                // The sum turns −0.0 into 0.0.
                let bits = (self + 0.0).to_bits() as $I;
                let key = (bits ^ ((bits >> ($U::BITS - 1)) as $U >> 1) as $I) as $U ^ (1 << ($U::BITS - 1));
                u64::from(if self.is_nan() { $U::MAX } else { key })
            }
            fn sort(x: &mut [$T]) {
                $sort(x);
            }
            fn select(x: &mut [$T], k: usize) {
                $select(x, k);
            }
            fn remove_repeated(x: &mut [$T]) -> usize {
                $remove_repeated(x)
            }
            #[inline(always)]
            fn is_negative_zero(self) -> bool {
                self.to_bits() == (-0.0 as $T).to_bits()
            }
        }
    )*};
}
floats! {
    f32 u32 i32 as_integers32 sort_f32 select_f32 remove_repeated_f32 sort_bits32 select_bits32;
    f64 u64 i64 as_integers64 sort_f64 select_f64 remove_repeated_f64 sort_bits64 select_bits64;
}

kernel! {
    /// Returns whether any element is NaN, and whether any is −0.0.
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn specials_of[T: Key][T](x: &[T]) -> (bool, bool) {
        let (mut nan, mut negative) = (false, false);
        for &x in x {
            nan |= x.is_nan();
            negative |= x.is_negative_zero();
        }
        (nan, negative)
    }
}

/// Minimum number of elements of a line for which a pass over it runs in parallel.
pub(super) const PARALLEL_PASS_LEN: usize = 1 << 16;

/// Splits `x` if it has many elements, calls `f` for the parts in parallel, and combines the results. With one thread, there is no split,
/// so the result must not depend on the split.
fn in_parallel<T: Sync, A: Send>(
    x: &[T],
    f: &(dyn Fn(&[T]) -> A + Sync),
    combine: &(dyn Fn(A, A) -> A + Sync),
) -> A {
    if x.len() < PARALLEL_PASS_LEN || threads() == 1 {
        return f(x);
    }
    let (low, high) = x.split_at(x.len() / 2);
    let (low, high) = join(|| in_parallel(low, f, combine), || in_parallel(high, f, combine));
    combine(low, high)
}

/// Returns whether any element is NaN, and whether any is −0.0.
pub(super) fn specials<T: Key>(x: &[T]) -> (bool, bool) {
    if !T::FLOAT {
        return (false, false);
    }
    in_parallel(
        x,
        // SAFETY: the function has no conditions.
        &|x| unsafe { specials_of(x) },
        &|(nan, negative), (other_nan, other_negative)| (nan | other_nan, negative | other_negative),
    )
}

kernel! {
    /// Returns the least directed key, the greatest one, and the bits in which any two of the keys differ.
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn bounds_of[T: Key][T](x: &[T], descending: bool) -> (u64, u64, u64) {
        let first = x.first().map_or(0, |x| x.directed_key(descending));
        x.iter().fold((u64::MAX, 0, 0), |(low, high, differing), x| {
            let key = x.directed_key(descending);
            (low.min(key), high.max(key), differing | (key ^ first))
        })
    }
}

/// Returns the least directed key, the greatest one, and the bits in which any two of the keys differ.
pub(super) fn bounds<T: Key>(x: &[T], descending: bool) -> (u64, u64, u64) {
    in_parallel(
        x,
        // SAFETY: the function has no conditions.
        &|x| unsafe { bounds_of(x, descending) },
        // A bit that differs within a part is in the `differing` of that part. All other bits are the same in all keys of a part, so
        // comparing one key of each part, here the least, finds the remaining bits that differ between the parts.
        &|(low, high, differing), (other_low, other_high, other_differing)| {
            (low.min(other_low), high.max(other_high), differing | other_differing | (low ^ other_low))
        },
    )
}

kernel! {
    /// Writes the words of [`words`].
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn words_of[T: Key][T](x: &[T], out: &mut [u64], first: u64, of: WordsOf) -> () {
        let WordsOf { descending, least, equal_low, dropped, index_bits } = of;
        for (i, (out, &x)) in (first..).zip(out.iter_mut().zip(x)) {
            *out = ((x.directed_key(descending) - least) >> equal_low >> dropped) << index_bits | i;
        }
    }
}

/// The parameters of [`words`]. A word is `((directed key - least) >> equal_low >> dropped) << index_bits | index`.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordsOf {
    /// Whether the keys are those of a descending sort.
    pub(super) descending: bool,
    /// The least directed key.
    pub(super) least: u64,
    /// The number of low bits that are the same in all keys.
    pub(super) equal_low: u32,
    /// The number of low bits after these that do not fit in a word.
    pub(super) dropped: u32,
    /// The number of bits of an index.
    pub(super) index_bits: u32,
}

impl WordsOf {
    /// Returns the upper part of an element's word, with the `dropped` bits that the word leaves out.
    pub(super) fn key<T: Key>(&self, x: T) -> u64 {
        (x.directed_key(self.descending) - self.least) >> self.equal_low
    }
}

/// Writes a word of 64 bits for each element: the key in the high bits, the index in the low bits. The index of the first element is
/// `first`.
pub(super) fn words<T: Key>(x: &[T], out: &mut [u64], first: usize, of: WordsOf) {
    assert_eq!(x.len(), out.len());
    if x.len() >= PARALLEL_PASS_LEN && threads() > 1 {
        let half = x.len() / 2;
        let ((x, other_x), (out, other_out)) = (x.split_at(half), out.split_at_mut(half));
        join(|| words(x, out, first, of), || words(other_x, other_out, first + half, of));
        return;
    }
    // SAFETY: the function has no conditions.
    unsafe { words_of(x, out, first as u64, of) }
}

/// Applies a mask to all words.
pub(super) fn and(x: &mut [u64], mask: u64) {
    if x.len() >= PARALLEL_PASS_LEN && threads() > 1 {
        let (low, high) = x.split_at_mut(x.len() / 2);
        join(|| and(low, mask), || and(high, mask));
    } else {
        x.iter_mut().for_each(|x| *x &= mask);
    }
}

kernel! {
    /// Returns whether any two adjacent words are equal apart from their `low` lowest bits.
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn equal_neighbours_of[][](x: &[u64], low: u32) -> bool {
        x.iter().zip(x.get(1..).unwrap_or_default()).fold(false, |found, (a, b)| found | ((a ^ b) >> low == 0))
    }
}

/// Returns whether any two adjacent words are equal apart from their `low` lowest bits.
pub(super) fn equal_neighbours(x: &[u64], low: u32) -> bool {
    // SAFETY: the function has no conditions.
    unsafe { equal_neighbours_of(x, low) }
}

kernel! {
    /// Returns the least element, or `first` if that is less.
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn least_of[T: Key][T](x: &[T], first: T) -> T {
        // Several minima, because each update of a minimum waits for the previous one.
        let mut least = [first; 32];
        let chunks = x.chunks_exact(32);
        for &x in chunks.remainder() {
            least[0] = if x < least[0] { x } else { least[0] };
        }
        for chunk in chunks {
            for (least, &x) in least.iter_mut().zip(chunk) {
                *least = if x < *least { x } else { *least };
            }
        }
        least.into_iter().fold(first, |a, b| if b < a { b } else { a })
    }
}

/// Returns the least element of a slice, which must not be empty or contain NaN.
pub(super) fn least<T: Key>(x: &[T]) -> T {
    // SAFETY: the function has no conditions.
    unsafe { least_of(x, x[0]) }
}

kernel! {
    /// Returns whether any element is greater than or equal to `threshold`. NaN never is.
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn any_from_of[T: Key][T](x: &[T], threshold: T) -> bool {
        x.iter().fold(false, |found, &x| found | (x >= threshold))
    }
}

/// Returns whether any element is greater than or equal to `threshold`. NaN never is.
pub(super) fn any_from<T: Key>(x: &[T], threshold: T) -> bool {
    // SAFETY: the function has no conditions.
    unsafe { any_from_of(x, threshold) }
}
