//! Instruction sets and SIMD registers. An [`Isa`] is an instruction set, and a [`Vector`] one of its registers. The modules `sse2`, `avx2`,
//! `avx512` and `neon` implement both. Kernels are generic over [`Vector`] or over one of its extensions:
//!
//! * [`FloatVector`]: arithmetic, for matrix products and Fourier transforms.
//! * [`OrderedVector`]: comparisons and partitions, for sorting.
//! * [`ByteVector`]: interleaved elements of any size and non-temporal stores, for transposes and copies.
//!
//! ```text
//! if let Some(isa) = Avx512::new() {              // the processor has AVX-512, and `VIERBEIN_SIMD` allows it
//!     V::within(kernel)                           // `V` is a register of AVX-512, and `kernel` a `SimdKernel<V>`
//! }
//! ```

use num_traits::{One, Zero};

/// An instruction set. A value of this type, a token, exists only if the processor has the instructions.
pub(crate) trait Isa: Copy + Send + Sync + 'static {
    /// Returns the token, or `None` if the processor does not have the instructions or `VIERBEIN_SIMD` excludes them.
    fn new() -> Option<Self>;
    /// Runs `kernel`, compiled for the instruction set.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`SimdKernel::run`] of `kernel`.
    unsafe fn run<V: Vector<Isa = Self>, Output>(kernel: impl SimdKernel<V, Output>) -> Output;
}

/// A computation that uses the instructions of `V`.
pub(crate) trait SimdKernel<V: Vector, Output = ()> {
    /// Runs the computation. Implementations, and all functions that they call with vectors of `V`, are always inlined, so that they
    /// are compiled for the instruction set. A closure is not, so loops fill arrays of vectors instead of `array::from_fn`.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set of `V`, and the conditions that the implementation
    /// states.
    unsafe fn run(self) -> Output;
}

/// A SIMD register.
///
/// A value of this type exists only if the processor has the instruction set. So methods that take `self` do not require the
/// instruction set from their caller. Functions that create a value and take neither `self` nor a token require it in `# Safety`.
pub(crate) trait Vector: Copy {
    /// The instruction set.
    type Isa: Isa;
    /// The type of a lane.
    type Lane: Copy;
    /// The number of lanes.
    const LANES: usize;

    /// Runs `kernel` with the instruction set enabled.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`SimdKernel::run`] of `kernel`.
    unsafe fn within<Output>(kernel: impl SimdKernel<Self, Output>) -> Output {
        // SAFETY: `Isa::run` has the conditions of this function.
        unsafe { Self::Isa::run(kernel) }
    }

    /// Returns a vector of zeros.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set.
    unsafe fn zero() -> Self;
    /// Reads all lanes from contiguous values.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, and that `LANES` values are readable at `from`.
    unsafe fn load(from: *const Self::Lane) -> Self;
    /// Writes all lanes to contiguous values.
    ///
    /// # Safety
    /// The caller must ensure that `LANES` values are writable at `to`, and that nothing else accesses them at the same time.
    unsafe fn store(self, to: *mut Self::Lane);

    /// Prefetches the cache line that contains `address` into all cache levels. Any address is allowed.
    #[inline(always)]
    fn prefetch(address: *const Self::Lane) {
        super::prefetch(address.cast());
    }
    /// Prefetches the cache line that contains `address` into L2, for an access that is further in the future. Any address is
    /// allowed.
    #[inline(always)]
    fn prefetch_far(address: *const Self::Lane) {
        super::prefetch_far(address.cast());
    }
}

/// A SIMD register whose lanes can be read and written one by one.
pub(crate) trait MaskedVector: Vector {
    /// A mask that selects lanes.
    type Mask: Copy;

    /// Returns a vector with all lanes equal to `x`. The value of `self` is not used.
    fn splat(self, x: Self::Lane) -> Self;
    /// Returns the mask of the first `lanes` lanes. Returns the mask of all lanes if the register has fewer. The value of `self`
    /// is not used.
    fn first(self, lanes: usize) -> Self::Mask;
    /// Reads the lanes that `mask` selects from contiguous values. Sets the other lanes to zero.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, and that the values at the selected lanes are readable.
    /// Other values are not accessed.
    unsafe fn load_some(from: *const Self::Lane, mask: Self::Mask) -> Self;
    /// Writes the lanes that `mask` selects.
    ///
    /// # Safety
    /// The caller must ensure that the values at the selected lanes are writable, and that nothing else accesses them at the same
    /// time. Other values are not accessed.
    unsafe fn store_some(self, to: *mut Self::Lane, mask: Self::Mask);
}

