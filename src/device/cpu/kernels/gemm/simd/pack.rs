//! Packing: copies a matrix with any strides into panels that a register tile reads from beginning to end. Called by
//! [`packed`](super::packed) for both operands and by [`direct`](mod@super::direct) for A.
//!
//! A *step* is an index that is summed over: a column of A, or a row of B. It has `width` elements, which are distributed over
//! panels of `panel` elements:
//!
//! ```text
//! source, width 5, 3 steps     packed, panel 2, multiple 2
//! a0 a1 a2 a3 a4               panel 0: a0 a1 b0 b1 c0 c1
//! b0 b1 b2 b3 b4               panel 1: a2 a3 b2 b3 c2 c3
//! c0 c1 c2 c3 c4               panel 2: a4 __ b4 __ c4        (__ is padding)
//! ```
//!
//! The loop is chosen by the source's unit stride:
//!
//! ```text
//! each step is contiguous:     copy whole vectors                       (copy)
//! each element's steps are:    transpose square blocks in registers     (transpose)
//! neither:                     one element at a time                    (gather)
//! ```

use super::vector::{SimdKernel, Vector};
use crate::device::HostPtr;

/// Steps that are packed together if a panel's elements are not contiguous in the source.
const STEPS_AT_ONCE: usize = 8;

/// A matrix to pack, and the memory for its panels. Each panel holds its elements of all steps, step after step. Strides count real
/// numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pack<R> {
    pub(super) from: HostPtr<R>,
    /// Stride from one element to the next within a step.
    pub(super) across: isize,
    /// Stride from one step to the next.
    pub(super) along: isize,
    /// Elements of a step, in all panels together.
    pub(super) width: usize,
    /// Number of steps.
    pub(super) steps: usize,
    /// Elements of a step in one panel.
    pub(super) panel: usize,
    /// In the last panel, the distance between steps is rounded up to a multiple of this many elements. The padding is not
    /// written.
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
    /// Returns the distance between packed steps, in real numbers, in the panel that begins at element `first`.
    pub(super) fn step(&self, first: usize) -> usize {
        (self.width - first).min(self.panel).next_multiple_of(self.multiple) * self.part()
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

/// Packs some of the panels.
#[derive(Debug)]
pub(super) struct PackPanels<'a, R> {
    pub(super) pack: &'a Pack<R>,
    pub(super) panels: core::ops::Range<usize>,
}

/// # Safety
/// The caller must ensure:
/// * The processor has the instruction set of `V`.
/// * The matrix at `pack.from` is readable.
/// * `panels` is within `0..pack.panels()`, and the caller has exclusive access to them at `pack.to`.
impl<V: Vector> SimdKernel<V> for PackPanels<'_, V::Real> {
    #[inline(always)]
    unsafe fn run(self) {
        let pack = self.pack;
        // If each step is contiguous, different steps may be on different pages. So a few steps are packed into all panels before
        // the next steps: each page, and each hardware prefetch, is then used by all panels.
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
                    // SAFETY: `panel < panels()`, so `first < width`, and `begin + steps <= pack.steps`: all reads are inside the
                    // matrix, all writes inside the panel, which the contract makes accessible. The strides fit `copy`.
                    unsafe { copy::<V>(pack, from, to, width * pack.part(), step) };
                } else if pack.along == pack.part() as isize {
                    // SAFETY: as for `copy`: all reads are inside the matrix, all writes inside the panel. `along` is the unit
                    // stride that `transpose` requires.
                    unsafe { transpose::<V>(pack, from, to, width, step) };
                } else if pack.complex {
                    // SAFETY: as for `copy`: all reads are inside the matrix, all writes inside the panel. A complex number is
                    // an array of two real ones, so `step` is even.
                    unsafe { gather::<[V::Real; 2]>(pack, from.cast(), to.cast(), width, step / 2) };
                } else {
                    // SAFETY: as for `copy`: all reads are inside the matrix, all writes inside the panel. An element is one
                    // real number.
                    unsafe { gather(pack, from, to, width, step) };
                }
            }
        }
    }
}

