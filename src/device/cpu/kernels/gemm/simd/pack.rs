//! Packing: copies a matrix with any strides into panels, which a register tile reads from beginning to end. The module
//! [`packed`](super::packed) packs both operands, the module [`direct`](mod@super::direct) only A.
//!
//! A *step* is an index that is summed over: a column of A, or a row of B. Each step has `width` elements. Element `w` of step
//! `s` is at `w · across + s · along` in the source. Packing distributes the elements of a step over panels, so that each panel
//! has `panel` elements of each step:
//!
//! ```text
//! source, width 5, 3 steps     packed, panel 2, multiple 2
//! a0 a1 a2 a3 a4               panel 0: a0 a1 b0 b1 c0 c1
//! b0 b1 b2 b3 b4               panel 1: a2 a3 b2 b3 c2 c3
//! c0 c1 c2 c3 c4               panel 2: a4 __ b4 __ c4        (__ is padding)
//! ```
//!
//! The strides of the source determine how a panel is copied:
//!
//! ```text
//! `across` is the unit stride:     copy whole vectors                       (copy)
//! `along` is the unit stride:      transpose square blocks in registers     (transpose)
//! neither is:                      one element at a time                    (gather)
//! ```

use super::tile::RegisterTile;
use crate::device::HostPtr;
use crate::simd::vector::{FloatVector, SimdKernel};

/// Number of steps that [`copy`] and [`gather`] pack at a time.
const STEPS_AT_ONCE: usize = 8;

/// A matrix to pack, and the memory for its panels. In a panel, the elements of a step are contiguous, and the steps follow each
/// other. Strides count real numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pack<R> {
    pub(super) from: HostPtr<R>,
    /// Stride between the elements of a step.
    pub(super) across: isize,
    /// Stride between steps.
    pub(super) along: isize,
    /// Number of elements of a step, in all panels together.
    pub(super) width: usize,
    /// Number of steps.
    pub(super) steps: usize,
    /// Number of elements of a step in one panel. The last panel may have fewer.
    pub(super) panel: usize,
    /// The stride between the steps of the last panel is rounded up to a multiple of this number of elements. The padding is not
    /// written. `panel` is such a multiple, too.
    pub(super) multiple: usize,
    pub(super) to: HostPtr<R>,
    pub(super) complex: bool,
}

impl<R> Pack<R> {
    /// Returns the number of panels.
    pub(super) fn panels(&self) -> usize {
        self.width.div_ceil(self.panel)
    }
    /// Returns the number of real numbers in an element: 1 or 2.
    fn part(&self) -> usize {
        if self.complex { 2 } else { 1 }
    }
    /// Returns the stride between the packed steps of the panel that begins at element `first`. The stride counts real numbers.
    pub(super) fn step(&self, first: usize) -> usize {
        let left = self.width - first;
        // `next_multiple_of` divides, and each tile calls this function.
        let step = if left >= self.panel { self.panel } else { left.next_multiple_of(self.multiple) };
        step * self.part()
    }
    /// Returns the number of real numbers from the beginning of the first panel to the end of the last panel's last step.
    pub(super) fn packed_len(&self) -> usize {
        if self.width == 0 || self.steps == 0 {
            return 0;
        }
        let last = (self.panels() - 1) * self.panel;
        let panel = (self.steps - 1) * self.step(last) + (self.width - last) * self.part();
        last * self.part() * self.steps + panel
    }
    /// Returns the address of the panel that begins at element `first`.
    pub(super) fn packed(&self, first: usize) -> *mut R {
        self.to.get().wrapping_add(first * self.part() * self.steps)
    }
}

/// A kernel that packs the panels `panels`.
#[derive(Debug)]
pub(super) struct PackPanels<'a, R> {
    pub(super) pack: &'a Pack<R>,
    pub(super) panels: core::ops::Range<usize>,
}

