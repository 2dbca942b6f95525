//! What the kernels ask of an instruction set.

use num_traits::{One, Zero};

/// The real numbers that vectors are made of.
pub(super) trait Real:
    'static + Copy + PartialEq + Zero + One + core::ops::Neg<Output = Self> + Send + Sync
{
}
impl Real for f32 {}
impl Real for f64 {}

/// Something to compute with the instructions of `V`.
pub(super) trait SimdKernel<V: Vector> {
    /// Always inlined, with all that it calls, so that it is compiled for the instruction set.
    ///
    /// # Safety
    /// The processor has the instruction set of `V`; a task's own conditions hold.
    unsafe fn run(self);
}

/// A register of an instruction set: a row of real numbers, or of complex ones as pairs.
///
/// Kernels are generic over it and always inlined into [`within`](Vector::within): an instruction set is one small module.
///
/// Where there is a vector, the processor has the instruction set: only what makes one of nothing asks for another proof.
pub(super) trait Vector: Copy {
    /// The lanes' type.
    type Real: Real;
    /// Which lanes are meant.
    type Mask: Copy;
    /// How many lanes there are.
    const LANES: usize;
    /// How many vectors of rows a register tile has at most, ..
    const TILE_VECTORS: usize;
    /// .. and how many columns (of real numbers): as many accumulators as leave registers for a step's rows and one value.
    /// (3, 8) or (2, 6).
    const TILE_COLUMNS: usize;

    /// Runs a task with the instruction set enabled.
    ///
    /// # Safety
    /// As [`SimdKernel::run`].
    unsafe fn within(task: impl SimdKernel<Self>);

    /// All lanes zero.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn zero() -> Self;
    /// A vector of the same kind, all lanes `x`.
    fn splat(self, x: Self::Real) -> Self;
    /// A vector of the same kind, with lanes `even`, `odd`, `even`, `odd`...
    fn alternating(self, even: Self::Real, odd: Self::Real) -> Self;
    /// The first lanes of such a vector, so many; all where there are fewer.
    fn first(self, lanes: usize) -> Self::Mask;
    /// Asks for the cache line of an address that may be accessed soon. Any address will do.
    fn prefetch(address: *const Self::Real);
    /// The same, for what is accessed some time later: the second-level cache is near enough.
    fn prefetch_far(address: *const Self::Real);
    /// Reads all lanes.
    ///
    /// # Safety
    /// The processor has the instruction set. So many values may be read.
    unsafe fn load(from: *const Self::Real) -> Self;
    /// Reads the lanes of the mask; the others are zero.
    ///
    /// # Safety
    /// The processor has the instruction set. The values of the mask may be read; the others are not touched.
    unsafe fn load_some(from: *const Self::Real, mask: Self::Mask) -> Self;
    /// Writes all lanes.
    ///
    /// # Safety
    /// So many values may be written.
    unsafe fn store(self, to: *mut Self::Real);
    /// Writes the lanes of the mask.
    ///
    /// # Safety
    /// The values of the mask may be written; the others are not touched.
    unsafe fn store_some(self, to: *mut Self::Real, mask: Self::Mask);
    /// `self · a`.
    fn mul(self, a: Self) -> Self;
    /// `self · a + b`, rounded once where the instruction set can.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Each lane in the place of its neighbour: real and imaginary parts change places.
    fn swap_pairs(self) -> Self;
    /// Two rows of blocks of so many lanes (a power of two, less than there are), transposed in pairs of blocks: of `A B ..`
    /// and `C D ..`, the rows `A C ..` and `B D ..`.
    fn exchange(self, other: Self, block: usize) -> (Self, Self);
}
