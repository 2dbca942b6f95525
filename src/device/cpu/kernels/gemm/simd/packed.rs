//! Large products: both operands packed, block by block (the loops of BLIS: Van Zee and van de Geijn 2015).
//!
//! For one block of `k` and of columns, panels of `b` are packed first, for all threads. Then the rows are cut by halves,
//! for threads and until their part of `a` fits in a processor's own cache; whoever computes a part packs it.

use super::pack::{Pack, PackPanels};
use super::tile::{Scale, Tile};
use super::vector::{Real, SimdKernel, Vector};
use crate::device::HostPtr;
use crate::device::cpu::kernels::gemm::product::{Matrix, RealScaling};
use crate::device::cpu::loops::threads::join;
use crate::device::cpu::memory::scratch::{Side, with_scratch};
use core::marker::PhantomData;
use core::ops::Range;

/// Terms that are summed in registers, at most: a panel of `b` (32 KiB of `f64`) stays in the first-level cache beside what
/// streams by.
pub(super) const KC: usize = 512;
/// Columns of `b`, in real numbers, that are packed at once (`nc` in BLIS): 8 MiB of `f64`.
const NC: usize = 2048;
/// Real numbers of `a` that are packed at once (`mc · kc`): of `f64`, less than an L2 cache.
const MC_KC: usize = 72 * KC;
/// `b` is read once for each block of `a`. Up to this many times, it is read in place.
const MAX_UNPACKED_READS: usize = 10;
/// Fewer rows, or columns, are not split: `b` would be packed too often.
const MIN_SPLIT: [usize; 2] = [96, 1024];
/// Multiplications of real numbers below which a second thread is slower.
const PARALLEL_PACKED_WORK: usize = 1 << 22;
/// Elements below which packing them on a second thread is slower.
const PARALLEL_PACK_ELEMENTS: usize = 1 << 15;

/// A product of any size. Distances count real numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed<R, const COMPLEX: bool> {
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) a: Matrix<R>,
    pub(super) b: Matrix<R>,
    pub(super) c: Matrix<R>,
    pub(super) scaling: RealScaling<R>,
}

/// Equal parts, none larger than `most`; the last may be smaller.
pub(super) fn parts(all: usize, most: usize, multiple: usize) -> impl Iterator<Item = Range<usize>> {
    let size = part_size(all, most, multiple);
    (0..all).step_by(size).map(move |first| first..all.min(first + size))
}

/// The size of all [`parts`] but the last.
fn part_size(all: usize, most: usize, multiple: usize) -> usize {
    all.div_ceil(all.div_ceil(most)).next_multiple_of(multiple)
}

impl<R: Real, const COMPLEX: bool> Packed<R, COMPLEX> {
    const PART: usize = if COMPLEX { 2 } else { 1 };

    /// # Safety
    /// The processor has the instruction set of `V`; `a` and `b` may be read, and `c` is the caller's alone.
    pub(super) unsafe fn run<V: Vector<Real = R>>(self) {
        let width = V::TILE_COLUMNS / Self::PART;
        let most = NC / Self::PART;
        // Terms that are one after the other are read where they are, if not so often that packing them would pay.
        let reads = self.m * Self::PART * self.k.min(KC);
        let in_place = self.b.down == Self::PART as isize && reads <= MAX_UNPACKED_READS * MC_KC;
        let pack = |columns: Range<usize>, k: Range<usize>, to: *mut R| Pack {
            from: self.b.from(k.start, columns.start).ptr,
            across: self.b.right,
            along: self.b.down,
            width: columns.len(),
            steps: k.len(),
            panel: width,
            multiple: width,
            to: HostPtr::new(to),
            complex: COMPLEX,
        };
        // The first part is the largest in both directions.
        let largest = |most: usize| {
            let columns = self.n.min(part_size(self.n, most, width));
            let steps = part_size(self.k, KC, 1);
            pack(0..columns, 0..steps, core::ptr::null_mut()).packed_len()
        };
        let [all, one] = if in_place { [0; 2] } else { [most, width].map(largest) };
        with_scratch(Side::B, all, one, |room, len| {
            // Where there is no memory for more, one panel at a time.
            let most = if len == all { most } else { width };
            for columns in parts(self.n, most, width) {
                for k in parts(self.k, KC, 1) {
                    let b = pack(columns.clone(), k.clone(), room);
                    if !in_place {
                        // SAFETY: the caller's; the room is ours.
                        unsafe { pack_panels::<V>(&b, 0..b.panels()) };
                    }
                    let mut scaling = self.scaling;
                    if k.start > 0 {
                        scaling.beta = [R::one(), R::zero()];
                    }
                    let (a, c) = (self.a.from(0, k.start), self.c.from(0, columns.start));
                    let block = PackedColumns::<R, V, COMPLEX> {
                        m: self.m,
                        a,
                        b: &b,
                        in_place,
                        c,
                        scaling,
                        isa: PhantomData,
                    };
                    // SAFETY: the caller's; `b` is packed, or read where it is.
                    unsafe { block.compute(0..self.m, 0..b.panels()) };
                }
            }
        });
    }
}

