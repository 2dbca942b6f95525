//! Sorts elements of 4 and 8 bytes, none of which is NaN: by the SIMD quicksort (module `quick`) if the processor has AVX-512 or AVX2,
//! otherwise by the standard library. There are kernels for `i32`, `i64` and `f64`; elements of the other types are mapped to integers,
//! because each kernel takes long to compile.

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
#[cfg(target_arch = "x86_64")]
use super::network::max_small;
#[cfg(target_arch = "x86_64")]
use super::quick;
#[cfg(target_arch = "x86_64")]
use super::vector::Isa;
use super::{repeated, small};
#[cfg(feature = "rayon")]
use crate::device::cpu::loops::threads::threads;
use crate::simd::kernel;

/// Returns the maximum number of `i32` that a sorting network sorts on this processor, or 0 if there is none.
pub(super) fn network_len() -> usize {
    #[cfg(target_arch = "x86_64")]
    if Avx512::get().is_some() {
        return max_small::<Avx512, i32>();
    }
    #[cfg(target_arch = "x86_64")]
    if Avx2::get().is_some() {
        return max_small::<Avx2, i32>();
    }
    0
}

/// Sorts by the standard library or, if there are several threads and many elements, by rayon.
fn sort_integers<T: Ord + Send>(x: &mut [T]) {
    #[cfg(feature = "rayon")]
    if x.len() >= 1 << 16 && threads() > 1 {
        use rayon::slice::ParallelSliceMut;
        return x.par_sort_unstable();
    }
    x.sort_unstable();
}

/// An element type of 4 or 8 bytes whose elements, apart from NaN, can be sorted without SIMD.
#[cfg(target_arch = "x86_64")]
pub(super) trait Portable: Copy + PartialOrd + Send + Sync + 'static {
    /// Sorts the elements, which must not contain NaN. The signs of zeros can change.
    fn sort(x: &mut [Self]);
    /// Calls [`Isa::sort_small`] for AVX2.
    fn sort_narrow(token: Avx2, x: &mut [Self]);
}

