//! Large products: both operands are packed, tile by tile, as in BLIS (Van Zee and van de Geijn 2015). `run` in the parent module
//! calls this module.
//!
//! Each [`KC`] × [`NC`] tile of B is packed once, for all threads. Then the rows of A are split in half recursively, for
//! parallelism and until a tile of A fits in L2, with at most [`MC_KC`] numbers. The thread that computes with a tile of A packs
//! it.
//!
//! ```text
//! for each NC columns of B                                      (Packed::run)
//!     for each KC terms                                         (Packed::run)
//!         pack B, unless it is read in place                    (pack_panels)
//!         split rows of A or panels of B until they are small   (PackedColumns::compute)
//!             pack the rows of A                                (tiles)
//!             for each panel of B                               (tiles)
//!                 for each panel of A                           (module direct)
//!                     C = alpha · A_panel · B_panel + beta · C  (Tile::multiply; beta is 1 from the second block of terms on)
//! ```
//!
//! A packed panel of B stays in L1 while the panels of the tile of A stream from L2.

use super::direct::Direct;
use super::pack::{Pack, PackPanels};
use super::tile::{RegisterTile, tile_columns};
use crate::device::HostPtr;
use crate::device::cpu::kernels::gemm::product::{Matrix, RealScaling};
use crate::device::cpu::loops::threads::join;
use crate::device::cpu::memory::scratch::{Side, with_scratch};
use crate::simd::vector::{FloatVector, Real};
use core::marker::PhantomData;
use core::ops::Range;

/// Maximum number of terms that are added up in registers before their sum is added to `c` (`kc` in BLIS). With this number, a
/// panel of `b` has at most 32 KiB of `f64`, and stays in L1 while panels of `a` stream through.
pub(super) const KC: usize = 512;

/// Returns the number of terms that a packed product adds up in registers: half of [`KC`] if the panels of `b` are twice as wide.
const fn kc<V: FloatVector, const COMPLEX: bool>() -> usize {
    if COMPLEX && 2 * V::COMPLEX_COLUMNS > V::TILE_COLUMNS { KC / 2 } else { KC }
}

/// Maximum number of columns of a tile of `b`, in real numbers (`nc` in BLIS). With [`KC`] terms, a tile has 8 MiB of `f64`.
const NC: usize = 2048;
/// Maximum number of real numbers in a tile of `a` (`mc · kc` in BLIS). A tile has 288 KiB of `f64`, which fits in L2.
const MC_KC: usize = 72 * KC;
/// Maximum number of tiles of `a` for which `b` is read in place instead of being packed. `b` is read once for each tile of
/// `a`. Up to this number of reads, reading in place is faster than packing (measured).
const MAX_UNPACKED_READS: usize = 10;
/// Minimum numbers of rows and of columns, counted in real numbers, of each half of a product that is split only to use more threads.
/// Each half reads the whole operand that is not split. In smaller halves, these reads would take too long compared with the
/// multiplications.
const MIN_SPLIT: [usize; 2] = [96, 1024];
/// Minimum number of multiplications of real numbers in a thread's part. With smaller parts, a second thread makes the product
/// slower (measured).
const PARALLEL_PACKED_WORK: usize = 1 << 22;
/// Minimum number of elements that a thread packs. With fewer, a second thread makes packing slower (measured).
const PARALLEL_PACK_ELEMENTS: usize = 1 << 15;

/// A product that is computed by packing. Strides are in units of real numbers, also for complex elements.
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

/// Splits `0..all` into ranges of equal length, except that the last range can be shorter. The length is at most `most` before it is
/// rounded up to a multiple of `multiple`.
pub(super) fn parts(all: usize, most: usize, multiple: usize) -> impl Iterator<Item = Range<usize>> {
    let size = part_size(all, most, multiple);
    (0..all).step_by(size).map(move |first| first..all.min(first + size))
}

/// Returns the length of the ranges that [`parts`] yields, except that the last range can be shorter.
fn part_size(all: usize, most: usize, multiple: usize) -> usize {
    all.div_ceil(all.div_ceil(most)).next_multiple_of(multiple)
}

impl<R: Real, const COMPLEX: bool> Packed<R, COMPLEX> {
    const PART: usize = if COMPLEX { 2 } else { 1 };

