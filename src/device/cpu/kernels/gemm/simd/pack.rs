//! Packing: a matrix, strided in any way, as panels that a register tile reads from beginning to end.

use super::vector::{SimdKernel, Vector};
use crate::device::HostPtr;

/// Steps that are packed together if neighbours in memory belong to other steps or panels.
const STEPS_AT_ONCE: usize = 8;

/// A matrix to pack. Its long side is cut into panels; a panel holds its part of all that is summed over, step by step.
///
/// Distances count real numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pack<R> {
    pub(super) from: HostPtr<R>,
    /// From one element to the next within a step.
    pub(super) across: isize,
    /// From one step to the next.
    pub(super) along: isize,
    /// Elements within a step, in all panels together.
    pub(super) width: usize,
    /// Steps.
    pub(super) steps: usize,
    /// Elements within a step of one panel.
    pub(super) panel: usize,
    /// The last panel's steps are apart by a multiple of this; what is beyond its elements is left as it was.
    pub(super) multiple: usize,
    pub(super) to: HostPtr<R>,
    pub(super) complex: bool,
}

impl<R> Pack<R> {
    /// How many panels there are.
    pub(super) fn panels(&self) -> usize {
        self.width.div_ceil(self.panel)
    }
    /// Real numbers in one element.
    fn part(&self) -> usize {
        if self.complex { 2 } else { 1 }
    }
    /// Real numbers in one packed step of the panel that begins at an element: how far steps are from each other.
    pub(super) fn step(&self, first: usize) -> usize {
        (self.width - first).min(self.panel).next_multiple_of(self.multiple) * self.part()
    }
    /// Real numbers from the beginning of the first panel to the end of the last panel's last step.
    pub(super) fn packed_len(&self) -> usize {
        if self.width == 0 || self.steps == 0 {
            return 0;
        }
        let last = (self.panels() - 1) * self.panel;
        let panel = (self.steps - 1) * self.step(last) + (self.width - last) * self.part();
        last * self.part() * self.steps + panel
    }
    /// Where the panel that begins at an element is.
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
/// The matrix may be read, and the caller alone may write the panels.
impl<V: Vector> SimdKernel<V> for PackPanels<'_, V::Real> {
    #[inline(always)]
    unsafe fn run(self) {
        let pack = self.pack;
        // Where steps lie in one piece each, they may be pages apart: all panels take their parts of some steps before the
        // next ones, so that a page, and what the processor fetches ahead of it, serves all of them at once.
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
                    // SAFETY: the caller's; `first` is less than the width, as `panel` is one of the panels. So many steps from
                    // `begin` on are there.
                    unsafe { copy::<V>(pack, from, to, width * pack.part(), step) };
                } else if pack.along == pack.part() as isize {
                    // SAFETY: as above.
                    unsafe { transpose::<V>(pack, from, to, width, step) };
                } else if pack.complex {
                    // SAFETY: as above; a complex number is two real ones.
                    unsafe { gather::<[V::Real; 2]>(pack, from.cast(), to.cast(), width, step / 2) };
                } else {
                    // SAFETY: as above.
                    unsafe { gather(pack, from, to, width, step) };
                }
            }
        }
    }
}

/// Widest panel that [`copy`] packs, in vectors.
const MAX_PANEL_VECTORS: usize = 3;

/// Packs a panel whose steps lie in one piece each: vectors, and a part of one.
///
/// # Safety
/// As the task's.
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
        // SAFETY: the caller's; so many vectors hold the width.
        1 => unsafe { copy_vectors::<V, 1>(pack, from, to, width, step) },
        // SAFETY: as above.
        2 => unsafe { copy_vectors::<V, 2>(pack, from, to, width, step) },
        // SAFETY: the contract is the same; three vectors hold the width, as the assertions say.
        _ => unsafe { copy_vectors::<V, 3>(pack, from, to, width, step) },
    }
}