/// Defines functions that use AVX-512 or AVX2 if it is available, and otherwise portable code.
macro_rules! wide {
    ($($T:ty: $sort:ident $select:ident $remove_repeated:ident, else $portable_sort:path, $portable_select:path;)*) => {$(
        #[cfg(target_arch = "x86_64")]
        impl Portable for $T {
            fn sort(x: &mut [$T]) {
                $portable_sort(x);
            }
            fn sort_narrow(token: Avx2, x: &mut [$T]) {
                token.sort_small(x);
            }
        }
        /// Sorts the elements. The signs of zeros can change.
        pub(super) fn $sort(x: &mut [$T]) {
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
        /// Moves the element that sorting would put at index `k` to this index. No element before it is then greater, and no element after
        /// it is less. The signs of zeros can change.
        pub(super) fn $select(x: &mut [$T], k: usize) {
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
        /// Moves the first element of each run of equal elements of a sorted slice to the front, and returns the number of runs.
        pub(super) fn $remove_repeated(x: &mut [$T]) -> usize {
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
    )*};
}
wide! {
    i32: sort_i32 select_i32 remove_repeated_i32, else sort_integers, small::select_by_comparison;
    i64: sort_i64 select_i64 remove_repeated_i64, else sort_integers, small::select_by_comparison;
    f64: sort_f64 select_f64 remove_repeated_f64, else sort_bits64, select_bits64;
}

kernel! {
    /// Returns the least element, or `first` if that is less.
    ///
    /// # Safety
    /// None: `unsafe` is required by the macro.
    wide unsafe fn least_of[T: Copy + PartialOrd][T](x: &[T], first: T) -> T {
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
pub(super) fn least<T: Copy + PartialOrd>(x: &[T]) -> T {
    // SAFETY: `least_of` has no conditions. It is `unsafe` only because the macro `kernel!` requires it.
    unsafe { least_of(x, x[0]) }
}

/// An element type with a signed integer type of the same size.
trait Bits: Sized {
    type Signed;
    /// Returns the elements as signed integers with the same bits.
    fn signed(x: &mut [Self]) -> &mut [Self::Signed];
}

macro_rules! bits {
    ($($T:ident as $I:ident;)*) => {$(
        impl Bits for $T {
            type Signed = $I;
            fn signed(x: &mut [$T]) -> &mut [$I] {
                // SAFETY: the integers have the size and alignment of the elements, and all bits are valid for both. `x` is exclusively
                // borrowed.
                unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) }
            }
        }
    )*};
}
bits! { u32 as i32; u64 as i64; f32 as i32; f64 as i64; }

/// Defines functions for unsigned integers by those for signed ones.
macro_rules! unsigned {
    ($($U:ident: $as_signed:ident, $sort:ident $sort_signed:ident, $select:ident $select_signed:ident,
       $remove_repeated:ident $remove_signed:ident;)*) => {$(
        /// Inverts the highest bit of each element, so that the elements have the same order as signed integers. Calls `f`, and inverts
        /// the bits again.
        fn $as_signed(x: &mut [$U], f: impl FnOnce(&mut [<$U as Bits>::Signed])) {
            let flip = |x: &mut [$U]| x.iter_mut().for_each(|x| *x ^= 1 << ($U::BITS - 1));
            flip(x);
            f(Bits::signed(x));
            flip(x);
        }
        /// Sorts the elements.
        pub(super) fn $sort(x: &mut [$U]) {
            $as_signed(x, $sort_signed);
        }
        /// Moves the element that sorting would put at index `k` to this index. No element before it is then greater, and no element after
        /// it is less.
        pub(super) fn $select(x: &mut [$U], k: usize) {
            $as_signed(x, |x| $select_signed(x, k));
        }
        /// Moves the first element of each run of equal elements of a sorted slice to the front, and returns the number of runs.
        pub(super) fn $remove_repeated(x: &mut [$U]) -> usize {
            // Only equality matters, so the elements need not have the order of signed integers.
            $remove_signed(Bits::signed(x))
        }
    )*};
}
unsigned! {
    u32: as_signed32, sort_u32 sort_i32, select_u32 select_i32, remove_repeated_u32 remove_repeated_i32;
    u64: as_signed64, sort_u64 sort_i64, select_u64 select_i64, remove_repeated_u64 remove_repeated_i64;
}

/// Sorts numbers that are less than 2⁶³.
pub(super) fn sort_words(x: &mut [u64]) {
    sort_i64(Bits::signed(x));
}

/// Defines functions for floating-point numbers by those for integers.
macro_rules! floats {
    ($($T:ident as $I:ident $U:ident: $as_integers:ident $turn:ident, $sort:ident $sort_integers:path, $select:ident $select_integers:path;)*) => {$(
        kernel! {
            /// Inverts the bits of negative numbers, except the sign. A second call restores the bits.
            ///
            /// # Safety
            /// None: `unsafe` is required by the macro.
            wide unsafe fn $turn[][](bits: &mut [$I]) -> () {
                bits.iter_mut().for_each(|b| *b ^= ((*b >> ($I::BITS - 1)) as $U >> 1) as $I);
            }
        }
        /// Maps the elements to signed integers in the same order, with −0.0 before 0.0. Calls `f`, and maps the integers back.
        fn $as_integers(x: &mut [$T], f: impl FnOnce(&mut [$I])) {
            let bits = Bits::signed(x);
            // SAFETY: `$turn` has no conditions. It is `unsafe` only because the macro `kernel!` requires it.
            unsafe { $turn(bits) };
            f(bits);
            // SAFETY: `$turn` has no conditions. It is `unsafe` only because the macro `kernel!` requires it.
            unsafe { $turn(bits) };
        }
        /// Sorts the elements. The signs of zeros can change.
        pub(super) fn $sort(x: &mut [$T]) {
            $as_integers(x, $sort_integers);
        }
        /// Moves the element that sorting would put at index `k` to this index. No element before it is then greater, and no element after
        /// it is less. The signs of zeros can change.
        pub(super) fn $select(x: &mut [$T], k: usize) {
            $as_integers(x, |x| $select_integers(x, k));
        }
    )*};
}
floats! {
    f32 as i32 u32: as_integers32 turn32, sort_f32 sort_i32, select_f32 select_i32;
    f64 as i64 u64: as_integers64 turn64, sort_bits64 sort_integers, select_bits64 small::select_by_comparison;
}

/// Moves the first element of each run of equal elements of a sorted slice to the front, and returns the number of runs.
pub(super) fn remove_repeated_f32(x: &mut [f32]) -> usize {
    // The comparison of bits would distinguish 0 from -0, so all zeros become copies of the first one.
    let zeros = x.partition_point(|&x| x < 0.0)..x.partition_point(|&x| x <= 0.0);
    if let Some(&first) = x[zeros.clone()].first() {
        x[zeros].fill(first);
    }
    remove_repeated_i32(Bits::signed(x))
}