/// Widest panel that [`copy`] packs, in vectors.
const MAX_PANEL_VECTORS: usize = 3;

/// Packs a panel whose steps are contiguous: each step as whole vectors and one masked vector.
///
/// # Safety
/// The caller must ensure:
/// * The processor has the instruction set of `V`.
/// * `pack.steps` steps of `width` contiguous real numbers, with stride `pack.along`, are readable from `from` on.
/// * The same number of steps, with stride `step`, is exclusive to the caller from `to` on.
#[inline(always)]
unsafe fn copy<V: Vector>(
    pack: &Pack<V::Real>,
    from: *const V::Real,
    to: *mut V::Real,
    width: usize,
    step: usize,
) {
    const {
        assert!(V::TILE_VECTORS <= MAX_PANEL_VECTORS, "a panel of A has at most this width");
        assert!(
            V::TILE_COLUMNS.div_ceil(V::LANES) <= MAX_PANEL_VECTORS,
            "a panel of B has at most this width"
        );
    }
    debug_assert!(width <= MAX_PANEL_VECTORS * V::LANES);
    match width.div_ceil(V::LANES) {
        // SAFETY: the contract is the same; one vector holds the width.
        1 => unsafe { copy_vectors::<V, 1>(pack, from, to, width, step) },
        // SAFETY: the contract is the same; two vectors hold the width.
        2 => unsafe { copy_vectors::<V, 2>(pack, from, to, width, step) },
        // SAFETY: the contract is the same; three vectors hold the width, as the assertions say.
        _ => unsafe { copy_vectors::<V, 3>(pack, from, to, width, step) },
    }
}

/// Packs a panel whose width is at most `N` vectors.
///
/// # Safety
/// As [`copy`]. The caller must also ensure that `N` is `width` divided by the number of lanes, rounded up.
#[inline(always)]
unsafe fn copy_vectors<V: Vector, const N: usize>(
    pack: &Pack<V::Real>,
    mut from: *const V::Real,
    mut to: *mut V::Real,
    width: usize,
    step: usize,
) {
    // SAFETY: the processor has the instruction set by the contract.
    let last = unsafe { V::zero() }.first(width - (N - 1) * V::LANES);
    for _ in 0..pack.steps {
        for at in (0..N - 1).map(|i| i * V::LANES) {
            // SAFETY: `N - 1` vectors have fewer lanes than the width, so all lanes are in the step, readable by the contract.
            let vector = unsafe { V::load(from.wrapping_add(at)) };
            // SAFETY: the same lanes of the packed step, which is exclusive by the contract.
            unsafe { vector.store(to.wrapping_add(at)) };
        }
        let at = (N - 1) * V::LANES;
        // SAFETY: the mask has the rest of the width, `width - at` lanes, so its lanes are in the step, readable by the contract.
        let vector = unsafe { V::load_some(from.wrapping_add(at), last) };
        // SAFETY: the same masked lanes of the packed step, which is exclusive by the contract.
        unsafe { vector.store_some(to.wrapping_add(at), last) };
        from = from.wrapping_offset(pack.along);
        to = to.wrapping_add(step);
    }
}

/// Packs a panel in which the steps of each element are contiguous, by transposing square blocks in registers.
///
/// # Safety
/// The caller must ensure:
/// * The processor has the instruction set of `V`.
/// * `width` rows of `pack.steps` contiguous elements, with stride `pack.across`, are readable from `from` on.
/// * `pack.steps` steps of `width` contiguous elements, with stride `step`, are exclusive to the caller from `to` on.
#[inline(always)]
unsafe fn transpose<V: Vector>(
    pack: &Pack<V::Real>,
    from: *const V::Real,
    to: *mut V::Real,
    width: usize,
    step: usize,
) {
    let side = V::LANES / pack.part();
    const { assert!(V::LANES == 4 || V::LANES == 8 || V::LANES == 16, "unsupported number of lanes") }
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
                    // SAFETY: `w + rows <= width` and `s + steps <= pack.steps`: inside the source, which is readable, and inside
                    // the panel, which is exclusive, by the contract.
                    unsafe { block.transpose::<V, $side, $part>() }
                };
            }
            match (side, pack.complex) {
                (16, _) => transpose!(16 1),
                (8, false) => transpose!(8 1),
                (8, true) => transpose!(8 2),
                (4, false) => transpose!(4 1),
                (4, true) => transpose!(4 2),
                _ => transpose!(2 2),
            }
        }
    }
}