/// A real number type that a lane can hold: `f32` or `f64`.
pub(crate) trait Real:
    'static + Copy + PartialEq + Zero + One + core::ops::Neg<Output = Self> + Send + Sync
{
    /// Returns whether the sign bit is set.
    #[cfg(test)]
    fn is_negative(self) -> bool;
}
impl Real for f32 {
    #[cfg(test)]
    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }
}
impl Real for f64 {
    #[cfg(test)]
    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }
}

/// A SIMD register of real numbers. A complex number occupies two adjacent lanes.
pub(crate) trait FloatVector: MaskedVector<Lane = Self::Real> {
    /// The type of a lane.
    type Real: Real;

    /// Returns a vector with lanes `even`, `odd`, `even`, `odd`, ... The value of `self` is not used.
    fn alternating(self, even: Self::Real, odd: Self::Real) -> Self;
    /// Returns the lane-wise sum `self + a`.
    #[cfg_attr(not(all(feature = "fft", target_arch = "x86_64")), allow(dead_code))]
    fn add(self, a: Self) -> Self;
    /// Returns the lane-wise difference `self - a`.
    #[cfg_attr(not(all(feature = "fft", target_arch = "x86_64")), allow(dead_code))]
    fn sub(self, a: Self) -> Self;
    /// Returns the lane-wise product `self · a`.
    fn mul(self, a: Self) -> Self;
    /// Returns `self · a + b` in each lane. Instruction sets compute it as a fused multiply-add, which rounds once; emulated
    /// vectors round twice.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Returns `self · a - b` in the lanes with an even index, and `self · a + b` in the others. Rounds as
    /// [`mul_add`](FloatVector::mul_add).
    fn mul_sub_add(self, a: Self, b: Self) -> Self;
    /// Changes the sign of each lane that is -0 in `signs`. The other lanes of `signs` are 0.
    fn flip(self, signs: Self) -> Self;
    /// Swaps the two lanes of each pair of lanes. For complex numbers, this swaps real and imaginary parts.
    fn swap_pairs(self) -> Self;
    /// Exchanges blocks of `block` lanes between two vectors. If `self` consists of the blocks `A B ..` and `other` of `C D ..`,
    /// the results are `A C ..` and `B D ..`. `block` is a power of two less than `LANES`.
    fn exchange(self, other: Self, block: usize) -> (Self, Self);
}