/// Packs these panels, on several threads where they are many.
///
/// # Safety
/// As [`PackPanels`].
unsafe fn pack_panels<V: Vector>(pack: &Pack<V::Real>, panels: Range<usize>) {
    if panels.len() > 1 && panels.len() * pack.panel * pack.steps >= 2 * PARALLEL_PACK_ELEMENTS {
        let middle = panels.start + panels.len() / 2;
        join(
            // SAFETY: the caller's; the halves are different panels.
            || unsafe { pack_panels::<V>(pack, panels.start..middle) },
            // SAFETY: as above.
            || unsafe { pack_panels::<V>(pack, middle..panels.end) },
        );
        return;
    }
    // SAFETY: the caller's.
    unsafe { V::within(PackPanels { pack, panels }) };
}

/// Terms of some columns of the result, for which `b` is packed.
struct PackedColumns<'a, R, V, const COMPLEX: bool> {
    /// All rows.
    m: usize,
    a: Matrix<R>,
    b: &'a Pack<R>,
    in_place: bool,
    c: Matrix<R>,
    scaling: RealScaling<R>,
    isa: PhantomData<fn() -> V>,
}

impl<R: Real, V: Vector<Real = R>, const COMPLEX: bool> PackedColumns<'_, R, V, COMPLEX> {
    const PART: usize = if COMPLEX { 2 } else { 1 };

    /// These rows of these panels, on several threads where they are many.
    ///
    /// # Safety
    /// The processor has the instruction set of `V`; `a` may be read, `b` is packed, and `c` is the caller's alone.
    unsafe fn compute(&self, rows: Range<usize>, panels: Range<usize>) {
        let (height, width) = (rows.len() * Self::PART, panels.len() * V::TILE_COLUMNS);
        let threads = height * width * self.b.steps >= 2 * PARALLEL_PACKED_WORK;
        if height * self.b.steps > MC_KC || threads && height >= 2 * MIN_SPLIT[0] {
            // What threads share first is cut as equally as can be; further on, whole tiles waste less.
            let vectors = if threads && 4 * rows.len() > self.m { 1 } else { V::TILE_VECTORS };
            let middle = rows.start + (rows.len() / 2).next_multiple_of(vectors * V::LANES / Self::PART);
            let (low, high) = (rows.start..middle, middle..rows.end);
            // SAFETY: the caller's; the halves are different rows.
            unsafe { self.both(threads, (low, panels.clone()), (high, panels)) };
        } else if threads && width >= 2 * MIN_SPLIT[1] {
            let middle = panels.start + panels.len() / 2;
            let (left, right) = (panels.start..middle, middle..panels.end);
            // SAFETY: the caller's; the halves are different columns.
            unsafe { self.both(threads, (rows.clone(), left), (rows, right)) };
        } else {
            // SAFETY: the caller's.
            unsafe { self.compute_here(rows, panels) };
        }
    }

    /// Both parts, on several threads if asked for.
    ///
    /// # Safety
    /// As [`compute`](PackedColumns::compute); the parts are different.
    unsafe fn both(
        &self,
        threads: bool,
        one: (Range<usize>, Range<usize>),
        other: (Range<usize>, Range<usize>),
    ) {
        // SAFETY: the caller's.
        let one = || unsafe { self.compute(one.0, one.1) };
        // SAFETY: the caller's.
        let other = || unsafe { self.compute(other.0, other.1) };
        if threads {
            join(one, other);
        } else {
            one();
            other();
        }
    }

    /// # Safety
    /// As [`compute`](PackedColumns::compute).
    unsafe fn compute_here(&self, rows: Range<usize>, panels: Range<usize>) {
        let mut a = Pack {
            from: self.a.from(rows.start, 0).ptr,
            across: self.a.down,
            along: self.a.right,
            width: rows.len(),
            steps: self.b.steps,
            panel: V::TILE_VECTORS * V::LANES / Self::PART,
            multiple: V::LANES / Self::PART,
            to: HostPtr::new(core::ptr::null_mut()),
            complex: COMPLEX,
        };
        let (all, one) = (a.packed_len(), Pack { width: a.panel.min(a.width), ..a }.packed_len());
        with_scratch(Side::A, all, one, |room, len| {
            a.to = HostPtr::new(room);
            // Where there is no memory for more, one panel at a time.
            let some = if len == all { a.width } else { a.panel };
            for first in rows.clone().step_by(some) {
                a.from = self.a.from(first, 0).ptr;
                a.width = some.min(rows.end - first);
                // SAFETY: the caller's; the room is ours.
                unsafe {
                    V::within(Tiles::<R, COMPLEX> {
                        a: &a,
                        b: self.b,
                        in_place: self.in_place,
                        c: self.c.from(first, 0),
                        scaling: self.scaling,
                        panels: panels.clone(),
                    })
                };
            }
        });
    }
}