/// A block that is transposed in registers. `rows` and `steps` are at most the number of elements in a vector.
struct Square<R> {
    from: *const R,
    across: isize,
    rows: usize,
    steps: usize,
    to: *mut R,
    step: usize,
}

impl<R> Square<R> {
    /// Transposes the block, if a vector has `N` elements of `PART` numbers; otherwise does nothing.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The processor has the instruction set of `V`.
    /// * `rows` rows of `steps` contiguous elements, with stride `across`, are readable from `from` on.
    /// * `steps` steps of `rows` contiguous elements, with stride `step`, are exclusive to the caller from `to` on.
    #[inline(always)]
    unsafe fn transpose<V: Vector<Real = R>, const N: usize, const PART: usize>(self) {
        if V::LANES != N * PART {
            return;
        }
        // SAFETY: the processor has the instruction set by the contract.
        let zero = unsafe { V::zero() };
        let mut block = [zero; N];
        let there = zero.first(self.steps * PART);
        for (i, vector) in block.iter_mut().enumerate() {
            // For indices past the end, the last row is loaded again. These repeated rows are not written.
            let row = i.min(self.rows - 1) as isize;
            // SAFETY: `row < rows`, and the mask has the first `steps` elements of the row, which are readable by the contract.
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
        exchange_all::<V, N, 1, PART>(&mut block);
        let there = zero.first(self.rows * PART);
        for (i, vector) in block.into_iter().enumerate() {
            if i < self.steps {
                // SAFETY: `i < steps`, and the mask has the first `rows` elements of the step, which are exclusive by the
                // contract.
                unsafe { vector.store_some(self.to.wrapping_add(i * self.step), there) };
            }
        }
    }
}

/// Exchanges blocks of `DISTANCE` elements between all pairs of rows that are `DISTANCE` apart. `DISTANCE < N`.
#[inline(always)]
fn exchange_all<V: Vector, const N: usize, const DISTANCE: usize, const PART: usize>(block: &mut [V; N]) {
    for i in 0..N / 2 {
        let one = i / DISTANCE * 2 * DISTANCE + i % DISTANCE;
        let other = (one + DISTANCE) % N;
        (block[one], block[other]) = block[one].exchange(block[other], DISTANCE * PART);
    }
}

/// Packs a panel with any strides, [`STEPS_AT_ONCE`] steps at a time, so that elements in one cache line are read together.
///
/// # Safety
/// The caller must ensure:
/// * `T` is what an element consists of: a real number, or an array of two if `pack.complex`.
/// * `pack.steps` steps of `width` elements are readable from `from` on, by the strides of `pack`.
/// * The same number of steps of contiguous elements, with a stride of `step` elements, is exclusive to the caller from `to` on.
#[inline(always)]
unsafe fn gather<T: Copy>(pack: &Pack<impl Copy>, from: *const T, to: *mut T, width: usize, step: usize) {
    // Strides of complex numbers are even.
    let part = pack.part() as isize;
    let (across, along) = (pack.across / part, pack.along / part);
    for first in (0..pack.steps).step_by(STEPS_AT_ONCE) {
        let steps = first..pack.steps.min(first + STEPS_AT_ONCE);
        for w in 0..width {
            for s in steps.clone() {
                let from = from.wrapping_offset(w as isize * across + s as isize * along);
                // SAFETY: `s < steps` and `w < width`: readable in the matrix and exclusive in the panel by the contract, so they
                // do not overlap.
                unsafe { to.wrapping_add(s * step + w).copy_from_nonoverlapping(from, 1) };
            }
        }
    }
}