/// # Safety
/// The caller must ensure:
/// * The processor has the instruction set of `V`.
/// * The elements of the matrix at `pack.from` are readable.
/// * `panels` is within `0..pack.panels()`, and the caller has exclusive access to these panels at `pack.to`.
impl<V: FloatVector> SimdKernel<V> for PackPanels<'_, V::Real> {
    #[inline(always)]
    unsafe fn run(self) {
        let pack = self.pack;
        // If the elements of each step are contiguous, different steps may be on different pages. To pack one panel after the other would
        // visit all pages again for each panel. So a few steps are packed into all panels before the next steps are packed. Each of these
        // steps is then read from beginning to end, and the hardware prefetches it.
        let in_pieces = pack.across == pack.part() as isize;
        let some = if in_pieces { STEPS_AT_ONCE } else { pack.steps.max(1) };
        for begin in (0..pack.steps).step_by(some) {
            let steps = some.min(pack.steps - begin);
            for panel in self.panels.clone() {
                let first = panel * pack.panel;
                let from = first as isize * pack.across + begin as isize * pack.along;
                let from = pack.from.get().wrapping_offset(from).cast_const();
                let step = pack.step(first);
                let to = pack.packed(first).wrapping_add(begin * step);
                let width = (pack.width - first).min(pack.panel);
                let pack = &Pack { steps, ..*pack };
                if in_pieces {
                    // SAFETY: the caller ensures that the processor has the instruction set of `V`, that the matrix is readable, and
                    // exclusive access to the panels. `panel < pack.panels()`, so `first < pack.width`; `begin + steps` is at most the
                    // matrix's number of steps. So all reads are inside the matrix, and all writes inside the panel. `across` is the unit
                    // stride, so each step is contiguous, as `copy` requires.
                    unsafe { copy::<V>(pack, from, to, width * pack.part(), step) };
                } else if pack.along == pack.part() as isize {
                    // SAFETY: as in the call of `copy`, all reads are inside the readable matrix, and all writes are inside the panel, to
                    // which access is exclusive. The processor has the instruction set of `V`. `along` is the unit stride, so the steps of
                    // each element are contiguous, as `transpose` requires.
                    unsafe { transpose::<V>(pack, from, to, width, step) };
                } else if pack.complex {
                    // SAFETY: as in the call of `copy`, all reads are inside the readable matrix, and all writes are inside the panel, to
                    // which access is exclusive. A complex number is an array of two real numbers. `step` is even, so `step / 2` is the
                    // stride in such arrays.
                    unsafe { gather::<[V::Real; 2]>(pack, from.cast(), to.cast(), width, step / 2) };
                } else {
                    // SAFETY: as in the call of `copy`, all reads are inside the readable matrix, and all writes are inside the panel, to
                    // which access is exclusive. An element is one real number, so `step` is the stride in elements.
                    unsafe { gather(pack, from, to, width, step) };
                }
            }
        }
    }
}

/// Maximum width of a panel that [`copy`] packs, in vectors.
const MAX_PANEL_VECTORS: usize = 4;

/// Packs a panel if `across` is the unit stride. Copies each step as whole vectors and one masked vector.
///
/// # Safety
/// The caller must ensure:
/// * The processor has the instruction set of `V`.
/// * `pack.steps` steps of `width` contiguous real numbers, with stride `pack.along`, are readable from `from` on.
/// * The same number of steps of `width` real numbers, with stride `step`, is exclusive to the caller from `to` on.
#[inline(always)]
unsafe fn copy<V: FloatVector>(
    pack: &Pack<V::Real>,
    from: *const V::Real,
    to: *mut V::Real,
    width: usize,
    step: usize,
) {
    const {
        assert!(V::TILE_VECTORS <= MAX_PANEL_VECTORS, "a panel of A has at most this width");
        assert!(
            (2 * V::COMPLEX_COLUMNS).div_ceil(V::LANES) <= MAX_PANEL_VECTORS,
            "a panel of B has at most this width"
        );
        assert!(V::LANES == 2 || (2 * V::COMPLEX_COLUMNS).div_ceil(V::LANES) <= 3);
    }
    debug_assert!(width <= MAX_PANEL_VECTORS * V::LANES);
    match width.div_ceil(V::LANES) {
        // SAFETY: `copy_vectors` requires the conditions of `copy`, which the caller ensures. It also requires that `N` is
        // `width.div_ceil(V::LANES)`: in this arm, both are 1.
        1 => unsafe { copy_vectors::<V, 1>(pack, from, to, width, step) },
        // SAFETY: `copy_vectors` requires the conditions of `copy`, which the caller ensures. It also requires that `N` is
        // `width.div_ceil(V::LANES)`: in this arm, both are 2.
        2 => unsafe { copy_vectors::<V, 2>(pack, from, to, width, step) },
        // SAFETY: `copy_vectors` requires the conditions of `copy`, which the caller ensures. It also requires that `N` is
        // `width.div_ceil(V::LANES)`. By the constant assertions, a panel has at most four vectors, so both are 4 in this arm. With `const` in
        // the condition, only registers of two lanes have this arm; the panels of others have at most three vectors.
        4 if const { V::LANES == 2 } => unsafe { copy_vectors::<V, 4>(pack, from, to, width, step) },
        // SAFETY: `copy_vectors` requires the conditions of `copy`, which the caller ensures. It also requires that `N` is
        // `width.div_ceil(V::LANES)`: in this arm, both are 3.
        _ => unsafe { copy_vectors::<V, 3>(pack, from, to, width, step) },
    }
}

