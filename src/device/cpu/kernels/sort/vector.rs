//! The registers of the sorting kernels. A [`Vector`] is a SIMD register of keys; modules `avx2` and `avx512` implement it.

use super::wide::Portable;

/// The greatest number of lanes of a [`Vector`].
pub(super) const MAX_LANES: usize = 16;

/// An instruction set. A value of this type, a token, exists only if the processor has the instructions.
///
/// Each method calls a function of module `quick`, `pivot`, `network` or `repeated`, compiled for the instruction set.
pub(super) trait Isa: Copy + Send + Sync + 'static {
    /// Calls [`quick::partition`](super::quick::partition).
    fn partition<T: Lane<Self>, const OR_EQUAL: bool>(self, x: &mut [T], pivot: T) -> usize;
    /// Calls [`network::sort_small`](super::network::sort_small), for this instruction set or for one with narrower registers.
    fn sort_small<T: Lane<Self>>(self, x: &mut [T]);
    /// Calls [`pivot::estimates`](super::pivot::estimates).
    fn estimates<T: Lane<Self>>(self, x: &[T], row: usize) -> [T; MAX_LANES];
    /// Calls [`repeated::remove`](super::repeated::remove).
    fn remove_repeated<T: Lane<Self>>(self, x: &mut [T]) -> usize;
}

/// A type of the keys that the sorting kernels sort. No key may be NaN.
pub(super) trait Lane<I: Isa>: Portable {
    /// The register that holds several keys.
    type Register: Vector<Isa = I, Key = Self>;
    /// A key that is not less than any other key. It fills the unused lanes of a register.
    const HIGHEST: Self;
}

/// A SIMD register of keys.
///
/// A value of this type exists only if the processor has the instruction set. All methods, and the functions that use them, are always
/// inlined into functions that enable the instruction set.
pub(super) trait Vector: Copy {
    /// The instruction set.
    type Isa: Isa;
    /// The type of a lane.
    type Key: Lane<Self::Isa, Register = Self>;
    /// The number of lanes.
    const LANES: usize;

    /// Returns a vector with all lanes equal to `x`.
    fn splat(token: Self::Isa, x: Self::Key) -> Self;
    /// Reads the first `LANES` keys of a slice.
    ///
    /// # Panics
    /// If the slice has fewer keys.
    fn load(token: Self::Isa, from: &[Self::Key]) -> Self;
    /// Reads a slice of at most `LANES` keys. The other lanes are [`Lane::HIGHEST`].
    ///
    /// # Panics
    /// If the slice has more keys.
    fn load_first(token: Self::Isa, from: &[Self::Key]) -> Self;
    /// Writes all lanes to the first `LANES` keys of a slice.
    ///
    /// # Panics
    /// If the slice has fewer keys.
    fn store(self, to: &mut [Self::Key]);
    /// Writes the first lanes to a slice of at most `LANES` keys.
    ///
    /// # Panics
    /// If the slice has more keys.
    fn store_first(self, to: &mut [Self::Key]);
    /// Reads the keys from index `at` on: as many as there are, up to `LANES`, or none. The other lanes are [`Lane::HIGHEST`].
    #[inline(always)]
    fn load_at(token: Self::Isa, from: &[Self::Key], at: usize) -> Self {
        if at + Self::LANES <= from.len() {
            Self::load(token, &from[at..])
        } else if at < from.len() {
            Self::load_first(token, &from[at..])
        } else {
            Self::splat(token, Self::Key::HIGHEST)
        }
    }
    /// Writes the first lanes to the keys from index `at` on: as many as there are, up to `LANES`, or none.
    #[inline(always)]
    fn store_at(self, to: &mut [Self::Key], at: usize) {
        if at + Self::LANES <= to.len() {
            self.store(&mut to[at..]);
        } else if at < to.len() {
            self.store_first(&mut to[at..]);
        }
    }
    /// Returns, for each lane, the smaller key of `self` and `other`. If both are zeros, the sign of the result is unspecified.
    fn min(self, other: Self) -> Self;
    /// Returns, for each lane, the larger key of `self` and `other`. If both are zeros, the sign of the result is unspecified.
    fn max(self, other: Self) -> Self;
    /// Returns a mask with a bit for each lane. The bit is set if the lane's key in `self` is less than in `other`.
    fn less(self, other: Self) -> u32;
    /// Returns for each lane the key of `other` if the lane's bit is set, otherwise the key of `self`.
    fn blend(self, other: Self, bits: u32) -> Self;
    /// Moves the lanes whose bit in `bits` is set to the front, in their order. The lanes after them are unspecified.
    fn compress(self, bits: u32) -> Self;
    /// Writes the lanes to `to` in two runs. The `count` lanes whose bit in `bits` is set begin at index `left`, and the other lanes end
    /// before index `right`. Other keys of `left .. left + LANES` and of `right - LANES .. right` may be overwritten.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `count` is the number of bits that are set.
    /// * `right <= to.len()`, and `right - left` is `LANES`, or `2 * LANES` or more.
    unsafe fn store_parted(self, to: &mut [Self::Key], left: usize, right: usize, bits: u32, count: usize);
    /// Returns the vector whose lane `i` is lane `i ^ x` of this vector. `x` is 1, 2, 3, 4, 7, 8 or 15, and less than `LANES`.
    fn exchange(self, x: usize) -> Self;
    /// Transposes `LANES` vectors as a matrix.
    ///
    /// # Panics
    /// If there are fewer vectors.
    fn transpose(vectors: &mut [Self]);
}