/// A SIMD register of numbers that are ordered, none of which is NaN: the keys of a sort.
#[cfg(target_arch = "x86_64")]
pub(crate) trait OrderedVector: MaskedVector<Lane: PartialOrd + Send + Sync + 'static> {
    /// A register of the same lanes with half the size. [`Self`] for the smallest registers.
    type Half: OrderedVector<Lane = Self::Lane>;
    /// The same bits as bytes.
    type Bytes: ByteVector;
    /// A number that is not less than any other number. It fills the unused lanes of a register.
    const HIGHEST: Self::Lane;

    /// Returns the bits of the vector.
    fn bytes(self) -> Self::Bytes;
    /// Returns the vector with the given bits.
    fn from_bytes(bytes: Self::Bytes) -> Self;
    /// Reads the lanes that `mask` selects from contiguous values. The other lanes are those of `self`.
    ///
    /// # Safety
    /// The caller must ensure that the values at the selected lanes are readable. Other values are not accessed.
    unsafe fn load_others(self, from: *const Self::Lane, mask: Self::Mask) -> Self;
    /// Returns, for each lane, the smaller number of `self` and `other`. If both are zeros, the sign of the result is unspecified.
    fn min(self, other: Self) -> Self;
    /// Returns, for each lane, the larger number of `self` and `other`. If both are zeros, the sign of the result is unspecified.
    fn max(self, other: Self) -> Self;
    /// Returns a mask with a bit for each lane. The bit is set if the lane's number in `self` is less than in `other`.
    fn less(self, other: Self) -> u32;
    /// Returns for each lane the number of `other` if the lane's bit is set, otherwise the number of `self`.
    fn blend(self, other: Self, bits: u32) -> Self;
    /// Moves the lanes whose bit in `bits` is set to the front, and the others behind them. Both keep their order.
    fn parted(self, bits: u32) -> Self;
    /// Moves the lanes whose bit in `bits` is set to the front, in their order. The lanes after them are unspecified.
    #[inline(always)]
    fn compress(self, bits: u32) -> Self {
        self.parted(bits)
    }
    /// Returns the vector whose lane `i` is lane `i ^ x` of this vector. `x` is 1, 2, 3, 4, 7, 8 or 15, and less than `LANES`.
    fn swap_lanes(self, x: usize) -> Self;

    /// Writes the lanes to `to` in two runs. The `count` lanes whose bit in `bits` is set begin at index `left`, and the other lanes end
    /// before index `right`. Other values of `left .. left + LANES` and of `right - LANES .. right` may be overwritten.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `count` is the number of bits that are set.
    /// * `right <= to.len()`, and `right - left` is `LANES`, or `2 * LANES` or more.
    #[inline(always)]
    unsafe fn store_parted(self, to: &mut [Self::Lane], left: usize, right: usize, bits: u32, count: usize) {
        debug_assert!(right <= to.len() && (left + Self::LANES == right || left + 2 * Self::LANES <= right));
        debug_assert_eq!(bits.count_ones() as usize, count);
        let v = self.parted(bits);
        let start = to.as_mut_ptr();
        // SAFETY: the caller ensures `left + LANES <= right <= to.len()`. So the values `left .. left + LANES` are in `to`, which is
        // exclusively borrowed.
        unsafe { v.store(start.wrapping_add(left)) };
        // SAFETY: the caller ensures `left + LANES <= right <= to.len()`. So the values `right - LANES .. right` are in `to`, which is
        // exclusively borrowed.
        unsafe { v.store(start.wrapping_add(right - Self::LANES)) };
    }
    /// Returns a vector with all lanes equal to `x`.
    #[inline(always)]
    fn filled(_: Self::Isa, x: Self::Lane) -> Self {
        // SAFETY: the token exists, so the processor has the instruction set.
        unsafe { Self::zero() }.splat(x)
    }
    /// Reads the first `LANES` numbers of a slice.
    ///
    /// # Panics
    /// If the slice has fewer numbers.
    #[inline(always)]
    fn from_slice(_: Self::Isa, from: &[Self::Lane]) -> Self {
        assert!(from.len() >= Self::LANES);
        // SAFETY: the token exists, so the processor has the instruction set. The slice has a number for each lane.
        unsafe { Self::load(from.as_ptr()) }
    }
    /// Reads a slice of at most `LANES` numbers. The other lanes are [`HIGHEST`](Self::HIGHEST).
    ///
    /// # Panics
    /// If the slice has more numbers.
    #[inline(always)]
    fn from_short_slice(isa: Self::Isa, from: &[Self::Lane]) -> Self {
        assert!(from.len() <= Self::LANES);
        let highest = Self::filled(isa, Self::HIGHEST);
        // SAFETY: the mask selects as many lanes as the slice has numbers.
        unsafe { highest.load_others(from.as_ptr(), highest.first(from.len())) }
    }
    /// Writes all lanes to the first `LANES` numbers of a slice.
    ///
    /// # Panics
    /// If the slice has fewer numbers.
    #[inline(always)]
    fn to_slice(self, to: &mut [Self::Lane]) {
        assert!(to.len() >= Self::LANES);
        // SAFETY: the slice has a number for each lane, and is exclusively borrowed.
        unsafe { self.store(to.as_mut_ptr()) }
    }
    /// Writes the first lanes to a slice of at most `LANES` numbers.
    ///
    /// # Panics
    /// If the slice has more numbers.
    #[inline(always)]
    fn to_short_slice(self, to: &mut [Self::Lane]) {
        assert!(to.len() <= Self::LANES);
        // SAFETY: the mask selects as many lanes as the slice has numbers. The slice is exclusively borrowed.
        unsafe { self.store_some(to.as_mut_ptr(), self.first(to.len())) }
    }
    /// Reads the numbers from index `at` on: as many as there are, up to `LANES`, or none. The other lanes are
    /// [`HIGHEST`](Self::HIGHEST).
    #[inline(always)]
    fn from_slice_at(isa: Self::Isa, from: &[Self::Lane], at: usize) -> Self {
        if at + Self::LANES <= from.len() {
            Self::from_slice(isa, &from[at..])
        } else if at < from.len() {
            Self::from_short_slice(isa, &from[at..])
        } else {
            Self::filled(isa, Self::HIGHEST)
        }
    }
    /// Writes the first lanes to the numbers from index `at` on: as many as there are, up to `LANES`, or none.
    #[inline(always)]
    fn to_slice_at(self, to: &mut [Self::Lane], at: usize) {
        if at + Self::LANES <= to.len() {
            self.to_slice(&mut to[at..]);
        } else if at < to.len() {
            self.to_short_slice(&mut to[at..]);
        }
    }
}

