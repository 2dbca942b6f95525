//! The traits that connect the generic kernels with the instruction sets. A [`Vector`] is a SIMD register; the modules `avx2` and
//! `avx512` implement it. A [`SimdKernel`] is a computation that is compiled separately for each instruction set.

use num_traits::{One, Zero};

/// A real number type that a lane can hold: `f32` or `f64`.
pub(in crate::device) trait Real:
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

/// A computation that uses the instructions of `V`.
pub(in crate::device) trait SimdKernel<V: Vector> {
    /// Runs the computation. Implementations, and all functions that they call with vectors of `V`, are always inlined, so that they
    /// are compiled for the instruction set.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set of `V`, and the conditions that the implementation
    /// states.
    unsafe fn run(self);
}

/// A SIMD register. Its lanes are real numbers. A complex number occupies two adjacent lanes.
///
/// Kernels are generic over this trait. They are always inlined into [`within`](Vector::within), which enables the instruction
/// set.
///
/// A value of this type exists only if the processor has the instruction set. So methods that take `self` do not require the
/// instruction set from their caller. Functions that create a value and do not take `self` require it in `# Safety`.
pub(in crate::device) trait Vector: Copy {
    /// The type of a lane.
    type Real: Real;
    /// A mask that selects lanes.
    type Mask: Copy;
    /// The number of lanes.
    const LANES: usize;
    /// Maximum number of vectors in a column of a register tile.
    const TILE_VECTORS: usize;
    /// Maximum number of columns of real numbers in a register tile. The `TILE_VECTORS · TILE_COLUMNS` accumulators leave registers free
    /// for a column of `a` and one value of `b`. `(TILE_VECTORS, TILE_COLUMNS)` is (3, 8) or (2, 6).
    const TILE_COLUMNS: usize;
    /// Maximum number of columns of complex numbers in a register tile: `TILE_COLUMNS` if a tile has one sum for each complex number
    /// ([`of_joint_sums`](super::tile::Tile::of_joint_sums)), otherwise half as many.
    const COMPLEX_COLUMNS: usize;

    /// Runs `task` with the instruction set enabled.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`SimdKernel::run`] of `task`.
    unsafe fn within(task: impl SimdKernel<Self>);

    /// Returns a vector of zeros.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set.
    unsafe fn zero() -> Self;
    /// Returns a vector with all lanes equal to `x`. The value of `self` is not used.
    fn splat(self, x: Self::Real) -> Self;
    /// Returns a vector with lanes `even`, `odd`, `even`, `odd`, ... The value of `self` is not used.
    fn alternating(self, even: Self::Real, odd: Self::Real) -> Self;
    /// Returns the mask of the first `lanes` lanes. Returns the mask of all lanes if the register has fewer. The value of `self`
    /// is not used.
    fn first(self, lanes: usize) -> Self::Mask;
    /// Prefetches the cache line that contains `address` into all cache levels. Any address is allowed.
    fn prefetch(address: *const Self::Real);
    /// Prefetches the cache line that contains `address` into L2, for an access that is further in the future. Any address is
    /// allowed.
    fn prefetch_far(address: *const Self::Real);
    /// Reads all lanes from contiguous values.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, and that `LANES` values are readable at `from`.
    unsafe fn load(from: *const Self::Real) -> Self;
    /// Reads the lanes that `mask` selects from contiguous values. Sets the other lanes to zero.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, and that the values at the selected lanes are readable.
    /// Other values are not accessed.
    unsafe fn load_some(from: *const Self::Real, mask: Self::Mask) -> Self;
    /// Writes all lanes to contiguous values.
    ///
    /// # Safety
    /// The caller must ensure that `LANES` values are writable at `to`, and that nothing else accesses them at the same time.
    unsafe fn store(self, to: *mut Self::Real);
    /// Writes the lanes that `mask` selects.
    ///
    /// # Safety
    /// The caller must ensure that the values at the selected lanes are writable, and that nothing else accesses them at the same
    /// time. Other values are not accessed.
    unsafe fn store_some(self, to: *mut Self::Real, mask: Self::Mask);
    /// Returns the lane-wise sum `self + a`.
    #[cfg_attr(not(feature = "fft"), allow(dead_code))]
    fn add(self, a: Self) -> Self;
    /// Returns the lane-wise difference `self - a`.
    #[cfg_attr(not(feature = "fft"), allow(dead_code))]
    fn sub(self, a: Self) -> Self;
    /// Returns the lane-wise product `self · a`.
    fn mul(self, a: Self) -> Self;
    /// Returns `self · a + b` in each lane. Instruction sets compute it as a fused multiply-add, which rounds once; emulated
    /// vectors round twice.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Returns `self · a - b` in the lanes with an even index, and `self · a + b` in the others. Rounds as [`mul_add`](Vector::mul_add).
    fn mul_sub_add(self, a: Self, b: Self) -> Self;
    /// Changes the sign of each lane that is -0 in `signs`. The other lanes of `signs` are 0.
    fn flip(self, signs: Self) -> Self;
    /// Swaps the two lanes of each pair of lanes. For complex numbers, this swaps real and imaginary parts.
    fn swap_pairs(self) -> Self;
    /// Exchanges blocks of `block` lanes between two vectors. If `self` consists of the blocks `A B ..` and `other` of `C D ..`,
    /// the results are `A C ..` and `B D ..`. `block` is a power of two less than `LANES`.
    fn exchange(self, other: Self, block: usize) -> (Self, Self);
}

/// Returns the maximum number of columns in a register tile.
pub(super) const fn tile_columns<V: Vector, const COMPLEX: bool>() -> usize {
    if COMPLEX { V::COMPLEX_COLUMNS } else { V::TILE_COLUMNS }
}
