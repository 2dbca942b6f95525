//! The traits between the generic kernels and the instruction sets. [`Vector`] is a SIMD register; `avx2` and `avx512` implement it.
//! [`SimdKernel`] is a computation that is compiled for one instruction set.

use num_traits::{One, Zero};

/// The real numbers that vectors are made of.
pub(super) trait Real:
    'static + Copy + PartialEq + Zero + One + core::ops::Neg<Output = Self> + Send + Sync
{
}
impl Real for f32 {}
impl Real for f64 {}

/// A computation with the instructions of `V`.
pub(super) trait SimdKernel<V: Vector> {
    /// Runs the computation. Always inlined, with all that it calls, so that it is compiled for the instruction set.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set of `V`, and the implementation's own conditions.
    unsafe fn run(self);
}

/// A SIMD register. Its lanes are real numbers; a complex number takes two adjacent lanes.
///
/// Kernels are generic over this trait and always inlined into [`within`](Vector::within), which enables the instruction set.
///
/// A value exists only if the processor has the instruction set. So methods with `self` are safe in this respect; functions that
/// create a value without another require it in `# Safety`.
pub(super) trait Vector: Copy {
    /// The type of a lane.
    type Real: Real;
    /// Selects lanes.
    type Mask: Copy;
    /// The number of lanes.
    const LANES: usize;
    /// Maximum number of vectors in a column of a register tile.
    const TILE_VECTORS: usize;
    /// Maximum number of columns, of real numbers, in a register tile. `TILE_VECTORS · TILE_COLUMNS` accumulators leave registers
    /// free for a column of `a` and one value of `b`. `(TILE_VECTORS, TILE_COLUMNS)` is (3, 8) or (2, 6).
    const TILE_COLUMNS: usize;

    /// Runs `task` with the instruction set enabled.
    ///
    /// # Safety
    /// As [`SimdKernel::run`].
    unsafe fn within(task: impl SimdKernel<Self>);

    /// Returns a vector of zeros.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set.
    unsafe fn zero() -> Self;
    /// Returns a vector with all lanes `x`. The value of `self` is not used.
    fn splat(self, x: Self::Real) -> Self;
    /// Returns a vector with lanes `even`, `odd`, `even`, `odd`, ... The value of `self` is not used.
    fn alternating(self, even: Self::Real, odd: Self::Real) -> Self;
    /// Returns the mask of the first `lanes` lanes, or of all lanes if `lanes` is larger than their number.
    fn first(self, lanes: usize) -> Self::Mask;
    /// Prefetches the cache line of `address` into all cache levels. Any address is allowed.
    fn prefetch(address: *const Self::Real);
    /// Prefetches the cache line of `address` into L2, for a later access. Any address is allowed.
    fn prefetch_far(address: *const Self::Real);
    /// Reads all lanes.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, and that `LANES` values are readable at `from`.
    unsafe fn load(from: *const Self::Real) -> Self;
    /// Reads the lanes of the mask; the others are zero.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, and that the values at the lanes of the mask are
    /// readable; the others are not accessed.
    unsafe fn load_some(from: *const Self::Real, mask: Self::Mask) -> Self;
    /// Writes all lanes.
    ///
    /// # Safety
    /// The caller must ensure that `LANES` values are writable at `to`, with no other access to them.
    unsafe fn store(self, to: *mut Self::Real);
    /// Writes the lanes of the mask.
    ///
    /// # Safety
    /// The caller must ensure that the values at the lanes of the mask are writable, with no other access to them; the others
    /// are not accessed.
    unsafe fn store_some(self, to: *mut Self::Real, mask: Self::Mask);
    /// Returns `self · a`.
    fn mul(self, a: Self) -> Self;
    /// Returns `self · a + b`: a fused multiply-add, rounded once, if the instruction set has one.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Swaps the two lanes of each pair: real and imaginary parts.
    fn swap_pairs(self) -> Self;
    /// Exchanges blocks of lanes between two rows: `A B ..` and `C D ..` become `A C ..` and `B D ..`. A block has `block`
    /// lanes, a power of two less than `LANES`.
    fn exchange(self, other: Self, block: usize) -> (Self, Self);
}