/// Packs a panel as [`copy`] does, with `N` vectors per step.
///
/// # Safety
/// The caller must ensure the conditions of [`copy`], and that `N` is `width` divided by the number of lanes, rounded up.
#[inline(always)]
unsafe fn copy_vectors<V: FloatVector, const N: usize>(
    pack: &Pack<V::Real>,
    mut from: *const V::Real,
    mut to: *mut V::Real,
    width: usize,
    step: usize,
) {
    // SAFETY: the caller ensures the conditions of `copy`. So the processor has the instruction set of `V`.
    let last = unsafe { V::zero() }.first(width - (N - 1) * V::LANES);
    for _ in 0..pack.steps {
        for at in (0..N - 1).map(|i| i * V::LANES) {
            // SAFETY: `N - 1` vectors have fewer lanes than `width`, so all lanes are numbers of the current step. The caller ensures that
            // the step is readable, as `copy` requires.
            let vector = unsafe { V::load(from.wrapping_add(at)) };
            // SAFETY: these are the same numbers of the packed step at `to`. The caller ensures exclusive access to this step, as `copy`
            // requires.
            unsafe { vector.store(to.wrapping_add(at)) };
        }
        let at = (N - 1) * V::LANES;
        // SAFETY: `last` selects `width - at` lanes, the remaining numbers of the current step. The caller ensures that the step is
        // readable, as `copy` requires.
        let vector = unsafe { V::load_some(from.wrapping_add(at), last) };
        // SAFETY: these are the same numbers of the packed step at `to`. The caller ensures exclusive access to this step, as `copy`
        // requires.
        unsafe { vector.store_some(to.wrapping_add(at), last) };
        from = from.wrapping_offset(pack.along);
        to = to.wrapping_add(step);
    }
}

/// Packs a panel whose stride `along` is 1. Transposes square blocks in registers.
///
/// # Safety
/// The caller must ensure:
/// * The processor has the instruction set of `V`.
/// * `width` rows of `pack.steps` contiguous elements, with stride `pack.across` between rows, are readable from `from` on.
/// * From `to` on, access to `pack.steps` steps of `width` contiguous elements, with stride `step` between steps, is exclusive.
#[inline(always)]
unsafe fn transpose<V: FloatVector>(
    pack: &Pack<V::Real>,
    from: *const V::Real,
    to: *mut V::Real,
    width: usize,
    step: usize,
) {
    let side = V::LANES / pack.part();
    const { assert!(matches!(V::LANES, 2 | 4 | 8 | 16), "unsupported number of lanes") }
    for s in (0..pack.steps).step_by(side) {
        let steps = side.min(pack.steps - s);
        for w in (0..width).step_by(side) {
            let block = Square {
                from: from.wrapping_offset(w as isize * pack.across + s as isize * pack.along),
                across: pack.across,
                rows: side.min(width - w),
                steps,
                to: to.wrapping_add(s * step + w * pack.part()),
                step,
            };
            macro_rules! transpose {
                ($side:literal $part:literal) => {
                    // SAFETY: `w + rows <= width` and `s + steps <= pack.steps`, so the block is inside the source and inside the panel.
                    // The caller ensures that the source is readable, and exclusive access to the panel. The caller also ensures that the
                    // processor has the instruction set of `V`.
                    unsafe { block.transpose::<V, $side, $part>() }
                };
            }
            match (side, pack.complex) {
                (16, _) => transpose!(16 1),
                (8, false) => transpose!(8 1),
                (8, true) => transpose!(8 2),
                (4, false) => transpose!(4 1),
                (4, true) => transpose!(4 2),
                (2, false) => transpose!(2 1),
                (2, true) => transpose!(2 2),
                _ => transpose!(1 2),
            }
        }
    }
}

/// A block that is transposed in registers: `rows` rows of the source, each with the same `steps` steps. Both numbers are at most
/// the number of elements in a vector.
struct Square<R> {
    from: *const R,
    across: isize,
    rows: usize,
    steps: usize,
    to: *mut R,
    step: usize,
}