    /// Computes the product.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The processor has the instruction set of `V`.
    /// * `a` and `b` are readable at all their indices.
    /// * `c` is exclusive to the caller at all its indices, no two of which are the same element.
    pub(super) unsafe fn run<V: FloatVector<Real = R>>(self) {
        let (width, kc) = (tile_columns::<V, COMPLEX>(), kc::<V, COMPLEX>());
        let most = NC / Self::PART;
        // If the elements of each column of `b` are contiguous, tiles can read `b` in place. If there are many tiles of `a`,
        // packing `b` is faster.
        let reads = self.m * Self::PART * self.k.min(kc);
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
        // The first part of `b` is the largest in both dimensions, so it determines the size of the buffer.
        let largest = |most: usize| {
            let columns = self.n.min(part_size(self.n, most, width));
            let steps = part_size(self.k, kc, 1);
            pack(0..columns, 0..steps, core::ptr::null_mut()).packed_len()
        };
        let [all, one] = if in_place { [0; 2] } else { [most, width].map(largest) };
        with_scratch(Side::B, all, one, |room, len| {
            // If the allocation failed, the scratch buffer has space for one panel only. Then `b` is packed one panel at a time.
            let most = if len == all { most } else { width };
            for columns in parts(self.n, most, width) {
                for k in parts(self.k, kc, 1) {
                    let b = pack(columns.clone(), k.clone(), room);
                    if !in_place {
                        // SAFETY: the caller ensures that the processor has the instruction set of `V`, and that `b` may be read.
                        // `room` has space for the packed elements, even for the largest ranges `columns` and `k`. Only this closure
                        // accesses `room`.
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
                    // SAFETY: the ranges are all rows and all panels of `block`. The caller ensures that the processor has the
                    // instruction set of `V`, that `a` and `b` may be read, and exclusive access to `c`. `b` has just been packed,
                    // unless it is read in place.
                    unsafe { block.compute(0..self.m, 0..b.panels()) };
                }
            }
        });
    }
}

/// Packs `panels`, on several threads if there are many elements.
///
/// # Safety
/// The caller must ensure the conditions of `run` of [`PackPanels`].
unsafe fn pack_panels<V: FloatVector>(pack: &Pack<V::Real>, panels: Range<usize>) {
    if panels.len() > 1 && panels.len() * pack.panel * pack.steps >= 2 * PARALLEL_PACK_ELEMENTS {
        let middle = panels.start + panels.len() / 2;
        join(
            // SAFETY: the caller ensures the conditions of `PackPanels::run` for `panels`, so they hold for its first half. The halves
            // write different panels, so they may run in parallel.
            || unsafe { pack_panels::<V>(pack, panels.start..middle) },
            // SAFETY: the caller ensures the conditions of `PackPanels::run` for `panels`, so they hold for its second half. The halves
            // write different panels, so they may run in parallel.
            || unsafe { pack_panels::<V>(pack, middle..panels.end) },
        );
        return;
    }
    // SAFETY: `within` calls `PackPanels::run`. The caller ensures its conditions, which include that the processor has the instruction
    // set of `V`.
    unsafe { V::within(PackPanels { pack, panels }) };
}

/// The part of a product that uses one tile of `b`: at most [`KC`] terms and [`NC`] columns. The tile is packed, or read in place
/// if `in_place`.
struct PackedColumns<'a, R, V, const COMPLEX: bool> {
    /// Number of rows of the whole product.
    m: usize,
    a: Matrix<R>,
    b: &'a Pack<R>,
    in_place: bool,
    c: Matrix<R>,
    scaling: RealScaling<R>,
    isa: PhantomData<fn() -> V>,
}

