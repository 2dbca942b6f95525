//! What the kernels require of an instruction set.

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

/// A SIMD register: contiguous real numbers, or complex ones as pairs.
///
/// Kernels are generic over it and always inlined into [`within`](Vector::within): an instruction set is one small module.
///
/// A vector exists only if the processor has the instruction set: functions that create one without another require it.
pub(super) trait Vector: Copy {
    /// The type of a lane.
    type Real: Real;
    /// Selects lanes.
    type Mask: Copy;
    /// The number of lanes.
    const LANES: usize;
    /// Most vectors of rows in a register tile.
    const TILE_VECTORS: usize;
    /// Most columns (of real numbers) in a register tile: the accumulators leave registers for the rows of a step and one value.
    /// `(TILE_VECTORS, TILE_COLUMNS)` is (3, 8) or (2, 6).
    const TILE_COLUMNS: usize;

    /// Runs a task with the instruction set enabled.
    ///
    /// # Safety
    /// As [`SimdKernel::run`].
    unsafe fn within(task: impl SimdKernel<Self>);

    /// Returns a vector of zeros.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set.
    unsafe fn zero() -> Self;
    /// Returns a vector of the same kind, all lanes `x`.
    fn splat(self, x: Self::Real) -> Self;
    /// Returns a vector of the same kind, with lanes `even`, `odd`, `even`, `odd`...
    fn alternating(self, even: Self::Real, odd: Self::Real) -> Self;
    /// Returns the mask of the first `lanes` lanes; of all if a vector has fewer.
    fn first(self, lanes: usize) -> Self::Mask;
    /// Prefetches the cache line of an address that may be accessed soon. Any address is allowed.
    fn prefetch(address: *const Self::Real);
    /// Prefetches as far as L2, for an access some time later. Any address is allowed.
    fn prefetch_far(address: *const Self::Real);
    /// Reads all lanes.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, and that `LANES` values are readable at `from`.
    unsafe fn load(from: *const Self::Real) -> Self;
    /// Reads the lanes of the mask; the others are zero.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, and that the values of the mask are readable; the
    /// others are not accessed.
    unsafe fn load_some(from: *const Self::Real, mask: Self::Mask) -> Self;
    /// Writes all lanes.
    ///
    /// # Safety
    /// The caller must ensure that `LANES` values are writable at `to`, with no other access to them.
    unsafe fn store(self, to: *mut Self::Real);
    /// Writes the lanes of the mask.
    ///
    /// # Safety
    /// The caller must ensure that the values of the mask are writable, with no other access to them; the others are not
    /// accessed.
    unsafe fn store_some(self, to: *mut Self::Real, mask: Self::Mask);
    /// Returns `self · a`.
    fn mul(self, a: Self) -> Self;
    /// Returns `self · a + b`, rounded once if the instruction set can.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Swaps each pair of neighbouring lanes: real and imaginary parts.
    fn swap_pairs(self) -> Self;
    /// Transposes, in pairs, the blocks of two rows. Blocks have `block` lanes (a power of two, less than `LANES`): the rows
    /// `A B ..` and `C D ..` become `A C ..` and `B D ..`.
    fn exchange(self, other: Self, block: usize) -> (Self, Self);
}