/// Packs `a` and computes all of its rows, for some panels of `b`.
struct Tiles<'a, R, const COMPLEX: bool> {
    a: &'a Pack<R>,
    b: &'a Pack<R>,
    in_place: bool,
    c: Matrix<R>,
    scaling: RealScaling<R>,
    panels: Range<usize>,
}

/// # Safety
/// As [`Block::compute`]; the room for `a` is the caller's alone.
impl<V: Vector, const COMPLEX: bool> SimdKernel<V> for Tiles<'_, V::Real, COMPLEX> {
    #[inline(always)]
    unsafe fn run(self) {
        let part = if COMPLEX { 2 } else { 1 };
        let Tiles { a, b, in_place, c, scaling, panels } = self;
        // SAFETY: the caller's.
        unsafe { SimdKernel::<V>::run(PackPanels { pack: a, panels: 0..a.panels() }) };
        // SAFETY: the caller's.
        let scale = Scale::<V>::new(unsafe { V::zero() }, scaling, COMPLEX);
        for panel in panels {
            let column = panel * b.panel;
            let (at, b_step, b_column) = if in_place {
                (b.from.get().wrapping_offset(column as isize * b.across).cast_const(), b.along, b.across)
            } else {
                (b.packed(column).cast_const(), b.step(column) as isize, part as isize)
            };
            for row in (0..a.width).step_by(a.panel) {
                let tile = Tile {
                    k: a.steps,
                    rows: a.panel.min(a.width - row) * part,
                    columns: b.panel.min(b.width - column),
                    a: a.packed(row),
                    a_step: a.step(row) as isize,
                    b: at,
                    b_step,
                    b_column,
                    c: c.from(row, column).ptr.get(),
                    c_row: c.down,
                    c_column: c.right,
                    // The first tile of a panel of `b` asks for the next panel.
                    ahead: if row == 0 && !in_place { b.packed(column + b.panel) } else { core::ptr::null() },
                };
                // SAFETY: the caller's; the tile is of packed panels, and within `c`.
                unsafe { tile.multiply::<V, COMPLEX>(&scale) };
            }
        }
    }
}