impl<R> Square<R> {
    /// Transposes the block. `N` and `PART` must be such that a vector has `N` elements of `PART` numbers. The compiler also instantiates
    /// the function for other values. These instances do nothing, and are never called.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The processor has the instruction set of `V`.
    /// * `rows` rows of `steps` contiguous elements, with stride `across` between rows, are readable from `from` on.
    /// * `steps` steps of `rows` contiguous elements, with stride `step` between steps, are exclusive to the caller from `to` on.
    #[inline(always)]
    unsafe fn transpose<V: FloatVector<Real = R>, const N: usize, const PART: usize>(self) {
        if V::LANES != N * PART {
            return;
        }
        // SAFETY: the caller ensures that the processor has the instruction set of `V`.
        let zero = unsafe { V::zero() };
        let mut block = [zero; N];
        let there = zero.first(self.steps * PART);
        for (i, vector) in block.iter_mut().enumerate() {
            // If the block has fewer than `N` rows, its last row is loaded several times. The repeated rows are not written.
            let row = i.min(self.rows - 1) as isize;
            // SAFETY: `row < self.rows`, and `there` selects the first `self.steps` elements of that row. The caller ensures that they are
            // readable.
            *vector = unsafe { V::load_some(self.from.wrapping_offset(row * self.across), there) };
        }
        // Recursive transposition: exchange the two off-diagonal quarters of the block, then do the same within each quarter.
        if N > 8 {
            exchange_all::<V, N, 8, PART>(&mut block);
        }
        if N > 4 {
            exchange_all::<V, N, 4, PART>(&mut block);
        }
        if N > 2 {
            exchange_all::<V, N, 2, PART>(&mut block);
        }
        if N > 1 {
            exchange_all::<V, N, 1, PART>(&mut block);
        }
        let there = zero.first(self.rows * PART);
        for (i, vector) in block.into_iter().enumerate() {
            if i < self.steps {
                // SAFETY: `i < self.steps`, and `there` selects the first `self.rows` elements of step `i`. The caller ensures exclusive
                // access to them.
                unsafe { vector.store_some(self.to.wrapping_add(i * self.step), there) };
            }
        }
    }
}

/// One step of a transposition. `DISTANCE` is a power of two less than `N`. For each pair of rows whose indices differ only in the
/// bit of value `DISTANCE`, exchanges blocks of `DISTANCE` elements with [`FloatVector::exchange`]. An element consists of `PART`
/// numbers.
#[inline(always)]
fn exchange_all<V: FloatVector, const N: usize, const DISTANCE: usize, const PART: usize>(
    block: &mut [V; N],
) {
    for i in 0..N / 2 {
        let one = i / DISTANCE * 2 * DISTANCE + i % DISTANCE;
        let other = (one + DISTANCE) % N;
        (block[one], block[other]) = block[one].exchange(block[other], DISTANCE * PART);
    }
}

/// Packs a panel with any strides. Packs [`STEPS_AT_ONCE`] steps together: first the first element of each of these steps, then the second
/// element of each, and so on. So steps that are in the same cache line are read together.
///
/// # Safety
/// The caller must ensure:
/// * `T` is the type of an element: a real number, or an array of two real numbers if `pack.complex`.
/// * `pack.steps` steps of `width` elements are readable from `from` on, with the strides of `pack`.
/// * The caller has exclusive access to the same number of steps from `to` on. There, the elements of a step are contiguous, and each step
///   begins `step` elements after the one before it.
#[inline(always)]
unsafe fn gather<T: Copy>(pack: &Pack<impl Copy>, from: *const T, to: *mut T, width: usize, step: usize) {
    // The strides of `pack` count real numbers. For complex numbers they are even.
    let part = pack.part() as isize;
    let (across, along) = (pack.across / part, pack.along / part);
    for first in (0..pack.steps).step_by(STEPS_AT_ONCE) {
        let steps = first..pack.steps.min(first + STEPS_AT_ONCE);
        for w in 0..width {
            for s in steps.clone() {
                let from = from.wrapping_offset(w as isize * across + s as isize * along);
                // SAFETY: `s < pack.steps` and `w < width`. So the caller ensures that the element at `from` is readable, and exclusive
                // access to its place in the panel. Exclusive memory does not overlap the matrix.
                unsafe { to.wrapping_add(s * step + w).copy_from_nonoverlapping(from, 1) };
            }
        }
    }
}