/// # Safety
/// As the task's; `N` vectors hold the width, and no fewer do.
#[inline(always)]
unsafe fn copy_vectors<V: Vector, const N: usize>(
    pack: &Pack<V::Real>,
    mut from: *const V::Real,
    mut to: *mut V::Real,
    width: usize,
    step: usize,
) {
    // SAFETY: the caller's.
    let last = unsafe { V::zero() }.first(width - (N - 1) * V::LANES);
    for _ in 0..pack.steps {
        for at in (0..N - 1).map(|i| i * V::LANES) {
            // SAFETY: all vectors but the last are of the width.
            let vector = unsafe { V::load(from.wrapping_add(at)) };
            // SAFETY: as above.
            unsafe { vector.store(to.wrapping_add(at)) };
        }
        let at = (N - 1) * V::LANES;
        // SAFETY: the mask is what the last vector has of the width.
        let vector = unsafe { V::load_some(from.wrapping_add(at), last) };
        // SAFETY: as above.
        unsafe { vector.store_some(to.wrapping_add(at), last) };
        from = from.wrapping_offset(pack.along);
        to = to.wrapping_add(step);
    }
}

/// Packs a panel whose steps are one after the other for each element, by transposing square blocks in registers.
///
/// # Safety
/// As the task's.
#[inline(always)]
unsafe fn transpose<V: Vector>(
    pack: &Pack<V::Real>,
    from: *const V::Real,
    to: *mut V::Real,
    width: usize,
    step: usize,
) {
    let side = V::LANES / pack.part();
    const { assert!(V::LANES == 4 || V::LANES == 8 || V::LANES == 16, "each side has its block below") }
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
                    // SAFETY: the caller's; the block is within the panel.
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

/// A block that is transposed in registers, of so many rows and steps at most as a vector has elements.
struct Square<R> {
    from: *const R,
    across: isize,
    rows: usize,
    steps: usize,
    to: *mut R,
    step: usize,
}

impl<R> Square<R> {
    /// # Safety
    /// The processor has the instruction set; `rows` rows of `steps` elements may be read and written. A vector has `N`
    /// elements of `PART` numbers.
    #[inline(always)]
    unsafe fn transpose<V: Vector<Real = R>, const N: usize, const PART: usize>(self) {
        if V::LANES != N * PART {
            return;
        }
        // SAFETY: the caller's.
        let zero = unsafe { V::zero() };
        let mut block = [zero; N];
        let there = zero.first(self.steps * PART);
        for (i, vector) in block.iter_mut().enumerate() {
            // A row beyond the last is read as the last one, and not written.
            let row = i.min(self.rows - 1) as isize;
            // SAFETY: a row, and the mask of the steps there are.
            *vector = unsafe { V::load_some(self.from.wrapping_offset(row * self.across), there) };
        }
        // Halves exchange their halves, and so on within.
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
                // SAFETY: a step, and the mask of the rows there are.
                unsafe { vector.store_some(self.to.wrapping_add(i * self.step), there) };
            }
        }
    }
}

/// Exchanges blocks of rows at this distance, which is less than `N`.
#[inline(always)]
fn exchange_all<V: Vector, const N: usize, const DISTANCE: usize, const PART: usize>(block: &mut [V; N]) {
    for i in 0..N / 2 {
        let one = i / DISTANCE * 2 * DISTANCE + i % DISTANCE;
        let other = (one + DISTANCE) % N;
        (block[one], block[other]) = block[one].exchange(block[other], DISTANCE * PART);
    }
}

/// Packs a panel of any strides, some steps at a time, so that what one cache line has of them is read together.
///
/// # Safety
/// As the task's; `T` is what an element consists of.
#[inline(always)]
unsafe fn gather<T: Copy>(pack: &Pack<impl Copy>, from: *const T, to: *mut T, width: usize, step: usize) {
    // Distances between complex numbers are even.
    let part = pack.part() as isize;
    let (across, along) = (pack.across / part, pack.along / part);
    for first in (0..pack.steps).step_by(STEPS_AT_ONCE) {
        let steps = first..pack.steps.min(first + STEPS_AT_ONCE);
        for w in 0..width {
            for s in steps.clone() {
                let from = from.wrapping_offset(w as isize * across + s as isize * along);
                // SAFETY: an element of the matrix, and its place in the panel.
                unsafe { to.wrapping_add(s * step + w).copy_from_nonoverlapping(from, 1) };
            }
        }
    }
}