/// A SIMD register of bytes, which consists of blocks of 16 bytes.
pub(crate) trait ByteVector: Vector<Lane = u8> {
    /// The number of blocks of 16 bytes.
    const BLOCKS: usize = Self::LANES / 16;

    /// Writes all lanes with a non-temporal store.
    ///
    /// # Safety
    /// The contract of [`store`](Vector::store). In addition, `to` must be a multiple of the register's bytes.
    unsafe fn stream(self, to: *mut u8);
    /// In each block, interleaves the lower halves of both operands. Elements have `SIZE` bytes: 1, 2, 4 or 8.
    fn interleave_low<const SIZE: usize>(self, other: Self) -> Self;
    /// In each block, interleaves the upper halves of both operands. Elements have `SIZE` bytes: 1, 2, 4 or 8.
    fn interleave_high<const SIZE: usize>(self, other: Self) -> Self;
    /// Transposes the blocks of the first `BLOCKS` registers: block `j` of register `i` becomes block `i` of register `j`.
    fn transpose_blocks(square: &mut [Self; 4]);
}

/// Expands to an unrolled loop. The compiler does not unroll a loop over this many registers itself, and would spill the registers.
macro_rules! unrolled {
    ($i:ident below $end:expr, $($k:literal)* => $body:block) => {
        $({
            let $i: usize = $k;
            if $i < $end $body
        })*
    };
}
pub(crate) use unrolled;

/// Interleaves the first half of a group with the second half, within each block of 16 bytes. `SIZE` is 1, 2, 4 or 8 bytes.
#[inline(always)]
pub(crate) fn interleave<R: ByteVector, const SIZE: usize, const GROUP: usize>(
    group: [R; GROUP],
) -> [R; GROUP] {
    let mut result = group;
    unrolled!(i below GROUP / 2, 0 1 2 3 4 5 6 7 => {
        let (one, other) = (group[i], group[i + GROUP / 2]);
        result[2 * i] = one.interleave_low::<SIZE>(other);
        result[2 * i + 1] = one.interleave_high::<SIZE>(other);
    });
    result
}

/// Defines methods that call a function of the instruction set with the registers of all operands.
macro_rules! methods {
    ($($method:ident($($operand:ident),*) = $function:path;)*) => {$(
        #[inline(always)]
        fn $method(self $(, $operand: Self)*) -> Self {
            // SAFETY: `self` exists, so the processor has the instruction set (see [`Vector`](crate::simd::vector::Vector)).
            Self(unsafe { $function(self.0 $(, $operand.0)*) })
        }
    )*};
}
pub(super) use methods;

/// Defines methods that call a function of the instruction set for elements of `SIZE` bytes.
macro_rules! interleaving {
    ($($method:ident: 1 => $one:ident, 2 => $two:ident, 4 => $four:ident, 8 => $eight:ident;)*) => {$(
        #[inline(always)]
        fn $method<const SIZE: usize>(self, other: Self) -> Self {
            // SAFETY: `self` exists, so the processor has the instruction set (see [`Vector`](crate::simd::vector::Vector)).
            Self(unsafe {
                match SIZE {
                    1 => $one(self.0, other.0),
                    2 => $two(self.0, other.0),
                    4 => $four(self.0, other.0),
                    _ => $eight(self.0, other.0),
                }
            })
        }
    )*};
}
pub(super) use interleaving;

/// Defines a register type and implements [`Vector`]. The named functions are those of the instruction set.
macro_rules! register {
    (
        $(#[$doc:meta])*
        $Name:ident($Register:ty) of $Isa:ident has $LANES:literal lanes of $Lane:ty,
        zero: $zero:ident, load: $load:ident, store: $store:ident
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $Name($Register);

        impl Vector for $Name {
            type Isa = $Isa;
            type Lane = $Lane;
            const LANES: usize = $LANES;

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the caller ensures that the processor has the instruction set.
                $Name(unsafe { $zero() })
            }
            #[inline(always)]
            unsafe fn load(from: *const $Lane) -> Self {
                // SAFETY: the caller ensures that the processor has the instruction set, and that `LANES` values may be read at `from`.
                $Name(unsafe { $load(from.cast()) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $Lane) {
                // SAFETY: `self` exists, so the processor has the instruction set. The caller ensures that `LANES` values at `to` may be
                // written, and that nothing else accesses them.
                unsafe { $store(to.cast(), self.0) }
            }
        }
    };
}
pub(super) use register;