impl<R: Real, V: FloatVector<Real = R>, const COMPLEX: bool> PackedColumns<'_, R, V, COMPLEX> {
    const PART: usize = if COMPLEX { 2 } else { 1 };

    /// Computes the rows `rows` of the columns in the panels `panels`. Uses several threads if they have enough work.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The processor has the instruction set of `V`.
    /// * `rows` is within `0..m`, and `panels` is within `0..b.panels()`.
    /// * `a` is readable in these rows. `b` is packed, or is readable at its source if `in_place`.
    /// * `c` is exclusive to the caller in these rows and columns, no two indices of which are the same element.
    unsafe fn compute(&self, rows: Range<usize>, panels: Range<usize>) {
        let columns = panels.len() * tile_columns::<V, COMPLEX>();
        let (height, width) = (rows.len() * Self::PART, columns * Self::PART);
        let threads = height * width * self.b.steps >= 2 * PARALLEL_PACKED_WORK;
        if height * self.b.steps > MC_KC || threads && height >= 2 * MIN_SPLIT[0] {
            // The first splits distribute the work over the threads, so their halves are as equal as possible. Later splits are
            // at whole tiles, so that fewer tiles are partly filled.
            let vectors = if threads && 4 * rows.len() > self.m { 1 } else { V::TILE_VECTORS };
            let middle = rows.start + (rows.len() / 2).next_multiple_of(vectors * V::LANES / Self::PART);
            let (low, high) = (rows.start..middle, middle..rows.end);
            // SAFETY: the caller ensures the conditions of `compute` for `rows`, so they hold for `low` and `high`, which are within
            // `rows`. `low` and `high` have different rows of `c`, so no element of `c` in common.
            unsafe { self.both(threads, (low, panels.clone()), (high, panels)) };
        } else if threads && width >= 2 * MIN_SPLIT[1] {
            let middle = panels.start + panels.len() / 2;
            let (left, right) = (panels.start..middle, middle..panels.end);
            // SAFETY: the caller ensures the conditions of `compute` for `panels`, so they hold for `left` and `right`, which are
            // within `panels`. `left` and `right` have different columns of `c`, so no element of `c` in common.
            unsafe { self.both(threads, (rows.clone(), left), (rows, right)) };
        } else {
            // SAFETY: `compute_here` needs the conditions of `compute` for the same rows and panels. The caller ensures these.
            unsafe { self.compute_here(rows, panels) };
        }
    }

    /// Computes two parts, each given as rows and panels. Computes them in parallel if `threads`.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`compute`](PackedColumns::compute) for each part, and that the parts have no
    /// element of `c` in common.
    unsafe fn both(
        &self,
        threads: bool,
        one: (Range<usize>, Range<usize>),
        other: (Range<usize>, Range<usize>),
    ) {
        // SAFETY: the caller ensures the conditions of `compute` for `one`. `one` and `other` have no element of `c` in common, so they
        // may run in parallel.
        let one = || unsafe { self.compute(one.0, one.1) };
        // SAFETY: the caller ensures the conditions of `compute` for `other`. `one` and `other` have no element of `c` in common, so
        // they may run in parallel.
        let other = || unsafe { self.compute(other.0, other.1) };
        if threads {
            join(one, other);
        } else {
            one();
            other();
        }
    }

    /// Computes the rows `rows` of the columns in the panels `panels`, on the current thread.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`compute`](PackedColumns::compute).
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
            // If the allocation failed, the scratch buffer has space for one panel only. Then `a` is packed one panel at a time.
            let some = if len == all { a.width } else { a.panel };
            for first in rows.clone().step_by(some) {
                a.from = self.a.from(first, 0).ptr;
                a.width = some.min(rows.end - first);
                // SAFETY: the caller ensures the conditions of `compute` for `rows`, so they hold for the rows of `a`, which are within
                // `rows`. `a.to` is `room`, which has space to pack these rows. Only this closure accesses `room`.
                unsafe { self.tiles(&a, self.c.from(first, 0), panels.clone()) };
            }
        });
    }

    /// Packs `a`. Then computes the elements of `c` in the rows of `a` and in the columns of the panels `panels`.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The conditions of [`compute`](PackedColumns::compute), for all rows of `a` and for `panels`.
    /// * `a.to` points to [`packed_len`](Pack::packed_len) numbers to which the caller has exclusive access.
    unsafe fn tiles(&self, a: &Pack<R>, c: Matrix<R>, panels: Range<usize>) {
        let b = self.b;
        // SAFETY: the caller ensures that the processor has the instruction set of `V`, that the rows of `a` may be read, and exclusive
        // access to `a.to`. The range contains exactly the panels of `a`.
        unsafe { V::within(PackPanels { pack: a, panels: 0..a.panels() }) };
        for panel in panels {
            let column = panel * b.panel;
            let (ptr, down, right, ahead) = if self.in_place {
                let ptr = b.from.get().wrapping_offset(column as isize * b.across);
                (ptr, b.along, b.across, core::ptr::null())
            } else {
                let next = b.packed(column + b.panel).cast_const();
                (b.packed(column), b.step(column) as isize, Self::PART as isize, next)
            };
            let product = Direct::<R, COMPLEX> {
                m: a.width,
                k: a.steps,
                n: b.panel.min(b.width - column),
                a: Matrix { ptr: a.from, down: a.across, right: a.along },
                b: Matrix { ptr: HostPtr::new(ptr), down, right },
                c: c.from(0, column),
                scaling: &self.scaling,
                batch: None,
                by_rows: false,
                pack: Some(a),
                ahead,
            };
            // SAFETY: `a` has just been packed. The caller ensures the conditions of `compute`. So the processor has the instruction
            // set of `V`, `b` is packed or may be read in place, and access to `c` is exclusive.
            unsafe { V::within(product) };
        }
    }
}
